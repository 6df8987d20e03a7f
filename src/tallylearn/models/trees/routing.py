"""Routing: where every row of a table goes, from the root to the node where it ends.

A row whose value is missing goes where the node says, which is to the larger child where no row of
the table had a missing value there; or, in a fractional tree, down every branch, in parts: each is
as large as the branch's share of the node's weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tallylearn.kernels import tree_predict
from tallylearn.models.trees.node import LEAF, MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.nodes import Nodes, PredictionSteps
from tallylearn.tables import CATEGORY, Array, Block, Codes

LANES = 16  # rows that walk side by side
ANY = 2**31 - 1  # the code that leads all others on, see ``kernels.walking``
GAP, NOWHERE = -1, -2  # in place of a child: the value is missing; no row of this value came


def ends(tree: Nodes, block: Block) -> Array:
    """(n,) the node where each row ends: a leaf, or a node that has no branch for its value."""
    out = np.zeros(len(block), dtype=np.int64)
    if len(tree) > 1:
        lanes = np.zeros(LANES, dtype=np.int64)
        tree_predict.walk(
            block.numbers,
            _category_matrix(tree, block),
            *_prediction_steps(tree, block),
            lanes,
            out,
        )
    return out


def shares(tree: Nodes, block: Block) -> Array:
    """(n, k) the values of the node where each row ends; of a row in parts, weighted by part."""
    if not tree.fractional or len(tree) == 1:
        return np.asarray(tree.node_values[ends(tree, block)])
    out = np.zeros((len(block), tree.node_values.shape[1]))
    room = np.empty(len(tree), dtype=np.int64), np.empty(len(tree))
    tree_predict.spread(
        block.numbers, _category_matrix(tree, block), _prediction_steps(tree, block), tree.sizes,
        tree.n, tree.node_values, room, out,
    )  # fmt: skip
    return out


def parts(tree: Nodes, block: Block) -> Iterator[tuple[Array, Array, Array]]:
    """Rows, the part of each, and the nodes where these parts end."""
    if not tree.fractional:
        yield np.arange(len(block)), np.ones(len(block)), ends(tree, block)
        return
    numbered = _category_matrix(tree, block)
    stack = [(np.arange(len(block)), np.ones(len(block)), 0)]
    while stack:
        rows, part, node = stack.pop()
        if tree.test[node] == LEAF or not len(rows):
            yield rows, part, np.full(len(rows), node)
            continue
        to = _steps(tree, node, rows, block, numbered)
        kids, gap, lost = [*tree.children(node)], to == GAP, to == NOWHERE
        yield rows[lost], part[lost], np.full(int(lost.sum()), node)
        for kid, share in zip(kids, tree.n[kids] / tree.n[kids].sum(), strict=True):
            on = to == kid
            stack.append(
                (np.append(rows[on], rows[gap]), np.append(part[on], part[gap] * share), kid)
            )


def kernel_input(tree: Nodes, block: Block) -> tuple[Array, Array, PredictionSteps]:
    """Numbers, categories and steps, as the kernels walk them; the tree has a split."""
    return block.numbers, _category_matrix(tree, block), _prediction_steps(tree, block)


def gap_ends(tree: Nodes, i: int) -> bool:
    """Whether a row ends at a node where its value is missing."""
    return bool(tree.gap_nodes[i] < 0) and not tree.fractional


def missing_columns(tree: Nodes, block: Block) -> list[set[str]]:
    """Of every row the columns that the tree tests and that are missing there."""
    found: list[set[str]] = [set() for _ in range(len(block))]
    numbered = _category_matrix(tree, block)
    for column in tree.split_columns:
        if column.kind == CATEGORY:
            gone = numbered[:, tree.split_categories.index(column.name)] == -1
        else:
            gone = np.isnan(block.numbers[:, block.schema.places[column.name]])
        for row in np.flatnonzero(gone).tolist():
            found[row].add(column.name)
    return found


def single_ends(tree: Nodes, block: Block) -> Array:
    """(n,) the node where each row ends; -1 for a row that goes down in parts."""
    nodes = ends(tree, block)
    if not tree.fractional:
        return nodes
    numbered = _category_matrix(tree, block)
    for i in np.unique(nodes[tree.test[nodes] != LEAF]).tolist():
        here = np.flatnonzero(nodes == i)
        nodes[here[_steps(tree, i, here, block, numbered) == GAP]] = -1
    return nodes


def branch_of_codes(
    codes: Array, width: int, test: int, cut: int, known: Array, groups: Array,
    others: int = NOWHERE,
) -> Array:  # fmt: skip
    """(n,) the branch of rows that are codes, as those a tree grows from; GAP, or NOWHERE.

    A number above ``cut`` goes down the second branch; a category down the one of its group among
    those ``known``, or that of all ``others``; ``width`` is the code of what is missing.
    """
    if test in (THRESHOLD, PRESENCE):
        to = (codes > cut).astype(np.int8)
    else:
        table = np.full(width + 1, others)
        table[known] = groups
        to = table[codes]
    to[codes == width] = GAP
    return to


def _steps(tree: Nodes, node: int, rows: Array, block: Block, numbered: Array) -> Array:
    """The child that each row goes to; GAP, or NOWHERE for a category that leads nowhere."""
    name = tree.columns[tree.column[node]].name
    if tree.test[node] in (THRESHOLD, PRESENCE):
        x = block.numbers[rows, block.schema.places[name]]
        first, *rest = tree.children(node)
        to = np.where(x <= tree.threshold[node], first, rest[0])
        return np.where(np.isnan(x), GAP, to)
    codes, leads = tree.category_leads(node)
    x = numbered[rows, tree.split_categories.index(name)]
    at = np.minimum(np.searchsorted(codes, x), len(codes) - 1)
    other = tree.other(node) if tree.other(node) >= 0 else NOWHERE
    return np.where(x == -1, GAP, np.where(codes[at] == x, leads[at], other))


def _prediction_steps(tree: Nodes, block: Block) -> PredictionSteps:
    """The tree as the kernel walks it; it is made once for every order of columns."""
    known = block.schema.places
    places = tuple(-1 if c.kind == CATEGORY else known[c.name] for c in tree.split_columns)
    if places not in tree.plans:
        tree.plans[places] = _build_steps(tree, places)
    return tree.plans[places]


def _build_steps(tree: Nodes, places: tuple[int, ...]) -> PredictionSteps:
    kept = np.zeros(len(tree.columns) + 1, np.int64)
    asked = [j for j in np.unique(tree.column).tolist() if j >= 0]
    for j, place in zip(asked, places, strict=True):
        name = tree.columns[j].name
        kept[j] = -1 - tree.split_categories.index(name) if name in tree.split_categories else place
    kept[-1] = max(kept[asked])
    return prediction_steps(tree, kept)


def prediction_steps(tree: Nodes, kept: Array) -> PredictionSteps:
    """The tree as ``kernels.walking`` walks it.

    ``kept`` (p + 1,): the place of every number, -1 less that of every category; the last one,
    which leaves have, is that of a number where there is any.
    """
    at = np.arange(len(tree))
    after, leaf = np.minimum(at + 1, len(tree) - 1), tree.test == LEAF
    coded, (ends, leads) = (tree.test == MULTIWAY) | (tree.test == SUBSET), _lead_table(tree)
    steps = np.stack([
        kept[tree.column],  # of a leaf any column will do
        np.where(coded, np.append(0, ends[:-1]), np.where(leaf, at, after)),
        np.where(coded, ends, np.where(leaf, at, after + tree.sizes[after])),
        np.where(tree.gap_nodes < 0, at, tree.gap_nodes),
    ], axis=1)  # fmt: skip
    steps[leaf & (kept[-1] < 0), 1:3] = 0  # no category leads anywhere
    cut = np.where(tree.test == THRESHOLD, tree.threshold, np.inf)  # all that is present
    return np.ascontiguousarray(steps, dtype=np.int32), cut, leads


def _lead_table(tree: Nodes) -> tuple[Array, Array]:
    """(m,) where the leads of every node end, and (2, l) these: that of all others is the last."""
    at = np.flatnonzero(tree.others >= 0)
    codes = np.insert(tree.codes, tree.ends[at], ANY)
    leads = np.insert(tree.leads, tree.ends[at], tree.others[at])
    more = np.zeros(len(tree), np.int64)
    more[at] = 1
    both = np.ascontiguousarray(np.stack([codes, leads]), dtype=np.int32)
    return tree.ends + np.cumsum(more), both


def _category_matrix(tree: Nodes, block: Block) -> Array:
    """(n, asked) the categories as the tree numbers them: -1 missing, -2 unseen."""
    if not tree.split_categories:
        return np.empty((len(block), 0), dtype=np.int32)
    return np.stack(
        [_numbers(tree, name, block.codes[name]) for name in tree.split_categories], axis=1
    )


def _numbers(tree: Nodes, name: str, codes: Codes) -> Array:
    return category_codes(*tree.category_numbers[name], codes)


def category_codes(values: tuple[Any, ...], place: Mapping[Any, int], codes: Codes) -> Array:
    """(n,) a category by the numbers that its values have in a tree: -1 missing, -2 unseen."""
    if len(codes.values) == len(values) and codes.values == values:
        return np.ascontiguousarray(codes.codes, dtype=np.int32)
    table = [place.get(value, -2) for value in codes.values]
    return np.array([*table, -1], dtype=np.int32)[codes.codes]
