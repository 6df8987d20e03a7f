"""A tree as text: one line per branch, with its rows, its prediction and its ties."""

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
from tallylearn.models.trees.wording import MAX_LISTED, branch_text, format_count, format_rows
from tallylearn.reporting.formatting import format_number, more_note, printable_text

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

MAX_LINES = 200  # lines of ``print(tree)``
_UNCLEAR = re.compile(r"[\d\s:,]").search


def short_text(part: Excerpt) -> str:
    """As many levels as fit in 200 lines, the largest branches, and how many nodes are left out."""
    lines = [line for line, _ in zip(text_lines(part), range(MAX_LINES), strict=False)]
    left = len(part.tree) - len(part.nodes[:MAX_LINES])
    return "\n".join(lines + ([more_note(left, "nodes") + ": .text() has all"] if left else []))


def readable_depth(tree: Tree, most: int) -> int:
    """The depth to which a tree has at most so many nodes; 1 or more."""
    whole = np.cumsum(np.bincount(tree.depths))
    return max(1, int(np.searchsorted(whole, most, side="right")) - 1)


def text_lines(part: Excerpt) -> Iterator[str]:
    """One line per node, and how many nodes are not shown."""
    yield node_text(part, 0) + part.cut_off_note(0)
    stack = _branches_to_show(part, 0, "")
    while stack:
        branch, indent, last = stack.pop()
        head = f"{indent}{'└─' if last else '├─'} "
        if isinstance(branch, str):
            yield head + branch
            continue
        at = branch.node
        edge = printable_text(branch_text(part.tree, branch))
        yield f"{head}{edge}: {node_text(part, at)}{part.cut_off_note(at)}"
        stack += _branches_to_show(part, at, indent + ("   " if last else "│  "))


def _branches_to_show(part: Excerpt, i: int, indent: str) -> list[tuple[Branch | str, str, bool]]:
    found: list[Branch | str] = [*part.branches(i)]
    found += [part.hidden_note(i)] if i in part.hidden else []
    return [(b, indent, place == 0) for place, b in enumerate(reversed(found))]


def node_text(part: Excerpt, i: int) -> str:
    """The text of a node; at a leaf that holds a model, its name."""
    if not part.names:
        return node_summary(part.tree, i)
    rows = f"[{format_rows(float(part.tree.n[i]))}]"
    return f"{part.names[i]}  {rows}" if i in part.names else rows


def node_summary(tree: Tree, i: int) -> str:
    """The counts of a node, its ties, and its prediction if it is a leaf."""
    if tree.classes:
        answer = f"{printable_text(tree.prediction_of(i))}  " if tree.test[i] == LEAF else ""
        answer += f"[{class_counts(tree, i)}]"
    else:
        answer = f"{mean_text(tree, i)}  [{format_rows(float(tree.n[i]))}]"
    return answer + (f"  tied: {names}" if (names := tied_columns(tree, i)) else "")


def class_counts(tree: Tree, i: int) -> str:
    """The count of every class; of many, the largest that occur."""
    counts = tree.counts[i]
    shown = np.arange(len(counts))
    if len(counts) > MAX_LISTED:
        shown = np.sort(np.argsort(-counts, kind="stable")[: min(MAX_LISTED, (counts > 0).sum())])
    between, after = (" ", " ") if _are_words(tree.classes[:MAX_LISTED]) else (": ", ", ")
    pairs = ((printable_text(tree.classes[c]), format_count(float(counts[c]))) for c in shown)
    text = after.join(f"{name}{between}{n}" for name, n in pairs)
    rest = float(counts.sum() - counts[shown].sum())
    return text + (f" … {format_count(rest)}" if rest > 0 else "")


def _are_words(classes: tuple[Any, ...]) -> bool:
    """Whether no class could be taken for a count: "Yes 9" reads well, "1 50" does not."""
    words = (name for name in classes if not isinstance(name, bool | np.bool_))
    return all(isinstance(name, str) and name and not _UNCLEAR(name) for name in words)


def tied_columns(tree: Tree, i: int) -> str:
    """The columns of the splits that were equally good."""
    return printable_text(", ".join(dict.fromkeys(name for name, _ in tree.ties(i))))


def mean_text(tree: Tree, i: int) -> str:
    """The prediction of a node and the spread of its rows, where that is known."""
    answer, apart = format_number(float(tree.answer[i])), spread(tree, i)
    return answer if math.isnan(apart) else f"{answer} ± {format_number(apart)}"


def spread(tree: Tree, i: int) -> float:
    """The standard deviation of the target at a node of a regression tree (divisor n).

    Around a median it is the mean absolute deviation; with the Poisson deviance it is NaN.
    """
    impurity = max(float(tree.impurity[i]), 0.0)
    if tree.criterion not in ("variance", "sdr", ABSOLUTE):
        return math.nan
    return math.sqrt(impurity) if tree.criterion == "variance" else impurity


def as_rich(part: Excerpt) -> RichTree:
    """The tree in colour, for rich: predictions bold, ties yellow; as much as ``short_text``."""
    from rich.text import Text
    from rich.tree import Tree as RichTree

    tree = part.tree

    def line(i: int, edge: str) -> Text:
        text = Text(f"{edge}: " if edge else "", style="cyan")
        body, tie, names = node_text(part, i).partition("  tied: ")
        text.append(body, style="bold" if tree.test[i] == LEAF else "")
        return text.append(tie + names, style="yellow").append(part.cut_off_note(i), style="dim")

    root = RichTree(line(0, ""))
    found = {0: root}
    for i in part.nodes:
        for branch in part.branches(i):
            edge = printable_text(branch_text(tree, branch))
            found[branch.node] = found[i].add(line(branch.node, edge))
        if i in part.hidden:
            found[i].add(Text(part.hidden_note(i), style="dim"))
    if left := len(tree) - len(found):
        root.add(Text(more_note(left, "nodes"), style="dim"))
    return root
