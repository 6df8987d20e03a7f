"""Classes that columns tell apart, and what looks like it: said by all solvers, and rightly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError

FREE = float("inf")
SEARCHES: list[dict[str, Any]] = [
    {},
    {"tol": 0.1},
    {"solver": "lbfgs"},
    {"solver": "lbfgs", "tol": 1e-6},
]


def drawn(rows: int, columns: int, seed: int = 7) -> tuple[Any, Any]:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(rows, columns))
    return X, (X[:, 0] + draw.logistic(size=rows) > 0).astype(int)


@pytest.mark.parametrize("options", SEARCHES)
def test_a_value_with_rows_of_one_class_alone_is_said_by_every_search(
    options: dict[str, Any],
) -> None:
    X, y = drawn(500, 3)
    X[:, 2] = 0
    X[np.flatnonzero(y == 1)[:5], 2] = 1
    with pytest.raises(InputError, match=r"column 'x2' separates the classes quasi-completely"):
        tl.LogisticRegression(C=FREE, **options).fit(X, y)
    X[np.flatnonzero(y == 0)[0], 2] = 1  # one of another class: there is an end
    found = tl.LogisticRegression(C=FREE, **options).fit(X, y)
    assert found.converged_
    np.testing.assert_allclose(found.coef_[0, 2], 1.61, atol=0.7)


def test_several_values_with_rows_of_one_class_each_are_all_named() -> None:
    X, y = drawn(500, 5)
    X[:, 2:] = 0
    for j, one in ((2, 1), (3, 0), (4, 1)):
        X[np.flatnonzero(y == one)[4 * j : 4 * j + 4], j] = 1
    with pytest.raises(InputError, match=r"columns 'x[234]', 'x[234]', 'x[234]' together separate"):
        tl.LogisticRegression(C=FREE).fit(X, y)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e8])
@pytest.mark.parametrize("options", [*SEARCHES[2:], {"max_iter": 200}])
def test_a_value_far_out_separates_nothing(far: float, options: dict[str, Any]) -> None:
    draw = np.random.default_rng(0)
    x = np.append(draw.normal(size=200), far)
    y = np.append(draw.random(200) < 1 / (1 + np.exp(-2 * x[:200])), 1).astype(int)
    found = tl.LogisticRegression(C=FREE, **options).fit(x[:, None], y)
    near = tl.LogisticRegression(C=FREE).fit(x[:200, None], y[:200])  # the far row is certain
    assert found.converged_
    np.testing.assert_allclose(found.coef_, near.coef_, rtol=1e-6)
    errors = [[row["error"] for row in one.summary().records()] for one in (found, near)]
    np.testing.assert_allclose(*errors, rtol=1e-2)


@pytest.mark.parametrize("solver", ["auto", "lbfgs"])
def test_rows_that_are_all_apart_are_said_to_be(solver: str) -> None:
    model = tl.LogisticRegression(C=FREE, solver=solver, max_iter=1000)
    with pytest.raises(InputError, match="separate the classes perfectly"):
        model.fit(*load_breast_cancer(return_X_y=True))


@pytest.mark.parametrize("options", SEARCHES)
def test_columns_that_follow_from_each_other_are_told_from_separation(
    options: dict[str, Any],
) -> None:
    X, y = drawn(500, 3)
    X[:, 2] = X[:, 0] - X[:, 1]
    with pytest.raises(ColumnError, match="'x0', 'x1', 'x2' are collinear"):
        tl.LogisticRegression(C=FREE, **options).fit(X, y)


@pytest.mark.parametrize("C", [1.0, FREE])
@pytest.mark.parametrize("size", [1e-160, 1e-200, 1e-300])
def test_columns_too_small_for_their_squares_are_said_to_be(size: float, C: float) -> None:
    X, y = drawn(500, 2)
    X[:, 1] *= size
    with pytest.raises(ColumnError, match="numbers in 'x1' are so small that their squares"):
        tl.LogisticRegression(C=C).fit(X, y)


def test_columns_that_are_missing_together_are_told_how_to_be_filled() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 60))
    a[:9] = b[:9] = np.nan
    frame = pd.DataFrame({"a": a, "b": b, "y": rng.integers(0, 2, 60)})
    learner = tl.LogisticRegression(C=FREE)
    with pytest.raises(
        ColumnError, match=r"'a missing', 'b missing' are coll.* missing='mean', or"
    ):
        learner.fit(frame, "y")
    assert tl.LogisticRegression(C=FREE, missing="mean").fit(frame, "y").converged_


@pytest.mark.parametrize("options", SEARCHES)
@pytest.mark.parametrize(
    ("numbers", "classes"),
    [
        ([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2], "aabbaabbcccc"),
        ([0, 1, 0, 1, 0, 1, 1, 2, 3, 3], "aabbaabacc"),
    ],
)
def test_a_class_apart_from_others_that_are_not_is_said_by_every_search(
    numbers: list[int], classes: str, options: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=r"column 'x0' separates the classes quasi-completely"):
        tl.LogisticRegression(C=FREE, **options).fit([[x] for x in numbers], [*classes])


def separates(X: Any, y: Any, k: int) -> bool:
    """Whether weights put no row on the wrong side, and some on the right: a linear program."""
    rows = np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / X.std(axis=0)])
    apart = np.eye(k)[y][:, None] - np.eye(k)  # (n, k, k)
    sides = np.einsum("nck,np->nckp", apart, rows).reshape(len(X) * k, -1)
    sides = sides[np.abs(sides).max(axis=1) > 0]
    found = linprog(
        -sides.sum(axis=0), A_ub=-sides, b_ub=np.zeros(len(sides)), bounds=(-1, 1), method="highs"
    )
    return bool(-found.fun > 1e-6)


def test_three_classes_are_said_to_be_separated_where_a_linear_program_finds_how() -> None:
    draw, seen = np.random.default_rng(0), {True: 0, False: 0}
    for _ in range(150):
        n, p = int(draw.integers(8, 50)), int(draw.integers(1, 4))
        X = draw.integers(0, 3, size=(n, p)) + 0.0
        y = (X @ draw.normal(size=(p, 3)) + draw.gumbel(size=(n, 3))).argmax(axis=1)
        whole = np.linalg.matrix_rank(np.column_stack([np.ones(n), X])) == p + 1
        if len(np.unique(y)) < 3 or not whole:
            continue
        apart = separates(X, y, 3)
        seen[apart] += 1
        learner = tl.LogisticRegression(C=FREE)
        if apart:
            with pytest.raises(InputError, match=r"separates? the classes"):
                learner.fit(X, y)
        else:
            assert learner.fit(X, y).converged_
    assert min(seen.values()) > 20


def test_gaps_that_separate_are_told_how_to_be_filled() -> None:
    X, y = drawn(200, 2)
    X[np.flatnonzero(y == 1)[:5], 1] = np.nan
    with pytest.raises(InputError, match=r"'x1 missing' separates .* or take missing='mean'"):
        tl.LogisticRegression(C=FREE).fit(X, y)
    assert tl.LogisticRegression(C=FREE, missing="mean").fit(X, y).converged_


def test_more_columns_than_rows_hold_are_told_how_many_to_leave_out() -> None:
    X, y = drawn(10, 20)
    with pytest.raises(
        ColumnError, match=r"'x0', 'x1'.* Leave 11 of them out, such as .*, or take a penalty"
    ):
        tl.LogisticRegression(C=FREE).fit(X, y)
    with pytest.raises(ColumnError, match="Leave 11 of them out"):
        tl.LogisticRegression(C=FREE).fit(X, [*"abcabcabca"])


def test_the_word_missing_is_no_gap() -> None:
    texts, y = ["is missing", "is here", "is missing", "was here", "is here"], [0, 1, 1, 0, 0]
    with pytest.raises(
        ColumnError, match=r"'text: missing'.* are collinear.* out, such as .*, or take a penalty"
    ):
        tl.LogisticRegression(C=FREE).fit(texts, y)


def test_a_search_that_rounding_ends_is_not_told_to_take_more_steps() -> None:
    draw = np.random.default_rng(3)
    x = np.append(draw.normal(size=200), 1e10)  # of the others no digit is left beside it
    y = np.append(draw.random(200) < 1 / (1 + np.exp(-2 * x[:200])), 1).astype(int)
    found = tl.LogisticRegression(C=FREE).fit(x[:, None], y)
    assert not found.converged_
    said = str(found.summary())
    assert "max_iter" not in said
    assert "rounding error prevents further progress" in said


def test_columns_that_are_named_to_be_left_out_are_the_ones() -> None:
    draw = np.random.default_rng(8)
    a, b, c = draw.normal(size=(3, 80))
    X = np.column_stack([a, b, a + b, c, 2 * c, np.full(80, 5.0), a - b])
    y = (a + c + draw.logistic(size=80) > 0).astype(int)
    names = ["a", "b", "sum", "c", "twice", "five", "less"]
    frame = pd.DataFrame(X, columns=names)
    with pytest.raises(ColumnError, match="Leave 4 of them out, such as") as said:
        tl.LogisticRegression(C=FREE).fit(frame, y)
    advice = str(said.value).split("such as")[1]
    left = [name for name in names if f"'{name}'" in advice]
    assert len(left) == 4
    tl.LogisticRegression(C=FREE).fit(frame.drop(columns=left), y)


def test_constants_do_not_vary() -> None:
    X = np.column_stack([np.random.default_rng(2).normal(size=(40, 1)), np.full((40, 2), [3, 4])])
    y = np.arange(40) % 2
    frame = pd.DataFrame(X, columns=["x", "k1", "k2"])
    with pytest.raises(ColumnError, match=r"'k1', 'k2' do not vary, .* Leave them out,"):
        tl.LogisticRegression(C=FREE).fit(frame, y)


def test_remedies_against_separation_can_be_followed() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, None, None], "z": [3.0, 1, 2, 1, 2, 3]})
    with pytest.raises(InputError, match="take missing='mean'"):
        tl.LogisticRegression(C=FREE).fit(frame, list("ababcc"))
    draw, y = np.random.default_rng(1), np.arange(60) % 2
    others = [draw.choice(["ab", "cd", "ef", "gh", "ij"], draw.integers(1, 6)) for _ in y]
    words = ["win " * one + " ".join(other) for one, other in zip(y, others, strict=True)]
    with pytest.raises(InputError, match="leave those words out by stop_words= or min_df="):
        tl.LogisticRegression(C=FREE).fit(words, y)
    tl.LogisticRegression(C=FREE, stop_words=["win"]).fit(words, y)
    with pytest.raises(InputError) as said:
        tl.LogisticRegression(C=FREE).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert "leave" not in str(said.value)
