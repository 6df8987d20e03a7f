"""What users of scikit-learn's trees look for: its arrays, its paths, criteria and splitters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.tree

import tallylearn as tl
from tallylearn import errors
from tallylearn.sources.memory import sparse_matrices
from tallylearn.tables import Array
from tests.models.trees.test_growing import weights_for_both

ARRAYS = ("children_left", "children_right", "feature", "threshold", "impurity", "value",
          "n_node_samples", "weighted_n_node_samples", "missing_go_to_left")  # fmt: skip
NUMBERS = ("node_count", "n_leaves", "max_depth", "n_features", "n_outputs", "max_n_classes")


def measured(n: int = 200, p: int = 4, seed: int = 3) -> tuple[Array, Array]:
    """Rows in single precision, no two values alike."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)).astype(np.float32).astype(np.float64), rng.normal(size=n)


def same_arrays(ours: Any, theirs: Any) -> None:
    for name in NUMBERS:
        assert getattr(ours, name) == getattr(theirs, name), name
    for name in ARRAYS:
        assert np.allclose(getattr(ours, name), getattr(theirs, name)), name
    assert np.array_equal(ours.n_classes, theirs.n_classes)


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_a_regression_tree_has_scikit_learns_arrays(criterion: str, weighed: bool) -> None:
    X, y = measured()
    y = np.exp(y)
    drawn = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    drawn = weights_for_both(len(y), 5) if criterion == "absolute_error" else drawn
    weight = drawn if weighed else None
    options = {"criterion": criterion, "max_depth": 3, "min_samples_leaf": 5}
    ours = tl.DecisionTreeRegressor(**options).fit(X, y, sample_weight=weight)
    theirs = sklearn.tree.DecisionTreeRegressor(**options).fit(X, y, sample_weight=weight)
    assert ours.tree_.node_count > 7
    same_arrays(ours.tree_, theirs.tree_)
    assert ours.max_features_ == theirs.max_features_
    assert ours.n_outputs_ == theirs.n_outputs_


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_decision_tree_has_scikit_learns_arrays(criterion: str) -> None:
    X, y = measured(600)
    y = np.digitize(X[:, 0] + X[:, 1] + 2 * y, [-1, 1])
    options = {"criterion": criterion, "max_depth": 3, "min_samples_leaf": 40}
    ours = tl.DecisionTreeClassifier(**options).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(**options).fit(X, y)
    assert ours.tree_.node_count > 7
    assert not ours.ties()
    same_arrays(ours.tree_, theirs.tree_)
    assert ours.n_classes_ == theirs.n_classes_ == 3
    single = X.astype(np.float32)
    assert np.array_equal(ours.tree_.apply(X), theirs.tree_.apply(single))
    assert np.allclose(ours.tree_.predict(X), theirs.tree_.predict(single))
    assert (ours.tree_.decision_path(X) != theirs.tree_.decision_path(single)).nnz == 0
    assert (ours.decision_path(X) != theirs.decision_path(X)).nnz == 0


def test_the_same_tree_in_scikit_learns_class_answers_alike() -> None:
    X, y = measured()
    X[::7, 2] = np.nan
    tree = tl.DecisionTreeRegressor(missing="node").fit(X, y)
    theirs = tree.to_sklearn()
    assert isinstance(theirs, sklearn.tree.DecisionTreeRegressor)
    assert np.array_equal(theirs.predict(X), tree.predict(X))
    assert sklearn.tree.export_text(theirs, max_depth=99).count("value:") == tree.get_n_leaves()
    names = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1.0, 1, 2, 2]})
    named = tl.DecisionTreeClassifier().fit(names, ["u", "v", "v", "u"]).to_sklearn()
    assert named.predict(names).tolist() == ["u", "v", "v", "u"]
    assert "|--- a <= 1.50" in sklearn.tree.export_text(named, feature_names=["a", "b"])


def test_whether_there_is_a_value_is_a_threshold_at_infinity() -> None:
    X = np.array([[1.0, 5.0], [2, 4], [3, 3], [4, 6], [np.nan, 1], [np.nan, 2]])
    y = ["some"] * 4 + ["none"] * 2
    tree = tl.DecisionTreeClassifier().fit(X[:, :1], y)
    assert tree.tree_.threshold.tolist() == [np.inf, -2, -2]
    assert tree.to_sklearn().predict(X[:, :1]).tolist() == y


def test_what_scikit_learns_arrays_cannot_hold_is_said_with_the_remedy() -> None:
    tennis = tl.ID3().fit(tl.example("tennis"))
    with pytest.raises(errors.OptionError, match=r"categories of 'Outlook'.*Encode"):
        _ = tennis.tree_.children_left
    X, y = measured(60)
    X[::3, 0] = np.nan
    y = np.where(np.isnan(X[:, 0]), 5.0, np.sign(X[:, 0]))
    gap = tl.DecisionTreeRegressor(missing="branch").fit(X, y)
    with pytest.raises(errors.OptionError, match=r'branch for missing values.*missing="side"'):
        gap.to_sklearn()
    parts = tl.DecisionTreeRegressor(missing="fractional", max_depth=1).fit(X, y)
    with pytest.raises(errors.OptionError, match=r'missing="fractional".*missing="node"'):
        parts.to_sklearn()
    assert tennis.tree_.node_count == 8
    assert tennis.tree_.value.shape == (8, 1, 2)


def test_a_path_of_any_tree_is_the_nodes_above_its_end() -> None:
    table = tl.example("tennis")
    tree = tl.ID3().fit(table)
    found = tree.decision_path(table)
    assert found.shape == (14, 8)
    for row, end in zip(found, tree.apply(table).tolist(), strict=True):
        assert row.indices.tolist() == list(tree.tree_.above(end))


# Poisson


def test_poissons_impurity_is_the_mean_of_y_log_y_by_the_mean() -> None:
    X, _ = measured(80)
    y = np.random.default_rng(2).poisson(np.exp(X[:, 0])).astype(float)
    tree = tl.DecisionTreeRegressor(criterion="poisson", max_depth=2).fit(X, y)
    ends, m = tree.apply(X), tree.tree_
    for leaf in m.leaves.tolist():
        here = y[ends == leaf]
        terms = [v * math.log(v / here.mean()) if v else 0.0 for v in here]
        assert m.impurity[leaf] == pytest.approx(sum(terms) / len(here), abs=1e-9)
        assert m.answer[leaf] == pytest.approx(here.mean())
        assert here.mean() > 0


def test_poisson_asks_the_same_with_weights_as_with_rows_twice_and_in_any_order() -> None:
    X, _ = measured(60)
    y = np.random.default_rng(2).poisson(2.0, 60).astype(float)
    weight = np.random.default_rng(1).integers(1, 3, 60)
    make = tl.DecisionTreeRegressor(criterion="poisson", min_samples_leaf=4)
    one = make.fit(X, y, sample_weight=weight.astype(float)).tree_
    order = np.random.default_rng(0).permutation(60)
    again = make.fit(X[order], y[order], sample_weight=weight[order].astype(float)).tree_
    for name in ("threshold", "impurity", "answer", "gain"):
        assert np.array_equal(getattr(one, name), getattr(again, name))
    few = tl.DecisionTreeRegressor(criterion="poisson", max_depth=3)
    first = few.fit(X, y, sample_weight=weight.astype(float)).tree_
    twice = few.fit(np.repeat(X, weight, 0), np.repeat(y, weight)).tree_
    assert np.array_equal(first.threshold, twice.threshold)
    assert np.allclose(first.impurity, twice.impurity, rtol=1e-9)


def test_the_gains_of_poisson_are_those_that_the_kernel_chose_by() -> None:
    X, _ = measured(60)
    y = np.random.default_rng(2).poisson(np.exp(X[:, 1])).astype(float)
    tree = tl.DecisionTreeRegressor(keep_rows=True, criterion="poisson", min_samples_leaf=3).fit(
        X, y
    )
    for node in np.flatnonzero(tree.tree_.column >= 0).tolist():
        best = max(tree.gains(node), key=lambda candidate: candidate.gain)
        assert best.gain == pytest.approx(tree.tree_.gain[node], rel=1e-9)
    parts = tl.DecisionTreeRegressor(criterion="poisson", min_samples_leaf=3, missing="fractional")
    by_hand = parts.fit(X, y).tree_
    assert np.array_equal(by_hand.threshold, tree.tree_.threshold)


def test_no_cut_of_poisson_leaves_a_mean_of_zero() -> None:
    X, y = [[0.0], [1], [2], [3], [4]], [0.0, 0, 0, 4, 8]
    tree = tl.DecisionTreeRegressor(criterion="poisson").fit(X, y)
    assert (tree.predict(X) > 0).all()
    assert "±" not in str(tree)
    assert "±" not in str(tree.rules())
    with pytest.raises(errors.TargetError, match="-1 in row 1"):
        tl.DecisionTreeRegressor(criterion="poisson").fit([[1], [2]], [1.0, -1.0])
    with pytest.raises(errors.TargetError, match="needs a positive target"):
        tl.DecisionTreeRegressor(criterion="poisson").fit([[1], [2]], [0.0, 0.0])


# Random splits


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson", "sdr"])
def test_a_drawn_tree_depends_on_its_seed_and_on_nothing_else(criterion: str) -> None:
    X, y = measured(120)
    y = np.exp(y)

    def grown(seed: int, order: Array, threads: int = 1) -> Any:
        make = tl.DecisionTreeRegressor(
            criterion=criterion, splitter="random", random_state=seed, max_features=2
        )
        with tl.engine(threads):
            return make.fit(X[order], y[order]).tree_

    rows = np.arange(120)
    one, two = grown(1, rows), grown(1, rows[::-1], threads=2)
    assert np.array_equal(one.threshold, two.threshold)
    assert np.array_equal(one.answer, two.answer)
    assert not np.array_equal(one.threshold, grown(2, rows).threshold)
    assert np.allclose(one.predict(X)[:, 0], y)  # grown to the end


def test_cuts_are_drawn_evenly_over_the_range_of_a_column() -> None:
    X = np.concatenate([np.linspace(0, 1, 50), np.linspace(9, 10, 50)])[:, None]
    y = np.random.default_rng(0).normal(size=100)
    cuts = [
        tl.DecisionTreeRegressor(splitter="random", max_depth=1, random_state=seed).fit(X, y)
        .tree_.threshold[0]
        for seed in range(300)
    ]  # fmt: skip
    assert 0.7 < np.mean([1 < cut < 9 for cut in cuts]) < 0.9  # eight tenths of the range
    assert min(cuts) < 1
    assert max(cuts) > 9


def test_a_drawn_question_of_categories_has_two_groups_or_one_branch_each() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice(list("abcde"), 60), "x": rng.normal(size=60)})
    frame.loc[::9, "c"] = None
    y = rng.choice(["u", "v"], 60)
    groups = set()
    for seed in range(20):
        tree = tl.DecisionTreeClassifier(
            splitter="random", random_state=seed, max_depth=1, missing="branch"
        )
        first = tree.fit(frame[["c"]], y).tree_.branches(0)
        assert sorted(value for branch in first for value in branch.values) == list("abcde")
        groups.add(first[0].values)
        assert [branch.relation for branch in first] == ["in", "in", "missing"]
    assert len(groups) > 8
    many = tl.ID3(splitter="random", max_depth=1, max_features=1).fit(frame[["c"]], y)
    assert len(many.tree_.branches(0)) == 6


def test_columns_are_drawn_by_trees_that_are_grown_by_hand_too() -> None:
    X, y = measured(150)
    asked = {
        int(tl.DecisionTreeRegressor(criterion="absolute_error", max_features=1, max_depth=1,
                                     random_state=seed).fit(X, y).tree_.feature[0])
        for seed in range(30)
    }  # fmt: skip
    assert asked == {0, 1, 2, 3}
    X[:, 1:] = 0  # where the drawn column has no question, others are tried
    only = tl.DecisionTreeRegressor(criterion="absolute_error", max_features=1, max_depth=1)
    assert only.fit(X, y).tree_.feature[0] == 0


# Sparse rows


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_rows_are_learned_and_answered_as_if_their_zeros_were_written(form: str) -> None:
    X = np.random.default_rng(0).poisson(0.4, (80, 6)).astype(float)
    y = X[:, 0] + 2 * X[:, 1]
    sparse = scipy.sparse.csr_array(X).asformat(form)
    dense, tree = tl.DecisionTreeRegressor().fit(X, y), tl.DecisionTreeRegressor().fit(sparse, y)
    assert np.array_equal(dense.tree_.threshold, tree.tree_.threshold)
    assert np.array_equal(tree.predict(sparse), dense.predict(X))
    assert tree.score(sparse, y) == dense.score(X, y) == 1.0
    assert np.array_equal(tree.apply(sparse), dense.apply(X))
    assert len(tree.gains(0, sparse, y)) == len(dense.gains(0, X, y))
    with pytest.raises(errors.KindError, match="sparse matrix is not accepted as a table"):
        tl.NaiveBayes().fit(sparse, y.astype(int))
    with pytest.raises(errors.KindError, match=r"y\.toarray\(\)\.ravel\(\)"):
        tl.DecisionTreeRegressor().fit(X, scipy.sparse.csr_array(y[:, None]))


def test_a_sparse_matrix_that_would_fill_the_memory_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_matrices, "MAX_FILLED_CELLS", 2**20)
    huge = scipy.sparse.csr_array((2000, 600))
    with pytest.raises(errors.InputError, match="2,000 x 600 cells"):
        tl.DecisionTreeClassifier().fit(huge, np.arange(2000) % 2)


def test_counts_of_many_rows_do_not_overflow() -> None:
    x = np.arange(1_000_000) % 2
    y = np.where(x > 0, 3.75, 3.5)
    tree = tl.DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(x[:, None], y)
    assert tree.model_.answer.tolist() == [3.625, 3.5, 3.75]
    assert tree.tree_.n_node_samples.tolist() == [1_000_000, 500_000, 500_000]
