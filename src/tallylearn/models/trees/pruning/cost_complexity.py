"""Cost-complexity: a leaf more must lower the impurity by alpha, or it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.folds import Folds
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.pruning.branch_costs import Costs, WeakestLink, weakest
from tallylearn.models.trees.pruning.pruning_record import Cut
from tallylearn.models.trees.pruning.reduced_error import (
    costs_on,
    rarest_class_rows,
    totals,
    training_costs,
)
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Block

FOLDS = 10


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The alphas at which a tree loses a branch, and the impurity of the leaves that are left.

    The first is the whole tree; under scikit-learn's names, as attributes and as keys.
    """

    ccp_alphas: Array
    impurities: Array

    def __getitem__(self, name: str) -> Array:
        if name not in ("ccp_alphas", "impurities"):
            raise KeyError(name)
        found: Array = getattr(self, name)
        return found

    def __len__(self) -> int:
        return len(self.ccp_alphas)


def impurities(tree: Tree) -> Costs:
    """The impurity of every node by its share of the rows."""
    leaf = tree.impurity * tree.n / tree.n[0]
    return Costs(leaf, np.where(tree.test == LEAF, leaf, 0.0))


def errors(tree: Tree) -> Costs:
    """What every node gets wrong, or loses, or leaves of squares, by that of the root."""
    squares = replace(tree, impurity=tree.impurity**2) if tree.criterion == "sdr" else tree
    found = training_costs(tree, tree.loss) if tree.classes else impurities(squares)
    whole = float(found.leaf[0]) or 1.0
    return Costs(found.leaf / whole, found.own / whole)


def links(tree: Tree, costs: Costs | None = None) -> Iterator[WeakestLink]:
    """Weakest links: what a leaf less costs, in impurity unless said, by the leaves that go.

    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984,
    chapter 3.
    """
    return weakest(tree, impurities(tree) if costs is None else costs, shared=True)


def path_of(tree: Tree) -> PruningPath:
    """The whole path, down to the root."""
    costs = impurities(tree)
    found = [(0.0, float(costs.branch(tree)[0])), *((k.value, k.total) for k in links(tree))]
    alphas, left = np.array(found).T
    return PruningPath(alphas, left)


def cuts(tree: Tree, alpha: float, costs: Costs | None = None) -> tuple[Cut, ...]:
    """Links that are not worth alpha."""
    found = []
    for link in links(tree, costs):
        if link.value > alpha + (0.0 if costs is None else 1e-12):  # of sums by the root's
            break
        numbers = {"alpha": link.value, "as leaf": link.leaf, "in branches": link.branch}
        found.append(Cut(link.node, numbers))
    return tuple(found)


def choose_alpha(
    tree: Tree, block: Block, grow: Callable[[Block], Tree], seed: int, rule: str = "cv"
) -> float:
    """The alpha of least error in ten folds, the largest of those tied.

    Tried are the geometric means of neighbours on the whole table's path, as each stands for the
    trees between them. The rule "1se" takes the largest alpha whose error is within one standard
    error of the least (Breiman et al., 1984, section 3.4.3), estimated over the folds.
    """
    alphas = np.maximum.accumulate(np.maximum(path_of(tree).ccp_alphas, 0.0))
    tried = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    splits = [*_folds(block, bool(tree.classes), seed)]
    costs = np.array(
        [_errors(grow(block[split.train]), block[split.test], tried) for split in splits]
    )
    total = costs.sum(axis=0)
    at = int(total.argmin())
    limit = total[at] + 1e-9 * abs(total[at])
    if rule == "1se":
        limit += _standard_error(costs[:, at], np.array([len(split.test) for split in splits]))
    return float(tried[np.flatnonzero(total <= limit)[-1]])


def _standard_error(costs: Array, rows: Array) -> float:
    """The standard error of the sum of the costs (k,) of folds with so many rows (k,)."""
    n, k = rows.sum(), len(rows)
    variance = (rows * (costs / rows - costs.sum() / n) ** 2).sum() / n / (k - 1)
    return float(n * np.sqrt(variance))


def _errors(tree: Tree, held: Block, tried: Array) -> Array:
    found = [*links(tree)]
    errors = totals(tree, [link.node for link in found], costs_on(tree, held, tree.loss))
    at = np.maximum.accumulate(np.array([link.value for link in found]))
    return np.asarray(errors[np.searchsorted(at, tried, side="right")])


def _folds(block: Block, classes: bool, seed: int) -> Iterator[Any]:
    target = block.target
    k = min(FOLDS, len(block) if block.group is None else len(block.group.values))
    if k < 2:
        what = "rows" if block.group is None else "groups of rows"
        raise InputError(
            f'ccp_alpha="cv" chooses alpha by cross-validation, which needs at least two {what}, '
            f"and the table has {k}. Add {what}, or pass a number as ccp_alpha."
        )
    even = classes and rarest_class_rows(target) >= k and block.group is None
    folds = Folds.k(k, stratified=even, seed=seed)
    return folds.splits(len(block), target if even else None, block.group)
