"""Comparing two models of scikit-learn beside two calls of its cross_val_score, in CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import tallylearn as tl

MODELS = {"logistic": LogisticRegression(max_iter=200), "tree": DecisionTreeClassifier(max_depth=8)}
FOLDS = StratifiedKFold(10)


def cpu(call: Callable[[], object]) -> float:
    before = time.process_time()
    call()
    return time.process_time() - before


def main() -> None:
    rng = np.random.default_rng(0)
    print("tl.compare of two models, ten folds: CPU seconds, best of five in turn")
    for n in (2_000, 10_000, 40_000):
        X = rng.normal(size=(n, 20))
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1).astype(int)

        def theirs(X: object = X, y: object = y) -> object:
            return [cross_val_score(model, X, y, cv=FOLDS) for model in MODELS.values()]

        def ours(X: object = X, y: object = y) -> object:
            return tl.compare(MODELS, X, y, cv=FOLDS).verdict

        times = [(cpu(theirs), cpu(ours)) for _ in range(6)][1:]
        peer, own = (min(side) for side in zip(*times, strict=True))
        print(f"  {n:6,} rows  cross_val_score {peer:6.2f}  compare {own:6.2f}  {own / peer:.3f}")


if __name__ == "__main__":
    main()
