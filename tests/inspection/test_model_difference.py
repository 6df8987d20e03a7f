"""The difference of two models: rows with other predictions, coefficients that moved."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import KindError, OptionError
from tallylearn.inspection.model_difference import ModelDifference


def test_rows_that_classifiers_predict_differently_are_those_of_predict() -> None:
    loans = tl.example("loans")
    first, second = tl.NaiveBayes().fit(loans), tl.LogisticRegression().fit(loans)
    found = tl.diff(first, second, loans, names=("bayes", "logit"))
    a, b = first.predict(loans), second.predict(loans)
    rows = np.flatnonzero(a != b)
    assert (found.n, found.differing) == (600, len(rows))
    assert [row[0] for row in found.rows] == rows[:20].tolist()
    truth = loans.target.to_pylist()
    assert found.rows[0] == (rows[0], a[rows[0]], b[rows[0]], truth[rows[0]])
    assert sorted(found.pairs) == sorted(
        (x, y, int(((a == x) & (b == y)).sum())) for x, y in (("no", "yes"), ("yes", "no"))
    )
    assert found.coefficients == ()
    text = str(found)
    assert f"{len(rows)} of 600 rows" in text
    assert f"and {len(rows) - 20} more" in text
    assert max(map(len, text.splitlines())) <= 80
    assert str(ModelDifference.report_of(json.loads(found.to_json()))) == text


def test_coefficients_that_moved_are_listed_without_a_table() -> None:
    rows = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 0.0, 1.0, 0.0], "y": [2.0, 4.0, 6.5, 8.0]}
    table = tl.table(rows, target="y")
    first = tl.LinearRegression().fit(table)
    second = tl.LinearRegression().fit(tl.table({**rows, "y": [2.0, 4.0, 6.5, 9.0]}, target="y"))
    found = tl.diff(first, second)
    assert [name for name, *_ in found.coefficients] == ["Intercept", "x", "z"]
    assert found.coefficients[1][1:] == (first.coef_[0], second.coef_[0])
    assert (found.n, found.rows, found.largest) == (0, (), None)
    assert tl.diff(first, first).coefficients == ()
    on_rows = tl.diff(first, second, table)
    gap = np.abs(first.predict(table) - second.predict(table))
    assert on_rows.largest == gap.max()
    assert on_rows.differing == (gap > 1e-9).sum()


def test_rows_without_a_target_are_compared_too() -> None:
    loans = tl.example("loans")
    first, second = tl.NaiveBayes().fit(loans), tl.DummyClassifier().fit(loans)
    rows = {"amount": [9000.0, 25000.0, 30000.0], "income": [4e4, 1e4, 9e3],
            "denied": ["no", None, "yes"]}  # fmt: skip
    columns = [column.name for column in first.schema_.columns]
    table = {name: rows.get(name, [None] * 3) for name in columns} | {"denied": rows["denied"]}
    found = tl.diff(first, second, table, "denied")
    assert found.n == 3
    assert {row[0]: row[3] for row in found.rows}.get(1) is None


def test_what_cannot_be_compared_is_refused() -> None:
    loans = tl.example("loans")
    bayes, tree = tl.NaiveBayes().fit(loans), tl.DecisionTreeClassifier(max_depth=1).fit(loans)
    with pytest.raises(KindError, match=r"Pass a table: diff\(first, second, table\)"):
        tl.diff(bayes, tree)
    number = tl.DummyRegressor().fit({"x": [1.0, 2.0], "y": [1.0, 2.0]}, "y")
    with pytest.raises(OptionError, match="predict different things"):
        tl.diff(bayes, number, loans)
    with pytest.raises(OptionError, match="on is for two trees"):
        tl.diff(bayes, tree, on={"D": loans})
    with pytest.raises(KindError, match="the first argument is a NaiveBayes"):
        tl.diff(tl.NaiveBayes(), tree, loans)
