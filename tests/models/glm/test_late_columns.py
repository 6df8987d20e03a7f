"""Columns that a perceptron passed over count from the first rows on that differ in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl


def days(averaged: bool = False) -> tuple[tl.Perceptron, pd.DataFrame]:
    """A model of rows in which c is 7, and rows in which c alone tells the classes apart."""
    rng = np.random.default_rng(0)
    first = pd.DataFrame({"c": 7.0, "a": rng.normal(size=40), "k": 3.0, "d": [*"uv"] * 20})
    then = pd.DataFrame({"c": rng.normal(size=400), "a": rng.normal(size=400), "k": 3.0, "d": "u"})
    model = tl.Perceptron(averaged=averaged)
    model.fit(first.assign(y=np.where(first.a > 0, "p", "n")), "y")
    return model, then.assign(y=np.where(then.c > 0, "p", "n"))


@pytest.mark.parametrize("averaged", [False, True])
def test_a_column_passed_over_is_taken_up_by_the_first_rows_that_differ(
    averaged: bool, tmp_path: Path
) -> None:
    model, then = days(averaged)
    model.save(tmp_path / "first.tally")
    again = tl.load(tmp_path / "first.tally")
    steps = model.model_.steps
    for _ in range(20):
        model.partial_fit(then, "y")
        again.partial_fit(then, "y")
    assert model.coef_.shape == (1, 3)
    assert model.score(then, "y") > 0.9
    assert (again.coef_ == model.coef_).all()
    said = str(model.show_work())
    assert "Column 'c' was the same in all rows at first and passed over" in said
    assert "Column 'c' is the same" not in said
    assert "Column 'k' is the same in every row and says nothing." in said
    first, later = model.steps().records()[steps - 1 : steps + 1]
    assert (first["x"]["c"], later["x"]["c"]) == (0.0, then.c[0])
    model.save(tmp_path / "then.tally")
    assert str(tl.load(tmp_path / "then.tally").show_work()) == said


def test_a_column_taken_up_learns_as_one_that_was_0_before() -> None:
    model, then = days()
    other = tl.Perceptron(
        intercept_init=model.intercept_, coef_init=[0, *model.coef_[0]], shuffle=False
    )
    table = then.drop(columns="k").assign(d=["v", *["u"] * 399])
    other.set_params(max_iter=1).fit(table, "y")
    model.partial_fit(table.assign(k=3.0), "y")
    assert model.coef_ == pytest.approx(other.coef_)
    assert model.intercept_ == pytest.approx(other.intercept_)


def test_one_other_value_in_all_further_rows_is_another_and_the_same_or_a_gap_is_none() -> None:
    model, then = days()
    model.partial_fit(then.assign(c=[7.0, np.nan] * 200), "y")
    assert "Column 'c' is the same in every row and says nothing." in str(model.show_work())
    model.partial_fit(then.assign(c=8.0), "y")
    assert model.coef_.shape == (1, 3)


def test_first_steps_of_many_classes_leave_room_for_columns_taken_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame(rng.normal(size=(900, 3)), columns=["a", "b", "c"])
    table["y"] = rng.choice([*"pqr"], 900)
    model = tl.Perceptron(max_iter=3).fit(table.assign(c=1.5), "y").partial_fit(table, "y")
    model.save(tmp_path / "m.tally")
    assert (tl.load(tmp_path / "m.tally").predict(table) == model.predict(table)).all()


def test_a_constant_with_gaps_counts_by_its_gaps_and_is_saved(tmp_path: Path) -> None:
    table = days()[1].assign(c=[7.0, np.nan] * 200)
    model = tl.Perceptron(max_iter=5).fit(table, "y")
    said = "Column 'c' is the same in every row and says nothing but by its gaps."
    assert said in str(model.show_work())
    assert "c = ?: missing" in str(model.explain(table[1:2]))
    model.save(tmp_path / "m.tally")
    assert said in str(tl.load(tmp_path / "m.tally").show_work())
    model.partial_fit(days()[1], "y")
    assert model.coef_.shape == (1, 3)
    assert "c = 7: missing, filled by the mean" in str(model.explain(table[1:2]))
