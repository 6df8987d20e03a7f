"""Tables passed to a tree that has grown: rows to judge it by, or those that it grew from again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.errors import InputError, TargetError, quoted_list
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.wording import route
from tallylearn.tables import CATEGORY, Array, Block, Codes, Column


def as_grown(tree: Nodes, block: Block) -> Block:
    """The table that a tree grew from, passed again: classes and categories have the tree's codes.

    A part of that table may lack some of them, which would move the places of the others.
    """
    if not len(block):
        raise InputError(
            "the table has no rows, or none of a weight above zero. Pass the one that the tree "
            "grew from."
        )
    if tree.classes and block.target.values != tree.classes:
        block = replace(block, target=Codes(tree.classes, labels(tree, block, "table")))
    known = {c.name: _declared(c, block.codes[c.name]) for c in tree.columns if c.kind == CATEGORY}
    return replace(block, codes=block.codes | known)


def _declared(column: Column, codes: Codes) -> Codes:
    """The categories of a column, with those of the tree declared where some do not occur."""
    seen = {codes.values[code] for code in np.unique(codes.codes).tolist() if code >= 0}
    if odd := sorted(seen.difference(column.values)):
        raise InputError(
            f"this is not the table that the tree grew from: {column.name!r} is {odd[0]!r} in some "
            f"row, and the tree knows {quoted_list(column.values)}. Pass that table, or leave "
            "those "
            "rows out."
        )
    return codes if len(seen) == len(column.values) else replace(codes, declared=column.values)


def labels(tree: Nodes, block: Block, table: str) -> Array:
    """(n,) the place of every row's class among those of the tree."""
    found = block.target.among(tree.classes)
    if (found < 0).any():
        odd = [value for value in block.target.values if value not in tree.classes]
        raise TargetError(
            f"the {table} has the class {odd[0]!r}, and the tree knows "
            f"{quoted_list(tree.classes)}. "
            "Leave those rows out, or grow the tree with some of them."
        )
    return np.asarray(found)


def unreached(tree: Nodes, node: int) -> InputError:
    """Where a table has nothing to say about a node."""
    return InputError(
        f"no row of this table comes to node {node} ({route(tree, node)}). Pass the table that the "
        "tree grew from."
    )
