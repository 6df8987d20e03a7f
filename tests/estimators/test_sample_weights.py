"""Sample weights have scikit-learn's meaning, whatever their size; frequencies repeat rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import cluster, linear_model, naive_bayes, tree
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.preprocessing import StandardScaler

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.design.column_survey import ColumnSums
from tallylearn.tables import Codes
from tallylearn.tallies import (
    Bundle,
    Counts,
    Extent,
    Moments,
    Nearest,
    Products,
    Ranks,
    Scatter,
    Squares,
    Triangle,
    Values,
)
from tallylearn.tallies.bundles import LIGHT, ONCE, SAMPLE_WEIGHT
from tallylearn.tallies.distinct import Distinct
from tallylearn.tallies.quantile_sketch import QuantileSketch
from tallylearn.tallies.weight_kinds import times
from tests.learners import Case
from tests.models.trees.test_growing import agree, floats
from tests.tallies.test_weight_kinds import TAKING

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(3)
Y = (X @ [1.0, 2.0, 0.0] + RNG.normal(size=60)).round(3)
CLASS = np.where(Y + RNG.normal(size=60) > 0, "u", "v")
WEIGHT = RNG.random(60) + 0.01
LARGEST = [1e-4, 0.999, 1.0, 1.001, 37.0]  # the sizes of the greatest weight
AGAINST_WEIGHTS = (  # learners whose penalty, prior or smoothing is set against the weights
    "bayes", "majority", "vote", "logistic", "ridge", "pipeline-logistic"
)  # fmt: skip
OF_NAIVE_BAYES = {"calibrated", "tuned-threshold"}  # its smoothing is set against the weights


def sized(largest: float) -> np.ndarray:
    return WEIGHT * (largest / WEIGHT.max())


@pytest.mark.parametrize(
    "case",
    [
        case for case in TAKING
        if not case.name.startswith(AGAINST_WEIGHTS) and case.name not in OF_NAIVE_BAYES
    ],
    ids=lambda case: case.name,
)  # fmt: skip
@pytest.mark.parametrize("scale", [1 / 300, 0.3, 7.0])
def test_the_scale_of_sample_weights_changes_no_learner_without_penalty_or_prior(
    case: Case, scale: float, mixed: pd.DataFrame
) -> None:
    weight = np.random.default_rng(5).random(len(mixed)) + 0.1
    found = []
    for size in (1.0, scale):
        table = case.table(mixed).assign(w=weight * size)
        model = case.make().fit(table, case.target, sample_weight="w")
        rows = case.rows(mixed)
        found.append(
            model.predict_proba(rows) if model.task == "classifier" else model.predict(rows)
        )
    np.testing.assert_allclose(found[1], found[0], rtol=1e-7, atol=1e-7 * np.abs(found[0]).max())


PREPARATIONS = [
    tl.MinMaxScaler(), tl.StandardScaler(), tl.StandardScaler(ddof=1), tl.SimpleImputer(),
    tl.SimpleImputer(strategy="median"), tl.SimpleImputer(strategy="most_frequent"),
    tl.KBinsDiscretizer(strategy="uniform", encode="interval"), tl.PCA(), tl.PCA(whiten=True),
    tl.KBinsDiscretizer(encode="ordinal"), tl.KBinsDiscretizer(strategy="mdl", encode="interval"),
    tl.SimpleImputer(learners=[tl.DecisionTreeRegressor(max_depth=2)]),
]  # fmt: skip


@pytest.mark.parametrize("preparation", PREPARATIONS, ids=lambda one: one.constructor_call())
@pytest.mark.parametrize("scale", [1 / 12, 0.5, 7.0])
@pytest.mark.parametrize("equal", [True, False])
def test_the_scale_of_sample_weights_changes_no_preparation(
    preparation: Any, scale: float, equal: bool
) -> None:
    x = X.copy()
    if isinstance(preparation, tl.SimpleImputer):
        x[::7, 0] = np.nan
    weight = np.ones(60) if equal else np.round(WEIGHT, 2)
    target = CLASS if getattr(preparation, "strategy", None) == "mdl" else None
    plain = clone(preparation).fit(x, target, None if equal else weight)
    other = clone(preparation).fit(x, target, weight * scale)
    found, wanted = (pd.DataFrame(one.transform(x)) for one in (other, plain))
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-8, atol=1e-8)


def test_data_do_not_scale_with_the_weights() -> None:
    x = np.arange(1.0, 13.0)[:, None]
    assert tl.MinMaxScaler().fit(x, sample_weight=[0.5] * 12).data_max_ == [12.0]
    gappy = np.append(x, [[np.nan]], axis=0)
    filling = tl.SimpleImputer(strategy="median").fit(gappy, sample_weight=[1 / 12] * 13)
    assert filling.transform([[np.nan]]) == [[6.5]]
    cuts, halved = (
        tl.KBinsDiscretizer(3, strategy="uniform").fit(x, sample_weight=weight).model_.cuts[0]
        for weight in (None, [0.5] * 12)
    )
    assert np.array_equal(cuts, halved)


@pytest.mark.parametrize("weight", [[1, 2**60, 1], [1, 2**60, 2**53]])
def test_heavy_weights_have_quantiles(weight: list[int]) -> None:
    model = tl.KBinsDiscretizer(3, quantile_method="linear").fit(
        [[1.0], [2.0], [3.0]], None, weight
    )
    assert model.model_.cuts[0].tolist() == [2.0]
    table = tl.table({"x": [1.0, 2.0, 3.0], "n": weight}, weight="n")
    assert tl.KBinsDiscretizer(3, quantile_method="linear").fit(table).model_.cuts[0].tolist() == [
        2.0
    ]


def test_every_tally_names_the_fields_that_scale_with_the_weights() -> None:
    """Of tripled weights a tally is the tally times three: sums triple, data stay."""
    by, w, names = Codes.of([*"abab"]), np.array([1.0, 2.0, 5.0, 0.5]), (("u", ""), ("v", ""))
    x = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0], [2.0, 2.5]])
    made = {
        Counts: lambda w: Counts.of(by, weight=w), Moments: lambda w: Moments.of(x, by, "uv", w),
        Products: lambda w: Products.of(x, by, names, w),
        Scatter: lambda w: Scatter.of(x, by, names, w),
        Squares: lambda w: Squares.of(x, by, names, w),
        Triangle: lambda w: Triangle.of(x, by, names, w), Extent: lambda w: Extent.of(x, by, "uv"),
        Values: lambda w: Values.of(x[:, 0], by, w),
        Ranks: lambda w: Ranks.of(x[:, 0], by.codes == 0, w),
        Distinct: lambda w: Distinct.of(x[:, 0]),
    }  # fmt: skip
    for kind, make in made.items():
        wanted, found = make(3 * w), times(make(w), Fraction(3))
        for name in (*kind.weighted, *vars(wanted)):
            a, b = (
                getattr(one, name).floats() if hasattr(getattr(one, name), "floats")
                else getattr(one, name) for one in (wanted, found)
            )  # fmt: skip
            if isinstance(a, np.ndarray):
                np.testing.assert_allclose(
                    np.abs(a), np.abs(b), rtol=1e-12, atol=1e-15, err_msg=f"{kind} {name}"
                )
            else:
                assert a == b, (kind, name)
    for other in (ColumnSums, Nearest, QuantileSketch):
        assert isinstance(other.weighted, tuple)


PEERS = [
    (tl.LinearRegression(), linear_model.LinearRegression()),
    (tl.Ridge(5), linear_model.Ridge(5)),
    (tl.Ridge(5, exact=True), linear_model.Ridge(5)),
    (tl.Ridge(5, solver="qr", fit_intercept=False), linear_model.Ridge(5, fit_intercept=False)),
    (tl.Lasso(0.1, tol=1e-12), linear_model.Lasso(0.1, tol=1e-12)),
    (
        tl.ElasticNet(0.1, l1_ratio=0.3, tol=1e-12),
        linear_model.ElasticNet(0.1, l1_ratio=0.3, tol=1e-12),
    ),
]


@pytest.mark.parametrize("largest", LARGEST)
@pytest.mark.parametrize(("ours", "theirs"), PEERS, ids=lambda one: repr(one))
def test_linear_models_have_scikit_learns_coefficients(
    ours: Any, theirs: Any, largest: float
) -> None:
    for learner in (ours, theirs):
        learner.fit(X, Y, sample_weight=sized(largest))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("largest", LARGEST)
@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
def test_logistic_regression_has_scikit_learns_coefficients(C: float, largest: float) -> None:
    weight = sized(largest)
    ours = tl.LogisticRegression(C=C).fit(X, CLASS, sample_weight=weight)
    theirs = linear_model.LogisticRegression(C=C, tol=1e-10, max_iter=10_000)
    theirs.fit(X, CLASS, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("largest", LARGEST)
def test_naive_bayes_smooths_as_scikit_learn_does(largest: float) -> None:
    codes, weight = np.abs(X * 2).astype(int).clip(0, 3), sized(largest)
    rows = pd.DataFrame(np.array([*"abcd"])[codes], columns=["p", "q", "r"])
    ours = tl.NaiveBayes().fit(rows, CLASS, weight)
    theirs = naive_bayes.CategoricalNB().fit(codes, CLASS, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(codes), rtol=1e-7)
    ours = tl.NaiveBayes(var_smoothing=0).fit(X, CLASS, weight)
    theirs = naive_bayes.GaussianNB(var_smoothing=0).fit(X, CLASS, weight)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize("largest", LARGEST)
def test_preparations_and_clusters_are_scikit_learns(largest: float) -> None:
    weight = sized(largest)
    found, wanted = (one.fit(X, sample_weight=weight).transform(X) for one in
                     (tl.StandardScaler(), StandardScaler()))  # fmt: skip
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    first = X[:3]
    ours = tl.KMeans(3, init=first).fit(X, sample_weight=weight)
    theirs = cluster.KMeans(3, init=first, n_init=1).fit(X, sample_weight=weight)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-6)


@pytest.mark.parametrize("largest", LARGEST)
@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 5}, {"min_samples_split": 12},
                                     {"min_weight_fraction_leaf": 0.1}, {"ccp_alpha": 0.02}],
                         ids=str)  # fmt: skip
def test_trees_count_rows_as_scikit_learns_do(options: dict[str, Any], largest: float) -> None:
    weight = sized(largest)
    ours, theirs = (
        make(**options, random_state=0).fit(floats(X), CLASS, sample_weight=weight).tree_
        for make in (tl.DecisionTreeClassifier, tree.DecisionTreeClassifier)
    )
    assert agree(ours, theirs) > 2
    assert ours.weighted_n_node_samples[0] == pytest.approx(weight.sum(), rel=1e-9)


def grid(n: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(n, 2)).round(2), columns=["a", "b"])
    frame["text"] = rng.choice(["red car", "blue car", "old boat", "new boat"], n)
    return frame.assign(
        y=np.where(frame["a"] + rng.normal(size=n) > 0, "u", "v"), n=rng.integers(1, 4, n)
    )


THRESHOLDS = [
    tl.DecisionTreeClassifier(min_samples_leaf=5), tl.DecisionTreeClassifier(min_samples_split=17),
    tl.DecisionTreeClassifier(min_samples_leaf=0.1),
    tl.DecisionTreeClassifier(min_samples_split=0.3, pruning="pessimistic"),
    tl.C45(min_samples_leaf=4), tl.ID3(min_samples_leaf=4),
    tl.DecisionTreeClassifier(pruning="chi2"),
    tl.DecisionTreeClassifier(significance=0.2),
]  # fmt: skip


@pytest.mark.parametrize("learner", THRESHOLDS, ids=lambda one: one.constructor_call())
def test_a_frequency_of_two_is_the_row_twice_for_every_threshold(learner: Any) -> None:
    frame = grid().drop(columns="text")
    often = frame.loc[frame.index.repeat(frame["n"])].drop(columns="n")
    counted = clone(learner).fit(tl.table(frame, target="y", weight="n"))
    assert str(counted) == str(clone(learner).fit(often, "y"))
    for scale in (1.0, 0.01):
        weight = np.full(len(frame), scale)
        rows = clone(learner).fit(frame.drop(columns="n"), "y", sample_weight=weight)
        same = clone(learner).fit(frame.drop(columns="n"), "y")
        assert rows.get_n_leaves() == same.get_n_leaves()


@pytest.mark.parametrize("make", [tl.NaiveBayes, tl.LogisticRegression])
def test_the_least_documents_of_a_word_are_rows_or_frequencies(make: Any) -> None:
    frame = pd.DataFrame({"text": ["one word", "one more", "lone"], "y": [*"uvu"], "n": [1, 1, 2]})
    counted = make(min_df=2).fit(tl.table(frame, target="y", weight="n", text=["text"]))
    assert {"one", "lone"} == {*_words(counted)}
    table = tl.table(frame.drop(columns="n"), target="y", text=["text"])
    weighed = make(min_df=2).fit(table, sample_weight=[1, 1, 2])
    assert {"one"} == {*_words(weighed)}


def _words(model: Any) -> list[str]:
    if isinstance(model, tl.NaiveBayes):
        return [*model.model_.texts[0].terms]
    return [name.split(": ")[1] for name in model.model_.names]


@pytest.mark.parametrize("make", [tl.LinearRegression, tl.Ridge, tl.Lasso, tl.LogisticRegression,
                                  tl.LinearDiscriminantAnalysis])  # fmt: skip
@pytest.mark.parametrize("scale", [1e-3, 1.0, 50.0])
def test_rare_values_are_those_of_few_rows_whatever_these_weigh(make: Any, scale: float) -> None:
    rng = np.random.default_rng(3)
    city = np.r_[np.repeat([*"abcdefgh"], 30), [f"town{i}" for i in range(60)]]
    frame = pd.DataFrame({"city": city, "x": rng.normal(size=300)})
    y = np.where(frame["x"] + rng.normal(size=300) > 0, "u", "v")
    target = y if make().task == "classifier" else frame["x"] + rng.normal(size=300)
    plain = make().fit(frame, target)
    weighed = make().fit(frame, target, sample_weight=rng.uniform(0.5, 1.5, 300) * scale)
    assert weighed.rare_values_ == plain.rare_values_
    assert len(plain.rare_values_["city"]) == 60


@pytest.mark.parametrize("largest", [0.05, 0.999, 8.0])
def test_least_squares_has_the_likelihood_and_the_errors_of_weighted_least_squares(
    largest: float,
) -> None:
    """Certified by statsmodels 0.15.0, ``WLS(y, add_constant(x), weights=w).fit()``."""
    x = np.arange(1.0, 9.0)[:, None]
    y = np.array([2.1, 3.9, 6.2, 7.8, 10.1, 12.2, 13.8, 16.5])
    w = np.array([0.5, 1.5, 2.0, 0.25, 3.0, 1.0, 0.75, 4.0]) * largest / 4
    for learner in (tl.LinearRegression(), tl.LinearRegression(exact=True), tl.Ridge(0)):
        model = learner.fit(x, y, sample_weight=w)
        found = model.summary()
        assert found.rows == 8
        np.testing.assert_allclose(found.weight, [-0.15811804242806815, 2.0677168662045786], 1e-8)
        if isinstance(model, tl.Ridge):
            continue
        np.testing.assert_allclose(found.error, [0.17399039520345286, 0.030173761256471133], 1e-8)
        sizes = found.sizes
        assert sizes["log-likelihood"] == pytest.approx(1.4965293322649078, rel=1e-7)
        assert sizes["AIC"] == pytest.approx(1.0069413354701844, rel=1e-7)
        assert sizes["BIC"] == pytest.approx(1.1658244188298559, rel=1e-7)
        assert sizes["F"] == pytest.approx(4695.947587746798, rel=1e-7)
        assert sizes["R²"] == pytest.approx(0.9987239330324235, rel=1e-9)
        robust = {
            "HC0": [0.11879090044295976, 0.02464229826056419],
            "HC1": [0.1371679166960417, 0.02845447506837557],
            "HC2": [0.169336776865491, 0.04037335100811632],
            "HC3": [0.2725716301256572, 0.07287720020830778],
        }
        for kind, errors_ in robust.items():
            summary = model.summary(x, y, sample_weight=w, robust=kind)
            np.testing.assert_allclose(summary.error, errors_, 1e-7)


@pytest.mark.parametrize("how", ["sample_weight", "importance"])
def test_the_likelihood_is_that_of_all_rows_after_merging_forgetting_and_loading(
    how: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=WEIGHT / 3)

    def fitted(rows: pd.DataFrame) -> Any:
        learner = tl.LinearRegression(exact=True)
        if how == "importance":
            return learner.fit(tl.table(rows, target="y", importance="w"))
        return learner.fit(rows, "y", sample_weight="w")

    whole, part = fitted(frame), fitted(frame[:40])
    merged = tl.merge(part, fitted(frame[40:]))
    for other in (merged, whole):
        other.save(tmp_path / "m.tally")
        back = tl.load(tmp_path / "m.tally")
        assert back.summary().sizes == pytest.approx(whole.summary().sizes)
    rows = frame[40:]
    if how == "importance":
        merged.forget(tl.table(rows, target="y", importance="w"))
    else:
        merged.forget(rows, "y", sample_weight="w")
    assert merged.summary().sizes == pytest.approx(part.summary().sizes)


@pytest.mark.parametrize("how", ["sample_weight", "weight", "importance"])
@pytest.mark.parametrize("make", [
    tl.LinearDiscriminantAnalysis, lambda: tl.QuadraticDiscriminantAnalysis(reg_param=0.1),
    tl.LogisticRegression, tl.NaiveBayes, tl.LinearRegression, tl.Ridge, tl.Lasso, tl.C45, tl.M5,
])  # fmt: skip
def test_a_model_of_missing_values_and_fractional_weights_is_saved(
    make: Any, how: str, tmp_path: Path
) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame({"x": rng.normal(size=60), "c": rng.choice([*"abc"], 60)})
        z = rng.normal(size=60)
        frame["y"] = np.where(z > 0, "u", "v") if make().task == "classifier" else z
        frame.loc[::7, "x"], frame["w"] = np.nan, rng.random(60) * 2
        if how == "sample_weight":
            model = make().fit(frame, "y", sample_weight="w")
        else:
            model = make().fit(tl.table(frame, target="y", **{how: "w"}))
        model.save(tmp_path / "m.tally")
        back = tl.load(tmp_path / "m.tally")
        assert np.array_equal(back.predict(frame), model.predict(frame))


def test_boosting_and_class_weights_leave_c45_its_leaves() -> None:
    plain = tl.C45().fit(X, CLASS)
    light = tl.C45(class_weight={"u": 0.01, "v": 0.01}).fit(X, CLASS)
    assert light.get_n_leaves() == plain.get_n_leaves() > 1
    boosted = AdaBoostClassifier(tl.C45(), n_estimators=5, random_state=0).fit(X, CLASS)
    assert boosted.score(X, CLASS) > plain.score(X, CLASS)


def test_a_tree_is_pruned_by_rows_and_not_by_the_unit_of_its_sample_weights() -> None:
    for how in ("pessimistic", "chi2"):
        leaves = {
            tl.DecisionTreeClassifier(keep_rows=True).fit(X, CLASS, sample_weight=sized(largest))
            .prune(how).get_n_leaves() for largest in LARGEST
        }  # fmt: skip
        assert len(leaves) == 1


def test_rows_with_and_without_sample_weights_are_learned_in_any_order() -> None:
    weight = np.where(np.arange(60) < 30, 1.0, WEIGHT / 4)
    for learner in (tl.NaiveBayes(), tl.LinearDiscriminantAnalysis(exact=True)):
        at_once = clone(learner).fit(X, CLASS, sample_weight=weight)
        parts = clone(learner).partial_fit(X[:30], CLASS[:30], classes=["u", "v"])
        parts.partial_fit(X[30:], CLASS[30:], sample_weight=weight[30:])
        assert np.array_equal(parts.predict_proba(X), at_once.predict_proba(X))
        assert repr(parts) == repr(at_once)


def test_declared_importances_do_not_merge_with_sample_weights() -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=CLASS, w=WEIGHT)
    declared = tl.NaiveBayes().fit(tl.table(frame, target="y", importance="w"))
    with pytest.raises(errors.MergeError, match="no common scale"):
        tl.merge(declared, tl.NaiveBayes().fit(frame, "y", sample_weight="w"))


def test_an_evaluation_passes_sample_weights_on_as_such() -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=WEIGHT / 2)
    found = tl.evaluate(tl.Ridge(5), frame, "y", sample_weight="w", cv=4, scores=["mae"])
    assert "The weights are sample weights to the learner" in str(found)
    again = tl.evaluate(linear_model.Ridge(5), frame[["a", "b", "c"]], frame["y"],
                        sample_weight=frame["w"], cv=4, scores=["mae"])  # fmt: skip
    assert found["mae"].value == pytest.approx(again["mae"].value, rel=1e-7)


def test_exact_sums_of_fractional_weights_say_how_many_digits_they_have() -> None:
    weight = np.round(WEIGHT, 3)
    exactly = tl.LinearRegression(exact=True).fit(X, Y, sample_weight=weight)
    assert "rounded to 32 bits" in str(exactly.summary())
    design = [[1, *map(Fraction, row)] for row in X.tolist()]
    equations = [
        [sum(Fraction(w) * row[i] * row[j] for w, row in zip(weight, design, strict=True))
         for j in range(4)]
        + [sum(Fraction(w) * row[i] * Fraction(y)
               for w, row, y in zip(weight, design, Y.tolist(), strict=True))]
        for i in range(4)
    ]  # fmt: skip
    for i in range(4):
        equations[i] = [value / equations[i][i] for value in equations[i]]
        for k in {0, 1, 2, 3} - {i}:
            by = equations[k][i]
            equations[k] = [a - by * b for a, b in zip(equations[k], equations[i], strict=True)]
    wanted = [float(row[4]) for row in equations]
    np.testing.assert_allclose([exactly.intercept_, *exactly.coef_], wanted, rtol=1e-9)
    whole = tl.LinearRegression(exact=True).fit(X, Y, sample_weight=np.rint(weight * 1000))
    assert "rounded to 32 bits" not in str(whole.summary())
    np.testing.assert_allclose([whole.intercept_, *whole.coef_], wanted, rtol=1e-12)


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), tl.LinearRegression(exact=True)])
def test_a_file_that_counted_light_rows_apart_is_read_as_one_of_sample_weights(
    learner: Any, tmp_path: Path
) -> None:
    """Earlier versions kept a part "light", without logarithms and values."""
    target = CLASS if learner.task == "classifier" else Y
    model = clone(learner).fit(X, target, sample_weight=sized(0.9))
    parts = {name: part for name, part in model.tally_.parts.items() if name != SAMPLE_WEIGHT}
    apart = {name: model.tally_[SAMPLE_WEIGHT][name] for name in (ONCE, "weighed")}
    model.tally_ = Bundle({**parts, LIGHT: Bundle(apart)})
    model.save(tmp_path / "m.tally")
    back = tl.load(tmp_path / "m.tally")
    assert np.array_equal(back.predict(X), model.predict(X))
    if learner.task == "regressor":
        assert "AIC" not in back.summary().sizes, "the logarithms of the weights are not known"
    back.forget(X[40:], target[40:], sample_weight=sized(0.9)[40:])
    rest = clone(learner).fit(X[:40], target[:40], sample_weight=sized(0.9)[:40])
    assert np.array_equal(back.predict(X), rest.predict(X))


def test_the_remedy_for_weights_whose_sum_is_beyond_a_double_works() -> None:
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 2)), np.full(60, 1.7e308)
    with pytest.raises(errors.InputError, match="Divide all weights by the maximum"):
        tl.LinearRegression().fit(X, X[:, 0], sample_weight=weight)
    model = tl.LinearRegression().fit(X, X[:, 0], sample_weight=weight / weight.max())
    assert np.allclose(model.coef_, [1, 0])
