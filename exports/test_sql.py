"""Exported SQL predicts what the model predicts, in DuckDB, SQLite and PostgreSQL."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import KindError
from tests.exporters.comparison import HOSTILE, check_results, hostile_table
from tests.exporters.databases import PostgreSQL, run_duckdb, run_sqlite, with_common_blanks
from tests.expressions.test_models import EVERY, answered, asked
from tests.learners import Case
from tests.tables import mixed_table

DATABASES = ("duckdb", "sqlite", "postgres")
REFUSED = "nearest neighbours|contains text|too large for a query"
Run = Callable[[Any, pd.DataFrame], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgreSQL]:
    """A server for the tests of this module."""
    (programs,) = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]
    with tempfile.TemporaryDirectory() as folder:
        server = PostgreSQL(programs, Path(folder))
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture(params=DATABASES)
def run(request: pytest.FixtureRequest) -> Run:
    """The function that runs a model's query in a database."""
    if request.param == "postgres":
        found: Run = request.getfixturevalue("postgres").run
        return found
    return {"duckdb": run_duckdb, "sqlite": run_sqlite}[request.param]


def compare(model: Any, rows: pd.DataFrame, run: Run) -> None:
    """Run a model's query, and compare; models that SQL cannot hold say which part."""
    try:
        tl.export(model, "sql")
    except KindError:
        with pytest.raises(KindError, match=REFUSED):
            run(model, rows)
        return
    check_results(model, rows, run(model, rows))


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_every_learner(case: Case, run: Run) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    compare(model, answered(model, asked(case)), run)


@pytest.mark.parametrize("learner", HOSTILE, ids=repr)
def test_hostile_names_and_values(learner: Any, run: Run) -> None:
    table = with_common_blanks(hostile_table())
    model = learner.fit(table, "class")
    compare(model, answered(model, table.drop(columns="class")), run)


def test_a_thousand_columns(run: Run) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 1000)), columns=[f"c{i}" for i in range(1000)])
    model = tl.Ridge().fit(table, table["c0"] + table["c9"])
    check_results(model, table, run(model, table))


def test_a_large_forest(run: Run) -> None:
    table = mixed_table().drop(columns=["note", "heavy2", "price", "visits"])
    model = tl.RandomForestClassifier(40, random_state=0).fit(table, "kind")
    rows = table.drop(columns="kind")
    check_results(model, rows, run(model, rows))


def test_dates_are_days_and_parts(run: Run) -> None:
    when = pd.date_range("2019-12-30 22:30", periods=300, freq="31h")
    table = pd.DataFrame({"when": when, "y": np.sin(np.arange(300)) + (when.month == 2)})
    for dates in ("days", ["year", "month", "day", "weekday", "hour"]):
        made = tl.table(table, target="y", dates=None if dates == "days" else {"when": dates})
        model = tl.DecisionTreeRegressor(max_depth=6).fit(made)
        rows = table[["when"]]
        check_results(model, rows, run(model, rows.assign(when=rows["when"].astype(str))))


def test_clusters_and_several_targets(run: Run) -> None:
    table = mixed_table()[["width", "colour", "heavy"]]
    model = tl.KMeans(4, random_state=0).fit(table)
    check_results(model, table, run(model, table))
    lines = tl.LinearRegression().fit(table, mixed_table()[["price", "visits"]].to_numpy())
    check_results(lines, table, run(lines, table))
