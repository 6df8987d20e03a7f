"""Passes over the rows of a table, coded once where they fit in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.fit_input import Lesson
from tallylearn.estimators.iterative import Coded, Held, worked
from tallylearn.models.glm.design_rows import DesignRows
from tallylearn.sources import Parts
from tallylearn.sources.spill import spill_to_disk
from tallylearn.tables import TEXT, Block

MIN_SAMPLED_ROWS = 20_000  # of fewer rows a sample saves less than its own steps take
ROWS_PER_COEFFICIENT = 24  # of a sample: an entry of its Hessian is then off by a fifth, 1 / √24
STRIDES = (64, 32, 16, 8, 4)  # the largest that leaves enough rows is taken
SAMPLE_BYTES = 1 << 28  # a sample that takes less is held in memory


def sample_stride(rows: float, size: int) -> int:
    """Every how-many-th row Newton's method starts with, for so many coefficients; 1 is all."""
    enough = [n for n in STRIDES if rows >= n * ROWS_PER_COEFFICIENT * size]
    return max(enough, default=1) if rows >= MIN_SAMPLED_ROWS else 1


class RowPasses:
    """Rows of a design matrix that are summed again and again, on the engine in force."""

    def __init__(self, rows: Parts[Any], n_rows: float, numbers: Iterator[int] | None = None):
        self.rows, self.n_rows = rows, n_rows
        self._numbers = numbers or count(1)

    def total(self, call: Callable[[DesignRows], Any]) -> Any:
        """The sum of a call over all blocks of rows."""
        with engines.report_stage(f"round {next(self._numbers)}"):
            found = engines.current_engine().total(*worked(call, self.rows))
        if found is None:
            raise InputError("the rows that were there in the first pass are gone.")
        return found

    def every(self, stride: int, width: int) -> RowPasses:
        """Every stride-th row, read once, and held in memory where that is little."""
        sample = Coded(self.rows, _Stride(stride))
        small = 8 * self.n_rows / stride * (1 + width) <= SAMPLE_BYTES
        with engines.report_stage("sample"):
            rows = Held.of(sample) if small else sample
        return RowPasses(rows, self.n_rows / stride, self._numbers)


class _Stride:
    def __init__(self, stride: int) -> None:
        self.stride = stride

    def __call__(self, rows: DesignRows) -> DesignRows:
        return rows.every(self.stride)


@contextmanager
def readable(read: Lesson, coding: Callable[[Block], Block]) -> Iterator[Parts[Block]]:
    """The rows of a lesson for many passes: rows of files are kept decoded where there is room."""
    source = Coded(read, coding)
    if read.source.size is not None:
        yield source
        return
    with spill_to_disk(source, must=read.parsed or _has_text(read)) as kept:
        yield kept


@contextmanager
def prepared(
    read: Lesson, source: Parts[Block], coding: Callable[[Block], DesignRows]
) -> Iterator[Parts[Any]]:
    """The rows of the design matrix: in memory where the table is, words numbered once."""
    rows = Coded(source, coding)
    if read.source.size is not None:
        with engines.report_stage("preparation"):
            yield Held.of(rows)
    elif _has_text(read):
        with spill_to_disk(rows) as kept:
            yield kept
    else:
        yield rows


def _has_text(read: Lesson) -> bool:
    return read.source.size is None and bool(read.schema.of_kind(TEXT))
