"""Graphs: a tree in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tallylearn.models.trees.texts import answered, below, said
from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.workings.rendering import plain


def quoted(*lines: str) -> str:
    r"""A string of DOT, its lines centred; in it only backslashes and quotes mean something.

    >>> print(quoted('a "b"', "c\\d"))
    "a \"b\"\nc\\d"
    """
    found = (plain(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(found) + '"'


def as_dot(tree: Tree, max_depth: int | None = None) -> str:
    """A directed graph: questions are boxes, leaves ellipses, answers stand on the edges."""
    end = tree.depth if max_depth is None else max_depth
    head = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];',
            '  edge [fontname="sans-serif"];']  # fmt: skip
    return "\n".join([*head, *_statements(tree, end), "}"]) + "\n"


def _statements(tree: Tree, end: int) -> Iterator[str]:
    for i in np.flatnonzero(tree.depths <= end).tolist():
        if tree.test[i] == LEAF:
            yield f"  n{i} [shape=ellipse, label={quoted(said(tree, i))}];"
            continue
        name = tree.columns[tree.column[i]].name
        more = [left.strip()] if (left := below(tree, i, end)) else []
        yield f"  n{i} [label={quoted(f'{name}?', said(tree, i), *more)}];"
        for branch in tree.branches(i) if tree.depths[i] < end else ():
            yield f"  n{i} -> n{branch.node} [label={quoted(answered(tree, branch))}];"
