"""Importances: the share of each column in the total gain of a tree."""

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

BAR_HEIGHT, NAME_WIDTH = 22.0, 160.0  # pixels of a bar with its space, and of a name
MAX_BARS = 40  # columns of a chart
ROOT = np.zeros(1, np.int64)  # of a single tree


@dataclass(frozen=True)
class Importance:
    """One column: its share of the gain, and its number of splits."""

    column: str
    share: float
    splits: int


@dataclass(frozen=True)
class Importances(Report):
    """The columns of a tree, the one that gained most first; shares sum to 1.

    A share is the fall of the impurity, weighted by rows and summed over the splits on a column.
    It measures what this tree uses: of two collinear columns one may get all.
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
                f"Importances: there is no column {short_repr(column)}. Use one of "
                f"{quoted_list(shares)}."
            )
        return shares[column]

    def to_dict(self) -> dict[str, Any]:
        return {c.column: {"share": c.share, "splits": c.splits} for c in self.columns}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        rows = tuple(
            (name, format_number(one["share"]), str(one["splits"])) for name, one in found.items()
        )
        return Grid("Importances", ("column", "share of the gain", "splits"), rows)

    def plot(self, title: str = "Importances") -> Plot:
        """A bar chart of the largest 40 importances.

        Parameters
        ----------
        title : str, default "Importances"
            The text above the chart.

        Returns
        -------
        Plot
        """
        with error_context("Importances"):
            title = str(title)
        shown = self.columns[:MAX_BARS]
        left = 18 + min(
            NAME_WIDTH, max((text_extent(printable_text(c.column)) for c in shown), default=0.0)
        )
        room = WIDTH - left - 56
        body = [
            mark
            for at, c in enumerate(shown)
            for mark in _bar(c, left, TITLE_HEIGHT + BAR_HEIGHT * at, room)
        ]
        data = {"importances": {c.column: c.share for c in self.columns}}
        return make_plot(title, data, body, WIDTH, TITLE_HEIGHT + BAR_HEIGHT * len(shown) + 10)


def _bar(one: Importance, left: float, top: float, room: float) -> Iterator[str]:
    width = room * one.share
    yield label(one.column, left - 8, top + 13, room=NAME_WIDTH, text_anchor="end")
    yield tag("rect", tooltip(f"{one.column}: {one.share!r}, splits: {one.splits}"),
              x=left, y=top + 3, width=width, height=BAR_HEIGHT - 8, fill=COLOURS[0])  # fmt: skip
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
