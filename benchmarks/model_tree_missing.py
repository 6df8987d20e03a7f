"""Missing values in model trees (M5): what fills them, and what they do at a split, compared.

Rules, each in the same folds of every table; scores are R2 in points, over all folds and seeds:

    mean         M5's own rule: the mean of a number, the middle category, in splits and models
    median       the median of a number in its place
    indicator    the mean, and an attribute that is 1 where the value is missing (the default of
                 ``tl.ModelTreeRegressor``)
    side         at a split: the side that missing values fit best; in the models the mean
    branch       at a split: a branch of their own, if they are enough; in the models the mean
    node         at a split: with the median of the node; in the models the mean

The last three grow the tree with its missing values in place, which ``tl.M5`` does not do: this
script does it with the parts of ``model_trees.fitting``. Where the best test is whether a category
is missing, for which a model tree has no branch, the fold counts by the rule "mean".

Tables: those of ``../shared/data`` with a numeric target, and missing values of their own or 10 and
30 % of all cells removed at random; and simulated ones. Below the table: the means over tables, and
the mean difference from "mean" with its standard error.

Usage: model_tree_missing.py [--seeds 3] [--folds 10] [--rules mean side] [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import missing_rules
import numpy as np
import pandas as pd
from noise_columns import SHARED
from sklearn.model_selection import KFold

import tallylearn as tl
from tallylearn.models.trees.model_trees import fitting, model_tree_regressor
from tallylearn.models.trees.model_trees.attributes import Attributes
from tallylearn.models.trees.model_trees.model_tree import ModelTree
from tallylearn.models.trees.node import LEAF, PRESENCE
from tallylearn.tables import CATEGORY

AT_SPLITS = ("side", "branch", "node")
RULES = ("mean", "median", "indicator", *AT_SPLITS)
MAX_ROWS = 2_500  # of a table: ten folds of three seeds stay minutes
MAX_LEVELS = 60  # of a category: names of cars are left out
REMOVED = {  # table -> target, columns left out; None: the last column
    "auto_mpg": ("mpg", ()),
    "cpu_with_vendor": (None, ()),
    "abalone": (None, ()),
    "diabetes_lars": (None, ()),
    "bike_hour": ("cnt", ("casual", "registered", "instant")),
}
OWN = {"penguins": "body_mass_g", "titanic": "fare"}  # missing values of their own
Table = tuple[str, pd.DataFrame, pd.Series]


def tables(shared: Path) -> Iterator[Table]:
    for name, columns, y, classes in missing_rules.tables(shared):
        if not classes:
            yield name, columns, y
    for name, target in OWN.items():
        yield name, *_read(shared, name, target, ())
    for name, (target, out) in REMOVED.items():
        columns, y = _read(shared, name, target, out)
        for share in (0.1, 0.3):
            draw = np.random.default_rng(1)
            gone = {c: columns[c].where(draw.random(len(columns)) >= share) for c in columns}
            yield f"{name}, {share:.0%} removed", pd.DataFrame(gone), y


def _read(
    shared: Path, name: str, target: str | None, out: tuple[str, ...]
) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.read_csv(next(shared.glob(f"{name}.csv*")), na_values=["?"])
    target = frame.columns[-1] if target is None else target
    frame = frame.dropna(subset=[target])[:MAX_ROWS].reset_index(drop=True)
    y = frame.pop(target).astype(float)
    frame = frame.drop(columns=[c for c in out if c in frame])
    for name in frame.columns:
        if frame[name].dtype.kind not in "iuf":
            few = frame[name].nunique() <= MAX_LEVELS
            frame = frame.assign(**{name: frame[name].astype("category")}) if few else (
                frame.drop(columns=name)
            )  # fmt: skip
    return frame, y


def prepared(rule: str, train: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any]:
    """Both tables, filled in by the rules that fill in."""
    train, test = train.copy(), test.copy()
    for name in [*train]:
        if rule == "median" and train[name].dtype.kind in "iuf":
            middle = train[name].median()
            train[name], test[name] = train[name].fillna(middle), test[name].fillna(middle)
    return train, test


def with_missing(attributes: Attributes, x: np.ndarray, block: Any) -> np.ndarray:
    """The attributes with their missing values in place."""
    x = x.copy()
    for at, column in enumerate(attributes.columns):
        if column.kind == CATEGORY:
            gone = block.codes[column.name].recode(column.values) < 0
        else:
            gone = np.isnan(block.numbers[:, block.schema.places[column.name]])
        x[np.ix_(gone, np.flatnonzero(attributes.source == at))] = np.nan
    return x


def by_rule(rule: str) -> Any:
    """``fitting.model_tree`` of a tree that grows with missing values, by a rule of trees."""

    def model_tree(block: Any, growth: Any) -> ModelTree:
        attributes = Attributes.of(block, growth.min_category, growth.smoothing)
        x = attributes.matrix(block)
        order = np.lexsort((*x.T, block.target))
        block, x = block[order], x[order]
        plan = replace(fitting.plan_of(block, growth), missing=rule)
        numbers = attributes.as_numbers(with_missing(attributes, x, block), block)
        with mock.patch.object(fitting, "plan_of", return_value=plan):
            tree, ends = fitting._grow(numbers, growth)
        if (tree.test == PRESENCE).any():
            return fitting.model_tree(block, growth)
        by_leaf = np.argsort(ends, kind="stable")
        ones = np.ones(len(block))
        rows = fitting._LeafOrderedRows(
            *fitting._scale_columns(x[by_leaf]), y=block.target[by_leaf], weight=ones, often=ones,
            leaf=ends[by_leaf],
        )  # fmt: skip
        lines = fitting._node_models(tree, rows, len(attributes))
        cut = fitting._nodes_to_prune(tree, lines) if growth.prune else []
        kept = fitting._remaining_nodes(tree, cut)
        found = [line for line, here in zip(lines, kept, strict=True) if here]
        by_column = replace(
            attributes.table_tree(tree), missing=np.where(tree.test == LEAF, -1, tree.gap_nodes)
        )
        return ModelTree(
            by_column.without(cut), attributes, *rows.in_units(found, attributes.fill),
            np.array([line.error for line in found]), growth.smooth,
        )  # fmt: skip

    return model_tree


def score(rule: str, columns: pd.DataFrame, y: pd.Series, seeds: int, folds: int) -> float:
    """R2 of all out-of-fold predictions, in points."""
    squares = 0.0
    for seed in range(seeds):
        for train, test in KFold(folds, shuffle=True, random_state=seed).split(columns):
            known, rows = prepared(rule, columns.iloc[train], columns.iloc[test])
            with mock.patch.object(
                model_tree_regressor, "model_tree",
                by_rule(rule) if rule in AT_SPLITS else fitting.model_tree,
            ):  # fmt: skip
                learner = tl.ModelTreeRegressor if rule == "indicator" else tl.M5
                model = learner().fit(known, y.iloc[train])
            squares += float(((y.iloc[test] - model.predict(rows)) ** 2).sum())
    return 100 * (1 - squares / seeds / float(((y - y.mean()) ** 2).sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rules", nargs="*", default=RULES, choices=RULES)
    parser.add_argument("--data", type=Path, default=SHARED)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rules = ["mean", *(rule for rule in given.rules if rule != "mean")]
    print(f"{'table':30}" + "".join(f"{rule:>10}" for rule in rules))
    found = []
    for name, columns, y in tables(given.data):
        found.append([score(rule, columns, y, given.seeds, given.folds) for rule in rules])
        print(f"{name:30}" + "".join(f"{value:10.2f}" for value in found[-1]), flush=True)
    scores = np.array(found)
    print(f"{'mean of all':30}" + "".join(f"{value:10.2f}" for value in scores.mean(axis=0)))
    more = scores - scores[:, :1]
    print(f"{'more than by the mean':30}" + "".join(f"{m:+10.2f}" for m in more.mean(axis=0)))
    error = more.std(axis=0, ddof=1) / len(more) ** 0.5
    print(f"{'its standard error':30}" + "".join(f"{e:10.2f}" for e in error))


if __name__ == "__main__":
    main()
