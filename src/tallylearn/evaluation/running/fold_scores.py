"""Gathering: answers summed up as they come, by fold, by group and over all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.engines.ordered_sum import PairwiseSum
from tallylearn.errors import InputError, OptionError
from tallylearn.evaluation.running.cross_validation import Crossing
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.fold_plan import OTHERS, Round, splits_of, tested_share
from tallylearn.evaluation.running.usual_scores import chosen_scores
from tallylearn.evaluation.scores.predictions import grouped
from tallylearn.evaluation.scores.tested import Sample, Told
from tallylearn.folds import Split
from tallylearn.statistics.confidence_intervals import check_level
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle
from tallylearn.tallies.weight_kinds import worth


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
    folds: defaultdict[tuple[int, int], PairwiseSum] = defaultdict(PairwiseSum)
    by_group: defaultdict[Any, PairwiseSum] = defaultdict(PairwiseSum)
    kept, whole, tested = [], PairwiseSum(), np.zeros(len(exam), dtype=bool)
    for told in crossing.told(rounds):
        answers = told.answers
        names = names or chosen_scores(scores, exam, answers, positive)
        if alone:
            whole.add(answers.tally(names, positive))
        else:
            places = Codes(
                tuple(range(int(told.fold.max()) + 1)), told.fold.astype(np.int32, copy=False)
            )
            for fold, bundle in grouped(answers, places, names, positive).items():
                folds[told.repeat, fold].add(bundle)
        if groups is not None:
            for value, bundle in grouped(answers, groups[told.rows], names, positive).items():
                by_group[value].add(bundle)
        tested[told.rows] = True
        kept.append(told if exam.in_memory else told.slim)
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
    shown = tuple(kept) if exam.in_memory else ()
    return Gathered(names, order, whole.total(), found, shown, sample)


def check_options(level: float, on_error: str, who: str = "evaluate") -> None:
    check_level(who, level)
    if not isinstance(on_error, str) or on_error not in ("raise", "keep"):
        raise OptionError(f"on_error is 'raise' or 'keep', not {on_error!r}.")


def _sample(
    exam: Exam, tested: Array, whole: Bundle, rounds: Iterable[Round | list[Split]],
    kept: tuple[Told, ...],
) -> Sample:  # fmt: skip
    rows = float(tested.sum()) if exam.weight is None else worth(exam.weight[tested])
    share = float(np.mean([_test_share(place) for place in rounds]))
    groups = None if exam.groups is None else exam.groups.codes
    return Sample(rows, weight_of(whole), share, kept, groups)


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
