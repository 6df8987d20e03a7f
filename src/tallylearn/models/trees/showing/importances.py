"""Importances: the share of each column in the total gain of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, error_context, is_one_of, quoted_list, short_repr
from tallylearn.models.trees.nodes import Nodes
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts.bar_chart import ChartBar, draw_bars
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.formatting import format_number
from tallylearn.reporting.report import Report
from tallylearn.tables import Array
from tallylearn.workings import Grid

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
        bars = [
            ChartBar(c.column, c.share, f"{c.column}: {c.share!r}, splits: {c.splits}")
            for c in self.columns
        ]
        data = {"importances": {c.column: c.share for c in self.columns}}
        return draw_bars(bars, title, data, whole=1.0)


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
