"""Curves have scikit-learn's scores, and verdicts that follow from them by rule."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.model_selection import learning_curve as their_learning_curve
from sklearn.model_selection import validation_curve as their_validation_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.evaluation.curves.curve import Curve
from tallylearn.evaluation.curves.curve_points import CurvePoint
from tallylearn.evaluation.curves.train_and_test import nested_order
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS
from tallylearn.statistics.confidence_intervals import wilson
from tallylearn.tables import Codes
from tests.printed_text import unwrapped

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 3))
Y = np.where(X[:, 0] + 0.7 * rng.normal(size=120) > 0, "yes", "no")
Z = X[:, 0] ** 2 + 0.3 * rng.normal(size=120)


def drawn(what: str, *points: tuple[Any, Any, Any], score: str = "error") -> Curve:
    """A curve with these points; five folds that nearly agree leave nothing to chance."""
    draw = np.random.default_rng(8)

    def folds(value: Any) -> tuple[float, ...]:
        if isinstance(value, tuple):
            return value
        noise = 1e-6 * draw.normal(size=5)
        return tuple(value + noise - noise.mean())

    made = [CurvePoint(at, folds(train), folds(test)) for at, train, test in points]
    flat = (0.5,) * len(made[0].test)
    base = CurvePoint("majority", flat, flat)
    return Curve("learner", what, "given", score, 100, 0.95, 0.5, tuple(made), base)


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), GaussianNB(), DecisionTreeClassifier()])
def test_a_validation_curve_has_the_scores_of_scikit_learn(learner: Any) -> None:
    option, values = ("max_depth", [1, 2, 5]) if hasattr(learner, "max_depth") else (
        "var_smoothing", [1e-9, 0.1, 10.0]
    )  # fmt: skip
    if hasattr(learner, "random_state"):
        learner.random_state = 0
    folds = KFold(4)
    ours = tl.validation_curve(learner, option, values, X, Y, cv=folds, score="accuracy")
    train, test = their_validation_curve(
        learner, X, Y, param_name=option, param_range=values, cv=folds, scoring="accuracy"
    )
    assert np.allclose([point.train for point in ours.points], train, rtol=1e-12)
    assert np.allclose([point.test for point in ours.points], test, rtol=1e-12)
    assert [point.at for point in ours.points] == values
    assert ours.best == values[int(np.argmax(test.mean(axis=1)))]


@pytest.mark.parametrize("learner", [DecisionTreeRegressor(random_state=0), tl.DummyRegressor()])
def test_a_learning_curve_has_the_scores_of_scikit_learn(learner: Any) -> None:
    shares, splits = (0.25, 0.5, 1.0), list(KFold(4).split(X))
    ours = tl.learning_curve(learner, X, Z, sizes=shares, cv=splits, score="mse")
    ordered = [(nested_order(train, None, 0), test) for train, test in splits]
    sizes, train, test = their_learning_curve(
        learner, X, Z, train_sizes=[22, 45, 90], cv=ordered, scoring="neg_mean_squared_error"
    )
    assert [point.at for point in ours.points] == sizes.tolist()
    assert np.allclose([point.train for point in ours.points], -train, rtol=1e-12)
    assert np.allclose([point.test for point in ours.points], -test, rtol=1e-12)


def test_any_first_part_of_the_rows_has_the_classes_in_their_shares() -> None:
    codes = rng.choice(3, 90, p=[0.6, 0.3, 0.1]).astype(np.int32)
    rows = np.flatnonzero(rng.random(90) < 0.8)
    order = nested_order(rows, Codes(("a", "b", "c"), codes), 5)
    assert sorted(order) == rows.tolist()
    whole = np.bincount(codes[rows], minlength=3) / len(rows)
    for m in range(1, len(rows) + 1):
        taken = np.bincount(codes[order[:m]], minlength=3)
        assert (np.abs(taken - m * whole) <= 2).all()
    assert order.tolist() != nested_order(rows, Codes(("a", "b", "c"), codes), 6).tolist()


def test_a_row_keeps_its_place_whichever_rows_it_is_learned_with() -> None:
    rows = np.arange(50)
    part = nested_order(rows[rows % 5 != 0], None, 0)
    assert part.tolist() == [row for row in nested_order(rows, None, 0) if row % 5]


def test_the_whole_size_is_the_cross_validated_score() -> None:
    curve = tl.learning_curve(tl.NaiveBayes(), X, Y, sizes=[1.0], cv=4, score="log_loss")
    found = tl.evaluate(tl.NaiveBayes(), X, Y, cv=4, scores="log_loss")["log_loss"]
    assert np.allclose(curve.points[0].test, found.by_fold, rtol=1e-12)
    assert curve.average(curve.points[0]).interval == found.over_folds


def test_weights_count_as_rows_in_both_scores() -> None:
    weight = np.where(np.arange(120) % 3 == 0, 2, 1)
    splits = [(np.arange(60), np.arange(60, 120)), (np.arange(60, 120), np.arange(60))]
    ours = tl.validation_curve(
        tl.NaiveBayes(), "var_smoothing", [0.1], X, Y, cv=splits, sample_weight=weight
    )
    for fold, (train, test) in enumerate(splits):
        again = np.repeat(train, weight[train])
        model = tl.NaiveBayes(var_smoothing=0.1).fit(X[again], Y[again])
        for rows, side in ((train, "train"), (test, "test")):
            right = np.average(model.predict(X[rows]) == Y[rows], weights=weight[rows])
            assert getattr(ours.points[0], side)[fold] == pytest.approx(1 - right, rel=1e-12)


def test_an_over_fitting_value_has_a_witness_and_the_definition_holds() -> None:
    """Over random curves, by the definition taken word by word."""
    for seed in range(50):
        draw = np.random.default_rng(seed)
        train, test = draw.integers(1, 7, (2, 5)) / 8
        curve = drawn("depth", *((at, train[at], test[at]) for at in range(5)))
        over = {h for h in range(5) for w in range(5) if train[h] < train[w] and test[h] > test[w]}
        under = {h for h in range(5) for w in range(5) if train[h] > train[w] and test[h] > test[w]}
        assert {*curve.overfitting} == over
        assert {*curve.underfitting} == under
        for h, w in curve.overfitting.items():
            assert train[h] < train[w]
            assert test[h] > test[w]
            assert test[w] == min(
                test[v] for v in range(5) if train[h] < train[v] and test[h] > test[v]
            )
        assert curve.best == int(np.argmin(test))


def test_a_score_that_should_be_high_is_turned_round() -> None:
    errors = [("a", 0.3, 0.35), ("b", 0.1, 0.2), ("c", 0.0, 0.3)]
    low = drawn("depth", *errors)
    high = drawn(
        "depth", *((at, 1 - train, 1 - test) for at, train, test in errors), score="accuracy"
    )
    for curve in (low, high):
        assert (curve.overfitting, curve.underfitting) == ({"c": "b"}, {"a": "b"})
        assert curve.best == "b"


def test_errors_that_differ_by_rounding_only_are_equal() -> None:
    curve = drawn("depth", ("a", 0.1, 0.3), ("b", 0.2, 0.3 * (1 - 1e-15)))
    assert curve.overfitting == {}
    assert curve.best == "a"


def test_a_difference_that_is_rounding_only_shows_nothing() -> None:
    """Alike in both folds, its interval would be a point above zero."""
    same = (0.3, 0.3)
    near = (0.3 * (1 + 1e-15), 0.3 * (1 + 1e-15))
    more, gap, _ = drawn("rows", (10, same, near), (20, same, same)).verdicts
    assert not more.holds
    assert not gap.holds
    assert not drawn("rows", (20, same, near)).overfitting


def test_an_error_without_bound_shows_nothing() -> None:
    endless = float("inf")
    curve = drawn(
        "rows", (10, (0.1, 0.1), (endless, 0.5)), (20, (0.1, 0.1), (endless, endless)),
        score="log_loss",
    )  # fmt: skip
    assert not any(verdict.holds for verdict in curve.verdicts)
    assert [verdict.text for verdict in curve.verdicts] == [
        "Whether more rows would help is not tested, because the test log_loss of 10 rows is "
        "infinite on 1 of 2 folds.",
        "Overfitting is not tested, because the test log_loss of 20 rows is infinite on 2 of 2 "
        "folds.",
        "Whether it is better than the baseline (majority) is not tested, because the test "
        "log_loss of 20 rows is infinite on 2 of 2 folds.",
    ]
    assert "scoring='brier', which is always finite" in str(curve)
    values = drawn("depth", ("a", 0.1, endless), ("b", 0.2, 0.3), ("c", 0.1, 0.4), score="log_loss")
    assert values.best == "b"
    assert values.overfitting == {"c": "b"}


def test_a_difference_between_folds_that_chance_explains_is_said_to_be_one() -> None:
    curve = drawn("depth", ("a", 0.1, (0.5, 0.3)), ("b", 0.2, (0.3, 0.4)))
    (over, _) = curve.verdicts
    assert over.holds
    assert not over.is_significant
    assert "not significant" in over.text
    sure = drawn("depth", ("a", 0.1, 0.4), ("b", 0.2, 0.3))
    assert sure.verdicts[0].is_significant
    assert "significant" not in sure.verdict


@pytest.mark.parametrize(
    ("train", "test", "said"),
    [(0.2, 0.3, "Better than the baseline (majority): "),
     (0.0, 0.6, "Not shown to be better in test than the baseline (majority): "),
     (0.5, 0.5, "Underfitting: not shown to be better than the baseline (majority): ")],
)  # fmt: skip
def test_better_than_the_baseline_is_said_of_rows_that_were_not_learned(
    train: float, test: float, said: str
) -> None:
    curve = drawn("rows", (10, train, test), (20, train, test))
    assert curve.verdicts[-1].text.startswith(said)


@pytest.mark.parametrize(
    ("points", "more", "over", "under"),
    [
        ([(10, 0.0, 0.4), (20, 0.0, 0.3)], True, False, False),  # the gap shrinks
        ([(10, 0.0, 0.3), (20, 0.0, 0.3)], False, True, False),  # the gap stays
        ([(10, 0.0, 0.3), (20, 0.1, 0.4)], False, True, False),
        ([(10, 0.5, 0.5), (20, 0.5, 0.5)], False, False, True),  # as poor as the majority
        ([(10, 0.2, 0.2), (20, 0.2, 0.2)], False, False, False),
        ([(10, 0.4, 0.6), (20, 0.4, 0.6)], False, True, False),  # better in training alone
        ([(20, 0.1, 0.4)], None, True, False),
    ],
)
def test_verdicts_on_rows_follow_the_rules(
    points: list[Any], more: bool | None, over: bool, under: bool
) -> None:
    found = {verdict.kind: verdict.holds for verdict in drawn("rows", *points).verdicts}
    expected = {"overfitting": over, "underfitting": under}
    assert found == (expected if more is None else expected | {"more rows": more})


def test_differences_that_vary_between_folds_show_nothing() -> None:
    curve = drawn("rows", (10, (0.0, 0.0), (0.5, 0.3)), (20, (0.0, 0.0), (0.1, 0.4)))
    more, gap, _ = curve.verdicts
    assert not more.holds
    assert not gap.holds
    assert more.text.startswith("More rows are not shown to help: from 10 to 20")


def test_folds_that_agree_without_rows_are_not_tested() -> None:
    pair = (0.4, 0.4), (0.3, 0.3)
    more, gap, poor = drawn("rows", (10, (0.0, 0.0), pair[0]), (20, (0.0, 0.0), pair[1])).verdicts
    assert not any(verdict.holds for verdict in (more, gap, poor))
    assert "is not tested, because all folds differ by the same: from 10 to 20" in more.text
    (over, _) = drawn("depth", ("a", (0.1, 0.1), pair[0]), ("b", (0.2, 0.2), pair[1])).verdicts
    assert not over.is_significant
    assert over.text.endswith("not tested, because all folds differ by the same.")


def test_one_split_is_tested_over_its_rows() -> None:
    """The sizes are compared as `compare` compares two learners on the same rows."""
    learner = DecisionTreeClassifier(random_state=0)
    curve = tl.learning_curve(learner, X, Y, cv="holdout", score="brier", sizes=(0.5, 1.0))
    (split,) = tl.Folds.holdout().splits(len(X), Codes.of(Y))
    order = nested_order(split.train, Codes.of(Y), 0)
    losses = []
    for size in (len(order) // 2, len(order)):
        model = DecisionTreeClassifier(random_state=0).fit(X[order[:size]], Y[order[:size]])
        losses.append((model.predict_proba(X[split.test])[:, 1] - (Y[split.test] == "yes")) ** 2)
    found, n = curve.verdicts[0].by, len(split.test)
    error = np.std(losses[0] - losses[1], ddof=1) / np.sqrt(n) * np.sqrt(1 + TRAINING_ROWS / n)
    half = error * stats.t.ppf(0.975, n - 1)
    assert found is not None
    assert found.interval is not None
    mean = np.mean(losses[0] - losses[1])
    assert [*found.interval] == pytest.approx([mean - half, mean + half], rel=1e-9)
    whole = tl.evaluate(learner, X, Y, cv="holdout", scores="brier")["brier"]
    assert curve.average(curve.points[-1]).interval == whole.interval


def test_noise_on_one_split_is_rarely_called_learned() -> None:
    """Of 60 tables of noise 12 were "better than the majority", and 26 would gain by more rows."""
    better = more = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        noise, y = draw.normal(size=(90, 3)), draw.choice(["p", "q"], 90)
        curve = tl.learning_curve(tl.CART(max_depth=2), noise, y, sizes=(0.5, 1.0), cv="holdout")
        better += "Better than" in curve.verdict
        more += curve.verdicts[0].holds
    assert better <= 5  # 1.5 expected at 2.5 %; more than 5 has a chance of 1 in 200
    assert more <= 5


@pytest.mark.parametrize("size", [0.01, 1.0])
@pytest.mark.parametrize("cv", [4, "loo", "holdout"])
def test_no_interval_is_a_point(size: float, cv: Any) -> None:
    """Folds that agree, on a separable target or by a constant answer, are no certainty."""
    x = np.linspace(0, 1, 60)[:, None]
    y = np.where(x[:, 0] > 0.5, "b", "a")
    curve = tl.learning_curve(tl.CART(), x, y, cv=cv, sizes=(size,))
    for side in ("train", "test"):
        found = curve.average(curve.points[0], side).interval
        assert found is not None
        assert found.high > found.low
    for verdict in curve.verdicts:
        assert verdict.by is not None
        assert verdict.by.interval is None or verdict.by.interval.high > verdict.by.interval.low
        assert verdict.by.interval is not None or "[" not in verdict.text.split(" in training")[0]
    if size == 1 and cv != "holdout":
        assert curve.verdicts[-1].text.startswith("Better than the baseline (majority): ")


def test_a_score_that_is_0_on_all_folds_has_the_interval_of_evaluate() -> None:
    y = np.where(np.arange(120) % 5 == 0, "q", "p")
    curve = tl.validation_curve(tl.DummyClassifier(), "strategy", ["prior"], X, y, score="f1")
    found = tl.evaluate(tl.DummyClassifier(), X, y, scores="f1")["f1"]
    assert found.interval is not None
    assert curve.average(curve.points[0]).interval == found.interval
    assert curve.to_frame()["test_high"][0] == found.interval.high


def test_no_difference_is_wider_than_the_score_can_be() -> None:
    curve = drawn("rows", (10, (0.1, 0.3), (0.9, 0.1)), (20, (0.2, 0.1), (0.1, 0.6)))
    for verdict in curve.verdicts:
        assert verdict.by is not None
        assert verdict.by.interval is not None
        assert -1 <= verdict.by.interval.low < verdict.by.interval.high <= 1


def test_the_gap_of_one_split_is_of_two_samples() -> None:
    """Newcombe's tenth method, from Wilson's intervals of both errors."""
    curve = tl.learning_curve(tl.CART(max_depth=2), X, Y, cv="holdout", sizes=(1.0,))
    (point,) = curve.points
    train, test = (curve.average(point, side) for side in ("train", "test"))
    assert train.interval is not None
    assert test.interval is not None
    by = curve.verdicts[0].by
    assert by is not None
    assert by.interval is not None
    assert by.interval.low == pytest.approx(
        test.value - train.value
        - np.hypot(test.value - test.interval.low, train.interval.high - train.value)
    )  # fmt: skip
    assert train.interval.low == pytest.approx(wilson(train.value * 80, 80).low)


def test_polynomials_from_too_simple_to_too_complex() -> None:
    x = np.linspace(-1, 1, 40)[:, None]
    y = np.sin(3 * x[:, 0]) + 0.2 * np.random.default_rng(0).normal(size=40)
    learner = make_pipeline(PolynomialFeatures(), LinearRegression())
    curve = tl.validation_curve(learner, "polynomialfeatures__degree", [0, 1, 3, 14], x, y)
    assert curve.best == 3
    assert {*curve.underfitting} == {0, 1}
    assert curve.overfitting == {14: 3}


def test_a_score_without_a_value_leaves_its_place_empty() -> None:
    y = np.where(np.arange(120) % 40 == 0, "yes", "no")
    curve = tl.validation_curve(tl.DummyClassifier(), "strategy", ["prior", "most_frequent"], X, y,
                                cv=3, score="precision")  # fmt: skip
    assert curve.plots() == {}
    assert curve.verdicts == ()
    assert "Take fewer folds, or another score." in unwrapped(curve)
    assert "nan" not in str(curve)
    with pytest.raises(InputError, match="test precision \\(yes\\) has no value"):
        _ = curve.best
    assert json.loads(curve.to_json())["records"][0]["test"] is None


def test_a_curve_reads_in_every_form(tmp_path: Any) -> None:
    curve = tl.validation_curve(
        DecisionTreeRegressor(random_state=0), "max_depth", [1, 3, None], X, Z
    )
    assert f"Best: max_depth={curve.best}" in str(curve)
    assert "<svg" in curve.to_html()
    frame = curve.to_frame()
    assert frame["at"].tolist() == ["1", "3", "None"]
    assert (frame["test_low"] <= frame["test"]).all()
    assert (frame["test"] <= frame["test_high"]).all()
    assert frame["train"].tolist() == pytest.approx([p.value("train") for p in curve.points])
    data = curve.plots()["curve"].data["series"]
    assert data["test"]["x"] == [0, 1, 2]
    assert data["test"]["y"] == pytest.approx(frame["test"].tolist())
    curve.save(tmp_path / "curve.html")
    assert "<svg" in (tmp_path / "curve.html").read_text()


def test_rising_numbers_stand_at_their_place_on_the_axis() -> None:
    curve = tl.validation_curve(tl.NaiveBayes(), "alpha", [0.1, 1, 100], tl.example("tennis"))
    assert curve.plots()["curve"].data["series"]["train"]["x"] == [0.1, 1, 100]


def test_leave_one_out_and_groups_and_forward_folds_are_taken() -> None:
    tennis = tl.example("tennis")
    alone = tl.learning_curve(tl.NaiveBayes(), tennis, sizes=(0.5, 1.0), cv="loo")
    found = tl.evaluate(tl.NaiveBayes(), tennis, cv="loo", scores="error")["error"]
    assert np.mean(alone.points[-1].test) == pytest.approx(found.value, rel=1e-12)
    groups = np.arange(120) // 10
    whole = tl.validation_curve(tl.NaiveBayes(), "var_smoothing", [0.1], X, Y, groups=groups, cv=3)
    assert len(whole.points[0].test) == 3
    ahead = tl.learning_curve(tl.DummyRegressor(), X, Z, cv="forward")
    assert len(ahead.points) == 5


def test_whole_sizes_above_one_are_rows() -> None:
    splits = list(KFold(4).split(X))
    curve = tl.learning_curve(tl.NaiveBayes(), X, Y, sizes=[20, np.int64(60), 90], cv=splits)
    assert [point.at for point in curve.points] == [20, 60, 90]
    shares = tl.learning_curve(tl.NaiveBayes(), X, Y, sizes=[2 / 9, 2 / 3, 1.0], cv=splits)
    assert [point.test for point in curve.points] == [point.test for point in shares.points]
    with pytest.raises(OptionError, match=r"sizes has 91, .* 90 rows. Give sizes up to 90"):
        tl.learning_curve(tl.NaiveBayes(), X, Y, sizes=[20, 91], cv=splits)


@pytest.mark.parametrize("sizes", [[0], [1.5], [-0.1], [], ["half"], [0.5, 0.2], [0.5, 0.5], 0.0,
                                   [0.5, 20], [20.5], [True], [30, 20],
                                   [float("nan")]])  # fmt: skip
def test_sizes_are_rising_shares_or_rows(sizes: Any) -> None:
    with pytest.raises(OptionError, match="learning_curve: sizes"):
        tl.learning_curve(tl.NaiveBayes(), X, Y, sizes=sizes)


@pytest.mark.parametrize("values", [[], 3, "abc"])
def test_values_are_a_list_with_something_in_it(values: Any) -> None:
    with pytest.raises(OptionError, match="validation_curve: values"):
        tl.validation_curve(tl.NaiveBayes(), "alpha", values, X, Y)


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), GaussianNB()])
def test_an_unknown_option_is_named(learner: Any) -> None:
    with pytest.raises(OptionError, match=r"validation_curve: option 'depth': .*'depth'"):
        tl.validation_curve(learner, "depth", [1], X, Y)


def test_other_bad_input_is_named() -> None:
    with pytest.raises(OptionError, match="the score 'mse' is for a regressor"):
        tl.learning_curve(tl.NaiveBayes(), X, Y, score="mse")
    with pytest.raises(OptionError, match="Name one score, such as"):
        tl.learning_curve(tl.NaiveBayes(), X, Y, score=["error", "f1"])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="level is 95"):
        tl.learning_curve(tl.NaiveBayes(), X, Y, level=95)
    with pytest.raises(KindError, match="neither a classifier nor a regressor"):
        tl.learning_curve(object(), X, Y)
    with pytest.raises(KindError, match="has no method set_params"):
        tl.validation_curve(object(), "a", [1], X, Y)
    with pytest.raises(InputError, match="LinearDiscriminantAnalysis on fold 0: "):
        tl.learning_curve(tl.LinearDiscriminantAnalysis(), X, Y, sizes=[0.01, 1.0])


def test_the_repr_of_a_curve_is_its_printed_text() -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    curve = tl.learning_curve(tl.LinearRegression(), X, X[:, 0] + X[:, 1] ** 2, scoring="r2")
    assert repr(curve) == str(curve)
    assert str(curve).startswith("LinearRegression() by rows, 60 rows, ")


@pytest.mark.parametrize(("score", "ratio"), [("r2", True), ("rmse", True), ("mae", False)])
def test_a_curve_of_a_ratio_pools_the_out_of_fold_predictions(score: str, ratio: bool) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = X[:, 0] + X[:, 1] ** 2
    curve = tl.learning_curve(tl.LinearRegression(), X, y, scoring=score, sizes=(0.5, 1.0))
    found = tl.evaluate(tl.LinearRegression(), X, y, scoring=score)[score]
    last = curve.records()[-1]
    assert np.isclose(np.mean(curve.points[-1].test), found.mean_of_folds)
    assert (not np.isclose(found.mean_of_folds, found.value)) == ratio
    assert last["test"] == pytest.approx(found.value, rel=1e-12)
    assert last["test_low"] < last["test"] < last["test_high"]
    assert curve.facts()["baseline"]["test"] == pytest.approx(found.baseline, rel=1e-12)
    assert ("computed from all out-of-fold predictions" in unwrapped(curve)) == ratio
    more, gap, _ = (verdict.by for verdict in curve.verdicts)
    losses = [curve.loss(point, "test") for point in curve.points]
    assert more.value == pytest.approx(losses[0] - losses[1])
    assert gap.value == pytest.approx(losses[1] - curve.loss(curve.points[1], "train"))


def test_a_pooled_score_needs_no_score_on_every_fold() -> None:
    x = np.arange(60.0)[:, None]
    y = np.where(np.arange(60) % 12 == 3, "yes", "no")  # five positives for ten folds
    options = {"scoring": "recall", "positive": "yes", "cv": tl.Folds.k(10, stratified=False)}
    curve = tl.validation_curve(tl.CART(), "max_depth", [1, 9], x, y, **options)
    assert np.isnan(curve.points[-1].test).any()
    found = tl.evaluate(tl.CART(max_depth=9), x, y, **options)["recall"]
    assert curve.records()[-1]["test"] == pytest.approx(found.value, rel=1e-12)
    assert curve.best in (1, 9)
