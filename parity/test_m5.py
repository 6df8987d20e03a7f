"""M5 beside Weka's M5P on real tables and the same folds: answers, and their error.

What the rules are is in docs/guide/model-trees.md. ``pytest -s`` prints the table.
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
    frame = frame.astype(dict.fromkeys(categories, str)).astype(
        dict.fromkeys(categories, "category")  # strings of digits would be numbers
    )
    return frame.drop(columns=target), frame[target].to_numpy(float)


def reference(name: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads((SHARED / "reference" / f"weka39_{name}.json").read_text())
    return result


WAYS = {"": {}, " -N": {"prune": False}, " -U": {"smooth": None}}


def answered(name: str, folds: list[list[int]], **options: Any) -> np.ndarray:
    x, y = table(name)
    told = np.empty(len(y))
    for fold in folds:
        rest = np.setdiff1d(np.arange(len(y)), fold)
        told[fold] = tl.M5(**options).fit(x.iloc[rest], y[rest]).predict(x.iloc[fold])
    return told


def rmse(name: str, told: np.ndarray) -> float:
    return float(np.sqrt(((told - table(name)[1]) ** 2).mean()))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SETS)
def test_m5_answers_as_wekas_does(name: str, way: str) -> None:
    """Pruned trees row by row; of 3,000 small leaves some part ties by other rounding."""
    weka = reference(name)
    theirs = next(r for r in weka["results"] if r["classifier"].endswith(f"trees.M5P{way}"))
    told = answered(name, weka["folds"], **WAYS[way])
    alike = np.isclose(told, theirs["cv_pred"], rtol=1e-6, atol=1e-6 * table(name)[1].std())
    ours = rmse(name, told)
    ratio = ours / theirs["cv_rmse"]
    print(f"\n{name:16}{way:3} ours {ours:8.4g}  M5P {theirs['cv_rmse']:8.4g}  {ratio:.4f}")
    assert alike.mean() >= (0.98 if way == " -N" else 1.0)
    assert abs(ratio - 1) <= 0.001


@pytest.mark.parametrize("name", SETS)
def test_a_model_tree_beats_the_line_and_the_means(name: str) -> None:
    """A linear regression, and a tree of means, on the same folds."""
    weka = reference(name)
    ours = rmse(name, answered(name, weka["folds"]))
    for rival in ("functions.LinearRegression -S 1 -C", "trees.M5P -R"):
        theirs = next(r for r in weka["results"] if r["classifier"].endswith(rival))["cv_rmse"]
        assert ours <= theirs
