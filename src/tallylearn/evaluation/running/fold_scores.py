"""Scores by fold: predictions summed up as they come, by fold, by group and over all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.engines.ordered_sum import PairwiseSum
from tallylearn.errors import InputError, OptionError
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_plan import OTHERS, FoldAssignment, splits_of, tested_share
from tallylearn.evaluation.running.usual_scores import choose_scores
from tallylearn.evaluation.scores.predictions import tally_by_group
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample
from tallylearn.folds import Split
from tallylearn.statistics.confidence_intervals import check_level
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle
from tallylearn.tallies.weight_kinds import worth


@dataclass(frozen=True)
class FoldScores:
    """The tallies of a learner's predictions."""

    scores: tuple[str, ...]
    folds: tuple[tuple[int, int, Bundle], ...]
    whole: Bundle
    groups: dict[Any, Bundle]
    tests: tuple[RowPredictions, ...]
    sample: ScoredSample

    @property
    def by_fold(self) -> tuple[Bundle, ...]:
        """The tallies that a mean over the folds is taken of."""
        return tuple(bundle for _, _, bundle in self.folds) or (self.whole,)

    def of_same_folds(self, other: FoldScores) -> tuple[Bundle, ...]:
        """The same, of the folds that another has: one that failed there is not compared."""
        places = {(repeat, fold) for repeat, fold, _ in other.folds}
        kept = (bundle for *place, bundle in self.folds if tuple(place) in places)
        return tuple(kept) if places else self.by_fold


def score_folds(
    cross_validation: CrossValidation,
    assignments: list[FoldAssignment | list[Split]],
    scores: Any,
    positive: Any,
    groups: Codes | None,
) -> FoldScores:
    """Sum the predictions up as they come: by fold, by group, and over all."""
    dataset = cross_validation.dataset
    names: tuple[str, ...] = ()
    alone = any(
        isinstance(place, FoldAssignment) and place.is_leave_one_out for place in assignments
    )
    folds: defaultdict[tuple[int, int], PairwiseSum] = defaultdict(PairwiseSum)
    by_group: defaultdict[Any, PairwiseSum] = defaultdict(PairwiseSum)
    kept, whole, tested = [], PairwiseSum(), np.zeros(len(dataset), dtype=bool)
    for tested_rows in cross_validation.predict_folds(assignments):
        predictions = tested_rows.predictions
        names = names or choose_scores(scores, dataset, predictions, positive)
        if alone:
            whole.add(predictions.tally(names, positive))
        else:
            places = Codes(
                tuple(range(int(tested_rows.fold.max()) + 1)),
                tested_rows.fold.astype(np.int32, copy=False),
            )
            for fold, bundle in tally_by_group(predictions, places, names, positive).items():
                folds[tested_rows.repeat, fold].add(bundle)
        if groups is not None:
            for value, bundle in tally_by_group(
                predictions, groups[tested_rows.rows], names, positive
            ).items():
                by_group[value].add(bundle)
        tested[tested_rows.rows] = True
        kept.append(tested_rows if dataset.in_memory else tested_rows.slim)
    if not names:
        raise InputError(
            f"{type(cross_validation.learner).__name__} failed on every fold. The "
            f"first failure: {cross_validation.failures[0].reason}"
        )
    order = tuple((*place, folds[place].total()) for place in sorted(folds))
    for *_, bundle in order:
        whole.add(bundle)
    found = {value: by_group[value].total() for value in sorted(by_group, key=_missing_last)}
    sample = _sample(dataset, tested, whole.total(), assignments, tuple(kept))
    shown = tuple(kept) if dataset.in_memory else ()
    return FoldScores(
        scores=names, folds=order, whole=whole.total(), groups=found, tests=shown, sample=sample
    )


def check_options(level: float, on_error: str, who: str = "evaluate") -> None:
    check_level(who, level)
    if not isinstance(on_error, str) or on_error not in ("raise", "keep"):
        raise OptionError(f"on_error is {on_error!r}. Give 'raise' or 'keep'.")


def _sample(
    dataset: Dataset,
    tested: Array,
    whole: Bundle,
    assignments: Iterable[FoldAssignment | list[Split]],
    kept: tuple[RowPredictions, ...],
) -> ScoredSample:
    rows = float(tested.sum()) if dataset.weight is None else worth(dataset.weight[tested])
    share = float(np.mean([_test_share(place) for place in assignments]))
    groups = None if dataset.groups is None else dataset.groups.codes
    return ScoredSample(rows, weight_of(whole), share, kept, groups)


def _missing_last(value: Any) -> tuple[bool, Any]:
    return value is None, 0 if value is None else value


def _test_share(place: FoldAssignment | list[Split]) -> float:
    if isinstance(place, FoldAssignment) and place.trained_on == OTHERS:
        return 1 / place.number
    return tested_share(splits_of([place]))


def weight_of(bundle: Bundle) -> float:
    """How much was tested."""
    if "confusion" in bundle:
        return float(bundle["confusion"].floats().sum())
    return float(bundle["losses"].count.floats()[0].max())
