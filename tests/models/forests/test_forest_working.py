"""The working of forests: the out-of-bag votes and score follow from the printed numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.workings import Grid
from tests.workings.arithmetic import check_working
from tests.workings.recomputed import check_lines

RNG = np.random.default_rng(4)
X = RNG.normal(size=(40, 3)).round(2)
KINDS = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, "up", "down")
Y = (3 * X[:, 0] + RNG.normal(size=40)).round(2)


def votes(work: Any) -> Grid:
    (found,) = (s for s in work.steps if isinstance(s, Grid) and s.title.startswith("out of bag"))
    return found


@pytest.mark.parametrize("learner", [
    tl.RandomForestClassifier(15), tl.RandomForestClassifier(9, vote="majority"),
    tl.ExtraTreesClassifier(9, bootstrap=True),
])  # fmt: skip
def test_the_votes_give_the_accuracy(learner: Any) -> None:
    model = learner.fit(X, KINDS)
    work = model.show_work(full=True)
    table = votes(work)
    assert check_working(work.steps) == 2 * len(table.rows) + 1
    right = sum(row[-1] == row[-2] for row in table.rows)
    assert len(table.rows) == model.oob.rows
    assert f"accuracy = {right} / {model.oob.rows} = " in str(work)
    for row in table.rows:
        means = [float(cell.rpartition(" = ")[2]) for cell in row[2:4]]
        assert sum(means) == pytest.approx(1, abs=1e-3)
        assert row[4] == table.header[2 + int(np.argmax(means))]
    check_lines(model.show_work())
    assert len(votes(model.show_work()).rows) == 5


def test_the_score_of_a_regression_forest_follows_from_its_sums() -> None:
    model = tl.RandomForestRegressor(15).fit(X, Y)
    work = model.show_work(full=True)
    table = votes(work)
    assert check_working(work.steps) == len(table.rows) + 1
    predicted = np.array([float(row[2].rpartition(" = ")[2]) for row in table.rows])
    assert predicted == pytest.approx(model.oob.answers[:, 0], rel=6e-4)
    assert str(work).rstrip().endswith(f"{model.oob.value:.4g}")
    assert [float(row[-1]) for row in table.rows] == pytest.approx(Y)


def test_a_forest_without_out_of_bag_rows_shows_its_columns(tmp_path: Path) -> None:
    model = tl.RandomForestClassifier(5, bootstrap=False).fit(X, KINDS)
    assert "out of bag" not in str(model.show_work())
    model = tl.RandomForestClassifier(5).fit(X, KINDS)
    model.save(tmp_path / "m.tally")
    assert "out of bag" not in str(tl.load(tmp_path / "m.tally").show_work())


def test_a_row_that_all_trees_have_seen_is_not_shown() -> None:
    model = tl.RandomForestClassifier(1).fit(X, KINDS)
    table = votes(model.show_work(full=True))
    assert len(table.rows) == model.oob.rows < 40
    assert {row[1] for row in table.rows} == {"1"}
