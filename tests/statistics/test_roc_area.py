"""Areas and their errors are those of the definition, pair by pair."""

from __future__ import annotations

from math import inf, log, nan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from tallylearn.errors import InputError, OptionError
from tallylearn.statistics.roc_area import delong, delong_difference


def components(scores: np.ndarray, truth: np.ndarray) -> list[np.ndarray]:
    """DeLong's structural components over all pairs: the slow, obvious version."""
    ours, theirs = scores[truth == 1][:, None], scores[truth == 0]
    wins = np.where(ours > theirs, 1.0, np.where(ours == theirs, 0.5, 0.0))
    return [wins.mean(axis=1), wins.mean(axis=0)]


def covariance(many: list[np.ndarray], truth: np.ndarray) -> np.ndarray:
    """The covariance of several areas, as DeLong defines it."""
    parts = [components(scores, truth) for scores in many]
    return sum(
        np.cov([part[side] for part in parts]) / len(parts[0][side]) for side in (0, 1)
    )  # fmt: skip


def sample(seed: int, n: int = 80) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two related lists of scores with ties, and the truth."""
    rng = np.random.default_rng(seed)
    truth = (np.arange(n) % 3 == 0).astype(int)
    first = rng.normal(size=n) + truth
    return np.round(first, 1), np.round(first + rng.normal(size=n), 1), truth


@pytest.mark.parametrize("seed", range(5))
def test_area_and_error_are_those_of_all_pairs(seed: int) -> None:
    first, second, truth = sample(seed)
    area = delong(first, truth)
    assert area.auc == pytest.approx(roc_auc_score(truth, first), rel=1e-12)
    matrix = covariance([first, second], truth)
    assert area.error == pytest.approx(sqrt(matrix[0, 0]), rel=1e-10)
    assert delong(second, truth).error == pytest.approx(sqrt(matrix[1, 1]), rel=1e-10)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_is_symmetric_in_the_log_odds(level: float) -> None:
    first, _, truth = sample(7)
    area = delong(first, truth, level=level)
    low, middle, high = (
        log(a / (1 - a)) for a in (area.interval.low, area.auc, area.interval.high)
    )
    half = NormalDist().inv_cdf((1 + level) / 2) * area.error / (area.auc * (1 - area.auc))
    assert (middle - low, high - middle) == pytest.approx((half, half))


@pytest.mark.parametrize("seed", range(5))
def test_the_difference_has_the_variance_of_a_pair(seed: int) -> None:
    first, second, truth = sample(seed)
    result = delong_difference(first, second, truth)
    matrix = covariance([first, second], truth)
    error = sqrt(matrix[0, 0] + matrix[1, 1] - 2 * matrix[0, 1])
    apart = roc_auc_score(truth, first) - roc_auc_score(truth, second)
    assert result.difference == pytest.approx(apart, rel=1e-10)
    assert result.error == pytest.approx(error, rel=1e-10)
    assert result.p == pytest.approx(2 * NormalDist().cdf(-abs(apart) / error), rel=1e-9)
    half = NormalDist().inv_cdf(0.975) * error
    assert tuple(result.interval) == pytest.approx((apart - half, apart + half))


def test_a_weight_of_three_is_the_row_three_times_and_of_none_is_no_row() -> None:
    first, second, truth = sample(3)
    weight = np.random.default_rng(0).integers(0, 4, len(truth))
    rows = np.repeat(np.arange(len(truth)), weight)
    weighed = delong(first, truth, weight)
    repeated = delong(first[rows], truth[rows])
    assert (weighed.auc, weighed.error) == pytest.approx((repeated.auc, repeated.error))
    weighed = delong_difference(first, second, truth, weight)
    repeated = delong_difference(first[rows], second[rows], truth[rows])
    assert (weighed.p, weighed.error) == pytest.approx((repeated.p, repeated.error))


def test_only_the_order_of_the_scores_matters_and_turning_it_mirrors_the_interval() -> None:
    first, _, truth = sample(4)
    area = delong(first, truth)
    assert delong(np.exp(first), truth) == area
    turned = delong(-first, truth)
    assert (1 - turned.interval.high, 1 - turned.auc) == pytest.approx(
        (area.interval.low, area.auc)
    )
    assert delong([-inf, 0, 1, inf], [0, 0, 1, 1]).auc == 1
    assert delong([-inf, inf, inf, inf], [0, 0, 1, 1]).auc == 0.75


@pytest.mark.parametrize("k", [2, 10, 200])
def test_a_perfect_area_has_the_interval_of_its_disjoint_pairs(k: int) -> None:
    area = delong(range(3 * k), [0] * 2 * k + [1] * k)
    assert (area.auc, area.error) == (1, 0)
    assert area.interval.low == pytest.approx(0.025 ** (1 / k))  # q^k = 0.025
    assert area.interval.high == 1


def test_constant_scores_have_half_the_area_and_an_interval_around_it() -> None:
    area = delong([3] * 30, [0, 1] * 15)
    assert (area.auc, area.error) == (0.5, 0)
    assert area.interval.low == pytest.approx(0.025 ** (1 / 15) / 2)
    assert sum(area.interval) == pytest.approx(1)


def test_a_perfect_model_differs_from_a_coin_and_no_model_differs_from_itself() -> None:
    truth = [0] * 30 + [1] * 20
    result = delong_difference(range(50), [1] * 50, truth)
    assert (result.difference, result.error) == (0.5, 0)
    assert result.p == pytest.approx(2 * 1.5**-20)
    assert 0 < result.interval.low < 0.5 < result.interval.high < 1
    same = delong_difference(range(50), range(50), truth)
    assert (same.difference, same.p) == (0, 1)
    assert same.interval.low < 0 < same.interval.high


@pytest.mark.parametrize(
    ("scores", "truth", "weight", "word"),
    [([1, 2, 3], [1, 1, 1], None, "3 positive and 0 negative"),
     ([1, 2, 3], [0, 0, 0], None, "0 positive and 3 negative"),
     ([1, 2, 3], [0, 0, 1], None, "1 positive and 2 negative"),
     ([1, 2, 3, 4], [0, 0, 1, 1], [0, 0, 2, 2], "4 positive and 0 negative"),
     ([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1, -1], "weight has a value that is negative"),
     ([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1, nan], "negative, infinite or missing"),
     ([1, 2, 3, 4], [0, 0, 1, 1], [1, 1, 1], r"weight has the shape \(3,\)"),
     ([1, nan, 3, 4], [0, 0, 1, 1], None, r"(scores|first)\[1\] is nan"),
     ([1, 3, 4], [0, 0, 1, 1], None, "truth has 4 rows"),
     (["a", "b", "c", "d"], [0, 0, 1, 1], None, "Give a list of numbers"),
     ([1, 2, 3, 4], ["a", "a", "b", "b"], None, "values other than 0 and 1"),
     ([1, 2, 3, 4], [0, 0, 1, nan], None, "values other than 0 and 1"),
     ([], [], None, "0 positive and 0 negative")],
)  # fmt: skip
def test_bad_input_is_refused_by_name(
    scores: object, truth: object, weight: object, word: str
) -> None:
    with pytest.raises(InputError, match=f"delong: .*{word}"):
        delong(scores, truth, weight)
    with pytest.raises(InputError, match=f"delong_difference: .*{word}"):
        delong_difference(scores, scores, truth, weight)


def test_a_level_is_a_share() -> None:
    with pytest.raises(OptionError, match="delong: level is 0"):
        delong([1, 2, 3, 4], [0, 0, 1, 1], level=0)
    with pytest.raises(OptionError, match="delong_difference: level is 1"):
        delong_difference([1, 2, 3, 4], [4, 3, 2, 1], [0, 0, 1, 1], level=1)
