"""The working of linear models: every printed number follows from the printed operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.recomputed import Interval, check_formulas, check_lines


def frame(n: int = 30, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "size": rng.normal(100, 20, n).round(1),
            "rooms": rng.integers(1, 6, n),
            "city": rng.choice(["A", "B", "C"], n),
        }
    )
    noise = rng.normal(0, 5, n)
    table["price"] = table["size"] * 2 + table.rooms * 10 + (table.city == "B") * 30 + noise
    return table.round(1)


def grid_of(work: Any, title: str) -> Grid:
    return next(s for s in work.steps if isinstance(s, Grid) and s.title.startswith(title))


def numbers(row: tuple[str, ...]) -> list[Interval]:
    cells = [cell.replace(",", "") for cell in row]
    return [
        -Interval.printed(c[1:]) if c.startswith("-") else Interval.printed(c) for c in cells if c
    ]


LEARNERS = [
    tl.LinearRegression(), tl.LinearRegression(fit_intercept=False), tl.Ridge(2.0),
    tl.Ridge(2.0, fit_intercept=False), tl.Lasso(1.0), tl.Lasso(40.0), tl.ElasticNet(1.0),
    tl.Lasso("cv"), tl.Lasso(1.0, positive=True), tl.Lasso(0.5, fit_intercept=False),
    tl.Ridge("cv"), tl.LinearRegression(exact=True),
]  # fmt: skip


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("columns", [["size"], ["size", "rooms"], ["size", "rooms", "city"]])
def test_every_printed_number_follows_from_the_printed_operands(
    learner: Any, columns: list[str]
) -> None:
    work = learner.fit(frame()[[*columns, "price"]], "price").show_work()
    assert check_formulas(work) >= 2
    check_lines(work)
    assert "$$" in work.to_markdown()


@pytest.mark.parametrize("learner", LEARNERS[:4], ids=repr)
def test_the_products_and_their_elimination_are_those_of_the_rows(learner: Any) -> None:
    table = frame()
    work = learner.fit(table[["size", "rooms", "price"]], "price").show_work()
    x = np.column_stack([table["size"], table["rooms"]])
    y = table["price"].to_numpy()
    if learner.fit_intercept:
        x, y = x - x.mean(axis=0), y - y.mean()
    cost = 2.0 if isinstance(learner, tl.Ridge) else 0.0
    wanted = np.column_stack([x.T @ x + cost * np.eye(2), x.T @ y])
    printed = [numbers(row[1:]) for row in grid_of(work, "XᵀX").rows]
    for line, want in zip(printed, wanted, strict=True):
        for one, value in zip(line, want, strict=True):
            assert one.low <= value <= one.high
    first, second = (row for row in grid_of(work, "the same equations").rows)
    below = wanted[1] - wanted[1, 0] / wanted[0, 0] * wanted[0]
    for one, value in zip(numbers(first[1:4]), wanted[0], strict=True):
        assert one.low <= value <= one.high
    for one, value in zip(numbers(second[2:4]), below[1:], strict=True):
        assert one.low <= value <= one.high


def test_one_column_is_solved_by_its_two_sums() -> None:
    text = str(tl.LinearRegression().fit({"x": [1, 2, 3, 4], "y": [2, 4, 5, 8]}, "y").show_work())
    assert "w1 = Σ (x - x̄)(y - ȳ) / Σ (x - x̄)² = 9.5 / 5 = 1.9" in text
    assert "w0 = ȳ - w1 · x̄ = 4.75 - 1.9 · 2.5 = 0" in text
    assert "var(x) = 5 / 4 = 1.25" in text
    assert "Both are divided by N = 4." in text
    ridge = str(tl.Ridge(5).fit({"x": [1, 2, 3, 4], "y": [2, 4, 5, 8]}, "y").show_work())
    assert "9.5 / (5 + 5) = 0.95" in ridge


def test_without_an_intercept_no_means_are_printed() -> None:
    learner = tl.LinearRegression(fit_intercept=False)
    text = str(learner.fit(frame()[["size", "rooms", "price"]], "price").show_work())
    assert "mean" not in text
    assert "columns as they are" in text
    assert "R² = 1 - Σ (y - ŷ)² / Σ y²" in text


@pytest.mark.parametrize("learner", LEARNERS[4:10], ids=repr)
def test_the_conditions_of_a_lasso_hold(learner: Any) -> None:
    table = frame()
    learner.set_params(tol=1e-12).fit(table, "price")
    grid = grid_of(learner.show_work(), "conditions")
    assert len(grid.rows) == 4
    for _, w, c, required in grid.rows:
        (found,) = numbers((c,))
        if w == "0":
            (most,) = numbers((required.rpartition("≤ ")[2],))
            low = found.low if learner.positive else min(abs(found.low), abs(found.high))
            assert low <= most.high
        else:
            (wanted,) = numbers((required,))
            assert found.meets(wanted)


def test_the_path_of_a_lasso_begins_with_no_column_and_ends_with_the_model() -> None:
    learner = tl.Lasso(1.0).fit(frame(), "price")
    rows = grid_of(learner.show_work(), "path").rows
    assert rows[0][1] == "0"
    assert rows[-1][0] == "1"
    for cell, value in zip(numbers(rows[-1][2:]), learner.coef_, strict=True):
        assert cell.low - 1e-3 <= value <= cell.high + 1e-3


def test_many_columns_are_folded() -> None:
    rng = np.random.default_rng(0)
    learner = tl.LinearRegression().fit(rng.normal(size=(50, 9)), rng.normal(size=50))
    short, full = learner.show_work(), learner.show_work(full=True)
    assert "show_work(full=True) prints XᵀX of 9 columns." in str(short)
    assert len(grid_of(full, "XᵀX").rows) == 9
    assert check_formulas(full) >= 9
    check_lines(full)


def test_collinear_columns_and_several_targets_have_a_working() -> None:
    table = frame()
    both = tl.LinearRegression().fit(table.assign(half=table["size"] / 2), "price").show_work()
    check_lines(both)
    two = tl.LinearRegression().fit(table[["size", "rooms"]], table[["price", "size"]])
    assert "The other target has the same equations" in " ".join(str(two.show_work()).split())


def test_a_loose_lasso_names_its_gap_as_a_share() -> None:
    with np.errstate(all="ignore"):
        learner = tl.Lasso(1.0, tol=0.3).fit(frame(), "price")
    assert "% of J" in " ".join(str(learner.show_work()).split())
