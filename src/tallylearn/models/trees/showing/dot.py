"""A tree in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.tree_text import node_text
from tallylearn.models.trees.wording import branch_value
from tallylearn.reporting.formatting import printable_text

MAX_BRANCHES = 200  # branches of a node


def quote(*lines: str) -> str:
    r"""A string of DOT, its lines centred; in it only backslashes and quotes mean something.

    >>> print(quote('a "b"', "c\\d"))
    "a \"b\"\nc\\d"
    """
    found = (printable_text(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(found) + '"'


def as_dot(part: Excerpt) -> str:
    """A directed graph: inner nodes are boxes, leaves ellipses, branches label the edges."""
    head = ["digraph tree {", '  node [shape=box, fontname="sans-serif"];',
            '  edge [fontname="sans-serif"];']  # fmt: skip
    return "\n".join([*head, *_statements(part), "}"]) + "\n"


def _statements(part: Excerpt) -> Iterator[str]:
    tree = part.tree
    for i in part.nodes:
        if tree.test[i] == LEAF:
            lines = [node_text(part, i), *([part.formulas[i]] if i in part.formulas else [])]
            yield f"  n{i} [shape=ellipse, label={quote(*lines)}];"
            continue
        name = tree.columns[tree.column[i]].name
        more = [left.strip()] if (left := part.cut_off_note(i)) else []
        yield f"  n{i} [label={quote(f'{name}?', node_text(part, i), *more)}];"
        for branch in part.branches(i):
            yield f"  n{i} -> n{branch.node} [label={quote(branch_value(tree, branch))}];"
        if missed := part.hidden_note(i):
            yield f"  m{i} [shape=plaintext, label={quote(missed)}];"
            yield f"  n{i} -> m{i} [style=dotted];"
