"""Exported JavaScript in node predicts what the model predicts."""

from __future__ import annotations

import json
import subprocess
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

RUN = """
const {{ predict }} = require({path});
const rows = {rows};
const plain = (key, value) => typeof value === "number" && !Number.isFinite(value)
  ? String(value).replace("Infinity", "inf") : value;
console.log(JSON.stringify(rows.map(predict), plain));
"""


def run(model: Any, rows: pd.DataFrame, folder: Path) -> list[dict[str, Any]]:
    """What node returns for every row."""
    path = folder / "model.js"
    path.write_text(tl.export(model, "javascript"), "utf-8")
    # JSON.parse keeps a column __proto__, which an object literal would lose
    rows_text = f"JSON.parse({json.dumps(json.dumps(plain_rows(rows)))})"
    code = RUN.format(path=json.dumps(str(path)), rows=rows_text)
    done = subprocess.run(["node", "-"], input=code, capture_output=True, text=True, check=False)
    assert not done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_every_learner(case: Case, tmp_path: Path) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    rows = answered(model, asked(case))
    check_results(model, rows, run(model, rows, tmp_path))


@pytest.mark.parametrize("learner", HOSTILE, ids=repr)
def test_hostile_names_and_values(learner: Any, tmp_path: Path) -> None:
    table = hostile_table()
    model = learner.fit(table, "class")
    rows = answered(model, table.drop(columns="class"))
    check_results(model, rows, run(model, rows, tmp_path))


def test_a_thousand_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 1000)), columns=[f"c{i}" for i in range(1000)])
    model = tl.Ridge().fit(table, table["c0"] + table["c9"])
    check_results(model, table, run(model, table, tmp_path))


def test_clusters_and_several_targets(tmp_path: Path) -> None:
    table = mixed_table()[["width", "colour", "heavy"]]
    model = tl.KMeans(4, random_state=0).fit(table)
    check_results(model, table, run(model, table, tmp_path))
    lines = tl.LinearRegression().fit(table, mixed_table()[["price", "visits"]].to_numpy())
    check_results(lines, table, run(lines, table, tmp_path))


def test_dates_are_days_and_parts(tmp_path: Path) -> None:
    when = pd.date_range("2019-12-30 22:30", periods=300, freq="31h")
    table = pd.DataFrame({"when": when, "y": np.sin(np.arange(300)) + (when.month == 2)})
    for dates in ("days", ["year", "month", "day", "weekday", "hour"]):
        made = tl.table(table, target="y", dates=None if dates == "days" else {"when": dates})
        model = tl.DecisionTreeRegressor(max_depth=6).fit(made)
        rows = table[["when"]]
        text = rows.assign(when=rows["when"].astype(str))
        check_results(model, rows, run(model, text, tmp_path))


@pytest.mark.parametrize(
    ("row", "message"),
    [({}, 'the row has no column "x"'), ({"x": "many"}, 'column "x" has "many": pass a number')],
)
def test_a_row_that_does_not_fit_is_refused(
    row: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.js"
    model = tl.LinearRegression().fit({"x": [0.0, 1.0, 2.0], "y": [1.0, 2.0, 4.0]}, "y")
    path.write_text(tl.export(model, "javascript"), "utf-8")
    code = f"require({json.dumps(str(path))}).predict({json.dumps(row)})"
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr
