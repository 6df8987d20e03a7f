"""One-parameter families: closed forms, stationary points, the maximiser against them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallylearn as tl
from tallylearn.errors import InputError, KindError, MergeError, OptionError

COUNTS = st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(any)


def tossed(heads: int, tails: int) -> Any:
    return tl.Hypotheses.bernoulli("head", "tail").observe(*["head"] * heads, *["tail"] * tails)


@given(COUNTS)
def test_the_share_of_the_successes_is_the_likeliest(counts: tuple[int, int]) -> None:
    coin = tossed(*counts)
    best = coin.ml()
    assert best == Fraction(counts[0], sum(counts))
    grid = [Fraction(i, 60) for i in range(61)]
    assert all(coin.likelihood(theta) <= coin.likelihood(best) for theta in grid)


@given(COUNTS)
def test_the_derivative_is_zero_at_the_stationary_points_and_nowhere_else(
    counts: tuple[int, int],
) -> None:
    c, rest = counts

    def slope(t: Fraction) -> Fraction:
        down = c * t ** (c - 1) * (1 - t) ** rest if c else Fraction(0)
        up = rest * t**c * (1 - t) ** (rest - 1) if rest else Fraction(0)
        return down - up

    found = tossed(*counts).stationary()
    candidates = {Fraction(0), Fraction(1), Fraction(c, sum(counts)), Fraction(1, 7)}
    assert {*found} == {theta for theta in candidates if slope(theta) == 0}
    assert all((kind == "maximum") is (0 < t < 1) for t, kind in found.items())


@given(COUNTS)
def test_the_maximiser_finds_the_closed_form(counts: tuple[int, int]) -> None:
    def log_likelihood(d: bool, theta: float) -> float:
        p = theta if d else 1 - theta
        return math.log(p) if p > 0 else -math.inf

    family = tl.Hypotheses.family(log_likelihood, 0, 1)
    found = family.observe(*[True] * counts[0], *[False] * counts[1]).ml()
    assert found == pytest.approx(float(tossed(*counts).ml()), abs=1e-6)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-9, 9)), min_size=1, max_size=9))
def test_the_likeliest_slope_under_gaussian_noise_is_that_of_least_squares(
    points: list[tuple[int, int]],
) -> None:
    if not any(x for x, _ in points):
        return
    slope = sum(x * y for x, y in points) / sum(x * x for x, _ in points)
    family = tl.Hypotheses.family(
        lambda d, t: -0.5 * math.log(2 * math.pi) - (d[1] - t * d[0]) ** 2 / 2, -10, 10
    )
    assert family.observe(*points).ml() == pytest.approx(slope, abs=1e-5)


def test_the_best_of_two_hills_is_found() -> None:
    two = tl.Hypotheses.family(lambda d, t: math.log(math.exp(-50 * (t - 1) ** 2) * 0.9
                               + math.exp(-50 * (t - 4) ** 2)), 0, 5)  # fmt: skip
    assert two.observe(0).ml() == pytest.approx(4, abs=1e-6)


@given(COUNTS, st.integers(1, 50))
def test_laplace_lies_between_the_sample_and_one_half(counts: tuple[int, int], k: int) -> None:
    coin = tossed(*counts)
    estimate = coin.laplace(k)
    assert estimate == Fraction(counts[0] + k, sum(counts) + 2 * k)
    assert min(coin.ml(), Fraction(1, 2)) <= estimate <= max(coin.ml(), Fraction(1, 2))
    assert coin.laplace(0) == coin.ml()
    assert coin.laplace(math.inf) == Fraction(1, 2)


@given(COUNTS, COUNTS)
def test_merging_is_observing_both(mine: tuple[int, int], yours: tuple[int, int]) -> None:
    assert tossed(*mine) + tossed(*yours) == tossed(*map(sum, zip(mine, yours, strict=True)))
    family = tl.Hypotheses.family(lambda d, t: -((d - t) ** 2), -20, 20)
    one, other = family.observe(*mine), family.observe(*yours)
    assert (one + other).ml() == pytest.approx((sum(mine) + sum(yours)) / 4, abs=1e-5)


def test_the_working_shows_the_likelihood_and_both_roots() -> None:
    text = str(tossed(2, 1).show_work())
    for word in ("L(θ) = θ^2 · (1 - θ)^1", "2/3  4/27  maximum", "minimum", "102/203"):
        assert word in text
    curve = tossed(2, 1).plot().data["series"]["L(θ)"]
    assert max(curve["y"]) == pytest.approx(4 / 27, abs=1e-4)
    family = tl.Hypotheses.family(lambda d, t: d * math.log(t) if t else -math.inf, 0, 1)
    assert family.observe(1).plot().data["series"]["log P(D | θ)"]["y"][-1] == 0


def test_a_family_is_shown_before_anything_was_observed() -> None:
    for family in (tossed(0, 0), tl.Hypotheses.family(abs, 0, 1)):
        assert str(family).startswith(repr(family))
        assert family.to_html()


BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "nothing": (lambda: tossed(0, 0).ml(), InputError, "no observations"),
    "unknown": (
        lambda: tossed(1, 0).observe("edge"), InputError, "Bernoulli: 'edge' is not",
    ),
    "one outcome": (lambda: tl.Hypotheses.bernoulli("a", "a"), OptionError, "both .* 'a'"),
    "k": (lambda: tossed(1, 0).laplace(-1), OptionError, "k is -1"),
    "k nan": (lambda: tossed(1, 0).laplace(math.nan), InputError, "finite"),
    "theta": (lambda: tossed(1, 0).likelihood(2), InputError, "Bernoulli: θ is 2"),
    "merge": (
        lambda: tossed(1, 0) + tl.Hypotheses.bernoulli(1, 0), MergeError, "1 and 0 in the other",
    ),
    "bounds": (lambda: tl.Hypotheses.family(abs, 1, 0), OptionError, "bounds of θ are 1 and 0"),
    "endless": (lambda: tl.Hypotheses.family(abs, 0, math.inf), OptionError, "bounds"),
    "no data": (lambda: tl.Hypotheses.family(abs, 0, 1).ml(), InputError, "no observations"),
    "merge with a number": (lambda: tossed(1, 0) + 3, TypeError, "unsupported operand"),
    "a family and a number": (
        lambda: tl.Hypotheses.family(abs, 0, 1) + 3, TypeError, "unsupported operand",
    ),
    "bounds in words": (lambda: tl.Hypotheses.family(abs, "0", 1), KindError, "bounds of θ"),
    "none": (
        lambda: tl.Hypotheses.family(lambda d, t: None, 0, 1).observe(5).ml(),
        InputError, "of 5 at θ = 0.0 is None. Return -inf",
    ),
    "nan": (
        lambda: tl.Hypotheses.family(lambda d, t: math.nan, 0, 1).observe(5).ml(),
        InputError, "of 5 at θ = 0.0 is nan. Return -inf",
    ),
    "logarithm of 0": (
        lambda: tl.Hypotheses.family(lambda d, t: math.log(t), 0, 1).observe(5).ml(),
        InputError, "is nan .*Return -inf where",
    ),
    "impossible": (
        lambda: tl.Hypotheses.family(lambda d, t: -math.inf, 0, 1).observe(5).ml(),
        InputError, "every θ between 0 and 1",
    ),
    "two families": (
        lambda: tl.Hypotheses.family(abs, 0, 1) + tl.Hypotheses.family(max, 0, 1),
        MergeError, "families differ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name: str) -> None:
    call, kind, message = BAD[name]
    with pytest.raises(kind, match=message):
        call()
