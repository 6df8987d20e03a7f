"""One node of a tree: its split, its branches, its counts and its prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LEAF, THRESHOLD, MULTIWAY, SUBSET, PRESENCE = range(5)  # the test of a node
TESTS = ("leaf", "threshold", "multiway", "subset", "presence")


@dataclass(frozen=True)
class Branch:
    """One branch of a split: ``column relation values``, and the node it leads to."""

    column: str
    relation: str  # "<=", ">", "=", "in", "missing", "present"
    values: tuple[Any, ...]  # the threshold, or the categories
    node: int
    others: bool = False  # whether all other categories go there too

    def __str__(self) -> str:
        if self.relation in ("missing", "present"):
            return f"{self.column} {self.relation}"
        if self.relation in ("<=", ">"):
            return f"{self.column} {self.relation} {self.values[0]:.6g}"
        shown = ", ".join([*map(str, self.values), *["…"] * self.others])
        return (
            f"{self.column} = {shown}" if self.relation == "=" else f"{self.column} in {{{shown}}}"
        )


@dataclass(frozen=True)
class Node:
    """All about one node."""

    number: int
    parent: int  # -1 at the root
    depth: int
    test: str  # "leaf", "threshold", "multiway", "subset", "presence"
    column: str  # "" at a leaf
    threshold: float  # NaN where there is none
    branches: tuple[Branch, ...]
    absent: tuple[str, ...]  # categories of the column that no row had here: they end here
    counts: tuple[float, ...]  # the weight of every class; () in a regression tree
    n: float  # the weight of the rows
    rows: int
    impurity: float
    gain: float  # how far the split lowers the impurity
    answer: Any  # what it predicts: a class, a mean, or a median
    tied: tuple[tuple[str, float], ...]  # (column, threshold) of all best candidates, if several
