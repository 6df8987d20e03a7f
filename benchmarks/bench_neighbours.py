"""Neighbours and scalers beside scikit-learn and scipy, in one process.

python benchmarks/bench_neighbours.py        2e5 rows, 1e4 queries, 3, 10 and 50 columns
python benchmarks/bench_neighbours.py rule   the tree beside the sieve, by columns: where to change
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn import neighbors, preprocessing
from timing import heading, versus

import tallylearn as tl
from tallylearn.models.neighbours.neighbour_search import Tree
from tallylearn.models.neighbours.sieve import Sieve

RNG = np.random.default_rng(0)


def table(d: int, n: int = 200_000, queries: int = 10_000) -> tuple[Any, Any, Any]:
    """Normal rows, their classes, and rows to ask about."""
    X = RNG.normal(size=(n, d))
    return X, (X[:, 0] > 0).astype(int), RNG.normal(size=(queries, d))


def predictions() -> None:
    heading("Neighbours: 2e5 rows, 1e4 queries, k = 5, predict")
    for d, bar in ((3, 1), (10, 2), (50, 2)):
        X, y, Q = table(d)
        ours = tl.KNeighborsClassifier().fit(X, y)
        theirs = neighbors.KNeighborsClassifier(n_jobs=-1).fit(X, y)
        versus(f"{d} columns, beside scikit-learn", partial(ours.predict, Q),
               partial(theirs.predict, Q), bar, 1)  # fmt: skip
        if d == 3:
            search = partial(cKDTree(X).query, Q, 5, workers=2)
            versus("3 columns, beside scipy's search alone", partial(ours.predict, Q), search, 0.67)


def scalers() -> None:
    heading("Scalers: 1e6 x 20")
    X = RNG.normal(size=(1_000_000, 20))
    for name in ("StandardScaler", "MinMaxScaler"):
        mine, theirs = getattr(tl, name)(), getattr(preprocessing, name)()
        for call in ("fit", "fit_transform"):
            pair = (partial(getattr(one, call), X) for one in (mine, theirs))
            versus(f"{name}.{call}", *pair, 1, 3)


def rule() -> None:
    heading("The sieve beside the tree, 2000 queries")
    for n in (5_000, 200_000):
        for d in (2, 4, 6, 7, 8, 9, 10):
            X, _, Q = table(d, n, 2_000)
            sieve, tree = Sieve.of(X), Tree(X, "euclidean", 2.0, 30)
            pair = (partial(one.nearest, Q, 5) for one in (sieve, tree))
            versus(f"{n:,} rows, {d} columns", *pair, 1, 2)


if __name__ == "__main__":
    if "rule" in sys.argv:
        rule()
    else:
        predictions()
        scalers()
