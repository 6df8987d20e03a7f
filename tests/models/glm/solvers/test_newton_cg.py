"""Of many words and columns Newton's steps are put together from conjugate directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

import tallylearn as tl
from tallylearn.kernels import sparse_rows
from tallylearn.models.glm.design_rows import DesignRows, WordCounts
from tallylearn.models.glm.losses import DIAGONAL, LogisticLoss, LossAt, Standardisation
from tallylearn.models.glm.solvers import newton_cg

RNG = np.random.default_rng(5)
TABLES = [  # rows, columns, classes: the last have fewer weights than a curvature is taken of
    (300, 1500, 2),
    (200, 700, 4),
    (2000, 40, 6),
    (60, 3, 2),
    (40, 5, 3),
]


def drawn(n: int, p: int, k: int) -> tuple[Any, Any]:
    """Columns in far units, far from 0, that tell the classes with noise."""
    draw = np.random.default_rng(n + p)
    X = draw.normal(size=(n, p))
    y = (X @ draw.normal(size=(p, k)) / np.sqrt(p) * 2 + draw.gumbel(size=(n, k))).argmax(axis=1)
    return X * np.exp(2 * draw.normal(size=p)) + 10 * draw.normal(size=p), y


def off_by(model: Any, X: Any, y: Any, C: float, weight: Any = 1.0) -> float:
    """How far weights may be from the best, by the gradient as it is written down: ‖g‖ C."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([0 * scores, scores])
    errors = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    errors[np.arange(len(y)), y] -= 1
    errors = (errors.T * weight).T[:, -len(model.coef_) :]
    gradient = errors.T @ X + model.coef_ / C
    constants = errors.sum(axis=0) if model.fit_intercept else np.zeros(1)
    return float(np.sqrt((gradient**2).sum() + (constants**2).sum()) * C)


def notes(n: int = 3_000, words: int = 1_500) -> pd.DataFrame:
    draw = np.random.default_rng(4)
    share = 1 / np.arange(1, words + 1)
    drawn = draw.choice([f"w{at}" for at in range(words)], (n, 12), p=share / share.sum())
    frame = pd.DataFrame({"note": [" ".join(row) for row in drawn], "size": draw.normal(size=n)})
    score = frame["size"] + frame["note"].str.count(r"\bw5\b") + draw.logistic(size=n)
    return frame.assign(y=np.select([score > 2, score > 0.3], ["much", "some"], "none"))


def learned(rows: Any, **options: Any) -> Any:
    return tl.LogisticRegression(**options).fit(tl.table(rows, target="y", text=["note"]))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_many_words_have_the_weights_of_memory_in_files(
    C: float, classes: int, tmp_path: Path
) -> None:
    frame = notes()
    if classes == 2:
        frame["y"] = frame["y"].replace("much", "some")
    for part in range(3):
        frame[part * 1_000 : (part + 1) * 1_000].to_csv(tmp_path / f"{part}.csv", index=False)
    memory, files = (learned(rows, C=C) for rows in (frame, str(tmp_path / "*.csv")))
    assert memory.coef_.size > 1_200
    assert memory.converged_
    assert "steps of Newton-CG" in str(memory.show_work())
    np.testing.assert_allclose(files.coef_, memory.coef_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(files.intercept_, memory.intercept_, rtol=0, atol=1e-8)
    best = learned(frame, C=C, tol=1e-6)
    np.testing.assert_allclose(memory.coef_, best.coef_, rtol=0, atol=1e-8)


def test_many_words_have_the_same_bits_on_any_threads() -> None:
    frame = notes()
    with tl.engine(threads=1):
        alone = learned(frame)
    with tl.engine(threads=3):
        assert learned(frame).coef_.tobytes() == alone.coef_.tobytes()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("size", TABLES, ids=str)
def test_the_gradient_vanishes_where_conjugate_steps_end(
    size: tuple[int, int, int], C: float, intercept: bool
) -> None:
    X, y = drawn(*size)
    model = tl.LogisticRegression(solver="newton-cg", C=C, fit_intercept=intercept).fit(X, y)
    assert model.converged_
    assert int(model.n_iter_[0]) <= 30
    best = tl.LogisticRegression(solver="newton-cg", C=C, fit_intercept=intercept, tol=1e-7)
    best.fit(X, y)
    assert off_by(best, X, y, C) < 1e-6  # where rounding leaves it, sums of large columns
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=0, atol=1e-8)


@pytest.mark.parametrize("weighing", ["frequencies", "classes"])
@pytest.mark.parametrize("name", ["two", "three"])
def test_conjugate_steps_end_where_newtons_do(name: str, weighing: str) -> None:
    X, y = drawn(400, 6, 2 if name == "two" else 3)
    weight = RNG.integers(1, 5, 400).astype(float) if weighing == "frequencies" else None
    balanced = "balanced" if weighing == "classes" else None
    one, other = (
        tl.LogisticRegression(solver=solver, class_weight=balanced).fit(X, y, weight)
        for solver in ("newton-cg", "newton-cholesky")
    )
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=0, atol=1e-7)


def test_steps_that_are_used_up_are_said(tmp_path: Path) -> None:
    few = learned(notes(), max_iter=3)
    assert few.n_iter_.tolist() == [3]
    assert not few.converged_
    few.save(tmp_path / "few.tally")
    assert str(tl.load(tmp_path / "few.tally").show_work()) == str(few.show_work())


def test_a_lasso_and_no_penalty_are_not_searched_by_conjugate_steps() -> None:
    X, y = drawn(400, 4, 3)
    for options in ({"l1_ratio": 0.5}, {"C": float("inf")}):
        one, other = (
            tl.LogisticRegression(solver=solver, **options).fit(X, y)
            for solver in ("newton-cg", "auto")
        )
        assert one.coef_.tobytes() == other.coef_.tobytes()
        assert "conjugate" not in str(one.show_work())


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("size", [(2000, 40, 6), (2000, 30, 2)], ids=str)
def test_columns_far_from_0_take_no_more_passes(
    size: tuple[int, int, int], intercept: bool
) -> None:
    X, y = drawn(*size)
    rows: dict[bool, int] = {}
    for far in (False, True):
        seen: list[int] = []
        with tl.engine(watch=seen.append):
            tl.LogisticRegression(solver="newton-cg", fit_intercept=intercept).fit(
                X if far else X - X.mean(axis=0), y
            )
        rows[far] = sum(seen)
    assert rows[True] <= 1.5 * rows[False]


def test_conjugate_steps_that_overshoot_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    backtrack = newton_cg.backtrack

    def watched(*at: Any, **options: Any) -> Any:
        found = backtrack(*at, **options)
        tried.append(found.length)
        return found

    monkeypatch.setattr(newton_cg, "backtrack", watched)
    draw = np.random.default_rng(236)
    n, p = int(draw.integers(6, 40)), int(draw.integers(1, 4))
    X = np.exp(3 * draw.normal(size=(n, p))) * draw.choice([-1, 1], (n, p))
    y = (X[:, 0] + draw.logistic(size=n) * 3 > 0).astype(int)
    model = tl.LogisticRegression(solver="newton-cg").fit(X, y)
    assert min(tried) < 1
    assert model.converged_
    assert off_by(model, X, y, 1.0) < 1e-6


@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("weighed", [False, True])
def test_rows_say_how_the_gradient_changes_and_how_columns_bend_alone(
    m: int, weighed: bool
) -> None:
    n, p, v = 40, 2, 7
    counts = RNG.poisson(0.4, (n, v)).astype(float)
    ends = np.insert(np.cumsum((counts > 0).sum(axis=1)), 0, 0)
    words = WordCounts(ends, np.nonzero(counts)[1].astype(np.int32), counts[counts > 0])
    x, y = RNG.normal(size=(n, p)), RNG.integers(0, max(2, m), n).astype(np.int32)
    weight = RNG.random(n) if weighed else np.empty(0)
    rows, loss = DesignRows(x, y, weight, words), LogisticLoss(m, max(2, m))
    columns = Standardisation(RNG.normal(size=p), 1 + RNG.random(p + v))
    laid = np.column_stack([np.ones(n), x - columns.centre, counts])
    laid[:, 1:] /= columns.scale
    theta, along = RNG.normal(size=(2, m, 1 + p + v))
    scores = laid @ theta.T
    scores = np.hstack([0 * scores, scores]) if m == 1 else scores
    h = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))[:, -m:]
    doubt = h * (1 - h) * (weight[:, None] if weighed else 1)
    found = LossAt(loss, columns, theta, DIAGONAL)(rows)
    np.testing.assert_allclose(found.hessian[:m], doubt.T @ laid)
    np.testing.assert_allclose(found.hessian[m:], doubt.T @ laid**2)
    plain = LossAt(loss, columns, theta)(rows)
    np.testing.assert_allclose(found.gradient, plain.gradient)
    step = 1e-6
    changed = [
        LossAt(loss, columns, theta + sign * step * along)(rows).gradient for sign in (1, -1)
    ]
    bent = LossAt(loss, columns, theta, direction=along)(rows).gradient
    np.testing.assert_allclose(bent, (changed[0] - changed[1]) / (2 * step), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("counted", [False, True])
def test_words_are_numbered_and_stand_once_in_a_document(counted: bool) -> None:
    for _ in range(50):
        n, terms, known = (int(RNG.integers(1, most)) for most in (8, 12, 9))
        place = RNG.permutation(np.r_[np.arange(known), np.full(terms, -1)])[:terms]
        ends = np.insert(np.cumsum(RNG.integers(0, 10, n)), 0, 0)
        ids = RNG.integers(0, terms, ends[-1]).astype(np.int32)
        times = RNG.integers(1, 5, len(ids)).astype(float) if counted else np.empty(0)
        wanted = np.zeros((n, known))
        for d in range(n):
            for i in range(ends[d], ends[d + 1]):
                if place[ids[i]] >= 0:
                    wanted[d, place[ids[i]]] += times[i] if counted else 1.0
        last, room = np.full(known, -1), (np.empty(n + 1, np.int64), np.empty_like(ids))
        often = np.empty(len(ids))
        size = sparse_rows.number(ids, ends, times, place.astype(np.int32), last, *room, often)
        assert size == room[0][-1] == (wanted > 0).sum()
        found = np.zeros_like(wanted)
        found[np.repeat(np.arange(n), np.diff(room[0])), room[1][:size]] = often[:size]
        assert found.tolist() == wanted.tolist()


def test_words_of_several_columns_stand_side_by_side() -> None:
    frame = notes(300, 40).rename(columns={"note": "first"})
    frame["second"] = frame["first"].sample(frac=1, random_state=0).to_numpy()
    table = tl.table(frame, target="y", text=["first", "second"])
    terms = sorted({word for one in frame["first"] for word in one.split()})
    counts = np.hstack([
        np.array([[row.split().count(term) for term in terms] for row in frame[name]])
        for name in ("first", "second")
    ])  # fmt: skip
    ours = tl.LogisticRegression(solver="newton-cg").fit(table)
    other = tl.LogisticRegression().fit(np.column_stack([frame["size"], counts]), frame["y"])
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=0, atol=1e-8)
