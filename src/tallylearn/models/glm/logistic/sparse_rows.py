"""Rows for rounds: a table as numbers once for all, dense where it has columns, sparse in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.kernels import sparse_rows
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.missing_values import learnable
from tallylearn.tables import Array, Bags, Block, field_schemas
from tallylearn.tallies.documents import Reader

NONE = np.empty(0)


@dataclass(frozen=True)
class Lexicon:
    """The words of a column of text that have weights."""

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

    def bags(self, block: Block) -> Bags:
        """The documents of a block, in words."""
        return self.reader.bags(block.text[self.name], self.name, block.start)

    def numbered(self, block: Block) -> Words:
        """The documents of a block, by the numbers of the words that have weights."""
        bags, place = self.bags(block), self._place
        at = np.array([place.get(term, -1) for term in bags.terms], dtype=np.int32)
        times = np.ascontiguousarray(bags.times, dtype=np.float64)
        last = np.full(len(self.terms), -1, dtype=np.int64)
        ends, ids = np.empty(len(bags) + 1, np.int64), np.empty(len(bags.ids), np.int32)
        found = np.empty(len(ids))
        n = sparse_rows.number(bags.ids, bags.ends, times, at, last, ends, ids, found)
        return Words(ends, ids[:n], found[:n])


@dataclass(frozen=True)
class Words:
    """Words of documents: row d has ``ids[ends[d]:ends[d + 1]]``, each ``times`` times."""

    ends: Array  # (n + 1,) int64
    ids: Array  # int32
    times: Array  # float64

    @classmethod
    def of(cls, block: Block, lexicons: tuple[Lexicon, ...]) -> Words:
        """All columns of text side by side, each word of a document once."""
        columns = [one.numbered(block) for one in lexicons]
        if len(columns) == 1:
            return columns[0]
        first = np.cumsum([0, *(len(one.terms) for one in lexicons)])
        rows = np.concatenate([np.repeat(np.arange(len(block)), np.diff(c.ends)) for c in columns])
        ids = np.concatenate([c.ids + at for c, at in zip(columns, first, strict=False)])
        order = np.argsort(rows, kind="stable")
        ends = np.sum([c.ends for c in columns], axis=0)
        times = np.concatenate([c.times for c in columns])
        return cls(ends, ids[order].astype(np.int32), times[order])

    def cut(self, start: int, stop: int) -> Words:
        """Rows from ``start`` on, before ``stop``."""
        here = slice(int(self.ends[start]), int(self.ends[stop]))
        ends = self.ends[start : stop + 1] - self.ends[start]
        return Words(ends, self.ids[here], self.times[here])

    def every(self, stride: int) -> Words:
        """Every so-many-th row."""
        n = len(self.ends) - 1
        rows = np.arange(0, n, stride)
        lengths = np.diff(self.ends)[rows]
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        at = np.arange(ends[-1]) + np.repeat(self.ends[:-1][rows] - ends[:-1], lengths)
        return Words(ends, self.ids[at], self.times[at])


@dataclass(frozen=True)
class Rows:
    """Rows as numbers, with their classes and weights."""

    x: Array  # (n, p) float64
    y: Array  # (n,) int32, the class's place
    weight: Array  # (n,) float64, or (0,) where every row counts once
    words: Words | None = None

    def __len__(self) -> int:
        return len(self.x)

    @classmethod
    def of(
        cls, block: Block, classes: tuple[Any, ...], design: Design,
        lexicons: tuple[Lexicon, ...], missing: str, class_weight: Array, whole: bool = False,
    ) -> Rows:  # fmt: skip
        """A block's rows; those with a gap left out or refused where that is wanted.

        Where a survey of all rows found them ``whole`` no number is looked at: rows of files come
        by in every round, and to look for gaps took a fifth of it.
        """
        block = learnable(block, missing)
        x = design.matrix(block) if whole else design.filled(block)
        y = block.target.among(classes)
        weight = NONE if block.weight is None else np.ascontiguousarray(block.weight)
        if class_weight.size:
            weight = class_weight[y] * (weight if weight.size else 1.0)
        words = Words.of(block, lexicons) if lexicons else None
        return cls(x, y, weight, words)

    def cut(self, start: int, stop: int) -> Rows:
        """Rows from ``start`` on, before ``stop``."""
        stop = min(stop, len(self))
        words = None if self.words is None else self.words.cut(start, stop)
        return Rows(self.x[start:stop], self.y[start:stop], self.weight[start:stop], words)

    def every(self, stride: int) -> Rows:
        """Every so-many-th row, copied: a view would keep the others in memory."""
        words = None if self.words is None else self.words.every(stride)
        x, y, weight = (one[::stride].copy() for one in (self.x, self.y, self.weight))
        return Rows(x, y, weight, words)

    @property
    def size(self) -> int:
        """Bytes that it takes to be kept."""
        words = 0 if self.words is None else 12 * len(self.words.ids)
        return int(self.x.nbytes) + words + 12 * len(self)
