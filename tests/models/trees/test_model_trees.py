"""Model trees: grown, modelled, pruned and smoothed as by hand."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.expressions import evaluate
from tallylearn.models.trees.model_trees import linear_models
from tallylearn.models.trees.model_trees.linear_models import expected_error, fit_linear_model
from tests.kernels.test_oracle import interpreted
from tests.workings.recomputed import interval_of


def bare(**options: Any) -> Any:
    """Grown and modelled, nothing more."""
    return tl.ModelTreeRegressor(**{"prune": False, "smooth": None} | options)


def noisy(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two straight lines and a bump of noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4)).round(2)
    y = np.where(x[:, 0] > 0, 3 * x[:, 1], -2 * x[:, 2]) + rng.normal(size=n) * 0.4
    return x, y


# ---- growing


def sd(y: np.ndarray) -> float:
    return float(np.sqrt(((y - y.mean()) ** 2).mean()))


def oracle(
    x: np.ndarray, y: np.ndarray, share: float, root: float, whole: float
) -> Iterator[tuple[int, float]]:
    """Questions in pre-order: s(T) - sum |Ti| / |T| s(Ti), one candidate after the other."""
    n, best, found = len(y), -1.0, None

    def spread(y: np.ndarray) -> float:
        return float(((y - y.mean()) ** 2).mean() ** root)

    if n < 4 or sd(y) < 0.05 * whole:
        return
    least = max(2, int(share * n + 1e-9) + 1 if share else 0)
    for j in range(x.shape[1]):
        values = np.unique(x[:, j])
        for low, high in itertools.pairwise(values):
            left = x[:, j] <= low
            if min(left.sum(), (~left).sum()) < least:
                continue
            parts = [(p.sum() / n) * spread(y[p]) for p in (left, ~left)]
            gain = spread(y) - sum(parts)
            if gain > best + 1e-9 * spread(y):
                best, found = gain, (j, low / 2 + high / 2)
    if found is None:
        return
    yield found
    left = x[:, found[0]] <= found[1]
    for side in (left, ~left):
        yield from oracle(x[side], y[side], share, root, whole)


@pytest.mark.parametrize(("criterion", "root"), [("sdr", 0.5), ("fifth_root", 0.2)])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.4])
@pytest.mark.parametrize("seed", range(8))
def test_every_question_is_the_one_that_reduces_the_spread_most(
    seed: int, share: float, criterion: str, root: float
) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 9, (40, 3)).astype(float)
    y = (x[:, 0] * 2 + (x[:, 1] > 4) * 7 + rng.integers(0, 5, 40)).astype(float)
    tree = bare(min_share_leaf=share, criterion=criterion).fit(x, y).tree_
    asked = [
        (int(tree.column[i]), float(tree.threshold[i]))
        for i in range(len(tree))
        if tree.test[i] != 0
    ]
    assert asked == list(oracle(x, y, share, root, sd(y)))
    for i in np.flatnonzero(tree.test != 0).tolist():  # told in deviations, whatever chose them
        kids = [*tree.children(i)]
        below = (tree.n[kids] * tree.impurity[kids]).sum() / tree.n[i]
        assert tree.gain[i] == pytest.approx(tree.impurity[i] - below, abs=1e-9)
    assert tree.impurity[0] == pytest.approx(sd(y))


def test_nodes_that_vary_little_ask_nothing() -> None:
    x, y = noisy()
    wide, narrow = bare(min_deviation=0.0).fit(x, y), bare(min_deviation=0.5).fit(x, y)
    inner = narrow.tree_.test != 0
    assert wide.get_n_leaves() > narrow.get_n_leaves()
    assert (narrow.tree_.impurity[inner] >= 0.5 * sd(y)).all()


def test_categories_are_asked_for_in_the_order_of_their_means() -> None:
    frame = pd.DataFrame({"c": list("abcd") * 10})
    y = frame["c"].map({"a": 3.0, "b": 1.0, "c": 9.0, "d": 8.0}).to_numpy()
    model = bare().fit(frame, y)
    first, second = model.tree_.branches(0)
    assert (set(first.values), set(second.values)) == ({"a", "b"}, {"c", "d"})
    assert [model.model_.attributes.name(j) for j in range(3)] == [
        "[c in {a, d, c}]", "[c in {d, c}]", "[c in {c}]",
    ]  # fmt: skip
    assert model.predict(frame) == pytest.approx(y)


# ---- linear models


def exact(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> list[Fraction]:
    """Weighted least squares in rational numbers: the constant, then the coefficients."""
    a = [[Fraction(1), *map(Fraction, row)] for row in x.tolist()]
    sides = [*map(Fraction, y.tolist())]
    w = [*map(Fraction, weight.tolist())]
    size = x.shape[1] + 1
    rows = [
        [sum(wi * r[j] * v for wi, r, v in zip(w, a, column, strict=True)) for column in
         [*zip(*a, strict=True), sides]]
        for j in range(size)
    ]  # fmt: skip
    for j in range(size):  # Gauss and Jordan
        rows[j] = [v / rows[j][j] for v in rows[j]]
        for i in range(size):
            if i != j:
                rows[i] = [u - rows[i][j] * v for u, v in zip(rows[i], rows[j], strict=True)]
    return [row[-1] for row in rows]


def test_a_model_of_all_attributes_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(1)
    x, weight = rng.normal(size=(60, 4)) * [1, 1e3, 1e-3, 1] + [0, 1e4, 0, 5], rng.random(60) + 0.5
    y = x @ [2, -1e-3, 4e3, 1] + rng.normal(size=60) * 0.1
    line, truth = fit_linear_model(x, y, weight, np.arange(4)), [*map(float, exact(x, y, weight))]
    assert line.used == 5
    assert line.coef == pytest.approx(truth[1:], rel=1e-13)
    assert line.intercept == pytest.approx(truth[0], rel=1e-12)
    rest = y - truth[0] - x @ truth[1:]
    assert line.error == pytest.approx(np.sqrt((weight * rest**2).sum() / weight.sum()), rel=1e-12)


def by_hand(x: np.ndarray, y: np.ndarray) -> list[int]:
    """Refit all: drop the steepest above 1.5, then the flattest while Akaike's criterion falls."""
    x, y = (x - x.mean(axis=0)) / x.std(axis=0), (y - y.mean()) / y.std()

    def fitted(which: list[int]) -> tuple[np.ndarray, float]:
        slopes = np.linalg.lstsq(x[:, which], y, rcond=None)[0]
        return np.abs(slopes), float(((y - x[:, which] @ slopes) ** 2).sum())

    which = [*range(x.shape[1])]
    while which and (steep := fitted(which)[0]).max() > 1.5:
        which.pop(int(steep.argmax()))
    first, p = fitted(which)[1], len(which) + 1
    best = len(y) + p
    while which:
        flat = int(fitted(which)[0].argmin())
        fewer = which[:flat] + which[flat + 1 :]
        told = fitted(fewer)[1] / first * (len(y) - p) + 2 * (len(fewer) + 1)
        if told >= best:
            break
        which, best = fewer, told
    return which


@pytest.mark.parametrize("seed", range(12))
def test_attributes_are_dropped_as_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(25, 7))
    y = x[:, 0] - 0.3 * x[:, 3] + rng.normal(size=25) * 0.8
    if seed % 2:
        x[:, 5] = x[:, 0] + 0.05 * rng.normal(size=25)  # nearly the same, and so free to cancel
    line = fit_linear_model(x, y, np.ones(25), np.arange(7))
    assert np.flatnonzero(line.coef).tolist() == by_hand(x, y)
    assert line.used == 1 + np.count_nonzero(line.coef)


def test_collinear_attributes_and_few_rows_leave_a_model_that_is_finite() -> None:
    x = np.arange(6.0)[:, None] * [1, 2, 3] + [0, 1, 2]
    line = fit_linear_model(x, np.arange(6.0), np.ones(6), np.arange(3))
    assert (line.used, line.error) == (2, pytest.approx(0, abs=1e-12))
    rng = np.random.default_rng(0)
    line = fit_linear_model(rng.normal(size=(3, 9)), rng.normal(size=3), np.ones(3), np.arange(9))
    assert line.used < 3
    assert np.isfinite(line.coef).all()


M5P = {"pruned": {}, "unpruned": {"prune": False}, "unsmoothed": {"smooth": None}}


@pytest.mark.parametrize("way", M5P)
def test_a_table_of_categories_is_answered_as_by_m5p(way: str) -> None:
    """120 rows of a servo's kind, three categories of five, and what M5P of Weka 3.9 says of 40."""
    told = json.loads((Path(__file__).parents[2] / "data" / "m5p.json").read_text())
    frame = pd.DataFrame(told["rows"], columns=told["columns"])
    some = tl.table(
        frame[:120], target="y", categories=[*frame.select_dtypes(exclude="number").columns]
    )
    model = tl.M5(**M5P[way]).fit(some)
    assert model.predict(frame[120:]) == pytest.approx(told[way], abs=1e-6)


def wines(n: int = 800, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Eleven measures, some nearly sums of others, and a grade of few whole values."""
    rng = np.random.default_rng(seed)
    x = rng.lognormal(size=(n, 11))
    x[:, 7] = 0.99 + 1e-3 * x[:, 0] + 1e-5 * rng.normal(size=n)
    x[:, 6] = 2 * x[:, 5] + 0.01 * rng.normal(size=n)
    y = 5.6 + 0.5 * np.log(x[:, 10]) - 0.4 * np.log(x[:, 1]) + rng.normal(size=n) * 0.6
    return x, np.clip(np.rint(y), 3, 8)


@pytest.mark.parametrize("seed", range(3))
def test_models_of_few_rows_do_not_explode(seed: int) -> None:
    """Nodes of 12 rows looked at 11 attributes, and a leaf answered -1449 for a grade of 5."""
    x, y = wines(seed=seed)
    model = tl.M5(prune=False).fit(x[:400], y[:400])
    told = model.predict(x[400:])
    worst = np.abs(model.model_.coef * x[:400].std(axis=0)).max()
    assert worst < 20 * sd(y)
    tree = model.tree_
    for i in np.flatnonzero(tree.test != 0).tolist():  # so that no model is near as many as rows
        asked = {*tree.column[i : i + tree.sizes[i]].tolist()} - {-1}
        assert {*np.flatnonzero(model.model_.coef[i]).tolist()} <= asked
    assert np.sqrt(((told - y[400:]) ** 2).mean()) < sd(y[400:])


def test_a_slope_too_steep_to_be_one_is_no_part_of_a_model() -> None:
    """Two attributes that cancel: 40 x0 - 40 x1 fits the noise, and x2 the rows."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(30, 3))
    x[:, 1] = x[:, 0] + 1e-3 * rng.normal(size=30)
    y = 2 * x[:, 2] + 5 * (x[:, 0] - x[:, 1]) * 1e3 * 0.1 + rng.normal(size=30)
    line = fit_linear_model(x, y, np.ones(30), np.arange(3))
    assert np.abs(line.coef * x.std(axis=0)).max() <= 1.5 * sd(y)
    assert line.coef[2] == pytest.approx(2, abs=0.5)


def test_as_many_coefficients_as_rows_are_never_kept() -> None:
    rng = np.random.default_rng(0)
    for n in range(2, 9):
        line = fit_linear_model(
            rng.normal(size=(n, 8)), rng.normal(size=n), np.ones(n), np.arange(8)
        )
        assert line.used < n


def test_a_model_tree_has_no_answer_at_infinity() -> None:
    x, y = noisy()
    model = tl.M5().fit(x, y)
    for call in (model.predict, model.explain):
        with pytest.raises(errors.ColumnError, match="column 'x1' has -inf in row 1"):
            call([[0, 0, 0, 0], [0, -np.inf, 0, 0]])
    with pytest.raises(errors.InputError, match="row 1: the prediction is too large"):
        model.predict([[0, 0, 0, 0], [1, 1.7e308, 1.7e308, 1.7e308]])
    assert np.isfinite(model.predict([[1e300, -1e300, 0, 0]])).all()


def test_the_compiled_sweeps_are_the_python_they_are_written_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, y = noisy(40)
    compiled = bare().fit(x, y)
    monkeypatch.setattr(linear_models, "sweep_operator", interpreted("sweep_operator"))
    assert modelfile.digests(bare().fit(x, y)) == modelfile.digests(compiled)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_pieces_of_straight_lines_are_found_again(seed: int, pieces: int) -> None:
    """Pieces a jump apart: the questions find the jumps, the models the slopes."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.repeat(np.arange(pieces), 30), rng.normal(size=(30 * pieces, 2))])
    slopes = rng.integers(-3, 4, (pieces, 2))
    y = (slopes[x[:, 0].astype(int)] * x[:, 1:]).sum(axis=1) + 1000.0 * x[:, 0]
    model = bare(prune=True, min_deviation=0.0).fit(x, y)
    assert model.predict(x) == pytest.approx(y, abs=1e-6)
    assert model.get_n_leaves() <= pieces


# ---- pruning and smoothing


def test_a_branch_goes_where_the_model_of_its_node_promises_as_much() -> None:
    """Bottom up: rms(model) (n + 2 v) / (n - v) against the leaves below, all their v together."""
    gone = 0
    for seed in range(6):
        x, y = noisy(seed=seed)
        full, cut = bare().fit(x, y).model_, bare(prune=True).fit(x, y)
        tree, used = full.tree, 1 + np.count_nonzero(full.coef, axis=1)

        def kept(i: int, tree: Any = tree, full: Any = full, used: Any = used) -> Any:
            """The nodes that stay below a node, the squared error there, and v."""
            n, alone = tree.n[i], (set(), tree.n[i] * full.error[i] ** 2, used[i])
            if not tree.children(i):
                return alone
            below = [kept(k) for k in tree.children(i)]
            nodes = set.union(*(b[0] for b in below), {*tree.children(i)})
            square, v = sum(b[1] for b in below), sum(b[2] for b in below) + 1
            told = expected_error(full.error[i], n, used[i], 2.0)
            rest = expected_error(np.sqrt(square / n), n, v, 2.0)
            return alone if told <= rest else (nodes, square, v)

        nodes = sorted({0} | kept(0)[0])
        assert cut.model_.tree.n.tolist() == tree.n[nodes].tolist()
        assert np.array_equal(cut.model_.coef, full.coef[nodes])
        gone += len(tree) - len(nodes)
    assert gone


def test_smoothing_mixes_what_comes_from_below_with_every_model_above() -> None:
    x, y = noisy()
    model = tl.M5(smooth=7.0, prune=False).fit(x, y)
    found, tree, depth = model.model_, model.tree_, 0
    for row, leaf, predicted in zip(x, model.apply(x), model.predict(x), strict=True):
        q = found.intercept + found.coef @ row  # what every node says
        path = tree.above(int(leaf))
        p = q[path[-1]]
        for parent, child in zip(path[-2::-1], path[:0:-1], strict=True):
            p = (tree.n[child] * p + 7.0 * q[parent]) / (tree.n[child] + 7.0)
        assert predicted == pytest.approx(p, rel=1e-12)
        depth = max(depth, len(path))
    assert depth > 2


def test_without_smoothing_a_leaf_answers_alone() -> None:
    x, y = noisy()
    a, b = (tl.M5(smooth=k, prune=False).fit(x, y) for k in (None, 0))
    assert np.array_equal(a.predict(x), b.predict(x))
    leaf = a.apply(x)
    means = [y[leaf == i].mean() for i in leaf]
    assert a.predict(x) == pytest.approx(means)  # the leaves of a full tree hold means


def test_the_formulas_answer_as_the_tree_does() -> None:
    x, y = noisy()
    frame = pd.DataFrame(x, columns=list("abcd")).assign(e=np.where(x[:, 3] > 0, "hot", "cold"))
    model = tl.M5().fit(frame, y)
    numbers = frame.assign(**{"[e in {hot}]": 1.0 * (frame["e"] == "hot")})
    numbers = numbers.assign(**{"[e in {cold}]": 1.0 * (frame["e"] == "cold")})
    formulas = {f.node: f for f in model.formulas()}
    assert len(formulas) == model.get_n_leaves() > 1
    for at, node in enumerate(model.apply(frame)):
        told = sum(c * numbers.loc[at, name] for name, c in formulas[node].terms)
        assert told + formulas[node].intercept == pytest.approx(model.predict(frame)[at])
    for formula in formulas.values():
        assert f"{formula.name}  [" in str(model)
        assert str(formula) in str(model)


# ---- rows


def test_the_order_of_rows_leaves_no_trace(mixed: pd.DataFrame) -> None:
    frame = mixed[["length", "width", "colour", "shape", "price"]]
    weight = np.random.default_rng(0).random(len(frame))
    a = tl.M5().fit(frame, "price", sample_weight=weight)
    order = np.random.default_rng(1).permutation(len(frame))
    b = tl.M5().fit(frame.iloc[order], "price", sample_weight=weight[order])
    assert modelfile.digests(a) == modelfile.digests(b)


def test_a_weight_of_two_is_the_row_twice() -> None:
    x, y = noisy()
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    often = np.repeat(np.arange(len(y)), weight)
    names = [f"x{j}" for j in range(x.shape[1])]
    frame = pd.DataFrame(x, columns=names)
    a = tl.M5().fit(tl.table(frame.assign(y=y, n=weight), target="y", weight="n"))
    b = tl.M5().fit(frame.assign(y=y).iloc[often], "y")
    assert a.get_n_leaves() == b.get_n_leaves() > 1
    assert a.predict(frame) == pytest.approx(b.predict(frame), rel=1e-9)


def test_gaps_count_as_the_mean_or_the_middle_category() -> None:
    x, y = noisy()
    frame = pd.DataFrame(x, columns=list("abcd")).assign(e=pd.cut(x[:, 3], 4, labels=list("wxyz")))
    frame["e"] = frame["e"].astype(object)
    frame.loc[::7, "a"], frame.loc[::9, "e"] = np.nan, None
    model = tl.M5(prune=False).fit(frame, y)
    means = (
        frame.groupby("e")["a"]
        .size()
        .reindex(pd.Series(y).groupby(frame["e"]).mean().sort_values().index)
    )
    middle = means.index[int(np.searchsorted(2 * means.cumsum(), means.sum()))]
    filled = frame.assign(a=frame["a"].fillna(frame["a"].mean()), e=frame["e"].fillna(middle))
    assert np.array_equal(model.predict(frame), model.predict(filled))


def test_an_unseen_category_ends_where_it_is_asked_for() -> None:
    frame = pd.DataFrame({"c": ["a", "b"] * 20, "x": np.arange(40.0)})
    y = np.where(frame["c"] == "a", 100.0, 0.0) + frame["x"]
    model = tl.M5(prune=False).fit(frame, y)
    assert model.tree_.node(0).column == "c"
    row = pd.DataFrame({"c": ["zebra"], "x": [3.0]})
    assert model.apply(row).tolist() == [0]
    assert model.predict(row)[0] == pytest.approx(model.explain(row)[0].lines[0].total)


@pytest.mark.parametrize("guest", [None, tl.DummyRegressor()])
def test_a_value_that_only_the_models_add_up_is_flagged_when_it_was_never_seen(guest: Any) -> None:
    frame = pd.DataFrame({"c": ["a", "b", "a"] * 20, "x": np.arange(60.0)})
    y = np.where(frame["c"] == "a", 30.0, 0.0) + 3 * frame["x"]
    model = tl.ModelTreeRegressor(max_depth=None if guest is None else 1, learner=guest)
    model.fit(frame, y)
    row = pd.DataFrame({"c": ["zebra"], "x": [3.0]})
    assert "c = 'zebra' was never seen; known values are 'a', 'b'." in str(model.explain(row))
    assert "never seen" not in str(model.explain(frame[:1]))


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (pd.DataFrame({"x": [1.0, 2, 3, 4]}), [5.0] * 4),
        (pd.DataFrame({"x": [2.0] * 6}), [1.0, 2, 3, 4, 5, 6]),
        (pd.DataFrame({"c": ["a"] * 6}), [1.0, 2, 3, 4, 5, 6]),
        (pd.DataFrame({"x": [np.nan] * 6, "c": [None] * 6}), [1.0, 2, 3, 4, 5, 6]),
        (pd.DataFrame({"x": [1.0]}), [3.0]),
    ],
)
def test_where_nothing_can_be_asked_the_answer_is_the_mean(x: pd.DataFrame, y: list[float]) -> None:
    model = tl.M5().fit(x, y)
    assert model.get_n_leaves() == 1
    assert model.predict(x) == pytest.approx([np.mean(y)] * len(y))


def test_huge_and_tiny_numbers_are_learned() -> None:
    x = np.random.default_rng(0).normal(size=(80, 2))
    y = np.where(x[:, 0] > 0, x[:, 1], -x[:, 1])
    plain = tl.M5().fit(x, y).predict(x)
    for scale in (1e140, 1e-140):
        assert tl.M5().fit(x * scale, y * scale).predict(x * scale) / scale == pytest.approx(plain)


def test_columns_far_from_zero_lose_no_digits() -> None:
    """A line through 1e9 + 0/64, 1e9 + 1/64, ...: its intercept is 1e12, its answers below 1e3."""
    x = 1e9 + np.arange(60)[:, None] / 64
    y = 1000 * (x[:, 0] - 1e9)
    model = tl.M5().fit(x, y)
    assert model.predict(x) == pytest.approx(y, abs=1e-9)
    for row, told in zip(model.explain(x), y, strict=True):
        assert row.lines[0].total == pytest.approx(told, abs=1e-9)


# ---- indicators of missing values


def with_missing(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, a date, a category and a category of rare values, missing where the target jumps."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "c": rng.choice(list("abc"), n).astype(object),
            "d": pd.date_range("2020-01-01", periods=n),
            "id": np.array([f"v{i}" for i in range(n)], dtype=object),
        }
    )
    y = 3 * frame["x"].to_numpy() + rng.normal(size=n) * 0.1
    for name, jump in {"x": 40.0, "c": 20.0, "d": 10.0, "id": 5.0}.items():
        gone = rng.random(n) < 0.4
        y = y + jump * gone
        frame[name] = frame[name].where(~gone, None if frame[name].dtype == object else np.nan)
    return frame, y


def declared(frame: pd.DataFrame, y: Any, **roles: Any) -> Any:
    return tl.table(frame.assign(y=y), target="y", categories=["c", "id"], **roles)


def test_missing_values_have_an_attribute_of_their_own() -> None:
    frame, y = with_missing()
    model = bare(max_depth=0).fit(declared(frame, y)).model_
    names = [model.attributes.name(j) for j in range(len(model.attributes))]
    assert [n for n in names if n.endswith("missing]")] == [
        "[x missing]", "[c missing]", "[d missing]", "[id missing]",
    ]  # fmt: skip
    line = tl.ModelTreeRegressor().fit(declared(frame, y)).formulas()[0]
    terms = dict(line.terms)
    assert terms["[x missing]"] == pytest.approx(40, abs=1.5)
    assert terms["[c missing]"] == pytest.approx(20, abs=1.5)


def test_an_indicator_is_the_column_that_one_would_add_by_hand() -> None:
    frame, y = with_missing()
    numbers = frame[["x"]].assign(z=np.random.default_rng(1).normal(size=len(y)))
    by_hand = numbers.assign(gone=numbers["x"].isna() * 1.0)[["x", "gone", "z"]]
    for options in ({}, {"prune": False, "smooth": None}):
        ours = tl.ModelTreeRegressor(**options).fit(numbers, y).predict(numbers)
        m5 = tl.M5(**options)
        assert ours == pytest.approx(m5.fit(by_hand, y).predict(by_hand), rel=1e-9)
        assert ours != pytest.approx(m5.fit(numbers, y).predict(numbers), rel=1e-2)


def test_m5_has_no_indicators_and_tables_without_missing_values_need_none() -> None:
    frame, y = with_missing()
    assert (tl.M5().missing, tl.ModelTreeRegressor().missing) == ("mean", "indicator")
    assert (tl.M5().fit(declared(frame, y)).model_.attributes.step >= 0).all()
    x, y = noisy()
    a, b = (one.fit(x, y).model_ for one in (tl.M5(), tl.ModelTreeRegressor()))
    assert np.array_equal(a.coef, b.coef)
    assert np.array_equal(a.attributes.step, b.attributes.step)
    with pytest.raises(errors.OptionError, match="missing"):
        tl.ModelTreeRegressor(missing="zero").fit(x, y)


@pytest.mark.parametrize("options", [{}, {"prune": False, "smooth": None}], ids=["m5", "bare"])
def test_a_tree_with_indicators_is_saved_written_out_and_explained(
    options: dict[str, Any], tmp_path: Path
) -> None:
    frame, y = with_missing()
    table = declared(frame, y)
    model = tl.ModelTreeRegressor(keep_rows=True, **options).fit(table)
    told = model.predict(frame)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert again.missing == "indicator"
    assert np.array_equal(again.predict(frame), told)
    blocks = [*model._read_blocks(frame)]
    found = np.concatenate([
        evaluate(model.model_.expression(model.schema_).values[0], block) for block in blocks
    ])  # fmt: skip
    assert found == pytest.approx(told, rel=1e-9)
    for row, value in zip(model.explain(frame), told, strict=True):
        assert row.lines[0].total == pytest.approx(value)
    by_node = {f.node: str(f) for f in model.formulas()}
    for rule, node in zip(model.fired(frame), model.apply(frame).tolist(), strict=True):
        assert (rule.node, rule.model) == (node, by_node[node])
    best = next(one for one in model.gains(0) if one.best)
    assert (best.column, best.test) == ("x", "missing")
    assert ("x is missing" in str(model.show_work())) == (model.get_n_leaves() > 1)


def test_missing_values_split_nodes_of_numbers_and_of_categories() -> None:
    frame, y = with_missing()
    model = bare(max_depth=2).fit(declared(frame[["x", "c"]].assign(id="a"), y))
    tree = model.tree_
    assert [tree.node(i).column for i in (0, 1)] == ["x", "c"]
    assert tree.node(0).test == "presence"
    present, missing = tree.branches(0)
    assert (present.relation, missing.relation) == ("present", "missing")
    leaf = model.apply(frame.assign(id="a"))
    for at, (x, c) in enumerate(zip(frame["x"].isna(), frame["c"].isna(), strict=True)):
        rule = model.rules().of([int(leaf[at])])[0]
        assert ("x missing" in rule.condition) == x
        assert ("c missing" in rule.condition) == c
    unseen = pd.DataFrame({"x": [0.0], "c": ["zebra"], "id": ["a"]})
    assert model.apply(unseen)[0] == model.apply(unseen.assign(c="b"))[0]


def test_an_indicator_does_not_depend_on_the_order_of_rows_or_on_how_rows_are_repeated() -> None:
    frame, y = with_missing()
    frame = frame[["x", "c"]].assign(id="a")
    a = tl.ModelTreeRegressor().fit(declared(frame, y))
    order = np.random.default_rng(1).permutation(len(frame))
    b = tl.ModelTreeRegressor().fit(declared(frame.iloc[order], y[order]))
    assert modelfile.digests(a) == modelfile.digests(b)
    weight = np.random.default_rng(3).integers(0, 4, len(y))
    often = np.repeat(np.arange(len(y)), weight)
    a = tl.ModelTreeRegressor().fit(declared(frame.assign(n=weight), y, weight="n"))
    b = tl.ModelTreeRegressor().fit(declared(frame.iloc[often], y[often]))
    assert a.get_n_leaves() == b.get_n_leaves()
    assert a.predict(frame) == pytest.approx(b.predict(frame), rel=1e-9)


def test_a_column_that_is_missing_only_where_rows_weigh_nothing_has_no_indicator() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, np.nan, np.nan], "n": [1, 1, 1, 0, 0], "y": range(5)})
    model = tl.ModelTreeRegressor().fit(tl.table(frame, target="y", weight="n"))
    assert model.model_.attributes.step.tolist() == [0]


# ---- learners at the leaves


def test_a_learner_of_the_users_answers_at_the_leaves() -> None:
    x, y = noisy()
    model = bare(prune=True, learner=KNeighborsRegressor(3)).fit(x, y)
    leaf = model.apply(x)
    assert len({*leaf}) > 1
    for i in {*leaf}:
        here = leaf == i
        theirs = KNeighborsRegressor(3).fit(x[here], y[here]).predict(x[here])
        assert np.array_equal(model.predict(x)[here], theirs)
    assert "KNeighborsRegressor" in str(model)
    assert not hasattr(model.learner, "n_features_in_")  # copies learned, not the learner itself


def test_linear_regression_at_the_leaves_is_that_of_every_leaf() -> None:
    x, y = noisy()
    learner = make_pipeline(StandardScaler(), LinearRegression())
    model = bare(learner=learner, max_depth=1, min_samples_leaf=20).fit(x, y)
    leaf = model.apply(x)
    for i in {*leaf}:
        here = leaf == i
        alone = LinearRegression().fit(x[here], y[here]).predict(x[here])
        assert model.predict(x)[here] == pytest.approx(alone)


def test_a_learner_at_the_leaves_is_told_the_weights() -> None:
    x = np.arange(40.0)[:, None]
    y = np.where(x[:, 0] < 20, 0.0, 100.0) + np.arange(40) % 3
    weight = np.arange(40) % 4 + 1.0
    options: dict[str, Any] = {"learner": tl.DummyRegressor(), "smooth": None, "max_depth": 1}
    model = tl.ModelTreeRegressor(**options).fit(x, y, sample_weight=weight)
    found = model.predict(x)
    for here in (x[:, 0] < 20, x[:, 0] >= 20):
        assert found[here] == pytest.approx(np.average(y[here], weights=weight[here]))


def test_a_learner_is_smoothed_and_explained_too() -> None:
    x, y = noisy()
    model = tl.M5(learner=tl.DecisionTreeRegressor(max_depth=2), prune=False).fit(x, y)
    for row, told in zip(model.explain(x), model.predict(x), strict=True):
        assert row.lines[0].total == pytest.approx(told)
        assert row.lines[0].terms[0].value == "DecisionTreeRegressor"


def test_a_learner_at_the_leaves_is_not_saved(tmp_path: Path) -> None:
    model = tl.M5(learner=tl.DummyRegressor()).fit(*noisy())
    with pytest.raises(errors.OptionError, match=r"learner is DummyRegressor.*cannot be saved"):
        model.save(tmp_path / "m.tally")
    with pytest.raises(errors.OptionError, match="no formula"):
        model.formulas()


class Choosy:
    """Learns from ten rows or more."""

    def fit(self, x: Any, y: Any) -> Choosy:
        if len(x) < 10:
            raise RuntimeError("too few rows.")
        return self

    def predict(self, x: Any) -> Any:
        return np.zeros(len(x))


def test_a_learner_that_fails_is_named_with_its_leaf_and_its_reason() -> None:
    with pytest.raises(errors.OptionError, match=r"failed at leaf \d+ \(x\d .*rows: too few rows"):
        bare(learner=Choosy()).fit(*noisy())


@pytest.mark.parametrize(
    ("learner", "said"),
    [
        (LogisticRegression(), "LogisticRegression.*a classifier"),
        (tl.NaiveBayes(), "NaiveBayes.*a classifier"),
        (LinearRegression, "LinearRegression.*instance of a regressor"),
        ("linear", "'linear'.*no regressor"),
    ],
)
def test_a_learner_that_is_no_regressor_is_refused(learner: Any, said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.M5(learner=learner).fit(*noisy())


# ---- words


def test_the_summands_are_terms_and_smoothing_steps() -> None:
    x, y = noisy()
    model = tl.M5().fit(x, y)
    leaf = int(model.apply(x[:1])[0])
    row = model.explain(x[:1])[0]
    steps = [term for term in row.lines[0].terms if term.column == "smoothed"]
    assert len(steps) == len(model.tree_.above(leaf)) - 1 > 0
    assert "root says" in steps[-1].value
    assert row.notes[0].startswith("path: x")
    shown = str(model.show_work())
    assert "sdr" in shown
    assert "p ← (n · p + 15 · q) / (n + 15)" in shown


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"min_samples_split": 1}, "min_samples_split"),
        ({"min_share_leaf": 0.6}, "min_share_leaf"),
        ({"min_deviation": -0.1}, "min_deviation"),
        ({"smooth": -1.0}, "smooth"),
        ({"smooth": True}, "smooth"),
        ({"prune": "yes"}, "prune"),
        ({"max_depth": 2.5}, "max_depth"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.M5(**options).fit(*noisy())


def test_classes_and_text_are_refused() -> None:
    x, _ = noisy(20)
    with pytest.raises(errors.TargetError):
        tl.M5().fit(x, ["yes", "no"] * 10)
    notes = pd.DataFrame({"note": [f"a b c d e {i}" for i in range(10)]})
    with pytest.raises(errors.ColumnError, match="note"):
        tl.M5().fit(notes, np.arange(10.0))
    with pytest.raises(errors.InputError):
        tl.M5().fit(np.array([[np.inf], [1.0]]), [1.0, 2.0])


def broken_line() -> tuple[pd.DataFrame, Any]:
    """Power by speed: two lines, and a step for one of three origins."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"speed": rng.uniform(0, 100, 300), "origin": rng.choice(list("EJU"), 300)}
    )
    power = np.where(frame.speed < 40, 3 * frame.speed, 200 - 2 * frame.speed)
    return frame, power + 40 * (frame.origin == "U") + rng.normal(0, 1, 300)


def test_rules_of_a_model_tree_answer_as_the_tree_does() -> None:
    frame, y = broken_line()
    model = tl.M5().fit(frame, y)
    rules, formulas = model.rules(), {f.node: f for f in model.formulas()}
    assert len(rules) == model.get_n_leaves() > 2
    assert [rule.model for rule in rules] == [str(f) for f in model.formulas()]
    assert sum(rule.n for rule in rules) == 300
    for rule, node in zip(model.fired(frame[:40]), model.apply(frame[:40]).tolist(), strict=True):
        assert rule.node == node
        assert rule.model == str(formulas[node])
    for rule in rules:
        at = np.flatnonzero(model.apply(frame) == rule.node)
        ends = {c.column: c.ends for c in rule.conditions if c.column == "speed"}.get("speed")
        if ends is not None:
            assert ((frame.speed[at] > ends[0]) & (frame.speed[at] <= ends[1])).all()
        x = model.model_.attributes.matrix(_block(model, frame))
        inside = model.model_._predict_unsmoothed(x, model.apply(frame))[at]
        assert rule.error == pytest.approx(float(np.sqrt(np.mean((y[at] - inside) ** 2))))
    unseen = model.fired(pd.DataFrame({"speed": [55.0], "origin": ["X"]}))
    assert unseen[0].node not in formulas
    assert unseen[0] in rules.ends
    assert str(rules).endswith(f"ends ({len(rules.ends)} in .ends)")
    assert '"kind": "model rules"' in rules.to_json()
    assert "LM1 =" in rules.to_markdown()
    guest = tl.M5(learner=tl.DummyRegressor(), smooth=None).fit(frame, y).rules()
    assert {rule.model for rule in guest} == {"DummyRegressor()"}


def _block(model: Any, frame: Any) -> Any:
    return next(iter(model._read_blocks(frame)))


def test_a_model_tree_is_drawn_with_its_formulas_in_every_form() -> None:
    frame, y = broken_line()
    model = tl.M5().fit(frame, y)
    formulas = [*map(str, model.formulas())]
    plot = model.plot()
    assert plot.title.startswith("Model tree: ")
    assert [node["model"] for node in plot.data["nodes"] if "model" in node] == formulas
    for formula in formulas:
        assert formula in plot.svg.replace("&gt;", ">")
        assert formula in model.to_html()
        assert formula in model.to_dot()
        assert formula in str(model)
        assert formula in model.text()
    assert model.text().startswith("[300 rows]\n├─ ")
    assert "LM1  [" in model.text()
    assert "LM1" in model._repr_html_()
    lead = model.importances()
    assert sum(one.share for one in lead) == pytest.approx(1)
    assert {"speed", "origin"} == {one.column for one in lead}


@pytest.mark.parametrize("criterion", ["fifth_root", "sdr"])
def test_gains_of_a_model_tree_are_by_the_criterion_that_chose(criterion: str) -> None:
    frame, y = broken_line()
    model = tl.M5(prune=False, min_samples_leaf=10, criterion=criterion, keep_rows=True).fit(
        frame, y
    )
    tree = model.tree_
    for node in np.flatnonzero(tree.column >= 0).tolist():
        found = model.gains(node)
        best = [candidate for candidate in found if candidate.best]
        assert found.criterion == criterion
        assert best[0].gain == pytest.approx(max(candidate.gain for candidate in found), rel=1e-9)
        assert best[0].column == tree.node(node).column
        if tree.node(node).test == "threshold":
            assert best[0].test == f"<= {tree.threshold[node]:.6g}"
        spread = tree.impurity[node] if criterion == "sdr" else tree.impurity[node] ** 0.4
        assert found.impurity == pytest.approx(spread)
        if criterion == "sdr":
            assert best[0].gain == pytest.approx(tree.gain[node], rel=1e-9)
    assert model.gains(0)["origin"].test == "in {U}"
    again = tl.M5(prune=False, min_samples_leaf=10, criterion=criterion, keep_rows=False)
    again.fit(frame, y)
    with pytest.raises(errors.InputError, match=r"table.*again.*keep_rows=True"):
        again.gains()
    assert again.gains(0, frame, y) == model.gains(0)
    with pytest.raises(errors.OptionError, match=r"node is 9.*0 to"):
        model.gains(999)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_the_line_of_a_leaf_is_that_of_linear_regression_on_its_rows(offset: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 5)) @ rng.normal(size=(5, 5))
    y = np.where(x[:, 0] > 0, x @ [1, 2, 0, 0, 1], x @ [-3, 0, 0, 1, 0]) + rng.normal(size=600)
    x = x + offset
    tree = tl.M5(smooth=None).fit(x, y)
    nodes = tree.apply(x)
    formulas = tree.formulas()
    lines = [formula for formula in formulas if formula.terms]
    assert len(lines) > 1
    for formula in lines:
        rows = nodes == formula.node
        at = [int(name[1:]) for name, _ in formula.terms]
        line = tl.LinearRegression().fit(x[rows][:, at], y[rows])
        np.testing.assert_allclose([slope for _, slope in formula.terms], line.coef_, rtol=1e-9)
        scale = np.abs(line.coef_).sum() * max(offset, 1.0)
        assert formula.intercept == pytest.approx(line.intercept_, abs=1e-9 * scale)


def test_smoothing_of_a_model_tree_is_written_along_the_path() -> None:
    x, y = noisy()
    model = tl.M5().fit(x, y)
    for row, value in zip(model.explain(x), model.predict(x), strict=True):
        texts = [s.text for s in row.working]
        assert texts[0].startswith("p = ")
        for text in (t for t in texts if " = " in t):
            sides = text.split(" ← ")[-1].split(" = ")
            found = [one for side in sides if (one := interval_of(side)) is not None]
            assert all(one.meets(found[0]) for one in found)
        last = interval_of(texts[-1].rpartition(" = ")[2])
        assert last is not None
        assert last.low - 1e-12 <= value <= last.high + 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_no_node_of_a_random_model_tree_contradicts_its_gains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    table = pd.DataFrame({
        "a": rng.normal(size=n).round(1), "b": rng.integers(0, 6, n).astype(float),
        "c": rng.choice(list("uvwxyz"), n),
    })  # fmt: skip
    noise = rng.normal(size=n)
    table["y"] = table.a * (table.b > 2) + table.b + (table.c > "w") * 3 + noise
    if seed % 2:
        table.loc[rng.random(n) < 0.1, "a"] = np.nan
    model = tl.M5(prune=False, keep_rows=True).fit(table, "y")
    tree = model.tree_
    nodes = [i for i in range(len(tree)) if len(tree.children(i))]
    assert nodes
    for node in nodes:
        gains = model.gains(node)
        best = [one for one in gains if one.best]
        assert best[0].score == pytest.approx(max(one.score for one in gains), rel=1e-9)
        assert tree.node(node).column in {one.column for one in best}
        if tree.node(node).test == "threshold":
            cuts = [float(one.test[3:]) for one in best if one.test.startswith("<=")]
            assert any(cut == pytest.approx(tree.threshold[node], rel=1e-5) for cut in cuts)
