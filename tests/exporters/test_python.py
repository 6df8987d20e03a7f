"""An exported Python module predicts what the model predicts, with the standard library alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tests.exporters.comparison import HOSTILE, check_results, hostile_table, plain_rows
from tests.expressions.test_models import EVERY, answered, asked
from tests.learners import Case
from tests.tables import mixed_table


def run(model: Any, rows: pd.DataFrame) -> list[dict[str, Any]]:
    """What the exported program returns for every row."""
    program: dict[str, Any] = {}
    exec(compile(tl.export(model, "python"), "exported", "exec"), program)
    return [program["predict"](row) for row in plain_rows(rows)]


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_every_learner(case: Case) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    rows = answered(model, asked(case))
    check_results(model, rows, run(model, rows))


@pytest.mark.parametrize("learner", HOSTILE, ids=repr)
def test_hostile_names_and_values(learner: Any) -> None:
    table = hostile_table()
    model = learner.fit(table, "class")
    rows = answered(model, table.drop(columns="class"))
    check_results(model, rows, run(model, rows))


def test_clusters_and_several_targets() -> None:
    table = mixed_table()[["width", "colour", "heavy"]]
    model = tl.KMeans(4, random_state=0).fit(table)
    check_results(model, table, run(model, table))
    lines = tl.LinearRegression().fit(table, mixed_table()[["price", "visits"]].to_numpy())
    check_results(lines, table, run(lines, table))


def test_dates_are_days_and_parts() -> None:
    when = pd.date_range("2019-12-30 22:30", periods=300, freq="31h")
    table = pd.DataFrame({"when": when, "y": np.sin(np.arange(300)) + (when.month == 2)})
    for dates in ("days", ["year", "month", "day", "weekday", "hour"]):
        made = tl.table(table, target="y", dates=None if dates == "days" else {"when": dates})
        model = tl.DecisionTreeRegressor(max_depth=6).fit(made)
        rows = table[["when"]]
        check_results(model, rows, run(model, rows.assign(when=rows["when"].astype(str))))


def test_the_program_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    model = tl.HistGradientBoostingClassifier(max_iter=3).fit(tl.example("loans"))
    (tmp_path / "model.py").write_text(tl.export(model, "python"), "utf-8")
    code = "import model; print(model.CLASSES, model.predict(dict.fromkeys(model.COLUMNS)))"
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", code],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("['no', 'yes'] {'class': ")


@pytest.mark.parametrize(
    ("row", "error", "says"),
    [({}, KeyError, "no column 'x'"), ({"x": "many"}, TypeError, "column 'x' has 'many'")],
)
def test_a_row_that_does_not_fit_is_refused(row: Any, error: Any, says: str) -> None:
    model = tl.LinearRegression().fit({"x": [0.0, 1.0, 2.0], "y": [1.0, 2.0, 4.0]}, "y")
    program: dict[str, Any] = {}
    exec(tl.export(model, "python"), program)
    with pytest.raises(error, match=says):
        program["predict"](row)
