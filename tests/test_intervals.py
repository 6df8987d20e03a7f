"""Intervals hold against published values and against the test that they invert."""

from __future__ import annotations

from math import inf, nan, sqrt

import pytest

from tallylearn.errors import OptionError
from tallylearn.intervals import wilson

NORMAL = {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_the_interval_is_the_published_one(successes: int, n: int, low: float, high: float) -> None:
    # R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("level", NORMAL)
@pytest.mark.parametrize(("successes", "n"), [(1, 3), (9, 14), (50, 100), (999, 1000)])
def test_both_ends_are_just_not_rejected_by_the_score_test(
    successes: int, n: int, level: float
) -> None:
    for end in wilson(successes, n, level):
        score = abs(successes / n - end) / sqrt(end * (1 - end) / n)
        assert score == pytest.approx(NORMAL[level], rel=1e-9)


def test_an_interval_of_none_begins_at_zero_and_of_all_ends_at_one() -> None:
    z = NORMAL[0.95] ** 2
    assert wilson(0, 7) == pytest.approx((0, z / (7 + z)))
    assert wilson(7, 7) == pytest.approx((7 / (7 + z), 1))
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1


def test_failures_have_the_mirrored_interval() -> None:
    low, high = wilson(3, 11)
    assert wilson(8, 11) == pytest.approx((1 - high, 1 - low))


def test_a_higher_level_is_wider_and_more_rows_are_narrower() -> None:
    (low, high), (lower, higher), (near, far) = wilson(8, 10), wilson(8, 10, 0.99), wilson(80, 100)
    assert lower < low < near < 0.8 < far < high < higher


@pytest.mark.parametrize(
    ("successes", "n", "level", "word"),
    [(0, 0, 0.95, "n is 0"), (0, -1, 0.95, "n is -1"), (1, inf, 0.95, "n is inf"),
     (4, 3, 0.95, "successes is 4"), (-1, 3, 0.95, "successes is -1"), (nan, 3, 0.95, "successes"),
     (1, 3, 0, "level is 0"), (1, 3, 1, "level is 1"), (1, 3, 95, "level is 95")],
)  # fmt: skip
def test_an_impossible_question_is_refused(
    successes: float, n: float, level: float, word: str
) -> None:
    with pytest.raises(OptionError, match=f"wilson: {word}"):
        wilson(successes, n, level)
