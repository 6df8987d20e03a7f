"""The scatter of floats keeps the laws closely, and equals slow and obvious sums."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn import errors
from tallylearn.kernels import centring, qr_triangle
from tallylearn.tables import Codes
from tallylearn.tallies import Bundle, Products, Scatter
from tallylearn.tallies.centred_sums import two_sum
from tallylearn.tallies.pairs import LIMBS, check_names, check_wide, count_measured, in_order
from tests.kernels.test_oracle import interpreted

Row = tuple[str, str | None, float, float, float]  # class, value, numbers, weight
CELL = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([0.0, float("nan")]))
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None]), CELL, CELL,
              st.floats(0.1, 10)),
    max_size=30,
)  # fmt: skip


def arguments(rows: list[Row]) -> tuple[Any, ...]:
    values = Codes.of([row[1] for row in rows])
    ones = [[np.nan if row[1] is None else float(row[1] == v) for v in values.values]
            for row in rows]  # fmt: skip
    width = len(values.values)
    numbers = np.array([row[2:4] for row in rows]).reshape(len(rows), 2)
    both = np.hstack([numbers, np.array(ones).reshape(len(rows), width)])
    names = (("u", ""), ("v", ""), *(("w", f"={value}") for value in values.values))
    return both, Codes.of([row[0] for row in rows]), names, np.array([row[4] for row in rows])


def scatter(rows: list[Row]) -> Scatter:
    return Scatter.of(*arguments(rows))


def close(a: Scatter, b: Scatter) -> bool:
    same = (a.keys, a.names) == (b.keys, b.names)
    pairs = ((a.count, b.count), (a.mean, b.mean), (a.scatter, b.scatter))
    return same and all(
        x.shape == y.shape and np.allclose(x, y, rtol=1e-10, atol=1e-10 * size)
        for (x, y), size in zip(pairs, (1.0, 1e3, 1e6), strict=True)
    )


@given(rows=ROWS, cut=st.integers(0, 30))
def test_parts_sum_to_the_whole(rows: list[Row], cut: int) -> None:
    assert close(scatter(rows[:cut]) + scatter(rows[cut:]), scatter(rows))


@given(rows=ROWS)
def test_means_are_finite_where_and_only_where_nothing_is_missing(rows: list[Row]) -> None:
    numbers, *more = arguments(rows)
    found = Scatter.complete(numbers, *more)
    assert np.isfinite(found.mean).all() == (not np.isnan(numbers).any())


@given(rows=ROWS, random=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows: list[Row], random: Any) -> None:
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert close(scatter(shuffled), scatter(rows))


@given(a=ROWS, b=ROWS, c=ROWS)
def test_addition_is_associative_and_commutative(a: Any, b: Any, c: Any) -> None:
    x, y, z = scatter(a), scatter(b), scatter(c)
    assert close((x + y) + z, x + (y + z))
    assert close(x + y, y + x)
    assert close(sum([x, y, z]), x + y + z)


@given(rows=ROWS)
def test_an_empty_scatter_is_neutral_to_the_bit(rows: list[Row]) -> None:
    nothing, some = scatter([]), scatter(rows)
    assert not nothing
    assert not nothing + nothing
    for both in (nothing + some, some + nothing):
        assert (both.keys, both.names) == (some.keys, some.names)
        assert np.array_equal(both.mean, some.mean)
        assert np.array_equal(both.scatter, some.scatter)


@given(rows=ROWS)
def test_weight_two_is_the_row_twice(rows: list[Row]) -> None:
    assert close(scatter([(*row[:4], 2 * row[4]) for row in rows]), scatter(rows + rows))


@given(rows=ROWS)
def test_floats_and_exact_sums_agree(rows: list[Row]) -> None:
    assert close(scatter(rows), Products.of(*arguments(rows)).to_scatter())


@given(rows=st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 2),
                     min_size=1, max_size=12))  # fmt: skip
def test_products_equal_fractions(rows: list[tuple[float, float]]) -> None:
    x = np.array(rows)
    tally = Products.of(x, Codes.of(["a"] * len(x)), (("u", ""), ("v", "")))
    found, power = tally.products.to_integers()
    for j in range(2):
        for l in range(2):  # noqa: E741
            exact = sum(Fraction(row[j]) * Fraction(row[l]) for row in rows)
            assert found[0, j, l] * Fraction(2) ** power == exact


def test_compiled_kernels_equal_the_python_they_are_written_in() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(7, 3)) * [1e-3, 1, 1e9]
    x[2, 1] = np.nan
    bits = np.ascontiguousarray(x.T).view(np.int64)
    group, weight = np.array([0, 1, 0, 1, 1, 0, 0], dtype=np.int32), np.arange(1, 8)
    first = int(((bits >> 52) & 0x7FF)[~np.isnan(x.T)].min())
    results = []
    for name in ("exact_products", "long_integers", "centring"):
        assert interpreted(name)
    from tallylearn.kernels import centring, exact_products, long_integers

    names = "exact_products", "long_integers", "centring"
    for kernels in ((exact_products, long_integers, centring), tuple(map(interpreted, names))):
        cells = np.zeros((3, 2, 120, 5), dtype=np.int64)
        out = np.zeros((2, 3, 12), dtype=np.int64)
        kernels[0].spread(bits, 0, 0, group, weight, first, cells)
        kernels[1].collect_products(cells, first, out)
        some = np.empty((2, 4))
        kernels[2].centred(
            x[:, :2].copy(),
            x[:, 2:].copy(),
            np.array([5, 1]),
            np.ones(3),
            np.array([2.0, 3.0]),
            some,
        )
        results.append((cells, out, some))
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


def test_numbers_around_a_hundred_million_keep_their_scatter() -> None:
    x = np.random.default_rng(0).normal(size=(70_000, 2))
    tally = [Scatter.of(1e8 + part, Codes.of(["a"] * len(part)), (("u", ""), ("v", "")))
             for part in (x[:100], x[100:60_000], x[60_000:])]  # fmt: skip
    expected = np.cov((1e8 + x).T - 1e8, bias=True) * len(x)
    assert np.allclose(sum(tally[1:], tally[0]).scatter[0], expected, rtol=1e-8)


def test_a_step_after_the_first_rows_does_not_cancel_the_scatter() -> None:
    x = np.random.default_rng(0).normal(size=(60_000, 2))
    x[200:] += 1e6
    exact = Products.of(x, Codes.of(["a"] * len(x)), (("u", ""), ("v", ""))).to_scatter()
    found = Scatter.of(x, Codes.of(["a"] * len(x)), (("u", ""), ("v", "")))
    assert np.allclose(found.scatter, exact.scatter, rtol=1e-11)


def test_a_scatter_of_floats_refuses_to_forget() -> None:
    one = Scatter.of(np.ones((2, 1)), Codes.of(["a", "a"]), (("u", ""),))
    other = Scatter.of(np.ones((1, 1)), Codes.of(["a"]), (("u", ""),))
    with pytest.raises(errors.ForgetError, match="exact=True"):
        _ = one - other


def test_too_many_pairs_name_the_widest_column() -> None:
    names = tuple(("id", f"={i}") for i in range(20_000))
    with pytest.raises(errors.SizeError, match=r"'id' alone has 20000 values.*ignore=\['id'\]"):
        check_wide(2, (("x", ""), *names))
    tall = tuple((f"x{i}", "") for i in range(2000))
    check_wide(2, tall)  # 0.7 GiB
    with pytest.raises(errors.SizeError, match=r"pairs of 2000 columns in 2 classes.*5\.7 GiB"):
        check_wide(2, tall, LIMBS)


def test_a_column_twice_is_refused() -> None:
    numbers, by = np.ones((2, 2)), Codes(("all",), np.zeros(2, dtype=np.int32))
    with pytest.raises(ValueError, match="a column occurs twice"):
        Scatter.of(numbers, by, (("x", ""), ("x", "")))


def test_what_is_measured_beside_the_columns_comes_last_as_it_is_solved() -> None:
    x = np.random.default_rng(0).normal(size=(9, 3))
    by, names = Codes.of(["all"] * 9), (("u", ""), ("v", ""), ("", "!0"))
    first, second = (Scatter.of(part, by[rows], names)
                     for part, rows in ((x[:4], slice(0, 4)), (x[4:], slice(4, 9))))  # fmt: skip
    assert first.names == (first + second).names == names
    assert (first + second.select_columns(np.array([2, 0, 1]))).names == names


def test_a_scatter_of_old_whose_target_stands_first_is_solved_alike() -> None:
    x = np.random.default_rng(0).normal(size=(40, 3))
    model = tl.Lasso(0.01).fit(x[:, :2], x[:, 2])
    tally = model.tally_
    old = tally["numbers"].select_columns(np.array([2, 0, 1]))
    old.check()
    again = model.solve(Bundle({**tally.parts, "numbers": old}))
    np.testing.assert_allclose(again.coef, model.model_.coef, rtol=1e-12)
    assert again.design.columns == model.model_.design.columns


def test_names_in_neither_order_are_refused() -> None:
    x = np.random.default_rng(0).normal(size=(9, 3))
    some = Scatter.of(x, Codes.of(["all"] * 9), (("u", ""), ("v", ""), ("", "!0")))
    with pytest.raises(ValueError, match="not sorted"):
        some.select_columns(np.array([1, 0, 2])).check()


def test_names_are_sorted_and_what_is_measured_beside_them_is_last() -> None:
    """A column may have no name either."""
    names = [("b", ""), ("", "!1"), ("", "?"), ("", ""), ("", "=!"), ("", "!0"), ("a", "^02")]
    want = sorted(names, key=lambda name: (name[1][:1] == "!", name))
    assert in_order(names) == tuple(want)
    assert count_measured(tuple(value for _, value in want)) == 2
    assert count_measured(("", "=!")) == count_measured(()) == 0
    check_names(tuple(want))
    with pytest.raises(ValueError, match="unknown term '!0'"):
        check_names((("a", "!0"),))


@pytest.mark.parametrize("compiled", [True, False])
def test_sums_around_a_centre_become_means_and_their_scatter_bit_by_bit(compiled: bool) -> None:
    kernel = centring if compiled else interpreted("centring")
    x = np.random.default_rng(0).normal(size=(9, 3)) * [1e6, 1, 1e-3] + [1e9, 1, 0]
    centre = x[0] + 0.1
    away = np.column_stack([x - centre, np.ones(9)])
    sums, mean, scatter = away.T @ away, np.empty((2, 3)), np.empty((3, 3))
    kernel.settled(sums, centre, 9.0, mean, scatter)
    left = sums[:3, 3:] / 9
    np.testing.assert_array_equal(mean, two_sum(centre, left[:, 0]))
    np.testing.assert_array_equal(scatter, sums[:3, :3] - 9 * (left * left.T))


@pytest.mark.parametrize("compiled", [True, False])
def test_products_are_of_columns_of_one_length_bit_by_bit(compiled: bool) -> None:
    kernel = qr_triangle if compiled else interpreted("qr_triangle")
    x = np.random.default_rng(0).normal(size=(9, 4)) * [1e6, 1, 0, 1e-3]
    products, out, lengths = x.T @ x, np.empty((4, 4)), np.empty(4)
    products[2, 2] = -1e-20  # rounding
    kernel.alike(products, out, lengths)
    scale = np.sqrt(np.where(products.diagonal() > 0, products.diagonal(), 1.0))
    np.testing.assert_array_equal(lengths, scale)
    np.testing.assert_array_equal(out, products / scale / scale[:, None])
