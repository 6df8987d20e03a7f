"""Crossing: what a learner says about every row that it was not trained on.

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
from tallylearn.estimators.fold_tallies import Piece, Pieces
from tallylearn.estimators.model import log_shares
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fit_weights import weight_name
from tallylearn.evaluation.running.fitted_learners import (
    Done,
    Sheet,
    Task,
    asked,
    logs_of,
    of_truth,
    stacked,
)
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_plan import FIRST, Round
from tallylearn.evaluation.running.outside_columns import check_sparse, picked, target_of
from tallylearn.evaluation.running.parallel_folds import tried
from tallylearn.evaluation.running.rows_by_others import answered, asked_at_once
from tallylearn.evaluation.running.shared_tallies import Ledger, sums_up, trained
from tallylearn.evaluation.scores.predictions import Answers
from tallylearn.evaluation.scores.tested import Told
from tallylearn.folds import Split
from tallylearn.sources import Table
from tallylearn.tables import Array, Codes

Watch = Callable[[int], None]


@dataclass
class Crossing:
    """One learner on one table: its answers as they come, and the folds on which it failed."""

    learner: Any
    exam: Exam
    keep: bool | None = None  # whether a fold that fails is noted, where that can be asked for
    watch: Watch | None = None  # told of every fold that is done
    ledger: Ledger = field(default_factory=Ledger)  # shared with learners that count alike
    proba: bool = True  # whether probabilities are wanted

    def __post_init__(self) -> None:
        self.failures: list[Failure] = []
        check_sparse(self.learner, self.exam.X)

    def told(self, rounds: Iterable[Round | list[Split]]) -> Iterator[Told]:
        """The answers, round after round."""
        for place in rounds:
            one_pass = sums_up(self.learner) and self.exam.read is not None
            found = self._at_once(place) if one_pass and isinstance(place, Round) else None
            if found is None and isinstance(place, Round):
                found = self._by_others(place)
            if found is None:
                splits = place.splits() if isinstance(place, Round) else iter(place)
                found = self._fitted_anew(splits)
            yield from found

    def _at_once(self, place: Round) -> Iterable[Told] | None:
        """The answers in one pass; None where memory may hold the tallies of one fold at a time."""
        try:
            return list(self._in_one_pass(place))
        except SizeError:
            if self.exam.in_memory:
                return None
            raise

    def _in_one_pass(self, place: Round) -> Iterator[Told]:
        self._check_learner()
        if place.alone and (found := self._left_out(place)) is not None:
            yield found
        elif self.exam.in_memory:
            yield from self._in_memory(place)
        else:
            yield from self._from_files(place)

    def _check_learner(self) -> None:
        """What no fold can change is said before the first."""
        assert self.exam.read is not None
        self.learner.check_input(self.exam.read, len(self.exam))

    def trained(self, place: Round) -> list[Any]:
        """The training tally of every fold: counted once, solved as often as is asked."""
        found: list[Any] = self.ledger.of(
            self.learner, place, lambda: list(trained(self.learner, self.exam, place))
        )
        return found

    def _models(self, place: Round) -> Iterator[tuple[int, Any]]:
        """A fitted learner for every fold."""
        for fold, tally in enumerate(self.trained(place)):
            found = self._tried(place.repeat, fold, self._solved, tally)
            if found is not None:
                yield fold, found
            self._told_of(1)

    def _solved(self, tally: Any) -> Any:
        assert self.exam.read is not None
        return clone_estimator(self.learner).learn_tally(self.exam.read, tally)

    def _in_memory(self, place: Round) -> Iterator[Told]:
        assert self.exam.read is not None
        tests, sheet = place.tests(), Sheet()
        block = replace(self.exam.read.whole(), target=None, weight=None, group=None)

        def tasks() -> Iterator[Task]:
            for fold, model in self._models(place):
                yield Task(fold, tests[fold], tests[fold], block, model, self.proba, sheet)

        asked = engines.SinglePart(tasks())
        done = list(engines.current_engine().map(lambda task: task.answered(self.exam), asked))
        if done:
            yield self._joined(place.repeat, done)

    def _from_files(self, place: Round) -> Iterator[Told]:
        models = dict(self._models(place))
        at = np.full(self.exam.size, -1, dtype=np.int64)
        at[self.exam.rows] = np.arange(len(self.exam))

        def answered(piece: Piece) -> list[Done]:
            found, rows = [], piece.part
            for fold, model in models.items():
                here = np.flatnonzero(place.part[rows] == place.tested[fold])
                task = Task(fold, rows[here], here, piece.block, model, self.proba)
                found += [task.answered(self.exam)] if len(here) else []
            return found

        assert self.exam.read is not None
        for found in engines.current_engine().map(answered, Pieces(self.exam.read, at)):
            yield from (self._joined(place.repeat, [done]) for done in found)

    def _left_out(self, place: Round) -> Told | None:
        """All rows at once, where the learner can leave each out of the whole."""
        read = self.exam.read
        assert read is not None
        some = not self.exam.in_memory or place.part.min(initial=0) < 0
        if some or type(self.learner).left_out is Estimator.left_out:
            return None
        block = read.whole()
        whole = self.ledger.of(
            self.learner, read, lambda: engines.current_engine().total(self.learner.seen, read)
        )
        scores = self.learner.left_out(whole, block)
        if scores is None:
            return None
        said, proba, tiny = scores, None, None
        if self.exam.task == "classifier":
            said, logs = self._solved(whole).model_.chosen(scores), log_shares(scores)
            proba, every = np.exp(logs), np.arange(len(self.exam.classes))
            tiny = of_truth(proba, self.exam.truth.codes, every, logs.__getitem__)
        done = Done(place.part, np.arange(len(block)), said, proba, log_true=tiny)
        self._told_of(place.number)
        return self._joined(place.repeat, [done])

    def _by_others(self, place: Round) -> list[Told] | None:
        """All rows at once, where the learner keeps them and can pass each over."""
        if not asked_at_once(self.learner, self.exam, place):
            return None
        try:
            done = answered(self.fitted(), self.exam, place)
        except TallyError:  # said of the first fold that fails
            return None
        if done is None:
            return None
        self._told_of(place.number)
        return [self._joined(place.repeat, [done])]

    def _fitted_anew(self, splits: Iterable[Split]) -> Iterator[Told]:
        by_repeat: dict[int, list[Done]] = {}
        for repeat, done in self._done(splits):
            by_repeat.setdefault(repeat, []).append(done)
        for repeat, every in by_repeat.items():
            yield self._joined(repeat, every)

    def fold_by_fold(self, splits: Iterable[Split]) -> Iterator[Told]:
        """The answers of every fold alone, fitted anew and not kept."""
        for repeat, done in self._done(splits):
            yield self._joined(repeat, [done])

    def _done(self, splits: Iterable[Split]) -> Iterator[tuple[int, Done]]:
        if not self._is_ours:
            self._check_foreigner()
        alone = replace(self, watch=None, ledger=Ledger())  # as a worker can be sent it
        for split, call in tried(alone._sat, splits, self._is_ours):
            found = self._tried(split.repeat, split.fold, call, split)
            if found is not None:
                yield split.repeat, found
            self._told_of(1)

    def fitted(self, rows: Array | None = None) -> Any:
        """The learner fitted on some rows of the exam, or on all."""
        read = self.exam.read
        if sums_up(self.learner) and read is not None:
            self._check_learner()
            if rows is not None:
                part = np.full(len(self.exam), -1, dtype=np.int32)
                part[rows] = 0
                return self._solved(self.trained(Round(0, part, 2, FIRST))[0])
            return clone_estimator(self.learner).learn(read)
        train = np.arange(len(self.exam)) if rows is None else rows
        if self._is_ours:
            return self._ours(train)
        self._check_foreigner()
        return self._theirs(train)

    @property
    def _is_ours(self) -> bool:
        return isinstance(self.learner, Estimator) and self.exam.read is not None

    def _sat(self, split: Split) -> Done:
        """Fit on one part of the rows, and answer the other."""
        if self._is_ours:
            assert self.exam.read is not None
            block = self.exam.read.whole()
            model = self._ours(split.train)
            task = Task(split.fold, split.test, split.test, block, model, self.proba)
            return task.answered(self.exam)
        test = picked(self.exam.outside[0], self.exam.rows[split.test])
        done = asked(self._theirs(split.train), test, split, self.exam, self.proba)
        self._joined(split.repeat, [done])  # what is wrong with an answer is said of this fold
        return done

    def _check_foreigner(self) -> None:
        """What no fold can change is said before the first."""
        _ = self.exam.outside  # raises where others cannot read it
        if self.exam.weight is not None:
            weight_name(self.learner)

    def _theirs(self, train: Array) -> Any:
        X, y = self.exam.outside
        model, weight = clone_estimator(self.learner), self.exam.weight
        more = {} if weight is None else {weight_name(model): weight[train]}
        model.fit(picked(X, self.exam.rows[train]), y[train], **more)
        return model

    def _ours(self, train: Array) -> Any:
        read = self.exam.read
        assert read is not None
        block = read.whole()
        model, declared = clone_estimator(self.learner), read.source.declared
        part = Table(block, target_of(self.exam.truth), block.weight, declared).take_rows(train)
        if declared.target is None:
            part.target, y = None, target_of(self.exam.truth)[train]
            model.fit(part, y)
        else:
            model.fit(part)
        return model

    def _joined(self, repeat: int, done: list[Done]) -> Told:
        rows = np.concatenate([part.rows for part in done])
        fold = np.concatenate([part.fold for part in done])
        said = np.concatenate([part.said for part in done])
        exam = self.exam
        proba, decision = (stacked(done, name) for name in ("proba", "decision"))
        weight = None if exam.weight is None else exam.weight[rows]
        start = rows if len(exam) == exam.size else exam.rows[rows]
        if exam.task == "regressor":
            told = Answers(exam.truth[rows], said, weight=weight, start=start)
            return Told(repeat, rows, fold, told)
        truth = Codes(exam.classes, exam.truth.codes[rows], exam.classes)
        codes = Codes(exam.classes, said.astype(np.int32, copy=False))
        given = proba, weight, start, decision, logs_of(done)
        return Told(repeat, rows, fold, Answers(truth, codes, exam.classes, *given))

    def _tried(self, repeat: int, fold: int, call: Callable[[Any], Any], given: Any) -> Any:
        try:
            return call(given)
        except Exception as error:
            failure = Failure.of(error, repeat, fold)
            if self.keep:
                self.failures.append(failure)
                return None
            remedy = "" if self.keep is None else " on_error='keep' keeps the other folds."
            named = failure.named(error, self.learner, remedy)
            if named is error:
                raise
            raise named from error

    def _told_of(self, folds: int) -> None:
        if self.watch is not None:
            self.watch(folds)
