"""The learning curve: the share of points as the games of self-play go by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from tallylearn.checkers.features import LinearEvaluation
from tallylearn.checkers.learning import Generaliser, practise
from tallylearn.checkers.players import chooser, play_anything
from tallylearn.checkers.tournaments import TournamentScore, compete
from tallylearn.checkers.trajectories import Trajectory
from tallylearn.reporting.charts import draw_lines
from tallylearn.statistics.confidence_intervals import mean_interval


class ScoredWeights(NamedTuple):
    """How the weights did after so many games."""

    games: int
    score: TournamentScore
    evaluation: LinearEvaluation


def follow(
    generaliser: Generaliser,
    stops: Sequence[int],
    *,
    matches: int,
    seed: int,
    keep: Callable[[Trajectory], object] = lambda game: None,
    tick: Callable[[], object] = lambda: None,
) -> Iterator[ScoredWeights]:
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
        yield ScoredWeights(stop, score, evaluation)


def table(points: Sequence[ScoredWeights]) -> str:
    """The curve as lines of text."""
    lines = ["games learned   points   95 % interval"]
    for games, score, _ in points:
        low, high = score.interval
        bar = "█" * round(40 * score.share)
        lines.append(f"{games:>13}   {score.share:6.1%}   {low:6.1%} to {high:6.1%}   {bar}")
    return "\n".join(lines)


def repeat(
    seeds: int, stops: Sequence[int], *, matches: int, tick: Callable[[], object] = lambda: None
) -> list[list[float]]:
    """Learn anew with every seed; the share of points at every stop."""
    return [
        [
            point.score.share
            for point in follow(
                Generaliser.untrained(), stops, matches=matches, seed=seed, tick=tick
            )
        ]
        for seed in range(seeds)
    ]


def spread(stops: Sequence[int], shares: Sequence[Sequence[float]]) -> str:
    """The mean over the seeds with its interval, the extremes, and what was gained in all."""
    lines = ["games learned   mean of the points   95 % interval     least     most"]
    for stop, column in zip(stops, zip(*shares, strict=True), strict=True):
        mean, (low, high) = fmean(column), mean_interval(column)
        bounds = f"{max(0.0, low):6.1%} to {min(1.0, high):6.1%}"
        lines.append(
            f"{stop:>13}   {mean:>18.1%}   {bounds}   {min(column):6.1%}   {max(column):6.1%}"
        )
    gains = [row[-1] - row[0] for row in shares]
    low, high = mean_interval(gains)
    lines.append(
        f"\nGained from {stops[0]} to {stops[-1]} games: {fmean(gains):+.1%} of the points (95 % "
        f"interval {low:+.1%} to {high:+.1%}), in {sum(g > 0 for g in gains)} of {len(gains)} "
        "seeds."
    )
    return "\n".join(lines)


def svg(points: Sequence[ScoredWeights]) -> str:
    """The curve as a picture: shares with their intervals over games."""
    shares = [point.score.share for point in points]
    low, high = zip(*(point.score.interval for point in points), strict=True)
    series = {"trained": ([point.games for point in points], shares, low, high)}
    title = "Share of the points against the random player"
    return draw_lines(series, title, "games of self-play", "points", y_range=(0, 1)).svg
