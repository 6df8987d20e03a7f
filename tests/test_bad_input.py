"""Bad input gets one of our errors: who, what came, the remedy, with the column and the value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors, modelfile

X = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 5.0], [5.0, 3.0]])
Y = ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"alpha": -1}, r"'alpha' parameter of NaiveBayes .* Got -1"),
        ({"alpha": "much"}, "'alpha' parameter"),
        ({"alpha": float("nan")}, "'alpha' parameter"),
        ({"alpha": np.array([1.0])}, "'alpha' parameter"),
        ({"m": float("inf")}, "'m' parameter"),
        ({"fit_prior": "no"}, "'fit_prior'.*True or False.*'no'"),
        ({"class_prior": "uniform"}, "class_prior is 'uniform'"),
        ({"class_prior": [float("nan"), 0.5]}, "probabilities"),
        ({"m": -2}, "'m' parameter"),
        ({"m": 1, "alpha": 0.5}, "m=1 and alpha=0.5"),
        ({"p": {"x": {}}}, "p= needs m="),
        ({"var_smoothing": -1e-9}, "'var_smoothing'"),
        ({"numbers": "poisson"}, "'gaussian', 'bernoulli'"),
        ({"at_half": "coin"}, "'first', 'positive'"),
        ({"class_prior": [0.5, 0.4]}, "sum to 1"),
        ({"class_prior": [0.5, 0.3, 0.2]}, "3 values for 2 classes"),
        ({"class_prior": {"a": 0.5, "z": 0.5}}, "'z'"),
    ],
)
def test_an_option_that_cannot_be_is_named(options: dict[str, Any], match: str) -> None:
    with pytest.raises(errors.OptionError, match=match):
        tl.NaiveBayes(**options).fit(X, Y)


def test_an_unknown_parameter_is_named_with_the_known_ones() -> None:
    with pytest.raises(errors.OptionError, match=r"'beta'.*'alpha'"):
        tl.NaiveBayes().set_params(beta=1)


def test_p_must_cover_every_value() -> None:
    table = [{"c": "x", "y": 0}, {"c": "z", "y": 1}]
    with pytest.raises(errors.OptionError, match=r"'z' in column 'c'.*Add it"):
        tl.NaiveBayes(m=1, p={"c": {"x": 1.0}}).fit(table, "y")
    with pytest.raises(errors.OptionError, match="sum to 1"):
        tl.NaiveBayes(m=1, p={"c": {"x": 1.0, "z": 1.0}}).fit(table, "y")


def test_a_table_of_constants_has_no_variance() -> None:
    with pytest.raises(errors.ColumnError, match=r"'x0' is the same in every row .* Add") as found:
        tl.NaiveBayes().fit(np.ones((4, 2)), Y)
    assert "var_smoothing" not in str(found.value)


def test_a_constant_column_beside_others_is_fine() -> None:
    table = np.column_stack([X, np.ones(4)])
    assert tl.NaiveBayes().fit(table, Y).predict(table).tolist() == Y


def test_one_class_is_answered_with_that_class() -> None:
    for learner in (tl.NaiveBayes(), tl.NearestCentroid(), tl.DummyClassifier()):
        assert learner.fit(X, ["only"] * 4).predict(X).tolist() == ["only"] * 4


def test_one_row_is_remembered_and_solved_when_more_have_come() -> None:
    model = tl.NaiveBayes()
    with pytest.raises(errors.ColumnError, match="variance 0"):
        model.fit(X[:1], Y[:1])
    model.partial_fit(X[:1], Y[:1])
    with pytest.raises(errors.ColumnError, match=r"NaiveBayes.predict: column 'x0'.*variance 0"):
        model.predict(X)
    for at in range(1, 4):
        model.partial_fit(X[at : at + 1], Y[at : at + 1])
    assert modelfile.digests(model) == modelfile.digests(tl.NaiveBayes().fit(X, Y))


def test_numbers_beyond_squaring_name_their_column() -> None:
    wide = np.array([[1.0, 1e308], [2.0, -1e308], [3.0, 0.0]])
    with pytest.raises(errors.ColumnError, match=r"variance of column 'x1' overflows.*Divide it"):
        tl.NaiveBayes().fit(wide, ["a", "a", "b"])
    assert tl.NearestCentroid().fit(wide[:, :1], ["a", "a", "b"]).centroids_[0, 0] == 1.5


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("learner", [tl.LogisticRegression, tl.Lasso, tl.LinearRegression])
def test_numbers_whose_sums_are_beyond_a_double_are_an_error_and_no_warning(learner: Any) -> None:
    wide = np.array([[1.7e308, 1.0], [-1.7e308, 2.0], [1.7e308, 4.0], [1.7e308, 3.0]])
    with pytest.raises(errors.ColumnError, match=r"'x0'.*overflow a double. Divide them"):
        learner().fit(wide, [0, 1, 0, 1])


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinities_are_refused_at_fit_and_at_predict(value: float) -> None:
    table = X.copy()
    table[2, 1] = value
    for learner in (tl.NaiveBayes(), tl.NearestCentroid()):
        with pytest.raises(errors.ColumnError, match=r"column 'x1' has -?inf in row 2"):
            learner.fit(table, Y)
        with pytest.raises(errors.ColumnError, match=r"column 'x1' has -?inf in row 2"):
            learner.fit(X, Y).predict(table)


def test_a_class_that_was_not_foretold_is_refused_and_changes_nothing() -> None:
    model = tl.NaiveBayes().partial_fit(X, Y, classes=["a", "b", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    before = modelfile.digests(model)
    with pytest.raises(errors.TargetError, match=r"class 'z'.*'a', 'b', 'c'"):
        model.partial_fit(X, ["a", "a", "z", "b"])
    assert modelfile.digests(model) == before


def test_unlike_models_do_not_merge() -> None:
    bayes = tl.NaiveBayes().fit(X, Y)
    named = tl.NaiveBayes().fit(pd.DataFrame(X, columns=["u", "v"]), Y)
    words = tl.NaiveBayes().fit(pd.DataFrame({"u": list("xyxy"), "v": [1.0, 2, 3, 5]}), Y)
    numbers = tl.NaiveBayes().fit(X, [0, 0, 1, 1])
    for other, match in (
        (tl.NearestCentroid().fit(X, Y), "NaiveBayes and NearestCentroid"),
        (tl.NaiveBayes(alpha=2).fit(X, Y), "differ in alpha: 1.0 and 2"),
        (named, "different columns:.* 'u', 'v', 'x0', 'x1'"),
        (numbers, "'a' is text, and 0 is a number"),
        ("bayes", "str has no tally"),
    ):
        with pytest.raises(errors.MergeError, match=match):
            tl.merge(bayes, other)
    with pytest.raises(errors.MergeError, match=r"column 'u' is a number in one .* a category"):
        tl.merge(named, words)
    with pytest.raises(errors.MergeError, match="no estimators were passed"):
        tl.merge()
    with pytest.raises(errors.NotFitted):
        tl.merge(bayes, tl.NaiveBayes())


def test_an_all_missing_column_takes_the_kind_of_the_other_table() -> None:
    empty = [{"u": None, "v": 1.0}, {"u": None, "v": 2.0}, {"u": None, "v": 4.0}]
    full = [{"u": "x", "v": 3.0}, {"u": "y", "v": 5.0}, {"u": "y", "v": 6.0}]
    y = ["a", "b", "a"]
    at_once = tl.NaiveBayes().fit(empty + full, y + y)
    merged = tl.merge(tl.NaiveBayes().fit(empty, y), tl.NaiveBayes().fit(full, y))
    later = tl.NaiveBayes().fit(empty, y).partial_fit(full, y)
    assert merged.tally_ == at_once.tally_ == later.tally_
    assert merged.predict(full).tolist() == at_once.predict(full).tolist()


def test_an_unseen_category_is_estimated_or_skipped_and_said_so() -> None:
    table = [{"c": "x", "y": "a"}, {"c": "z", "y": "a"}, {"c": "x", "y": "b"}]
    smooth = tl.NaiveBayes(alpha=1).fit(table, "y").explain({"c": "new"})
    assert [line.terms[1].below for line in smooth[0].lines] == [4, 3]
    bare = tl.NaiveBayes(alpha=0).fit(table, "y").explain({"c": "new"})
    assert "c = new: never seen" in str(bare)
    assert bare[0].lines[0].share == pytest.approx(2 / 3)


def test_the_prior_answers_where_every_class_is_impossible() -> None:
    table = [{"c": "x", "d": "p", "y": "a"}, {"c": "z", "d": "q", "y": "b"}] * 2 + [
        {"c": "x", "d": "p", "y": "a"}
    ]
    model = tl.NaiveBayes(alpha=0).fit(table, "y")
    query = {"c": "x", "d": "q"}
    assert model.predict_proba(query)[0].tolist() == pytest.approx([0.6, 0.4])
    assert model.predict(query).tolist() == ["a"]
    assert "the prior answers" in str(model.explain(query))


def test_kinds_that_a_learner_does_not_take_are_named_with_a_remedy() -> None:
    table = pd.DataFrame(
        {"note": [f"one two three four {i}" for i in range(4)], "x": [1.0, 2, 3, 4]}
    )
    with pytest.raises(errors.ColumnError, match=r"holds text.*categories=\['note'\].*ignore"):
        tl.ID3().fit(table, Y)
    with pytest.raises(errors.ColumnError, match=r"holds text.*To go on, leave it out .*ignore"):
        tl.NearestCentroid().fit(table, Y)
    with pytest.raises(errors.ColumnError, match=r"'c' holds categories.*ignore=\['c'\]"):
        tl.NearestCentroid().fit(pd.DataFrame({"c": list("xyxy"), "x": [1.0, 2, 3, 4]}), Y)


def test_a_class_that_was_never_learned_has_no_likelihood() -> None:
    model = tl.NaiveBayes().fit(X, Y)
    with pytest.raises(errors.TargetError, match="class 'z', which the model was not fitted to"):
        model.log_likelihood(X, ["a", "b", "z", "a"])
    with pytest.raises(errors.OptionError, match="-1 rows"):
        model.sample(-1)


def test_classes_beyond_2_to_the_63_stay_whole() -> None:
    y = np.array([5, 5, 2**63 + 1, 2**63 + 1], dtype=np.uint64)
    model = tl.NaiveBayes().fit(X, y)
    assert model.classes_.dtype == np.uint64
    assert model.predict(X).tolist() == y.tolist()


def test_the_fitted_numbers_can_be_read() -> None:
    model = tl.NaiveBayes(var_smoothing=0).fit(X, Y)
    assert model.class_count_.tolist() == [2, 2]
    assert model.theta_.tolist() == [[1.5, 1.5], [4.5, 4.0]]
    assert model.var_.tolist() == [[0.25, 0.25], [0.25, 1.0]]
    assert tl.NaiveBayes().fit(tl.example("tennis")).theta_.shape == (2, 0)


@pytest.mark.parametrize("threads", [-1, 0, 1.5, "2"])
def test_engine_takes_a_whole_number_of_threads(threads: Any) -> None:
    with pytest.raises(errors.OptionError, match="threads"), tl.engine(threads=threads):
        pass


@pytest.mark.parametrize("shares", [{"x": -0.5, "z": 1.5}, {"x": "x", "z": 1.0}, {"x": 2.0}])
def test_p_gives_probabilities(shares: Any) -> None:
    table = [{"c": "x", "y": 0}, {"c": "z", "y": 1}]
    with pytest.raises(errors.OptionError, match="sum to 1"):
        tl.NaiveBayes(m=1, p={"c": shares}).fit(table, "y")


def test_numbers_at_the_edge_of_doubles_are_scored_or_refused() -> None:
    with pytest.raises(
        errors.InputError, match=r"NaiveBayes.fit: .*outside the range of a float64"
    ):
        tl.NaiveBayes().fit(X, Y, sample_weight=np.full(4, 1e308))
    with pytest.raises(errors.InputError, match=r"NearestCentroid.fit: .*overflows a double"):
        tl.NearestCentroid().fit([[1e308], [-1e308], [1.0], [2.0]], list("abab"))
    with pytest.raises(errors.ColumnError, match="'x0' is constant"):
        tl.NaiveBayes(var_smoothing=0).fit([[0.0], [1e-160], [3e-160], [4e-160]], list("aabb"))
    wide = tl.NaiveBayes().fit([[0.0], [1e154], [-1e154], [5e153]], list("aabb"))
    assert np.isfinite(wide.predict_log_proba([[1.5e154]])).all()


def test_infinities_are_refused_by_bernoulli_too() -> None:
    model = tl.NaiveBayes(numbers="bernoulli").fit(X, Y)
    with pytest.raises(errors.ColumnError, match="'x1' has inf in row 0"):
        model.predict([[1.0, np.inf]])
    with pytest.raises(errors.ColumnError, match="'x1' has inf in row 1"):
        model.fit([[1.0, 2.0], [1.0, np.inf]], ["a", "b"])


def test_nothing_to_score_and_labels_of_another_type_are_refused() -> None:
    model = tl.NaiveBayes().fit(X, [0, 0, 1, 1])
    with pytest.raises(errors.InputError, match="weight zero"):
        model.score(X, [0, 0, 1, 1], sample_weight=np.zeros(4))
    with pytest.raises(errors.TargetError, match="classes are like 0"):
        model.score(X, ["0", "0", "1", "1"])


def test_options_that_say_what_is_counted_may_not_change_midway() -> None:
    model = tl.NaiveBayes().fit(X, Y).set_params(numbers="bernoulli")
    for call in (model.partial_fit, model.forget):
        with pytest.raises(errors.OptionError, match=r"was 'gaussian'.*'bernoulli' now"):
            call(X, Y)
    mean = tl.DummyRegressor().fit(X, [1.0, 2.0, 3.0, 4.0]).set_params(strategy="median")
    with pytest.raises(errors.OptionError, match="strategy was 'mean'"):
        tl.merge(mean, mean)


def test_a_weight_beyond_every_double_is_refused() -> None:
    with pytest.raises(errors.InputError, match="too large for a float64"):
        tl.NaiveBayes().fit([[1.0], [2.0]], ["a", "b"], sample_weight=10**400)


def test_tiny_and_huge_weights_are_written_as_decimals() -> None:
    table = [{"c": "u", "y": "a"}, {"c": "v", "y": "a"}, {"c": "u", "y": "b"}]
    for weight in (1e-12, 1e300):
        model = tl.NaiveBayes(alpha=0).fit(table, "y", sample_weight=np.full(3, weight))
        text = str(model.explain({"c": "u"}))
        assert len(text) < 200
        assert "0/0" not in text
        assert model.explain({"c": "u"})[0].lines[0].share == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("y", [[1.7e308, 1e308, 0.0], np.array([1.7e308, 1e308, 0.0])])
def test_the_largest_floats_are_numbers_as_others(y: Any) -> None:
    rows = [[1.0], [2.0], [3.0]]
    assert tl.DummyRegressor().fit(rows, y).predict(rows)[0] == pytest.approx(9e307)
    near = tl.KNeighborsRegressor(2).fit(rows, y).predict(rows)
    assert near == pytest.approx([1.35e308, 9e307, 5e307])
    for learner in (tl.DecisionTreeRegressor(), tl.RandomForestRegressor(3)):
        with pytest.raises(errors.TargetError, match=r"variance overflows a double. Divide"):
            learner.fit(rows, y)


@pytest.mark.parametrize(("power", "more"), [(1024, -1), (1000, 1), (1500, 0), (20_000, 0)])
def test_integers_beyond_a_double_are_refused_whatever_their_size(power: int, more: int) -> None:
    value = 2**power + more
    with pytest.raises(errors.TargetError, match=r"in row 0, an integer that a double cannot hold"):
        tl.DummyRegressor().fit([[1.0], [2.0], [3.0]], [value, 1, 2])


@pytest.mark.parametrize("nan", ["NaN", "-NaN", "sNaN"])
@pytest.mark.parametrize("learner", [tl.LinearRegression, tl.DecisionTreeRegressor, tl.NaiveBayes])
def test_a_decimal_that_is_no_number_is_a_missing_target(learner: Any, nan: str) -> None:
    target = [Decimal(1), Decimal(2), Decimal(nan), Decimal(2)]
    with pytest.raises(errors.TargetError, match="missing in row 2"):
        learner().fit(X, target)
    with pytest.raises(errors.InputError, match="sample_weight is nan in row 2"):
        learner().fit(X, [1, 2, 1, 2], sample_weight=target)


@pytest.mark.parametrize(("fitted", "given"), [(1, (4, 2)), (2, (4,)), (2, (4, 3)), (3, (4, 2))])
def test_a_score_needs_as_many_targets_as_were_fitted(fitted: int, given: tuple[int]) -> None:
    y = np.random.default_rng(0).normal(size=(4, fitted))
    model = tl.LinearRegression().fit(X, y if fitted > 1 else y[:, 0])
    said = f"y has {given[1] if len(given) > 1 else 1} column.* fitted to {fitted} target"
    with pytest.raises(errors.TargetError, match=said):
        model.score(X, np.ones(given))
    assert model.score(X, y if fitted > 1 else y[:, 0]) <= 1
