"""Courses: a learner is sent over the folds, and asked about the rows it learned from as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.evaluation.curves.curve_points import TEST, TRAIN, Point, RowByRow, alike
from tallylearn.evaluation.evaluate.same_folds import Sitting
from tallylearn.evaluation.running.baseline import BASELINES, baseline
from tallylearn.evaluation.running.cross_validation import Crossing, Watch
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_scores import gathered
from tallylearn.evaluation.scores.estimate import estimated
from tallylearn.evaluation.scores.score import measure
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds.hashing import hashed
from tallylearn.tables import Array, Codes


def point(
    sitting: Sitting, learner: Any, at: Any, trains: list[Array], watch: Watch | None = None
) -> Point:
    """Fit on some rows of every training part; ask about those, and about the test part."""
    both = [
        replace(split, train=train, test=np.concatenate([train, split.test]))
        for split, train in zip(sitting.splits, trains, strict=True)
    ]
    told = Crossing(learner, sitting.exam, watch=watch).fold_by_fold(both)
    sides = {TRAIN: _Heard(sitting), TEST: _Heard(sitting)}
    for train, one in zip(trains, told, strict=True):
        for side, rows in zip(sides.values(), (slice(len(train)), slice(len(train), None)),
                              strict=True):  # fmt: skip
            side.add(Told(one.repeat, one.rows[rows], one.fold[rows], one.answers[rows]))
    by_rows = {name: found for name, one in sides.items() if (found := one.row_by_row) is not None}
    reasons = {name: one.reason for name, one in sides.items()}
    learned, tested = (tuple(one.values) for one in sides.values())
    return Point(at, learned, tested, by_rows, reasons)


def beside(sitting: Sitting) -> Point:
    """The baseline, learned from the whole training parts."""
    exam, trains = sitting.exam, [split.train for split in sitting.splits]
    return point(sitting, baseline(exam), BASELINES[exam.task], trains)


@dataclass
class _Heard:
    """The scores of the folds as they come.

    Answers are kept as long as all folds agree: from then on the folds tell how sure a score is.
    """

    sitting: Sitting
    values: list[float] = field(default_factory=list)
    reason: str = ""  # why a fold has no value
    kept: list[Told] = field(default_factory=list)
    failures: tuple[Failure, ...] = ()
    learner: Any = None

    @property
    def exam(self) -> Exam:
        return self.sitting.exam

    def told(self, rounds: Any) -> Iterator[Told]:
        """As a crossing has answers for its rounds."""
        return iter(self.kept)

    def add(self, told: Told) -> None:
        """One fold more."""
        score, positive = self.sitting.score, self.sitting.positive
        found = measure(told.answers.tally([score], positive), score, positive)
        self.values.append(found.value)
        self.reason = self.reason or found.reason
        self.kept.append(told)
        if not np.isfinite(self.values).all() or not alike(np.array(self.values)):
            self.kept.clear()

    @property
    def row_by_row(self) -> RowByRow | None:
        if len(self.kept) < len(self.values):
            return None
        sitting, score, positive = self.sitting, self.sitting.score, self.sitting.positive
        crossing: Any = self  # anything that has answers for the rounds
        found = gathered(crossing, sitting.rounds, [score], positive, None)
        folds = tuple(bundle for _, _, bundle in found.folds)
        given = found.whole, folds, (), found.sample, positive, sitting.level
        moved = found.sample.moved(score, positive, len(folds) > 1)
        return RowByRow(estimated(score, *given).interval, moved, sum(map(_size, self.kept)))


def _size(told: Told) -> int:
    return len(told.rows)


def growing(rows: Array, strata: Codes | None, seed: int) -> Array:
    """The rows in the order of their hash; any first part has the classes in their shares.

    Of n rows of a class the i-th by its hash stands at (i - 1/2) / n, and the rows go by that.
    """
    rows = rows[np.argsort(hashed(seed, rows), kind="stable")]
    if strata is None:
        return rows
    place = np.empty(len(rows))
    codes = strata.codes[rows]
    for code in np.unique(codes):
        at = np.flatnonzero(codes == code)
        place[at] = (np.arange(len(at)) + 0.5) / len(at)
    return rows[np.argsort(place, kind="stable")]
