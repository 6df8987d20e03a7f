"""Curves of a class: how well the rows are ranked, and what the probabilities are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.losses import calibration
from tallylearn.statistics.confidence_intervals import wilson
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Ranks

Line = tuple[Array, ...]


@dataclass(frozen=True)
class ClassCurves:
    """One class against the rest."""

    ranks: Ranks
    bins: Line | None  # mean probability, share, ends of its interval, rows; None: no probabilities
    level: float

    @classmethod
    def of(
        cls, ranks: Ranks, bundle: Bundle | None, value: Any, level: float, share: float
    ) -> ClassCurves:
        """``share`` is how many rows a unit of weight stands for."""
        bins = None if bundle is None else _bins(bundle, value, level, share)
        return cls(ranks, bins, level)

    @property
    def is_defined(self) -> bool:
        """Whether there are rows of the class, and others."""
        wrong, right = self.ranks.cumulative_weights()
        return bool(wrong[-1] > 0 and right[-1] > 0)

    @property
    def auc(self) -> float:
        return self.ranks.auc

    @property
    def average_precision(self) -> float:
        return self.ranks.average_precision

    @property
    def share(self) -> float:
        """Of the rows that are of the class."""
        wrong, right = self.ranks.cumulative_weights()
        return float(right[-1] / (wrong[-1] + right[-1]))

    @property
    def roc(self) -> Line:
        wrong, right, _ = self.ranks.roc()
        return wrong, right

    @property
    def precision_recall(self) -> Line:
        precision, recall, _ = self.ranks.precision_recall()
        return recall, precision

    @property
    def lift(self) -> Line:
        called, lift, _ = self.ranks.lift()
        return called, lift


def _bins(bundle: Bundle, value: Any, level: float, share: float) -> Line:
    """Bins that have rows, each with Wilson's interval of its share."""
    rows, said, true = calibration(bundle, value)
    seen = rows > 0
    rows, said, true = rows[seen], said[seen], true[seen]
    ends = [
        wilson(min(part, 1.0) * n * share, n * share, level)
        for part, n in zip(true.tolist(), rows.tolist(), strict=True)
    ]
    low, high = (np.array([getattr(end, side) for end in ends]) for side in ("low", "high"))
    return said, true, np.minimum(low, true), np.maximum(high, true), rows
