"""Along some columns a tree, and a forest, may only rise or only fall."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tallylearn as tl
from tallylearn import errors, modelfile
from tallylearn.models.forests import bootstrap, forest_grower
from tallylearn.models.trees.growing import coded_columns, grower
from tests.kernels.test_oracle import uncompiled

N = 240
SLOPES = {"up": 1, "down": -1}


def table(seed: int, gaps: float = 0.1) -> pd.DataFrame:
    """What rises and falls with two columns, and much besides."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.normal(size=N) for name in ("up", "down", "free")})
    frame["kind"] = rng.choice([*"pqrs"], N)
    y = frame["up"] - frame["down"] + np.sin(4 * frame["free"]) + (frame["kind"] > "q")
    frame["y"] = y + 2 * rng.normal(size=N)
    frame["two"] = np.where(frame["y"] > 0.5, "yes", "no")
    for name in ("down", "free", "kind"):
        frame[name] = frame[name].where(rng.random(N) >= gaps, None)
    return frame


def steps(learner: Any, frame: pd.DataFrame, column: str) -> np.ndarray:
    """What answers change by as one column grows and the others stay."""
    rows = frame[["up", "down", "free", "kind"]][:25]
    grid = np.linspace(-3, 3, 60)
    many = rows.loc[rows.index.repeat(len(grid))].reset_index(drop=True)
    many[column] = np.tile(grid, len(rows))
    classes = hasattr(learner, "predict_proba")
    said = learner.predict_proba(many)[:, 1] if classes else learner.predict(many)
    return np.diff(said.reshape(len(rows), -1), axis=1)


LEARNERS: list[tuple[Any, str, dict[str, Any]]] = [
    (tl.DecisionTreeClassifier, "two", {}),
    (tl.DecisionTreeClassifier, "two", {"criterion": "gain_ratio", "missing": "node"}),
    (tl.DecisionTreeClassifier, "two", {"missing": "class", "class_weight": {"yes": 3}}),
    (tl.DecisionTreeClassifier, "two", {"splitter": "random", "category_split": "multiway"}),
    (tl.DecisionTreeClassifier, "two", {"ccp_alpha": 0.005, "bins": 20}),
    (tl.DecisionTreeRegressor, "y", {}),
    (tl.DecisionTreeRegressor, "y", {"criterion": "sdr", "max_leaf_nodes": 20}),
    (tl.DecisionTreeRegressor, "y", {"missing": "global", "max_features": 2}),
    (tl.RandomForestClassifier, "two", {"n_estimators": 10}),
    (tl.RandomForestClassifier, "two", {"n_estimators": 10, "vote": "majority", "max_depth": 5}),
    (tl.RandomForestRegressor, "y", {"n_estimators": 10, "bins": None}),
]


@pytest.mark.parametrize(("learner", "target", "options"), LEARNERS)
def test_answers_rise_and_fall_as_they_were_told_to(
    learner: Any, target: str, options: dict[str, Any]
) -> None:
    frame = table(len(str(options)))
    columns = ["up", "down", "free", "kind", target]
    free = learner(**options).fit(frame[columns], target)
    assert (steps(free, frame, "up") < 0).any()  # it has to be told
    told = learner(monotonic_cst=SLOPES, **options).fit(frame[columns], target)
    up, down = (steps(told, frame, column) for column in ("up", "down"))
    assert (up >= 0).all()
    assert (up > 0).any()
    assert (down <= 0).all()
    assert (down < 0).any()


@pytest.mark.parametrize("slopes", [[1, -1, 0], [-1, 1, 1], [1, 1, 1]])
@pytest.mark.parametrize("options", [{}, {"max_depth": 3}, {"max_leaf_nodes": 6}])
def test_without_ties_trees_are_scikit_learns(slopes: list[int], options: dict[str, Any]) -> None:
    rng, compared = np.random.default_rng(5), 0
    for _ in range(6):
        X = rng.normal(size=(150, 3)).astype(np.float32).astype(float)
        y = X[:, 0] - X[:, 1] + np.sin(3 * X[:, 2]) + rng.normal(size=150)
        rows = rng.normal(size=(200, 3)).astype(np.float32).astype(float)
        given: dict[str, Any] = {"min_samples_leaf": 7, "monotonic_cst": slopes} | options
        ours = tl.DecisionTreeRegressor(**given).fit(X, y)
        if not ours.ties():
            compared += 1
            theirs = DecisionTreeRegressor(random_state=0, **given).fit(X, y)
            assert ours.predict(rows) == pytest.approx(theirs.predict(rows), rel=1e-9)
        kind = (y > 0).astype(int)
        tree = tl.DecisionTreeClassifier(**given).fit(X, kind)
        if not tree.ties():
            compared += 1
            peer = DecisionTreeClassifier(random_state=0, **given).fit(X, kind)
            assert tree.predict_proba(rows) == pytest.approx(peer.predict_proba(rows), abs=1e-12)
    assert compared > 3


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: tl.DecisionTreeClassifier(monotonic_cst=SLOPES), "two"),
        (lambda: tl.DecisionTreeRegressor(monotonic_cst=SLOPES, bins=9), "y"),
        (lambda: tl.RandomForestRegressor(2, monotonic_cst=SLOPES), "y"),
    ],
)
def test_interpreted_kernels_keep_the_order_alike(
    make: Any, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table(3)[["up", "down", "kind", target]][:50]
    compiled = make().fit(frame, target)
    uncompiled(monkeypatch, bootstrap, forest_grower, grower, coded_columns)
    assert modelfile.digests(make().fit(frame, target)) == modelfile.digests(compiled)


def test_slopes_by_name_are_those_in_order() -> None:
    frame = table(1)[["up", "down", "free", "y"]]
    named = tl.DecisionTreeRegressor(monotonic_cst={"down": -1}).fit(frame, "y")
    listed = tl.DecisionTreeRegressor(monotonic_cst=np.array([0, -1, 0])).fit(frame, "y")
    assert str(named) == str(listed)
    assert named.predict(frame).tolist() == listed.predict(frame).tolist()


def test_what_was_gained_is_told_of_orderly_questions_only() -> None:
    frame = table(2)[["up", "y"]]
    tree = tl.DecisionTreeRegressor(monotonic_cst=[-1], keep_rows=True, max_depth=3)
    gains = tree.fit(frame, "y").gains()
    free = tl.DecisionTreeRegressor(keep_rows=True, max_depth=3).fit(frame, "y").gains()
    assert len(gains) < len(free) / 2


@pytest.mark.parametrize(
    ("slopes", "words"),
    [
        ([1, 0], "monotonic_cst has shape 2 but the input data X has 4 features"),
        ([1, 0, 2, 0], "array-like of -1, 0 or 1, but got 2"),
        ([1, 0, 0.5, 0], "but got 0.5"),
        ([1, 0, "up", 0], "but got"),
        ([0, 0, 0, 1], "'kind', which has no order"),
        ({"kind": -1}, "'kind', which has no order"),
        ({"width": 1}, "monotonic_cst names 'width'"),
        ("up", "monotonic_cst must be a dict"),
        (1, "monotonic_cst must be a dict"),
        ([[1, 0, 0, 0]], "monotonic_cst must be a dict"),
    ],
)
@pytest.mark.parametrize("learner", [tl.DecisionTreeRegressor, tl.RandomForestRegressor])
def test_slopes_of_no_sense_are_refused(learner: Any, slopes: Any, words: str) -> None:
    frame = table(0)[["up", "down", "free", "kind", "y"]]
    with pytest.raises(errors.TallyError, match=words):
        learner(monotonic_cst=slopes).fit(frame, "y")


@pytest.mark.parametrize(
    ("learner", "options", "words"),
    [
        (
            tl.DecisionTreeRegressor,
            {"criterion": "absolute_error"},
            'Use criterion="squared_error"',
        ),
        (tl.DecisionTreeRegressor, {"missing": "fractional"}, 'Use missing="branch"'),
        (tl.DecisionTreeClassifier, {"pruning": "chi2"}, "Use significance"),
        (tl.DecisionTreeClassifier, {"pruning": "pessimistic"}, "Use ccp_alpha"),
        (tl.C45, {"missing": "branch", "pruning": None}, "Use variant=None"),
    ],
)
def test_what_cannot_keep_the_order_is_said(
    learner: Any, options: dict[str, Any], words: str
) -> None:
    target = "y" if learner is tl.DecisionTreeRegressor else "two"
    with pytest.raises(
        errors.OptionError, match=f"monotonic_cst cannot be combined with .*{words}"
    ):
        learner(monotonic_cst=SLOPES, **options).fit(table(0)[["up", "down", target]], target)


def test_more_than_two_classes_have_no_order() -> None:
    frame = table(0)[["up", "down", "kind"]].dropna()
    for learner in (tl.DecisionTreeClassifier, tl.RandomForestClassifier):
        with pytest.raises(errors.OptionError, match="not supported with multiclass"):
            learner(monotonic_cst=SLOPES).fit(frame, "kind")
