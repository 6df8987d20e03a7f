"""Folding: a tally for every part of the rows in one pass, and for every part that of the others.

A fold is trained on all the other folds. Since tallies add up, so do training tallies: k folds cost
one pass over the rows and k solves, and come out as if every one had been fitted anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import ForgetError, InputError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.sources import Part, Parts
from tallylearn.tables import FREQUENCY, Array, Block, Codes

AT_ONCE = 64  # parts whose tallies are held together; more are left out in two steps


@dataclass(frozen=True)
class Piece:
    """Some rows, and the part that each belongs to; -1 is none."""

    part: Array  # (n,)
    block: Block

    def __len__(self) -> int:
        return len(self.block)

    def of_parts(self, first: int, last: int) -> Piece:
        """The rows of some parts, counted from the first of them."""
        rows = np.flatnonzero((self.part >= first) & (self.part < last))
        return Piece(self.part[rows] - first, self.block[rows])

    def cut(self) -> Iterator[Piece]:
        """As many pieces as there are blocks, equally large: threads are done at one time."""
        size = max(1, -(-len(self) // len([*self.block.cut()])))
        for start in range(0, max(1, len(self)), size):
            rows = slice(start, start + size)
            yield Piece(self.part[rows], self.block[rows])

    def paired(self) -> Block:
        """The rows with pairs (part, class) as their classes, or with their parts beside them."""
        if self.part.min(initial=0) < 0:
            return self.of_parts(0, int(self.part.max()) + 1).paired()
        if isinstance(self.block.target, Codes):
            return replace(self.block, target=self.block.target.paired(self.part))
        return replace(self.block, part=self.part)


@dataclass(frozen=True)
class PiecesPart:
    """A part of the rows of fit, and a number for each of them."""

    rows: Part[Block]
    numbers: Array  # (n,)
    weight_kind: str = FREQUENCY

    def blocks(self) -> Iterator[Piece]:
        start = 0
        for block in self.rows.blocks():
            taught = replace(block.taught(), weight_kind=self.weight_kind)
            yield Piece(self.numbers[start + block.counting()], taught)
            start += len(block)


@dataclass(frozen=True)
class Pieces:
    """The rows of fit, each with a number: the part it belongs to, or its place."""

    read: FitInput
    numbers: Array  # (n,) for all rows of the source

    def parts(self) -> Iterator[Part[Piece]]:
        if self.read.source.size is not None:
            whole = Piece(self.numbers[self.read.rows], self.read.whole())
            yield engines.SinglePart(whole.cut())
            return
        sizes, start = self.read.counted().sizes, 0
        for part, size in zip(self.read.coded.parts(), sizes, strict=True):
            numbers = self.numbers[start : start + size]
            yield PiecesPart(part, numbers, self.read.weight_kind)
            start += size


def without_each(learner: Estimator, read: FitInput, part: Array, k: int) -> Iterator[Any]:
    """For each of k parts the tally of all other rows; ``part`` (n,) says where a row belongs."""
    if k <= AT_ONCE:
        yield from others(tallies(learner, Pieces(read, part), k))
        return
    if read.source.size is None:
        raise InputError(
            f"{read.source} is not in memory, and takes up to {AT_ONCE} folds, not {k}. "
            "Take fewer folds, or read it into memory."
        )
    whole, size = Piece(part[read.rows], read.whole()), isqrt(k)
    groups = Piece(np.where(whole.part < 0, -1, whole.part // size), whole.block)
    parts = tallies(learner, engines.SinglePart(groups.cut()), -(-k // size))
    total = sum(parts[1:], start=parts[0])
    exact = _comes_apart(total, parts[0])
    for first, far in zip(range(0, k, size), others(parts), strict=True):
        last = min(first + size, k)
        some = engines.SinglePart(whole.of_parts(first, last).cut())
        near = tallies(learner, some, last - first)
        if exact:  # one step a fold, where sums from both sides take three
            yield from (total - part for part in near)
        else:
            yield from (far + rest for rest in others(near))


def _comes_apart(total: Any, part: Any) -> bool:
    """Whether a tally is exact, so that what was added can be taken away again."""
    try:
        _ = total - part
    except ForgetError:
        return False
    return True


def up_to_each(learner: Estimator, read: FitInput, part: Array, k: int) -> Iterator[Any]:
    """For each part but the first, the tally of all before it."""
    total = None
    for tally in tallies(learner, Pieces(read, part), k)[:-1]:
        total = tally if total is None else total + tally
        yield total


def tallies(learner: Estimator, pieces: Parts[Piece], k: int) -> list[Any]:
    """The tally of each of k parts, all in one pass."""
    total: Any = engines.current_engine().total(lambda piece: learner.seen(piece.paired()), pieces)
    try:
        found: list[Any] = total.split_folds(k)
    except KeyError as error:
        raise TypeError(
            f"{type(learner).__name__}.tally does not tell parts of the rows apart: it counts by "
            f"{error}. Count by block.target if that is classes, else by block.keyed()."
        ) from None
    return found


def others(parts: list[Any]) -> Iterator[Any]:
    """For each tally the sum of all the others: those to its left, and those to its right.

    Nothing is taken away, so that floats serve as well as integers.
    """
    right = [parts[-1]]
    for tally in reversed(parts[1:-1]):
        right.append(tally + right[-1])
    yield right.pop()
    left = parts[0]
    for tally in parts[1:-1]:
        yield left + right.pop()
        left = left + tally
    yield left
