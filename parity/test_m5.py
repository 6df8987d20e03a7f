"""M5 beside Weka's M5P on real tables and the same folds: the root of the mean squared error.

What the two do otherwise, and what our options were chosen by, is in docs/model-trees.md.
``pytest -s`` prints the table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

SHARED = Path(__file__).parent.parent.parent / "shared"
SETS = {  # the target, and what Weka's file declares as categories though it looks like numbers
    "abalone": ("Rings", ()),
    "auto_mpg": ("mpg", ("cylinders", "model", "origin")),
    "cpu_prp": ("PRP", ()),
    "cpu_with_vendor": ("ERP", ()),
    "diabetes_lars": ("progression", ()),
}


def table(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    target, categories = SETS[name]
    frame = pd.read_csv(SHARED / "data" / f"{name}.csv", na_values="?")
    frame = frame.astype(dict.fromkeys(categories, str))
    return frame.drop(columns=target), frame[target].to_numpy(float)


def reference(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((SHARED / "reference" / f"weka39_{name}.json").read_text())
    return result


def rmse(name: str, folds: list[list[int]]) -> float:
    x, y = table(name)
    told = np.empty(len(y))
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(y)), fold)
        told[fold] = tl.M5().fit(x.iloc[rest], y[rest]).predict(x.iloc[fold])
    return float(np.sqrt(((told - y) ** 2).mean()))


@pytest.mark.parametrize("name", SETS)
def test_m5_is_at_most_three_percent_worse_than_wekas(name: str) -> None:
    weka = reference(name)
    theirs = next(r for r in weka["results"] if r["classifier"].endswith("trees.M5P"))["cv_rmse"]
    ours = rmse(name, weka["folds"])
    print(f"\n{name:16} ours {ours:8.4g}  M5P {theirs:8.4g}  {ours / theirs:.3f}")
    assert ours <= 1.03 * theirs


@pytest.mark.parametrize("name", SETS)
def test_a_model_tree_beats_the_line_and_the_means(name: str) -> None:
    """A linear regression, and a tree of means, on the same folds."""
    weka = reference(name)
    ours = rmse(name, weka["folds"])
    for rival in ("functions.LinearRegression -S 1 -C", "trees.M5P -R"):
        theirs = next(r for r in weka["results"] if r["classifier"].endswith(rival))["cv_rmse"]
        assert ours <= theirs
