"""Cross-validation: predictions of every row by a model that was not trained on it.

Learners whose tables sum up are trained for all folds in one pass; any other estimator is fitted
for every fold anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import SizeError, TallyError
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.estimators.fold_tallies import FoldedInput
from tallylearn.estimators.model import log_shares
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fit_weights import weight_name
from tallylearn.evaluation.running.fitted_learners import (
    FoldPredictions,
    PiecePredictor,
    PredictionTask,
    RowBuffer,
    join_columns,
    join_log_probabilities,
    log_true_probability,
    predict_task,
    predict_with_sklearn,
)
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import FIRST, FoldAssignment
from tallylearn.evaluation.running.outside_columns import check_sparse, take_rows, target_of
from tallylearn.evaluation.running.parallel_folds import run_folds
from tallylearn.evaluation.running.shared_tallies import (
    TallyCache,
    sums_up,
    training_tallies_of_round,
)
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.tested_rows import RowPredictions
from tallylearn.folds import Split
from tallylearn.sources import Table
from tallylearn.tables import Array, Codes

Watch = Callable[[int], None]


@dataclass
class CrossValidation:
    """One learner on one table: its predictions as they come, and the folds on which it failed."""

    learner: Any
    dataset: Dataset
    keep: bool | None = None  # whether a fold that fails is noted, where that can be asked for
    watch: Watch | None = None  # told of every fold that is fold_predictions
    tally_cache: TallyCache = field(
        default_factory=TallyCache
    )  # shared with learners that count alike
    proba: bool = True  # whether probabilities are wanted

    def __post_init__(self) -> None:
        self.failures: list[Failure] = []
        check_sparse(self.learner, self.dataset.X)

    def predict_folds(
        self, assignments: Iterable[FoldAssignment | list[Split]]
    ) -> Iterator[RowPredictions]:
        """The predictions, round after round."""
        for assignment in assignments:
            one_pass = sums_up(self.learner, self.dataset.read)
            found = (
                self._try_one_pass(assignment)
                if one_pass and isinstance(assignment, FoldAssignment)
                else None
            )
            if found is None and isinstance(assignment, FoldAssignment):
                found = self._predict_without_own_row(assignment)
            if found is None:
                splits = (
                    assignment.splits()
                    if isinstance(assignment, FoldAssignment)
                    else iter(assignment)
                )
                found = self._refit_folds(splits)
            yield from found

    def _try_one_pass(self, assignment: FoldAssignment) -> Iterable[RowPredictions] | None:
        """Predictions in one pass; None where memory may hold the tallies of one fold at a time."""
        try:
            return list(self._predict_in_one_pass(assignment))
        except SizeError:
            if self.dataset.in_memory:
                return None
            raise

    def _predict_in_one_pass(self, assignment: FoldAssignment) -> Iterator[RowPredictions]:
        self._check_learner()
        if assignment.is_leave_one_out and (found := self._leave_one_out(assignment)) is not None:
            yield found
        elif self.dataset.in_memory:
            yield from self._predict_in_memory(assignment)
        else:
            yield from self._predict_from_files(assignment)

    def _check_learner(self) -> None:
        """What no fold can change is said before the first."""
        assert self.dataset.read is not None
        self.learner.check_input(self.dataset.read, len(self.dataset))

    def training_tallies(self, assignment: FoldAssignment) -> list[Any]:
        """The training tally of every fold: counted once, solved as often as is asked."""
        found: list[Any] = self.tally_cache.of(
            self.learner,
            assignment,
            lambda: list(training_tallies_of_round(self.learner, self.dataset, assignment)),
        )
        return found

    def _solve_folds(self, assignment: FoldAssignment) -> Iterator[tuple[int, Any]]:
        """A fitted learner for every fold."""
        for fold, tally in enumerate(self.training_tallies(assignment)):
            found = self._attempt(assignment.repeat, fold, self._solve, tally)
            if found is not None:
                yield fold, found
            self._report_progress(1)

    def _solve(self, tally: Any) -> Any:
        assert self.dataset.read is not None
        return clone_estimator(self.learner).learn_tally(self.dataset.read, tally)

    def _predict_in_memory(self, assignment: FoldAssignment) -> Iterator[RowPredictions]:
        assert self.dataset.read is not None
        tests, buffer = assignment.tests(), RowBuffer()
        block = replace(self.dataset.read.whole(), target=None, weight=None, group=None)

        def tasks() -> Iterator[PredictionTask]:
            for fold, model in self._solve_folds(assignment):
                rows = tests[fold]
                yield PredictionTask(
                    fold=fold, rows=rows, here=rows, block=block, model=model, proba=self.proba,
                    classes=self.dataset.classes, truth=self._codes(rows), buffer=buffer,
                )  # fmt: skip

        found = list(engines.current_engine().map(predict_task, engines.SinglePart(tasks())))
        if found:
            yield self._join(assignment.repeat, found)

    def _predict_from_files(self, assignment: FoldAssignment) -> Iterator[RowPredictions]:
        at = np.full(self.dataset.size, -1, dtype=np.int64)
        at[self.dataset.rows] = np.arange(len(self.dataset))
        predictor = PiecePredictor(
            models=dict(self._solve_folds(assignment)),
            part=assignment.part,
            tested=assignment.test_parts,
            classes=self.dataset.classes,
            truth=self._codes(slice(None)),
            proba=self.proba,
        )
        assert self.dataset.read is not None
        for found in engines.current_engine().map(predictor, FoldedInput(self.dataset.read, at)):
            yield from (self._join(assignment.repeat, [one]) for one in found)

    def _codes(self, rows: Array | slice) -> Array | None:
        """The true classes of some rows as places; None where the target is numbers."""
        truth = self.dataset.truth
        return truth.codes[rows] if isinstance(truth, Codes) else None

    def _leave_one_out(self, assignment: FoldAssignment) -> RowPredictions | None:
        """All rows at once, where the learner can leave each out of the whole."""
        read = self.dataset.read
        assert read is not None
        some = not self.dataset.in_memory or assignment.part.min(initial=0) < 0
        if some or type(self.learner).leave_one_out is Estimator.leave_one_out:
            return None
        block = read.whole()
        whole = self.tally_cache.of(
            self.learner,
            read,
            lambda: engines.current_engine().total(self.learner.tally_block, read),
        )
        scores = self.learner.leave_one_out(whole, block)
        if scores is None:
            return None
        said, proba, tiny = scores, None, None
        if self.dataset.task == "classifier":
            said, logs = self._solve(whole).model_.choose(scores), log_shares(scores)
            proba, every = np.exp(logs), np.arange(len(self.dataset.classes))
            tiny = log_true_probability(proba, self.dataset.truth.codes, every, logs.__getitem__)
        fold_predictions = FoldPredictions(
            assignment.part, np.arange(len(block)), said, proba, log_true=tiny
        )
        self._report_progress(assignment.number)
        return self._join(assignment.repeat, [fold_predictions])

    def _predict_without_own_row(self, assignment: FoldAssignment) -> list[RowPredictions] | None:
        """All rows at once, where the learner keeps them and can pass each over."""
        if not _predicts_without_own_row(self.learner, self.dataset, assignment):
            return None
        try:
            fold_predictions = _predict_without_own_row(self.fit_rows(), self.dataset, assignment)
        except TallyError:  # said of the first fold that fails
            return None
        if fold_predictions is None:
            return None
        self._report_progress(assignment.number)
        return [self._join(assignment.repeat, [fold_predictions])]

    def _refit_folds(self, splits: Iterable[Split]) -> Iterator[RowPredictions]:
        by_repeat: dict[int, list[FoldPredictions]] = {}
        for repeat, fold_predictions in self._predict_splits(splits):
            by_repeat.setdefault(repeat, []).append(fold_predictions)
        for repeat, every in by_repeat.items():
            yield self._join(repeat, every)

    def predict_each_fold(self, splits: Iterable[Split]) -> Iterator[RowPredictions]:
        """The predictions of every fold alone, fitted anew and not kept."""
        for repeat, fold_predictions in self._predict_splits(splits):
            yield self._join(repeat, [fold_predictions])

    def _predict_splits(self, splits: Iterable[Split]) -> Iterator[tuple[int, FoldPredictions]]:
        if not self._has_our_learner:
            self._check_sklearn_learner()
        alone = replace(self, watch=None, tally_cache=TallyCache())  # as a worker can be sent it
        for split, call in run_folds(alone._fit_and_predict, splits, self._has_our_learner):
            found = self._attempt(split.repeat, split.fold, call, split)
            if found is not None:
                yield split.repeat, found
            self._report_progress(1)

    def fit_rows(self, rows: Array | None = None) -> Any:
        """The learner fitted on some rows of the dataset, or on all."""
        read = self.dataset.read
        if read is not None and sums_up(self.learner, read):
            self._check_learner()
            if rows is not None:
                part = np.full(len(self.dataset), -1, dtype=np.int32)
                part[rows] = 0
                return self._solve(self.training_tallies(FoldAssignment(0, part, 2, FIRST))[0])
            return clone_estimator(self.learner).learn(read)
        train = np.arange(len(self.dataset)) if rows is None else rows
        if self._has_our_learner:
            return self._fit_ours(train)
        self._check_sklearn_learner()
        return self._fit_sklearn(train)

    @property
    def _has_our_learner(self) -> bool:
        return isinstance(self.learner, Estimator) and self.dataset.read is not None

    def _fit_and_predict(self, split: Split) -> FoldPredictions:
        """Fit on one part of the rows, and answer the other."""
        if self._has_our_learner:
            assert self.dataset.read is not None
            block = self.dataset.read.whole()
            model = self._fit_ours(split.train)
            rows = split.test
            return PredictionTask(
                fold=split.fold, rows=rows, here=rows, block=block, model=model, proba=self.proba,
                classes=self.dataset.classes, truth=self._codes(rows),
            ).predict()  # fmt: skip
        test = take_rows(self.dataset.outside[0], self.dataset.rows[split.test])
        fold_predictions = predict_with_sklearn(
            self._fit_sklearn(split.train), test, split, self.dataset, self.proba
        )
        self._join(
            split.repeat, [fold_predictions]
        )  # what is wrong with an answer is said of this fold
        return fold_predictions

    def _check_sklearn_learner(self) -> None:
        """What no fold can change is said before the first."""
        _ = self.dataset.outside  # raises where others cannot read it
        if self.dataset.weight is not None:
            weight_name(self.learner)

    def _fit_sklearn(self, train: Array) -> Any:
        X, y = self.dataset.outside
        model, weight = clone_estimator(self.learner), self.dataset.weight
        more = {} if weight is None else {weight_name(model): weight[train]}
        model.fit(take_rows(X, self.dataset.rows[train]), y[train], **more)
        return model

    def _fit_ours(self, train: Array) -> Any:
        read = self.dataset.read
        assert read is not None
        block = read.whole()
        model, declared = clone_estimator(self.learner), read.source.declared
        part = Table(block, target_of(self.dataset.truth), block.weight, declared).take_rows(train)
        if declared.target is None:
            part.target, y = None, target_of(self.dataset.truth)[train]
            model.fit(part, y)
        else:
            model.fit(part, None if read.formula is None else read.formula.text)
        return model

    def _join(self, repeat: int, fold_predictions: list[FoldPredictions]) -> RowPredictions:
        rows = np.concatenate([part.rows for part in fold_predictions])
        fold = np.concatenate([part.fold for part in fold_predictions])
        said = np.concatenate([part.said for part in fold_predictions])
        dataset = self.dataset
        proba, decision = (join_columns(fold_predictions, name) for name in ("proba", "decision"))
        weight = None if dataset.weight is None else dataset.weight[rows]
        start = rows if len(dataset) == dataset.size else dataset.rows[rows]
        if dataset.task == "regressor":
            predictions = Predictions(dataset.truth[rows], said, weight=weight, start=start)
            return RowPredictions(repeat, rows, fold, predictions)
        truth = Codes(dataset.classes, dataset.truth.codes[rows], dataset.classes)
        codes = Codes(dataset.classes, said.astype(np.int32, copy=False))
        given = proba, weight, start, decision, join_log_probabilities(fold_predictions)
        return RowPredictions(
            repeat, rows, fold, Predictions(truth, codes, dataset.classes, *given)
        )

    def _attempt(self, repeat: int, fold: int, call: Callable[[Any], Any], given: Any) -> Any:
        try:
            return call(given)
        except Exception as error:
            failure = Failure.of(error, repeat, fold)
            if self.keep:
                self.failures.append(failure)
                return None
            remedy = "" if self.keep is None else " on_error='keep' keeps the other folds."
            named = failure.rewrite(error, self.learner, remedy)
            if named is error:
                raise
            raise named from error

    def _report_progress(self, folds: int) -> None:
        if self.watch is not None:
            self.watch(folds)


def _predicts_without_own_row(
    learner: object, dataset: Dataset, assignment: FoldAssignment
) -> bool:
    """Whether every row, counted once and at hand, is to be answered by all others."""
    everyone = assignment.is_leave_one_out and assignment.part.min(initial=0) >= 0
    return (
        hasattr(type(learner), "by_others")
        and everyone
        and dataset.read is not None
        and dataset.in_memory
        and dataset.weight is None
    )


def _predict_without_own_row(
    learner: Any, dataset: Dataset, assignment: FoldAssignment
) -> FoldPredictions | None:
    """The predictions to all rows of one that has learned them; None: leave them out one by one."""
    if (found := learner.by_others()) is None or len(found[0]) != len(dataset):
        return None
    said, shares = found
    if shares is None:
        return FoldPredictions(assignment.part, np.arange(len(dataset)), said, None)
    known = np.array([dataset.classes.index(key) for key in learner.model_.classes])
    proba = np.zeros((len(dataset), len(dataset.classes)))
    proba[:, known] = shares
    return FoldPredictions(assignment.part, np.arange(len(dataset)), known[said], proba)
