"""Where a search begins on some of the rows, all of them decide where it ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError
from tallylearn.models.glm.penalties import Penalty

FREE = float("inf")
ROWS = 21_000  # a sample is taken from 20,000 on
AT = np.arange(ROWS)
KINDS = ["rare", "turns", "late", "skewed", "far", "small", "one row", "constant", "copy", "sum"]
HOW_OFTEN = [0.25, 0.2, 0.1, 0.1, 0.08, 0.07, 0.05, 0.05, 0.05, 0.05]


def column(kind: str, X: Any, draw: np.random.Generator) -> Any:
    """A column of which every so-many-th row may say little, nothing, or something else."""
    match kind:
        case "rare":
            return draw.random(ROWS) < draw.choice([3e-4, 1e-3, 1e-2])
        case "turns":
            return AT % draw.choice([2, 4, 16, 64])
        case "late":
            return ROWS * 0.97 < AT
        case "skewed":
            return np.exp(3 * draw.normal(size=ROWS))
        case "far":
            return np.where(draw.integers(ROWS) == AT, 1e6, draw.normal(size=ROWS))
        case "small":
            return 1e-6 * draw.normal(size=ROWS) + 5
        case "one row":
            return draw.integers(ROWS) == AT
        case "constant":
            return np.full(ROWS, 3.0)
        case "copy":
            return X[:, 0]
        case _:
            return X.sum(axis=1)


def drawn(seed: int) -> tuple[Any, Any, Any]:
    """Rows, their classes, and weights for some of the tables."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(ROWS, int(draw.integers(1, 4))))
    for kind in draw.choice(KINDS, size=int(draw.integers(1, 4)), p=HOW_OFTEN):
        X = np.column_stack([X, column(kind, X, draw)])
    spread = X.std(axis=0)
    near = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)).clip(-3, 3)
    k = int(draw.choice([2, 2, 3]))
    y = (near @ draw.normal(size=(X.shape[1], k)) + draw.gumbel(size=(ROWS, k))).argmax(axis=1)
    return X, y, draw.integers(1, 4, ROWS).astype(float) if seed % 4 == 3 else np.ones(ROWS)


def slopes(model: Any, X: Any, y: Any, weight: Any) -> float:
    """The largest part of the gradient of the objective, as it is written down, over all rows.

    Columns are centred, which the constant allows for, and of length 1.
    """
    C, ratio, w = model.C, model.l1_ratio, model.coef_
    errors = (model.predict_proba(X) - np.eye(len(model.classes_))[y]) * weight[:, None]
    if len(w) == 1:
        errors = errors[:, 1:]
    around = X - X.mean(axis=0)
    found = errors.T @ around + (1 - ratio) / C * w
    found = np.where(
        w == 0, np.sign(found) * (np.abs(found) - ratio / C).clip(0), found + ratio / C * np.sign(w)
    )
    length = np.linalg.norm(around, axis=0)
    constants = np.abs(errors.sum(axis=0)).max() / np.sqrt(len(y))
    return float(max((np.abs(found) / np.where(length > 1e-9, length, 1)).max(), constants))


@pytest.mark.parametrize("seed", range(14))
def test_the_slope_of_all_rows_vanishes_where_a_search_comes_to_rest(seed: int) -> None:
    X, y, weight = drawn(seed)
    for options in ({"C": FREE}, {"C": 1e15}, {"C": 1e4}, {}, {"l1_ratio": 0.5}):
        model = tl.LogisticRegression(max_iter=300, **options)
        try:
            model.fit(X, y, weight)
        except InputError as error:
            none = re.search("separates? the classes|are collinear|does not vary", str(error))
            if none and options == {"C": FREE}:
                continue
            raise
        assert model.converged_ or (seed == 10 and model.l1_ratio)
        assert slopes(model, X, y, weight) < 1e-6 or not model.converged_


def late(rows: int = 30_000) -> pd.DataFrame:
    """Every other row is of the night, and so none of every fourth."""
    draw = np.random.default_rng(0)
    x, night = draw.normal(size=rows), np.arange(rows) % 2
    y = draw.random(rows) < 1 / (1 + np.exp(0.5 - 0.5 * x - 1.5 * night))
    return pd.DataFrame({"x": x, "shift": np.where(night, "night", "day"), "late": y * 1})


@pytest.mark.parametrize("C", [FREE, 1e15, 1e4])
@pytest.mark.parametrize("where", ["memory", "files"])
def test_a_column_that_no_row_of_the_sample_shows_has_the_weight_of_all_rows(
    C: float, where: str, tmp_path: Path
) -> None:
    frame = late()
    for part in range(3):
        frame[part * 10_000 : (part + 1) * 10_000].to_csv(tmp_path / f"{part}.csv", index=False)
    rows = frame if where == "memory" else str(tmp_path / "*.csv")
    found = tl.LogisticRegression(C=C).fit(rows, "late")
    np.testing.assert_allclose(found.coef_, [[0.49326, 1.54985]], atol=1e-4)  # scikit-learn's


def test_words_that_no_row_of_the_sample_has_are_weighed_by_all_rows() -> None:
    frame = late()
    frame["note"] = np.where(frame["shift"] == "day", "calm sea", "calm storm")
    table = tl.table(frame[["x", "note", "late"]], target="late", text=["note"])
    words = tl.LogisticRegression(C=1e6).fit(table)
    at = words.model_.names.index("note: storm"), words.model_.names.index("note: sea")
    assert words.coef_[0, at[0]] - words.coef_[0, at[1]] == pytest.approx(1.54985, abs=1e-4)
    with pytest.raises(ColumnError, match="'note: calm', 'note: sea', 'note: storm' are collinear"):
        tl.LogisticRegression(C=FREE).fit(table)


@pytest.mark.parametrize("rows", [2_000, 30_000])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("kind", "error", "said"),
    [
        ("constant", ColumnError, "'x1' does not vary"),
        ("copy", ColumnError, "'x0', 'x1' are collinear"),
        ("one row", InputError, "column 'x1' separates the classes quasi-completely"),
        ("five rows", InputError, "column 'x1' separates the classes quasi-completely"),
        ("class", InputError, r"columns? 'x1'.* separates? the classes perfectly"),
    ],
)
def test_what_has_no_weights_is_said_of_many_rows_as_of_few(
    rows: int, classes: int, kind: str, error: type[Exception], said: str
) -> None:
    draw = np.random.default_rng(rows)
    x = draw.normal(size=rows)
    y = (np.outer(x, np.arange(classes)) + draw.gumbel(size=(rows, classes))).argmax(axis=1)
    other = {
        "constant": np.ones(rows), "copy": x, "one row": np.arange(rows) == rows // 3,
        "five rows": np.isin(np.arange(rows), np.flatnonzero(y == 1)[5:10]),
        "class": 10.0 * y - 3 + draw.random(rows),
    }[kind]  # fmt: skip
    if kind == "class" and classes == 3:
        said = r"separates? the classes"  # rows of 3 classes along a line: all, or the outer two
    for options in ({}, {"solver": "lbfgs"}, {"tol": 1e-2}):
        with pytest.raises(error, match=said):
            tl.LogisticRegression(C=FREE, **options).fit(np.column_stack([x, other]), y)


def test_steps_that_a_sample_misleads_give_way_to_those_of_all_rows() -> None:
    """A column with eight ones: steps jittered around the end, and 500 were not enough."""
    draw = np.random.default_rng(1)
    X = np.column_stack([draw.normal(size=(25_000, 4)), draw.random(25_000) < 3e-4])
    y = (X @ draw.normal(size=(5, 4)) + draw.gumbel(size=(25_000, 4))).argmax(axis=1)
    found = tl.LogisticRegression(C=1e4).fit(X, y)
    assert found.converged_
    assert found.n_iter_ < 40
    newton = tl.LogisticRegression(C=1e4, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(found.coef_, newton.coef_, rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", [6, 9])
def test_steps_that_do_not_come_to_rest_by_a_sample_do_by_all_rows(seed: int) -> None:
    draw, n = np.random.default_rng(seed), 25_000
    plain, rare = draw.normal(size=(n, 4)), draw.random((n, 3)) < 4e-4
    X = np.column_stack([plain, rare, np.exp(2 * draw.normal(size=n))])
    y = (X.clip(-3, 3) @ draw.normal(size=(8, 3)) + draw.gumbel(size=(n, 3))).argmax(axis=1)
    found = tl.LogisticRegression(C=10.0).fit(X, y)
    assert found.converged_
    assert found.n_iter_ < 45
    assert slopes(found, X, y, np.ones(n)) < 1e-9


def test_a_sample_is_fitted_with_a_row_of_weight_zero() -> None:
    weights = np.array([[3.0, 1.0, -2.0]])
    alone = Penalty.of(np.ones(2), 10.0, l2=0.0, l1=0.0)
    found = alone.with_pseudo_row(10.0)
    assert alone.nothing
    assert found.value(weights) == pytest.approx((1 + 4) / 2 / 10)
    np.testing.assert_allclose(found.ridge_gradient(weights), [[0, 0.1, -0.2]])


def test_steps_that_are_used_up_near_the_end_are_enough() -> None:
    X, y, weight = drawn(1)
    free = tl.LogisticRegression(solver="lbfgs", tol=1e-3).fit(X, y, weight)
    last = int(free.n_iter_[0]) - 1
    promised = -free.trace_[:, 1] / 2
    steps = int(np.flatnonzero(promised <= 1e-6)[0])
    assert 1 < steps < last
    assert (
        tl.LogisticRegression(solver="lbfgs", tol=1e-3, max_iter=steps).fit(X, y, weight).converged_
    )
    few = tl.LogisticRegression(solver="lbfgs", tol=1e-3, max_iter=steps - 1).fit(X, y, weight)
    assert not few.converged_
