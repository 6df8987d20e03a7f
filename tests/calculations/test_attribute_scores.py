"""Scores of all attributes by a function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn import errors


def test_the_function_gets_the_counts_of_every_value_and_class() -> None:
    seen: list[list[list[int]]] = []

    def total(counts: Any) -> float:
        seen.append(counts.tolist())
        return float(counts.sum())

    rows = {"a": ["u", "v", "u", None], "b": ["p", "p", "q", "q"], "y": ["+", "-", "+", "-"]}
    found = tl.attribute_scores(rows, total, "y")
    assert dict(found.value) == {"a": 3.0, "b": 4.0}  # a missing value is not counted
    assert seen == [[[2, 0], [0, 1]], [[1, 1], [1, 1]]]


@pytest.mark.parametrize(
    ("criterion", "table", "message"),
    [
        (max, {"x": [1.0, 2.0], "y": ["a", "b"]}, "column 'x' has numbers"),
        ("gini", {"x": ["u", "v"], "y": ["a", "b"]}, "criterion is 'gini'"),
        (np.shape, {"x": ["u", "v"], "y": ["a", "b"]}, "for column 'x'. Return a number"),
    ],
)
def test_what_has_no_score_is_refused(criterion: Any, table: Any, message: str) -> None:
    with pytest.raises(errors.TallyError, match=message):
        tl.attribute_scores(table, criterion, "y")
