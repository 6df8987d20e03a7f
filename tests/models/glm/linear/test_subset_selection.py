"""Subset selection: the best of all subsets by brute force, out of one tally, in any order."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

import tallylearn as tl
from tallylearn import errors
from tests.kernels.test_oracle import interpreted

X, Y = load_diabetes(return_X_y=True)


def table(seed: int, n: int = 40, p: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, p)) @ rng.normal(size=(p, p)) + 100
    return x, x @ (rng.normal(size=p) * (rng.random(p) < 0.5)) + rng.normal(size=n) * 3


def criteria(x: Any, y: Any, columns: Any) -> dict[str, float]:
    """Squares, AIC and BIC of least squares on some columns, from the rows."""
    n = len(y)
    design = np.column_stack([np.ones(n), x[:, [*columns]]])
    rest = float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum())
    likely = -n / 2 * (np.log(2 * np.pi * rest / n) + 1)
    k = design.shape[1]
    return {"rest": rest, "aic": 2 * k - 2 * likely, "bic": np.log(n) * k - 2 * likely}


def subsets(p: int) -> list[tuple[int, ...]]:
    return [some for m in range(p + 1) for some in itertools.combinations(range(p), m)]


@given(seed=st.integers(0, 10**6), criterion=st.sampled_from(["aic", "bic"]))
@settings(max_examples=25)
def test_the_best_subset_is_that_of_brute_force(seed: int, criterion: str) -> None:
    x, y = table(seed)
    model = tl.SubsetSelection(criterion=criterion).fit(x, y)
    every = {some: criteria(x, y, some) for some in subsets(6)}
    want = min(every, key=lambda some: every[some][criterion])
    assert model.subset_ == tuple(f"x{j}" for j in want)
    path = model.path()
    assert getattr(path, criterion).min() == pytest.approx(every[want][criterion], rel=1e-9)
    for m, row in enumerate(path.records()):
        least = min(found["rest"] for some, found in every.items() if len(some) == m)
        whole = every[()]["rest"]
        assert row["R2"] == pytest.approx(1 - least / whole, abs=1e-9)
    plain = tl.LinearRegression().fit(x[:, [*want]], y) if want else None
    np.testing.assert_allclose(model.coef_[[*want]], plain.coef_ if plain else [], rtol=1e-6)
    assert np.count_nonzero(model.coef_) == len(want)


def steps(x: Any, y: Any, forward: bool) -> list[tuple[int, ...]]:
    """Greedy steps, from the rows."""
    every = range(x.shape[1])
    sets: list[tuple[int, ...]] = [() if forward else tuple(every)]
    while len(sets) <= x.shape[1]:
        last = {*sets[-1]}
        near = (
            [last | {j} for j in every if j not in last] if forward else [last - {j} for j in last]
        )
        sets.append(
            min(map(tuple, map(sorted, near)), key=lambda some: criteria(x, y, some)["rest"])
        )
    return sets if forward else sets[::-1]


@pytest.mark.parametrize("method", ["forward", "backward"])
@pytest.mark.parametrize("seed", range(5))
def test_steps_take_and_drop_the_column_that_matters_most_and_least(method: str, seed: int) -> None:
    x, y = table(seed, p=7)
    path = tl.SubsetSelection(method, criterion="aic").fit(x, y).path()
    want = steps(x, y, method == "forward")
    assert path.columns == tuple(tuple(f"x{j}" for j in some) for some in want)


def test_folds_of_one_pass_are_folds_fitted_one_by_one() -> None:
    from tallylearn.models.glm.sufficient_statistics import assign_folds
    from tallylearn.tables import Block, Column, Schema

    x = X[:, :6]
    found = tl.SubsetSelection(criterion="folds", folds=4).fit(x, Y)
    schema = Schema(tuple(Column(f"x{j}", "number") for j in range(6)))
    fold = assign_folds(Block(schema, x, target=Y), 4).codes
    for m in range(7):
        off = np.empty(len(Y))
        for f in range(4):
            there, here = fold != f, fold == f
            sets = itertools.combinations(range(6), m)
            best = min(sets, key=lambda some: criteria(x[there], Y[there], some)["rest"])
            design = np.column_stack([np.ones(len(Y)), x[:, [*best]]])
            w = np.linalg.lstsq(design[there], Y[there], rcond=None)[0]
            off[here] = Y[here] - design[here] @ w
        assert found.folds_.error[m] == pytest.approx(float((off**2).mean()), rel=1e-7)
    assert found.path().chosen == int(found.folds_.error.argmin())


def test_one_standard_error_takes_fewer_columns() -> None:
    best, spare = (tl.SubsetSelection(criterion="folds", rule=r).fit(X, Y) for r in ("best", "1se"))
    assert len(spare.subset_) < len(best.subset_)
    error, spread = best.folds_.error, best.folds_.deviation
    at = int(error.argmin())
    within = np.flatnonzero(error <= error[at] + spread[at])[0]
    assert len(spare.subset_) == within
    assert "error" in str(best.path().plot())


def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    colour = rng.choice(["blue", "green", "red"], 120)
    frame = pd.DataFrame(
        {"colour": colour, "width": rng.normal(size=120), "noise": rng.random(120)}
    )
    frame["price"] = (colour == "red") * 5 + frame["width"] + rng.normal(size=120) * 0.3
    frame.loc[:9, "width"] = np.nan
    return frame


def test_values_of_a_category_enter_together_or_alone() -> None:
    whole = tl.SubsetSelection().fit(mixed(), "price")
    assert whole.subset_ == ("colour", "width")
    assert whole.columns_ == ("colour=green", "colour=red", "width", "width missing", "noise")
    assert (whole.coef_ != 0).tolist() == [True, True, True, True, False]
    alone = tl.SubsetSelection(unit="weight").fit(mixed(), "price")
    assert {"colour=red", "width"} <= {*alone.subset_}
    assert "colour=green" not in alone.subset_
    assert alone.path().bic.min() < whole.path().bic.min()


def test_groups_are_weighed_by_their_weights() -> None:
    frame = mixed().drop(columns="noise").fillna(0.0)
    frame["again"] = np.random.default_rng(0).choice(list("abcd"), 120)
    model = tl.SubsetSelection(criterion="aic").fit(frame, "price")
    names = ["colour", "width", "again"]
    every = {}
    for some in (c for m in range(1, 4) for c in itertools.combinations(names, m)):
        every[some] = tl.LinearRegression().fit(frame[[*some, "price"]], "price").summary()
    want = min(every, key=lambda some: every[some].sizes["AIC"])
    assert model.subset_ == want
    assert model.path().aic.min() == pytest.approx(every[want].sizes["AIC"])


def test_a_column_twice_is_taken_once_and_a_sum_stands_for_its_parts() -> None:
    x, _ = table(0)
    y = x[:, 0] * 2 + np.sin(np.arange(40))
    twice = np.column_stack([x[:, 0], x])
    for method in ("best", "forward", "backward"):
        model = tl.SubsetSelection(method).fit(twice, y)
        assert model.subset_ == ("x0",)
        summed = np.column_stack([x[:, 1], x[:, 2], x[:, 1] + x[:, 2], x[:, 3]])
        whole = summed[:, 2] * 3 + np.sin(np.arange(40))
        if method != "backward":  # which may drop the sum first, for its parts hold it too
            assert tl.SubsetSelection(method).fit(summed, whole).subset_ == ("x2",)


def test_more_columns_than_rows_leave_a_row_free() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9, 20))
    model = tl.SubsetSelection(max_size=3).fit(x, x[:, 4] * 10 + rng.normal(size=9))
    assert "x4" in model.subset_
    assert len(model.path().columns) == 4
    assert len(tl.SubsetSelection("forward").fit(x, x[:, 4]).path().columns) == 8


@pytest.mark.parametrize("criterion", ["aic", "folds"])
def test_so_many_columns_that_no_bound_ends_the_search_are_refused(criterion: str) -> None:
    x, y = table(0, 20, 30)
    with pytest.raises(errors.InputError, match=r"fit \d+ rows perfectly.*'forward'"):
        tl.SubsetSelection(criterion=criterion).fit(x, y)
    assert len(tl.SubsetSelection("forward", criterion=criterion).fit(x, y).path().columns) > 9


FAR = [(3, True, 1e6), (2, False, 1e9), (4, True, 1e4)]


@pytest.mark.parametrize(("degree", "intercept", "far"), FAR)
@pytest.mark.parametrize("method", ["best", "backward"])
def test_powers_far_from_zero_enter_together(
    degree: int, intercept: bool, far: float, method: str
) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x, y = far + 10 * rng.normal(size=(40, 1)), rng.normal(size=40) + 100
        model = tl.SubsetSelection(method, degree=degree, fit_intercept=intercept).fit(x, y)
        share = [row["R2"] for row in model.path().records()]
        assert 0 <= share[0] <= share[-1] + 1e-3 <= 1.001


def test_powers_far_from_zero_beside_categories_enter_together() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        columns = {"a": 1e6 + 10 * rng.normal(size=60), "k": rng.choice(list("abc"), 60)}
        frame = pd.DataFrame({**columns, "y": rng.normal(size=60) + 100})
        path = tl.SubsetSelection(degree=3).fit(frame, "y").path()
        assert path.columns[-1] == ("a", "k")


def test_nothing_is_chosen_where_nothing_helps() -> None:
    x, _ = table(1)
    model = tl.SubsetSelection().fit(x, np.full(40, 7.0))
    assert model.subset_ == ()
    assert model.predict(x[:2]).tolist() == [7.0, 7.0]
    assert "0 of 6 columns" in str(model.show_work())


def test_thirty_columns_are_looked_through_and_more_refused() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 31))
    y = x[:, :5].sum(axis=1) * 2 + rng.normal(size=500)
    model = tl.SubsetSelection(max_size=8).fit(x[:, :30], y)
    assert model.path().columns[5] == ("x0", "x1", "x2", "x3", "x4")
    with pytest.raises(errors.InputError, match=r"up to 30 columns, and there are 31.*forward"):
        tl.SubsetSelection().fit(x, y)
    assert len(tl.SubsetSelection("forward").fit(x, y).path().columns) == 32


def test_parts_and_forgotten_rows_choose_as_all_rows_do(tmp_path: Path) -> None:
    whole = tl.SubsetSelection().fit(X, Y)
    parts = tl.SubsetSelection().partial_fit(X[:200], Y[:200]).partial_fit(X[200:], Y[200:])
    assert parts.subset_ == whole.subset_
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-8)
    exact = tl.SubsetSelection(exact=True).fit(X, Y)
    want = tl.SubsetSelection(exact=True).fit(X[50:], Y[50:])
    assert exact.forget(X[:50], Y[:50]).coef_.tolist() == want.coef_.tolist()
    whole.save(tmp_path / "s.tally", tally=False)
    again = tl.load(tmp_path / "s.tally")
    assert str(again.path()) == str(whole.path())
    assert "no standard errors" in str(again.summary())


def test_compiled_kernels_equal_the_python_they_are_written_in() -> None:
    from tallylearn.kernels import best_subsets as compiled

    x, y = table(2)
    triangle = np.linalg.qr(np.column_stack([x - x.mean(0), y - y.mean()]), mode="r")
    triangle /= np.sqrt((triangle**2).sum(axis=0))
    results = []
    for kernel in (compiled, interpreted("best_subsets")):
        roots, of = np.zeros((5, 7, 7)), np.zeros((5, 6), dtype=np.int64)
        order = np.zeros((5, 4), dtype=np.int64)
        roots[0], of[0], order[0] = triangle, [0, 1, 1, 2, 2, 3], np.arange(4)
        least, chosen = np.full(5, np.inf), np.zeros(5, dtype=np.int64)
        price = np.array([1.1, 1.2, 1.2, 1.1])
        kernel.search(roots, of, order, price, 3, np.zeros((7, 6)), least, chosen)
        results.append((least[1:4], chosen))
    assert results[0][1].tolist() == results[1][1].tolist()
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "all"}, "'method'.*'best'"),
        ({"criterion": "r2"}, "'criterion'.*'aic'"),
        ({"max_size": -1}, "'max_size'.*Got -1"),
        ({"max_size": 2.5}, "'max_size'.*Got 2.5"),
        ({"folds": 1}, "'folds'.*Got 1"),
        ({"unit": "level"}, "'unit'.*'weight'"),
        ({"degree": 0}, "'degree'.*Got 0"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.SubsetSelection(**options).fit(X, Y)


def test_a_subset_without_a_column_is_solved_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    found = tl.SubsetSelection().fit(rng.normal(size=(50, 3)), rng.normal(size=50))
    assert not found.coef_.any()
    assert capfd.readouterr() == ("", ""), "LAPACK complains of a triangle of no columns"
