"""An exported query predicts in a database what the model predicts."""

from __future__ import annotations

import builtins
import sqlite3
from typing import Any

import pytest
import sqlglot

import tallylearn as tl
from tallylearn.errors import KindError, OptionError
from tallylearn.exporters.sql import DIALECTS
from tests.exporters.comparison import HOSTILE, check_results, hostile_table
from tests.exporters.databases import run_duckdb, run_sqlite, with_common_blanks
from tests.expressions.test_models import EVERY, answered, asked
from tests.tables import mixed_table

SOME = ("tree-parts", "centroid-gower", "prepared-twice", "tree-undefined", "vote-hard")
PAIR = mixed_table()[["width", "kind"]]


@pytest.mark.parametrize("run", [run_duckdb, run_sqlite])
@pytest.mark.parametrize("case", [one for one in EVERY if one.name in SOME], ids=lambda c: c.name)
def test_some_learners(case: Any, run: Any) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    rows = answered(model, asked(case))
    check_results(model, rows, run(model, rows))


@pytest.mark.parametrize("run", [run_duckdb, run_sqlite])
@pytest.mark.parametrize("learner", [HOSTILE[1], HOSTILE[3]], ids=repr)
def test_hostile_names_and_values(learner: Any, run: Any) -> None:
    table = with_common_blanks(hostile_table())
    model = learner.fit(table, "class")
    rows = answered(model, table.drop(columns="class"))
    check_results(model, rows, run(model, rows))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_one_query_that_parses(dialect: str) -> None:
    model = tl.LogisticRegression().fit(tl.example("loans"), "denied")
    text = tl.export(model, "sql", dialect=dialect, table="bank.loans", columns="amount")
    parsed = sqlglot.parse(text, read=dialect)
    assert len(parsed) == 1
    assert parsed[0] is not None
    assert parsed[0].named_selects == [
        "amount", "prediction", "probability_no", "probability_yes"
    ]  # fmt: skip
    assert [(one.db, one.name) for one in parsed[0].find_all(sqlglot.exp.Table) if one.db] == [
        ("bank", "loans")
    ]


def test_a_query_names_the_rule_of_a_tree() -> None:
    table = tl.example("tennis")
    model = tl.ID3().fit(table)
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE rows (Outlook, Humidity, Wind)")
    connection.executemany(
        "INSERT INTO rows VALUES (?, ?, ?)", [(" Rain ", "High", "Weak"), ("Sunny", "High", None)]
    )
    found = connection.execute(tl.export(model, "sql", dialect="sqlite", columns=["Wind"]))
    assert found.fetchall() == [
        ("Weak", "Yes", 0.0, 1.0, "Outlook = Rain AND Wind = Weak"),
        (None, "No", 1.0, 0.0, "Outlook = Sunny AND Humidity = High"),
    ]


def test_a_column_named_prediction_keeps_its_name() -> None:
    table = PAIR.rename(columns={"width": "prediction"})
    model = tl.DecisionTreeClassifier(max_depth=2).fit(table, "kind")
    parsed = sqlglot.parse_one(tl.export(model, "sql"), read="duckdb")
    assert parsed.named_selects[:2] == ["prediction", "prediction_2"]


@pytest.mark.parametrize(
    ("learner", "columns", "message"),
    [
        (tl.KNeighborsClassifier(3), ["width", "kind"], "nearest neighbours need the training"),
        (tl.NaiveBayes(), ["note", "kind"], "column 'note' contains text"),
    ],
)
def test_what_a_query_cannot_hold_is_named(learner: Any, columns: Any, message: str) -> None:
    model = learner.fit(mixed_table()[columns], "kind")
    with pytest.raises(KindError, match=message):
        tl.export(model, "sql")


def test_options_of_sql_are_checked() -> None:
    model = tl.NaiveBayes().fit(PAIR, "kind")
    with pytest.raises(OptionError, match=r"dialect is 'oracle'\. Use one of .*'postgres'"):
        tl.export(model, "sql", dialect="oracle")
    with pytest.raises(OptionError, match='table is an option of to="sql"'):
        tl.export(model, "python", table="rows")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_sqlglot(name: str, *rest: Any, **more: Any) -> Any:
        if name == "sqlglot":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_sqlglot)
    with pytest.raises(KindError, match=r"pip install 'tallylearn\[sql\]'"):
        tl.export(tl.NaiveBayes().fit(PAIR, "kind"), "sql")
