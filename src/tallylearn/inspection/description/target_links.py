"""What a column says about the target: gain, area under the curve, correlation, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import atanh, log, nan, sqrt, tanh
from typing import Any

import numpy as np
from scipy.special import chndtrinc

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.inspection.description.associations import Associations, Matrices
from tallylearn.inspection.description.passing_columns import Numbers
from tallylearn.inspection.description.target_classes import TargetClasses
from tallylearn.statistics.confidence_intervals import Interval, z_value
from tallylearn.statistics.impurity import entropy
from tallylearn.statistics.roc_area import delong
from tallylearn.tables import Array

MOST_AREAS = 10  # classes that are set against all others
LEVEL = 0.95
EXACT = 1e-12  # of a variance: what rounding leaves of none


@dataclass(frozen=True)
class TargetLink:
    """A figure between a column and the target, with its interval."""

    value: float
    low: float = nan
    high: float = nan

    @classmethod
    def of(cls, value: float, interval: Interval) -> TargetLink:
        return cls(value, interval.low, interval.high)

    def data(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Gain(TargetLink):
    """An information gain; ``corrected`` is what is left of it without that of chance."""

    corrected: float = nan

    def data(self) -> dict[str, float]:
        return super().data() | {"corrected": self.corrected}


def links(found: Associations, matrices: Matrices, classes: TargetClasses) -> dict[str, Any]:
    """Of every column but the target itself, all that can be said."""
    names = [name for name in found.tables if name != classes.target]
    each = engines.map_threads(lambda name: _link(found, name, classes), names)
    out = dict(zip(names, each, strict=True))
    if classes.target in matrices.names:
        _correlate(out, matrices, classes.target, found.survey.precision)
    return out


def _link(found: Associations, name: str, classes: TargetClasses) -> dict[str, Any]:
    table, column = found.tables[name] * found.survey.precision, found.survey.numbers.get(name)
    one: dict[str, Any] = {"gain": gain(_in_bins(table, column)).data()}
    if column is not None and not classes.measured and 1 < len(classes.names) <= MOST_AREAS:
        one["auc"] = _areas(table, classes)
    return one


def gain(table: Array) -> Gain:
    """The information that a column has of the classes, in bits, from their table (k, values).

    Corrected, it is less its bias (r - 1)(c - 1) / 2n (G. Miller, 1955). The interval is of that,
    by the delta method: the variance of log p(x, y) / p(x) p(y), divided by n. Small gains are
    skewed, as a noncentral chi-squared is: the upper end is no less than its. All are cut at 0 and
    at the entropy of the classes. There is no interval where that variance is 0, as of classes told
    one to one.

    >>> found = gain(np.array([[2.0, 3, 0, 4], [3.0, 2, 0, 0]]))  # Outlook, in the notes
    >>> print(f"{found.value:.3f}, {found.corrected:.3f} [{found.low:.3f}, {found.high:.3f}]")
    0.247, 0.144 [0.000, 0.815]
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n = float(table.sum())
    if not n:
        return Gain(nan)
    p = table / n
    apart = p.sum(axis=1)[:, None] * p.sum(axis=0)
    some = p > 0
    bits = np.log2(p[some] / apart[some])
    value = max(float(p[some] @ bits), 0.0)
    free = (table.shape[0] - 1) * (table.shape[1] - 1)
    if not free:  # one class, or one value
        return Gain(0.0, corrected=0.0)
    in_bits = 1 / (2 * n * log(2))
    middle = value - free * in_bits
    squares = float(p[some] @ bits**2)
    if squares - value**2 <= EXACT * squares:  # all say the same: no spread to tell an error by
        return Gain(value, corrected=max(middle, 0.0))
    half = z_value(LEVEL) * sqrt((squares - value**2) / n)
    skewed = float(chndtrinc(value / in_bits, free, (1 - LEVEL) / 2)) * in_bits
    most = float(entropy(p.sum(axis=1)))
    low, high, corrected = (
        min(max(end, 0.0), most)
        for end in (middle - half, max(middle + half, skewed, value), middle)
    )
    return Gain(value, low, high, corrected)


def fisher(r: float, n: float, ranks: bool = False) -> TargetLink:
    """A correlation with its interval on the scale of atanh r: ± z / √(n - 3).

    Of ranks the variance is (1 + r²/2) / (n - 3): D. Bonett and T. Wright, Psychometrika 65, 2000.
    """
    if not n > 3 or not abs(r) < 1:
        return TargetLink(r)
    half = z_value(LEVEL) * sqrt((1 + r * r / 2 if ranks else 1) / (n - 3))
    return TargetLink(r, tanh(atanh(r) - half), tanh(atanh(r) + half))


def _in_bins(table: Array, column: Numbers | None) -> Array:
    """A column of numbers in bins, gaps one of their own; a category as it is."""
    if column is None:
        return table
    bins = column.bins()
    out = np.zeros((len(table), int(bins.max(initial=0)) + 2))
    for row, counts in zip(out, table, strict=True):
        row[:-1] = np.bincount(bins, counts[:-1], minlength=len(row) - 1)
    out[:, -1] = table[:, -1]
    return out


def _areas(table: Array, classes: TargetClasses) -> dict[str, dict[str, float]]:
    """How well the numbers rank every class before all others; of two, the second alone."""
    wanted = classes.names[1:] if len(classes.names) == 2 else classes.names
    shown = table[:, :-1]
    shown = shown[:, shown.sum(axis=0) > 0]
    out = {}
    for name in wanted:
        at = classes.names.index(name)
        sides = np.stack([np.delete(shown, at, axis=0).sum(axis=0), shown[at]])
        truth, scores = np.nonzero(sides)
        try:
            area = delong(scores, truth, sides[truth, scores], LEVEL)
        except InputError:  # fewer than two rows of a side
            out[name] = TargetLink(_area(*sides)).data()
            continue
        out[name] = TargetLink.of(area.auc, area.interval).data()
    return out


def _area(others: Array, ours: Array) -> float:
    """The area alone; NaN without rows on a side."""
    pairs = float(ours.sum() * others.sum())
    return float(ours @ (np.cumsum(others) - others / 2)) / pairs if pairs else nan


def _correlate(out: dict[str, Any], matrices: Matrices, target: str, precision: float) -> None:
    at = matrices.names.index(target)
    for i, name in enumerate(matrices.names):
        if i == at:
            continue
        n, one = float(matrices.rows[i, at]) * precision, out.setdefault(name, {})
        one["pearson"] = fisher(float(matrices.pearson[i, at]), n).data()
        one["spearman"] = fisher(float(matrices.spearman[i, at]), n, ranks=True).data()
