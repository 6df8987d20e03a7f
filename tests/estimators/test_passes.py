"""Passes over a table: the same sums from memory and from files, by calls that can be sent."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallylearn import engines, modelfile
from tallylearn.engines import ThreadEngine
from tallylearn.errors import InputError
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.passes import Learned, Passes, in_memory, iterate, one_pass
from tallylearn.tables import Block
from tests.learners import CASES, Case
from tests.tables import mixed_table

# a tree of a forest and a member of a vote need all rows: their calls hold them, coded
HOLD_ROWS = ("forest", "regression-forest", "extra", "vote", "calibrated", "tuned")


def rows_in(block: Block) -> int:
    return len(block)


def sum_of(block: Block) -> float:
    return float(block.numbers[:, 0].sum())


def doubled(block: Block) -> Block:
    return Block(block.schema, 2 * block.numbers, block.codes, block.text, block.target)


def passes_of(X: Any, y: Any) -> Passes:
    read = read_fit_input(X, y, None, "test", "regressor")
    return Passes(read, read.schema, len(read.schema.columns))


@pytest.fixture(params=["memory", "file"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Passes]:
    """200,000 rows, more than a block: in memory, and in a file."""
    frame = pd.DataFrame({"x": np.arange(200_000.0), "y": 1.0})
    if request.param == "file":
        frame.to_csv(tmp_path / "rows.csv", index=False)
    table = frame if request.param == "memory" else tmp_path / "rows.csv"
    with passes_of(table, "y") as passes:
        yield passes


def test_totals_maps_and_whole_tables_see_every_row(opened: Passes) -> None:
    assert opened.total(rows_in) == 200_000
    assert opened.total(sum_of) == opened.total(sum_of) == sum(range(200_000))
    assert sum(opened.map(rows_in)) == 200_000
    assert len(opened.whole()) == 200_000
    assert opened.each(len, ["a", "bc"]) == [1, 2]
    assert opened.n_rows in (200_000, None)
    assert opened.dropped_rows.answered == 200_000


def test_mapped_rows_are_transformed_once_they_are_cached(opened: Passes) -> None:
    mapped = opened.mapped(doubled)
    assert mapped.total(sum_of) == 2 * sum(range(200_000))
    cached = mapped.cached()
    assert cached.total(sum_of) == cached.total(sum_of) == 2 * sum(range(200_000))
    assert cached.mapped(doubled).cached().total(sum_of) == 4 * sum(range(200_000))
    assert sum_of(mapped.whole()) == 2 * sum(range(200_000))


def test_every_kth_row_is_a_sample_of_every_block(opened: Passes) -> None:
    blocks = [*opened.map(rows_in)]
    assert opened.every(10).total(rows_in) == sum(-(-n // 10) for n in blocks)
    assert opened.every(1) is opened


def test_one_block_in_memory_is_called_directly() -> None:
    with passes_of([[1.0], [2.0]], [0.0, 1.0]) as passes:
        assert passes.cached().total(sum_of) == 3.0
        held = passes.cached()
        assert held.only is not None
        assert held.total(sum_of) == 3.0
        assert held.mapped(doubled).only is None
        assert held.mapped(doubled).cached().total(sum_of) == 6.0


def test_the_rows_of_a_kept_file_are_gone_after_the_fit(tmp_path: Path) -> None:
    pd.DataFrame({"x": [1.0, 2.0], "y": [0.0, 1.0]}).to_csv(tmp_path / "a.csv", index=False)
    with passes_of(tmp_path / "a.csv", "y") as passes:
        kept = passes.cached()
        assert kept.total(rows_in) == 2
        assert kept.kept
        folder = next(iter(kept.rows.parts())).folder  # type: ignore[attr-defined]
        assert folder.parent.exists()
    assert not folder.parent.exists()


def test_rows_without_a_target_are_counted_in_the_first_pass() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [0.0, None, 1.0]})
    with passes_of(table, "y") as passes:
        assert passes.total(rows_in) == 2
        assert (passes.dropped_rows.rows, passes.dropped_rows.of) == (1, 3)
    with (
        passes_of(table[:0], "y") as passes,
        pytest.raises(InputError, match="row"),
    ):
        passes.total(rows_in)


@dataclass(frozen=True)
class Halving:
    """Newton's method for the root of the first column's sum, by sums over the rows."""

    root: float
    gap: float = np.inf

    @property
    def done(self) -> bool:
        return self.gap < 1e-12


def excess(block: Block, state: Halving) -> np.ndarray[Any, Any]:
    """Sum and derivative of x^2 root^2 - x^2 over the rows."""
    x = block.numbers[:, 0]
    return np.array([(x * x).sum() * (state.root**2 - 2.0), 2.0 * (x * x).sum() * state.root])


def newton(state: Halving, total: np.ndarray[Any, Any]) -> Halving:
    step = float(total[0] / total[1])
    return Halving(state.root - step, abs(step))


def test_the_usual_shapes_are_plain_functions() -> None:
    with passes_of([[1.0], [2.0]], [0.0, 1.0]) as passes:
        assert one_pass(passes, sum_of, lambda total: total + 1) == Learned(4.0, 3.0)
        assert in_memory(passes, rows_in).model == 2
        found = iterate(passes, Halving(1.0), excess, newton)
        assert found.root == pytest.approx(2**0.5, abs=1e-12)
        with pytest.raises(InputError, match="2 passes"):
            iterate(passes, Halving(1.0), excess, newton, max_passes=2)


@dataclass(frozen=True)
class Sending(ThreadEngine):
    """An engine that pickles every call, and calls what comes out of the pickle."""

    n_threads: int = 1
    sizes: list[int] = field(default_factory=list)

    def _sent(self, call: Any) -> Any:
        data = pickle.dumps(call)
        self.sizes.append(len(data))
        return pickle.loads(data)

    def map(self, call: Callable[[Any], Any], source: Any) -> Iterator[Any]:
        return super().map(self._sent(call), source)

    def total(self, call: Callable[[Any], Any], source: Any) -> Any:
        return super().total(self._sent(call), source)

    def each(self, call: Callable[[Any], Any], items: Iterable[Any], done: Any = None) -> list[Any]:
        return super().each(self._sent(call), items, done)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_call_of_a_fit_pickles_and_most_without_the_table(case: Case) -> None:
    table = pd.concat([case.table(mixed_table())] * 20, ignore_index=True)
    engine = Sending()
    with engines.use_engine(engine):
        sent = case.make().fit(table, case.target)
    largest = max(engine.sizes, default=0)
    print(f"{case.name}: {len(engine.sizes)} calls, the largest has {largest} bytes")
    if not case.name.startswith(HOLD_ROWS):
        assert largest < table.memory_usage(deep=True).sum()
    here = case.make().fit(table, case.target)
    assert modelfile.digests(sent)[0] == modelfile.digests(here)[0]
