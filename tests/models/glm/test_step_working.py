"""The working of the perceptron and of LMS: every printed number follows from those before it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.recomputed import Interval, check_formulas, check_lines, interval_of

RNG = np.random.default_rng(0)
X = RNG.normal(0, 3, (20, 8)).round(1)
Y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")


def grids(work: Any) -> list[Grid]:
    return [step for step in work.steps if isinstance(step, Grid)]


def vector(text: str) -> list[Interval]:
    return [signed(cell) for cell in text.strip("[]").split(", ")]


def signed(text: str) -> Interval:
    found = interval_of(text)
    assert found is not None
    return found


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("intercept", [True, False])
def test_every_score_and_every_correction_follows(
    columns: int, rate: float, intercept: bool
) -> None:
    learner = tl.Perceptron(eta0=rate, fit_intercept=intercept, random_state=0, max_iter=3)
    work = learner.fit(X[:, :columns], Y).show_work(full=True)
    grid = grids(work)[0]
    assert len(grid.rows) > 20
    after = None
    for _, _, weights, score, _, _, update in grid.rows:
        before = vector(weights)
        assert len(before) == columns + intercept
        if after is not None:
            assert all(a.meets(b) for a, b in zip(after, before, strict=True))
        left, right = score.split(" = ")
        assert signed(left).meets(signed(right))
        after = before
        if update != "none":
            by, x = re.fullmatch(r"([+-][\d.]*)·?(\[.*\])", update).groups()
            factor = signed(by.strip("+") if by[1:] else by.replace("+", "") + "1")
            after = [w + factor * v for w, v in zip(before, vector(x), strict=True)]


def test_weights_are_not_cut_after_six() -> None:
    work = tl.Perceptron(random_state=0).fit(X, Y).show_work()
    assert "…" not in str(work)
    values, weights, scores, _ = grids(work)
    assert weights.header == ("step", "w0", *(f"x{j}" for j in range(8)))
    for x, w, score in zip(values.rows, weights.rows, scores.rows, strict=True):
        total = signed(w[1])
        for a, b in zip(x[2:], w[2:], strict=True):
            total = total + signed(a) * signed(b)
        assert total.meets(signed(score[1]))
    check_lines(work)


def test_several_classes_have_weights_of_their_own() -> None:
    y = RNG.choice(["a", "b", "c"], 20)
    work = tl.Perceptron(random_state=0).fit(X[:, :2], y).show_work()
    values, weights, scores, _ = grids(work)
    assert weights.header[:3] == ("step", "class", "w0")
    for at, (x, score) in enumerate(zip(values.rows, scores.rows, strict=True)):
        for c, w in enumerate(weights.rows[3 * at : 3 * at + 3]):
            total = signed(w[2]) + signed(w[3]) * signed(x[2]) + signed(w[4]) * signed(x[3])
            assert total.meets(signed(score[1 + c]))
    check_lines(work)


def test_a_long_walk_is_folded() -> None:
    learner = tl.Perceptron(random_state=0, max_iter=5).fit(X[:, :2], RNG.permutation(Y))
    assert len(grids(learner.show_work())[0].rows) == 10
    assert "show_work(full=True)" in " ".join(str(learner.show_work()).split())
    assert len(grids(learner.show_work(full=True))[0].rows) == 100


@pytest.mark.parametrize("scaling", ["error", "twice"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("start", ["zeros", [0.5, -1.0, 2.0]])
def test_the_first_step_of_lms_is_written_out(scaling: str, intercept: bool, start: Any) -> None:
    if not intercept and start != "zeros":
        start = [0.0, -1.0, 2.0]
    learner = tl.LMS(0.01, scaling=scaling, fit_intercept=intercept, start=start)
    work = learner.fit(X[:, :2], X[:, 2]).show_work()
    steps = [s.text for s in work.steps if hasattr(s, "latex")]
    arrows = [text.partition(" ← ")[2] for text in steps if " ← " in text and "c ·" not in text]
    assert len(arrows) == 2 + intercept
    for text in arrows:
        left, right = text.split(" = ")
        assert signed(left).meets(signed(right))
    assert check_formulas(work) >= 2
    check_lines(work)
    y, answer, error = (signed(cell) for cell in grids(work)[0].rows[0][3:6])
    assert (y - answer).meets(error)


@pytest.mark.parametrize("scaling", ["sum", "mean"])
def test_one_step_over_all_rows_says_so(scaling: str) -> None:
    learner = tl.LMS(0.001, scaling=scaling, steps=1).fit(X[:, :2], X[:, 2])
    assert "One step was taken, over all rows" in str(learner.show_work())
    more = tl.LMS(0.001, scaling=scaling, steps=9).fit(X[:, :2], X[:, 2])
    assert "One step" not in str(more.show_work())
