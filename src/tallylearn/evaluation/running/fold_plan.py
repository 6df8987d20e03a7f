"""Fold assignments: folds as parts whose tallies add up, or as rows to fit on one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.folds import Folds, GivenSplits, Split, partition, read_cv
from tallylearn.tables import Array

FOLDS = 10  # unless said, in every verb
OTHERS, FIRST, BEFORE = "the others", "the first part", "the parts before"


@dataclass(frozen=True)
class FoldAssignment:
    """Every row is in one part; a part is tested, and what it is trained on follows from a rule.

    A row in part -1 is neither trained on nor tested.
    """

    repeat: int
    part: Array  # (n,)
    number: int  # of parts
    trained_on: str  # the others, the first part, or the parts before

    @property
    def test_parts(self) -> range:
        """The parts that are tested."""
        if self.trained_on == FIRST:
            return range(self.number - 1, self.number)
        return range(0 if self.trained_on == OTHERS else 1, self.number)

    @property
    def is_leave_one_out(self) -> bool:
        """Whether every row is tested alone, trained on all others."""
        return self.trained_on == OTHERS and self.number == int((self.part >= 0).sum())

    def tests(self) -> list[Array]:
        """The rows of every part that is tested, in their order."""
        short = self.part.astype(np.int16) if self.number < 1 << 15 else self.part  # sorts faster
        order = np.argsort(short, kind="stable")
        ends = np.cumsum(np.bincount(self.part + 1, minlength=self.number + 1))  # -1: in no part
        return [order[ends[part] : ends[part + 1]] for part in self.test_parts]

    def splits(self) -> Iterator[Split]:
        """The rows of every fold."""
        for part, test in zip(self.test_parts, self.tests(), strict=True):
            if self.trained_on == OTHERS:
                train = np.flatnonzero((self.part != part) & (self.part >= 0))
            else:
                last = 0 if self.trained_on == FIRST else part - 1
                train = np.flatnonzero((self.part <= last) & (self.part >= 0))
            yield Split(train, test, self.repeat, part - self.test_parts.start)


def plan_folds(
    cv: Any, dataset: Dataset
) -> tuple[str, list[FoldAssignment | list[Split]], tuple[str, ...]]:
    """How cv deals out the rows of a table, and what to know of it before the scores.

    Rounds of parts, or splits that share rows; the remarks name rows that were left out, and
    classes that are not in every fold.
    """
    folds = read_cv(cv, dataset.task)
    few = folds.too_few(dataset.strata, dataset.groups) if isinstance(folds, Folds) else ""
    remarks = (*dataset.remarks, *([f"{few[0].upper()}{few[1:]}."] if few else []))
    named, assignments = _assign(cv, folds, dataset)
    return named, assignments, (*remarks, *_tested_groups(dataset, assignments))


def _tested_groups(
    dataset: Dataset, assignments: list[FoldAssignment | list[Split]]
) -> Iterator[str]:
    """How many groups are the sample, where not all of them are tested."""
    if dataset.groups is None:
        return
    tested = np.zeros(len(dataset.groups.values), dtype=bool)
    for place in assignments:
        tests = (
            place.tests() if isinstance(place, FoldAssignment) else [split.test for split in place]
        )
        tested[dataset.groups.codes[np.concatenate(tests)]] = True
    if not tested.all():
        yield f"Tested are {tested.sum():,} of the {len(tested):,} groups: those are the sample."


def _assign(
    cv: Any, folds: Folds | GivenSplits, dataset: Dataset
) -> tuple[str, list[FoldAssignment | list[Split]]]:
    n, order = len(dataset), dataset.order(getattr(folds, "order", None))
    known = dataset.strata, dataset.groups, order
    if isinstance(folds, Folds) and folds.partitions:
        rule = FIRST if folds.shares else OTHERS
        parts = folds.assign_parts(n, *known[:2])
        return repr(folds), [
            FoldAssignment(at, part, int(part.max()) + 1, rule) for at, part in enumerate(parts)
        ]
    if isinstance(folds, Folds) and folds.scheme == "bootstrap" and not dataset.in_memory:
        raise InputError(
            f"{dataset.files} is not in memory, and a bootstrap reads its rows many "
            "times. Use a number of folds, or read the table into memory."
        )
    splits = list(
        folds.splits(n, *known)
        if _numbers_present_rows(folds)
        else _splits_in_dataset(folds, dataset)
    )
    if isinstance(folds, Folds) and folds.scheme == "forward":
        chunk = np.zeros(n, dtype=np.int32)
        for split in splits:
            chunk[split.test] = split.fold + 1
        return repr(folds), [FoldAssignment(0, chunk, len(splits) + 1, BEFORE)]
    if (part := partition(splits, n)) is not None:
        return _cv_text(cv), [FoldAssignment(0, part, len(splits), OTHERS)]
    return repr(folds) if isinstance(folds, Folds) else _cv_text(cv), [splits]


def _numbers_present_rows(folds: Folds | GivenSplits) -> bool:
    """Whether it is shown the rows that are there, and does not number those of the whole table."""
    return isinstance(folds, Folds) or not isinstance(folds.source, tuple)


def _splits_in_dataset(folds: Folds | GivenSplits, dataset: Dataset) -> Iterator[Split]:
    """Splits by the numbers of the table's rows, without rows that are not in the dataset."""
    place = np.full(dataset.size, -1, dtype=np.int64)
    place[dataset.rows] = np.arange(len(dataset))
    for split in folds.splits(dataset.size):
        train, test = (rows[rows >= 0] for rows in (place[split.train], place[split.test]))
        if not len(train) or not len(test):
            raise InputError(
                f"split {split.fold} has no row to {'test' if len(train) else 'train'} "
                "on, because its rows have no target or no weight. Give it other rows."
            )
        yield replace(split, train=train, test=test)


def splits_of(assignments: Iterable[FoldAssignment | list[Split]]) -> list[Split]:
    """The rows of every fold of all assignments."""
    return [
        split
        for place in assignments
        for split in (place.splits() if isinstance(place, FoldAssignment) else place)
    ]


def models_of(assignments: Iterable[FoldAssignment | list[Split]]) -> int:
    """How many models a learner is fitted to."""
    return sum(
        len(place.test_parts) if isinstance(place, FoldAssignment) else len(place)
        for place in assignments
    )


def tested_share(splits: Sequence[Split]) -> float:
    """The part of the rows that a fold tests; rows drawn twice to be learned from are one."""
    return float(np.mean([len(s.test) / (len(s.test) + len(np.unique(s.train))) for s in splits]))


def assign_rows(dataset: Dataset, rows: Array, cv: Any) -> list[FoldAssignment | list[Split]]:
    """How cv deals out some rows of a table; the others are in no part."""
    _, assignments, _ = plan_folds(cv, dataset[rows])
    return [_extend(place, rows, len(dataset)) for place in assignments]


def _extend(
    place: FoldAssignment | list[Split], rows: Array, n: int
) -> FoldAssignment | list[Split]:
    if isinstance(place, FoldAssignment):
        part = np.full(n, -1, dtype=np.int32)
        part[rows] = place.part
        return replace(place, part=part)
    return [replace(split, train=rows[split.train], test=rows[split.test]) for split in place]


def _cv_text(cv: Any) -> str:
    return learner_text(cv) if hasattr(cv, "split") else "splits as given"
