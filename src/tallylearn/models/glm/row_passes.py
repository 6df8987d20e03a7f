"""Passes over the rows of a table, coded once where they fit in memory."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Self

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.fit_input import Lesson, lesson, trusting
from tallylearn.estimators.fit_warnings import put_aside
from tallylearn.estimators.iterative import Coded, Held, worked
from tallylearn.estimators.missing_targets import NONE as NONE_LEFT_OUT
from tallylearn.estimators.missing_targets import Unanswered, total
from tallylearn.estimators.model import Model
from tallylearn.estimators.schema_checks import checked
from tallylearn.estimators.tally_checks import counted, within_doubles
from tallylearn.estimators.without_tally import Untallied
from tallylearn.models.glm.design_rows import DesignRows
from tallylearn.sources import Parts
from tallylearn.sources.spill import spill_to_disk
from tallylearn.tables import TEXT, Block, Schema
from tallylearn.tallies import Bundle

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
def _readable(read: Lesson, coding: Callable[[Block], Block]) -> Iterator[Parts[Block]]:
    """The rows of a lesson for many passes: rows of files are kept decoded where there is room."""
    source = Coded(read, coding)
    if read.source.size is not None:
        yield source
        return
    with spill_to_disk(source, must=read.parsed or _has_text(read)) as kept:
        yield kept


def _has_text(read: Lesson) -> bool:
    return read.source.size is None and bool(read.schema.of_kind(TEXT))


class TablePasses:
    """A table that an estimator passes over: first a survey, then the rows that it codes."""

    def __init__(self, read: Lesson, source: Parts[Block], schema: Schema, name: str) -> None:
        self.read, self.source, self.schema, self.name = read, source, schema, name
        self.left_out = NONE_LEFT_OUT

    def survey(self, call: Callable[[Block], Bundle]) -> Bundle:
        """The sum of a call over all blocks, whose part "target" counts the rows."""
        with engines.report_stage("survey"):
            found, self.left_out = total(*worked(call, self.source))
        width = len(self.schema.columns)
        return counted(found, self.left_out, self.read, width, f"{self.name}.survey")

    @contextmanager
    def rows(self, coding: Callable[[Block], DesignRows], n_rows: float) -> Iterator[RowPasses]:
        """The rows of a design matrix: in memory where the table is, words numbered once."""
        rows = Coded(self.source, coding)
        if self.read.source.size is not None:
            with engines.report_stage("preparation"):
                held = Held.of(rows)
            yield RowPasses(held, n_rows)
        elif _has_text(self.read):
            with spill_to_disk(rows) as kept:
                yield RowPasses(kept, n_rows)
        else:
            yield RowPasses(rows, n_rows)


class IterativeEstimator(Untallied):
    """An estimator that passes over its table again and again, and keeps no tally."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table: ``fit(X, y)``, or ``fit(table, "target")``."""
        with self._learning():
            self._check_options()
            read = lesson(self._table(X), y, sample_weight, type(self).__name__, self.task)
            self.learn(read)
            put_aside(self, read)
        return self

    def learn(self, read: Lesson) -> Self:
        """What ``fit`` does with a table that was read."""
        schema, model, left_out = trusting(read, self._trained)
        self._learn(schema, model, read.manner, left_out)
        return self

    def _trained(self, read: Lesson) -> tuple[Schema, Model, Unanswered]:
        name = type(self).__name__
        schema = checked(read.schema, self.kinds, name)
        with _readable(read, self.coded) as source, within_doubles():
            passes = TablePasses(read, source, schema, name)
            model = self.train_passes(passes)
        return schema, model, passes.left_out

    @property
    def coded(self) -> Callable[[Block], Block]:
        """What blocks become before all passes, such as texts counted words."""
        return _unchanged

    @abstractmethod
    def train_passes(self, passes: TablePasses) -> Model:
        """Fit a model: survey the table, then solve over its rows."""


def _unchanged(block: Block) -> Block:
    return block
