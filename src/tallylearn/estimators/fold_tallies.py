"""Tallies of folds: one pass over the rows counts every fold apart.

A model that is tested on a fold is trained on all other folds. Tallies add up, so the training
tally of a fold is the sum of the tallies of the others: k folds cost one pass and k solves, and
give the models that k fits would give.

One pass counts all folds apart because tallies are counted by a key, the class of a row. Here the
key of a row is the pair (fold, class): a tally that counts rows by class, without knowing it, then
counts them by fold and class, and `Tally.split_folds(k)` takes it apart by the first half of the
key. A learner needs no code of its own for it. Where the target is no class, the key is the fold
alone, ``block.part``, which ``block.counting_keys()`` puts before any other key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isqrt
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import ForgetError, InputError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.sources import Part, Parts
from tallylearn.tables import FREQUENCY, Array, Block, Codes

MAX_FOLDS_IN_MEMORY = 64  # tallies of folds that are held together; more are counted in two steps


@dataclass(frozen=True)
class FoldBlock:
    """A block, and the fold that each of its rows belongs to; -1 is none."""

    fold: Array  # (n,)
    block: Block

    def __len__(self) -> int:
        return len(self.block)

    def select_folds(self, first: int, last: int) -> FoldBlock:
        """The rows of the folds from first to before last, numbered from 0."""
        rows = np.flatnonzero((self.fold >= first) & (self.fold < last))
        return FoldBlock(self.fold[rows] - first, self.block[rows])

    def split(self) -> Iterator[FoldBlock]:
        """As many blocks as the rows make, of equal size, so that threads end together."""
        size = max(1, -(-len(self) // len([*self.block.split()])))
        for start in range(0, max(1, len(self)), size):
            rows = slice(start, start + size)
            yield FoldBlock(self.fold[rows], self.block[rows])

    def keyed_by_fold(self) -> Block:
        """The rows with pairs (fold, class) as their classes, or with their folds as a key."""
        if self.fold.min(initial=0) < 0:
            return self.select_folds(0, int(self.fold.max()) + 1).keyed_by_fold()
        if isinstance(self.block.target, Codes):
            return replace(self.block, target=self.block.target.pair_with(self.fold))
        return replace(self.block, part=self.fold)


@dataclass(frozen=True)
class FoldedPart:
    """A part of the rows of fit, with the fold of each row."""

    rows: Part[Block]
    fold: Array  # (n,)
    weight_kind: str = FREQUENCY

    def blocks(self) -> Iterator[FoldBlock]:
        start = 0
        for block in self.rows.blocks():
            fitted = replace(block.training_rows(), weight_kind=self.weight_kind)
            yield FoldBlock(self.fold[start + block.training_indices()], fitted)
            start += len(block)


@dataclass(frozen=True)
class FoldedInput:
    """The rows of fit, with the fold of each row."""

    read: FitInput
    fold: Array  # (n,) for all rows of the source

    def parts(self) -> Iterator[Part[FoldBlock]]:
        if self.read.source.size is not None:
            whole = FoldBlock(self.fold[self.read.rows], self.read.whole())
            yield engines.SinglePart(whole.split())
            return
        sizes, start = self.read.with_sizes().sizes, 0
        for part, size in zip(self.read.coded_table.parts(), sizes, strict=True):
            yield FoldedPart(part, self.fold[start : start + size], self.read.weight_kind)
            start += size


def training_tallies(learner: Estimator, read: FitInput, fold: Array, k: int) -> Iterator[Any]:
    """For each of k folds the tally of all other rows; ``fold`` (n,) says where a row belongs.

    More folds than `MAX_FOLDS_IN_MEMORY` are counted in two steps, sqrt(k) groups of folds and then
    the folds of each group, so that 2 sqrt(k) tallies are in memory.
    """
    if k <= MAX_FOLDS_IN_MEMORY:
        yield from sum_others(fold_tallies(learner, FoldedInput(read, fold), k))
        return
    if read.source.size is None:
        raise InputError(
            f"{read.source} is not in memory, which allows {MAX_FOLDS_IN_MEMORY} folds, not {k}. "
            "Use fewer folds, or read the table into memory."
        )
    whole, size = FoldBlock(fold[read.rows], read.whole()), isqrt(k)
    groups = FoldBlock(np.where(whole.fold < 0, -1, whole.fold // size), whole.block)
    by_group = fold_tallies(learner, engines.SinglePart(groups.split()), -(-k // size))
    total = sum(by_group[1:], start=by_group[0])
    exact = _is_exact(total, by_group[0])
    for first, far in zip(range(0, k, size), sum_others(by_group), strict=True):
        last = min(first + size, k)
        some = engines.SinglePart(whole.select_folds(first, last).split())
        near = fold_tallies(learner, some, last - first)
        if exact:  # one subtraction a fold, where sums from both sides take three additions
            yield from (total - tally for tally in near)
        else:
            yield from (far + rest for rest in sum_others(near))


def _is_exact(total: Any, part: Any) -> bool:
    """Whether what was added to a tally can be subtracted again."""
    try:
        _ = total - part
    except ForgetError:
        return False
    return True


def growing_tallies(learner: Estimator, read: FitInput, fold: Array, k: int) -> Iterator[Any]:
    """For each fold but the first, the tally of all folds before it: for series in time."""
    total = None
    for tally in fold_tallies(learner, FoldedInput(read, fold), k)[:-1]:
        total = tally if total is None else total + tally
        yield total


def fold_tallies(learner: Estimator, rows: Parts[FoldBlock], k: int) -> list[Any]:
    """The tally of each of k folds, all in one pass."""
    total: Any = engines.current_engine().total(partial(_tally_by_fold, learner), rows)
    try:
        found: list[Any] = total.split_folds(k)
    except KeyError as error:
        raise TypeError(
            f"{type(learner).__name__}.tally cannot be split into folds: it counts by {error}. "
            "Count by block.target if that is classes, else by block.counting_keys()."
        ) from None
    return found


def _tally_by_fold(learner: Estimator, rows: FoldBlock) -> Any:
    return learner.tally_block(rows.keyed_by_fold())


def sum_others(tallies: list[Any]) -> Iterator[Any]:
    """For each tally the sum of all others: the sum to its left plus the sum to its right.

    Nothing is subtracted, so that float sums lose no digits.
    """
    right = [tallies[-1]]
    for tally in reversed(tallies[1:-1]):
        right.append(tally + right[-1])
    yield right.pop()
    left = tallies[0]
    for tally in tallies[1:-1]:
        yield left + right.pop()
        left = left + tally
    yield left
