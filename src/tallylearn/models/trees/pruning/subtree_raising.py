"""Subtree raising: nodes that may still be cut and moved, each with the rows that came to it.

Where a branch takes the place of the node above it, rows of its former neighbours come to it: they
are sent down again, and what its nodes counted is counted anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.kernels import tree_predict
from tallylearn.models.trees import routing
from tallylearn.models.trees.growing.impurity import fall, impurity_of
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.growing.shares import Share
from tallylearn.models.trees.least_loss import answer_of
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import path_text
from tallylearn.tables import Array


@dataclass(eq=False)
class MutableNode:
    """One node: where it stands, whose question it asks, and what came to it."""

    place: int  # its number in the tree before
    asks: int  # the node whose question it asks; -1 for a leaf
    share: Share
    kids: dict[int, MutableNode] = field(default_factory=dict)  # by the key of their answer
    moved: bool = False  # whether its rows are others than in the tree before
    errors: float = 0.0

    def walk(self) -> Iterator[MutableNode]:
        """This node and all below it, in pre-order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += [node.kids[key] for key in sorted(node.kids, reverse=True)]

    def turn_to_leaf(self) -> None:
        """Ask nothing any more."""
        self.asks, self.kids = -1, {}


@dataclass(frozen=True)
class RowRouting:
    """How rows go down a tree: keys are codes of categories, or the places of branches."""

    tree: Tree
    rows: NodeRows
    frequency: Array | None = None  # (n,) how many rows each stands for; None: as it weighs

    def mutable_nodes(self) -> MutableNode:
        """The tree as nodes that can move."""
        root = MutableNode(0, self._asks(0), self.rows.all())
        for node in root.walk():
            if node.asks >= 0:
                keys, kids = self.keys(node.asks), self.tree.children(node.asks)
                parts = self._grown_parts(node.asks, keys, node.share)
                for kid, key in zip(kids, keys, strict=True):
                    node.kids[key] = MutableNode(kid, self._asks(kid), parts[key])
        return root

    def _grown_parts(self, i: int, keys: list[int], share: Share) -> dict[int, Share]:
        """Every branch has rows, and every row a branch, if the tree grew from these rows."""
        parts, tree = self.route(i, share), self.tree
        if parts is not None and parts.keys() == {*keys}:
            return parts
        if parts is None or parts.keys() - {*keys}:
            name = tree.columns[tree.column[i]].name
            why = f"{name!r} has values or gaps at {path_text(tree, i)!r} that have no branch"
        else:
            kid = next(k for k, key in zip(tree.children(i), keys, strict=True) if key not in parts)
            why = f"no row comes to {path_text(tree, kid)!r}, whose errors are to be estimated"
        raise InputError(
            f"this is not the training table: {why}. Pass the training table, or fit with "
            "keep_rows=True and pass none."
        )

    def _asks(self, i: int) -> int:
        return i if self.tree.test[i] != LEAF else -1

    def keys(self, i: int) -> list[int]:
        """The key of every child of a node."""
        kids, test = self.tree.children(i), self.tree.test[i]
        if test != MULTIWAY:
            return [*range(len(kids))]
        codes, leads = self.tree.category_leads(i)
        key = dict(zip(leads.tolist(), codes.tolist(), strict=True))
        return [key.get(kid, self._width(i)) for kid in kids]

    def route(self, i: int, share: Share) -> dict[int, Share] | None:
        """The rows of every branch of a node's question; None where some row has none."""
        to = self._steps(i, share)
        gap = to == routing.GAP
        if self.tree.fractional and gap.any():
            return self._portions(to, gap, share)
        usual = int(self.tree.missing[i])
        if gap.any():
            if usual < 0:
                return None
            key = self.keys(i)[self.tree.children(i).index(usual)]
            to = np.where(gap, key, to.astype(np.int64))
        if (to < 0).any():
            return None
        return {key: share.select(here) for key, here in _rows_by_key(to)}

    def _steps(self, i: int, share: Share) -> Array:
        """The key of every row, below 0 where it has none."""
        j, test = int(self.tree.column[i]), int(self.tree.test[i])
        codes, column = self.rows.codes[j][share.rows], self.rows.columns[j]
        if test == MULTIWAY:  # a category that is new here has a key, and gets a leaf
            return np.where(codes == column.width, routing.GAP, codes)
        if test == THRESHOLD:
            none = np.zeros(0, np.int64)
            return routing.branch_of_codes(
                codes, column.width, test, cut=int(self.cuts[i]), known=none, groups=none
            )
        cut, (known, leads), kids = column.width, self.tree.category_leads(i), self.tree.children(i)
        groups = np.array([kids.index(lead) for lead in leads.tolist()], dtype=np.int64)
        other = self.tree.other(i)
        rest = kids.index(other) if other >= 0 else routing.NOWHERE
        return routing.branch_of_codes(
            codes, column.width, test, cut=cut, known=known, groups=groups, others=rest
        )

    @cached_property
    def cuts(self) -> Array:
        """(m,) the last code of the first branch of every threshold; 0 elsewhere."""
        found = np.zeros(len(self.tree), np.int64)
        for j, column in enumerate(self.rows.columns):
            at = np.flatnonzero((self.tree.column == j) & (self.tree.test == THRESHOLD))
            if len(at):
                found[at] = np.searchsorted(column.low, self.tree.threshold[at], side="right") - 1
        return found

    def effective(self, shares: list[Share], place: Array, size: int) -> Array | None:
        """(size,) the effective numbers of rows at places; None where weights are numbers of rows.

        ``place``: of all rows of the shares, one share after the other. See ``effective_rows``.
        """
        if self.frequency is None:
            return None
        target = self.rows.target
        rows = np.concatenate([share.rows for share in shares])
        weight = np.concatenate([share.units for share in shares]) * 2.0**-target.power
        often = self.frequency[rows]
        squares = weight * target.weights[rows] / np.where(often > 0, often, 1.0)
        sums, squares = (np.bincount(place, one, size) for one in (weight, squares))
        some = squares > 0
        return np.where(some, sums**2 / np.where(some, squares, 1.0), 0.0)

    def counts_below(self, top: MutableNode, share: Share) -> tuple[Array, Array | None] | None:
        """(nodes, k) the weight of every class at the leaves below a node, if rows came to it.

        With it (nodes,) their ``effective`` rows. All rows walk down in one kernel: several
        thousand nodes would take minutes one by one. None where that cannot be, as some test is no
        threshold, or some value is missing.
        """
        order = [*top.walk()]
        asks = np.array([node.asks for node in order])
        inner = np.flatnonzero(asks >= 0)
        if not len(inner) or (self.tree.test[asks[inner]] != THRESHOLD).any():
            return None
        number = {id(node): at for at, node in enumerate(order)}
        steps = np.repeat(np.arange(len(order), dtype=np.int32)[:, None], 4, axis=1)
        steps[:, 0] = 0  # all others lead to the node itself, as those of a leaf do
        columns, steps[inner, 0] = np.unique(self.tree.column[asks[inner]], return_inverse=True)
        for at in inner.tolist():
            kids = order[at].kids
            steps[at, 1], steps[at, 2] = number[id(kids[0])], number[id(kids[1])]
        codes = self.rows.codes[np.ix_(columns, share.rows)].astype(np.float64)
        for x, j in zip(codes, columns.tolist(), strict=True):
            x[x == self.rows.columns[j].width] = np.nan
        ends = np.zeros(len(share.rows), np.int64)
        none = np.zeros((len(ends), 0), np.int32), np.zeros((2, 0), np.int32)
        cuts = np.where(asks >= 0, self.cuts[asks], 0).astype(np.float64)
        lanes = np.zeros(routing.LANES, np.int64)
        tree_predict.walk(codes.T, none[0], steps, cuts, none[1], lanes, ends)
        if (asks[ends] >= 0).any():
            return None
        target, k = self.rows.target, len(self.rows.target.classes)
        places = ends * k + target.labels[share.rows]
        found = np.bincount(places, share.units, len(order) * k).reshape(-1, k)
        return found * 2.0**-target.power, self.effective([share], ends, len(order))

    def _portions(self, to: Array, gap: Array, share: Share) -> dict[int, Share] | None:
        if (to[~gap] < 0).any() or gap.all():
            return None
        told = share.select(~gap)
        found = {key: told.select(here) for key, here in _rows_by_key(to[~gap])}
        shares = share.select(gap).distribute([*found.values()])
        return dict(zip(found, shares, strict=True))

    def _width(self, i: int) -> int:
        return self.rows.columns[int(self.tree.column[i])].width

    def counts(self, share: Share) -> Array:
        """(k,) the weight of every class."""
        target = self.rows.target
        found = np.bincount(target.labels[share.rows], share.units, len(target.classes))
        return np.asarray(found * 2.0**-target.power)

    def resend(self, top: MutableNode, share: Share) -> None:
        """New rows for a node and all below it; a category that is new there gets a leaf."""
        stack = [(top, share)]
        while stack:
            node, came = stack.pop()
            node.share, node.moved = came, True
            if node.asks < 0:
                continue
            for key, part in (self.route(node.asks, came) or {}).items():
                kid = node.kids.setdefault(key, MutableNode(node.place, -1, part))
                stack.append((kid, part))

    def tree_of(self, root: MutableNode) -> Tree:
        """The nodes as a tree: what did not move is kept as it was counted."""
        order = [*root.walk()]
        number = {id(node): at for at, node in enumerate(order)}
        tree, asks = self.tree, np.array([node.asks for node in order])
        place = np.array([node.place for node in order])
        at = np.maximum(asks, 0)
        counts, impurity = self._count_nodes(order, place)
        n, (ends, codes, leads) = counts.sum(axis=1), self._leads(order, number)
        ties = [
            np.zeros(0, np.int64) if b.moved or b.asks < 0 else _ties(tree, b.asks) for b in order
        ]
        tied = np.concatenate(ties)
        return replace(
            tree, parent=_parents(order, number), test=np.where(asks < 0, LEAF, tree.test[at]),
            column=np.where(asks < 0, -1, tree.column[at]),
            threshold=np.where(asks < 0, np.nan, tree.threshold[at]),
            missing=np.array([self._usual(node, number) for node in order]),
            others=self._others(order, number),
            ends=ends, codes=codes, leads=leads, counts=counts, n=n,
            rows=np.array([len(node.share.rows) for node in order]), impurity=impurity,
            gain=_gains(order, number, n, impurity, tree),
            answer=answer_of(counts, tree.loss, tree.tie, tree.seed),
            tie_ends=np.cumsum([len(part) for part in ties]), tie_columns=tree.tie_columns[tied],
            tie_thresholds=tree.tie_thresholds[tied],
        )  # fmt: skip

    def _count_nodes(self, order: list[MutableNode], place: Array) -> tuple[Array, Array]:
        """The counts of every node and its impurity: anew where other rows came to it."""
        counts, impurity = self.tree.counts[place], self.tree.impurity[place]
        moved = [i for i, node in enumerate(order) if node.moved]
        for i in moved:
            counts[i] = self.counts(order[i].share)
        impurity[moved] = self._impurity([order[i].share for i in moved])
        return counts, impurity

    def _impurity(self, shares: list[Share]) -> Any:
        lines = [self.rows.target.lines(s.rows, s.units).sum(axis=0) for s in shares]
        measure = impurity_of(self.rows.plan.criterion, self.rows.target)
        return measure(np.array(lines)) if lines else np.zeros(0)

    def _usual(self, node: MutableNode, number: dict[int, int]) -> int:
        usual = int(self.tree.missing[node.asks]) if node.asks >= 0 else -1
        if usual < 0:
            return -1
        key = self.keys(node.asks)[self.tree.children(node.asks).index(usual)]
        return number[id(node.kids[key])]

    def _others(self, order: list[MutableNode], number: dict[int, int]) -> Array:
        """The node of every node's other values; none where the tree has none."""
        if not len(self.tree.others):
            return self.tree.others
        found = np.full(len(order), -1)
        for at, node in enumerate(order):
            other = self.tree.other(node.asks) if node.asks >= 0 else -1
            if other >= 0:
                key = self.tree.children(node.asks).index(other)
                found[at] = number[id(node.kids[key])]
        return found

    def _leads(
        self, order: list[MutableNode], number: dict[int, int]
    ) -> tuple[Array, Array, Array]:
        ends, codes, leads = [], [], []
        for node in order:
            test = self.tree.test[node.asks] if node.asks >= 0 else LEAF
            if test == MULTIWAY:
                found = [key for key in sorted(node.kids) if key < self._width(node.asks)]
                codes += found
                leads += [number[id(node.kids[key])] for key in found]
            elif test == SUBSET:
                kids = self.tree.children(node.asks)
                known, to = self.tree.category_leads(node.asks)
                codes += known.tolist()
                leads += [number[id(node.kids[kids.index(kid)])] for kid in to.tolist()]
            ends.append(len(codes))
        return np.array(ends), np.array(codes, dtype=np.int64), np.array(leads, dtype=np.int64)


def _rows_by_key(to: Array) -> list[tuple[int, Array]]:
    """Every key that occurs, and where."""
    if to.dtype == np.int8:  # of two branches
        above = to.view(np.bool_)
        return [(key, here) for key, here in ((0, ~above), (1, above)) if here.any()]
    return [(int(key), to == key) for key in np.unique(to)]


def _parents(order: list[MutableNode], number: dict[int, int]) -> Array:
    parent = np.full(len(order), -1)
    for node in order:
        for kid in node.kids.values():
            parent[number[id(kid)]] = number[id(node)]
    return parent


def _ties(tree: Tree, i: int) -> Array:
    return np.arange(int(tree.tie_ends[i - 1]) if i else 0, int(tree.tie_ends[i]))


def _gains(
    order: list[MutableNode], number: dict[int, int], n: Array, impurity: Array, tree: Tree
) -> Array:
    """As before; of what moved, how far the impurity falls."""
    gain = np.zeros(len(order))
    for i, node in enumerate(order):
        if node.asks < 0:
            continue
        kids = [number[id(kid)] for kid in node.kids.values()]
        gain[i] = max(fall(i, kids, n, impurity), 0.0) if node.moved else tree.gain[node.asks]
    return gain
