"""The confusion matrix, the shares of right predictions that follow from it, and agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import nan, sqrt
from typing import Any

import numpy as np

from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Counts, Exact
from tallylearn.tallies.keys import union

EMPTY = "there are no rows"
FINE, STEP = 1 << 40, 1 << 20  # a table in fine units of weight; a step is a millionth of them all


@dataclass(frozen=True)
class ScoreValue:
    """A score's value; where it is NaN or infinite, why; of a share, what it is a share of."""

    value: float
    reason: str = ""
    share: tuple[float, float] | None = None  # how many, of how many


@dataclass(frozen=True)
class Hits:
    """A confusion matrix, class by class."""

    classes: tuple[Any, ...]
    right: Array  # (k,) rows of the class that were called so
    said: Array  # (k,) rows that were called so
    true: Array  # (k,) rows of the class

    @classmethod
    def of(cls, bundle: Bundle) -> Hits:
        """From the confusion of a bundle, over all classes seen or declared."""
        if "confusion" not in bundle:
            return cls((), np.zeros(0), np.zeros(0), np.zeros(0))
        counts = bundle["confusion"]
        keys = union(*counts.keys)
        table = counts.reindex(keys, keys).table
        right = np.diagonal(table.floats())
        return cls(keys, right, table.sum(-2).floats(), table.sum(-1).floats())

    @property
    def rows(self) -> float:
        return float(self.true.sum())


@dataclass(frozen=True)
class ClassScores:
    """What a table of scores says of one class."""

    value: Any
    support: float  # rows of the class
    precision: ScoreValue
    recall: ScoreValue
    f1: ScoreValue


def table(bundle: Bundle, positive: Any = None) -> tuple[ClassScores, ...]:
    """Precision, recall, F1 and support of every class; of one alone where ``positive`` names it.

    A share of nothing is NaN and has a reason; scikit-learn's classification_report says 0.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> from tallylearn.tables import Codes
    >>> truth, said = Codes.of(["a", "a", "b"]), Codes.of(["a", "b", "b"])
    >>> for line in table(Predictions(truth, said).tally()):
    ...     print(line.value, line.precision.value, line.recall.value, line.support)
    a 1.0 0.5 2.0
    b 0.5 1.0 1.0
    """
    hits = Hits.of(bundle)
    chosen = hits.classes if positive is None else (positive_class(hits.classes, positive),)
    return tuple(
        ClassScores(value, float(hits.true[at]), *(class_rate(hits, rate, at) for rate in RATES))
        for at, value in enumerate(hits.classes)
        if value in chosen
    )


def accuracy(bundle: Bundle, positive: Any) -> ScoreValue:
    hits = Hits.of(bundle)
    return _share(hits.right.sum(), hits.rows, EMPTY)


def error(bundle: Bundle, positive: Any) -> ScoreValue:
    hits = Hits.of(bundle)
    return _share(hits.rows - hits.right.sum(), hits.rows, EMPTY)


def balanced_accuracy(bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean recall of the classes that are true somewhere."""
    hits = Hits.of(bundle)
    return _mean_rate(hits, "recall", hits.true > 0, np.ones(len(hits.classes)))


Rate = Callable[[Hits], tuple[Array, Array]]
RATES: dict[str, tuple[Rate, str]] = {  # above and below; and why below may be zero
    "precision": (lambda hits: (hits.right, hits.said), "was never predicted"),
    "recall": (lambda hits: (hits.right, hits.true), "is not among the truth"),
    "f1": (lambda hits: (2 * hits.right, hits.said + hits.true), "is neither true nor predicted"),
}


def class_rate(hits: Hits, rate: str, at: int) -> ScoreValue:
    """Precision, recall, F1 or another F of one class."""
    solve, reason = RATES[rate] if rate in RATES else _f_beta(float(rate[1:]))
    above, below = solve(hits)
    found = _share(above[at], below[at], f"class {hits.classes[at]!r} {reason}")
    return found if rate in ("precision", "recall") else replace(found, share=None)


def _f_beta(beta: float) -> tuple[Rate, str]:
    """F in which recall counts beta times as much as precision (C. J. van Rijsbergen, 1979)."""
    square = beta * beta

    def solve(hits: Hits) -> tuple[Array, Array]:
        return (1 + square) * hits.right, hits.said + square * hits.true

    return solve, RATES["f1"][1]


def of_positive(rate: str, bundle: Bundle, positive: Any) -> ScoreValue:
    hits = Hits.of(bundle)
    return class_rate(hits, rate, hits.classes.index(positive_class(hits.classes, positive)))


def macro(rate: str, bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean over the classes that are true or predicted somewhere."""
    hits = Hits.of(bundle)
    return _mean_rate(hits, rate, hits.true + hits.said > 0, np.ones(len(hits.classes)))


def weighted_mean_rate(rate: str, bundle: Bundle, positive: Any) -> ScoreValue:
    """The mean over the rows, each with its true class's value."""
    hits = Hits.of(bundle)
    return _mean_rate(hits, rate, hits.true > 0, hits.true)


def _mean_rate(hits: Hits, rate: str, included: Array, weight: Array) -> ScoreValue:
    places = np.flatnonzero(included)
    found = [class_rate(hits, rate, int(at)) for at in places]
    reasons = [one.reason for one in found if one.reason]
    if reasons or not found:
        return ScoreValue(nan, list_some(reasons) or EMPTY)
    return ScoreValue(float(np.average([one.value for one in found], weights=weight[places])))


def list_some(reasons: Iterable[str], most: int = 6) -> str:
    """The first reasons, each once, and how many more there are.

    >>> list_some(["a", "b", "a", "c"], 2)
    'a; b; and 1 more'
    """
    found = [*dict.fromkeys(reasons)]
    more = [f"and {len(found) - most:,} more"] if len(found) > most else []
    return "; ".join([*found[:most], *more])


def _share(above: float, below: float, reason: str) -> ScoreValue:
    if below == 0:
        return ScoreValue(nan, reason)
    return ScoreValue(float(above / below), "", (float(above), float(below)))


def slopes(
    counts: Counts, measure: Callable[[Bundle, Any], ScoreValue], positive: Any,
    cells: Array | None = None,
) -> Array:  # fmt: skip
    """(k, k) how far a score moves with the share of the rows that are in each cell.

    ``cells`` are other numbers of rows to take in place of the counted ones.
    """
    cells = counts.floats() if cells is None else cells
    fine = _refine_cells(cells)
    start, out = _value(counts, measure, positive, fine), np.zeros(cells.shape)
    for row, column in np.argwhere(cells):
        more = fine.copy()
        more[row, column] += STEP
        out[row, column] = (_value(counts, measure, positive, more) - start) * (FINE / STEP)
    return out


def value_of_cells(
    counts: Counts, measure: Callable[[Bundle, Any], ScoreValue], positive: Any, cells: Array
) -> float:
    """The score of a confusion matrix of the same classes with other (k, k) shares of rows."""
    return _value(counts, measure, positive, _refine_cells(cells))


def _refine_cells(cells: Array) -> Array:
    return np.asarray(np.rint(cells * (FINE / cells.sum())).astype(np.int64))


def _value(
    counts: Counts, measure: Callable[[Bundle, Any], ScoreValue], positive: Any, cells: Array
) -> float:
    bundle = Bundle({"confusion": replace(counts, table=Exact.of(cells))})
    return measure(bundle, positive).value


def mcc(bundle: Bundle, positive: Any) -> ScoreValue:
    """Matthews' correlation of predictions and truth, of two classes or of several.

    B. W. Matthews, Biochimica et Biophysica Acta 405, 1975; of several classes J. Gorodkin,
    Computational Biology and Chemistry 28, 2004.

    >>> from tallylearn.evaluation.scores.predictions import Predictions
    >>> from tallylearn.tables import Codes
    >>> truth, said = Codes.of([*"aabb"]), Codes.of([*"abbb"])
    >>> round(mcc(Predictions(truth, said).tally(), None).value, 4)
    0.5774
    """
    hits = Hits.of(bundle)
    if not hits.rows:
        return ScoreValue(nan, EMPTY)
    true, said = hits.true / hits.rows, hits.said / hits.rows
    spreads = 1 - true @ true, 1 - said @ said
    for spread, what in zip(spreads, ("true", "predicted"), strict=True):
        if spread <= 0:
            return ScoreValue(nan, f"one class alone is {what}: nothing varies with anything")
    return ScoreValue(float((hits.right.sum() / hits.rows - true @ said) / sqrt(np.prod(spreads))))


def kappa(power: int, bundle: Bundle, positive: Any) -> ScoreValue:
    """Cohen's kappa: 1 less the disagreement, as a share of what chance would give.

    Classes that lie i apart in their order disagree by i to the ``power``; all alike for 0.
    J. Cohen, Educational and Psychological Measurement 20, 1960; Psychological Bulletin 70, 1968.
    """
    if "confusion" not in bundle:
        return ScoreValue(nan, EMPTY)
    counts = bundle["confusion"]
    keys = union(*counts.keys)
    table = counts.reindex(keys, keys).floats()
    total = table.sum()
    apart = np.abs(np.subtract.outer(np.arange(len(keys)), np.arange(len(keys)))) / 1.0
    apart = np.sign(apart) if power == 0 else apart**power
    chance = (apart * np.outer(table.sum(axis=1), table.sum(axis=0))).sum()
    if not chance:
        reason = "truth and predictions are one class: chance would agree as well"
        return ScoreValue(nan, reason if total else EMPTY)
    return ScoreValue(float(1 - (apart * table).sum() * total / chance))
