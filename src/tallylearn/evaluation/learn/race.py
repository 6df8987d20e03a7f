"""Run candidates on the same folds; stop those significantly worse than the best so far."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from tallylearn.errors import TallyError
from tallylearn.evaluation.learn.candidates import Candidate
from tallylearn.evaluation.learn.row_scores import RowScore
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_plan import FoldAssignment, splits_of
from tallylearn.evaluation.running.shared_tallies import sums_up
from tallylearn.evaluation.scores.predictions import Predictions, concatenate
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS, RowPredictions
from tallylearn.folds import Split
from tallylearn.tables import Array

MIN_FOLDS = 2  # before a candidate may be stopped
MIN_UNITS = 30  # rows, or groups
HOPELESS = 4.0  # standard errors behind the best so far: p < 0.0001


@dataclass(frozen=True)
class OutOfFold:
    """What a candidate predicted about every tested row, in the order of repeats, folds, rows."""

    candidate: Candidate
    rows: Array  # (t,) numbers in the dataset
    fold: Array  # (t,)
    repeat: Array  # (t,)
    predictions: Predictions
    losses: Array  # (t,)


@dataclass
class Race:
    """The candidates that ran on all folds, and why others did not."""

    dataset: Dataset  # with all columns
    narrow: Dataset  # without text columns
    assignments: list[FoldAssignment | list[Split]]
    score: RowScore
    ends: float | None = None  # the time at which no other candidate starts
    watch: Callable[[int], None] | None = None
    finished: list[OutOfFold] = field(default_factory=list)
    stopped: dict[str, tuple[int, float]] = field(default_factory=dict)  # folds run, their score
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.splits = splits_of(self.assignments)

    def dataset_of(self, candidate: Candidate) -> Dataset:
        """The rows with the columns that a candidate takes."""
        return self.dataset if candidate.takes_text else self.narrow

    def run(self, candidate: Candidate) -> None:
        """Test a candidate on the folds; what comes of it is in one of the lists."""
        if self._is_over():
            self.skipped.append(candidate.name)
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the final fit warns again
                self._run(candidate)
        except TallyError as error:
            self.failed[candidate.name] = str(error)

    def _run(self, candidate: Candidate) -> None:
        dataset, parts = self.dataset_of(candidate), list[RowPredictions]()
        if sums_up(candidate.learner, dataset.read):
            run = CrossValidation(candidate.learner, dataset)
            parts = [*run.predict_folds(self.assignments)]  # all folds in one pass
            if self.watch is not None:
                self.watch(len(self.splits))
        else:
            run = CrossValidation(candidate.learner, dataset, watch=self.watch)
            for part in run.predict_each_fold(self.splits):
                parts.append(part)
                if len(parts) == len(self.splits):
                    break
                if self.finished and self._is_over():
                    self.skipped.append(candidate.name)
                    return
                if self._is_hopeless(parts):
                    value = self._value(self._join(candidate, parts))
                    self.stopped[candidate.name] = len(parts), value
                    return
        found = self._join(candidate, parts)
        if not np.isfinite(found.losses).all():
            self.failed[candidate.name] = (
                f"the {self.score.name} of {candidate.name} is infinite: the true class of a row "
                "has the probability 0."
            )
            return
        self.finished.append(found)

    def _join(self, candidate: Candidate, parts: list[RowPredictions]) -> OutOfFold:
        rows = np.concatenate([part.rows for part in parts])
        fold = np.concatenate([part.fold for part in parts])
        repeat = np.concatenate([np.full(len(part.rows), part.repeat) for part in parts])
        order = np.lexsort((rows, fold, repeat))
        predictions = concatenate([part.predictions for part in parts])[order]
        return OutOfFold(
            candidate, rows=rows[order], fold=fold[order], repeat=repeat[order],
            predictions=predictions, losses=self.score.losses(predictions),
        )  # fmt: skip

    def units(self, found: OutOfFold, losses: Array) -> tuple[Array, Array]:
        """(u,) the sums of losses and of scales by row of the dataset, or by group."""
        weight = self._weight[found.rows]
        groups = self.dataset.groups
        at = found.rows if groups is None else groups.codes[found.rows]
        size = len(self.dataset) if groups is None else len(groups.values)
        scales = self._scales[found.rows]
        return (
            np.bincount(at, weight * losses, minlength=size),
            np.bincount(at, weight * scales, minlength=size),
        )

    @cached_property
    def _weight(self) -> Array:
        weight = self.dataset.weight
        return np.ones(len(self.dataset)) if weight is None else weight

    @cached_property
    def _scales(self) -> Array:
        return self.score.scales(self.dataset.truth, self._weight)

    def _value(self, found: OutOfFold) -> float:
        losses, scales = self.units(found, found.losses)
        return self.score.value(float(losses.sum() / scales.sum()))

    def _is_over(self) -> bool:
        return self.ends is not None and time.monotonic() > self.ends

    def _is_hopeless(self, parts: list[RowPredictions]) -> bool:
        """Whether the best so far is better on the same rows by four standard errors."""
        if len(parts) < MIN_FOLDS or not self.finished:
            return False
        best = min(self.finished, key=lambda one: sum(self.units(one, one.losses)[0]))
        mine = self._join(best.candidate, parts)
        tests = len(mine.rows)  # the first folds, in the same order
        theirs = replace(best, rows=best.rows[:tests], losses=best.losses[:tests])
        if not np.array_equal(mine.rows, theirs.rows):
            return False
        behind, scales = self.units(mine, mine.losses - theirs.losses)
        tested = scales > 0
        if tested.sum() < MIN_UNITS or not np.isfinite(behind).all():
            return False
        mean = behind.sum() / scales.sum()
        error = standard_error(behind[tested], scales[tested])
        return bool(mean > HOPELESS * error)


def standard_error(losses: Array, scales: Array) -> float:
    """The standard error of Σ losses / Σ scales over units, for models that other rows train.

    The ratio is linearised (delta method), and the variance is inflated for the training rows that
    the models share, as in ``UnitInfluence.learner_standard_error``.
    """
    n, total = len(losses), scales.sum()
    moved = (losses - losses.sum() / total * scales) / total
    variance = float((moved**2).sum()) * n / max(n - 1, 1)
    return float(np.sqrt(variance * (1 + TRAINING_ROWS / n)))
