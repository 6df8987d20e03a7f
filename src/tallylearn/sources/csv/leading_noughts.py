"""Noughts that lead: 007 is a code, and must be seen before a reader of numbers makes it 7.

Arrow parses the columns of plain numbers without showing their text, so the bytes are looked at on
their way there: a nought at the beginning of a cell, with a digit behind it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tallylearn.sources.csv.decoding import Bytes
from tallylearn.tables import Array

_DIGIT = np.isin(np.arange(256), [*b"0123456789"])
_BEFORE = np.isin(np.arange(256), [*b' \t"+-'])  # what may stand before a number in its cell


class WatchedBytes(Bytes):
    """A file's bytes; the places of the columns with leading noughts are added to ``codes``."""

    def __init__(
        self, path: Path, encoding: str, file: BinaryIO | None, delimiter: str, codes: set[int]
    ) -> None:
        super().__init__(path, encoding, file)
        self._codes, self._delimiter, self._rest = codes, ord(delimiter), b""

    def readinto(self, buffer: Any) -> int:
        size = super().readinto(buffer)
        if self._delimiter < 128:
            self._watch(self._rest + bytes(buffer[:size]))
        return size

    def _watch(self, data: bytes) -> None:
        letters = np.frombuffer(data, np.uint8)
        hits = _noughts(letters, self._delimiter)
        if len(hits):
            self._codes.update(_columns(hits, letters, self._delimiter))
        lines = _outside(letters, ord("\n")) if b'"' in data else [data.rfind(b"\n")]
        self._rest = data[int(lines[-1]) + 1 :] if len(lines) else data


def _noughts(letters: Array, delimiter: int) -> Array:
    """Where a nought begins a cell, and goes on with a digit."""
    at = np.flatnonzero(letters[:-1] == ord("0"))
    at = at[_DIGIT[letters[at + 1]]]
    begins = np.isin(np.arange(256), [delimiter, *b"\r\n"])
    padded = np.concatenate([np.full(3, ord("\n"), dtype=np.uint8), letters])
    one, two, three = padded[at + 2], padded[at + 1], padded[at]  # a quote, a blank and a sign
    inner = begins[two] | (_BEFORE[two] & begins[three])
    return np.asarray(at[begins[one] | (_BEFORE[one] & inner)])


def _columns(hits: Array, letters: Array, delimiter: int) -> list[int]:
    """The columns of some places in lines of which the first is whole."""
    cuts, lines = _outside(letters, delimiter), np.append(-1, _outside(letters, ord("\n")))
    starts = lines[np.searchsorted(lines, hits) - 1]
    found: list[int] = np.unique(
        np.searchsorted(cuts, hits) - np.searchsorted(cuts, starts)
    ).tolist()
    return found


def _outside(letters: Array, mark: int) -> Array:
    """The places of a mark that stand in no quotes."""
    found = np.flatnonzero(letters == mark)
    quotes = np.flatnonzero(letters == ord('"'))
    return found[np.searchsorted(quotes, found) % 2 == 0] if len(quotes) else found
