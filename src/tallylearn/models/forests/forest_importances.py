"""Importances of a forest: what the columns gained, and what is lost when one is mixed up.

The first is told by the trees themselves, and favours columns of many values. The second asks every
tree for the rows that it has not seen, once more with the values of one column in another order
(L. Breiman, Random forests, 2001, section 10). Both differ from tree to tree: hence the intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import (
    ColumnError,
    OptionError,
    error_context,
    is_one_of,
    quoted_list,
    short_repr,
)
from tallylearn.folds.hashing import splitmix64
from tallylearn.models.forests.bootstrap import BootstrapSamples
from tallylearn.models.forests.forest import Forest
from tallylearn.models.forests.out_of_bag import ends_of
from tallylearn.reporting.charts.bar_chart import ChartBar, draw_bars
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.formatting import format_number
from tallylearn.reporting.report import Report
from tallylearn.statistics.confidence_intervals import Interval, mean_interval
from tallylearn.tables import CATEGORY, Array, Block
from tallylearn.workings import Grid

NOTES = {"share": "share of the gain", "loss": "lost when mixed up"}  # what a chart shows


@dataclass(frozen=True)
class ForestImportance:
    """One column: its share of the gain, and what answers lose without it, means over the trees."""

    column: str
    share: float
    share_interval: Interval | None
    loss: float | None  # of accuracy, or of squared error as a share of the variance; None: unknown
    loss_interval: Interval | None


@dataclass(frozen=True)
class ForestImportances(Report):
    """The columns of a forest, the one that gained most first."""

    columns: tuple[ForestImportance, ...]

    def __iter__(self) -> Iterator[ForestImportance]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, column: str) -> ForestImportance:
        found = {one.column: one for one in self.columns}
        if not is_one_of(column, found):
            raise ColumnError(
                f"the forest was grown from {quoted_list(found)}, not from {short_repr(column)}. "
                "Name one of these columns."
            )
        return found[column]

    def to_dict(self) -> dict[str, Any]:
        return {
            one.column: {
                "share": one.share, "share_interval": _ends(one.share_interval),
                "loss": one.loss, "loss_interval": _ends(one.loss_interval),
            }
            for one in self.columns
        }  # fmt: skip

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        rows = tuple(
            (
                name,
                format_number(one["share"]),
                _interval_text(one["share_interval"]),
                "" if one["loss"] is None else format_number(one["loss"]),
                _interval_text(one["loss_interval"]),
            )
            for name, one in found.items()
        )
        header = ("column", "share of the gain", "95 %", "lost when mixed up", "95 %")
        if all(one["loss"] is None for one in found.values()):
            return Grid("Importances", header[:3], tuple(row[:3] for row in rows))
        return Grid("Importances", header, rows)

    def plot(self, title: str = "Importances", *, by: str = "share") -> Plot:
        """A bar chart of the largest 40 importances, with their intervals.

        Parameters
        ----------
        title : str, default "Importances"
            The text above the chart.
        by : {"share", "loss"}, default "share"
            The share of the gain, or what is lost when the column is mixed up.

        Returns
        -------
        Plot
        """
        with error_context("ForestImportances.plot"):
            title = str(title)
            if not is_one_of(by, NOTES):
                raise OptionError(f"by is {short_repr(by)}. Use one of {quoted_list(NOTES)}.")
            if by == "loss" and any(one.loss is None for one in self.columns):
                raise OptionError(
                    "by is 'loss', but these importances have no losses, which need out-of-bag "
                    "rows. Pass the training rows: forest.importances(X, y); or use by='share'."
                )
        found = [
            (one.column, float(value), _ends(getattr(one, f"{by}_interval")))
            for one in self.columns
            if (value := getattr(one, by)) is not None
        ]
        bars = [
            ChartBar(
                name, value, f"{name}: {value!r} {_interval_text(ends)}".strip(),
                None if ends is None else (ends[0], ends[1]),
            )
            for name, value, ends in sorted(found, key=lambda one: -one[1])
        ]  # fmt: skip
        data = {"importances": {bar.name: bar.value for bar in bars},
                "intervals": {bar.name: bar.ends and [*bar.ends] for bar in bars}}  # fmt: skip
        note = NOTES[by]
        note += "; line: 95 % interval over the trees" if any(bar.ends for bar in bars) else ""
        return draw_bars(bars, title, data, note=note)


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _interval_text(ends: list[float] | None) -> str:
    return "" if ends is None else f"[{format_number(ends[0])}, {format_number(ends[1])}]"


def importances_of(
    forest: Forest, block: Block | None = None, bags: BootstrapSamples | None = None
) -> ForestImportances:
    """The columns in the order of their shares; with the rows that they grew from, their losses."""
    lost = None if block is None or bags is None else losses(forest, block, bags)
    found = []
    for j, column in enumerate(forest.columns):
        share, loss = forest.gained[:, j], None if lost is None else lost[:, j]
        found.append(
            ForestImportance(
                column.name, float(share.mean()), _interval(share),
                None if loss is None else float(loss.mean()),
                None if loss is None else _interval(loss),
            )
        )  # fmt: skip
    return ForestImportances(tuple(sorted(found, key=lambda one: -one.share)))


def _interval(values: Array) -> Interval | None:
    return mean_interval(values) if len(values) > 1 else None


@dataclass(frozen=True)
class PermutationLosses:
    """The call that finds what a tree loses on unseen rows when a column is permuted."""

    forest: Forest
    bags: BootstrapSamples
    numbers: Array
    categories: Array
    truth: Array  # (n,) codes of classes, or numbers
    places: tuple[int, ...]  # where each column is, among the numbers or the categories

    def __call__(self, tree: int) -> Array:
        """(p,) the rise of the error, as a share of the variance for numbers."""
        forest, truth = self.forest, self.truth
        whole = 1.0 if forest.classes else float(np.var(truth)) or 1.0
        rows, out = self.bags.find_out_of_bag_rows(tree), np.zeros(len(forest.columns))
        x, codes = self.numbers[rows], self.categories[rows]
        error = errors_of(forest, ends_of(forest, tree, x, codes), truth[rows])
        for j in np.flatnonzero(forest.gained[tree]).tolist() if len(rows) > 1 else ():
            order = np.argsort(splitmix64(forest.seed + tree, rows + j * len(truth)), kind="stable")
            table = codes if forest.columns[j].kind == CATEGORY else x
            column = table[:, self.places[j]].copy()
            table[:, self.places[j]] = column[order]
            permuted = errors_of(forest, ends_of(forest, tree, x, codes), truth[rows])
            table[:, self.places[j]] = column
            out[j] = (permuted - error) / whole
        return out


def losses(forest: Forest, block: Block, bags: BootstrapSamples) -> Array:
    """(t, p) what every tree loses on the rows that it has not seen, each column permuted."""
    truth = block.target.recode(forest.classes) if forest.classes else block.target
    at = block.schema.places | {name: at for at, name in enumerate(forest.category_numbers)}
    places = tuple(at.get(column.name, -1) for column in forest.columns)  # identifiers have none
    numbers, categories = forest.table(block)
    call = PermutationLosses(
        forest, bags, numbers=numbers, categories=categories, truth=truth, places=places
    )
    return np.stack(engines.current_engine().each(call, range(len(forest))))


def errors_of(forest: Forest, ends: Array, truth: Array) -> float:
    """The share of rows that a tree answers wrong, or its mean squared error."""
    if not len(ends):
        return 0.0
    if forest.classes:
        return float((forest.node_values[ends].argmax(axis=1) != truth).mean())
    return float(((forest.node_values[ends, 0] - truth) ** 2).mean())
