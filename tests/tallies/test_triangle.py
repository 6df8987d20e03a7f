"""Triangles: what a scatter sums, without squaring it; however the rows are cut."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tallylearn import errors
from tallylearn.kernels import centring, compensated_residuals, qr_triangle
from tallylearn.models.glm.sufficient_statistics import scatter_of_triangle
from tallylearn.tables import Codes
from tallylearn.tallies import Scatter, Triangle
from tests.kernels.test_oracle import interpreted

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
    whole = tally.recentre(np.zeros_like(tally.centre))
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
    found = scatter_of_triangle(triangle(x))
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
    for fold, part in enumerate(both.split_folds(2)):
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


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("n", [1, 30, 64, 150])
def test_slopes_are_those_of_fractions(n: int, compiled: bool) -> None:
    """Of weights whose residuals, or whose slopes, are all but nothing, and of others."""
    kernel = compensated_residuals if compiled else interpreted("compensated_residuals")
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(n, 4)) * [1, 1e5, 1e-5, 1], rng.normal(size=3)
    columns = np.ascontiguousarray(x.T)
    left, room, found = np.empty((2, n)), np.empty((2, n)), np.empty(3)
    best = np.linalg.lstsq(x[:, :3], x[:, 3], rcond=None)[0]
    for weights, target in ((w, x[:, :3] @ w), (w, x[:, 3].copy()), (best, x[:, 3].copy())):
        kernel.left(columns, weights, target, left)
        kernel.slopes(columns, left, room, found)
        terms = [
            [Fraction(y), *(Fraction(-a) * Fraction(b) for a, b in zip(row, weights, strict=True))]
            for row, y in zip(x[:, :3].tolist(), target.tolist(), strict=True)
        ]
        sizes = [sum(map(abs, row)) * Fraction(2) ** -98 for row in terms]
        for (high, low), row, size in zip(left.T.tolist(), terms, sizes, strict=True):
            assert abs(Fraction(high) + Fraction(low) - sum(row)) <= size
        for a, slope in zip(x.T.tolist(), found.tolist(), strict=False):
            exact = sum(Fraction(v) * sum(row) for v, row in zip(a, terms, strict=True))
            size = sum(abs(Fraction(v)) * of for v, of in zip(a, sizes, strict=True))
            assert abs(Fraction(slope) - exact) <= 2.0**-53 * abs(exact) + size


@pytest.mark.parametrize("compiled", [True, False])
def test_a_triangle_magnifies_by_its_inverse_whatever_the_units(compiled: bool) -> None:
    kernel = qr_triangle if compiled else interpreted("qr_triangle")
    root = np.triu(np.random.default_rng(0).normal(size=(4, 4)))
    unit = root[:3, :3] / np.abs(root[:3, :3]).max(axis=0)
    want = np.abs(np.linalg.inv(unit)).sum(axis=0).max()
    for scale in ([1, 1, 1, 1], [1e150, 1e-150, -3, 1]):
        moved = root * scale
        inverse = np.linalg.inv(unit * np.abs(moved[:3, :3]).max(axis=0) * np.sign(scale[:3]))
        found = kernel.magnified(moved, np.ascontiguousarray(inverse.T), np.empty(3))
        assert found == pytest.approx(want, rel=1e-12)
    assert np.isnan(kernel.magnified(root, np.diag([1.0, np.nan, 1.0]), np.empty(3)))


@pytest.mark.parametrize("compiled", [True, False])
def test_answers_at_zero_are_those_of_fractions_but_for_rounding(compiled: bool) -> None:
    kernel = compensated_residuals if compiled else interpreted("compensated_residuals")
    rng = np.random.default_rng(0)
    coef, mean = rng.normal(size=(2, 3)), rng.normal(size=5) * [1e8, 1, 1e-8, 1, 1]
    low, found = mean * 2.0**-55, np.empty((3, 2))
    mean[3] = coef[0] @ mean[:3] + 1e-6  # all but nothing is left of the first
    kernel.levels(coef, mean, low, found)
    for k in range(2):
        terms = [Fraction(mean[3 + k]), Fraction(low[3 + k])]
        terms += [-Fraction(w) * Fraction(b) for w, b in zip(coef[k], low, strict=False)]
        off = abs(Fraction(found[0, k]) + Fraction(found[1, k]) - sum(terms))
        assert off <= 2.0**-51 * sum(map(abs, terms[1:]))
        terms += [-Fraction(w) * Fraction(b) for w, b in zip(coef[k], mean, strict=False)]
        assert found[2, k] == pytest.approx(float(sum(terms)), rel=2.0**-52, abs=0)
    kernel.levels(coef, np.append(mean[:3], coef @ mean[:3]), np.zeros(5), found)
    assert not found[2].any()
    with np.errstate(over="ignore", invalid="ignore"):  # halves of digits are beyond a double
        kernel.levels(coef * 1e305, mean / 1e8, np.zeros(5), found)
    np.testing.assert_allclose(found[2], -1e297 * (coef @ mean[:3]), rtol=1e-14)


@pytest.mark.parametrize("compiled", [True, False])
def test_columns_are_divided_by_their_lengths_and_their_weights_explain_squares(
    compiled: bool,
) -> None:
    kernel = qr_triangle if compiled else interpreted("qr_triangle")
    r = np.triu(np.random.default_rng(0).normal(size=(5, 5))) * [1, 1e3, 1, 1, 1e-3]
    r[:, 2] = 0.0
    root, scale = np.zeros((6, 5)), np.empty(5)
    kernel.scaled(r, np.array([0, 0, 0, -10, 0.0]), root, scale)
    long = np.where([True, True, False, False, True], np.sqrt((r**2).sum(axis=0)), 1.0)
    np.testing.assert_allclose(scale, long, rtol=1e-15)
    np.testing.assert_allclose(root[:5], r / long * [1, 1, 1, 0, 1], rtol=1e-15)
    assert not root[5].any()
    coef, found = np.random.default_rng(1).normal(size=(2, 3)), np.empty((2, 2))
    kernel.explained(r / long, long, coef, found)
    off = r[:, :3] @ coef.T - r[:, 3:]
    np.testing.assert_allclose(found, [(off**2).sum(axis=0), (r[:, 3:] ** 2).sum(axis=0)])


def test_the_triangle_of_some_rows_has_the_weights_of_fractions() -> None:
    """QR alone is wrong in the 12th digit here: powers of 0 to 20 are all but dependent."""
    x = np.arange(21.0)[:, None] ** np.arange(1, 6)
    y = np.array([round(sum((t / 10) ** k for k in range(6)), 5) for t in range(21)])
    names = (*((f"x{k}", "") for k in range(1, 6)), ("", "!0"))
    found = Triangle.of(x, Codes.of(["a"] * 21), names, beside=y[:, None])
    assert found.names == names
    weights = np.linalg.solve(found.root[0, 1:-1, 1:-1], found.root[0, 1:-1, -1])
    rows = [[Fraction(a) for a in (1, *row)] for row in x.tolist()]
    exact = solved([[sum(a[i] * a[j] for a in rows) for j in range(6)] for i in range(6)],
                   [sum(a[i] * Fraction(b) for a, b in zip(rows, y.tolist(), strict=True))
                    for i in range(6)])  # fmt: skip
    np.testing.assert_allclose(weights, [float(w) for w in exact[1:]], rtol=5e-14)


def solved(a: list[list[Fraction]], b: list[Fraction]) -> list[Fraction]:
    """Gauss's elimination, without rounding."""
    for i in range(len(b)):
        for j in range(i + 1, len(b)):
            share = a[j][i] / a[i][i]
            a[j] = [u - share * v for u, v in zip(a[j], a[i], strict=True)]
            b[j] -= share * b[i]
    out: list[Fraction] = []
    for i in reversed(range(len(b))):
        rest = sum((u * v for u, v in zip(a[i][i + 1 :], out, strict=True)), start=Fraction(0))
        out.insert(0, (b[i] - rest) / a[i][i])
    return out


@pytest.mark.parametrize("compiled", [True, False])
def test_rows_are_moved_and_their_triangle_is_taken_as_numpy_does(compiled: bool) -> None:
    kernel = centring if compiled else interpreted("centring")
    x, y = np.random.default_rng(0).normal(size=(7, 3)), np.arange(7.0)[:, None]
    x[4, 1], x[:, 2] = np.nan, 1e9
    part, means, out = np.empty((5, 7)), np.empty(3), np.zeros((3, 3))
    kernel.levelled(x, y, np.array([1.0, 2.0, 3.0, 4.0]), part)
    moved = np.nan_to_num(np.hstack([np.ones((7, 1)), x - [1, 2, 3], y - 4]))
    np.testing.assert_array_equal(part, moved.T)
    kernel.means(x[:4].copy(), 0, means)
    np.testing.assert_allclose(means, x[:4].mean(axis=0), rtol=1e-15)
    kernel.upper(moved[:2, :3].T.copy(), out)
    np.testing.assert_array_equal(out, np.vstack([np.triu(moved[:2, :3]), np.zeros((1, 3))]))


def test_a_centre_has_few_digits_so_that_whole_numbers_stay_whole() -> None:
    x = np.column_stack([np.arange(100.0, 164.0), np.full(64, 0.1), np.arange(64) / 1e6])
    found = np.empty(3)
    centring.means(x, 6, found)
    assert found[0] == 132.0  # the mean is 131.5, and the spread 63
    assert found[1] == 0.1
    assert abs(found[2] - x[:, 2].mean()) <= 1e-6
