"""Triangles: what a scatter sums, without squaring it; however the rows are cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tallylearn import errors
from tallylearn.models.linear.sums import as_scatter
from tallylearn.tables import Codes
from tallylearn.tallies import Scatter, Triangle

NAMES = (("u", ""), ("v", ""), ("v", "?"), ("", "!0"))


def rows(n: int = 40, gaps: bool = True) -> Any:
    rng = np.random.default_rng(0)
    x = np.column_stack([1e6 + rng.normal(size=n), rng.normal(size=n), np.zeros(n)])
    if gaps:
        x[::5, 1], x[::5, 2] = np.nan, 1.0
    return np.column_stack([x, x[:, 0] * 2 + rng.normal(size=n)])


def triangle(x: Any, weight: Any = None, keys: str = "a") -> Triangle:
    by = Codes.of([keys[i % len(keys)] for i in range(len(x))])
    return Triangle.of(x[:, :3], by, NAMES, weight, beside=x[:, 3:])


def products(tally: Triangle) -> Any:
    """What the triangle stands for: products of columns that are taken from zero."""
    whole = tally.around(np.zeros_like(tally.centre))
    return whole.swapaxes(1, 2) @ whole


@pytest.mark.parametrize("cut", [0, 1, 17, 39])
@pytest.mark.parametrize("keys", ["a", "ab"])
def test_parts_sum_to_the_whole_in_either_order(cut: int, keys: str) -> None:
    x = rows()
    whole = triangle(x, keys=keys)
    first, second = (
        triangle(x[:cut], keys=keys),
        triangle(x[cut:], keys=keys[cut % len(keys) :] + keys[: cut % len(keys)]),
    )
    for both in (first + second, second + first):
        assert (both.keys, both.names) == (whole.keys, whole.names)
        np.testing.assert_allclose(both.count, whole.count)
        np.testing.assert_allclose(products(both), products(whole), rtol=1e-12, atol=1e-12)


def test_nothing_is_neutral() -> None:
    nothing, some = Triangle.empty(), triangle(rows())
    assert not nothing
    assert some
    assert not (nothing + nothing)
    np.testing.assert_allclose(products(nothing + some), products(some), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(products(some + nothing), products(some), rtol=1e-12, atol=1e-12)


def test_weight_two_is_the_row_twice() -> None:
    x = rows()
    twice, heavy = triangle(np.vstack([x, x])), triangle(x, np.full(len(x), 2.0))
    np.testing.assert_allclose(heavy.count, twice.count)
    np.testing.assert_allclose(products(heavy), products(twice), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        products(triangle(x).times(2.0)), products(twice), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("gaps", [False, True])
def test_a_triangle_has_the_scatter_of_its_rows(gaps: bool) -> None:
    x = rows(gaps=gaps)
    found = as_scatter(triangle(x))
    scatter = Scatter.of(x[:, :3], Codes.of(["a"] * len(x)), NAMES, beside=x[:, 3:])
    assert found.names == scatter.names
    for name in ("count", "mean", "scatter"):
        got, want = (np.broadcast_to(getattr(t, name), scatter.scatter.shape)
                     for t in (found, scatter))  # fmt: skip
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_a_column_that_one_part_lacks_is_zero_there() -> None:
    by = Codes.of(["a", "a"])
    one = Triangle.of(np.array([[1.0], [0.0]]), by, (("c", "=x"),))
    two = Triangle.of(np.array([[1.0], [1.0]]), by, (("c", "=y"),))
    np.testing.assert_allclose(
        products(one + two)[0], [[4, 1, 2], [1, 1, 0], [2, 0, 2]], atol=1e-12
    )


def test_folds_come_apart_again() -> None:
    x = rows()
    by = Codes.of([(i % 2, "all") for i in range(len(x))])
    both = Triangle.of(x[:, :3], by, NAMES, beside=x[:, 3:])
    for fold, part in enumerate(both.parted(2)):
        np.testing.assert_allclose(
            products(part), products(triangle(x[fold::2])), rtol=1e-12, atol=1e-12
        )


def test_a_triangle_does_not_forget() -> None:
    some = triangle(rows())
    assert not (some - some)
    with pytest.raises(errors.ForgetError, match="exact=True"):
        _ = some - triangle(rows(10))


def test_digits_survive_that_a_scatter_squares_away() -> None:
    x = np.linspace(0, 1, 100)
    close = np.column_stack([x, x + 1e-9 * x**2])
    by, names = Codes.of(["a"] * 100), (("u", ""), ("v", ""))
    r = Triangle.of(close, by, names).root[0]
    apart = np.sqrt(((x**2 - np.polyval(np.polyfit(x, x**2, 1), x)) ** 2).sum()) * 1e-9
    assert abs(r[2, 2]) == pytest.approx(apart, rel=1e-5)
    scatter = Scatter.of(close, by, names).scatter[0]
    left = scatter[1, 1] - scatter[0, 1] ** 2 / scatter[0, 0]
    assert not np.isclose(np.sqrt(max(left, 0)), apart, rtol=0.5)
