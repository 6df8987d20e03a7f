"""Removals: what pruning took out of a tree, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import item_at
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import branch_text, path_text
from tallylearn.reporting.formatting import format_number
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.workings import Grid
from tallylearn.workings.derivations import read_derivation


@dataclass(frozen=True)
class Cut:
    """A node that became a leaf, or that was replaced by its largest branch."""

    node: int
    numbers: Mapping[str, float]  # what was compared
    raised: int = -1  # the node whose question is asked instead


@dataclass(frozen=True)
class Stage:
    """One way of pruning, applied to one tree."""

    how: str
    tree: Tree  # before
    cuts: tuple[Cut, ...]  # in their order


@dataclass(frozen=True)
class Removal:
    """One thing that pruning did."""

    how: str  # "stopped", "chi2", "collapsed", ...
    node: int  # its number in the tree before
    path: str  # the answers that lead there
    question: str  # the column that was asked
    rows: float  # their weight
    leaves: int  # below it, before
    became: Any  # the answer of the leaf; or "branch ..." where the largest branch moved up
    numbers: Mapping[str, float]

    @property
    def why(self) -> str:
        """The numbers of the test, as text."""
        return ", ".join(f"{name} {format_number(value)}" for name, value in self.numbers.items())


@dataclass(frozen=True)
class Prunings(Report):
    """All removals, in their order."""

    stages: tuple[Stage, ...] = ()

    def __len__(self) -> int:
        return sum(len(stage.cuts) for stage in self.stages)

    def __iter__(self) -> Iterator[Removal]:
        return (_removal(stage, cut) for stage in self.stages for cut in stage.cuts)

    def __getitem__(self, at: int) -> Removal:
        found: Removal = item_at(tuple(self), at, "removals")
        return found

    def to_dict(self) -> dict[str, Any]:
        header = ("by", "node", "path", "question", "rows", "leaves", "became", "why")
        rows = tuple(
            (
                r.how,
                str(r.node),
                r.path,
                r.question,
                format_number(r.rows),
                str(r.leaves),
                str(r.became),
                r.why,
            )
            for r in self
        )
        return Grid("prunings", header, rows).to_dict()

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        grid = read_derivation(found)
        return grid if found["rows"] else ReportLayout(grid, text="nothing was pruned")


def _removal(stage: Stage, cut: Cut) -> Removal:
    tree, i = stage.tree, cut.node
    became = (
        tree.prediction_of(i)
        if cut.raised < 0
        else f"branch {branch_text(tree, tree.branch(cut.raised))}"
    )
    below = slice(i, i + int(tree.sizes[i]))
    return Removal(
        stage.how,
        i,
        path_text(tree, i),
        question=tree.columns[tree.column[i]].name,
        rows=float(tree.n[i]),
        leaves=int((tree.test[below] == 0).sum()),
        became=became,
        numbers=cut.numbers,
    )
