"""Chunks: a run of whole rows, as bytes, becomes a batch of Arrow's columns."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.kernels import csv_parsing, string_codes
from tallylearn.sources.files.csv.dialect import Dialect

Array = NDArray[Any]
Run = list[bytes | memoryview]  # bytes of rows, in pieces
Foreign = tuple[str, bytes, int]  # a column, a value in it that is not UTF-8, and its row
NUMBER, DAY, WORD, TEXT, PASSED = range(
    5
)  # what a column is read as; as in kernels/csv_parsing.pxd
RAGGED, OPEN = 1, 2  # how the kernel ends where it is not done
SLOTS = 64  # for the words of a column, to begin with
EXACT = 2.0**53  # no number is as large: this is a gap
_KEY = 2**28 + secrets.randbelow(2**28)  # of the hashes: who writes files does not know it
_FORMS = {"number": NUMBER, "date": DAY, "string": WORD, "text": TEXT}
_DAY = 86_400_000_000  # microseconds


@dataclass(frozen=True)
class RaggedRow:
    """A row with another number of cells than the first."""

    text: str
    actual_columns: int
    expected_columns: int
    number: int  # of rows before it


@dataclass(frozen=True)
class Chunk:
    """What a run of rows holds."""

    layout: CellLayout
    batch: Any
    odd: tuple[str, ...] = ()  # the columns of numbers or dates in which some cell is no plain one
    foreign: Foreign | None = None
    ragged: RaggedRow | None = None
    rest: bytes = b""  # a row that opens a quote and does not end here


@dataclass(frozen=True)
class CellLayout:
    """How rows are cut into cells, and what their columns are read as."""

    names: tuple[str, ...]  # of all columns
    forms: Mapping[str, str]  # of those that are read: number, date, string, text
    dialect: Dialect

    def parse(self, run: Run) -> Chunk:
        """The columns of some rows; the last one may lack its line end."""
        work = _Work(self, run)
        how = work.parse()
        while how == RAGGED and not work.line().text.strip():
            how = work.parse()
        if how == RAGGED:
            return Chunk(self, None, ragged=work.line())
        return work.chunk(work.whole()[work.state[2] :] if how == OPEN else b"")

    def with_strings(self, names: Iterable[str]) -> CellLayout:
        """The same, where some columns are none of numbers or dates."""
        return replace(self, forms={**self.forms, **dict.fromkeys(names, "string")})

    @cached_property
    def marks(self) -> bytes:
        """The words that stand for nothing, a 0 behind each."""
        return "".join(f"{word}\0" for word in self.dialect.missing).encode()

    @cached_property
    def plan(self) -> Array:
        """For every column what it is read as and its place there; the rest is the kernel's."""
        plan = np.zeros((len(self.names), 6), np.int32)
        plan[:, 0] = [_FORMS.get(self.forms.get(name, ""), PASSED) for name in self.names]
        numbers, words = plan[:, 0] <= DAY, (plan[:, 0] > DAY) & (plan[:, 0] < PASSED)
        plan[:, 1] = np.where(numbers, np.cumsum(numbers), np.cumsum(words))
        plan[:, 1] -= 1
        size = SLOTS
        while size < 4 * len(self.dialect.missing):
            size *= 2
        plan[:, 5] = size
        return plan

    @cached_property
    def state(self) -> Array:
        """What the kernel is told of the text."""
        dialect, marks = self.dialect, self.marks
        numeric = any(word[:1] in "+-.,0123456789" for word in dialect.missing if word)
        quote = ord(dialect.quote) if dialect.quote else -1
        signs = (ord(dialect.delimiter), quote, ord(dialect.decimal))
        told = [0] * 7 + [len(marks), len(dialect.missing), *signs, int(numeric), _KEY]
        return np.array(told, np.int64)


class _Work:
    """One run of rows while it is parsed."""

    def __init__(self, layout: CellLayout, run: Run) -> None:
        self.layout, self.run = layout, run
        self.plan, self.state = layout.plan.copy(), layout.state.copy()
        self.text = memoryview(bytearray().join([layout.marks, *run]))
        rows, marks = csv_parsing.line_ends(self.text) + 1, len(layout.dialect.missing)
        numbers = int((self.plan[:, 0] <= DAY).sum())
        words = int((self.plan[:, 0] < PASSED).sum()) - numbers
        self.numbers = np.empty((numbers, rows))
        self.codes = np.empty((words, rows), np.int32)
        self.entries = np.empty((words, rows + marks, 3), np.int32)
        self.slots = np.empty((words, max(4 * (rows + marks), self.plan[0, 5])), np.int32)
        self.slots[:, : self.plan[0, 5]] = 0
        self.hard = np.empty((numbers * rows, 4), np.int64)

    def parse(self) -> int:
        how: int = csv_parsing.parse(
            self.text, self.plan, self.numbers, self.codes, self.entries, self.slots,
            self.hard, self.state,
        )  # fmt: skip
        return how

    def whole(self) -> bytes:
        """The text as it was: the kernel takes quotes out of it."""
        return b"".join([self.layout.marks, *self.run])

    def line(self) -> RaggedRow:
        """The row that the kernel stopped at."""
        text = self.whole()[self.state[2] : self.state[0]].decode(errors="replace")
        return RaggedRow(text, int(self.state[3]), len(self.plan), int(self.state[1]))

    def chunk(self, rest: bytes) -> Chunk:
        import pyarrow as pa

        self._settle()
        names, forms = self.layout.names, self.layout.forms
        columns: dict[str, Any] = {}
        foreign: list[Foreign] = []
        for c in np.flatnonzero(self.plan[:, 0] != PASSED).tolist():
            if self.plan[c, 0] <= DAY:
                columns[names[c]] = self._numbers(c)
            else:
                columns[names[c]], bad = self._strings(c)
                foreign += [(names[c], *bad)] if bad else []
        odd = tuple(names[c] for c in np.flatnonzero(self.plan[:, 3]))
        batch = pa.RecordBatch.from_arrays([columns[n] for n in forms], names=list(forms))
        first = min(foreign, key=lambda one: one[2], default=None)
        return Chunk(self.layout, batch, odd, first, rest=rest)

    def _settle(self) -> None:
        """Numbers of very many digits, or far from 1."""
        for c, row, start, stop in self.hard[: self.state[4]].tolist():
            text = str(self.text[start:stop], "ascii").replace(self.layout.dialect.decimal, ".")
            value = float(text)
            self.numbers[self.plan[c, 1], row] = value
            self.plan[c, 3] |= abs(value) >= EXACT

    def _numbers(self, c: int) -> Any:
        """A column of numbers, or of days as the instants at which they begin."""
        import pyarrow as pa

        data, kind = self.numbers[self.plan[c, 1], : self.state[1]], pa.float64()
        valid = _bits(data != EXACT) if self.plan[c, 2] else None
        if self.plan[c, 0] == DAY:
            data, kind = data.astype(np.int64) * _DAY, pa.timestamp("us")
        return pa.Array.from_buffers(kind, len(data), [valid, pa.py_buffer(data)])

    def _strings(self, c: int) -> tuple[Any, tuple[bytes, int] | None]:
        """A column of words, and a value in it that is not UTF-8, with its row."""
        import pyarrow as pa

        place = self.plan[c, 1]
        codes = self.codes[place, : self.state[1]]
        marks = 0 if self.plan[c, 0] == TEXT else len(self.layout.dialect.missing)
        words = self._words(self.entries[place, marks : self.plan[c, 4]])
        valid = _bits(codes >= 0) if self.plan[c, 2] else None
        if self.plan[c, 0] == TEXT:
            words = words.slice(0, len(codes))
            buffers = [valid, *words.buffers()[1:]]
            column = pa.Array.from_buffers(pa.string(), len(codes), buffers)
        else:
            if valid is not None:  # Arrow looks up what stands under a gap too
                codes = np.maximum(codes, 0)
            at = pa.Array.from_buffers(pa.int32(), len(codes), [valid, pa.py_buffer(codes)])
            column = pa.DictionaryArray.from_arrays(at, words, safe=False)
        return column, _foreign(column, words)

    def _words(self, entries: Array) -> Any:
        import pyarrow as pa

        ends = np.zeros(len(entries) + 1, np.int32)
        np.cumsum(entries[:, 1], out=ends[1:])
        data = np.empty(ends[-1], np.uint8)
        string_codes.gather(self.text, entries, ends, data)
        buffers = pa.py_buffer(ends), pa.py_buffer(data)
        return pa.StringArray.from_buffers(len(entries), *buffers)


def _bits(truths: Array) -> Any:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(truths, bitorder="little"))


def _foreign(column: Any, words: Any) -> tuple[bytes, int] | None:
    """The first value that is not UTF-8, with its row."""
    import pyarrow as pa

    try:
        words.validate(full=True)
        return None
    except pa.ArrowInvalid:
        pass
    plain = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    for row, value in enumerate(plain.view(pa.binary()).to_pylist()):
        try:
            (value or b"").decode()
        except UnicodeDecodeError:
            return value, row
    return None
