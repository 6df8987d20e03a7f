"""A tree as text: one line a branch, with its rows, its answer and its ties."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tallylearn.models.trees.node import LEAF, Branch
from tallylearn.models.trees.nodes import ABSOLUTE
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import MAX_LISTED, counted, rows_of, worded
from tallylearn.reporting.formatting import format_number, more_note, printable_text

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

MOST_LINES = 200
_UNCLEAR = re.compile(r"[\d\s:,]").search


def glimpse(part: Excerpt) -> str:
    """As many levels as fit in 200 lines, the largest branches, and how many nodes are left out."""
    lines = [line for line, _ in zip(lines_of(part), range(MOST_LINES), strict=False)]
    left = len(part.tree) - len(part.nodes[:MOST_LINES])
    return "\n".join(lines + ([more_note(left, "nodes") + ": .text() has all"] if left else []))


def readable(tree: Tree, most: int) -> int:
    """The depth to which a tree has at most so many nodes; 1 or more."""
    whole = np.cumsum(np.bincount(tree.depths))
    return max(1, int(np.searchsorted(whole, most, side="right")) - 1)


def lines_of(part: Excerpt) -> Iterator[str]:
    """Every node that is shown on a line, and what is not."""
    yield told(part, 0) + part.below(0)
    stack = _stacked(part, 0, "")
    while stack:
        branch, indent, last = stack.pop()
        head = f"{indent}{'└─' if last else '├─'} "
        if isinstance(branch, str):
            yield head + branch
            continue
        at = branch.node
        yield f"{head}{printable_text(worded(part.tree, branch))}: {told(part, at)}{part.below(at)}"
        stack += _stacked(part, at, indent + ("   " if last else "│  "))


def _stacked(part: Excerpt, i: int, indent: str) -> list[tuple[Branch | str, str, bool]]:
    found: list[Branch | str] = [*part.branches(i)]
    found += [part.missed(i)] if i in part.hidden else []
    return [(b, indent, place == 0) for place, b in enumerate(reversed(found))]


def told(part: Excerpt, i: int) -> str:
    """What stands at a node; at a leaf that holds a model, the model's name."""
    if not part.named:
        return said(part.tree, i)
    rows = f"[{rows_of(float(part.tree.n[i]))}]"
    return f"{part.named[i]}  {rows}" if i in part.named else rows


def said(tree: Tree, i: int) -> str:
    """The counts of a node, its ties, and its answer if it is a leaf."""
    if tree.classes:
        answer = f"{printable_text(tree.said(i))}  " if tree.test[i] == LEAF else ""
        answer += f"[{tallied(tree, i)}]"
    else:
        answer = f"{averaged(tree, i)}  [{rows_of(float(tree.n[i]))}]"
    return answer + (f"  tied: {names}" if (names := tied(tree, i)) else "")


def tallied(tree: Tree, i: int) -> str:
    """The count of every class; of many, the largest that occur."""
    counts = tree.counts[i]
    shown = np.arange(len(counts))
    if len(counts) > MAX_LISTED:
        shown = np.sort(np.argsort(-counts, kind="stable")[: min(MAX_LISTED, (counts > 0).sum())])
    between, after = (" ", " ") if _wordy(tree.classes[:MAX_LISTED]) else (": ", ", ")
    pairs = ((printable_text(tree.classes[c]), counted(float(counts[c]))) for c in shown)
    text = after.join(f"{name}{between}{n}" for name, n in pairs)
    rest = float(counts.sum() - counts[shown].sum())
    return text + (f" … {counted(rest)}" if rest > 0 else "")


def _wordy(classes: tuple[Any, ...]) -> bool:
    """Whether no class could be taken for a count: "Yes 9" reads well, "1 50" does not."""
    words = (name for name in classes if not isinstance(name, bool | np.bool_))
    return all(isinstance(name, str) and name and not _UNCLEAR(name) for name in words)


def tied(tree: Tree, i: int) -> str:
    """The columns whose questions were equally good."""
    return printable_text(", ".join(dict.fromkeys(name for name, _ in tree.ties(i))))


def averaged(tree: Tree, i: int) -> str:
    """The answer of a node and how far its rows lie around it, where that is known."""
    answer, apart = format_number(float(tree.answer[i])), spread(tree, i)
    return answer if math.isnan(apart) else f"{answer} ± {format_number(apart)}"


def spread(tree: Tree, i: int) -> float:
    """The standard deviation of the target at a node of a regression tree (divisor n).

    Around a median it is the mean absolute deviation; by Poisson's deviance, and by a criterion of
    one's own, it is not known (NaN).
    """
    impurity = max(float(tree.impurity[i]), 0.0)
    if tree.criterion not in ("variance", "sdr", ABSOLUTE):
        return math.nan
    return math.sqrt(impurity) if tree.criterion == "variance" else impurity


def as_rich(part: Excerpt) -> RichTree:
    """The tree in colour, for rich: answers bold, ties yellow; cut as ``glimpse`` cuts it."""
    from rich.text import Text
    from rich.tree import Tree as RichTree

    tree = part.tree

    def line(i: int, edge: str) -> Text:
        text = Text(f"{edge}: " if edge else "", style="cyan")
        body, tie, names = told(part, i).partition("  tied: ")
        text.append(body, style="bold" if tree.test[i] == LEAF else "")
        return text.append(tie + names, style="yellow").append(part.below(i), style="dim")

    root = RichTree(line(0, ""))
    found = {0: root}
    for i in part.nodes:
        for branch in part.branches(i):
            edge = printable_text(worded(tree, branch))
            found[branch.node] = found[i].add(line(branch.node, edge))
        if i in part.hidden:
            found[i].add(Text(part.missed(i), style="dim"))
    if left := len(tree) - len(found):
        root.add(Text(more_note(left, "nodes"), style="dim"))
    return root
