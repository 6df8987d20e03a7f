"""Trees where others use them: evaluated, compared, explained, and asked odd things."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors


def mixed(n: int = 90, gaps: bool = False) -> pd.DataFrame:
    """A number and a category that settle the class, with some noise."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.normal(size=n).round(2), "c": rng.choice(list("pqr"), n)})
    frame["kind"] = np.where((frame["a"] > 0) ^ (rng.random(n) < 0.1), "up", "down")
    if gaps:
        frame.loc[::7, "a"] = np.nan
    return frame


@pytest.mark.parametrize(
    "tree",
    [
        tl.ID3(), tl.C45(), tl.CART(), tl.CART(loss=[[0, 3], [1, 0]]),
        tl.DecisionTreeClassifier(missing="fractional"), tl.CART(pruning="reduced_error"),
    ],
)  # fmt: skip
def test_an_evaluation_tells_what_predict_and_predict_proba_tell(tree: Any) -> None:
    table = mixed(gaps=True)
    folds = tl.Folds.k(3, stratified=False, seed=1)
    found = tl.evaluate(tree, table, "kind", cv=folds)
    right, brier = 0, 0.0
    for split in folds.splits(len(table)):
        tree.fit(table.iloc[split.train], "kind")
        held = table.iloc[split.test]
        truth = np.asarray(held["kind"])
        right += int((tree.predict(held) == truth).sum())
        brier += float(((tree.predict_proba(held)[:, 1] - (truth == "up")) ** 2).sum())
    assert found["accuracy"].value == pytest.approx(right / len(table))
    assert found["brier"].value == pytest.approx(brier / len(table))


@pytest.mark.parametrize(
    "criterion",
    [
        lambda p: 1.0 - (p**2).sum(),  # of shares it would be gini
        lambda p: "much",
        lambda p: None,
        lambda p: float("nan"),
        lambda p: np.inf,
    ],
)
def test_a_criterion_that_is_no_impurity_is_named(criterion: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"for the counts \[.*0 or more"):
        tl.DecisionTreeClassifier(criterion=criterion).fit(mixed(), "kind")


def test_a_criterion_may_fall_below_zero_by_rounding() -> None:
    table = mixed()
    plain = tl.DecisionTreeClassifier(criterion="gini").fit(table, "kind")
    rounded = tl.DecisionTreeClassifier(criterion=lambda p: 1 - ((p / p.sum()) ** 2).sum() - 1e-15)
    assert str(rounded.fit(table, "kind")) == str(plain)
