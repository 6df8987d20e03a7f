"""Default boosted trees beside scikit-learn's and LightGBM's: accuracy, or R2, with intervals.

The tables are those of forest_parity.py that lie in ``../shared/data``; each seed predicts all of
ten folds, or one of them where a table has more than 5,000 rows. Columns of more than 250
categories are left out. Differences are in points.

Usage: boosting_parity.py [--seeds 3] [--tables NAME ...]
"""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

import numpy as np
from forest_parity import SHARED_TABLES, difference, of_classification, splits

import tallylearn as tl

MAX_CATEGORIES = 250


def booster(learner: str, name: str, seed: int) -> Any:
    kind = "Classifier" if of_classification(name) else "Regressor"
    if learner == "tallylearn":
        return getattr(tl, f"HistGradientBoosting{kind}")(random_state=seed)
    if learner == "scikit-learn":
        from sklearn import ensemble

        theirs = getattr(ensemble, f"HistGradientBoosting{kind}")
        return theirs(random_state=seed, categorical_features="from_dtype")
    import lightgbm

    return getattr(lightgbm, f"LGBM{kind}")(random_state=seed, verbose=-1)


def with_few_categories(X: Any, known: Any) -> Any:
    """The columns that scikit-learn takes: those of at most 255 categories."""
    words = known.select_dtypes(["category", "bool"]).columns
    return X.drop(columns=[name for name in words if known[name].nunique() > MAX_CATEGORIES])


def score(learner: str, name: str, seed: int) -> float:
    """Accuracy or R2 in points, over all rows that the seed predicts."""
    known, predicted = [], []
    for every, y, rest, truth in splits(name, seed):
        X, others = (with_few_categories(one, every) for one in (every, rest))
        model = booster(learner, name, seed).fit(X, y)
        known.append(np.asarray(truth))
        predicted.append(np.asarray(model.predict(others)))
    right, said = np.concatenate(known), np.concatenate(predicted)
    if of_classification(name):
        return 100 * float(np.mean(said == right))
    return 100 * float(1 - np.sum((right - said) ** 2) / np.sum((right - right.mean()) ** 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", nargs="*", default=[*SHARED_TABLES], choices=SHARED_TABLES)
    chosen = parser.parse_args()
    peers = ["scikit-learn"] + ["LightGBM"] * bool(importlib.util.find_spec("lightgbm"))
    print(f"{'table':<16} {'ours':>7}  " + "  ".join(f"{'- ' + one:<18}" for one in peers))
    means: dict[str, list[float]] = {one: [] for one in peers}
    for name in chosen.tables:
        ours = [score("tallylearn", name, seed) for seed in range(chosen.seeds)]
        cells = []
        for peer in peers:
            theirs = [score(peer, name, seed) for seed in range(chosen.seeds)]
            mean, half = difference(ours, theirs)
            means[peer].append(mean)
            cells.append(f"{mean:+6.2f} ± {half:5.2f}    ")
        print(f"{name:<16} {np.mean(ours):7.2f}  " + "  ".join(cells), flush=True)
    print("mean of the differences: "
          + ", ".join(f"{one} {np.mean(found):+.2f}" for one, found in means.items()))  # fmt: skip


if __name__ == "__main__":
    main()
