"""Exported programs beside the model: rows as plain values, and what a program must return."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

import tallylearn as tl
from tallylearn.expressions import Argmax, ClassifierExpression, evaluate
from tests.expressions.test_models import CLOSE, block_of, expressed, slack, tied

RESERVED = "select \"from\" 'where'; -- </script> \\ {x} %s\n"
UNICODE = "größe 😀 ÿ\u2028"


def plain_value(value: Any) -> Any:
    """A cell of a frame as JSON has it: None where it is missing."""
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as dicts of plain values."""
    return [
        {name: plain_value(value) for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def check_results(model: Any, rows: Any, results: list[dict[str, Any]]) -> None:
    """Compare what a program returned for every row with the model."""
    expression, block = expressed(model), block_of(model, rows)
    predicted = model.predict(rows)
    if isinstance(expression, ClassifierExpression):
        found = ["undefined" if one["class"] is None else one["class"] for one in results]
        differ = np.array(found, dtype=object) != predicted.astype(object)
        if isinstance(expression.choice, Argmax):
            differ &= ~tied(expression.choice, block)
        assert not differ.any(), np.flatnonzero(differ)
        shares = np.array([one["probabilities"] for one in results], dtype=float)
        wanted = model.predict_proba(rows) if hasattr(model, "predict_proba") else None
        wanted = evaluate(expression.probabilities, block) if wanted is None else wanted
        assert (np.abs(shares - wanted) <= slack(expression, block)).all()
    elif "cluster" in results[0]:
        assert [one["cluster"] for one in results] == predicted.tolist()
    else:
        values = np.array([one["value"] for one in results], dtype=float)
        np.testing.assert_allclose(values, predicted, rtol=CLOSE, atol=CLOSE)


def hostile_table() -> pd.DataFrame:
    """Names and values that end strings, tags and statements, and far numbers."""
    rng = np.random.default_rng(11)
    n = 120
    values = np.array([RESERVED, UNICODE, "", "__proto__", "it's"], dtype=object)
    frame = pd.DataFrame({
        RESERVED: rng.normal(1e15, 1e13, n),
        UNICODE: rng.normal(1e-9, 1e-10, n),
        "constructor": rng.choice(values, n),
        "__proto__": rng.choice(values[::-1], n),
        "GROUP": rng.choice([1.0, 2.5, 1e-7], n),
        "x y": rng.integers(0, 2, n).astype(bool),
        "x_y": rng.normal(size=n),
    })  # fmt: skip
    frame.loc[3::9, "constructor"] = None
    frame.loc[5::8, UNICODE] = np.nan
    frame["class"] = np.where(
        (frame[RESERVED] > 1e15) ^ (frame["constructor"] == UNICODE), RESERVED, "no </script>"
    )
    return frame


HOSTILE = (
    tl.NaiveBayes(),
    tl.DecisionTreeClassifier(max_depth=4),
    tl.RandomForestClassifier(3),
    tl.LogisticRegression(),
    tl.KNeighborsClassifier(3),
    tl.Pipeline([tl.SimpleImputer(), tl.OneHotEncoder(handle_unknown="ignore"), tl.NaiveBayes()]),
)
