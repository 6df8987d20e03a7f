"""Model files: bytes a node, beside scikit-learn's pickle of the same tree."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
from timing import heading

import tallylearn as tl

N = 20_000


def bytes_a_node(learner: tl.DecisionTreeClassifier | tl.DecisionTreeRegressor) -> None:
    path = Path(tempfile.mkdtemp()) / "tree.tally"
    learner.save(path)
    nodes, theirs = len(learner.tree_), len(pickle.dumps(learner.to_sklearn()))
    ours = path.stat().st_size
    ties = len(learner.model_.tie_columns) / nodes  # which scikit-learn does not tell
    print(
        f"{learner.constructor_call():<44} {nodes:7,} nodes {ours / nodes:6.1f} "
        f"{theirs / nodes:6.1f} bytes"
        f" a node {ours / theirs:6.2f}x   bar 1x {'met' if ours <= theirs else 'MISSED'}"
        f"   ({ties:.1f} ties)"
    )


if __name__ == "__main__":
    heading(f"model files of trees, {N:,} rows: ours, scikit-learn's pickle, ratio")
    rng = np.random.default_rng(0)
    for p, k in ((20, 2), (10, 5)):
        X = rng.normal(size=(N, p))
        y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=N) / 2
        classes = np.digitize(y, np.quantile(y, np.linspace(0, 1, k + 1)[1:-1]))
        bytes_a_node(tl.DecisionTreeClassifier().fit(X, classes))
        bytes_a_node(tl.DecisionTreeClassifier(max_depth=8).fit(X, classes))
        bytes_a_node(tl.DecisionTreeRegressor(min_samples_leaf=5).fit(X, y))
        bytes_a_node(tl.DecisionTreeRegressor().fit(X, y))
    print("40 columns: thresholds of ties that are measured to two decimals, and that are noise")
    X = rng.normal(size=(N, 40))
    for decimals in (2, 17):
        bytes_a_node(tl.DecisionTreeRegressor().fit(X.round(decimals), X[:, 0] + X[:, 1] * X[:, 2]))
    bytes_a_node(tl.DecisionTreeRegressor(min_samples_split=5).fit(X, X[:, 0] + X[:, 1] * X[:, 2]))
