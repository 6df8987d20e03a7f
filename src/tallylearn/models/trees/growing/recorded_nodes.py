"""Recorded nodes: what a grower wrote down, as the nodes of a tree, or of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tallylearn.models.trees.growing import missing_values
from tallylearn.models.trees.growing.coded_columns import Scale
from tallylearn.models.trees.growing.grown_nodes import GrownNodes
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.node import SUBSET, THRESHOLD
from tallylearn.models.trees.nodes import Nodes
from tallylearn.tables import Array


def nodes_of(
    space: GrownNodes,
    columns: Sequence[Scale],
    target: Target,
    plan: TreePlan,
    numbers: Callable[[int, Array, Array], tuple[Array, Array]] | None = None,
) -> Nodes:
    """The nodes of a tree, or of several, one after the other."""
    numbers = numbers or (lambda j, code, after: (columns[j].high[code], columns[j].low[after]))
    nodes, reals, totals, leads, ties = space
    m, drawn = len(nodes), reals.shape[1] > 2
    parent, _, test, column, cut, after, gap, rows, lead_ends, tie_ends = (
        np.ascontiguousarray(part) for part in nodes.T
    )
    kids = _number_children(parent)
    owner = np.repeat(np.arange(m), np.diff(lead_ends, prepend=0))
    asked = np.append(column, ties[:, 0]), np.append(cut, ties[:, 1]), np.append(after, ties[:, 2])
    cuts = _cuts(*asked, np.append(test == 1, ties[:, 2] >= 0), numbers)
    counts, n, answer = target.node_statistics(totals)
    return Nodes(
        columns=tuple(one.column for one in columns), classes=target.classes,
        criterion=plan.criterion,
        parent=parent, test=test, column=column,
        threshold=np.where(test == THRESHOLD, reals[:, 2], np.nan) if drawn else cuts[:m].copy(),
        missing=np.where(gap >= 0, kids(np.arange(m), np.maximum(gap, 0)), -1),
        others=_find_other_branch(np.where(test == SUBSET, cut, -1), kids),
        ends=lead_ends, codes=np.ascontiguousarray(leads[:, 0]), leads=kids(owner, leads[:, 1]),
        counts=counts, n=n, rows=rows, impurity=np.ascontiguousarray(reals[:, 0]),
        gain=np.ascontiguousarray(reals[:, 1]), answer=answer, tie_ends=tie_ends,
        tie_columns=np.ascontiguousarray(ties[:, 0]), tie_thresholds=cuts[m:].copy(),
        loss=target.loss, fractional=missing_values.in_parts(plan.missing), tie=target.tie,
        seed=target.seed, larger=not missing_values.in_parts(plan.missing),
    )  # fmt: skip


def _find_other_branch(place: Array, kids: Any) -> Array:
    """The node of values that a node does not ask for, by its place; empty where none has any."""
    if (place < 0).all():
        return np.zeros(0, np.int64)
    at = np.arange(len(place))
    return np.where(place >= 0, kids(at, np.maximum(place, 0)), -1)


def _number_children(parent: Array) -> Any:
    """The number of a node's child by its place: children are numbered in order."""
    order = np.argsort(parent, kind="stable")
    starts = np.cumsum(np.bincount(parent + 1, minlength=len(parent)))
    order = np.append(order, 0)

    def kid(node: Array, place: Array) -> Array:
        return np.asarray(order[np.minimum(starts[node] + place, len(order) - 1)])

    return kid


def _cuts(
    column: Array,
    code: Array,
    after: Array,
    where: Array,
    numbers: Callable[[int, Array, Array], tuple[Array, Array]],
) -> Array:
    """Half way between the greatest number of a code and the least of the next; else NaN."""
    out, at = np.full(len(column), np.nan), np.flatnonzero(where)
    at = at[np.argsort(column[at], kind="stable")]
    for run in np.split(at, np.flatnonzero(np.diff(column[at])) + 1) if len(at) else ():
        a, b = numbers(int(column[run[0]]), code[run], after[run])
        half = a / 2 + b / 2
        out[run] = np.where((half >= a) & (half < b), half, a)  # neighbours: nothing between them
    return out
