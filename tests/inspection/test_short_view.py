"""The short view of a model fits its lines, and shows the largest effects first."""

from __future__ import annotations

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.inspection.short_view import short_view

CLASSIFIERS = [
    tl.NaiveBayes(), tl.LinearDiscriminantAnalysis(), tl.LogisticRegression(),
    tl.DecisionTreeClassifier(), tl.C45(), tl.RandomForestClassifier(3, random_state=0),
    tl.HistGradientBoostingClassifier(max_iter=3), tl.DummyClassifier(),
    tl.Pipeline([tl.SimpleImputer(), tl.KNeighborsClassifier()]),
]  # fmt: skip


def name(learner: object) -> str:
    return type(learner).__name__


@pytest.mark.parametrize("learner", CLASSIFIERS, ids=name)
def test_a_view_has_as_many_lines_as_there_is_room(learner: tl.NaiveBayes) -> None:
    loans = tl.example("loans")
    model = learner.fit(loans)
    block = next(iter(loans.blocks()))
    for most in (3, 8, 400):
        view = short_view(model, block, most)
        assert 0 < len(view.lines) <= most
        assert max(map(len, view.lines)) <= 80
    assert view.left_out == 0
    assert short_view(model, block, 2).left_out > 0 or len(view.lines) <= 2


def test_coefficients_are_sorted_by_their_effect_on_the_rows() -> None:
    rng = np.random.default_rng(0)
    frame = {"small": rng.normal(size=99), "large": 1000 * rng.normal(size=99),
             "kind": rng.choice(["a", "b"], 99).tolist()}  # fmt: skip
    y = 3 * frame["small"] + 0.01 * np.asarray(frame["large"]) + rng.normal(size=99)
    table = tl.table({**frame, "y": y}, target="y")
    model = tl.Ridge(1.0).fit(table)
    view = short_view(model, next(iter(table.blocks())), 9)
    assert view.lines[0].split() == ["coef", "coef", "·", "std", "dev"]
    assert [line.split()[0] for line in view.lines[1:]] == ["large", "small", "kind=b"]
    coef, effect = map(float, view.lines[1].split()[1:])
    assert coef == pytest.approx(model.coef_[1], rel=1e-3)
    assert effect == pytest.approx(model.coef_[1] * np.std(frame["large"]), rel=1e-3)


def test_classes_have_a_column_each() -> None:
    rows = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 5, "y": ["a", "a", "b", "b", "c", "c"] * 5}
    table = tl.table(rows, target="y")
    view = short_view(tl.LogisticRegression().fit(table), next(iter(table.blocks())), 5)
    assert view.lines[0].split() == ["a", "b", "c"]
    assert view.lines[1].split()[0] == "x"
