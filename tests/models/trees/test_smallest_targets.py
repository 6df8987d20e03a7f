"""Targets as small as doubles get are told apart, and a gain is compared in their unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.models.trees.growing.node_target import FINEST

LEAST = 5e-324
ROWS = [[0.0], [1.0], [2.0], [3.0]]


@pytest.mark.parametrize(
    ("criterion", "size"),
    [
        *((how, LEAST) for how in ("squared_error", "absolute_error", "sdr")),
        *((how, 1e-310) for how in ("squared_error", "absolute_error", "poisson", "sdr")),
        ("squared_error", 1e-155),
    ],
)
def test_a_tree_tells_the_smallest_targets_apart(criterion: Any, size: float) -> None:
    y = np.array([1.0, 2.0, 3.0, 5.0]) * size
    tree = tl.DecisionTreeRegressor(criterion=criterion).fit(ROWS, y)
    rounding = y.max() * 2.0**-FINEST  # of sums in fixed point; none where y is a few of the least
    assert (np.abs(tree.predict(ROWS) - y) <= rounding).all()


def test_the_smallest_double_is_not_0() -> None:
    tree = tl.DecisionTreeRegressor().fit(ROWS, [0.0, 0.0, LEAST, LEAST])
    assert tree.predict(ROWS).tolist() == [0.0, 0.0, LEAST, LEAST]


@pytest.mark.parametrize("learner", [tl.DecisionTreeRegressor, tl.RandomForestRegressor])
def test_no_small_target_gains_as_much_as_is_asked_for(learner: Any) -> None:
    y = np.array([1.0, 2.0, 3.0, 5.0]) * 1e-155
    asked = learner(min_impurity_decrease=0.01, random_state=0).fit(ROWS, y)
    assert len({*asked.predict(ROWS)}) == 1
