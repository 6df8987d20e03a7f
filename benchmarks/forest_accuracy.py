"""Forests beside their peers in accuracy: the mean of ten seeds on every set of 300 rows and more.

Ours with ``bins=255`` and with thresholds between all values (``bins=None``), scikit-learn's with
categories one-hot and with categories by number, Weka's where ``../shared/reference`` has it (one
seed). All grow 100 trees and answer the same ten folds, Weka's where they are known; of a set of
more than ``LARGE`` rows every seed answers one fold, another one each. Accuracy, or R2, in points.
A set is met where ours is at most one point below the worse of scikit-learn's and Weka's. Below the
table the means over sets, and how far ours are from the peers': the mean of the differences by set
and seed, with the standard error that the seeds give it (the sets and folds stay as they are).

Usage: forest_accuracy.py [--seeds 10] [--sets car vote] [--save now.json]
       sets that the file has for as many seeds are not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from noise_columns import CLASSES, MEASURES, SEED, SHARED, table
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

import tallylearn as tl

REFERENCE = SHARED.parent / "reference"
LARGE = 1_000
FOREST = "weka.classifiers.trees.RandomForest -I 100 -S 1"
OURS = ("bins=255", "exact")
THEIRS = ("one-hot", "numbered", "Weka")
Make = Callable[[int], Any]
Row = dict[str, list[float]]  # of every peer, the score of every seed


def peers(classes: bool) -> dict[str, Make]:
    """A learner of every kind, by seed."""
    own: Any = tl.RandomForestClassifier if classes else tl.RandomForestRegressor
    theirs: Any = RandomForestClassifier if classes else RandomForestRegressor
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    numbered = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1
    )

    def encoded(encoder: Any) -> Make:
        named = make_column_selector(dtype_include=["category", "bool"])
        made = make_column_transformer((encoder, named), remainder="passthrough")
        return lambda seed: make_pipeline(made, theirs(random_state=seed))

    return {
        "bins=255": lambda seed: own(random_state=seed, bins=255, keep_rows=False),
        "exact": lambda seed: own(random_state=seed, bins=None, keep_rows=False),
        "one-hot": encoded(hot),
        "numbered": encoded(numbered),
    }


def folds(name: str, X: pd.DataFrame, y: pd.Series) -> tuple[list[Any], float]:
    """The rows of ten folds, and what Weka scores on them; NaN where that is not known."""
    path = REFERENCE / f"weka39_{name}.json"
    told = json.loads(path.read_text()) if path.exists() else {}
    scores = [one["cv_accuracy"] for one in told.get("results", ()) if one["classifier"] == FOREST]
    if scores and told["n"] == len(X):
        return [np.array(fold) for fold in told["folds"]], 100 * scores[0]
    split: Any = StratifiedKFold if name in CLASSES else KFold
    parts = split(10, shuffle=True, random_state=SEED).split(X, y)
    return [test for _, test in parts], float("nan")


def scored(make: Make, X: pd.DataFrame, y: pd.Series, parts: list[Any], seed: int) -> float:
    """The score of one seed over its folds, in points."""
    truth, said = [], []
    for test in parts if len(X) <= LARGE else [parts[seed % len(parts)]]:
        train = np.setdiff1d(np.arange(len(X)), test)
        learner = make(seed).fit(X.iloc[train], y.iloc[train])
        truth.append(y.iloc[test].to_numpy())
        said.append(np.asarray(learner.predict(X.iloc[test])))
    right, answer = np.concatenate(truth), np.concatenate(said)
    if y.name not in {target for target, _ in MEASURES.values()}:
        return 100 * float(np.mean(right == answer))
    return 100 * float(1 - ((right - answer) ** 2).sum() / ((right - right.mean()) ** 2).sum())


def main() -> None:
    """Print the table, and what it says of the bars."""
    asked = options()
    found: dict[str, Row] = {}
    if asked.save and asked.save.exists():
        found = json.loads(asked.save.read_text())
    titles = " ".join(f"{title:>9}" for title in (*OURS, *THEIRS))
    print(f"{'set':<24} {'rows':>6} {'folds':>5} {'seeds':>5} {titles}")
    for name in asked.sets:
        X, y = table(name)
        start = time.process_time()
        if len(found.get(name, {}).get(OURS[0], ())) < asked.seeds:
            parts, weka = folds(name, X, y)
            found[name] = {
                title: [scored(make, X, y, parts, seed) for seed in range(asked.seeds)]
                for title, make in peers(name in CLASSES).items()
            } | {"Weka": [weka] * asked.seeds}
        row = found[name]
        cells = " ".join(f"{np.mean(row[title]):9.2f}" for title in (*OURS, *THEIRS))
        size = f"{len(X):>6} {1 if len(X) > LARGE else 10:>5} {len(row[OURS[0]]):>5}"
        seconds = f"{time.process_time() - start:6.0f} s"
        print(f"{name:<24} {size} {cells}  {verdict(row)} {seconds}", flush=True)
        if asked.save:
            asked.save.write_text(json.dumps(found, indent=1))
    concluded({name: found[name] for name in asked.sets})


def verdict(row: Row) -> str:
    """Whether both of ours are at most a point below the worse peer."""
    worse = np.nanmin([np.mean(row[title]) for title in THEIRS])
    lost = [title for title in OURS if np.mean(row[title]) < worse - 1]
    return f"LOST {', '.join(lost)}" if lost else "met"


def concluded(found: dict[str, Row]) -> None:
    """The means over all sets, and over those that Weka scored; and how far ours are from each."""
    both = {name: row for name, row in found.items() if not np.isnan(row["Weka"][0])}
    for title, rows in (("mean of all sets", found), ("mean where Weka is", both)):
        if rows:
            means = (np.mean([np.mean(row[one]) for row in rows.values()])
                     for one in (*OURS, *THEIRS))  # fmt: skip
            cells = " ".join(f"{mean:9.2f}" for mean in means)
            print(f"{title:<24} {'':>6} {'':>5} {'':>5} {cells}   {len(rows)} sets")
    for mine in OURS:
        for other in (*THEIRS, *(one for one in OURS if one > mine)):
            compared(mine, other, both if other == "Weka" else found)


def compared(mine: str, other: str, rows: dict[str, Row]) -> None:
    """How far one is from another over sets, and whether the seeds alone could say so."""
    apart = [np.subtract(row[mine], row[other]) for row in rows.values()]
    if not apart or min(map(len, apart)) < 2:
        return
    mean = float(np.mean([one.mean() for one in apart]))
    errors = [one.var(ddof=1) / len(one) for one in apart]
    error = float(np.sqrt(np.sum(errors)) / len(errors))
    clear = "above" if mean > 0 else "below"
    word = clear if abs(mean) > 2 * error else "within the noise of the seeds"
    print(f"{mine:>9} - {other:<9} {mean:+.3f} ± {error:.3f} over {len(apart)} sets: {word}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *MEASURES])
    parser.add_argument("--save", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
