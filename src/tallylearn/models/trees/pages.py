"""Pages: a tree as HTML whose branches open and close, without any script."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.models.trees.drawings import colours_of
from tallylearn.models.trees.texts import below, readable, said, worded
from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.workings.rendering import escaped

OPEN = 40  # nodes that are open at first
MOST = 5000  # nodes of a page
DEEPEST = 200  # levels: browsers stop nesting at 512 elements, and a level is two
STYLE = (
    ".tally-tree{font:13px/1.6 sans-serif}.tally-tree details,.tally-tree .leaf"
    "{margin-left:1.2em;border-left:1px solid #ddd;padding-left:.4em}"
    ".tally-tree summary{cursor:pointer}.tally-tree .leaf{padding-left:1.3em}"
    ".tally-tree b{font-weight:600}.tally-tree small{color:#767676}"
    ".tally-tree .bar{display:inline-flex;width:70px;height:8px;background:#ddd;margin-right:.5em}"
)


def as_page(tree: Tree, max_depth: int | None = None) -> str:
    """A fragment of HTML: every node that asks is a heading that opens on its branches."""
    end = readable(tree, MOST) if max_depth is None else max_depth
    end, opened = min(end, DEEPEST), readable(tree, OPEN)
    parts = [f'<div class="tally-tree"><style>{STYLE}</style>']
    edges, colours = {0: ""}, colours_of(tree)
    closing: list[int] = []  # for every open element, the node after its subtree
    for i in np.flatnonzero(tree.depths <= end).tolist():
        while closing and i >= closing[-1]:
            closing.pop()
            parts.append("</details>")
        edges |= {b.node: f"{worded(tree, b)}: " for b in tree.branches(i)}
        line = _bar(tree, i, colours) + _line(tree, i, edges[i], end)
        if tree.test[i] == LEAF or tree.depths[i] == end:
            parts.append(f'<div class="leaf">{line}</div>')
            continue
        is_open = " open" if tree.depths[i] < opened else ""
        parts.append(f"<details{is_open}><summary>{line}</summary>")
        closing.append(i + int(tree.sizes[i]))
    return "\n".join([*parts, *["</details>"] * len(closing), "</div>"])


def _line(tree: Tree, i: int, edge: str, end: int) -> str:
    left = below(tree, i, end).strip()
    told = escaped(said(tree, i))
    if tree.test[i] == LEAF:
        told = f"<b>{told}</b>"
    more = f" <small>{escaped(left)}</small>" if left else ""
    return f"{escaped(edge)}{told}{more}"


def _bar(tree: Tree, i: int, colours: dict[Any, str]) -> str:
    """The shares of the classes, in the colours of the drawing."""
    whole = float(tree.counts[i].sum())
    if not tree.classes or whole <= 0:
        return ""
    pieces = (
        f'<span style="width:{100 * count / whole:.1f}%;background:{colours[name]}"></span>'
        for name, count in zip(tree.classes, tree.counts[i].tolist(), strict=True)
        if count > 0
    )
    return f'<span class="bar">{"".join(pieces)}</span>'
