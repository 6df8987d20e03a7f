"""Trees pruned by ``cp`` beside R's rpart: the same leaves, row for row.

rpart asks nodes of 20 rows, leaves 7 on either side, and keeps what is worth cp = 0.01. Tables with
gaps are left out: rpart has surrogate questions for them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import tallylearn as tl

SHARED = Path(__file__).parent.parent.parent / "shared"
CLASSES = {
    "iris": "class", "diabetes_pima": "class", "wine": "Class", "car": "class",
    "tic_tac_toe": "Class", "credit_g": "class",
}  # fmt: skip
MEASURES = {"cpu_prp": "PRP", "abalone": "Rings", "diabetes_lars": "progression"}
LEAF = re.compile(r"^\s*\d+\) .*?(\d+) +\S+ +\S+ *(?:\(.*\))? *\*$", re.MULTILINE)
LIMITS = {"cp": 0.01, "min_samples_split": 20, "min_samples_leaf": 7}


def leaves(name: str, how: str) -> list[int]:
    """The rows of rpart's leaves."""
    found = json.loads((SHARED / "reference" / f"r_{name}.json").read_text())[how]["text"]
    return sorted(int(rows) for rows in LEAF.findall(found))


def ours(tree: tl.DecisionTreeClassifier | tl.DecisionTreeRegressor, name: str) -> list[int]:
    frame = pd.read_csv(SHARED / "data" / f"{name}.csv")
    target = next(c for c in frame if c.lower() == (CLASSES | MEASURES)[name].lower())
    tree.fit(tl.table(frame, target=target))
    return sorted(tree.tree_.rows[tree.tree_.leaves].tolist())


@pytest.mark.parametrize(
    ("how", "criterion"), [("rpart", "gini"), ("rpart_information", "entropy")]
)
@pytest.mark.parametrize("name", CLASSES)
def test_the_leaves_are_rparts(name: str, how: str, criterion: str) -> None:
    assert ours(tl.DecisionTreeClassifier(criterion=criterion, **LIMITS), name) == leaves(name, how)


@pytest.mark.parametrize("name", MEASURES)
def test_the_leaves_of_a_regression_are_rparts(name: str) -> None:
    assert ours(tl.DecisionTreeRegressor(**LIMITS), name) == leaves(name, "rpart")
