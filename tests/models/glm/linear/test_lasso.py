"""The lasso: optimal by its conditions, the same on products and on rows, folds in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import linear_model
from sklearn.datasets import load_diabetes

import tallylearn as tl
from tallylearn import errors
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.models.glm.linear import lasso
from tests.kernels.test_oracle import interpreted

X, Y = load_diabetes(return_X_y=True)
FINE: dict[str, Any] = {"tol": 1e-13, "max_iter": 100_000}


@pytest.mark.parametrize("alpha", [1.0, 0.1, 0.001])
@pytest.mark.parametrize("positive", [False, True])
def test_weights_are_scikit_learns(alpha: float, positive: bool) -> None:
    ours = tl.Lasso(alpha, positive=positive, **FINE).fit(X, Y)
    theirs = linear_model.Lasso(alpha, positive=positive, **FINE).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    assert ours.intercept_ == pytest.approx(theirs.intercept_)
    ours = tl.ElasticNet(alpha, l1_ratio=0.3, positive=positive, **FINE).fit(X, Y)
    theirs = linear_model.ElasticNet(alpha, l1_ratio=0.3, positive=positive, **FINE).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@given(seed=st.integers(0, 10**6), alpha=st.floats(0.01, 2), share=st.floats(0.1, 1))
def test_the_weights_are_optimal(seed: int, alpha: float, share: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(40, 6)) * [1, 1, 10, 0.1, 1, 1] + 5
    y = x @ [1, 0, 0.1, 0, 2, 0] + rng.normal(size=40)
    model = tl.ElasticNet(alpha, l1_ratio=share, tol=1e-15, max_iter=10**6).fit(x, y)
    w = model.coef_
    slope = (x - x.mean(axis=0)).T @ (y - model.predict(x)) / 40 - alpha * (1 - share) * w
    scale = alpha * share * np.ones(6)
    used = w != 0
    np.testing.assert_allclose(slope[used], (scale * np.sign(w))[used], atol=1e-5)
    assert (np.abs(slope) <= scale + 1e-5).all()
    assert (y - model.predict(x)).sum() == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize("alpha", [0.3, 0.05])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_wide_tables_have_the_weights_of_narrow_ones(
    alpha: float, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 90))
    x[rng.random(x.shape) < 0.05] = np.nan
    y = np.nan_to_num(x)[:, :5].sum(axis=1) + rng.normal(size=40) * 0.1
    weight = rng.integers(1, 3, 40).astype(float)
    learner = tl.ElasticNet(alpha, l1_ratio=share, **FINE)
    narrow = learner.fit(x, y, weight)
    want, path = narrow.coef_, narrow.path([1.0, 0.3, 0.1])
    assert narrow.tally_ is not None
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 10)
    wide = tl.ElasticNet(alpha, l1_ratio=share, **FINE).fit(x, y, weight)
    assert wide.tally_ is None
    np.testing.assert_allclose(wide.coef_, want, atol=1e-5)
    np.testing.assert_allclose(wide.path([1.0, 0.3, 0.1]).coef, path.coef, atol=1e-5)
    with pytest.raises(errors.MergeError, match="without its tally"):
        wide.partial_fit(x, y)


def test_a_model_of_a_wide_table_is_saved_without_more_ado(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10, 2100))
    model = tl.Lasso(0.1, max_iter=50).fit(x, x[:, 0])
    assert model.tally_ is None
    model.save(tmp_path / "wide.tally")
    again = tl.load(tmp_path / "wide.tally")
    np.testing.assert_array_equal(again.predict(x), model.predict(x))
    again.save(tmp_path / "again.tally")


def _files(folder: Path, rows: int) -> tuple[pd.DataFrame, list[Path | str]]:
    """A table of 90 columns, in memory and in files of several kinds."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(rows, 90)).round(3)).add_prefix("x")
    frame["y"] = frame["x3"] - 2 * frame["x50"] + rng.normal(size=rows)
    frame.to_csv(folder / "all.csv", index=False)
    frame.to_parquet(folder / "all.parquet", row_group_size=7)
    for at in (0, 1):
        frame[at * rows // 2 : (at + 1) * rows // 2].to_csv(folder / f"{at}.csv", index=False)
    return frame, [folder / "all.csv", folder / "all.parquet", f"{folder}/[01].csv"]


def test_wide_files_are_learned_from_their_rows_as_memory_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 10)
    frame, files = _files(tmp_path, 44)  # fewer than half of the columns
    memory = tl.Lasso(0.1, **FINE).fit(frame, "y")
    assert memory.tally_ is None
    for path in files:
        model = tl.Lasso(0.1, **FINE).fit(path, "y")
        assert model.tally_ is None
        np.testing.assert_allclose(model.coef_, memory.coef_, atol=1e-12)
        model.save(tmp_path / "wide.tally")
        assert (tmp_path / "wide.tally").stat().st_size < 8 * 90**2  # no products of all columns
    model = tl.Lasso(0.1, **FINE).fit(str(files[0]), "y")
    np.testing.assert_allclose(model.path([0.1]).coef, memory.path([0.1]).coef, atol=1e-8)


def test_files_of_enough_rows_keep_their_tally_and_say_how_many_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 10)
    for path in _files(tmp_path, 45)[1]:
        assert tl.Lasso(0.1, **FINE).fit(path, "y").tally_ is not None
        read = read_fit_input(path, "y", None, "Lasso", "regressor")
        assert [read.count_rows_up_to(most) for most in (44, 45, 46)] == [None, 45, 45]


def test_wide_files_ask_for_the_memory_that_their_rows_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 10)
    _, (path, *_) = _files(tmp_path, 44)
    monkeypatch.setenv("TALLY_MEMORY", "0.00005")
    with pytest.raises(
        errors.SizeError, match=r"^Lasso.fit: 44 rows of 90 columns.*Leave out columns"
    ):
        tl.Lasso().fit(path, "y")


def test_wide_folds_choose_a_penalty(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 150))
    y = x[:, 0] * 3 + rng.normal(size=60)
    narrow = tl.Lasso("cv", alphas=[1.0, 0.3, 0.1], folds=4, **FINE).fit(x, y)
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 10)
    wide = tl.Lasso("cv", alphas=[1.0, 0.3, 0.1], folds=4, **FINE).fit(x, y)
    assert wide.alpha_ in (0.3, 0.1)
    assert len(wide.path().error) == 3
    assert wide.folds_.error == pytest.approx(narrow.folds_.error, rel=0.5)


def _wide(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of which neighbours are alike, so that weights change hands along a path."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p))
    for j in range(1, p):
        x[:, j] = 0.8 * x[:, j - 1] + 0.6 * x[:, j]
    return x + 3, x[:, :: p // 10] @ rng.normal(size=len(range(0, p, p // 10))) + rng.normal(size=n)


def _excess(x: np.ndarray, y: np.ndarray, path: Any, share: float, positive: bool) -> np.ndarray:
    """Duality gaps of a path, from all columns and rows, as shares of the target's squares."""
    x, y, n = x - x.mean(axis=0), y - y.mean(), len(y)
    found = []
    for alpha, w in zip(path.penalty, path.coef, strict=True):
        l1, l2, rest = n * alpha * share, n * alpha * (1 - share), y - x @ w
        bent = x.T @ rest - l2 * w
        steep = max(l1, (bent if positive else np.abs(bent)).max())
        least, most = l1 / steep, 0.5 * (rest @ rest + l2 * w @ w) + l1 * np.abs(w).sum()
        dual = least * rest @ y - 0.5 * least**2 * (rest @ rest + l2 * w @ w)
        found.append((most - dual) / (y @ y))
    return np.array(found)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.3, 0.01])
def test_gaps_of_a_wide_path_are_those_of_all_columns(share: float, positive: bool) -> None:
    x, y = _wide(60, 2100)
    model = tl.ElasticNet(0.5, l1_ratio=share, positive=positive, max_iter=10_000).fit(x, y)
    assert model.tally_ is None
    path = model.path()
    want = _excess(x, y, path, share, positive)
    assert want.max() <= 1e-4 * (1 + 1e-6)
    np.testing.assert_allclose(path.gap, want * y.var(), rtol=1e-6, atol=1e-12 * y.var())
    if share < 0.1:  # more columns than have products with each other
        assert np.count_nonzero(path.coef, axis=1).max() > 120


def test_a_wide_path_is_the_same_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from tallylearn.models.glm.solvers import active_set

    monkeypatch.setattr(active_set, "PRODUCTS_PER_TASK", 1 << 12)
    x, y = _wide(60, 2100)
    paths = []
    for threads in (1, 3):
        with tl.engine(threads):
            paths.append(tl.Lasso(0.1).fit(x, y).path())
    np.testing.assert_array_equal(paths[0].coef, paths[1].coef)
    np.testing.assert_array_equal(paths[0].gap, paths[1].gap)


def test_a_working_set_that_grew_beyond_its_products_finds_them_again() -> None:
    from tallylearn.models.glm.solvers.active_set import LassoWorkingSet
    from tallylearn.models.glm.solvers.coordinate_descent import ElasticNetPenalty

    x, y = _wide(20, 300)
    x, y = np.ascontiguousarray((x - x.mean(axis=0)).T), y - y.mean()
    work = LassoWorkingSet(x, y, (x**2).sum(axis=1), ElasticNetPenalty(1.0, 1e-4, 1000))
    for many in (30, 60, 35):  # 40 columns at most have products
        if many > len(work.columns):
            work._add(np.arange(len(work.columns), many))
        else:
            work._keep(np.arange(len(work.columns)) >= 60 - many)
        some = work.columns
        assert len(some) == many
        assert work._has_gram == (many <= 40)
        if many <= 40:
            np.testing.assert_allclose(work._gram, x[some] @ x[some].T, atol=1e-10)


def test_slopes_that_are_not_looked_at_are_below_the_level() -> None:
    from tallylearn.models.glm.solvers.active_set import MAX_RESIDUALS_KEPT, ColumnGradients

    rng = np.random.default_rng(0)
    x, rest = rng.normal(size=(500, 30)), rng.normal(size=30)
    length = np.sqrt((x**2).sum(axis=1))
    slopes, looked = ColumnGradients(x, length, rest), 0
    for turn in range(3 * MAX_RESIDUALS_KEPT):
        rest = rest * 0.98 + rng.normal(size=30) * 0.02
        level, some = np.quantile(np.abs(x @ rest), 0.9), np.array([turn])
        found = slopes.update(rest, level, some)
        assert {*np.flatnonzero(np.abs(x @ rest) >= level), turn} <= {*found.tolist()}
        np.testing.assert_allclose(slopes.known[found], x[found] @ rest, atol=1e-12)
        looked += len(found)
    assert looked < 3 * MAX_RESIDUALS_KEPT * 250  # less than half of all


@pytest.mark.parametrize("learner", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_folds_of_one_pass_are_folds_fitted_one_by_one(learner: Any) -> None:
    grid = [1.0, 0.1, 0.01]
    options = {} if learner is tl.Ridge else FINE
    found = learner("cv", alphas=grid, folds=5, **options).fit(X, Y).folds_
    from tallylearn.models.glm.sufficient_statistics import assign_folds
    from tallylearn.tables import Block, Column, Schema

    schema = Schema(tuple(Column(f"x{j}", "number") for j in range(10)))
    fold = assign_folds(Block(schema, X, target=Y), 5).codes
    for m, alpha in enumerate(grid):
        off = np.empty(len(Y))
        for f in range(5):
            model = learner(alpha, **options).fit(X[fold != f], Y[fold != f])
            off[fold == f] = Y[fold == f] - model.predict(X[fold == f])
        assert found.error[m] == pytest.approx(float((off**2).mean()), rel=1e-7)


def test_the_order_of_the_rows_chooses_nothing() -> None:
    order = np.random.default_rng(0).permutation(len(Y))
    one, two = (tl.Lasso("cv", **FINE).fit(X[at], Y[at]) for at in (slice(None), order))
    assert one.alpha_ == pytest.approx(two.alpha_, rel=1e-9)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-5)


def test_one_standard_error_takes_fewer_columns() -> None:
    best, spare = (tl.Lasso("cv", rule=rule).fit(X, Y) for rule in ("best", "1se"))
    assert spare.alpha_ > best.alpha_
    assert np.count_nonzero(spare.coef_) < np.count_nonzero(best.coef_)
    found = best.folds_
    at = int(found.error.argmin())
    assert found.error[list(found.penalty).index(spare.alpha_)] <= (
        found.error[at] + found.deviation[at]
    )


def test_the_gap_bounds_how_far_the_loss_is_from_its_least() -> None:
    rough = tl.Lasso(0.05, tol=1e-2).fit(X, Y)
    least = tl.Lasso(0.05, **FINE).fit(X, Y)

    def loss(model: Any) -> float:
        rest = Y - model.predict(X)
        return float(rest @ rest / 2 / len(Y) + 0.05 * np.abs(model.coef_).sum())

    assert -1e-9 <= loss(rough) - loss(least) <= rough.dual_gap_
    assert least.dual_gap_ < 1e-7
    assert "so far above its minimum" in str(rough.show_work())


def test_a_path_begins_without_weights_and_is_drawn() -> None:
    path = tl.Lasso(0.1).fit(X, Y).path()
    assert not path.coef[0].any()
    assert (np.diff(path.penalty) < 0).all()
    assert np.abs(path.coef[-1]).sum() > np.abs(path.coef[50]).sum()
    assert "alpha" in str(path.plot())
    assert "mean squared error" in str(tl.Ridge("cv").fit(X, Y).path().plot_error())
    assert len(path.to_frame()) == 100


@pytest.mark.parametrize("learner", [tl.Lasso(0.1), tl.Ridge(0.1), tl.Ridge("cv")])
def test_errors_of_penalties_that_no_folds_judged_are_not_drawn(learner: Any) -> None:
    model = learner.fit(X, Y)
    for path in (model.path([1, 2]), *([] if learner.alpha == "cv" else [model.path()])):
        with pytest.raises(
            errors.InputError, match=r"no cross-validation error.* Fit with alpha='cv'"
        ):
            path.plot_error()


def test_sets_are_drawn_by_a_criterion_that_judged_them() -> None:
    path = tl.SubsetSelection(criterion="aic").fit(X, Y).path()
    assert "BIC" in str(path.plot("bic"))
    with pytest.raises(
        errors.InputError, match=r"no cross-validation error.* Fit with criterion='folds'"
    ):
        path.plot("folds")
    with pytest.raises(errors.OptionError, match=r"'cp' is not .* 'aic', 'bic', 'folds'"):
        path.plot("cp")


@pytest.mark.parametrize("learner", [tl.Ridge("cv"), tl.Lasso("cv"), tl.ElasticNet("cv")])
def test_folds_choose_one_penalty_for_all_targets(learner: Any) -> None:
    assert np.ndim(learner.fit(X, np.column_stack([Y, X[:, 0]])).alpha_) == 0


def test_compiled_kernels_equal_the_python_they_are_written_in() -> None:
    from tallylearn.kernels import centring, coordinate_descent

    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 9))
    gram, goal = x @ x.T, x @ x.sum(axis=0)
    results, every = [], np.ones(4)
    for kernel in (coordinate_descent, interpreted("coordinate_descent")):
        weights, slope, found = np.zeros((1, 4)), goal.copy(), np.zeros((1, 2))
        costs, limits = np.array([1.0, 0.5, 30.0]), np.array([1e-9, 50.0, 0.0, 0.0])
        kernel.descend_path(gram, goal, every, costs[None], limits, slope, weights, found)
        larger = np.array([9.0, 0.5, 30.0])
        warm, still, ends = np.zeros((1, 4)), goal.copy(), np.zeros((2, 2))
        for one, end in zip((larger, costs), ends, strict=True):
            kernel.descend_path(gram, goal, every, one[None], limits, still, warm, end[None])
        path, told = np.zeros((2, 4)), np.zeros((2, 2))
        both = np.array([larger, costs])
        none = np.empty(0)  # stands for factors of 1
        assert kernel.descend_path(gram, goal, none, both, limits, goal.copy(), path, told) == 2
        once = np.array([1e-9, 1.0, 0.0, 0.0])  # passes: the second of these costs needs more
        costly = np.array([1e9, 0.5, 30.0])
        rows, ended = np.array([costly, costs, costs]), np.full((3, 2), np.nan)
        begun = np.zeros((3, 4))
        assert kernel.descend_path(gram, goal, every, rows, once, goal.copy(), begun, ended) == 1
        assert begun[1].any()
        assert np.isnan(ended[2]).all()
        np.testing.assert_array_equal(path[1], warm[0])
        np.testing.assert_array_equal(told, ends)
        by_change, free = np.array([1e-20, 500.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0, 1.0])
        partly, steep, last = np.zeros((1, 4)), goal.copy(), np.zeros((1, 2))
        kernel.descend_path(gram, goal, free, costs[None], by_change, steep, partly, last)
        kkt = steep - 0.5 * partly[0] - free * np.sign(partly[0])
        np.testing.assert_allclose(kkt[partly[0] != 0], 0, atol=1e-9)
        gap = kernel.duality_gap(
            weights[0], slope, 1.0, 0.5, x.sum(axis=0) - weights[0] @ x, x.sum(axis=0), False
        )
        other, rest, more = np.zeros(4), x.sum(axis=0), np.zeros(2)
        squares = np.diag(gram).copy()
        kernel.descend_columns(x, np.arange(4), squares, costs, limits, other, rest, more)
        products, turned = np.zeros(4), np.zeros((4, 9))
        kernel.column_products(x, np.array([0, 1, 3]), x[2], products)
        gather = centring if kernel is coordinate_descent else interpreted("centring")
        at, centre, root = np.array([2, 0, 1, 3]), np.arange(4.0), np.arange(9.0)
        gather.turned(np.ascontiguousarray(x.T), at, centre, root, turned)
        np.testing.assert_array_equal(turned, (x[at] - centre[:, None]) * root)
        np.testing.assert_allclose(products, gram[2] * [1, 1, 0, 1], rtol=1e-12, atol=1e-12)
        results.append((weights[0], slope, found, other, rest, more, products, partly, [gap + 1]))
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)
    np.testing.assert_allclose(results[0][0], results[0][3], atol=1e-4)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": -0.1}, "'alpha'.*Got -0.1"),
        ({"max_iter": 0}, "'max_iter'.*Got 0"),
        ({"tol": -1}, "'tol'"),
        ({"l1_ratio": 2}, "'l1_ratio'"),
        ({"rule": "2se"}, "'rule'.*'1se'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.ElasticNet(**options).fit(X, Y)


def test_a_duality_gap_is_not_below_zero() -> None:
    model = tl.ElasticNet().fit([[1.0, 2], [2, 1], [3, 5], [4, 3]], [1, 2, 3, 5])
    assert model.dual_gap_ >= 0


@pytest.mark.parametrize("share", [0.0, 1e-9, 1e-4, 0.3, 1.0])
@pytest.mark.parametrize("wide", [False, True])
def test_the_gap_is_above_what_is_left_and_as_small_as_wanted(
    share: float, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 9 if wide else 10**9)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 50))
    y = x[:, :3].sum(axis=1) + rng.normal(size=20)
    rough, fine = (
        tl.ElasticNet(0.1, l1_ratio=share, tol=tol, max_iter=10**5).fit(x, y)
        for tol in (1e-3, 1e-12)
    )
    losses = [
        ((y - model.predict(x)) ** 2).mean() / 2
        + 0.1 * share * np.abs(model.coef_).sum()
        + 0.05 * (1 - share) * (model.coef_**2).sum()
        for model in (rough, fine)
    ]
    assert losses[0] - losses[1] <= rough.dual_gap_ + 1e-12 <= 1e-3 * y.var() + 1e-9
    assert fine.dual_gap_ <= 1e-12 * y.var() + 1e-15
    assert rough.converged_
    assert fine.converged_


@pytest.mark.parametrize("wide", [False, True])
def test_rounds_that_were_not_enough_are_said(wide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 9 if wide else 10**9)
    x = np.random.default_rng(0).normal(size=(20, 50))
    model = tl.Lasso(0.01, max_iter=2, tol=1e-10).fit(x, x[:, :9].sum(axis=1))
    assert not model.converged_
    assert model.n_iter_ == 2
    for told in (model.summary(), model.show_work()):
        assert "did not converge in 2 iterations. Increase max_iter" in str(told)
    assert tl.Lasso(0.1).fit(X, Y).converged_


def test_constants_of_wide_tables_have_no_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasso, "MIN_WIDE_COLUMNS", 9)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20, 50))
    x[:, :9] = 123.456e9
    y = x[:, 10:13].sum(axis=1) + rng.normal(size=20)
    for weight in (None, rng.random(20) + 1):
        for alpha in (1e-13, 0.1):
            model = tl.Lasso(alpha, max_iter=5000).fit(x, y, sample_weight=weight)
            assert not model.coef_[:9].any()
    x[3, :9] = np.nan
    assert not tl.Lasso(1e-13, missing="mean").fit(x, y).coef_[:9].any()


@pytest.mark.parametrize("learner", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_a_column_in_small_units_hides_no_other_from_the_penalties(learner: Any) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(300, 3))
    y = x @ [3.0, -2.0, 1.0] + rng.normal(size=300)
    days = np.column_stack([x, 1e5 * rng.normal(size=300)])
    near, far = (learner("cv").fit(rows, y) for rows in (x, days))
    assert far.folds_.penalty[0] > 1e3  # where all is shrunk, the days too
    assert near.score(x, y) - far.score(days, y) < 0.002
    assert np.abs(far.coef_[:3] - near.coef_).max() < 0.1


@pytest.mark.parametrize("learner", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_penalties_reach_columns_a_million_times_shorter(learner: Any) -> None:
    rng = np.random.default_rng(0)
    x, day = rng.normal(size=(200, 4)), rng.integers(0, 1000, 200) * 1.0
    y = x @ [3, 2, 1, 0] + 0.01 * day + rng.normal(size=200) / 2
    far = np.column_stack([x * 1e-6, day])
    assert learner("cv").fit(far, y).score(far, y) > 0.98


@pytest.mark.parametrize("learner", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_penalties_of_units_that_no_double_compares_are_still_penalties(learner: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 2))
    found = learner("cv").fit(x * [1e-120, 1e120], x @ [1.0, 2.0]).folds_.penalty
    assert (found > 0).all()
    assert (np.diff(found) < 0).all()


def test_a_wide_lasso_tries_the_penalties_of_short_columns_too() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(60, 2500))
    y = 3 * x[:, 0] + rng.normal(size=60) / 10
    far = np.column_stack([x[:, :1], 1e4 * x[:, 1:4], x[:, 4:]])
    assert tl.Lasso("cv", folds=3).fit(far, y).score(far, y) > 0.9


def test_the_path_says_where_folds_end_at_a_penalty_that_was_given() -> None:
    told = str(tl.Ridge("cv", alphas=[1e6, 1e5]).fit(X, Y).path())
    assert "alpha is 100,000, the smallest that was tried." in told
