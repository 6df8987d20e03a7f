"""A sketch of quantiles: the laws of tallies, and a relative error that is never exceeded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallylearn.tallies.quantile_sketch import ERROR, Buckets, QuantileSketch, middles

NORMAL = 2.3e-308  # below, doubles have fewer digits
VALUES = st.lists(st.tuples(
    st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, 1.7976931348623157e308, 5e-324])),
    st.integers(1, 9),
), max_size=30)  # fmt: skip


def sketch(rows: list[tuple[float, int]]) -> QuantileSketch:
    x, w = (np.array(side, dtype=float) for side in ([r[0] for r in rows], [r[1] for r in rows]))
    return QuantileSketch.of(x, w)


@given(rows=VALUES, cut=st.integers(0, 30), data=st.data())
def test_order_and_parts_do_not_matter_and_forgetting_leaves_no_trace(
    rows: list[Any], cut: int, data: st.DataObject
) -> None:
    whole = sketch(rows)
    assert sketch(rows[:cut]) + sketch(rows[cut:]) == whole
    assert sketch(data.draw(st.permutations(rows))) == whole
    assert whole - sketch(rows[cut:]) == sketch(rows[:cut])
    assert whole + sketch([]) == whole == sketch([]) + whole
    assert whole.impossible() is None
    assert not (whole - whole)
    if whole:
        assert (sketch([]) - whole).impossible()


@given(rows=VALUES)
def test_weight_two_is_the_row_twice(rows: list[Any]) -> None:
    double = sketch([(x, 2 * w) for x, w in rows])
    assert double == sketch(rows) + sketch(rows) == sketch(rows + rows)


@given(rows=VALUES)
def test_every_number_lies_within_the_error_of_the_middle_of_its_bucket(rows: list[Any]) -> None:
    there = sorted(x for x, _ in rows if x == x)
    values, counts = QuantileSketch.of(np.array([x for x, _ in rows], dtype=float)).points()
    assert (np.diff(values) > 0).all()
    for x, found in zip(there, np.repeat(values, counts.astype(int)), strict=True):
        if abs(x) >= NORMAL and np.isfinite(x):
            assert abs(found / 2 - x / 2) <= ERROR * abs(x / 2)
        else:
            assert found == x or abs(found - x) < 1e-310


@given(rows=VALUES, more=VALUES)
def test_the_place_of_a_row_is_the_cell_that_counted_it(rows: list[Any], more: list[Any]) -> None:
    buckets = Buckets()
    x, y = (np.array([x for x, _ in some], dtype=float) for some in (rows, more))
    buckets.add(x)
    buckets.add(y)
    both = np.concatenate([x, y])
    cells = np.bincount(buckets.place(both), minlength=len(buckets.cells) + 1)
    assert (cells[:-1] == buckets.cells).all()
    assert cells[-1] == np.isnan(both).sum()
    assert (np.diff(middles(buckets.keys())) > 0).all()


def test_a_column_around_zero_takes_no_more_cells_than_it_has_powers_of_two() -> None:
    buckets = Buckets()
    buckets.add(np.random.default_rng(0).normal(size=100_000))
    assert len(buckets.cells) < 2 * 30 * 512
    assert repr(buckets.sketch()).startswith("QuantileSketch(100000 in ")


@pytest.mark.parametrize("share", [0.01, 0.25, 0.5, 0.9])
def test_a_quantile_of_many_rows_keeps_to_the_error(share: float) -> None:
    x = np.random.default_rng(1).lognormal(sigma=5, size=50_001)
    values, counts = QuantileSketch.of(x).points()
    found = values[np.searchsorted(np.cumsum(counts), share * 50_000, side="right")]
    assert found == pytest.approx(np.quantile(x, share), rel=ERROR)


def test_the_cells_of_a_sketch_are_those_that_its_rows_were_counted_in() -> None:
    x = np.array([-np.inf, -1e-300, -3.5, 0.0, 5e-324, 1.5, 7e200, np.inf, np.nan, 1.5])
    for numbers in (x, x[[3, 3, 8]], x[[0, 7]], x[:0]):
        seen = Buckets()
        seen.add(numbers)
        found = Buckets.of(seen.sketch())
        assert found.cells.tolist() == seen.cells.tolist()
        assert found.place(x[[3, 5, 8]]).tolist() == seen.place(x[[3, 5, 8]]).tolist()
