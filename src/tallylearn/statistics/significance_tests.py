"""Significance: how often chance alone would set two learners as far apart as they came."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.statistics.confidence_intervals import (
    Interval,
    check_count,
    check_level,
    check_values,
    corrected_error,
    t_interval,
)
from tallylearn.statistics.multiple_comparisons import range_quantile
from tallylearn.tables import Array

EXACT = 200  # differences whose signs are counted, in 10 ms; at 50 a normal p of 0.005 is 13 % off
TIED = 1e-12  # of the largest value: 0.9 - 0.8 and 0.8 - 0.7 differ by rounding only


@dataclass(frozen=True)
class PairedT:
    """Whether two learners differ on average over training sets: the mean difference and its t."""

    mean: float
    t: float
    df: int
    p: float  # two-sided
    interval: Interval


@dataclass(frozen=True)
class McNemar:
    """Whether two models err equally often on all rows like these: only rows where one errs count.

    ``p`` is the headline.
    """

    p: float  # mid-p: half of the chance of what was seen, and all of what is further off
    exact: float  # all of what was seen, and of what is further off
    chi_square: float  # (|b - c| - 1)² / (b + c)
    chi_square_p: float


@dataclass(frozen=True)
class FiveByTwo:
    """Whether two learners differ, learned from halves of the rows. ``p`` is the headline."""

    f: float  # Alpaydın's, with 10 and 5 degrees of freedom
    p: float
    t: float  # Dietterich's, with 5
    t_p: float


@dataclass(frozen=True)
class SignedRank:
    """Whether differences lie symmetrically around 0: the ranks of those above, and below."""

    plus: float
    minus: float
    n: int  # differences other than 0
    p: float  # two-sided
    method: str


@dataclass(frozen=True)
class Friedman:
    """Whether several learners rank alike over all data sets like these. ``p`` is the headline."""

    ranks: tuple[float, ...]  # mean rank of every learner; 1 is the best
    chi_square: float
    chi_square_p: float
    f: float  # Iman and Davenport
    df: tuple[int, int]  # of f
    p: float  # of f


def paired_t_corrected(differences: Any, test_share: float, level: float = 0.95) -> PairedT:
    """The corrected resampled t-test of the differences between two learners, one per fold.

    Both learners are tested on the same folds; ``test_share`` and the reference are those of
    `intervals.corrected_t`. Differences that are all equal have no spread to be measured by: t is
    then infinite, or 0 where they are 0.

    >>> result = paired_t_corrected([0.03, 0.01, 0.04, 0.00, 0.02], test_share=0.2)
    >>> print(f"{result.mean:.3f} {result.interval} t = {result.t:.2f}, p = {result.p:.3f}")
    0.020 [-0.009, 0.049] t = 1.89, p = 0.132
    """
    who = "paired_t_corrected"
    differences = check_values(who, differences, 2, "differences")
    check_level(who, level)
    from scipy.special import stdtr

    mean, error = float(differences.mean()), corrected_error(who, differences, test_share)
    df = len(differences) - 1
    t = mean / error if error else float(np.sign(mean) * inf) if mean else 0.0
    interval = t_interval(
        mean,
        error,
        free=df,
        level=level,
        method="corrected resampled t",
        about="the mean difference of models learned from training parts",
    )
    return PairedT(mean, t, df, 2 * float(stdtr(df, -abs(t))), interval)


def mcnemar(b: int, c: int) -> McNemar:
    """McNemar's test: b rows only the first model gets wrong, c rows only the second.

    Were both equally good, b would be binomial, with b + c trials and chance 1/2. The headline is
    mid-p, whose error rate is nearest to its level; the exact p is never too small; chi-square with
    continuity correction is for tables of old. M. W. Fagerland et al., BMC Medical Research
    Methodology 13:91, 2013.

    >>> result = mcnemar(4, 14)
    >>> print(f"{result.p:.4f} exact {result.exact:.4f} chi-square {result.chi_square:.2f}")
    0.0192 exact 0.0309 chi-square 4.50
    """
    check_count("mcnemar", "b", b, 0)
    check_count("mcnemar", "c", c, 0)
    if b + c == 0:
        return McNemar(1.0, 1.0, 0.0, 1.0)
    from scipy.special import betainc, chdtrc

    few, many = sorted((int(b), int(c)))
    tail = float(betainc(many, few + 1, 0.5))  # at most ``few``
    beyond = float(betainc(many + 1, few, 0.5)) if few else 0.0
    chi_square = max(many - few - 1, 0) ** 2 / (b + c)
    p = chdtrc(1, chi_square)
    return McNemar(min(1.0, tail + beyond), min(1.0, 2 * tail), chi_square, float(p))


def sign_test(plus: int, minus: int) -> float:
    """The chance, two-sided, that coins fall so unevenly: of rows or tables, ties left out.

    >>> print(f"{sign_test(9, 1):.4f}")
    0.0215
    """
    return mcnemar(plus, minus).exact


def five_by_two(differences: Any) -> FiveByTwo:
    """The 5x2cv tests of the differences between two learners, a row for each of five repeats.

    A repeat halves the rows, learns from each half and tests on the other: training sets that share
    no row. The headline is the combined F; Dietterich's t takes its numerator from the first fold.
    T. G. Dietterich, Neural Computation 10, 1998; E. Alpaydın, Neural Computation 11, 1999.

    >>> table = [[0.03, 0.02], [0.01, 0.04], [0.03, 0.03], [0.02, 0.00], [0.04, 0.03]]
    >>> result = five_by_two(table)
    >>> print(f"F = {result.f:.2f}, p = {result.p:.3f}; t = {result.t:.2f}, p = {result.t_p:.3f}")
    F = 5.13, p = 0.042; t = 2.45, p = 0.058
    """
    rows = [check_values("five_by_two", row, 2, "a repeat") for row in differences]
    table = np.array(rows) if {len(row) for row in rows} == {2} else np.empty((0, 2))
    if table.shape != (5, 2):
        raise InputError(
            f"five_by_two: differences has {[len(row) for row in rows]} values per "
            "repeat. Give five repeats of two differences each."
        )
    from scipy.special import fdtrc, stdtr

    spread = float(((table - table.mean(axis=1, keepdims=True)) ** 2).sum())
    if not spread:
        same = not table.any()
        return FiveByTwo(*((0.0, 1.0, 0.0, 1.0) if same else (inf, 0.0, inf, 0.0)))
    f, t = float((table**2).sum()) / (2 * spread), float(table[0, 0]) / sqrt(spread / 5)
    return FiveByTwo(f, float(fdtrc(10, 5, f)), t, 2 * float(stdtr(5, -abs(t))))


def correlated_t(differences: Any, test_share: float, alike: float) -> tuple[float, float, float]:
    """The chances, after the folds were seen, that the mean difference is below, within, above.

    Within is from -alike to alike, the region of practical equivalence. The posterior is Student's
    t around the mean, with the error of `paired_t_corrected`: flat before the folds. G. Corani and
    A. Benavoli, Machine Learning 100, 2015.

    >>> below, within, above = correlated_t([0.03, 0.01, 0.04, 0.00, 0.02], 0.2, alike=0.01)
    >>> print(f"{below:.3f} {within:.3f} {above:.3f}")
    0.024 0.176 0.800
    """
    differences = check_values("correlated_t", differences, 2, "differences")
    from scipy.special import stdtr

    error = corrected_error("correlated_t", differences, test_share)
    mean, df = float(differences.mean()), len(differences) - 1
    if not error:
        low, high = float(mean < -alike), float(mean <= alike)
    else:
        low, high = (float(stdtr(df, (end - mean) / error)) for end in (-alike, alike))
    return low, high - low, 1 - high


def wilcoxon_signed_rank(differences: Any) -> SignedRank:
    """Wilcoxon's signed-rank test of paired differences, such as two learners' on many data sets.

    Differences of 0 are dropped, as Wilcoxon did; the others are ranked by size, ties sharing their
    mean rank. Up to 200 the chance is counted over all signs, ties included; beyond, it is normal,
    with corrections for ties and continuity. F. Wilcoxon, Biometrics Bulletin 1, 1945.

    >>> result = wilcoxon_signed_rank([4, 3, -1, 2, 5, 0, 6])
    >>> print(f"{result.plus:g} against {result.minus:g}: p = {result.p:.4f}, {result.method}")
    20 against 1: p = 0.0625, exact
    """
    values = check_values("wilcoxon_signed_rank", differences, 1, "differences")
    values = values[np.abs(values) > TIED * np.abs(values).max()]
    n, ranks = len(values), _ranks(np.abs(values))
    plus, minus = float(ranks[values > 0].sum()), float(ranks[values < 0].sum())
    if n <= EXACT:
        return SignedRank(plus, minus, n, _exact_signed_rank_p(ranks, min(plus, minus)), "exact")
    from scipy.special import ndtr

    spread = sqrt((ranks**2).sum() / 4)  # every rank is added or not; ties are in the ranks
    z = min(0.0, min(plus, minus) + 0.5 - ranks.sum() / 2) / spread
    return SignedRank(plus, minus, n, 2 * float(ndtr(z)), "normal")


def friedman(table: Any) -> Friedman:
    """Friedman's test of a table with a row per data set and a score per learner, higher better.

    Each row is ranked from 1, the best; ties share their mean rank, and the statistics are
    corrected for them. The headline is the F of Iman and Davenport, which Friedman's chi-square
    only approaches. Where all rows rank alike, F is infinite and p is exact: one over the number of
    orders, to the power of rows less one. J. Demšar, Journal of Machine Learning Research 7, 2006.

    >>> table = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7], [0.7, 0.7, 0.5]]
    >>> result = friedman(table)
    >>> print([round(rank, 3) for rank in result.ranks], f"F = {result.f:.1f}, p = {result.p:.4f}")
    [1.125, 2.125, 2.75] F = 7.6, p = 0.0227
    """
    ranks = _rank_rows(table)
    (n, k), mean = ranks.shape, ranks.mean(axis=0)
    from scipy.special import chdtrc, fdtrc

    spread = ((ranks - (k + 1) / 2) ** 2).sum() / (k - 1)  # n k (k + 1) / 12 without ties
    chi = float(n**2 * ((mean - (k + 1) / 2) ** 2).sum() / spread) if spread else 0.0
    chi_p, df = float(chdtrc(k - 1, chi)), (k - 1, (k - 1) * (n - 1))
    if spread and (ranks == ranks[0]).all():
        return Friedman(
            ranks=tuple(mean.tolist()),
            chi_square=chi,
            chi_square_p=chi_p,
            f=inf,
            df=df,
            p=_chance_of_same_order(ranks[0], n),
        )
    f = (n - 1) * chi / (n * (k - 1) - chi)
    return Friedman(
        ranks=tuple(mean.tolist()),
        chi_square=chi,
        chi_square_p=chi_p,
        f=f,
        df=df,
        p=float(fdtrc(*df, f)),
    )


def nemenyi(k: int, n_sets: int, level: float = 0.95) -> float:
    """How far the mean ranks of two of k learners must lie apart to differ: Nemenyi's distance.

    q sqrt(k (k + 1) / (6 n)), where q √2 is the quantile of the range of k normal numbers (Demšar
    2006, section 3.2.2). It holds for all pairs at once, with ranks from `friedman`.

    >>> print(f"{nemenyi(4, 14):.2f}")
    1.25
    """
    check_level("nemenyi", level)
    check_count("nemenyi", "k", k, 2)
    check_count("nemenyi", "n_sets", n_sets, 1)
    return range_quantile(k, level) / sqrt(2) * sqrt(k * (k + 1) / (6 * n_sets))


def _ranks(values: Array) -> Array:
    """Ranks from 1, the smallest; what lies within rounding is tied and shares the mean rank."""
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order]) > TIED * np.abs(values).max(initial=0.0)
    group = np.concatenate([[0], np.cumsum(steps)])[: len(values)]
    size = np.bincount(group)
    ranks = np.empty(len(values))
    ranks[order] = (np.cumsum(size) - (size - 1) / 2)[group]
    return ranks


def _exact_signed_rank_p(ranks: Array, least: float) -> float:
    """The share of all signs whose rank sum is as small, or as large on the other side."""
    doubled = np.rint(2 * ranks).astype(int)  # ties make halves
    chance = np.zeros(doubled.sum() + 1)
    chance[0] = 1.0
    for rank in doubled:
        chance[rank:] = (chance[rank:] + chance[: len(chance) - rank]) / 2
        chance[:rank] /= 2
    return min(1.0, 2 * float(chance[: round(2 * least) + 1].sum()))


def _rank_rows(table: Any) -> Array:
    try:
        rows = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or len(rows) < 2:
        raise InputError(
            f"friedman: table is {table!r:.60}. Give two or more rows of equal length."
        )
    return np.array([_ranks(-check_values("friedman", row, 2, "a row")) for row in rows])


def _chance_of_same_order(ranks: Array, n: int) -> float:
    """The chance that n - 1 rows of these ranks come in the order of the first."""
    from scipy.special import gammaln

    _, times = np.unique(ranks, return_counts=True)
    return float(np.exp((1 - n) * (gammaln(len(ranks) + 1) - gammaln(times + 1).sum())))
