"""Engines: every one adds the same trees of blocks within parts, and of parts."""

from __future__ import annotations

import json
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import engines, modelfile
from tallylearn.engines.ordered_sum import pairwise_sum
from tallylearn.errors import OptionError
from tallylearn.inspection.description import surveys
from tallylearn.sources import Parts
from tallylearn.sources.files import parquet
from tallylearn.sources.memory import joined_blocks
from tallylearn.sources.memory import table as memory_table
from tallylearn.tables import BLOCK

RNG = np.random.default_rng(2)
N = 3 * BLOCK + 1000
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)), columns=[*"abc"]).round(3)
FRAME["y"] = np.where(FRAME.a + RNG.normal(size=N) > 0, "u", "v")


@dataclass
class Elsewhere:
    """An engine whose workers get parts as bytes, read them, and send back one sum for each."""

    n_threads: int = 1
    rows: list[int] = field(default_factory=list)
    sent: int = 0  # parts
    sent_items: int = 0

    def report_rows(self, rows: int) -> None:
        self.rows.append(rows)

    def map(self, call: Callable[[Any], Any], source: Parts[Any]) -> Iterator[Any]:
        return (result for part in source.parts() for result in self._block_results(call, part))

    def total(self, call: Callable[[Any], Any], source: Parts[Any]) -> Any:
        return pairwise_sum(pairwise_sum(self._block_results(call, p)) for p in source.parts())

    def total_parts(self, call: Callable[[Any], Any], source: Parts[Any]) -> Any:
        return pairwise_sum(self._part_result(call, part) for part in source.parts())

    def each(
        self,
        call: Callable[[Any], Any],
        items: Iterable[Any],
        done: Callable[[int], None] | None = None,
    ) -> list[Any]:
        """The call and its item travel as bytes, and so does the result."""
        results = []
        for item in items:
            self.sent_items += 1
            there = pickle.loads(pickle.dumps((call, item)))
            results.append(pickle.loads(pickle.dumps(there[0](there[1]))))
            if done is not None:
                done(1)
        return results

    def _part_result(self, call: Callable[[Any], Any], part: Any) -> Any:
        """The call travels too, and what it found comes back as bytes."""
        self.sent += 1
        there = engines.CountedPart(pickle.loads(pickle.dumps(part)))
        found = pickle.loads(pickle.dumps(call))(there)
        self.report_rows(len(there))
        return pickle.loads(pickle.dumps(found))

    def _block_results(self, call: Callable[[Any], Any], part: Any) -> Iterator[Any]:
        self.sent += 1
        for block in pickle.loads(pickle.dumps(part)).blocks():
            yield call(block)
            self.report_rows(len(block))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as two files."""
    found = tmp_path_factory.mktemp("engines")
    FRAME[: BLOCK + 500].to_csv(found / "1.csv", index=False)
    FRAME[BLOCK + 500 :].to_csv(found / "2.csv", index=False)
    return found


@pytest.fixture(params=["frame", "files"])
def source(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A table of several parts, each of several blocks."""
    for module in (memory_table, parquet):
        monkeypatch.setattr(module, "RUN", 2 * BLOCK)
    if request.param == "frame":
        return tl.table(FRAME, target="y")
    return tl.table(request.getfixturevalue("folder") / "*.csv", target="y")


def test_a_description_is_the_same_on_every_engine_and_told_of_every_row_in_every_pass(
    source: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveys, "MEMORY_SHARE", 0.0)
    monkeypatch.setattr(joined_blocks, "MAX_SMALL_FILE_BYTES", 0)
    found, told, elsewhere = [], list[int](), Elsewhere()
    for chosen in (
        engines.ThreadEngine(1),
        engines.ThreadEngine(2),
        engines.ThreadEngine(5, told.append),
    ):
        with engines.use_engine(chosen):
            found.append(tl.describe(source).to_dict())
    with engines.use_engine(elsewhere):
        found.append(tl.describe(source).to_dict())
    texts = {json.dumps(one, sort_keys=True) for one in found}
    assert len(texts) == 1
    assert elsewhere.sent == 4  # two parts for the columns, and two for what goes together
    assert sum(told) == sum(elsewhere.rows) == 2 * N


def test_a_call_for_a_part_among_others_has_one_thread_and_that_of_one_part_has_all() -> None:
    class Two:
        def __init__(self, parts: int) -> None:
            self.number = parts

        def parts(self) -> Iterator[Any]:
            return (engines.SinglePart([[1, 2], [3]]) for _ in range(self.number))

    def call(part: Any) -> list[tuple[int, list[list[int]]]]:
        return [(engines.current_engine().n_threads, [*part.blocks()])]

    with engines.use_engine(engines.ThreadEngine(3)):
        assert engines.current_engine().total_parts(call, Two(1)) == [(3, [[1, 2], [3]])]
        assert engines.current_engine().total_parts(call, Two(2)) == [(1, [[1, 2], [3]])] * 2
        assert engines.current_engine().total_parts(call, Two(0)) is None


def test_floats_have_the_same_bits_on_every_engine(source: Any) -> None:
    """Scatter is a float tally: other sums of the same rows have other bits."""
    found = []
    elsewhere = Elsewhere()
    for chosen in (
        engines.ThreadEngine(1),
        engines.ThreadEngine(2),
        engines.ThreadEngine(5),
        elsewhere,
    ):
        with engines.use_engine(chosen):
            model = tl.LinearDiscriminantAnalysis().fit(source)
            found.append((modelfile.digests(model), model.predict_proba(source).tobytes()))
    assert len(set(found)) == 1
    assert elsewhere.sent == 4  # two parts to learn from, and two to predict
    assert sum(elsewhere.rows) == 2 * N


def test_blocks_are_summed_within_their_part_and_then_parts() -> None:
    class Letters:
        def parts(self) -> Iterator[Any]:
            return iter(
                [
                    engines.SinglePart(["a", "b", "c"]),
                    engines.SinglePart([]),
                    engines.SinglePart("de"),
                ]
            )

    def named(letter: str) -> str:
        return letter

    @dataclass(frozen=True)
    class Term:
        text: str

        def __add__(self, other: Term) -> Term:
            return Term(f"({self.text}{other.text})")

    for number in (1, 2, 7):
        total = engines.ThreadEngine(number).total(lambda letter: Term(letter), Letters())
        assert total == Term("(((ab)c)(de))")
        assert [*engines.ThreadEngine(number).map(named, Letters())] == [*"abcde"]
        assert engines.ThreadEngine(number).total(named, engines.SinglePart([])) is None


def test_the_engine_in_force_is_in_force_in_its_workers() -> None:
    def seen(_: Any) -> tuple[int, bool]:
        return (
            engines.current_engine().n_threads,
            threading.current_thread() is threading.main_thread(),
        )

    for number in (1, 3):
        with tl.engine(threads=number) as chosen:
            found = {
                *chosen.map(seen, engines.SinglePart("abcdefg")),
                *engines.map_threads(seen, "abc"),
            }
        assert found == {(number, number == 1)}


def test_a_worker_that_chooses_another_engine_has_it_alone() -> None:
    def inner(_: Any) -> tuple[int, int]:
        with tl.engine(threads=1):
            within = {*engines.map_threads(lambda _: engines.current_engine().n_threads, "ab")}
        return within.pop(), engines.current_engine().n_threads

    with tl.engine(threads=2) as chosen:
        assert {*chosen.map(inner, engines.SinglePart("abcd"))} == {(1, 2)}
        assert engines.current_engine().n_threads == 2


def test_rows_are_told_once_however_deep_the_work_is() -> None:
    model = tl.NaiveBayes().fit(FRAME, "y")
    for number in (1, 2):
        seen: list[int] = []
        with tl.engine(threads=number, watch=seen.append) as chosen:
            blocks = tl.table(FRAME, target="y")
            rows = [*chosen.map(lambda block: len(model.predict(block.numbers)), blocks)]
        assert seen == rows == [BLOCK] * 3 + [1000]


def test_watching_counts_the_rows_that_are_read_whole() -> None:
    seen: list[int] = []
    with tl.engine(watch=seen.append):
        tl.DecisionTreeClassifier(max_depth=1).fit(FRAME, "y")
    assert seen == [N]


def test_threads_are_a_whole_number_of_any_kind() -> None:
    with tl.engine(threads=np.int64(2)) as chosen:
        assert chosen.n_threads == 2
    odds: tuple[Any, ...] = (True, 2.0, 0, "2")
    for odd in odds:
        with pytest.raises(OptionError, match="whole number"), tl.engine(threads=odd):
            pass


def test_who_interrupts_stops_the_work_within_the_work() -> None:
    begun, done = threading.Event(), list[int]()

    def tree(at: int) -> None:
        begun.set()
        time.sleep(0.01)
        done.append(at)

    def member(number: int) -> None:
        if number:
            engines.map_threads(tree, range(200))
        else:
            begun.wait()
            raise KeyboardInterrupt

    with tl.engine(threads=2), pytest.raises(KeyboardInterrupt):
        engines.map_threads(member, range(2))
    assert len(done) < 100
    with tl.engine(threads=2):  # and the next work is not concerned
        engines.map_threads(tree, range(3))


def test_of_several_errors_that_of_the_first_item_is_raised() -> None:
    begun = threading.Barrier(2, timeout=10)

    def call(item: int) -> int:
        if item < 2:
            begun.wait()  # both have begun before either fails
            time.sleep(0.05 * (1 - item))
            raise OptionError(f"item {item}")
        return item

    for _ in range(5):
        begun.reset()
        with tl.engine(threads=2), pytest.raises(OptionError, match="item 0"):
            engines.map_threads(call, range(9))


def test_more_items_than_threads_come_back_in_their_order_and_are_told_of() -> None:
    told: list[int] = []
    with tl.engine(threads=3):
        found = engines.map_threads(lambda item: item * item, range(500), told.append)
    assert found == [item * item for item in range(500)]
    assert told == [1] * 500
