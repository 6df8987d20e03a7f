"""A forest of one tree that sees every row and every column is the single tree, ties among columns
aside.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

GAP = np.nan
ALL = {"bootstrap": False, "max_features": None}


def test_a_column_with_one_value_left_is_asked_whether_there_is_one() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 1, 1.0], "b": [5, GAP, 5, 6, 7, GAP]})
    for y in ([*"pqrrrr"], [*"pqpppp"], [*"qpqqqq"]):
        for bins in (255, None):
            forest = tl.RandomForestClassifier(1, bins=bins, **ALL).fit(frame, y)
            assert forest.predict(frame).tolist() == y
    many = pd.concat([frame] * 100)
    y = [*"pqrrrr"] * 100
    assert tl.RandomForestClassifier(1, **ALL).fit(many, y).predict(frame).tolist() == y[:6]


@pytest.mark.parametrize("y", ["rssssssss", "srrrrrrrr"])
def test_a_cut_through_rows_of_one_class_stands_in_no_other_columns_way(y: str) -> None:
    """Too few rows are missing to be asked for, and what is known needs no cut."""
    rows = [[1, GAP], [0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 0], [1, 1.0]]
    kw: dict[str, Any] = {"min_samples_leaf": 2, "max_depth": 1}
    single = tl.DecisionTreeClassifier(**kw).fit(rows, [*y])
    forest = tl.RandomForestClassifier(1, **ALL, **kw).fit(rows, [*y]).estimators_[0]
    assert single.get_n_leaves() == forest.get_n_leaves() == 2
