"""DesignRows of a design matrix: dense numbers, sparse counts of words, targets and weights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.kernels import sparse_rows
from tallylearn.models.design.column_survey import ColumnSums
from tallylearn.models.design.filled_scatter import too_small, too_wide
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import select_learnable
from tallylearn.tables import Array, Block, DocumentTerms, Schema, field_schemas, row_number
from tallylearn.tallies.documents import Reader

NONE = np.empty(0)
MIN_SPREAD = 1e-150  # below, or above its reciprocal, squares of numbers are no doubles
MIN_VARIANCE = 1e-6  # of an indicator: rarer ones would be scaled beyond their digits


@dataclass(frozen=True)
class Lexicon:
    """The words of a column of text that have coefficients."""

    name: str
    terms: tuple[str, ...]
    reader: Reader

    form: ClassVar[field_schemas.Form] = {
        "name": field_schemas.text(),
        "terms": field_schemas.names("v"),
        "reader": field_schemas.one(Reader),
    }

    @cached_property
    def _place(self) -> dict[str, int]:
        return {term: at for at, term in enumerate(self.terms)}

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "terms": self.terms, "reader": self.reader}

    def bags(self, block: Block) -> DocumentTerms:
        """The documents of a block, in words."""
        return self.reader.bags(block.text[self.name], self.name, block.start)

    def word_counts(self, block: Block) -> WordCounts:
        """The documents of a block, by the numbers of the words that have coefficients."""
        bags, place = self.bags(block), self._place
        at = np.array([place.get(term, -1) for term in bags.terms], dtype=np.int32)
        times = np.ascontiguousarray(bags.times, dtype=np.float64)
        last = np.full(len(self.terms), -1, dtype=np.int64)
        ends, ids = np.empty(len(bags) + 1, np.int64), np.empty(len(bags.ids), np.int32)
        found = np.empty(len(ids))
        n = sparse_rows.number(bags.ids, bags.ends, times, at, last, ends, ids, found)
        return WordCounts(ends, ids[:n], found[:n])


@dataclass(frozen=True)
class WordCounts:
    """Word counts in CSR form: row d has ``ids[ends[d]:ends[d + 1]]``, each ``times`` times."""

    ends: Array  # (n + 1,) int64
    ids: Array  # int32
    times: Array  # float64

    @classmethod
    def of(cls, block: Block, lexicons: tuple[Lexicon, ...]) -> WordCounts:
        """All columns of text side by side, each word of a document once."""
        columns = [one.word_counts(block) for one in lexicons]
        if len(columns) == 1:
            return columns[0]
        first = np.cumsum([0, *(len(one.terms) for one in lexicons)])
        rows = np.concatenate([np.repeat(np.arange(len(block)), np.diff(c.ends)) for c in columns])
        ids = np.concatenate([c.ids + at for c, at in zip(columns, first, strict=False)])
        order = np.argsort(rows, kind="stable")
        ends = np.sum([c.ends for c in columns], axis=0)
        times = np.concatenate([c.times for c in columns])
        return cls(ends, ids[order].astype(np.int32), times[order])

    def cut(self, start: int, stop: int) -> WordCounts:
        """Rows from ``start`` on, before ``stop``."""
        here = slice(int(self.ends[start]), int(self.ends[stop]))
        ends = self.ends[start : stop + 1] - self.ends[start]
        return WordCounts(ends, self.ids[here], self.times[here])

    def every(self, stride: int) -> WordCounts:
        """Every so-many-th row."""
        n = len(self.ends) - 1
        rows = np.arange(0, n, stride)
        lengths = np.diff(self.ends)[rows]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.arange(ends[-1]) + np.repeat(self.ends[:-1][rows] - ends[:-1], lengths)
        return WordCounts(ends, self.ids[at], self.times[at])


@dataclass(frozen=True)
class DesignRows:
    """Rows of a design matrix, with their targets, weights and offsets."""

    x: Array  # (n, p) float64
    y: Array  # (n,) int32, the place of the class; or float64, a number
    weight: Array  # (n,) float64, or (0,) where every row counts once
    words: WordCounts | None = None
    offset: Array = field(default_factory=lambda: NONE)  # (n,) added to the score, or (0,)

    def __len__(self) -> int:
        return len(self.x)

    def cut(self, start: int, stop: int) -> DesignRows:
        """Rows from ``start`` on, before ``stop``."""
        stop = min(stop, len(self))
        if start == 0 and stop == len(self):
            return self
        words = None if self.words is None else self.words.cut(start, stop)
        at = slice(start, stop)
        return DesignRows(self.x[at], self.y[at], self.weight[at], words, self.offset[at])

    def every(self, stride: int) -> DesignRows:
        """Every stride-th row, copied: a view would keep the others in memory."""
        words = None if self.words is None else self.words.every(stride)
        x, y, weight = (one[::stride].copy() for one in (self.x, self.y, self.weight))
        return DesignRows(x, y, weight, words, self.offset[::stride].copy())

    @property
    def size(self) -> int:
        """Bytes that it takes to be kept."""
        words = 0 if self.words is None else 12 * len(self.words.ids)
        return int(self.x.nbytes) + words + 12 * len(self)


@dataclass(frozen=True)
class ClassRows:
    """The call that turns a block into rows of a design matrix, with classes as targets.

    Where a survey of all rows found no missing value (``whole``) the numbers are not searched for
    one: rows of files are coded in every pass, and the search took a fifth of it.
    """

    classes: tuple[Any, ...]
    design: Design
    lexicons: tuple[Lexicon, ...]
    missing: str
    class_weight: Array  # (k,), or (0,) where all weigh alike
    whole: bool = False

    def __call__(self, block: Block) -> DesignRows:
        block = select_learnable(block, self.missing)
        x = self.design.matrix(block) if self.whole else self.design.filled_matrix(block)
        y = block.target.recode(self.classes)
        weight = NONE if block.weight is None else np.ascontiguousarray(block.weight)
        if self.class_weight.size:
            weight = self.class_weight[y] * (weight if weight.size else 1.0)
        words = WordCounts.of(block, self.lexicons) if self.lexicons else None
        return DesignRows(x, y, weight, words)


@dataclass(frozen=True)
class CountRows:
    """The call that turns a block into rows of a design matrix, with counts as targets."""

    design: Design
    missing: str
    exposure: Exposure
    scale: float = 1.0  # of the weights, which sum to the number of rows
    whole: bool = False

    def __call__(self, block: Block) -> DesignRows:
        block = select_learnable(block, self.missing)
        x = self.design.matrix(block) if self.whole else self.design.filled_matrix(block)
        weight = NONE if block.weight is None else np.ascontiguousarray(block.weight * self.scale)
        return DesignRows(x, block.target, weight, offset=self.exposure.offset(block))


@dataclass(frozen=True)
class Exposure:
    """A column that is added to the linear predictor with the coefficient 1: an offset.

    An exposure is its exponential, such as hours of observation: expected counts are in
    proportion to it.
    """

    column: str = ""  # none
    is_log: bool = True  # an offset, or an exposure, whose logarithm is taken

    form: ClassVar[field_schemas.Form] = {
        "column": field_schemas.text(),
        "is_log": field_schemas.truth,
    }

    def check(self, schema: Schema) -> None:
        """Raise a ColumnError where the schema has no such column of numbers."""
        if self.column and self.column not in schema.numbers:
            raise ColumnError(
                f"{'offset' if self.is_log else 'exposure'}={self.column!r} is not a numeric "
                f"column. Pass one of {quoted_list(schema.numbers)}."
            )

    def drop_column(self, block: Block) -> Block:
        """A block without the column, whose coefficient is not estimated."""
        if not self.column:
            return block
        schema = block.schema.of_columns(c for c in block.schema.columns if c.name != self.column)
        numbers = np.delete(block.numbers, block.schema.places[self.column], axis=1)
        return replace(block, schema=schema, numbers=numbers)

    def offset(self, block: Block) -> Array:
        """(n,) what is added to the linear predictor, or (0,)."""
        if not self.column:
            return NONE
        found = block.numbers[:, block.schema.places[self.column]]
        fine = np.isfinite(found) & (self.is_log | (found > 0))
        if not fine.all():
            row = int(np.flatnonzero(~fine)[0])
            rule = "an offset is finite" if self.is_log else "an exposure is finite and positive"
            raise ColumnError(
                f"column {self.column!r} is {found[row]:g} in row {row_number(block.start, row)}, "
                f"and {rule}. Correct the value, or drop the row."
            )
        return found if self.is_log else np.log(found)


def column_scales(design: Design, sums: ColumnSums) -> tuple[Array, Array]:
    """(p,) the centre and the scale of every column; those of an indicator by its share."""
    mean, deviation = sums.spread()
    place = {name: at for at, name in enumerate(sums.names)}
    centre, scale = design.fill.copy(), np.empty(len(design.columns))
    for j, (name, is_number) in enumerate(zip(design.columns, design.numeric, strict=True)):
        if not is_number:
            share = min(max(float(design.fill[j]), 0.0), 1.0)
            scale[j] = np.sqrt(max(share * (1 - share), MIN_VARIANCE))
        else:
            centre[j], scale[j] = mean[place[name]], deviation[place[name]]
    if (scale <= MIN_SPREAD).any():
        raise too_small([design.columns[j] for j in np.flatnonzero(scale <= MIN_SPREAD)])
    extreme = ~(scale < 1 / MIN_SPREAD)
    if extreme.any():
        raise too_wide([design.columns[j] for j in np.flatnonzero(extreme)])
    return centre, scale
