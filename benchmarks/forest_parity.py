"""Default forests beside scikit-learn's: accuracy, or R2, on twenty tables, with intervals.

Ten tables are from ``../shared/data``: each seed predicts all of ten folds, or one of them where a
table has more than 5,000 rows. Ten are simulated, wide and noisy, of 20,000 to 200,000 training
rows; each seed draws new rows, and 20,000 more to predict.
Both libraries fit the same rows, ours as they are, scikit-learn's with one-hot categories. The
difference of a table is the mean over the seeds, in points, with its 95 % t interval. A table is
"below" or "above" where the whole interval is; else the difference is not significant (n.s.).

Usage: forest_parity.py --save results.json [--seeds 10] [--trees 100] [--tables NAME ...]
       [--learners NAME ...] [--jobs 1]; every score is saved at once, and is not computed again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from noise_columns import CLASSES, table
from scipy.stats import t as student
from sklearn import ensemble
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import tallylearn as tl

FOLDS, OTHERS = 10, 20_000
MANY = 5_000  # rows of a table of which a seed predicts one fold
SHARED_TABLES = (
    "titanic", "adult_train", "penguins", "diabetes_pima", "credit_g", "covtype", "auto_mpg",
    "abalone", "bike_hour", "diabetes_lars",
)  # fmt: skip
Split = tuple[Any, Any, Any, Any]  # training rows and target, rows to predict and their target


def of_classes(n: int, p: int, signal: int, noise: float, classes: int = 2) -> Any:
    """Classes are quantiles of a rough function of a few columns plus noise."""

    def made(rng: np.random.Generator) -> tuple[Any, Any]:
        X = rng.normal(size=(n + OTHERS, p))
        score = _rough(X[:, :signal]) + noise * rng.normal(size=len(X))
        edges = np.quantile(score, np.arange(1, classes) / classes)
        return X, np.searchsorted(edges, score)

    return made


def of_numbers(n: int, p: int, signal: int, noise: float) -> Any:
    def made(rng: np.random.Generator) -> tuple[Any, Any]:
        X = rng.normal(size=(n + OTHERS, p))
        return X, _rough(X[:, :signal]) + noise * rng.normal(size=len(X))

    return made


def skewed(n: int, p: int) -> Any:
    """Long tails: what matters lies beyond the last percent of two columns."""

    def made(rng: np.random.Generator) -> tuple[Any, Any]:
        X = rng.lognormal(sigma=2.0, size=(n + OTHERS, p))
        far = (X[:, 0] > 100) | (X[:, 1] > 150) | (X[:, 2] < 0.01)
        return X, (far ^ (rng.random(len(X)) < 0.02)).astype(int)

    return made


def _rough(X: Any) -> Any:
    pairs = sum(X[:, j] * X[:, j + 1] for j in range(X.shape[1] - 1))
    return X.sum(axis=1) + pairs + np.sin(3 * X[:, 0])


SIMULATED: dict[str, Callable[[np.random.Generator], tuple[Any, Any]]] = {
    "2 classes, 20,000 x 40": of_classes(20_000, 40, 4, 4.0),
    "2 classes, 70,000 x 40": of_classes(70_000, 40, 4, 4.0),
    "2 classes, 200,000 x 20": of_classes(200_000, 20, 4, 4.0),
    "2 classes, 30,000 x 150": of_classes(30_000, 150, 6, 3.0),
    "5 classes, 50,000 x 30": of_classes(50_000, 30, 5, 2.0, 5),
    "tails, 100,000 x 20": skewed(100_000, 20),
    "numbers, 20,000 x 30": of_numbers(20_000, 30, 4, 4.0),
    "numbers, 50,000 x 12": of_numbers(50_000, 12, 4, 4.0),
    "numbers, 100,000 x 8": of_numbers(100_000, 8, 4, 4.0),
    "numbers, 200,000 x 4": of_numbers(200_000, 4, 3, 3.0),
}
TABLES = (*SHARED_TABLES, *SIMULATED)
LEARNERS = ("tallylearn", "scikit-learn")


def of_classification(name: str) -> bool:
    return name in CLASSES or (name in SIMULATED and not name.startswith("numbers"))


def splits(name: str, seed: int) -> list[Split]:
    """The rows to learn from and the rows to predict of one seed."""
    if name in SIMULATED:
        X, y = SIMULATED[name](np.random.default_rng([seed, list(SIMULATED).index(name)]))
        return [(X[:-OTHERS], y[:-OTHERS], X[-OTHERS:], y[-OTHERS:])]
    X, y = table(name)
    folds: Any = StratifiedKFold if of_classification(name) else KFold
    several = len(X) <= MANY
    parts = [*folds(FOLDS, shuffle=True, random_state=seed if several else 0).split(X, y)]
    return [
        (X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test])
        for train, test in (parts if several else [parts[seed % FOLDS]])
    ]


def forest(learner: str, name: str, trees: int, seed: int, jobs: int) -> Any:
    kind = "RandomForestClassifier" if of_classification(name) else "RandomForestRegressor"
    if learner == "tallylearn":
        return getattr(tl, kind)(trees, random_state=seed, n_jobs=jobs, keep_rows=False)
    theirs = getattr(ensemble, kind)(trees, random_state=seed, n_jobs=jobs)
    if name in SIMULATED:  # numbers alone
        return theirs
    named = make_column_selector(dtype_include=["category", "bool"])
    hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((hot, named), remainder="passthrough"), theirs)


def score(learner: str, name: str, trees: int, seed: int, jobs: int) -> tuple[float, float]:
    """Accuracy or R2 in points, and the seconds of the processor that fitting took."""
    known, predicted, took = [], [], 0.0
    for X, y, others, truth in splits(name, seed):
        made = forest(learner, name, trees, seed, jobs)
        start = time.process_time()
        made.fit(X, y)
        took += time.process_time() - start
        known.append(np.asarray(truth))
        predicted.append(np.asarray(made.predict(others)))
    right, said = np.concatenate(known), np.concatenate(predicted)
    if of_classification(name):
        return 100 * float(np.mean(said == right)), took
    return 100 * float(1 - np.sum((right - said) ** 2) / np.sum((right - right.mean()) ** 2)), took


def difference(ours: list[float], theirs: list[float]) -> tuple[float, float]:
    """The mean difference over the seeds, and half of its 95 % interval."""
    apart = np.subtract(ours, theirs)
    n = len(apart)
    if n < 2:
        return float(apart.mean()), float("nan")
    return float(apart.mean()), float(student.ppf(0.975, n - 1) * apart.std(ddof=1) / n**0.5)


def report(found: dict[str, Any], trees: int) -> None:
    print(f"{'table':<26} {'seeds':>5} {'ours':>7} {'sklearn':>7}  {'difference':<16} {'CPU':>6}")
    means, errors = [], []
    for name in TABLES:
        both = [found.get(f"{name}|{trees}|{learner}", {}) for learner in LEARNERS]
        seeds = sorted(both[0].keys() & both[1].keys(), key=int)
        if not seeds:
            continue
        ours, theirs = ([one[seed][0] for seed in seeds] for one in both)
        mean, half = difference(ours, theirs)
        times = sum(both[1][s][1] for s in seeds) / sum(both[0][s][1] for s in seeds)
        word = "below" if mean + half < 0 else "above" if mean - half > 0 else "n.s."
        print(f"{name:<26} {len(seeds):>5} {np.mean(ours):7.2f} {np.mean(theirs):7.2f}  "
              f"{mean:+6.2f} ± {half:5.2f} {word:<5} {times:5.1f}x")  # fmt: skip
        means.append(mean)
        errors.append((half / student.ppf(0.975, max(len(seeds) - 1, 1))) ** 2)
    if means:
        half = 1.96 * float(np.sqrt(np.sum(errors))) / len(means)
        print(f"mean of {len(means)} tables: {np.mean(means):+.3f} ± {half:.3f} points")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--tables", nargs="*", default=[*TABLES], choices=TABLES)
    parser.add_argument("--learners", nargs="*", default=[*LEARNERS], choices=LEARNERS)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    found = json.loads(asked.save.read_text()) if asked.save.exists() else {}
    for seed in range(asked.seeds):
        for name in asked.tables:
            for learner in asked.learners:
                scores = found.setdefault(f"{name}|{asked.trees}|{learner}", {})
                if str(seed) not in scores:
                    scores[str(seed)] = score(learner, name, asked.trees, seed, asked.jobs)
                    asked.save.write_text(json.dumps(found))
    report(found, asked.trees)


if __name__ == "__main__":
    main()
