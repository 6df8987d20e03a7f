"""Intervals hold against published values, the tests that they invert, and scipy.stats."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf, nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tallylearn.errors import InputError, OptionError
from tallylearn.statistics.confidence_intervals import (
    Interval,
    clopper_pearson,
    corrected_t,
    mean_interval,
    mid_p,
    wilson,
    z_interval,
    z_table,
    z_value,
)
from tallylearn.statistics.resampling import bootstrap

NORMAL = {0.9: 1.6448536269514722, 0.95: 1.959963984540054, 0.99: 2.5758293035489004}
GOLDEN = {
    entry["id"]: entry
    for entry in json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text())
}
COUNTS = [(0, 1), (1, 1), (0, 20), (1, 3), (9, 14), (50, 100), (999, 1000), (123, 10**6)]


def test_the_z_of_every_level_is_that_of_the_notes() -> None:
    golden = GOLDEN["eval.z_table"]
    table = z_table(level / 100 for level in golden["inputs"]["N"])
    assert list(table.values()) == pytest.approx(golden["exact"], rel=1e-14)
    assert list(z_table()) == list(table)


def test_the_interval_of_an_error_is_that_of_the_notes() -> None:
    golden = GOLDEN["eval.ci"]
    assert tuple(z_interval(**golden["inputs"])) == pytest.approx(golden["exact"]["interval"])
    assert tuple(z_interval(0, 40)) == (0, 0)
    assert z_interval(0.01, 40).low < 0


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_the_interval_is_the_published_one(successes: int, n: int, low: float, high: float) -> None:
    # R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3
    assert tuple(wilson(successes, n)) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("level", NORMAL)
@pytest.mark.parametrize(("successes", "n"), [(1, 3), (9, 14), (50, 100), (999, 1000)])
def test_both_ends_are_just_not_rejected_by_the_score_test(
    successes: int, n: int, level: float
) -> None:
    for end in wilson(successes, n, level):
        score = abs(successes / n - end) / sqrt(end * (1 - end) / n)
        assert score == pytest.approx(NORMAL[level], rel=1e-9)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize(("successes", "n"), COUNTS)
def test_intervals_of_shares_are_those_of_scipy(successes: int, n: int, level: float) -> None:
    test = stats.binomtest(successes, n)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = test.proportion_ci(level, method)
        # scipy's exact ends are roots that it finds to 2e-12
        assert tuple(ours(successes, n, level)) == pytest.approx(tuple(theirs), rel=1e-9, abs=2e-12)


@pytest.mark.parametrize(("successes", "n"), [(3, 8), (9, 14), (140, 150)])
def test_both_tails_reject_just_beyond_clopper_and_pearson(successes: int, n: int) -> None:
    low, high = clopper_pearson(successes, n, 0.9)
    assert stats.binom.sf(successes - 1, n, low) == pytest.approx(0.05)
    assert stats.binom.cdf(successes, n, high) == pytest.approx(0.05)


@pytest.mark.parametrize("n", [50, 55, 199, 200, 233, 1000])
def test_wilson_covers_near_its_level_and_clopper_and_pearson_never_less(n: int) -> None:
    near = 0.025 if n < 200 else 0.015
    p, k = np.linspace(0.1, 0.9, 161)[:, None], np.arange(n + 1)
    chance = stats.binom.pmf(k, n, p)
    for method, low, high in ((wilson, 0.95 - near, 0.95 + near), (clopper_pearson, 0.95, 1.0)):
        ends = np.array([[*method(successes, n)] for successes in range(n + 1)])
        covered = (chance * ((ends[:, 0] <= p) & (p <= ends[:, 1]))).sum(axis=1)
        assert low <= covered.min() <= covered.max() <= high


def test_an_interval_of_none_begins_at_zero_and_of_all_ends_at_one() -> None:
    z = NORMAL[0.95] ** 2
    assert tuple(wilson(0, 7)) == pytest.approx((0, z / (7 + z)))
    assert tuple(wilson(7, 7)) == pytest.approx((7 / (7 + z), 1))
    for interval in (wilson, clopper_pearson):
        assert interval(0, 7).low == 0
        assert interval(7, 7).high == 1


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
def test_failures_have_the_mirrored_interval(interval: type[Interval]) -> None:
    low, high = interval(3, 11)
    assert tuple(interval(8, 11)) == pytest.approx((1 - high, 1 - low))


def test_a_higher_level_is_wider_and_more_rows_are_narrower() -> None:
    (low, high), (lower, higher), (near, far) = wilson(8, 10), wilson(8, 10, 0.99), wilson(80, 100)
    assert lower < low < near < 0.8 < far < high < higher


def test_an_interval_unpacks_prints_and_knows_what_lies_inside() -> None:
    interval = Interval(0.9206, 0.96, 0.95, "Wilson", "accuracy")
    assert str(interval) == "[0.921, 0.960]"
    assert f"{interval:.0%}" == "[92%, 96%]"
    assert tuple(interval) == (0.9206, 0.96)
    assert 0.93 in interval
    assert 0.9 not in interval


@pytest.mark.parametrize("level", [0.8, 0.99])
def test_the_interval_of_a_mean_is_that_of_the_t_test(level: float) -> None:
    values = np.random.default_rng(0).normal(3, 2, 17)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(level)
    assert tuple(mean_interval(values, level)) == pytest.approx(tuple(theirs))


def test_overlapping_training_parts_widen_the_interval_by_the_published_factor() -> None:
    values = np.random.default_rng(1).normal(0.9, 0.02, 10)
    plain, wide = mean_interval(values), corrected_t(values, 0.1)
    assert np.mean([*wide]) == pytest.approx(values.mean())
    factor = sqrt((1 / 10 + 1 / 9) / (1 / 10))  # Nadeau and Bengio: 1/J + n2/n1
    assert (wide.high - wide.low) / (plain.high - plain.low) == pytest.approx(factor)


def draws(x: np.ndarray, statistic: object, size: int) -> stats._result_classes.BootstrapResult:
    """scipy's result for the same drawings as ours, without its interval."""
    rng, n = np.random.default_rng(0), len(x)
    rows = [np.bincount(rng.integers(0, n, n), minlength=n) for _ in range(size)]
    values = np.array([statistic(np.repeat(x, counts)) for counts in rows])
    some = stats.bootstrap((x,), statistic, n_resamples=2, method="percentile", vectorized=False)
    return replace(some, bootstrap_distribution=values)


@pytest.mark.parametrize("statistic", [np.mean, np.var, stats.skew])
@pytest.mark.parametrize(("size", "method"), [(999, "BCa"), (60, "percentile")])
def test_the_bootstrap_is_that_of_scipy_on_the_same_drawings(
    statistic: object, size: int, method: str
) -> None:
    x = np.random.default_rng(2).exponential(size=70)
    ours = bootstrap(lambda counts: statistic(np.repeat(x, counts)), 70, size, 0.9)
    theirs = stats.bootstrap(
        (x,), statistic, n_resamples=0, vectorized=False, confidence_level=0.9, method=method,
        bootstrap_result=draws(x, statistic, size),
    ).confidence_interval  # fmt: skip
    assert ours.method == f"bootstrap, {method}"
    assert tuple(ours) == pytest.approx(tuple(theirs), rel=1e-9)


def test_the_bootstrap_of_a_constant_is_a_point_and_seeds_repeat_it() -> None:
    assert tuple(bootstrap(lambda counts: 2.0, 9)) == (2, 2)
    x = np.arange(9.0)
    one, same, other = (bootstrap(lambda c: c @ x, 9, seed=seed) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("interval", [wilson, clopper_pearson])
@pytest.mark.parametrize(
    ("successes", "n", "level", "word"),
    [(0, 0, 0.95, "n is 0"), (0, -1, 0.95, "n is -1"), (1, inf, 0.95, "n is inf"),
     (1, "3", 0.95, "n is '3'"), (None, 3, 0.95, "successes is None"),
     (4, 3, 0.95, "successes is 4"), (-1, 3, 0.95, "successes is -1"), (nan, 3, 0.95, "successes"),
     (1, 3, 0, "level is 0"), (1, 3, 1, "level is 1"), (1, 3, 95, "level is 95"),
     (1, 3, "95", "level is '95'"), (1, 3, nan, "level is nan")],
)  # fmt: skip
def test_an_impossible_question_is_refused(
    interval: type[Interval], successes: float, n: float, level: float, word: str
) -> None:
    with pytest.raises(OptionError, match=f"{interval.__name__}: {word}"):
        interval(successes, n, level)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "word"),
    [(z_value, (1.0,), OptionError, "level is 1.0"),
     (z_interval, (1.2, 10), OptionError, "error is 1.2"),
     (z_interval, (nan, 10), OptionError, "error is nan"),
     (z_interval, (0.2, 0), OptionError, "n is 0"),
     (z_interval, (0.2, 9, 2), OptionError, "level is 2"),
     (mean_interval, ([1.0],), InputError, r"shape \(1,\)"),
     (mean_interval, (3.0,), InputError, r"shape \(\)"),
     (mean_interval, ([1.0, nan],), InputError, r"values\[1\] is nan"),
     (mean_interval, (["a", "b"],), InputError, "list of numbers"),
     (mean_interval, ([1, 2], 0), OptionError, "level is 0"),
     (corrected_t, ([0.9], 0.1), InputError, r"shape \(1,\)"),
     (corrected_t, ([0.9, inf], 0.1), InputError, r"values\[1\] is inf"),
     (corrected_t, ([0.9, 0.8], 1), OptionError, "test_share is 1"),
     (corrected_t, ([0.9, 0.8], 0.5, 1), OptionError, "level is 1"),
     (bootstrap, (np.sum, 1), OptionError, "n is 1"),
     (bootstrap, (np.sum, 5, 39), OptionError, "Give 40 or more"),
     (bootstrap, (np.sum, 5, 19, 0.9), OptionError, "Give 20 or more"),
     (bootstrap, (np.sum, 5, 50.5), OptionError, "draws is 50.5"),
     (bootstrap, (np.sum, 5, 50, -1), OptionError, "level is -1"),
     (bootstrap, (lambda counts: nan if counts[0] else 1.0, 5), InputError, "is nan on")],
)  # fmt: skip
def test_bad_input_is_refused_by_name(
    function: type, arguments: tuple[object, ...], error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=f"{function.__name__}: .*{word}"):
        function(*arguments)


def test_as_many_rows_as_draws_can_be_left_out_one_by_one() -> None:
    for n, method in ((40, "bootstrap, BCa"), (41, "bootstrap, percentile")):
        values = np.arange(float(n)) ** 2
        assert bootstrap(lambda counts, v=values: counts @ v / len(v), n, 40).method == method


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (3, 5), (8, 10), (40, 40), (17, 60)])
def test_mid_p_leaves_half_of_what_was_seen_to_each_tail(successes: int, n: int) -> None:
    low, high = mid_p(successes, n, 0.9)
    if successes < n:
        below = stats.binom.cdf(successes - 1, n, high) + stats.binom.pmf(successes, n, high) / 2
        assert below == pytest.approx(0.05)
    if successes > 0:
        above = stats.binom.sf(successes, n, low) + stats.binom.pmf(successes, n, low) / 2
        assert above == pytest.approx(0.05)
    assert (low == 0, high == 1) == (successes == 0, successes == n)


def test_wilsons_ends_reach_0_and_1_to_the_bit_at_any_level() -> None:
    for level in np.linspace(0.5, 0.999, 500).tolist():
        assert wilson(0, 7, level).low == 0.0
        assert wilson(7, 7, level).high == 1.0
