"""Small calculations: equal to scikit-learn and NumPy, and every printed number follows."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError, KindError, OptionError

TENNIS = tl.example("tennis")
NAMES = {
    "·": "*", "²": "**2", "log2": "math.log2", "sqrt": "math.sqrt", "^": "**", " ": "",
}  # fmt: skip


def arithmetic(side: str) -> float | None:
    """What one side of a printed equation says, or None where it is words."""
    text = side.strip().removesuffix(" bits").replace(",", "")
    for name, code in NAMES.items():
        text = text.replace(name, code)
    if re.search(r"[A-Za-zΣ|ŷ≥±]", re.sub(r"math\.(log2|sqrt)|e(?=\*\*)", "", text)):
        return None
    return float(eval(text, {"math": math, "e": math.e}))


def check_equations(found: Any) -> int:
    """Every printed equation holds as far as four digits tell; how many sides were calculated."""
    sides_checked = 0
    for step in found.show_work().steps:
        if not hasattr(step, "latex"):
            continue
        values = [v for side in step.text.split(" = ") if (v := arithmetic(side)) is not None]
        for value in values[1:]:
            assert value == pytest.approx(values[0], rel=2e-3, abs=2e-4)
        sides_checked += len(values)
    return sides_checked


@given(st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(any))
def test_entropy_and_gini_of_counts_equal_their_definitions(counts: list[int]) -> None:
    p = np.array(counts) / sum(counts)
    p = p[p > 0]
    assert float(tl.entropy(counts)) == pytest.approx(float(-(p * np.log2(p)).sum()), abs=1e-12)
    assert float(tl.gini(counts)) == pytest.approx(float(1 - (p**2).sum()), abs=1e-12)
    assert check_equations(tl.entropy(counts)) >= (2 if len(p) > 1 else 0)
    assert check_equations(tl.gini(counts)) >= 1


def test_entropy_takes_counts_labels_distributions_and_one_probability() -> None:
    assert float(tl.entropy([9, 5])) == pytest.approx(0.9402859586706311, abs=1e-15)
    assert float(tl.entropy(["no"] * 5 + ["yes"] * 9)) == float(tl.entropy([5, 9]))
    assert float(tl.entropy({"a": 0.5, "b": 0.25, "c": 0.25})) == 1.5
    assert float(tl.entropy({"a": 9, "b": 5})) == pytest.approx(float(tl.entropy([9, 5])))
    assert float(tl.entropy(0.25)) == pytest.approx(0.8112781244591328)
    assert float(tl.entropy(Fraction(1, 2))) == 1
    assert float(tl.entropy([3, 3], base=math.e)) == pytest.approx(math.log(2))


@pytest.mark.parametrize("values", [[], [0, 0], [-1, 2], [float("nan")], 1.5, None, {"a": "x"}])
def test_what_is_no_count_is_refused(values: Any) -> None:
    with pytest.raises((InputError, KindError), match="entropy: "):
        tl.entropy(values)


def test_the_gain_of_wind_is_written_as_in_the_notes() -> None:
    found = tl.information_gain(TENNIS, "Wind", "PlayTennis")
    assert "0.9403 - 8/14 · 0.8113 - 6/14 · 1.0000 = 0.0481" in str(found)
    assert r"\frac{8}{14}" in found.to_markdown()


@pytest.mark.parametrize("attribute", ["Outlook", "Temperature", "Humidity", "Wind"])
def test_gain_and_gain_ratio_equal_those_of_the_tree(attribute: str) -> None:
    tree = tl.ID3().fit(TENNIS, "PlayTennis")
    (record,) = (c for c in tree.gains().to_dict()["candidates"] if c["column"] == attribute)
    gain = tl.information_gain(TENNIS, attribute, "PlayTennis")
    ratio = tl.gain_ratio(TENNIS, attribute)
    assert float(gain) == pytest.approx(record["gain"], abs=1e-12)
    assert float(ratio) == pytest.approx(record["ratio"], abs=1e-12)
    assert check_equations(gain) >= 2
    assert check_equations(ratio) >= 6


@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from("ab")), min_size=2, max_size=25).filter(
        lambda rows: len({x for x, _ in rows}) > 1
    )
)
def test_thresholds_where_the_class_changes_are_as_good_as_all(rows: list[tuple[int, str]]) -> None:
    table = {"x": [float(x) for x, _ in rows], "y": [y for _, y in rows]}
    values = sorted({*table["x"]})
    every = [
        float(tl.information_gain(table, "x", "y", threshold=(a + b) / 2))
        for a, b in pairwise(values)
    ]
    assert float(tl.information_gain(table, "x", "y")) == pytest.approx(max(every), abs=1e-12)


def test_sdr_equals_its_definition_and_finds_the_best_threshold() -> None:
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"x": rng.integers(0, 9, 40).astype(float), "y": rng.normal(size=40)})
    y, values = table.y.to_numpy(), np.unique(table.x)

    def reduction(t: float) -> float:
        left, right = y[table.x <= t], y[table.x > t]
        return float(y.std() - len(left) / 40 * left.std() - len(right) / 40 * right.std())

    found = tl.standard_deviation_reduction(table, "x", "y")
    assert float(found) == pytest.approx(max(map(reduction, (values[1:] + values[:-1]) / 2)))
    assert check_equations(found) >= 2


def test_errors_of_splits_name_the_column_and_what_to_do() -> None:
    with pytest.raises(ColumnError, match=r"'Winds'.*'Wind'"):
        tl.information_gain(TENNIS, "Winds", "PlayTennis")
    with pytest.raises(OptionError, match=r"'Wind'.*threshold="):
        tl.information_gain(TENNIS, "Wind", "PlayTennis", threshold=3)
    with pytest.raises(InputError, match=r"'PlayTennis'.*information_gain"):
        tl.standard_deviation_reduction(TENNIS, "Wind", "PlayTennis")
    with pytest.raises(OptionError, match=r"threshold 9 .*'x'.* between 1 and 2"):
        tl.information_gain({"x": [1.0, 2.0], "y": ["a", "b"]}, "x", "y", threshold=9)
    with pytest.raises(InputError, match="no target"):
        tl.information_gain({"x": [1, 2], "y": ["a", "b"]}, "x")


PAIRS = st.tuples(st.sampled_from("abc"), st.sampled_from("abc"))


@given(st.lists(PAIRS, min_size=1, max_size=40).filter(lambda rows: len({*sum(rows, ())}) > 1))
def test_scores_of_classes_equal_scikit_learns(rows: list[tuple[str, str]]) -> None:
    truth, predicted = [t for t, _ in rows], [p for _, p in rows]
    matrix = tl.confusion_matrix(truth, predicted)
    np.testing.assert_array_equal(
        np.asarray(matrix), metrics.confusion_matrix(truth, predicted, labels=[*matrix.classes])
    )
    assert float(tl.accuracy_score(truth, predicted)) == metrics.accuracy_score(truth, predicted)
    expected = metrics.classification_report(truth, predicted, output_dict=True, zero_division=0)
    found = tl.classification_report(truth, predicted)
    for name in (*matrix.classes, "macro avg", "weighted avg"):
        assert found[name] == pytest.approx(expected[name])
    positive = matrix.classes[0]
    for ours, theirs in (
        (tl.precision_score, metrics.precision_score),
        (tl.recall_score, metrics.recall_score),
        (tl.f1_score, metrics.f1_score),
    ):
        score = ours(truth, predicted, positive=positive)
        value = theirs(truth, predicted, labels=[positive], average="macro", zero_division=0)
        assert float(score) == pytest.approx(value)
        if value:
            assert check_equations(score) >= 2


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=40).filter(
    lambda rows: len({t for t, _ in rows}) == 2))  # fmt: skip
def test_the_roc_curve_equals_scikit_learns(rows: list[tuple[bool, int]]) -> None:
    truth, scores = [int(t) for t, _ in rows], [float(s) for _, s in rows]
    found = tl.roc_curve(truth, scores)
    assert found.area == pytest.approx(metrics.roc_auc_score(truth, scores))
    fpr, tpr, thresholds = metrics.roc_curve(truth, scores, drop_intermediate=False)
    np.testing.assert_allclose(found.fpr, fpr)
    np.testing.assert_allclose(found.tpr, tpr)
    np.testing.assert_allclose(found.thresholds[1:], thresholds[1:])
    assert found.plot().data["series"]["ROC"]["x"]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=20))
def test_scores_and_moments_of_numbers_equal_scikit_learn_and_numpy(
    rows: list[tuple[int, int]],
) -> None:
    x, y = [a for a, _ in rows], [b for _, b in rows]
    for ours, theirs in (
        (tl.mean_absolute_error, metrics.mean_absolute_error),
        (tl.mean_squared_error, metrics.mean_squared_error),
        (tl.root_mean_squared_error, metrics.root_mean_squared_error),
    ):
        assert float(ours(x, y)) == pytest.approx(theirs(x, y))
        check_equations(ours(x, y))
    assert float(tl.covariance(x, y)) == pytest.approx(np.cov(x, y)[0, 1])
    assert check_equations(tl.covariance(x, y)) >= 2
    if len({*x}) > 1 and len({*y}) > 1:
        assert float(tl.correlation(x, y)) == pytest.approx(np.corrcoef(x, y)[0, 1])
        check_equations(tl.correlation(x, y))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_distances_equal_scipys(metric: str) -> None:
    from scipy.spatial import distance

    x, z = [1.0, -2.0, 3.5], [4.0, 0.5, -1.0]
    expected = {
        "euclidean": distance.euclidean(x, z), "manhattan": distance.cityblock(x, z),
        "chebyshev": distance.chebyshev(x, z), "minkowski": distance.minkowski(x, z, 3),
    }[metric]  # fmt: skip
    found = tl.distance(x, z, metric)
    assert float(found) == pytest.approx(expected)
    assert check_equations(found) >= 1
    assert float(tl.distance("abc", "abd", "hamming")) == 1


def test_sigmoid_and_softmax_hold_far_from_zero() -> None:
    assert float(tl.sigmoid(-800)) == pytest.approx(0, abs=1e-300)
    assert float(tl.sigmoid(800)) == 1
    assert check_equations(tl.sigmoid(0.5)) >= 2
    found = tl.softmax({"a": 1000, "b": 999})
    assert found["a"] == pytest.approx(1 / (1 + math.exp(-1)))
    assert sum(found.value.values()) == pytest.approx(1)


def test_bayes_rule_is_exact_for_fractions() -> None:
    found = tl.bayes_rule({"h1": "1/3", "h2": "2/3"}, {"h1": "1/2", "h2": "1/4"})
    assert found.value == {"h1": Fraction(1, 2), "h2": Fraction(1, 2)}
    with pytest.raises(InputError, match="sum to"):
        tl.bayes_rule({"h1": "1/3", "h2": "1/3"}, {"h1": 1, "h2": 1})
    with pytest.raises(InputError, match="'h3'"):
        tl.bayes_rule({"h1": 1}, {"h1": 1, "h3": 1})
    with pytest.raises(InputError, match=r"P\(D\) is 0"):
        tl.bayes_rule({"h1": 1, "h2": 0}, {"h1": 0, "h2": 1})


def test_smoothed_estimates_are_exact() -> None:
    assert tl.laplace_estimate(2, 3, 2).value == Fraction(3, 5)
    assert tl.m_estimate(2, 3, "1/2", 2).value == Fraction(3, 5)
    assert check_equations(tl.laplace_estimate(2, 3, 2)) >= 2
    for wrong in (lambda: tl.laplace_estimate(4, 3, 2), lambda: tl.m_estimate(0, 0, 0.5, 0)):
        with pytest.raises(InputError):
            wrong()


def test_the_interval_of_an_error_and_the_sample_size_belong_together() -> None:
    found = tl.error_interval(12, 40)
    half = 1.959963984540054 * math.sqrt(0.3 * 0.7 / 40)
    assert found["lower"] == pytest.approx(0.3 - half)
    assert found["upper"] == pytest.approx(0.3 + half)
    n = int(tl.sample_size(0.05, error=0.3))
    assert n == math.ceil(1.959963984540054**2 * 0.21 / 0.05**2)
    with pytest.raises(OptionError, match=r"level is 95.*0\.95"):
        tl.error_interval(1, 2, level=95)


def test_no_line_of_a_working_is_longer_than_100_characters() -> None:
    table = {"x": [f"value {i % 11}" for i in range(66)], "y": [str(i % 3) for i in range(66)]}
    for found in (tl.gain_ratio(table, "x", "y"), tl.entropy([*range(1, 13)]),
                  tl.mean_squared_error(range(8), range(1, 9))):  # fmt: skip
        assert max(map(len, str(found).splitlines())) <= 80


def test_the_gain_of_a_kept_identifier_is_computed() -> None:
    days = tl.example("tennis-day", keep=["Day"])
    golden = {"gain": 0.940286, "gain_ratio": 0.246966}  # every day is a part of its own
    assert float(tl.information_gain(days, "Day")) == pytest.approx(golden["gain"], abs=1e-6)
    assert float(tl.gain_ratio(days, "Day")) == pytest.approx(golden["gain_ratio"], abs=1e-6)


def test_results_that_are_no_numbers_show_their_work_too() -> None:
    for found in (tl.confusion_matrix("aab", "abb"), tl.classification_report("aab", "abb"),
                  tl.roc_curve([0, 1, 1], [0.1, 0.4, 0.3])):  # fmt: skip
        assert str(found.show_work()) == str(found)
