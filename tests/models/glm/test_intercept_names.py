"""The constant of a linear model has a name of its own in what is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

X = np.arange(24.0).reshape(12, 2) % 7
CLASSES = [*"ppqqpqqppqpq"]
LINES = (tl.LinearRegression(), tl.Ridge(), tl.Lasso(0.1), tl.LMS(learning_rate=1e-3))
CLASSIFIERS = (
    tl.LogisticRegression(),
    tl.LogisticRegression(C=float("inf"), solver="gradient", max_iter=2),
    tl.Perceptron(max_iter=2),
    tl.LinearDiscriminantAnalysis(),
)


def named(called: str, learner: Any) -> Any:
    """A model of a table, one of whose columns has that name."""
    y = X @ [1, 2] + np.arange(12) % 3 if learner.task == "regressor" else CLASSES
    return learner.fit(pd.DataFrame(X, columns=[called, "b"]).assign(y=y), "y")


@pytest.mark.parametrize("learner", [*LINES, *CLASSIFIERS], ids=str)
def test_a_column_called_w0_shares_no_name_with_the_constant(learner: Any) -> None:
    def names(called: str) -> list[list[str]]:
        steps = named(called, learner).show_work().to_dict()["steps"]
        grids = [step for step in steps if isinstance(step.get("rows"), list)]
        return [[*map(str, grid["header"])] + [row[0] for row in grid["rows"]] for grid in grids]

    plain, same = names("a"), names("w0")
    assert any("w0" in one for one in plain)
    for one, other in zip(plain, same, strict=True):
        said = {"a": "w0", "w0": "(w0)", "w(a)": "w(w0)"}
        said |= {f"{old} after": f"{new} after" for old, new in said.items()}
        assert other == [said.get(name, name) for name in one]


def test_the_summaries_name_every_weight_once() -> None:
    for learner, called, constant in (
        (tl.LinearRegression(), "w0", "(w0)"),
        (tl.LogisticRegression(C=float("inf")), "(constant)", "((constant))"),
    ):
        records = named(called, learner).summary().records()
        assert [row.get("name", row.get("column")) for row in records] == [constant, called, "b"]
