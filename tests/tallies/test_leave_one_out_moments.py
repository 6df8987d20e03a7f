"""Mean and variance of the others: to the bit what whole numbers say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Exact, Moments
from tallylearn.tallies.double_doubles import DoubleDouble, product
from tallylearn.tallies.leave_one_out_moments import LeaveOneOutMoments
from tallylearn.tallies.rounding import double_double

N = 60
RNG = np.random.default_rng(11)
COLUMNS: dict[str, Array] = {
    "spread": RNG.normal(size=N),
    "far from zero": RNG.normal(size=N) + 1e12,
    "hardly varying": 1 + RNG.integers(0, 3, N) * 2.0**-52,
    "counts": RNG.poisson(3, N).astype(float),
    "truth": RNG.integers(0, 2, N).astype(float),
    "constant": np.full(N, 0.1),
    "rare": np.where(np.arange(N) == 7, 1e9, 0.5),
    "lone": np.where(np.arange(N) < 2, 3.0, np.nan),
    "gaps": np.where(RNG.random(N) < 0.3, np.nan, RNG.gamma(2, size=N)),
    "tiny": RNG.normal(size=N) * 1e-157,
    "huge": RNG.normal(size=N) * 1e150,
    "any size": RNG.choice([-1.0, 1.0], N) * 10.0 ** RNG.uniform(-140, 140, N),
    "too small for a square": RNG.normal(size=N) * 5e-320,
    "powers of two": 2.0 ** RNG.integers(-3, 4, N),
}


def slowly(values: Array) -> tuple[float, float]:
    """Mean and variance by fractions, rounded once."""
    rows = [Fraction(float(value)) for value in values[~np.isnan(values)]]
    if not rows:
        return 0.0, 0.0
    mean = sum(rows, Fraction(0)) / len(rows)
    return float(mean), float(sum(((row - mean) ** 2 for row in rows), Fraction(0)) / len(rows))


@pytest.mark.parametrize("name", COLUMNS)
def test_they_are_rounded_once(name: str) -> None:
    x, own = np.ascontiguousarray(COLUMNS[name][:, None]), np.arange(N) % 2
    others = LeaveOneOutMoments.of(Moments.of(x, Codes.of(own), ("x",)))
    mean, variance = others.leave_out(x, own)
    for row in range(N):
        rest = x[(own == own[row]) & (np.arange(N) != row), 0]
        assert (mean[row, 0], variance[row, 0]) == slowly(rest)


def test_a_hundred_bits_decide_about_nearly_all() -> None:
    x, own = RNG.normal(size=(4000, 4)) + 5, np.arange(4000) % 2
    others = LeaveOneOutMoments.of(Moments.of(x, Codes.of(own), tuple("abcd")))
    *_, doubt = others._approximate(x, own)
    assert doubt.mean() < 0.002  # of n quotients by n - 1 about one lies half way


@pytest.mark.parametrize("name", ["tiny", "huge"])
def test_near_the_ends_of_the_range_whole_numbers_decide(name: str) -> None:
    x, own = np.ascontiguousarray(COLUMNS[name][:, None]), np.zeros(N, dtype=int)
    *_, doubt = LeaveOneOutMoments.of(Moments.of(x, Codes.of(own), ("x",)))._approximate(x, own)
    assert doubt.all()  # squares there have less than a hundred bits


def test_a_double_double_holds_a_hundred_bits() -> None:
    a, b = (DoubleDouble.of(RNG.normal(size=500), RNG.normal(size=500) * 1e-17) for _ in range(2))
    divisor = RNG.integers(1, 10**6, 500).astype(float)
    for i in range(500):
        x, y = (Fraction(float(e.high[i])) + Fraction(float(e.low[i])) for e in (a, b))
        wanted = (x + y, abs(x) + abs(y)), (x * y, abs(x * y)), (x / int(divisor[i]), abs(x))
        for found, (exact, size) in zip((a + b, a * b, a.divide(divisor)), wanted, strict=True):
            value = Fraction(float(found.high[i])) + Fraction(float(found.low[i]))
            assert abs(value - exact) <= size / 2**100
            assert float(value) == found.high[i]


def test_products_of_doubles_are_exact() -> None:
    x, y = RNG.normal(size=300), RNG.normal(size=300)
    for a, b, whole, rest in zip(x, y, *product(x, y), strict=True):
        assert Fraction(a) * Fraction(b) == Fraction(whole) + Fraction(rest)


@pytest.mark.parametrize(
    ("high", "low", "doubtful"),
    [
        (3.0, 0.0, False),
        (3.0, 2.0**-52, True),  # half a step of 3
        (3.0, -(2.0**-52), True),
        (3.0, 2.0**-53, False),
        (-3.0, 2.0**-52, True),
        (2.0, 2.0**-52, True),
        (2.0, -(2.0**-53), True),  # below a power of two a step is half as long
        (2.0, -(2.0**-54), False),
        (0.0, 0.0, True),
        (np.nan, np.nan, True),
    ],
)
def test_half_way_between_two_doubles_there_is_doubt(
    high: float, low: float, doubtful: bool
) -> None:
    assert DoubleDouble(np.array(high), np.array(low)).doubtful(1e-30) == doubtful


def test_nothing_is_doubtful_about_an_exact_zero() -> None:
    assert not DoubleDouble(np.array(0.0), np.array(0.0)).doubtful(np.array(0.0))


def test_quotients_of_exact_numbers_have_a_hundred_bits() -> None:
    above = Exact.from_limbs(RNG.integers(-(2**31), 2**31, (40, 5)), -3)
    below = Exact.of(RNG.integers(1, 1000, 40))
    found, (numbers, power) = double_double(above, below), above.to_integers()
    for i, divisor in enumerate(below.integers()):
        exact = Fraction(int(numbers[i])) * Fraction(2) ** power / int(divisor)
        value = Fraction(float(found.high[i])) + Fraction(float(found.low[i]))
        assert abs(value / exact - 1) < Fraction(1, 2**96)


@pytest.mark.parametrize("by", ["column", "table"])
def test_a_column_that_only_one_row_keeps_from_being_constant_is_left_to_a_fit(by: str) -> None:
    X, y = RNG.normal(size=(40, 2)), np.array(["a", "b"] * 20)
    X[:, 1] = np.where(np.arange(40) == 5, 4.0, 3.0)
    learner: Any = tl.NaiveBayes(var_smoothing_by=by).fit(X, y)
    block = read_fit_input(X, y, None, "test", "classifier").whole()
    assert learner.leave_one_out(learner.tally_, block) is None


@pytest.mark.parametrize("by", ["column", "table"])
@pytest.mark.parametrize("share", [0.0, 1e-9, 0.3, 1.0, 5.0])
def test_smoothing_is_that_of_a_fit_on_the_others(share: float, by: str) -> None:
    X, y = RNG.normal(size=(30, 3)) * [1.0, 1e-3, 50.0], np.array(["a", "b", "b"] * 10)
    X[3, 1], X[8, 2] = 9.0, np.nan
    options = {"var_smoothing": share, "var_smoothing_by": by}
    learner: Any = tl.NaiveBayes(**options).fit(X, y)
    block = read_fit_input(X, y, None, "test", "classifier").whole()
    found = learner.leave_one_out(learner.tally_, block)
    for row in range(30):
        rest = np.arange(30) != row
        fitted = tl.NaiveBayes(**options).fit(X[rest], y[rest])
        scores = fitted.model_.scores(block[[row]])[0]
        np.testing.assert_allclose(found[row], scores, rtol=1e-12)
