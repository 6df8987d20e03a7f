"""Noise columns: what a learner loses when a table has a column that says nothing.

To every set of 300 rows and more columns are added, one at a time: (a) a string that no two rows
share, (b) a constant, (c) a category of 1,000 levels of noise, (d) the number of the row, which is
no noise where the rows are sorted, (e) the numbers of the rows in random order. With (d) and (e)
it is checked that the fitted models warn. Every learner is scored by ``tl.evaluate`` on the same
folds: accuracy, or R2. The columns are passed as X and y, so that none is left out for what it
looks like. Variants of a learner, and small sets, are scored where they are named. What is saved
can be summed up: by learner and column the mean loss over the sets that have a score without it,
and the largest with its set and, over repeats, its standard error; and what was lost against the
plain scores of before.

Usage: noise_columns.py [--repeats 10] [--folds 10] [--sets car vote] [--learners tree LDA]
       [--columns abc] [--save now.json] [--against before.json]
       noise_columns.py --sum one.json two.json [--against before.json]
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

import tallylearn as tl

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 13
LEVELS = 1000
LOST = 0.01  # a learner may lose one point
COUNTED = "noise counts up with the rows", "noise numbers the rows in another order"

CLASSES = {  # file -> target, columns left out
    "car": ("class", ()),
    "mushroom": ("class", ()),
    "vote": ("Class", ()),
    "titanic": ("survived", ("name",)),
    "adult_train": ("income", ()),
    "adult_test": ("income", ()),
    "breast_cancer_wisconsin": ("class", ("id",)),
    "tic_tac_toe": ("Class", ()),
    "penguins": ("species", ()),
    "diabetes_pima": ("class", ()),
    "credit_g": ("class", ()),
    "digits_8x8": ("digit", ()),
    "covtype": ("Cover_Type", ()),
}
MEASURES = {
    "auto_mpg": ("mpg", ()),
    "abalone": ("Rings", ()),
    "bike_hour": ("cnt", ("instant", "dteday", "casual", "registered")),
    "diabetes_lars": ("progression", ()),
}
SMALL = {"zoo": ("type", ("animal",))}
EVERY = {"covtype": 58}  # every so many rows: 10,018 of them


def scaled(learner: Any) -> tl.Pipeline:
    """Behind standard scores: a constant is then 0 in every row."""
    return tl.Pipeline([tl.StandardScaler(), learner])


OF_CLASSES: dict[str, Callable[[], Any]] = {
    "tree": lambda: tl.DecisionTreeClassifier(),
    "tree, entropy": lambda: tl.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=5),
    "naive Bayes": lambda: tl.NaiveBayes(),
    "LDA": lambda: tl.LinearDiscriminantAnalysis(),
    "QDA": lambda: tl.QuadraticDiscriminantAnalysis(reg_param=0.1),
    "C45": lambda: tl.C45(),
    "forest": lambda: tl.RandomForestClassifier(keep_rows=False),
    "logistic regression": lambda: scaled(tl.LogisticRegression()),
    "perceptron": lambda: tl.Perceptron(),
    "perceptron, scaled": lambda: scaled(tl.Perceptron(averaged=True, max_iter=50)),
    "neighbours": lambda: tl.KNeighborsClassifier(scale="minmax"),
    "neighbours, Gower": lambda: tl.KNeighborsClassifier(metric="gower"),
    "centroids": lambda: tl.NearestCentroid("gower"),
    "vote": lambda: tl.VotingClassifier(
        [
            tl.DecisionTreeClassifier(min_samples_leaf=5),
            tl.NaiveBayes(),
            tl.KNeighborsClassifier(metric="gower"),
        ]
    ),
}
VARIANTS: dict[str, Callable[[], Any]] = {
    "naive Bayes, keep": lambda: tl.NaiveBayes(chance="keep"),
    "naive Bayes, table": lambda: tl.NaiveBayes(var_smoothing_by="table"),
}
OF_MEASURES: dict[str, Callable[[], Any]] = {
    "regression tree": lambda: tl.DecisionTreeRegressor(),
    "regression tree, 5": lambda: tl.DecisionTreeRegressor(min_samples_leaf=5),
    "median tree": lambda: tl.DecisionTreeRegressor(criterion="absolute_error"),
    "M5": lambda: tl.ModelTreeRegressor(),
    "regression forest": lambda: tl.RandomForestRegressor(keep_rows=False),
    "least squares": lambda: tl.LinearRegression(),
    "ridge": lambda: tl.Ridge(),
    "ridge, cv": lambda: tl.Ridge(alpha="cv"),
    "lasso": lambda: tl.Lasso(alpha="cv"),
    "elastic net": lambda: tl.ElasticNet(alpha="cv"),
    "subset": lambda: tl.SubsetSelection(),
    "neighbours": lambda: tl.KNeighborsRegressor(scale="minmax"),
    "neighbours, Gower": lambda: tl.KNeighborsRegressor(metric="gower"),
    "vote": lambda: tl.VotingRegressor(
        [
            tl.DecisionTreeRegressor(min_samples_leaf=5),
            tl.LinearRegression(),
            tl.KNeighborsRegressor(metric="gower"),
        ]
    ),
}


def table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """A set's columns and its target."""
    target, out = (CLASSES | SMALL | MEASURES)[name]
    path = next(SHARED.glob(f"{name}.csv*"))
    frame = pd.read_csv(path, na_values=["?"]).iloc[:: EVERY.get(name, 1)]
    frame = frame.dropna(subset=[target]).reset_index(drop=True)
    kinds = {c: "category" for c in frame.columns if frame[c].dtype.kind not in "iufb"}
    return frame.drop(columns=[target, *out]).astype(
        {c: kind for c, kind in kinds.items() if c not in (target, *out)}
    ), frame[target]


def with_noise(X: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The columns and one more."""
    rng, n = np.random.default_rng(SEED), len(X)
    if kind == "a":
        column: Any = pd.Categorical([f"u{i:06d}" for i in rng.permutation(n)])
    elif kind == "b":
        column = np.full(n, 7.0)
    elif kind == "d":
        column = np.arange(1, n + 1)
    elif kind == "e":
        column = rng.permutation(n) + 1
    else:
        column = pd.Categorical([f"v{i:03d}" for i in rng.integers(LEVELS, size=n)])
    return X.assign(noise=column) if kind else X


def scored(learner: Any, X: pd.DataFrame, y: pd.Series, cv: tl.Folds) -> list[float] | str:
    """The mean of every repeat over its folds, or the error."""
    name = "r2" if y.dtype.kind == "f" or y.name in ("Rings", "cnt", "progression") else "accuracy"
    try:
        found = tl.evaluate(learner, X, y, cv=cv, scores=[name], progress=False)[name]
    except (ValueError, MemoryError) as error:
        return f"{type(error).__name__}: {error}"
    return np.reshape(found.by_fold, (cv.repeats, -1)).mean(axis=1).tolist()


def warned(learner: Any, X: pd.DataFrame, y: pd.Series) -> bool:
    """Whether a model that was fitted to a row number, by name, warns of it."""
    try:
        said = learner.fit(X.assign(target=y), "target").cautions_
    except ValueError:  # which has no score either
        return False
    return any(text.startswith(COUNTED) for text in said)


def main() -> None:
    """Print the table, and keep it."""
    asked = options()
    before = read(asked.against) if asked.against else {}
    if asked.sum:
        found = {key: value for path in asked.sum for key, value in read(path).items()}
        summed(found, before, asked.columns)
        return
    found = {}
    print(f"{'set':<24} {'learner':<20} {'before':>8} {'plain':>8} "
          + " ".join(f"{kind:>8}" for kind in asked.columns))  # fmt: skip
    for name in asked.sets:
        X, y = table(name)
        classes = name not in MEASURES
        cv = tl.Folds.k(asked.folds, repeats=asked.repeats, seed=SEED, stratified=classes)
        for title, make in (OF_CLASSES | VARIANTS if classes else OF_MEASURES).items():
            if title not in (asked.learners or OF_CLASSES | OF_MEASURES):
                continue
            start, row = time.process_time(), []
            for kind in ("", *asked.columns):
                key = f"{name}|{title}|{kind or 'plain'}"
                found[key] = scored(make(), with_noise(X, kind), y, cv)
                row.append(mean(found[key]))
                if asked.save:
                    asked.save.write_text(json.dumps(found, indent=1))
            told = mean(before.get(f"{name}|{title}|plain", ""))
            seconds = f"{time.process_time() - start:6.1f} s"
            cells = " ".join(map(cell, (told, *row)))
            said = verdict(told, row)
            if numbered := [kind for kind in "de" if kind in asked.columns]:
                every = all(warned(make(), with_noise(X, kind), y) for kind in numbered)
                found[f"{name}|{title}|warned"] = every
                said += " warned" if every else " NO WARNING"
            print(f"{name:<24} {title:<20} {cells} {said} {seconds}", flush=True)


def read(path: Path) -> dict[str, list[float] | str]:
    """What was saved."""
    return dict(json.loads(path.read_text()))


def mean(found: Any) -> float | str:
    """Over the repeats; an error stays one."""
    return found if isinstance(found, str) else float(np.mean(found))


def summed(found: dict[str, Any], before: dict[str, Any], columns: str) -> None:
    """By learner and column, what was lost in points: the mean over the sets, and the most."""
    kinds = [*columns, *(["before"] if before else [])]
    warns = " warned |" if {*"de"} & {*columns} else ""
    print("| learner | sets |" + "".join(f" {kind}: mean | most |" for kind in kinds) + warns)
    print("|---" * (2 + 2 * len(kinds) + bool(warns)) + "|")
    told = {f"{key.removesuffix('plain')}before": value for key, value in before.items()}
    for title in dict.fromkeys(key.split("|")[1] for key in found):
        plain = {
            key.split("|")[0]: np.array(value)
            for key, value in found.items()
            if key.endswith(f"|{title}|plain") and not isinstance(value, str)
        }
        row = [lost(plain, {n: (found | told).get(f"{n}|{title}|{k}") for n in plain}, k)
               for k in kinds]  # fmt: skip
        if plain:
            cells = "".join(f" {one} | {most} |" for one, most in row)
            told_of = sum(bool(found.get(f"{name}|{title}|warned")) for name in plain)
            cells += f" {told_of} of {len(plain)} |" if warns else ""
            print(f"| {title} | {len(plain)} |{cells}")


def lost(plain: dict[str, Any], noisy: dict[str, Any], kind: str) -> tuple[str, str]:
    """The mean loss over sets in points, and the largest: its standard error, its set."""
    off = {
        name: 100 * (plain[name] - np.array(value))
        for name, value in noisy.items()
        if value is not None and not isinstance(value, str)
    }
    if kind == "before":  # what was there before was saved as a mean
        off = {name: -np.atleast_1d(each.mean()) for name, each in off.items()}
    if not off:
        return "", ""
    worst = max(off, key=lambda name: float(off[name].mean()))
    errors = [name for name, value in noisy.items() if isinstance(value, str)]
    most, repeats = float(off[worst].mean()), off[worst].size
    spread = f" ± {off[worst].std(ddof=1) / np.sqrt(repeats):.2f}" if repeats > 1 else ""
    told = f"{most:.2f}{spread} {worst}" if most >= 0.005 else "0"
    mean = float(np.mean([each.mean() for each in off.values()]))
    return f"{mean + 0.0:.2f}".replace("-0.00", "0.00"), told + "".join(
        f", error {e}" for e in errors
    )


def cell(value: float | str) -> str:
    return f"{value:8.4f}" if isinstance(value, float) else f"{value[:8]:>8}"


def verdict(before: float | str, row: list[float | str]) -> str:
    """Whether noise costs more than a point, or the plain score is below that of before."""
    plain, *rest = row
    if not isinstance(plain, float):
        return "error" if isinstance(before, float) else "no score"
    worse = "" if not isinstance(before, float) or plain >= before - 1e-12 else "worse than before "
    lost = [not isinstance(x, float) or x < plain - LOST for x in rest]
    return worse + ("LOST " + "".join("*" if x else "." for x in lost) if any(lost) else "met")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--sets", nargs="*", default=[*CLASSES, *MEASURES])
    parser.add_argument("--learners", nargs="*", default=[])
    parser.add_argument("--columns", default="abc", help="of abcde")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--sum", type=Path, nargs="*", default=[])
    return parser.parse_args()


if __name__ == "__main__":
    main()
