"""A tree as HTML whose branches open and close, without any script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.svg import colours_of, legend_entries
from tallylearn.models.trees.showing.tree_text import node_text, readable_depth
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import branch_text
from tallylearn.reporting.formatting import escape_html

OPEN_NODES = 40  # nodes that are open at first
MAX_NODES = 5000  # nodes of a page
MAX_BRANCHES = 200  # branches of a node
MAX_DEPTH = 200  # levels: browsers stop nesting at 512 elements, and a level is two
STYLE = (
    ".tally-tree{font:13px/1.6 sans-serif}.tally-tree details,.tally-tree .leaf"
    "{margin-left:1.2em;border-left:1px solid #ddd;padding-left:.4em}"
    ".tally-tree summary{cursor:pointer}.tally-tree .leaf{padding-left:1.3em}"
    ".tally-tree b{font-weight:600}.tally-tree small{color:#767676}"
    ".tally-tree .bar{display:inline-flex;width:70px;height:8px;background:#ddd;margin-right:.5em}"
    ".tally-tree .legend{margin:.3em 0}.tally-tree .key{margin-right:1.2em;white-space:nowrap}"
    ".tally-tree .key i{display:inline-block;width:11px;height:11px;margin-right:.4em}"
    ".tally-tree .model{font-family:monospace}"
)


def as_page(part: Excerpt) -> str:
    """A fragment of HTML: every inner node is a heading that opens on its branches."""
    tree, opened = part.tree, readable_depth(part.tree, OPEN_NODES)
    colours = colours_of(tree)
    parts = [f'<div class="tally-tree"><style>{STYLE}</style>', *_legend(colours)]
    edges = {0: ""}
    closing: list[tuple[int, str]] = []  # of open elements the node after, and what is not shown
    for i in part.nodes:
        while closing and i >= closing[-1][0]:
            parts += _closed_branch(closing.pop()[1])
        branches = part.branches(i)
        edges |= {b.node: f"{branch_text(tree, b)}: " for b in branches}
        line = _bar(tree, i, colours) + _line(part, i, edges[i])
        if not branches:
            parts.append(f'<div class="leaf">{line}</div>')
            continue
        is_open = " open" if tree.depths[i] < opened else ""
        parts.append(f"<details{is_open}><summary>{line}</summary>")
        closing.append((i + int(tree.sizes[i]), part.hidden_note(i)))
    while closing:
        parts += _closed_branch(closing.pop()[1])
    return "\n".join([*parts, "</div>"])


def _closed_branch(missed: str) -> list[str]:
    """The end of a node's branches, and how many are not shown."""
    left = [f'<div class="leaf"><small>{escape_html(missed)}</small></div>'] if missed else []
    return [*left, "</details>"]


def _legend(colours: dict[Any, str]) -> Iterator[str]:
    """Which colour is which class."""
    if not colours:
        return
    keys = (f'<span class="key"><i style="background:{colour}"></i>{escape_html(name)}</span>'
            for name, colour in legend_entries(colours))  # fmt: skip
    yield f'<div class="legend">{"".join(keys)}</div>'


def _line(part: Excerpt, i: int, edge: str) -> str:
    left, shown = part.cut_off_note(i).strip(), escape_html(node_text(part, i))
    if part.tree.test[i] == LEAF:
        shown = f"<b>{shown}</b>"
    more = f" <small>{escape_html(left)}</small>" if left else ""
    model = (
        f' <span class="model">{escape_html(part.formulas[i])}</span>' if i in part.formulas else ""
    )
    return f"{escape_html(edge)}{shown}{model}{more}"


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
