"""The compiled kernels of the trees equal the Python that they are written in."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.models.trees import nodes, routing
from tallylearn.models.trees.growing import coded_columns, grower
from tests.kernels.test_oracle import uncompiled

COLUMNS = ["length", "width", "colour", "shape", "heavy"]


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (tl.DecisionTreeClassifier, "kind"),
        (tl.DecisionTreeClassifier, "heavy2"),
        (lambda: tl.DecisionTreeClassifier(criterion="entropy", missing="global"), "heavy2"),
        (lambda: tl.DecisionTreeClassifier(criterion="gain_ratio", missing="class"), "kind"),
        (
            lambda: tl.ID3(max_features=2, tie="random", significance=0.5, costs={"width": 2}),
            "kind",
        ),
        (lambda: tl.DecisionTreeRegressor(missing="global"), "price"),
        (lambda: tl.DecisionTreeRegressor(criterion="sdr", missing="node", bins=9), "price"),
    ],
)
def test_a_tree_of_interpreted_kernels_is_the_same(
    make: Any, target: str, mixed: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = mixed[[*COLUMNS, target]][:60]
    compiled = make().fit(frame, target)
    predicted = compiled.predict(mixed[COLUMNS]).tolist()
    uncompiled(monkeypatch, coded_columns, grower, nodes, routing)
    again = make().fit(frame, target)
    assert modelfile.digests(again) == modelfile.digests(compiled)
    assert again.predict(mixed[COLUMNS]).tolist() == predicted
