"""Formulas: the linear models at the leaves of a tree, as one writes them down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tallylearn.models.trees.texts import rows_of, worded
from tallylearn.models.trees.trees import Tree
from tallylearn.workings.rendering import plain, short

MOST_LINES = 200


@dataclass(frozen=True)
class Formula:
    """The linear model that the rows of one leaf are answered with.

    >>> print(Formula(3, "LM1", "x <= 2", 20.0, 1.5, (("x", 0.25), ("[c in {b}]", -2.0))))
    LM1 = 1.5 + 0.25 · x - 2 · [c in {b}]
    """

    node: int
    name: str  # LM1, LM2, ...
    path: str  # the answers that lead there
    n: float  # the weight of the rows there
    intercept: float
    terms: tuple[tuple[str, float], ...]  # an attribute and its coefficient

    def __str__(self) -> str:
        parts = [f" {'-' if c < 0 else '+'} {short(abs(c))} · {name}" for name, c in self.terms]
        return f"{self.name} = {short(self.intercept)}{''.join(parts)}"


def drawn(tree: Tree, named: Mapping[int, str]) -> str:
    """A tree as text, its leaves under names of their own."""
    lines = [line for line, _ in zip(_lines(tree, named), range(MOST_LINES), strict=False)]
    return "\n".join(lines + ([f"... {len(tree)} nodes in all"] if len(lines) < len(tree) else []))


def _lines(tree: Tree, named: Mapping[int, str]) -> Iterator[str]:
    stack = [(0, "", "")]
    while stack:
        node, text, indent = stack.pop()
        rows = f"[{rows_of(float(tree.n[node]))}]"
        yield f"{text}{named[node]}  {rows}" if node in named else f"{text}{rows}"
        for place, branch in enumerate(reversed(tree.branches(node))):
            edge, below = ("├─ ", "│  ") if place else ("└─ ", "   ")
            head = f"{indent}{edge}{plain(worded(tree, branch))}: "
            stack.append((branch.node, head, indent + below))
