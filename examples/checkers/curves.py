"""The learning curve: the share of points as the games of self-play go by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tallylearn.plots import draw_lines

from .features import Evaluation
from .learning import Generaliser, practise
from .players import chooser, play_anything
from .tournaments import Score, compete
from .trajectories import Trajectory


class Point(NamedTuple):
    """How the weights did after so many games."""

    games: int
    score: Score
    evaluation: Evaluation


def follow(
    generaliser: Generaliser,
    stops: Sequence[int],
    *,
    matches: int,
    seed: int,
    keep: Callable[[Trajectory], object] = lambda game: None,
    tick: Callable[[], object] = lambda: None,
) -> Iterator[Point]:
    """Learn by self-play, and meet the random player after so many games.

    The weights meet the same random players each time, and do not learn from them.
    """
    played = 0
    for stop in stops:
        for game in practise(range(played, stop), generaliser, seed):
            keep(game)
            tick()
        played = stop
        evaluation = generaliser.evaluation
        score = compete(chooser(evaluation), play_anything, matches, seed, tick)
        yield Point(stop, score, evaluation)


def table(points: Sequence[Point]) -> str:
    """The curve as lines of text."""
    lines = ["games learned   points   95 % interval"]
    for games, score, _ in points:
        low, high = score.interval
        bar = "█" * round(40 * score.share)
        lines.append(f"{games:>13}   {score.share:6.1%}   {low:6.1%} to {high:6.1%}   {bar}")
    return "\n".join(lines)


def svg(points: Sequence[Point]) -> str:
    """The curve as a picture: shares with their intervals over games."""
    shares = [point.score.share for point in points]
    low, high = zip(*(point.score.interval for point in points), strict=True)
    series = {"trained": ([point.games for point in points], shares, low, high)}
    title = "Share of the points against the random player"
    return draw_lines(series, title, "games of self-play", "points", y_range=(0, 1)).svg
