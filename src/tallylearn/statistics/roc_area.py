"""Areas under the curve: how often a positive row scores above a negative one."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.statistics.confidence_intervals import (
    Interval,
    check_level,
    clopper_pearson,
    z_value,
)
from tallylearn.tables import Array

CHANCE = "the chance that a positive row scores above a negative one, among all rows like these"


@dataclass(frozen=True)
class Area:
    """An area under the ROC curve: it estimates the chance that a positive outscores a negative."""

    auc: float
    error: float  # standard error
    interval: Interval


@dataclass(frozen=True)
class AreaDifference:
    """How far two areas on the same rows lie apart, and how often chance alone sets them so."""

    difference: float  # the first less the second
    error: float  # standard error
    p: float  # two-sided
    interval: Interval


def delong(scores: Any, truth: Any, weight: Any = None, level: float = 0.95) -> Area:
    """The area under the ROC curve, with DeLong's standard error and an interval.

    The area is the share of pairs, a positive row and a negative one, where the positive scores
    higher; a tie is half a win. The interval is taken on the scale log(A / (1 - A)) and carried
    back, so it stays in [0, 1]. Where no row wins a greater share than another (an area of 1, say)
    the standard error is 0 and says nothing; then the min(positives, negatives) pairs that share no
    row give the interval, by Clopper and Pearson, and ``method`` says so. ``weight`` is how many
    rows a row stands for.

    E. R. DeLong et al., Biometrics 44, 1988; in n log n steps as in X. Sun and W. Xu, IEEE Signal
    Processing Letters 21, 2014.

    >>> area = delong([0.9, 0.8, 0.7, 0.6, 0.4, 0.3], [1, 1, 0, 1, 0, 0])
    >>> print(f"{area.auc:.3f} {area.interval}")
    0.889 [0.261, 0.995]
    """
    check_level("delong", level)
    rows = _ScoredRows.of("delong", truth, weight)
    auc, error = rows.mean_and_error(rows.wins("delong", "scores", scores))
    if error == 0:
        return Area(auc, error, _degenerate_interval(auc, 0.0, rows, level, CHANCE))
    half = z_value(level) * error / (auc * (1 - auc))
    odds = auc / (1 - auc)
    low, high = (1 / (1 + np.exp(side) / odds) for side in (half, -half))
    return Area(auc, error, Interval(float(low), float(high), level, "DeLong, logit", CHANCE))


def delong_difference(
    first: Any, second: Any, truth: Any, weight: Any = None, level: float = 0.95
) -> AreaDifference:
    """The area of one list of scores less that of another on the same rows, tested against 0.

    Paired: a row that both find hard weighs on neither. Where the rows' wins all lie equally far
    apart (one area 1, the other 1/2, say) the standard error is 0; then the pairs that share no row
    give interval and p, which are bounds. Reference as for `delong`.

    >>> truth = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> good, bad = [8, 7, 6, 3, 5, 4, 2, 1], [8, 3, 6, 2, 5, 4, 7, 1]
    >>> result = delong_difference(good, bad, truth)
    >>> print(f"{result.difference:.3f} {result.interval} p = {result.p:.3f}")
    0.312 [-0.123, 0.748] p = 0.160
    """
    who = "delong_difference"
    check_level(who, level)
    rows = _ScoredRows.of(who, truth, weight)
    wins = rows.wins(who, "first", first) - rows.wins(who, "second", second)
    apart, error = rows.mean_and_error(wins)
    about = "how far the areas lie apart on all rows like these"
    if error == 0:
        # Were the means equal, a share 1 / (1 + |apart|) of pairs at most could lie so far apart.
        p = min(1.0, 2 * (1 + abs(apart)) ** -rows.pairs)
        return AreaDifference(
            apart, error, p, _degenerate_interval(apart, -1.0, rows, level, about)
        )
    from scipy.special import ndtr

    half = z_value(level) * error
    interval = Interval(max(apart - half, -1.0), min(apart + half, 1.0), level, "DeLong", about)
    return AreaDifference(apart, error, 2 * float(ndtr(-abs(apart) / error)), interval)


def wins(scores: Any, truth: Any, weight: Any = None) -> Array:
    """(n,) of a positive row, the share of negatives that it beats; of a negative, that beat it.

    >>> wins([0.9, 0.4, 0.6, 0.3], [1, 1, 0, 0]).tolist()
    [1.0, 0.5, 0.5, 1.0]
    """
    return _ScoredRows.of("wins", truth, weight).wins("wins", "scores", scores)


@dataclass(frozen=True)
class _ScoredRows:
    """Which rows are positive, and how many rows each stands for."""

    positive: Array  # (n,) bool
    weight: Array  # (n,) float64

    @classmethod
    def of(cls, who: str, truth: Any, weight: Any) -> _ScoredRows:
        given = np.asarray(truth)
        if given.ndim != 1 or not np.isin(given, (0, 1)).all():
            raise InputError(
                f"{who}: truth has values other than 0 and 1. Give 1 for positive rows "
                "and 0 for negative rows."
            )
        positive = given.astype(bool)
        rows = cls(positive, _column(who, "weight", weight, len(positive)))
        if not (rows.weight >= 0).all() or not np.isfinite(rows.weight).all():
            raise InputError(
                f"{who}: weight has a value that is negative, infinite or missing. Give "
                "finite weights from 0 up."
            )
        if not rows.pairs > 1:
            negatives, positives = (rows.weight[side].sum() for side in rows._sides())
            raise InputError(
                f"{who}: there are {positives:g} positive and {negatives:g} negative "
                "rows. Give more than one of each."
            )
        return rows

    @property
    def pairs(self) -> float:
        """How many pairs of a positive and a negative row there are that share no row."""
        return float(min(self.weight[side].sum() for side in self._sides()))

    def wins(self, who: str, name: str, scores: Any) -> Array:
        """(n,) of a positive, the share of negatives it beats; of a negative, that beat it."""
        scores = _column(who, name, scores, len(self.positive))
        if np.isnan(scores).any():
            row = int(np.flatnonzero(np.isnan(scores))[0])
            raise InputError(f"{who}: {name}[{row}] is nan. Give a score for every row.")
        order = np.argsort(scores)
        steps = scores[order[1:]] != scores[order[:-1]]
        place = np.zeros(len(order), dtype=np.int64)
        place[order[1:]] = np.cumsum(steps)
        beaten, beating = (_midranks(place, self.weight * side) for side in self._sides())
        return np.where(self.positive, beaten[place], 1 - beating[place])

    def mean_and_error(self, wins: Array) -> tuple[float, float]:
        """The mean of the rows' wins, and its standard error."""
        mean, variance = 0.0, 0.0
        for side in self._sides():
            weight, ours = self.weight[side], wins[side]
            mean = float(np.clip(weight @ ours / weight.sum(), -1, 1))  # the same on both sides
            apart = np.where(np.abs(ours - mean) < 1e-12, 0.0, ours - mean)  # rounding is no spread
            variance += float(weight @ apart**2) / float(weight.sum() * (weight.sum() - 1))
        return mean, sqrt(variance)

    def _sides(self) -> tuple[Array, Array]:
        return ~self.positive, self.positive


def _midranks(place: Array, weight: Array) -> Array:
    """The share of the weight below every place, and half of the share at it: a midrank."""
    at = np.bincount(place, weight)
    return np.asarray((np.cumsum(at) - at / 2) / at.sum())


def _degenerate_interval(
    value: float, least: float, rows: _ScoredRows, level: float, about: str
) -> Interval:
    """All pairs that share no row said one value: a share q or more says so, the rest anything."""
    q = clopper_pearson(rows.pairs, rows.pairs, level).low
    low, high = q * value + (1 - q) * least, q * value + (1 - q)
    return Interval(low, min(high, 1.0), level, "Clopper-Pearson on disjoint pairs", about)


def _column(who: str, name: str, values: Any, n: int) -> Array:
    if values is None:
        return np.ones(n)
    try:
        column = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{who}: {name} is {values!r:.60}. Give a list of numbers.") from None
    if column.shape != (n,):
        raise InputError(
            f"{who}: {name} has the shape {column.shape}, but truth has {n} rows. "
            "Give one value per row."
        )
    return column
