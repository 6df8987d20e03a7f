"""A tree as text: one line a branch, with its rows and its answer."""

from __future__ import annotations

from collections.abc import Iterator

from tallylearn.models.trees.trees import LEAF, Tree
from tallylearn.workings.rendering import short

MOST_LINES = 200


def drawn(tree: Tree) -> str:
    """The tree, its branches indented."""
    lines: list[str] = []
    for line in _lines(tree):
        if len(lines) == MOST_LINES:
            lines.append(f"... {len(tree)} nodes in all")
            break
        lines.append(line)
    return "\n".join(lines)


def _lines(tree: Tree) -> Iterator[str]:
    yield _said(tree, 0)
    stack = [(branch.node, str(branch)) for branch in reversed(tree.branches(0))]
    while stack:
        node, text = stack.pop()
        yield f"{'│  ' * (int(tree.depths[node]) - 1)}├─ {text}: {_said(tree, node)}"
        stack += [(branch.node, str(branch)) for branch in reversed(tree.branches(node))]


def _said(tree: Tree, i: int) -> str:
    """The counts of a node, and its answer if it is a leaf."""
    if tree.classes:
        counts = " ".join(
            f"{name} {short(count)}"
            for name, count in zip(tree.classes, tree.counts[i], strict=True)
        )
        answer = f"{tree.said(i)}  [{counts}]" if tree.test[i] == LEAF else f"[{counts}]"
    else:
        answer = f"{short(float(tree.answer[i]))}  [{short(float(tree.n[i]))} rows]"
    names = dict.fromkeys(name for name, _ in tree.ties(i))
    return answer + (f"  tied: {', '.join(names)}" if names else "")
