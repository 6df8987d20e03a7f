"""Tournaments: what share of the points a player wins, and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tallylearn.checkers.boards import BLACK, RED
from tallylearn.checkers.games import DRAW, opening
from tallylearn.checkers.players import Player
from tallylearn.checkers.trajectories import record
from tallylearn.statistics.confidence_intervals import Interval, wilson


class TournamentScore(NamedTuple):
    """Games won, drawn and lost: a point for a win, half a point for a draw."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return sum(self)

    @property
    def share(self) -> float:
        return (self.won + self.drawn / 2) / self.games

    @property
    def interval(self) -> Interval:
        """Wilson's 95 % interval, with points for successes.

        A game of three results varies less around its mean than a coin does, p (1 - p) being the
        most that anything between 0 and 1 can vary: with draws the interval is too wide, never too
        narrow, and it does not shrink to nothing when every game is won, as the t interval does.
        """
        return wilson(self.won + self.drawn / 2, self.games)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.share:6.1%} of the points (95 % interval {low:.1%} to {high:.1%}): "
            f"{self.won} won, {self.drawn} drawn, {self.lost} lost"
        )


def compete(
    player: Player,
    opponent: Player,
    games: int,
    seed: int,
    tick: Callable[[], object] = lambda: None,
) -> TournamentScore:
    """Play many games, two from every opening: the player is Black in one and Red in the other.

    Openings are drawn by lot, as in draughts between people: players that draw nothing would meet
    in one and the same game again and again.
    """
    results: Counter[str] = Counter()
    for number in range(games):
        side = (BLACK, RED)[number % 2]
        black, red = (player, opponent) if side == BLACK else (opponent, player)
        start = opening(Random(f"opening {seed} {number // 2}"))
        result = record(start, black, red, Random(f"{seed} {number}")).result
        results["drawn" if result == DRAW else "won" if result == side else "lost"] += 1
        tick()
    return TournamentScore(results["won"], results["drawn"], results["lost"])
