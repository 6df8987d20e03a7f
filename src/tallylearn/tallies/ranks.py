"""Ranks: how many negatives and positives stand at every score; ROC and AUC follow by adding up."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt
from typing import ClassVar

import numpy as np

from tallylearn.tables import Array, check_shape
from tallylearn.tallies.exact import LIMB, Exact, ratio
from tallylearn.tallies.tally import Tally
from tallylearn.tallies.values import sum_cells

SIDES = np.arange(2)
SAFE = 1 << 62  # products of whole weights below this stay within 64 bits


@dataclass(frozen=True, eq=False)
class Ranks(Tally):
    """The distinct scores, sorted, and the exact weight of negatives and positives at each.

    It grows with the number of distinct scores, not with the number of rows. A score that is NaN
    is missing and not counted.

    >>> ranks = Ranks.of(np.array([0.1, 0.4, 0.4, 0.8]), np.array([False, False, True, True]))
    >>> ranks, ranks.auc
    (Ranks(3 scores: 2 negative, 2 positive), 0.875)

    T. Fawcett, An introduction to ROC analysis, Pattern Recognition Letters 27, 2006.
    """

    scores: Array  # (m,) float64, sorted
    weights: Exact  # (2, m): of the negatives, of the positives

    weighted: ClassVar[tuple[str, ...]] = ("weights",)  # scale with the weights

    def __post_init__(self) -> None:
        check_shape("the weights", self.weights.limbs[..., 0], 2, len(self.scores))

    @classmethod
    def of(cls, scores: Array, positive: Array, weight: Array | None = None) -> Ranks:
        """Count the rows at every score; ``positive`` says of which kind each row is."""
        scores = np.asarray(scores, dtype=np.float64) + 0.0  # -0.0 is 0.0
        if (missing := np.isnan(scores)).any():
            scores, positive = scores[~missing], positive[~missing]
            weight = None if weight is None else weight[~missing]
        order = np.argsort(scores)
        scores = scores[order]
        first = np.ones(len(scores), dtype=bool)
        first[1:] = scores[1:] != scores[:-1]
        found = scores[first]
        cell = np.cumsum(first) - 1 + len(found) * positive[order]
        return cls(found, sum_cells(cell, order, (2, len(found)), weight))._prune()

    @classmethod
    def empty(cls) -> Ranks:
        """Nothing ranked yet."""
        return cls(np.zeros(0), Exact.of(np.zeros((2, 0), dtype=np.int64)))

    @property
    def nothing(self) -> bool:
        """Whether there is no score at all."""
        return not len(self.scores)

    def __bool__(self) -> bool:
        return bool(self.weights.nonzero().any())

    def __add__(self, other: Ranks) -> Ranks:
        scores, ours, theirs = self._align(other)
        return Ranks(scores, ours + theirs)._prune()

    def __sub__(self, other: Ranks) -> Ranks:
        scores, ours, theirs = self._align(other)
        return Ranks(scores, ours - theirs)._prune()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranks):
            return NotImplemented
        return np.array_equal(self.scores, other.scores) and self.weights == other.weights

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        no, yes = self.weights.sum(-1).floats()
        return f"Ranks({len(self.scores)} scores: {no:g} negative, {yes:g} positive)"

    def impossible(self) -> str | None:
        """Why no rows can have been ranked so, if there is a reason."""
        return "a count falls below zero" if self.weights.negative().any() else None

    @property
    def auc(self) -> float:
        """The share of pairs whose positive has the higher score, ties half; NaN without pairs.

        All in whole numbers, and rounded once.
        """
        no, yes = self._to_whole_weights()
        pairs = 2 * int(no.sum()) * int(yes.sum())
        return int((yes * _twice_below(no)).sum()) / pairs if pairs else nan

    def standard_error(self, share: float = 1.0) -> float:
        """Of the AUC, over tables drawn alike; NaN with less than two rows of a kind.

        A unit of weight counts as ``share`` rows.

        E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44, 1988, p. 837.
        """
        no, yes = self.weights.floats()
        rows = no.sum(), yes.sum()
        if min(rows) * share <= 1:
            return nan
        below, above = _twice_below(no) / 2 / rows[0], 1 - _twice_below(yes) / 2 / rows[1]
        area = (yes * below).sum() / rows[1]
        spreads = (no * (above - area) ** 2).sum(), (yes * (below - area) ** 2).sum()
        return sqrt(sum(s / (share * n - 1) / n for s, n in zip(spreads, rows, strict=True)))

    def roc(self) -> tuple[Array, Array, Array]:
        """False positive rates, true positive rates, and the thresholds, falling from infinity.

        A row is called positive where its score is the threshold or above. Every threshold is kept,
        as in scikit-learn's roc_curve with drop_intermediate=False; a rate of nothing is NaN.
        """
        wrong, right = self.cumulative_weights()
        with np.errstate(invalid="ignore"):
            rates = wrong / wrong[-1], right / right[-1]
        return *rates, np.append(np.inf, self.scores[::-1])

    def precision_recall(self) -> tuple[Array, Array, Array]:
        """Precisions, recalls, and the thresholds, falling from infinity.

        Where no row is called positive the precision is 1, as in scikit-learn's
        precision_recall_curve; without positives the recall is NaN.
        """
        wrong, right = self.cumulative_weights()
        called = wrong + right
        with np.errstate(invalid="ignore"):
            precision, recall = np.where(called > 0, right / called, 1.0), right / right[-1]
        return precision, recall, np.append(np.inf, self.scores[::-1])

    @property
    def average_precision(self) -> float:
        """The precision at every threshold, averaged over the positives that it adds."""
        precision, recall, _ = self.precision_recall()
        return float(np.diff(recall) @ precision[1:]) if self else nan

    def lift(self) -> tuple[Array, Array, Array]:
        """The share of rows called positive, how much more often those are so, the thresholds.

        At a lift of 3 they are positive three times as often as all rows; NaN without positives.
        """
        precision, _, thresholds = self.precision_recall()
        wrong, right = self.cumulative_weights()
        called = wrong + right
        with np.errstate(invalid="ignore", divide="ignore"):
            base = right[-1] / called[-1]
            return called[1:] / called[-1], precision[1:] / base, thresholds[1:]

    def cumulative_weights(self) -> Array:
        """(2, m + 1) the weight of negatives and positives that every threshold lets through."""
        power = LIMB * self.weights.low
        falling = np.cumsum(self._to_whole_weights()[:, ::-1], axis=1)
        found = np.concatenate([np.zeros((2, 1), dtype=falling.dtype), falling], axis=1)
        return found.astype(np.float64) if not power else ratio(found.astype(object), 1, power)

    def _to_whole_weights(self) -> Array:
        """The weights as whole numbers in one unit: 64 bits where the sums fit, else Python's."""
        if self.weights.limbs.shape[-1] == 1:
            plain: Array = self.weights.limbs[..., 0]
            no, yes = (int(side) for side in plain.sum(axis=1))
            if 2 * no * yes < SAFE:
                return plain
        return self.weights.to_integers()[0]

    def _align(self, other: Ranks) -> tuple[Array, Exact, Exact]:
        """All scores of both, sorted, and the weights of each over them."""
        if np.array_equal(self.scores, other.scores):
            return self.scores, self.weights, other.weights
        scores = np.union1d(self.scores, other.scores)
        shape = 2, len(scores)
        ours, theirs = (
            part.weights.embed(shape, SIDES, np.searchsorted(scores, part.scores))
            for part in (self, other)
        )
        return scores, ours, theirs

    def _prune(self) -> Ranks:
        seen = self.weights.nonzero().any(axis=0)
        if seen.all():
            return self
        return Ranks(self.scores[seen], self.weights.take(SIDES, np.flatnonzero(seen)))


def _twice_below(weights: Array) -> Array:
    """At every score twice the weight below it, and once the weight that is level with it."""
    return np.asarray(2 * np.cumsum(weights) - weights)
