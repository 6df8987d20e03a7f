"""Monotone answers: along some columns a tree may only rise, or only fall.

A cut along such a column is asked only where its sides differ the right way, and all that lies
below either side must stay on its side of the value half way between them. So a node has bounds: a
cut along such a column is not asked where a side leaves them, and all answers are clipped to them,
which makes the promise exact (as in scikit-learn). The answer of a node is its mean, or the share
of the second of two classes. ``kernels.trees.split_search`` has the same for loops.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.models.trees.growing.node_target import Target, sums_of
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


def answers_of(lines: Array, target: Target) -> Array:
    """(...,) the mean, or the share of the second class, of lines (..., q)."""
    if not target.classes:
        return np.asarray(sums_of(lines) / np.maximum(lines[..., 0], 1))
    return np.asarray(lines[..., 1] / np.maximum(lines[..., :2].sum(axis=-1), 1))


def is_monotone(branches: Array, column: int, plan: TreePlan, target: Target) -> Array:
    """(...,) whether the first two of branches (..., b, q) rise or fall as their column says.

    And whether they stay in the bounds of their node. Columns without a slope may ask anything.
    """
    slope = plan.slopes[column] if plan.slopes else 0
    if not slope:
        return np.ones(branches.shape[:-2], bool)
    answers = answers_of(branches[..., :2, :], target)
    inside = ((plan.bounds[0] <= answers) & (answers <= plan.bounds[1])).all(axis=-1)
    return np.asarray(inside & (slope * (answers[..., 0] - answers[..., 1]) <= 0))


def clip_predictions(tree: Tree, slopes: tuple[int, ...]) -> Tree:
    """A tree that has grown, its answers clipped to the bounds of its nodes."""
    answers, (low, high) = tree.node_values[:, -1], _bounds(tree, slopes)
    kept = np.clip(answers, low, high)
    if not tree.classes:
        return replace(tree, answer=kept)
    second = np.where(kept == answers, tree.counts[:, -1], kept * tree.n)
    for end, side in ((low, 1), (high, -1)):  # a product that is divided again may be out of bounds
        off = (kept == end) & (side * (second / tree.n - end) < 0)
        second = np.where(off, np.nextafter(second, side * np.inf), second)
    counts = np.stack([tree.n - second, second], axis=1)
    answer = answer_of(counts, tree.loss, tree.tie, tree.seed)
    return replace(tree, counts=counts, answer=answer)


def _bounds(tree: Tree, slopes: tuple[int, ...]) -> tuple[Array, Array]:
    """(m,) between which answers every node stays."""
    m, answers = len(tree), tree.node_values[:, -1]
    low, high = np.full(m, -np.inf), np.full(m, np.inf)
    slope = np.where(tree.test == THRESHOLD, np.array(slopes)[tree.column], 0)
    first = np.minimum(np.arange(m) + 1, m - 1)
    second = np.minimum(first + tree.sizes[first], m - 1)
    middle = answers[first] / 2 + answers[second] / 2
    order = np.argsort(tree.depths, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(tree.depths[order])) + 1)[1:]:
        above = tree.parent[at]
        side = slope[above] * ((at == first[above]) * 1 - (at == second[above]))
        low[at] = np.where(side < 0, middle[above], low[above])
        high[at] = np.where(side > 0, middle[above], high[above])
    return low, high
