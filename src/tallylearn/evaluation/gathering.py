"""Gathering: answers summed up as they come, by fold, by group and over all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.engines import Sum
from tallylearn.errors import InputError, OptionError
from tallylearn.evaluation.answers import Answers, grouped
from tallylearn.evaluation.crossing import Crossing, Told
from tallylearn.evaluation.estimates import Sample
from tallylearn.evaluation.exams import Exam
from tallylearn.evaluation.rounds import OTHERS, Round, splits_of, tested_share
from tallylearn.evaluation.scores import SCORES, wanted
from tallylearn.evaluation.vectors import MeanVector
from tallylearn.folds import Split
from tallylearn.intervals import check_level
from tallylearn.models.dummies import DummyClassifier, DummyRegressor
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle

TWO = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "log_loss", "brier")
SEVERAL = ("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro",
           "log_loss", "brier")  # fmt: skip
NUMBERS = ("mae", "rmse", "r2")
VECTORS = ("euclidean", "mae", "rmse", "r2")
BASELINES = {"classifier": "majority", "regressor": "mean"}  # what the baseline answers


@dataclass(frozen=True)
class Gathered:
    """The tallies of a learner's answers."""

    scores: tuple[str, ...]
    folds: tuple[tuple[int, int, Bundle], ...]
    whole: Bundle
    groups: dict[Any, Bundle]
    told: tuple[Told, ...]
    sample: Sample

    @property
    def by_fold(self) -> tuple[Bundle, ...]:
        """The tallies that a mean over the folds is taken of."""
        return tuple(bundle for _, _, bundle in self.folds) or (self.whole,)

    def on(self, other: Gathered) -> tuple[Bundle, ...]:
        """The same, of the folds that another has: one that failed there is not compared."""
        places = {(repeat, fold) for repeat, fold, _ in other.folds}
        kept = (bundle for *place, bundle in self.folds if tuple(place) in places)
        return tuple(kept) if places else self.by_fold


def gathered(
    crossing: Crossing, rounds: list[Round | list[Split]], scores: Any, positive: Any,
    groups: Codes | None,
) -> Gathered:  # fmt: skip
    """Sum the answers up as they come: by fold, by group, and over all."""
    exam = crossing.exam
    names: tuple[str, ...] = ()
    alone = any(isinstance(place, Round) and place.alone for place in rounds)
    folds: defaultdict[tuple[int, int], Sum] = defaultdict(Sum)
    by_group: defaultdict[Any, Sum] = defaultdict(Sum)
    kept, whole, tested = [], Sum(), np.zeros(len(exam), dtype=bool)
    for told in crossing.told(rounds):
        answers = told.answers
        names = names or chosen_scores(scores, exam, answers, positive)
        if alone:
            whole.add(answers.tally(names, positive))
        else:
            places = Codes(tuple(range(int(told.fold.max()) + 1)), told.fold.astype(np.int32))
            for fold, bundle in grouped(answers, places, names, positive).items():
                folds[told.repeat, fold].add(bundle)
        if groups is not None:
            for value, bundle in grouped(answers, groups[told.rows], names, positive).items():
                by_group[value].add(bundle)
        tested[told.rows] = True
        kept += [told] if exam.in_memory else []
    if not names:
        raise InputError(
            f"{type(crossing.learner).__name__} failed on every fold; the first: "
            f"{crossing.failures[0].reason}"
        )
    order = tuple((*place, folds[place].total()) for place in sorted(folds))
    for *_, bundle in order:
        whole.add(bundle)
    found = {value: by_group[value].total() for value in sorted(by_group, key=_missing_last)}
    sample = _sample(exam, tested, whole.total(), rounds, tuple(kept))
    return Gathered(names, order, whole.total(), found, tuple(kept), sample)


def chosen_scores(scores: Any, exam: Exam, answers: Answers, positive: Any) -> tuple[str, ...]:
    """The scores that are asked for, or the usual ones that fit."""
    k, proba = len(exam.classes), answers.proba is not None
    if scores is not None:
        return wanted(scores, exam.task, k, proba, positive)
    if exam.task == "regressor":
        return VECTORS if exam.truth.ndim > 1 else NUMBERS
    usual = TWO if k == 2 or positive is not None else SEVERAL
    return tuple(name for name in usual if proba or not SCORES[name].needs_proba)


def baseline(exam: Exam) -> Any:
    """The answer without looking at the row."""
    if exam.task == "classifier":
        return DummyClassifier()
    return MeanVector() if exam.read is None else DummyRegressor()


def check_scores(scores: Any, positive: Any, exam: Exam) -> None:
    """Said before the work, not after it."""
    if scores is not None and not wanted(scores, exam.task, len(exam.classes), True, positive):
        raise OptionError("scores is empty. Name one, or leave it out for the usual ones.")


def check_options(level: float, on_error: str, who: str = "evaluate") -> None:
    check_level(who, level)
    if not isinstance(on_error, str) or on_error not in ("raise", "keep"):
        raise OptionError(f"on_error is 'raise' or 'keep', not {on_error!r}.")


def _sample(
    exam: Exam, tested: Array, whole: Bundle, rounds: Iterable[Round | list[Split]],
    kept: tuple[Told, ...],
) -> Sample:  # fmt: skip
    weight = np.ones(int(tested.sum())) if exam.weight is None else exam.weight[tested]
    worth = float(weight.sum() ** 2 / (weight**2).sum())  # Kish: rows of equal weight as precise
    share = float(np.mean([_test_share(place) for place in rounds]))
    answers = kept[0].answers if len(kept) == 1 and exam.in_memory else None
    return Sample(worth, weight_of(whole), share, answers)


def _missing_last(value: Any) -> tuple[bool, Any]:
    return value is None, 0 if value is None else value


def _test_share(place: Round | list[Split]) -> float:
    if isinstance(place, Round) and place.trained_on == OTHERS:
        return 1 / place.number
    return tested_share(splits_of([place]))


def weight_of(bundle: Bundle) -> float:
    """How much was tested."""
    if "confusion" in bundle:
        return float(bundle["confusion"].floats().sum())
    return float(bundle["losses"].count.floats()[0].max())
