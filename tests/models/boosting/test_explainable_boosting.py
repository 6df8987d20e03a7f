"""Explainable boosting: the model is the sum of its curves, and what it promises of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score

import tallylearn as tl
from tallylearn.errors import ColumnError, OptionError
from tallylearn.kernels.boosting import additive_booster
from tallylearn.models.boosting import cyclic_boosting
from tests.kernels.test_oracle import uncompiled

CLASSIFIER, REGRESSOR = tl.ExplainableBoostingClassifier, tl.ExplainableBoostingRegressor
QUICK: dict[str, Any] = {"outer_bags": 3, "learning_rate": 0.2, "early_stopping_rounds": 10}
BOOSTER: dict[str, Any] = {
    "loss": 0, "rate": 1.0, "max_leaves": 3, "min_leaf": 2, "min_hessian": 1e-4, "smoothing": 0.0,
    "patience": 50, "tol": 0.0,
}  # fmt: skip


def mixed_rows(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two curves, a category, a pair, missing values and noise."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.uniform(-2, 2, size=(n, 4)), columns=list("abcd"))
    table["kind"] = rng.choice(["x", "y", "z"], n)
    y = table.a**2 + (table.b > 0) + (table.kind == "y") + 2 * (table.c > 0) * (table.d > 0)
    table.loc[rng.random(n) < 0.1, "a"] = np.nan
    return table, np.asarray(y + rng.normal(0, 0.2, n))


def booster(codes: Any, y: Any, pair: bool = False, **options: Any) -> Any:
    """A booster of squared error that trains on all rows, from scores of 0."""
    codes = np.ascontiguousarray(codes, dtype=np.uint8)
    n, sizes = codes.shape[1], [int(line.max()) + 2 for line in codes]
    rows = [[j, -1, size, 0, 0, 0] for j, size in enumerate(sizes)]
    cells = sizes
    if pair:
        rows, cells = [[0, 1, sizes[0] - 1, sizes[1] - 1, 0, 0]], [
            (sizes[0] - 1) * (sizes[1] - 1)
        ]  # fmt: skip
    starts = np.cumsum([0, *cells]).astype(np.int64)
    parts = (np.asarray(y, float), np.zeros(n, np.int32), np.zeros(0), np.zeros((0, n), np.uint8))
    segments = np.array([[0, n, 1]], np.int64)
    terms = np.array(rows, np.int32), starts
    return additive_booster.AdditiveBooster(
        codes, terms, parts, segments, np.zeros((1, n)), {**BOOSTER, **options}
    )


def sse_gain(y: np.ndarray, parts: list[np.ndarray]) -> float:
    return sum(float(y[part].sum() ** 2 / part.sum()) for part in parts if part.any())


def test_a_step_of_two_leaves_is_the_best_of_all_cuts() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        codes, y = rng.integers(0, 9, (1, 40)), rng.normal(size=40)
        made = booster(codes, y, max_leaves=2)
        made.run(1)
        gains = {
            cut: sse_gain(y, [codes[0] <= cut, codes[0] > cut])
            for cut in range(8)
            if min((codes[0] <= cut).sum(), (codes[0] > cut).sum()) >= 2
        }
        low = codes[0] <= max(gains, key=lambda cut: gains[cut])
        expected = np.where(low, y[low].mean(), y[~low].mean())
        assert np.asarray(made.raw)[0] == pytest.approx(expected)


def test_a_step_of_a_pair_is_the_best_of_all_four_leaves() -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        codes, y = rng.integers(0, 5, (2, 60)), rng.normal(size=60)
        codes[:, :2] = [[0, 4], [0, 4]]
        best = 0.0
        for first in (0, 1):
            one, other = codes[first], codes[1 - first]
            for cut, low, high in itertools.product(range(4), range(-1, 4), range(-1, 4)):
                parts = [(one <= cut) & (other <= low), (one <= cut) & (other > low),
                         (one > cut) & (other <= high), (one > cut) & (other > high)]  # fmt: skip
                if low < 0:
                    parts[0:2] = [one <= cut]
                if high < 0:
                    parts[-2:] = [one > cut]
                if min(part.sum() for part in parts) >= 2:
                    best = max(best, sse_gain(y, parts))
        made = booster(codes, y, pair=True)
        gain = made.gain(0, -y[None], np.ones((1, 60)))
        assert gain == pytest.approx(best - y.sum() ** 2 / 60)
        made.run(1)
        left = ((y - np.asarray(made.raw)[0]) ** 2).sum()
        assert left == pytest.approx((y**2).sum() - best)


def test_the_terms_of_a_row_add_up_to_its_raw_score() -> None:
    table, y = mixed_rows()
    classes = np.where(y > 2, "high", "low")
    three = np.digitize(y, [1, 3])
    two = CLASSIFIER(**QUICK).fit(table, classes)
    raw = two.decision_function(table[:9])
    for row, score in zip(two.explain(table[:9]), raw, strict=True):
        assert row.lines[1].total == pytest.approx(score)
    many = CLASSIFIER(**QUICK).fit(table, three)
    raw = many.decision_function(table[:9])
    for row, scores in zip(many.explain(table[:9]), raw, strict=True):
        assert [line.total for line in row.lines] == pytest.approx(scores.tolist())
    number = REGRESSOR(**QUICK).fit(table, y)
    for row, score in zip(number.explain(table[:9]), number.predict(table[:9]), strict=True):
        assert row.lines[0].total == pytest.approx(score)


def test_curves_have_the_mean_0_and_pairs_in_every_row_and_column() -> None:
    table, y = mixed_rows()
    model = REGRESSOR(**QUICK).fit(table, y)
    for curve in model.curves_.values():
        assert curve.values @ curve.rows == pytest.approx(0, abs=1e-9)
        assert curve.rows.sum() == len(table)
        assert (curve.lower <= curve.values).all()
        assert (curve.values <= curve.upper).all()
    assert model.pairs_
    for pair in model.pairs_:
        assert (pair.values * pair.rows).sum(axis=-2) == pytest.approx(0, abs=1e-8)
        assert (pair.values * pair.rows).sum(axis=-1) == pytest.approx(0, abs=1e-8)
    assert model.intercept_ == pytest.approx(model.predict(table).mean())


def test_the_curves_are_those_that_the_rows_came_from() -> None:
    table, y = mixed_rows(4000)
    model = REGRESSOR(**QUICK).fit(table, y)
    fresh, truth = mixed_rows(2000, seed=9)
    assert 1 - ((truth - model.predict(fresh)) ** 2).mean() / truth.var() > 0.9
    curve = model.curves_["a"]
    middle = (curve.edges[1:] + curve.edges[:-1]) / 2
    away = curve.values[0, 1 : len(middle) + 1] - (middle**2 - 4 / 3)
    assert np.abs(away[20:-20]).mean() < 0.1
    assert {pair.columns for pair in model.pairs_} >= {("c", "d")}
    assert model.importances()[("c × d")] > 3 * sum(
        one.size for one in model.importances() if "×" in one.term and one.term != "c × d"
    )


def test_pairs_are_left_out_where_they_do_not_help() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1500, 5))
    y = X[:, 0] + np.abs(X[:, 1]) + rng.normal(size=1500)
    found = REGRESSOR(**QUICK).fit(X, y)
    sizes = [one.size for one in found.importances() if "×" in one.term]
    assert sum(sizes) < 0.1
    assert not REGRESSOR(interactions=0, **QUICK).fit(X, y).pairs_
    named = REGRESSOR(interactions=[(1, 0)], **QUICK).fit(X, X[:, 0] * X[:, 1])
    assert [pair.columns for pair in named.pairs_] == [("x0", "x1")]


@pytest.mark.parametrize("slope", [1, -1])
def test_no_row_breaks_a_monotonic_constraint(slope: int) -> None:
    table, y = mixed_rows(500)
    for made, target in ((REGRESSOR(), y), (CLASSIFIER(), y > 2)):
        made.set_params(monotone_constraints={"a": slope, "d": slope}, **QUICK)
        model = made.fit(table, target)
        for column in "ad":
            grid = np.sort(np.concatenate([model.curves_[column].edges, np.linspace(-3, 3, 200)]))
            rows = table.iloc[np.repeat(np.arange(12), len(grid))].copy()
            rows[column] = np.tile(grid, 12)
            call = getattr(model, "decision_function", model.predict)
            scores = call(rows).reshape(12, -1)
            assert (np.diff(scores * slope, axis=1) >= -1e-12).all()
        assert not any({"a", "d"} & {*pair.columns} for pair in model.pairs_)
        assert np.ptp(model.curves_["d" if slope > 0 else "a"].values) > 0


def test_no_order_of_rows_and_no_number_of_threads_changes_a_bit() -> None:
    table, y = mixed_rows(800)
    order = np.random.default_rng(3).permutation(800)
    for made, target in ((REGRESSOR(inner_bags=2, **QUICK), y), (CLASSIFIER(**QUICK), y > 2)):
        first = made.fit(table, target).predict(table)
        curves = made.model_.values.copy()
        with tl.engine(1):
            assert (made.fit(table, target).model_.values == curves).all()
        again = made.fit(table.iloc[order], target[order])
        assert (again.model_.values == curves).all()
        assert (again.predict(table) == first).all()


def test_compiled_and_plain_kernels_fit_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    table, y = mixed_rows(60)
    options = {"outer_bags": 2, "max_rounds": 3, "max_bins": 6, "interactions": [("c", "d")]}
    targets = ((REGRESSOR(inner_bags=1), y), (CLASSIFIER(), y > 2), (CLASSIFIER(), y.round() // 3))
    compiled = [made.set_params(**options).fit(table, t).model_ for made, t in targets]
    uncompiled(monkeypatch, cyclic_boosting)
    for (made, target), expected in zip(targets, compiled, strict=True):
        plain = made.fit(table, target).model_
        assert (plain.values == expected.values).all()
        assert (plain.pair_values == expected.pair_values).all()


def test_missing_and_unseen_values_have_cells_of_their_own() -> None:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"a": rng.normal(size=400), "kind": rng.choice(["x", "y"], 400)})
    y = np.where(rng.random(400) < 0.3, 5.0, 0.0)
    table.loc[y == 5, "a"] = np.nan
    model = REGRESSOR(interactions=0, **QUICK).fit(table, y)
    rows = pd.DataFrame({"a": [np.nan, 0.0, 0.0], "kind": ["x", "x", "never"]})
    missing, known, unseen = model.predict(rows)
    assert (missing, known) == pytest.approx((5, 0), abs=0.3)
    assert unseen == pytest.approx(known - model.curves_["kind"].values[0, 0])


def test_the_rarest_categories_share_a_bin_and_strangers_join_them() -> None:
    rng = np.random.default_rng(6)
    kind = np.array([*["p"] * 300, *["q"] * 300, *[f"rare{i}" for i in range(60)]])
    y = np.select([kind == "p", kind == "q"], [0.0, 1.0], 4.0) + rng.normal(0, 0.1, 660)
    model = REGRESSOR(max_bins=3, **QUICK).fit(pd.DataFrame({"kind": kind}), y)
    found = model.predict(pd.DataFrame({"kind": ["p", "q", "rare5", "never"]}))
    assert found == pytest.approx([0, 1, 4, 4], abs=0.3)


def test_a_weight_of_two_is_the_row_twice() -> None:
    table, y = mixed_rows(120)
    times = np.random.default_rng(7).integers(0, 3, 120)
    options = {"validation_size": 0, "max_rounds": 30, "min_samples_leaf": 1, "interactions": 0}
    weighted = REGRESSOR(**options).fit(table, y, sample_weight=times)
    at = np.repeat(np.arange(120), times)
    repeated = REGRESSOR(**options).fit(table.iloc[at], y[at])
    assert weighted.predict(table) == pytest.approx(repeated.predict(table), abs=1e-8)


def test_targets_of_any_size_have_the_same_curves() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = REGRESSOR(interactions=3, **QUICK).fit(X, y).predict(X)
    large = REGRESSOR(interactions=3, **QUICK).fit(X, y * 2.0**300).predict(X)
    assert large / 2.0**300 == pytest.approx(model, rel=1e-9)
    constant = REGRESSOR().fit(X, np.full(len(X), 7.0))
    assert (constant.predict(X) == 7).all()


def test_scores_are_those_of_a_good_additive_model() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    assert cross_val_score(CLASSIFIER(**QUICK), X, y, cv=3).mean() > 0.945
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(CLASSIFIER(**QUICK), X, y, cv=3).mean() > 0.9
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(REGRESSOR(**QUICK), X, y, cv=3).mean() > 0.38


def test_the_picture_has_every_term_that_adds_something() -> None:
    table, y = mixed_rows()
    table["constant"] = 1.0
    model = CLASSIFIER(**QUICK).fit(table, y > 2)
    plot = model.plot("Who is high")
    names = [" × ".join(term["columns"]) for term in plot.data["terms"]]
    assert names == [one.term for one in model.importances() if one.size > 0]
    bars = model.importances().plot("Terms")
    assert bars.title == "Terms"
    assert [*bars.data["importances"]] == [one.term for one in model.importances()]
    assert "constant" not in names
    assert "1 column adds nothing" in plot.svg
    at = plot.data["terms"][names.index("kind")]
    assert at["values"] == model.curves_["kind"].values.tolist()
    assert at["labels"] == ["x", "y", "z", "missing", "unseen"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"interactions": [("a", "nobody")]}, "interactions has .*nobody.*by name or position"),
        ({"interactions": [("a", "a")]}, "pairs of two of the columns"),
        ({"interactions": ["ab"]}, "pairs of two of the columns"),
        ({"interactions": "many"}, "interactions.*2x"),
        ({"interactions": -1}, "interactions.*in the range"),
        ({"interactions": [("a", "b")], "monotone_constraints": {"a": 1}}, "Leave out one of"),
        ({"monotone_constraints": {"kind": 1}}, "monotone_constraints is 1 for 'kind'"),
        ({"validation_size": 600}, "takes all of the 600 rows.*Use a smaller one, or 0"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    table, y = mixed_rows()
    with pytest.raises(OptionError, match=said):
        REGRESSOR(**QUICK).set_params(**options).fit(table, y)


def test_the_remedies_of_messages_work() -> None:
    table, y = mixed_rows()
    model = REGRESSOR(outer_bags=1, max_rounds=3, interactions="0.5x")
    assert model.set_params(validation_size=0).fit(table, y).model_.rounds.tolist()[0][0] == 3
    model.set_params(interactions=[("b", "c"), (1, 2)], monotone_constraints={"a": 1})
    assert [pair.columns for pair in model.fit(table, y).pairs_] == [("b", "c")]
    with pytest.raises(ColumnError, match="no term 'nobody'"):
        model.importances()["nobody"]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_tables_of_a_few_rows_are_fitted(n: int) -> None:
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n, dtype=float)
    assert np.isfinite(REGRESSOR().fit(X, y).predict(X)).all()
