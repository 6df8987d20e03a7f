"""Importances: how much of all that a tree gained was gained by asking each column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, error_context, is_one_of, quoted_list, short_repr
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts.plot import TITLE_HEIGHT, WIDTH, Plot, make_plot
from tallylearn.reporting.charts.svg_elements import COLOURS, label, tag, text_extent, tooltip
from tallylearn.reporting.formatting import format_number, printable_text
from tallylearn.reporting.report import Report
from tallylearn.tables import Array
from tallylearn.workings import Grid

ROW, NAMES = 22.0, 160.0  # pixels of a bar with its gap, and of a name
DRAWN = 40  # columns of a chart
ROOT = np.zeros(1, np.int64)  # of a single tree


@dataclass(frozen=True)
class Importance:
    """One column: its share of the gain, and how often it is asked."""

    column: str
    share: float
    questions: int


@dataclass(frozen=True)
class Importances(Report):
    """The columns of a tree, the one that gained most first; shares sum to 1.

    A share is the fall of the impurity, weighed by rows and summed over the questions of a column.
    It tells what this tree used, not what matters: of two columns that say the same, one gets all.
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984, 5.3.4.
    """

    columns: tuple[Importance, ...]

    def __iter__(self) -> Iterator[Importance]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, column: str) -> float:
        shares = {one.column: one.share for one in self.columns}
        if not is_one_of(column, shares):
            raise ColumnError(
                f"the tree was grown from {quoted_list(shares)}, not from {short_repr(column)}."
            )
        return shares[column]

    def to_dict(self) -> dict[str, Any]:
        return {c.column: {"share": c.share, "questions": c.questions} for c in self.columns}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        rows = tuple(
            (name, format_number(one["share"]), str(one["questions"]))
            for name, one in found.items()
        )
        return Grid("Importances", ("column", "share of the gain", "questions"), rows)

    def plot(self, title: str = "Importances") -> Plot:
        """A bar for every column, at most 40."""
        with error_context("Importances"):
            title = str(title)
        shown = self.columns[:DRAWN]
        left = 18 + min(
            NAMES, max((text_extent(printable_text(c.column)) for c in shown), default=0.0)
        )
        room = WIDTH - left - 56
        body = [
            mark
            for at, c in enumerate(shown)
            for mark in _bar(c, left, TITLE_HEIGHT + ROW * at, room)
        ]
        data = {"importances": {c.column: c.share for c in self.columns}}
        return make_plot(title, data, body, WIDTH, TITLE_HEIGHT + ROW * len(shown) + 10)


def _bar(one: Importance, left: float, top: float, room: float) -> Iterator[str]:
    width = room * one.share
    yield label(one.column, left - 8, top + 13, room=NAMES, text_anchor="end")
    yield tag("rect", tooltip(f"{one.column}: {one.share!r}, questions: {one.questions}"),
              x=left, y=top + 3, width=width, height=ROW - 8, fill=COLOURS[0])  # fmt: skip
    yield label(format_number(one.share), left + width + 5, top + 13, room=50)


def shares_of(trees: Nodes, roots: Array = ROOT) -> Array:
    """(t, p) the share of every column in what each tree gained, in the order of the table."""
    asked, p = np.flatnonzero(trees.column >= 0), len(trees.columns)
    place = trees.column[asked] + p * (np.searchsorted(roots, asked, side="right") - 1)
    gained = (trees.n * trees.gain)[asked]
    found = np.bincount(place, gained, minlength=p * len(roots)).reshape(len(roots), p)
    whole = found.sum(axis=1, keepdims=True)
    return np.asarray(found / np.where(whole > 0, whole, 1.0))


def importances_of(tree: Tree) -> Importances:
    """The columns in the order of their shares; of equal ones the first in the table first."""
    asked = np.bincount(tree.column[tree.column >= 0], minlength=len(tree.columns))
    found = [
        Importance(column.name, float(share), int(times))
        for column, share, times in zip(tree.columns, shares_of(tree)[0], asked, strict=True)
    ]
    return Importances(tuple(sorted(found, key=lambda one: -one.share)))
