"""Tallies counted once, shared by learners that count alike and differ in how they solve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.fold_tallies import (
    FoldedInput,
    fold_tallies,
    growing_tallies,
    training_tallies,
)
from tallylearn.estimators.option_values import is_same_value
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.fold_plan import BEFORE, FIRST, FoldAssignment


class TallyCache:
    """The tallies of one kind of learner on one table; those of another kind replace them.

    >>> import tallylearn as tl
    >>> tally_cache, folds = TallyCache(), object()
    >>> for alpha in (0.1, 1, 10):
    ...     tally = tally_cache.of(tl.NaiveBayes(alpha), folds, lambda: print("counted"))
    counted
    """

    def __init__(self) -> None:
        self._learner: Estimator | None = None
        self._pages: list[tuple[Any, Any]] = []

    def of(self, learner: Estimator, assignment: Any, count: Callable[[], Any]) -> Any:
        """What was counted for this assignment, or what the call counts now."""
        if self._learner is None or not tally_alike(learner, self._learner):
            self._learner, self._pages = learner, []
        for known, tally in self._pages:
            if known is assignment:
                return tally
        tally = count()
        self._pages.append((assignment, tally))
        return tally


def training_tallies_of_round(
    learner: Estimator, dataset: Dataset, assignment: FoldAssignment
) -> Iterator[Any]:
    """What is trained on in every fold of a round, as tallies."""
    assert dataset.read is not None
    part = np.full(dataset.size, -1, dtype=np.int32)
    part[dataset.rows] = assignment.part
    if assignment.trained_on == BEFORE:
        return growing_tallies(learner, dataset.read, part, assignment.number)
    if assignment.trained_on != FIRST:
        return training_tallies(learner, dataset.read, part, assignment.number)
    return iter(fold_tallies(learner, FoldedInput(dataset.read, np.where(part == 0, 0, -1)), 1))


def tally_alike(one: Any, other: Any) -> bool:
    """Whether two learners count the same of every row."""
    if not _keeps_tally(one) or type(one) is not type(other):
        return False
    pairs = zip(one.shape(), other.shape(), strict=True)
    return all(is_same_value(mine, theirs) for (_, mine), (_, theirs) in pairs)


def group_by_tally(learners: Sequence[Any]) -> list[int]:
    """The places of the learners, those that count alike one after the other.

    >>> import tallylearn as tl
    >>> group_by_tally([tl.NaiveBayes(1), tl.DummyClassifier(), tl.NaiveBayes(2)])
    [0, 2, 1]
    """
    groups: list[list[int]] = []
    for at, learner in enumerate(learners):
        home = next((group for group in groups if tally_alike(learners[group[0]], learner)), None)
        if home is None:
            groups.append([at])
        else:
            home.append(at)
    return [at for group in groups for at in group]


def sums_up(learner: Any, read: FitInput | None) -> bool:
    """Whether the tallies of parts of the rows are all that a learner needs.

    The design of a formula depends on the rows that are trained on: each fold is fitted anew.
    """
    if read is None or (read.formula is not None and getattr(learner, "takes_formula", False)):
        return False
    return _keeps_tally(learner) and bool(learner.uses_tally)


def _keeps_tally(learner: Any) -> bool:
    return isinstance(learner, Estimator) and learner.keeps_tally
