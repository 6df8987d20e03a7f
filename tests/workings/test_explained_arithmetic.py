"""Explanations of centroids, densities, votes and pipelines: their arithmetic is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tests.workings.arithmetic import check_explanation


def frame(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, 50)
    table = pd.DataFrame({"a": rng.normal(kind * 2 + 40, 1), "b": rng.normal(0, 0.01, 50) + kind})
    table["y"] = np.array(list("pqr"))[kind]
    return table


MEMBERS = [("bayes", tl.NaiveBayes()), ("centroid", tl.NearestCentroid()), ("tree", tl.CART())]
CLASSIFIERS = [
    (tl.NearestCentroid(), 3), (tl.NaiveBayes(), 6), (tl.VotingClassifier(MEMBERS), 3),
    (tl.VotingClassifier(MEMBERS, voting="soft", weights=[1, 2, 4]), 3),
    (tl.Pipeline([tl.StandardScaler(), tl.KNeighborsClassifier(3)]), 6),
    (tl.Pipeline([tl.MinMaxScaler(feature_range=(-1, 2)), tl.LinearDiscriminantAnalysis()]), 6),
]  # fmt: skip


@pytest.mark.parametrize(("learner", "least"), CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_every_printed_number_follows_from_the_printed_operands(learner: Any, least: int) -> None:
    rows = frame(1).drop(columns="y")[:6]
    assert check_explanation(learner.fit(frame(), "y").explain(rows)) >= 6 * least


def test_every_member_of_a_vote_is_named_with_its_vote() -> None:
    model = tl.VotingClassifier(MEMBERS).fit(frame(), "y")
    rows = frame(1).drop(columns="y")[:1]
    text = str(model.explain(rows))
    for name, member in zip(("bayes", "centroid", "tree"), model.estimators_, strict=True):
        (line,) = (one for one in text.splitlines() if one.startswith(f"{name} "))
        assert line.split() == [name, "0.3333", str(member.predict(rows)[0])]


def test_regressors_add_up_their_members() -> None:
    table = frame().drop(columns="y")
    members = [("line", tl.LinearRegression()), ("tree", tl.DecisionTreeRegressor(max_depth=2))]
    model = tl.VotingRegressor(members, weights=[1, 3]).fit(table, "b")
    assert check_explanation(model.explain(table[["a"]][:4])) == 4


def test_a_pipeline_shows_each_step_of_the_row() -> None:
    rows = [[1.0, None], [2.0, 100.0], [8.0, 300.0], [9.0, 200.0]]
    steps = [tl.SimpleImputer(), tl.StandardScaler(), tl.KNeighborsClassifier(1)]
    text = str(tl.Pipeline(steps).fit(rows, list("aabb")).explain([[7.0, None]]))
    assert "SimpleImputer                          7                      200" in text
    assert "StandardScaler  (7 - 5) / 3.536 = 0.5657  (200 - 200) / 70.71 = 0" in text


def test_a_pipeline_with_other_columns_shows_them() -> None:
    table = pd.DataFrame({"c": list("pqpq"), "x": [1.0, 2.0, 3.0, 4.0], "y": list("aabb")})
    model = tl.Pipeline([tl.OneHotEncoder(), tl.NearestCentroid()]).fit(table, "y")
    text = str(model.explain(table[:1].drop(columns="y")))
    assert "OneHotEncoder    1    0  1" in text


def test_a_clipped_value_says_so() -> None:
    model = tl.Pipeline([tl.MinMaxScaler(clip=True), tl.NearestCentroid()])
    text = str(model.fit([[0.0], [1.0], [3.0], [4.0]], list("aabb")).explain([[8.0]]))
    assert "(8 - 0) / 4 = 2, limited to 1" in text
