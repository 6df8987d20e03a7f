"""Fitted models with their steps, and the numbers that the last step must have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tallylearn as tl
from tallylearn.workings.step_sequence import StepSequence

Case = tuple[StepSequence, dict[str, Any]]
ROW = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}


def points(seed: int = 1, gap: float = 2.0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.normal([1, 1], 0.6, (8, 2)), rng.normal(1 + gap, 0.6, (8, 2))])
    x = np.round(x, 1)
    return {"a": x[:, 0], "b": x[:, 1], "c": ["no"] * 8 + ["yes"] * 8}


def id3() -> Case:
    tree = tl.ID3().fit(tl.example("tennis"), "PlayTennis")
    return tree.steps(), {"tree": tree.text(), "nodes": len(tree.tree_)}


def cart() -> Case:
    tree = tl.CART().fit(points(gap=1.0), "c")
    return tree.steps(), {"tree": tree.text(), "leaves": tree.get_n_leaves()}


def regression_tree() -> Case:
    tree = tl.DecisionTreeRegressor(max_depth=3).fit(
        {"x": [1, 2, 3, 4, 5, 6], "y": [1, 1, 2, 5, 5, 9]}, "y"
    )
    return tree.steps(), {"tree": tree.text()}


def k_means() -> Case:
    table = {name: points()[name] for name in "ab"}
    model = tl.KMeans(3, init="random", n_init=1, random_state=3).fit(table)
    return model.steps(table), {"centres": model.cluster_centers_, "labels": model.labels_,
                                "inertia": model.inertia_}  # fmt: skip


def perceptron() -> Case:
    model = tl.Perceptron().fit(points(gap=4.0), "c")
    weights = np.column_stack([model.intercept_, model.coef_])
    return model.steps().sequence(), {"weights": weights}


def lms() -> Case:
    table = {"x": [0.0, 1, 2, 3, 4], "y": [1, 3, 2, 5, 4]}
    model = tl.LMS(0.05, scaling="mean", steps=30).fit(table, "y")
    return model.descent(table), {"weights": [model.intercept_, *model.coef_]}


def nearest_neighbours() -> Case:
    model = tl.KNeighborsClassifier(5).fit(points(gap=1.0), "c")
    row = {"a": 1.5, "b": 1.6}
    shares = dict(zip(model.classes_.tolist(), model.predict_proba(row)[0].tolist(), strict=True))
    return model.steps(row), {"shares": shares, "prediction": model.predict(row)[0]}


def naive_bayes() -> Case:
    model = tl.NaiveBayes().fit(tl.example("tennis"), "PlayTennis")
    shares = dict(zip(model.classes_.tolist(), model.predict_proba(ROW)[0].tolist(), strict=True))
    return model.steps(ROW), {"posterior": shares, "prediction": model.predict(ROW)[0]}


def version_space() -> Case:
    days = [
        {"Sky": "Sunny", "Temp": "Warm", "Humid": "Normal", "Wind": "Strong", "Sail": "Yes"},
        {"Sky": "Sunny", "Temp": "Warm", "Humid": "High", "Wind": "Strong", "Sail": "Yes"},
        {"Sky": "Rainy", "Temp": "Cold", "Humid": "High", "Wind": "Strong", "Sail": "No"},
        {"Sky": "Sunny", "Temp": "Warm", "Humid": "High", "Wind": "Weak", "Sail": "Yes"},
    ]
    space = tl.VersionSpace.conjunctions().fit(days, "Sail")
    ends = {"specific": [*map(str, space.specific)], "general": [*map(str, space.general)],
            "members": [*map(str, space.members)]}  # fmt: skip
    return space.steps(), ends


CASES: dict[str, Callable[[], Case]] = {
    one.__name__: one
    for one in (id3, cart, regression_tree, k_means, perceptron, lms, nearest_neighbours,
                naive_bayes, version_space)
}  # fmt: skip
