"""Tables that are passed to a fitted tree: validation rows, or the training rows again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallylearn.errors import InputError, TargetError, quoted_list
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.wording import path_text
from tallylearn.tables import CATEGORY, Array, Block, Codes, Column


def with_codes_of_tree(tree: Nodes, block: Block) -> Block:
    """The training rows, passed again, with the tree's codes of classes and categories.

    A part of the table may lack some of them, which would change the codes of the others.
    """
    if not len(block):
        raise InputError("the table has no rows with a positive weight. Pass the training rows.")
    if tree.classes and block.target.values != tree.classes:
        block = replace(block, target=Codes(tree.classes, class_codes(tree, block, "table")))
    known = {
        c.name: _declared_columns(c, block.codes[c.name])
        for c in tree.columns
        if c.kind == CATEGORY
    }
    return replace(block, codes=block.codes | known)


def _declared_columns(column: Column, codes: Codes) -> Codes:
    """The categories of a column, with those of the tree declared where some do not occur."""
    seen = {codes.values[code] for code in np.unique(codes.codes).tolist() if code >= 0}
    if odd := sorted(seen.difference(column.values)):
        raise InputError(
            f"these are not the training rows: {column.name!r} is {odd[0]!r} in some row, and the "
            f"tree knows {quoted_list(column.values)}. Pass the training rows, or leave those rows "
            "out."
        )
    return codes if len(seen) == len(column.values) else replace(codes, declared=column.values)


def class_codes(tree: Nodes, block: Block, table: str) -> Array:
    """(n,) the code of the class of every row among those of the tree."""
    found = block.target.recode(tree.classes)
    if (found < 0).any():
        odd = [value for value in block.target.values if value not in tree.classes]
        raise TargetError(
            f"the {table} has the class {odd[0]!r}, and the tree knows "
            f"{quoted_list(tree.classes)}. Leave those rows out, or fit with some of them."
        )
    return np.asarray(found)


def node_not_reached(tree: Nodes, node: int) -> InputError:
    """The error for a node that no row of a table reaches."""
    return InputError(
        f"no row of this table reaches node {node} ({path_text(tree, node)}). Pass the training "
        "rows."
    )
