"""Tests hold against scipy.stats, published tables and counting all cases."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from math import comb, inf, nan, sqrt

import numpy as np
import pytest
from scipy import stats

from tallylearn.errors import InputError, OptionError
from tallylearn.statistics.multiple_comparisons import range_quantile, tukey, tukey_level
from tallylearn.statistics.significance_tests import (
    correlated_t,
    five_by_two,
    friedman,
    mcnemar,
    nemenyi,
    paired_t_corrected,
    sign_test,
    wilcoxon_signed_rank,
)


def test_without_a_test_part_to_speak_of_the_corrected_test_is_the_paired_one() -> None:
    first, second = np.random.default_rng(0).normal(size=(2, 12))
    ours, theirs = paired_t_corrected(first - second, 1e-15), stats.ttest_rel(first, second)
    assert (ours.t, ours.p, ours.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df))
    assert tuple(ours.interval) == pytest.approx(tuple(theirs.confidence_interval()))


def test_the_correction_divides_t_by_the_published_factor() -> None:
    values = np.random.default_rng(1).normal(0.01, 0.02, 10)
    ours, plain = paired_t_corrected(values, 0.1, 0.9), stats.ttest_1samp(values, 0)
    assert ours.t == pytest.approx(plain.statistic / sqrt((1 / 10 + 1 / 9) * 10))
    assert ours.p == pytest.approx(2 * stats.t.sf(abs(ours.t), 9))
    assert (ours.p < 0.1) == (0 not in ours.interval)


def test_differences_without_spread_have_no_t_or_an_infinite_one() -> None:
    same, worse = (paired_t_corrected([d] * 4, 0.25) for d in (0.0, -0.5))
    assert (same.t, same.p, tuple(same.interval)) == (0, 1, (0, 0))
    assert (worse.t, worse.p, worse.mean) == (-inf, 0, -0.5)


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (5, 5), (4, 14), (14, 4), (1, 30), (60, 90)])
def test_mcnemar_is_the_binomial_sum(b: int, c: int) -> None:
    n, few = b + c, min(b, c)
    tail = sum(Fraction(comb(n, i), 2**n) for i in range(few + 1))
    exact = min(1.0, float(2 * tail))
    result = mcnemar(b, c)
    assert result.exact == pytest.approx(exact, rel=1e-12)
    assert result.exact == pytest.approx(stats.binomtest(b, n).pvalue if n else 1, rel=1e-9)
    assert result.p == pytest.approx(float(2 * tail - Fraction(comb(n, few), 2**n)), rel=1e-12)
    assert result.chi_square == (max(abs(b - c) - 1, 0) ** 2 / n if n else 0)
    assert result.chi_square_p == pytest.approx(stats.chi2.sf(result.chi_square, 1))


def test_mcnemar_gives_the_published_mid_p() -> None:
    # Fagerland et al. 2013, 1 and 7 discordant pairs: exact 0.070, mid-p 0.039
    assert (mcnemar(1, 7).exact, mcnemar(1, 7).p) == pytest.approx((0.0703, 0.0391), abs=5e-5)


def counted(values: list[float]) -> float:
    """The two-sided p over all signs, one by one."""
    ranks = stats.rankdata(np.abs(values))
    seen = sum(ranks[np.array(values) > 0])
    sums = np.array([signs @ ranks for signs in np.array(list(product((0, 1), repeat=len(ranks))))])
    return min(1.0, 2 * min((sums <= seen).mean(), (sums >= seen).mean()))


@pytest.mark.parametrize(
    "values",
    [[1], [1, -2], [3, 1, 2], [1, 1, 1, -1], [2, -2, 5, 5, -1, 7, 7, 7],
     [4, 3, -1, 2, 5, 6, 6, -6, 9, 1], [-1, -2, -3, -4, -5, -6]],
)  # fmt: skip
def test_the_chance_is_counted_over_all_signs_with_ties(values: list[float]) -> None:
    result = wilcoxon_signed_rank(values)
    assert result.p == pytest.approx(counted(values), rel=1e-12)
    assert result.method == "exact"
    assert result.plus + result.minus == len(values) * (len(values) + 1) / 2


@pytest.mark.parametrize("n", [5, 24, 200])
def test_the_exact_chance_is_that_of_scipy(n: int) -> None:
    values = np.random.default_rng(n).normal(0.3, 1, n)
    theirs = stats.wilcoxon(values, method="exact")
    result = wilcoxon_signed_rank(values)
    assert result.p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert min(result.plus, result.minus) == theirs.statistic


@pytest.mark.parametrize("ties", [1, 10])
def test_the_normal_chance_is_that_of_scipy(ties: int) -> None:
    values = np.ceil(np.random.default_rng(ties).normal(15, 100, 320) / ties)
    kept = values[values != 0]
    theirs = stats.wilcoxon(kept, method="approx", correction=True)
    result = wilcoxon_signed_rank(values)
    assert (result.n, result.method) == (len(kept), "normal")
    assert result.p == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.15, 0.2])
def test_counting_and_the_normal_chance_meet(shift: float) -> None:
    values = np.random.default_rng(0).normal(shift, 1, 201)
    exact = stats.wilcoxon(values, method="exact").pvalue
    # Edgeworth's next term, for an excess kurtosis of -3.6 / n, is at most 8.2e-4 on both sides
    assert wilcoxon_signed_rank(values).p == pytest.approx(exact, abs=8.2e-4)


def test_zeros_are_dropped_and_rounding_is_a_tie() -> None:
    assert wilcoxon_signed_rank([0, 3, -1, 0, 2]) == wilcoxon_signed_rank([3, -1, 2])
    assert wilcoxon_signed_rank([0, 0]).p == 1
    rounded = wilcoxon_signed_rank([0.9 - 0.8, 0.7 - 0.8, 0.6 - 0.3, 0.1 + 0.2 - 0.3])
    assert (rounded.plus, rounded.minus, rounded.n) == (4.5, 1.5, 3)


def test_balanced_ranks_are_no_evidence() -> None:
    assert wilcoxon_signed_rank([*range(1, 121), *range(-120, 0)]).p == 1


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(4, 3), (12, 5), (30, 8)])
def test_chi_square_is_that_of_scipy_and_f_that_of_ranks(n: int, k: int, ties: bool) -> None:
    table = np.random.default_rng(n).normal(size=(n, k)) + np.arange(k) / 3
    table = np.round(table) if ties else table
    result, theirs = friedman(table), stats.friedmanchisquare(*table.T)
    assert result.chi_square == pytest.approx(theirs.statistic)
    assert result.chi_square_p == pytest.approx(theirs.pvalue)
    ranks = stats.rankdata(-table, axis=1)
    assert result.ranks == pytest.approx(ranks.mean(axis=0))
    learners = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    rest = ((ranks - ranks.mean(axis=0)) ** 2).sum()  # rows have one mean: two-way variance
    f = (learners / (k - 1)) / (rest / ((k - 1) * (n - 1)))
    assert result.f == pytest.approx(f)
    assert result.p == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))


def test_the_published_comparison_of_four_trees_is_found() -> None:
    # Demšar 2006, table 6: C4.5, with m, with cf, with both, on 14 data sets
    ranks = [
        [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5],
        [3, 2, 4, 1], [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5],
        [3, 2, 4, 1], [4, 1, 2, 3], [3, 1, 4, 2],
    ]  # fmt: skip
    result = friedman(-np.array(ranks))
    assert result.ranks == pytest.approx((3.143, 2.000, 2.893, 1.964), abs=5e-4)
    ties = 1 - (3 * 6 + 60) / (14 * 4 * 15)  # the paper does not correct: three pairs, one four
    assert result.chi_square * ties == pytest.approx(9.28, abs=5e-3)
    assert nemenyi(4, 14, 0.9) == pytest.approx(1.12, abs=5e-3)


@pytest.mark.parametrize(("row", "n"), [([3, 2, 1], 3), ([1, 2, 2], 4), ([1, 2], 5)])
def test_rows_that_all_rank_alike_have_the_exact_chance(row: list[int], n: int) -> None:
    orders = len(set(permutations(row)))
    result = friedman([row] * n)
    assert (result.f, result.p) == (inf, pytest.approx(orders ** (1 - n)))


def test_learners_that_never_differ_are_no_evidence() -> None:
    result = friedman([[0.1 + 0.2, 0.3, 0.3]] * 4)
    assert (result.ranks, result.chi_square, result.f, result.p) == ((2, 2, 2), 0, 0, 1)


def test_the_critical_values_are_the_published_ones() -> None:
    # Demšar 2006, table 5a
    published = {
        0.95: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.90: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    for level, values in published.items():
        ours = [range_quantile(k, level) / sqrt(2) for k in range(2, 11)]
        assert ours == pytest.approx(values, abs=1e-3)  # printed to three digits, some cut off


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("k", [2, 3, 10, 60])
def test_the_quantile_is_that_of_scipy(k: int, level: float) -> None:
    theirs = stats.studentized_range.ppf(level, k, inf)
    assert range_quantile(k, level) == pytest.approx(theirs, rel=1e-8)


def test_two_learners_need_the_distance_of_two_normal_means() -> None:
    assert nemenyi(2, 25) == pytest.approx(1.959963984540054 / 5, rel=1e-12)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "word"),
    [(paired_t_corrected, ([0.1], 0.1), InputError, r"differences has the shape \(1,\)"),
     (paired_t_corrected, ([0.1, nan], 0.1), InputError, r"differences\[1\] is nan"),
     (paired_t_corrected, ([0.1, 0.2], 0), OptionError, "test_share is 0"),
     (paired_t_corrected, ([0.1, 0.2], 0.1, 1.5), OptionError, "level is 1.5"),
     (mcnemar, (-1, 2), OptionError, "b is -1"),
     (mcnemar, (1, 2.5), OptionError, "c is 2.5"),
     (mcnemar, (inf, 2), OptionError, "b is inf"),
     (mcnemar, (nan, 2), OptionError, "b is nan"),
     (mcnemar, ("1", 2), OptionError, "b is '1'"),
     (wilcoxon_signed_rank, ([],), InputError, r"shape \(0,\)"),
     (wilcoxon_signed_rank, ([1, nan],), InputError, r"differences\[1\] is nan"),
     (friedman, ([[1, 2, 3]],), InputError, "two or more rows"),
     (friedman, ([[1, 2, 3], [1, 2]],), InputError, "two or more rows"),
     (friedman, ([[1], [2]],), InputError, r"shape \(1,\)"),
     (friedman, ([[1, 2], [nan, 2]],), InputError, "is nan"),
     (nemenyi, (1, 5), OptionError, "k is 1"),
     (nemenyi, (3, 0), OptionError, "n_sets is 0"),
     (nemenyi, (3, 5, 0), OptionError, "level is 0")],
)  # fmt: skip
def test_bad_input_is_refused_by_name(
    function: type, arguments: tuple[object, ...], error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=f"{function.__name__}: .*{word}"):
        function(*arguments)


@pytest.mark.parametrize("seed", range(4))
def test_five_by_two_are_the_formulas_of_dietterich_and_alpaydin(seed: int) -> None:
    apart = np.random.default_rng(seed).normal(0.01, 0.03, (5, 2))
    variance = sum(((row - row.mean()) ** 2).sum() for row in apart)
    found = five_by_two(apart)
    assert found.f == pytest.approx((apart**2).sum() / (2 * variance))
    assert found.p == pytest.approx(stats.f.sf(found.f, 10, 5))
    assert found.t == pytest.approx(apart[0, 0] / sqrt(variance / 5))
    assert found.t_p == pytest.approx(2 * stats.t.sf(abs(found.t), 5))


def test_five_by_two_and_mcnemar_are_those_of_mlxtend() -> None:
    # mlxtend 0.25.0: GaussianNB and five neighbours on four columns of breast_cancer's first 200
    # rows, random_seed=1; the differences are those of its ten halves
    apart = [(0.01, 0.07), (0.04, 0.05), (0.01, 0.05), (0.03, 0.02), (0.04, 0.01)]
    found = five_by_two(apart)
    assert (found.t, found.t_p) == pytest.approx((0.3984095364447985, 0.7067721432655442))
    assert (found.f, found.p) == pytest.approx((2.3333333333333366, 0.1810787724814602))
    published = {
        (4, 14): (4.5, 0.033894853524689295, 0.0308837890625),
        (1, 7): (3.125, 0.07709987174354202, 0.0703125),
        (60, 90): (5.6066666666666665, 0.017892267613019326, 0.017597691928785828),
    }
    for (b, c), (chi_square, p, exact) in published.items():
        ours = mcnemar(b, c)
        assert (ours.chi_square, ours.chi_square_p) == pytest.approx((chi_square, p))
        assert ours.exact == pytest.approx(exact)


def test_five_by_two_of_another_shape_is_refused() -> None:
    for wrong in ([[0.1, 0.2]] * 4, [[0.1, 0.2, 0.3]] * 5, [[0.1, 0.2]] * 4 + [[0.1, 0.2, 0.3]]):
        with pytest.raises(InputError, match="five repeats of two"):
            five_by_two(wrong)
    assert five_by_two(np.zeros((5, 2))).p == 1


def test_correlated_t_is_the_posterior_of_corani_and_benavoli() -> None:
    apart = np.random.default_rng(3).normal(0.01, 0.02, 20)
    error = np.std(apart, ddof=1) * sqrt(1 / 20 + 0.1 / 0.9)
    posterior = stats.t(19, apart.mean(), error)
    below, within, above = correlated_t(apart, 0.1, alike=0.01)
    assert below == pytest.approx(posterior.cdf(-0.01))
    assert above == pytest.approx(posterior.sf(0.01))
    assert below + within + above == pytest.approx(1)
    assert correlated_t([0.02, 0.02], 0.1, alike=0.01) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(("plus", "minus"), [(9, 1), (0, 4), (5, 5), (30, 12)])
def test_the_sign_test_is_scipys(plus: int, minus: int) -> None:
    theirs = stats.binomtest(plus, plus + minus).pvalue
    assert sign_test(plus, minus) == pytest.approx(theirs)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_tukeys_p_is_the_tail_of_scipys_studentized_range(k: int) -> None:
    for p in (0.001, 0.02, 0.3):
        theirs = stats.studentized_range.sf(sqrt(2) * stats.norm.isf(p / 2), k, np.inf)
        assert tukey(p, k) == pytest.approx(theirs, rel=1e-6)
        assert tukey(1 - tukey_level(1 - p, k), k) == pytest.approx(p)
    assert (tukey(0.0, k), tukey(1.0, k)) == (0.0, 1.0)
    assert tukey(float("nan"), k) != tukey(float("nan"), k)
