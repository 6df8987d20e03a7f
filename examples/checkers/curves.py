"""The learning curve: the share of points as the games of self-play go by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .features import Evaluation
from .learning import Generaliser, practise
from .players import chooser, play_anything
from .tournaments import Score, compete
from .trajectories import Trajectory

WIDTH, HEIGHT, EDGE = 560, 300, 48


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
    last = max(point.games for point in points) or 1

    def x(games: float) -> float:
        return EDGE + games / last * (WIDTH - 2 * EDGE)

    def y(share: float) -> float:
        return HEIGHT - EDGE - share * (HEIGHT - 2 * EDGE)

    path = " ".join(f"{x(games):.1f},{y(score.share):.1f}" for games, score, _ in points)
    bars = [
        f'<path d="M{x(games):.1f} {y(low):.1f}V{y(high):.1f}"/>'
        for games, score, _ in points
        for low, high in [score.interval]
    ]
    shares = [
        f'<path d="M{EDGE} {y(share):.1f}H{WIDTH - EDGE}" stroke="#ddd"/>'
        f'<text x="{EDGE - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="12">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{EDGE}" y="24">Share of the points against the random player</text>',
            *shares,
            f'<g stroke="#888">{"".join(bars)}</g>',
            f'<polyline points="{path}" fill="none" stroke="#1f5fa8" stroke-width="2"/>',
            f'<text x="{x(0)}" y="{y(0) + 18}" text-anchor="middle">0</text>',
            f'<text x="{x(last)}" y="{y(0) + 18}" text-anchor="middle">{last} games</text>',
            "</svg>\n",
        ]
    )
