"""Documents: a text is the bag of its words."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError, call_user_function, items_of, short_repr
from tallylearn.kernels import tokenizer as tokenizer_module
from tallylearn.tables import Array, DocumentTerms, Start, field_schemas, row_number
from tallylearn.tallies.weights import ONCE

WORD = re.compile(r"\w+")
SLOTS = 1 << 12  # of the first table of words; doubled as they fill
# Of the hash that finds a word's slot: another in every process, so that no words can be written
# that all share one. Words are numbered as they first appear, so that no result depends on it.
KEY = np.frombuffer(os.urandom(8), dtype=np.uint32).astype(np.int64)
AS_IS = np.arange(256, dtype=np.uint8)


def _fold_table() -> Array:
    """Small letters for capitals, nothing for what parts words; bytes beyond ASCII are words."""
    fold = AS_IS.copy()
    for byte in range(128):
        fold[byte] = ord(chr(byte).lower()) if WORD.match(chr(byte)) else 0
    return fold


FOLD = _fold_table()


@dataclass(frozen=True)
class Reader:
    """How a text becomes terms: the runs of letters, digits and underscores of its lower case,
    or what ``tokenizer`` says; ``shortest`` to ``longest`` of them in a row are a term.
    """

    shortest: int = 1
    longest: int = 1
    tokenizer: Callable[[str], Iterable[str]] | None = None

    form: ClassVar[field_schemas.Form] = {
        "shortest": field_schemas.count(1),
        "longest": field_schemas.count(1),
        "tokenizer": field_schemas.nothing,
    }

    def check(self) -> None:
        """What a file says can be."""
        if self.shortest > self.longest:
            raise ValueError("documents: the shortest n-gram is longer than the longest")

    def bags(self, text: Any, column: str = "text", start: Start = 0) -> DocumentTerms:
        """The terms of every document; what is counted already stays as it is."""
        if isinstance(text, DocumentTerms):
            return text
        raw, ends = _buffers(text)
        fold = FOLD
        if self.tokenizer is not None:
            raw, ends = _cut_by(self.tokenizer, text, start)
            fold = AS_IS
        elif raw.max(initial=0) >= 128:
            raw, ends = _separate_words(raw, ends, column, start)
        bags = replace(_tokenize(raw, fold, ends), present=present(text))
        return bags if self.longest == 1 else _runs(bags, self.shortest, self.longest)


def _tokenize(raw: Array, fold: Array, ends: Array) -> DocumentTerms:
    documents = np.zeros((len(ends), 2), dtype=np.int64)
    documents[:, 0] = ends
    ids = np.empty(len(raw) // 2 + len(ends), dtype=np.int32)  # memory that is never touched
    arena = np.empty(len(raw) + len(ends), dtype=np.uint8)  # costs nothing
    slots = np.zeros(SLOTS, dtype=np.int64)
    firsts, state = np.empty(SLOTS // 2, dtype=np.int64), np.array([0, 0, 0, *KEY])
    tokenizer_module.tokenize(raw, fold, documents, slots, arena, firsts, ids, state)
    while state[0] < len(ends) - 1:
        more = np.zeros(2 * len(slots), dtype=np.int64)
        tokenizer_module.respread(slots, more)
        slots, firsts = more, np.concatenate([firsts, np.empty_like(firsts)])
        tokenizer_module.tokenize(raw, fold, documents, slots, arena, firsts, ids, state)
    terms = arena[: state[2]].tobytes().decode("utf-8", "surrogatepass").split("\0")[:-1]
    found = np.ascontiguousarray(documents[:, 1])
    everywhere = np.ones(len(ends) - 1, dtype=bool)
    return DocumentTerms(tuple(terms), found, ids[: found[-1]].copy(), ONCE, everywhere)


def _buffers(text: Any) -> tuple[Array, Array]:
    """The bytes of Arrow strings, and where each ends; a missing one is empty."""
    if text.null_count:
        text = text.fill_null("")
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int64, len(text) + 1, text.offset * 8)
    if data is None or not len(data):
        return np.zeros(0, dtype=np.uint8), ends - ends[0]
    return np.frombuffer(data, np.uint8)[ends[0] : ends[-1]], ends - ends[0]


def present(text: Any) -> Array:
    """(n,) which documents there are."""
    if isinstance(text, DocumentTerms):
        return text.present
    if not text.null_count:
        return np.ones(len(text), dtype=bool)
    return np.array(text.is_valid().to_pylist(), dtype=bool)


def _separate_words(raw: Array, ends: Array, column: str, start: Start) -> tuple[Array, Array]:
    """Documents beyond ASCII with their words parted by zeros; the others as they are."""
    odd = np.unique(np.searchsorted(ends, np.flatnonzero(raw >= 128), side="right") - 1)
    lengths, pieces, last = np.diff(ends), [], 0
    for d in odd.tolist():
        try:
            text = raw[ends[d] : ends[d + 1]].tobytes().decode()
        except UnicodeDecodeError:
            raise ColumnError(
                f"column {column!r} has bytes that are not UTF-8 in row "
                f"{row_number(start, d)}. Decode the text with its own encoding first."
            ) from None
        words = "\0".join(WORD.findall(text.lower())).encode()
        pieces += [raw[ends[last] : ends[d]].tobytes(), words]
        lengths[d], last = len(words), d + 1
    pieces.append(raw[ends[last] :].tobytes())
    return _concatenate(pieces), np.concatenate([[0], np.cumsum(lengths)])


def _cut_by(
    tokenizer: Callable[[str], Iterable[str]], text: Any, start: Start
) -> tuple[Array, Array]:
    pieces = []
    for row, document in enumerate(text.to_pylist()):
        found = () if document is None else call_user_function("tokenizer", tokenizer, document)
        items = items_of(found)
        words: list[Any] = [found] if items is None else items
        if odd := [word for word in words if not isinstance(word, str) or "\0" in word]:
            raise OptionError(
                f"tokenizer returned {short_repr(odd[0])} for row "
                f"{row_number(start, row)}. It must take a text and return a list of "
                "strings without the character NUL."
            )
        pieces.append("\0".join(words).encode("utf-8", "surrogatepass"))
    return _concatenate(pieces), np.concatenate(
        [[0], np.cumsum([*map(len, pieces)], dtype=np.int64)]
    )


def _concatenate(pieces: Sequence[bytes]) -> Array:
    return np.frombuffer(b"".join(pieces), dtype=np.uint8)


def _runs(bags: DocumentTerms, shortest: int, longest: int) -> DocumentTerms:
    """Every run of words, in the order in which the runs begin."""
    n, stop = len(bags.ids), np.repeat(bags.ends[1:], np.diff(bags.ends))
    names, code = list(bags.terms), bags.ids.astype(np.int64)
    starts = np.arange(n)
    found: list[tuple[Array, Array]] = []
    terms: dict[str, int] = {}  # a tokenizer's words may hold blanks, and look like runs
    for length in range(1, longest + 1):
        if length > 1:
            starts = starts[starts + length <= stop[starts]]
            if not len(starts):  # no document is so long
                break
            pairs = code[starts] * len(bags.terms) + bags.ids[starts + length - 1]
            distinct, inside = np.unique(pairs, return_inverse=True)
            first, then = np.divmod(distinct, max(1, len(bags.terms)))
            names = [f"{names[a]} {bags.terms[b]}" for a, b in zip(first, then, strict=True)]
            code = np.zeros(n, dtype=np.int64)
            code[starts] = inside
        if length >= shortest:
            place = np.array([terms.setdefault(name, len(terms)) for name in names], dtype=np.int32)
            found.append((starts, place[code[starts]]))
    found = found or [(starts, np.zeros(0, dtype=np.int32))]
    at, ids = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], bags.ends).astype(np.int64)
    return replace(bags, terms=tuple(terms), ends=ends, ids=ids[order].astype(np.int32))
