"""Relays: parts that are read two at a time add up as if they were read one after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tallylearn import engines
from tallylearn.engines import part_reader
from tallylearn.engines.ordered_sum import OrderedSum


@dataclass
class Watched:
    """Parts of letters that remember who reads them, and may fail on the way."""

    texts: tuple[str, ...]
    fail: Callable[[str], None] = lambda letter: None
    open: set[str] = field(default_factory=set)
    most: int = 0  # parts that were open at once
    reading: set[str] = field(default_factory=set)
    clashes: int = 0  # two who read one part at the same time
    seen: list[str] = field(default_factory=list)

    def parts(self) -> Iterator[Any]:
        for text in self.texts:
            yield WatchedPart(self, text)


@dataclass
class WatchedPart:
    of: Watched
    text: str

    def blocks(self) -> Iterator[str]:
        of = self.of
        of.open.add(self.text)
        of.most = max(of.most, len(of.open))
        for letter in self.text:
            of.clashes += self.text in of.reading
            of.reading.add(self.text)
            time.sleep(0.001)
            of.fail(letter)
            of.reading.discard(self.text)
            of.seen.append(letter)
            yield letter
        of.open.discard(self.text)


def raising(*letters: str, after: float = 0.0) -> Callable[[str], None]:
    def check(letter: str) -> None:
        if letter in letters:
            time.sleep(after if letter == letters[0] else 0.0)
            raise ValueError(letter)

    return check


@dataclass(frozen=True)
class Term:
    """A sum that shows in which order it was added."""

    text: str

    def __add__(self, other: Term) -> Term:
        return Term(f"({self.text}{other.text})")


def slow_at_first(letter: str) -> Term:
    """What is read first is done last."""
    time.sleep(0.02 if letter in "ae" else 0.0)
    return Term(letter)


@pytest.mark.parametrize("number", [2, 3, 8])
def test_whoever_is_done_first_the_sum_is_in_the_order_of_the_rows(number: int) -> None:
    source = Watched(("abcd", "", "efg", "h", "ijkl"))
    found = engines.ThreadEngine(number).total(slow_at_first, source)
    assert found == engines.ThreadEngine(1).total(Term, Watched(source.texts))
    assert found == Term("((((ab)(cd))((ef)g))(h((ij)(kl))))")


@pytest.mark.parametrize("number", [2, 8])
def test_two_parts_are_open_at_once_and_each_is_read_by_one_thread_at_a_time(number: int) -> None:
    source = Watched(("abcdefgh", "ijklmnop", "qrstuvwx", "yz"))
    engines.ThreadEngine(number).total(Term, source)
    assert source.most == part_reader.MAX_OPEN_PARTS == 2
    assert source.clashes == 0
    assert sorted(source.seen) == [*"abcdefghijklmnopqrstuvwxyz"]


def test_of_several_errors_the_first_rows_is_raised_whoever_meets_one_before() -> None:
    calls = raising("c", "e", after=0.02)  # that of the first part comes later
    with pytest.raises(ValueError, match="c"):
        engines.ThreadEngine(2).total(calls, Watched(("abcd", "efgh")))
    reads = Watched(("abcd", "efgh", "ijkl"), raising("d", "e", after=0.02))
    with pytest.raises(ValueError, match="d"):
        engines.ThreadEngine(2).total(Term, reads)
    with pytest.raises(ValueError, match="b"):  # worked on while somebody fails to read on
        engines.ThreadEngine(3).total(
            raising("b", after=0.02), Watched(("abcd", "ef"), raising("c", "e"))
        )


def test_where_a_part_fails_those_behind_it_are_not_begun() -> None:
    source = Watched(("a" * 5, "b", *"c" * 500), raising("b"))
    with pytest.raises(ValueError, match="b"):
        engines.ThreadEngine(2).total(lambda letter: time.sleep(0.002), source)
    assert source.seen.count("a") == 5
    assert source.seen.count("c") < 100  # how many are read before the thread that fails goes on


def test_parts_that_cannot_be_listed_are_an_error_behind_those_that_can() -> None:
    class Cut:
        def parts(self) -> Iterator[Any]:
            yield WatchedPart(Watched(()), "abc")
            yield WatchedPart(Watched(()), "def")
            raise ValueError("no more files")

    with pytest.raises(ValueError, match="no more files"):
        engines.ThreadEngine(2).total(raising(), Cut())
    with pytest.raises(ValueError, match="f"):
        engines.ThreadEngine(2).total(raising("f"), Cut())


def test_who_watches_is_told_of_every_block_on_the_thread_that_asked() -> None:
    told: list[tuple[int, bool]] = []

    def watch(rows: int) -> None:
        told.append((rows, threading.current_thread() is threading.main_thread()))

    blocks = [["a", "b"], ["c"], ["d", "e", "f"]]

    class Lists:
        def parts(self) -> Iterator[Any]:
            return (engines.SinglePart(blocks) for _ in range(3))

    def inner(block: list[str]) -> int:
        assert engines.current_engine().n_threads == 2
        engines.current_engine().report_rows(1000)  # who works for others tells nobody
        return len(block)

    assert engines.ThreadEngine(2, watch).total(inner, Lists()) == 18
    assert sorted(told) == sorted([(len(block), True) for block in blocks] * 3)


def test_an_interruption_ends_the_work_and_leaves_no_thread() -> None:
    done: list[str] = []

    def call(letter: str) -> Term:
        if letter == "c":
            raise KeyboardInterrupt
        done.append(letter)
        return Term(letter)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        engines.ThreadEngine(2).total(call, Watched(("abc" + "d" * 500, "e" * 500)))
    assert threading.active_count() == before
    assert done.count("d") < 100

    def watch(rows: int) -> None:
        raise KeyboardInterrupt

    source = Watched(("a" * 500, "b" * 500))
    with pytest.raises(KeyboardInterrupt):
        engines.ThreadEngine(2, watch).total(Term, source)
    assert threading.active_count() == before
    assert len(source.seen) < 100


def test_the_sum_of_a_part_is_let_go_once_it_is_added() -> None:
    """Of a thousand parts only as many sums are held as a tree of additions has levels."""
    found = OrderedSum[int]()
    for number in (3, 1, 2):
        found.put(number, 10**number)
    assert (found.added, found.total()) == (0, None)
    found.put(0, 1)
    assert (found.added, found.total()) == (4, 1111)


def test_rows_of_many_files_are_those_of_one(tmp_path: Path) -> None:
    import numpy as np
    import polars as pl

    import tallylearn as tl

    rng = np.random.default_rng(1)
    x = rng.normal(size=(150_000, 2))
    whole = pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "y": (x[:, 0] + x[:, 1] > 0).astype(int)})
    for at in range(5):
        whole[at * 30_000 : (at + 1) * 30_000].write_parquet(tmp_path / f"{at}.parquet")
    told: list[int] = []
    with tl.engine(threads=2, watch=told.append):
        two = tl.NaiveBayes().fit(tmp_path / "*.parquet", "y")
    with tl.engine(threads=1):
        one = tl.NaiveBayes().fit(tmp_path / "*.parquet", "y")
    assert two.tally_ == one.tally_ == tl.NaiveBayes().fit(whole, "y").tally_
    assert sum(told) == 150_000
