"""Convert a fitted tree to scikit-learn's class, for programs that take no other."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from tallylearn.errors import OptionError

COPIED_ATTRIBUTES = ("classes_", "n_classes_", "n_features_in_", "feature_names_in_", "n_outputs_",
          "max_features_")  # fmt: skip


def as_sklearn(learner: Any, tree: Any) -> Any:
    """A fitted ``sklearn.tree`` estimator with the nodes of a binary tree.

    scikit-learn rounds rows to single precision before it compares them with a threshold, so a
    value within 6e-8 of a threshold, relatively, may go the other way there.
    """
    theirs = _class_of(learner)
    if tree.fractional:
        raise OptionError(
            'a tree with missing="fractional" sends a row down several branches, which '
            'scikit-learn\'s trees cannot. Fit with missing="node".'
        )
    found = theirs(**_params(learner, theirs))
    for name in COPIED_ATTRIBUTES:
        if hasattr(learner, name):
            setattr(found, name, getattr(learner, name))
    found.tree_ = _tree(tree)
    return found


def _class_of(learner: Any) -> Any:
    from sklearn import tree

    if learner.task == "classifier":
        return tree.DecisionTreeClassifier
    return tree.DecisionTreeRegressor


def _params(learner: Any, theirs: Any) -> dict[str, Any]:
    """The options that both have, where they mean the same there."""
    known = inspect.signature(theirs.__init__).parameters
    found = {name: value for name, value in learner.get_params().items() if name in known}
    if found["criterion"] not in theirs._parameter_constraints["criterion"][0].options:
        del found["criterion"]
    if found.get("ccp_alpha") == "cv":
        del found["ccp_alpha"]
    return found


def _tree(tree: Any) -> Any:
    from sklearn.tree._tree import NODE_DTYPE, Tree

    nodes = np.zeros(tree.node_count, NODE_DTYPE)
    nodes["left_child"], nodes["right_child"] = tree.children_left, tree.children_right
    nodes["feature"], nodes["impurity"] = tree.feature, tree.impurity
    presence = np.where(tree.feature < 0, -2.0, np.inf)  # is there a value at all?
    nodes["threshold"] = np.where(np.isnan(tree.threshold), presence, tree.threshold)
    nodes["n_node_samples"] = tree.n_node_samples
    nodes["weighted_n_node_samples"] = tree.weighted_n_node_samples
    nodes["missing_go_to_left"] = tree.missing_go_to_left
    found = Tree(tree.n_features, tree.n_classes.astype(np.intp), tree.n_outputs)
    found.__setstate__({
        "max_depth": tree.max_depth, "node_count": tree.node_count, "nodes": nodes,
        "values": np.ascontiguousarray(tree.value, dtype=np.float64),
    })  # fmt: skip
    return found
