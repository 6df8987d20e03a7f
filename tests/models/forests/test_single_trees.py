"""The trees of a forest, one by one: grown again, they are those that answer together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import tallylearn as tl
from tallylearn import errors

X, KINDS = load_iris(return_X_y=True)
TABLE = pd.DataFrame(X, columns=[*"abcd"]).assign(
    day=pd.date_range("2024-01-01", periods=150), colour=[*"xyz"] * 50,
    kind=np.array([*"rst"])[KINDS],
)  # fmt: skip
TABLE.loc[::7, "a"] = np.nan


@pytest.mark.parametrize(
    "forest",
    [
        tl.RandomForestClassifier(4),
        tl.RandomForestClassifier(4, class_weight="balanced_subsample"),
        tl.RandomForestClassifier(3, max_leaf_nodes=4, vote="soft", max_samples=0.5),
        tl.ExtraTreesClassifier(3), tl.RandomForestRegressor(4, ccp_alpha=0.01),
    ],
)  # fmt: skip
def test_its_trees_are_learners_whose_mean_it_is(forest: Any) -> None:
    forest.fit(TABLE.assign(kind=KINDS * 1.5 if forest.task == "regressor" else KINDS), "kind")
    answer = "predict_proba" if forest.task == "classifier" else "predict"
    trees = [*forest.estimators_]
    assert len(trees) == len(forest.estimators_) == forest.n_estimators
    mean = sum(getattr(tree, answer)(TABLE) for tree in trees) / len(trees)
    assert np.allclose(mean, getattr(forest, answer)(TABLE), atol=1e-12)
    assert np.array_equal(np.column_stack([t.apply(TABLE) for t in trees]), forest.apply(TABLE))
    passed, starts = forest.decision_path(TABLE)
    for tree, first, end in zip(trees, starts[:-1], starts[1:], strict=True):
        assert (passed[:, first:end] != tree.decision_path(TABLE)).nnz == 0
    assert forest.estimators_[-1].get_depth() == trees[-1].get_depth()
    assert [t.get_n_leaves() for t in forest.estimators_[:2]] == [
        t.get_n_leaves() for t in trees[:2]
    ]


def test_a_forest_is_a_sequence_of_its_trees() -> None:
    forest = tl.RandomForestClassifier(3).fit(TABLE, "kind")
    theirs = RandomForestClassifier(3).fit(X, KINDS)
    assert len(forest) == len(theirs) == 3
    assert isinstance(theirs.estimators_samples_, list)
    assert isinstance(forest.estimators_samples_, list)
    assert forest[-1].get_n_leaves() == forest.estimators_[2].get_n_leaves()
    assert [tree.get_depth() for tree in forest] == [t.get_depth() for t in forest.estimators_]
    assert len(forest[1:]) == 2
    with pytest.raises(IndexError):
        forest[3]
    assert tl.RandomForestRegressor()  # one that is not fitted is true, too
    with pytest.raises(errors.NotFitted):
        len(tl.RandomForestRegressor())


def test_a_tree_of_a_forest_tells_and_saves_as_any_other(tmp_path: Path) -> None:
    forest = tl.RandomForestClassifier(3).fit(TABLE, "kind")
    tree = forest.set_params(max_depth=1).estimators_[1]  # the options it grew with are kept
    assert tree.max_depth is None
    assert repr(forest.estimator_).startswith("DecisionTreeClassifier(max_depth=1, max_features=")
    assert tree.explain(TABLE.head(1))[0].notes
    tree.save(tmp_path / "tree.tally")
    assert (tl.load(tmp_path / "tree.tally").predict(TABLE) == tree.predict(TABLE)).all()
    with pytest.raises(IndexError):
        forest.estimators_[3]


def test_the_rows_of_a_bag_are_those_that_the_tree_counts() -> None:
    forest = tl.RandomForestClassifier(3).fit(X, KINDS)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        assert tree.model_.n[0] == len(rows)
        assert (tree.model_.counts[0] == np.bincount(KINDS[rows])).all()
    whole = tl.RandomForestClassifier(2, bootstrap=False).fit(X, KINDS).estimators_samples_
    assert [*whole[1]] == [*range(150)]


def test_a_forest_from_a_file_tells_its_bags_and_that_its_rows_are_gone(
    tmp_path: Path,
) -> None:
    forest = tl.RandomForestClassifier(3).fit(X, KINDS)
    forest.save(tmp_path / "forest.tally")
    again = tl.load(tmp_path / "forest.tally")
    assert np.array_equal(again.estimators_samples_[2], forest.estimators_samples_[2])
    assert len(again.estimators_) == 3
    with pytest.raises(errors.InputError, match="training rows were not kept"):
        again.estimators_[0]
    assert not hasattr(tl.RandomForestClassifier(), "estimators_")
