"""Training and test scores of a learner on every fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.evaluation.curves.curve_points import TEST, TRAIN, CurvePoint, RowByRow, are_alike
from tallylearn.evaluation.evaluate.shared_folds import SharedFolds
from tallylearn.evaluation.running.baseline import BASELINES, baseline
from tallylearn.evaluation.running.cross_validation import CrossValidation, Watch
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_scores import score_folds
from tallylearn.evaluation.scores.estimate import estimate_score
from tallylearn.evaluation.scores.score import SCORES, measure
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds.hashing import splitmix64
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle


def point(
    shared_folds: SharedFolds,
    learner: Any,
    at: Any,
    trains: list[Array],
    watch: Watch | None = None,
) -> CurvePoint:
    """Fit on some rows of every training part; ask about those, and about the test part."""
    both = [
        replace(split, train=train, test=np.concatenate([train, split.test]))
        for split, train in zip(shared_folds.splits, trains, strict=True)
    ]
    tested_rows = CrossValidation(learner, shared_folds.dataset, watch=watch).predict_each_fold(
        both
    )
    sides = {TRAIN: _FoldScores(shared_folds), TEST: _FoldScores(shared_folds)}
    for train, one in zip(trains, tested_rows, strict=True):
        for side, rows in zip(sides.values(), (slice(len(train)), slice(len(train), None)),
                              strict=True):  # fmt: skip
            side.add(
                RowPredictions(one.repeat, one.rows[rows], one.fold[rows], one.predictions[rows])
            )
    by_rows = {name: found for name, one in sides.items() if (found := one.row_by_row) is not None}
    reasons = {name: one.reason for name, one in sides.items()}
    learned, tested = (tuple(one.values) for one in sides.values())
    pooled = {name: value for name, one in sides.items() if (value := one.pooled_score) is not None}
    return CurvePoint(at, learned, tested, rows=by_rows, reasons=reasons, pooled=pooled)


def baseline_point(shared_folds: SharedFolds) -> CurvePoint:
    """The baseline, learned from the whole training parts."""
    dataset, trains = shared_folds.dataset, [split.train for split in shared_folds.splits]
    return point(shared_folds, baseline(dataset), BASELINES[dataset.task], trains)


@dataclass
class _FoldScores:
    """The scores of the folds as they come.

    Predictions are kept as long as all folds agree: from then on the folds show the error.
    """

    shared_folds: SharedFolds
    values: list[float] = field(default_factory=list)
    reason: str = ""  # why a fold has no value
    whole: Bundle = field(default_factory=Bundle)  # the tally of all folds
    kept: list[RowPredictions] = field(default_factory=list)
    failures: tuple[Failure, ...] = ()
    learner: Any = None

    @property
    def dataset(self) -> Dataset:
        return self.shared_folds.dataset

    def predict_folds(self, assignments: Any) -> Iterator[RowPredictions]:
        """As a cross_validation has predictions for its assignments."""
        return iter(self.kept)

    def add(self, tested_rows: RowPredictions) -> None:
        """One fold more."""
        score, positive = self.shared_folds.score, self.shared_folds.positive
        tally = tested_rows.predictions.tally([score], positive)
        found = measure(tally, score, positive)
        self.whole = self.whole + tally if SCORES[score].is_pooled else self.whole
        self.values.append(found.value)
        self.reason = self.reason or found.reason
        self.kept.append(tested_rows)
        if not np.isfinite(self.values).all() or not are_alike(np.array(self.values)):
            self.kept.clear()

    @property
    def pooled_score(self) -> float | None:
        """The score of all folds' predictions together, where it is a ratio."""
        score, positive = self.shared_folds.score, self.shared_folds.positive
        if not SCORES[score].is_pooled or len(self.values) < 2:
            return None
        return measure(self.whole, score, positive).value

    @property
    def row_by_row(self) -> RowByRow | None:
        if len(self.kept) < len(self.values):
            return None
        shared_folds, score, positive = (
            self.shared_folds,
            self.shared_folds.score,
            self.shared_folds.positive,
        )
        cross_validation: Any = self  # anything that has predictions for the assignments
        found = score_folds(cross_validation, shared_folds.assignments, [score], positive, None)
        folds = tuple(bundle for _, _, bundle in found.folds)
        given = found.whole, folds, (), found.sample, positive, shared_folds.level
        moved = found.sample.unit_influence(score, positive, len(folds) > 1)
        return RowByRow(estimate_score(score, *given).interval, moved, sum(map(_size, self.kept)))


def _size(tested_rows: RowPredictions) -> int:
    return len(tested_rows.rows)


def nested_order(rows: Array, strata: Codes | None, seed: int) -> Array:
    """The rows in the order of their hash; any first part has the classes in their shares.

    Of n rows of a class the i-th by its hash stands at (i - 1/2) / n, and the rows go by that.
    """
    rows = rows[np.argsort(splitmix64(seed, rows), kind="stable")]
    if strata is None:
        return rows
    place = np.empty(len(rows))
    codes = strata.codes[rows]
    for code in np.unique(codes):
        at = np.flatnonzero(codes == code)
        place[at] = (np.arange(len(at)) + 0.5) / len(at)
    return rows[np.argsort(place, kind="stable")]
