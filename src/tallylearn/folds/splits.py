"""Splits: the numbers of the rows to learn from, and of those kept for the test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tallylearn.folds.hashing import bootstrap_counts, seeds
from tallylearn.tables import Array, Codes


@dataclass(frozen=True)
class Split:
    """Row numbers to learn from and to test on."""

    train: Array  # with repetitions where rows are drawn with replacement
    test: Array
    repeat: int = 0
    fold: int = 0
    validation: Array | None = None


def draw(seed: int, n: int, groups: Codes | None, repeat: int) -> Split:
    """Rows or groups drawn with replacement, and those not drawn."""
    times = _draw_leaving_out(seed, n if groups is None else len(groups.values))
    times = times if groups is None else times[groups.codes]
    return Split(np.repeat(np.arange(n), times), np.flatnonzero(times == 0), repeat)


def _draw_leaving_out(seed: int, n: int) -> Array:
    """How often each of n is drawn; drawn again until one is left out."""
    times = bootstrap_counts(seed, n)
    while times.all():
        seed = seeds(seed, 1)[0]
        times = bootstrap_counts(seed, n)
    return times


def in_folds(parts: tuple[Array, ...]) -> Iterator[Split]:
    """Every part is tested once, and the others learned from."""
    for repeat, part in enumerate(parts):
        for fold in range(int(part.max()) + 1):
            yield Split(np.flatnonzero(part != fold), np.flatnonzero(part == fold), repeat, fold)


def in_parts(parts: tuple[Array, ...]) -> Iterator[Split]:
    """The first part is learned from, the last tested."""
    for repeat, part in enumerate(parts):
        train, *others = (np.flatnonzero(part == number) for number in range(int(part.max()) + 1))
        yield Split(train, others[-1], repeat, validation=others[0] if others[1:] else None)


def in_chunks(chunk: Array, number: int) -> Iterator[Split]:
    """Every chunk but the first is tested, and all before it learned from."""
    for fold in range(number):
        yield Split(np.flatnonzero(chunk <= fold), np.flatnonzero(chunk == fold + 1), fold=fold)
