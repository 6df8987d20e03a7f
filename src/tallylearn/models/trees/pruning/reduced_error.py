"""Reduced-error pruning: what a tree and its prunings cost on rows that it did not grow from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tallylearn.errors import InputError
from tallylearn.kernels import cost_complexity
from tallylearn.models.trees import routing
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.passed_table import class_codes
from tallylearn.models.trees.pruning.branch_costs import (
    Costs,
    WeakestLink,
    no_worse,
    sum_over_subtrees,
    weakest,
)
from tallylearn.models.trees.pruning.pruning_record import Cut
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Block, Codes

EQUAL_LOSSES = np.zeros((0, 0))  # losses: all mistakes cost the same


def costs_on(tree: Tree, block: Block, loss: Array = EQUAL_LOSSES) -> Costs:
    """Errors, or losses (k, k), or squared errors of every node on some rows.

    A row that ends at an inner node, since no branch has its category, costs what the node's own
    answer costs. A row that goes down several branches counts in each by its part.
    """
    if not len(block):
        raise InputError(
            "the validation table has no rows with a positive weight. Pass rows that the tree was "
            "not trained on."
        )
    here = _sums(tree, block)
    above = np.stack([sum_over_subtrees(tree, column) for column in here.T], axis=1)
    price = _price(tree, loss)
    return Costs(price(above), price(here))


def _sums(tree: Tree, block: Block) -> Array:
    """(m, q) what ends at every node: the weight of every class; or that of all, of y and y^2."""
    weight = np.ones(len(block)) if block.weight is None else block.weight
    if tree.classes:
        amounts = np.zeros((len(block), len(tree.classes)))
        amounts[np.arange(len(block)), class_codes(tree, block, "validation table")] = weight
    else:
        y = np.asarray(block.target) - tree.answer[0]  # near zero, so that squares keep digits
        amounts = np.stack([weight, weight * y, weight * y * y], axis=1)
    found = np.zeros((len(tree), amounts.shape[1]))
    for rows, part, node in routing.parts(tree, block):
        np.add.at(found, node, amounts[rows] * part[:, None])
    return found


def _price(tree: Tree, loss: Array) -> Callable[[Array], Array]:
    """What sums cost where the answers of the nodes are given to them."""
    if not tree.classes:
        answer = tree.answer - tree.answer[0]
        return lambda s: s[:, 2] - 2 * answer * s[:, 1] + answer**2 * s[:, 0]
    said = tree.answer.astype(np.int64)
    each = loss if loss.size else 1.0 - np.eye(len(tree.classes))
    each = np.column_stack([each, each.max(axis=1)])  # no answer, -1, is as bad as the worst
    return lambda s: np.asarray((s * each[:, said].T).sum(axis=1))


def rarest_class_rows(target: Codes) -> int:
    """The rows of the rarest class that occurs."""
    counts = np.bincount(target.codes)
    return int(counts[counts > 0].min())


def training_costs(tree: Tree, loss: Array = EQUAL_LOSSES) -> Costs:
    """Errors, or losses, on the rows that the tree grew from."""
    leaf = _price(tree, loss)(tree.counts)
    return Costs(leaf, np.where(tree.test == LEAF, leaf, 0.0))


def expected_losses(tree: Tree, rows: Array | None = None) -> Costs:
    """Losses to expect by the training rows, every class counted once more (Laplace).

    ``rows`` (m,): how many rows each node has, where that is not its weight: a class's share of so
    many rows is what one row is added to.

    J. Bradford, C. Kunz, R. Kohavi, C. Brunk, C. Brodley, Pruning decision trees with
    misclassification costs, ECML 1998.
    """
    k = len(tree.classes)
    counts, n = tree.counts, tree.n
    if rows is not None:
        counts, n = counts * (rows / tree.n)[:, None], rows
    leaf = _price(tree, tree.loss)((counts + 1.0) * (tree.n / (n + k))[:, None])
    return Costs(leaf, np.where(tree.test == LEAF, leaf, 0.0))


def never_worse(tree: Tree, costs: Costs, what: str) -> tuple[Cut, ...]:
    """From the bottom up: a leaf wherever it costs no more."""
    return tuple(
        Cut(i, {f"{what} as leaf": leaf, f"{what} in branches": branch})
        for i, leaf, branch in no_worse(tree, costs)
    )


def prune_greedily(tree: Tree, costs: Costs) -> tuple[Cut, ...]:
    """Always the node that helps most, while it does no harm."""
    found, slack = [], 1e-12 * float(np.abs(costs.leaf).max())
    for link in best_first(tree, costs):
        if link.leaf > link.branch + slack:
            break
        numbers = {"errors as leaf": link.leaf, "errors in branches": link.branch}
        found.append(Cut(link.node, numbers | {"errors of the tree": link.total}))
    return tuple(found)


def best_first(tree: Tree, costs: Costs) -> Iterator[WeakestLink]:
    """Nodes from the one that helps most on, until the root is a leaf."""
    return weakest(tree, costs, shared=False)


def totals(tree: Tree, nodes: Sequence[int], costs: Costs) -> Array:
    """What the whole tree costs, at first and after each of these nodes became a leaf."""
    found = np.empty(len(nodes) + 1)
    order = np.array(nodes, dtype=np.int64)
    cost_complexity.retotal(tree.parent, order, costs.leaf, costs.branch(tree), found)
    return found
