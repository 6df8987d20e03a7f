"""Words that were written to share a slot are found as fast as others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from tallylearn.kernels import tokenizer
from tallylearn.tallies import documents
from tallylearn.tallies.documents import FOLD, Reader

LETTERS = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8).astype(np.int64)


def fnv(state: int, block: np.ndarray) -> np.ndarray:
    """FNV-1a in 31 bits, without a key, of blocks of letters (n, length)."""
    code = np.full(len(block), state)
    for letter in block.T:
        code = ((code ^ letter) * 16777619) & 0x7FFFFFFF
    return code


def colliding(pairs: int) -> list[str]:
    """2 ** pairs words of one hash: from every state, two blocks that lead to the same next."""
    blocks = np.random.default_rng(0).choice(LETTERS, (300_000, 10))
    state, found = 0x11C9DC5, []
    for _ in range(pairs):
        code = fnv(state, blocks)
        order = np.argsort(code, kind="stable")
        at = int(np.argmax(np.diff(code[order]) == 0))
        assert code[order[at]] == code[order[at + 1]]
        both = blocks[order[at : at + 2]].astype(np.uint8)
        state = int(code[order[at]])
        found.append([block.tobytes().decode() for block in both])
    return ["".join(word) for word in product(*found)]


def slots_of(words: list[str]) -> np.ndarray:
    """The table of words after all were numbered."""
    text = np.frombuffer(" ".join(words).encode(), np.uint8)
    ends = np.array([[0, 0], [len(text), 0]])
    slots, state = np.zeros(4096, np.int64), np.array([0, 0, 0, *documents.KEY])
    arena, firsts = np.empty(len(text) + 2, np.uint8), np.empty(2048, np.int64)
    ids = np.empty(len(text), np.int32)
    tokenizer.tokenize(text, FOLD, ends, slots, arena, firsts, ids, state)
    assert state[1] == len(words)
    return slots


def probes(slots: np.ndarray) -> int:
    """How many slots are looked at to find every word once."""
    taken = np.flatnonzero(slots)
    return int((((taken - (slots[taken] >> 32)) & (len(slots) - 1)) + 1).sum())


def test_words_that_collide_without_a_key_do_not_with_one() -> None:
    words = colliding(8)
    assert len({*fnv(0x11C9DC5, np.array([[*word.encode()] for word in words])).tolist()}) == 1
    slots = slots_of(words)
    assert len({*(slots[slots > 0] >> 32).tolist()}) == len(words)
    assert probes(slots) < 2 * len(words)  # 32,896 where all share one


def test_the_key_is_another_in_every_process_and_changes_no_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = pa.array(["b a b", "", None, "über Äpfel a", *colliding(5)], pa.large_string())
    first, codes = Reader(1, 2).bags(texts), slots_of(["one", "two", "three"])
    monkeypatch.setattr(documents, "KEY", documents.KEY ^ np.array([1, 2**31]))
    again = Reader(1, 2).bags(texts)
    assert (slots_of(["one", "two", "three"]) != codes).any()
    assert again.terms == first.terms
    assert again.ids.tolist() == first.ids.tolist()
