"""The importances of the terms of an additive model, as a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import ColumnError, error_context, is_one_of, quoted_list, short_repr
from tallylearn.reporting.charts.bar_chart import ChartBar, draw_bars
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.report import Report
from tallylearn.workings import Grid, format_number


@dataclass(frozen=True)
class TermImportance:
    """A term, and the mean distance of its values from 0 over the training rows."""

    term: str
    size: float


@dataclass(frozen=True)
class TermImportances(Report):
    """The terms of an additive model, the largest first.

    The size of a term is the mean distance of its values from 0, in units of the raw score: log
    odds, or the unit of the target.
    """

    terms: tuple[TermImportance, ...]

    def __iter__(self) -> Iterator[TermImportance]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __getitem__(self, term: str) -> float:
        sizes = {one.term: one.size for one in self.terms}
        if not is_one_of(term, sizes):
            raise ColumnError(
                f"TermImportances: there is no term {short_repr(term)}. Use one of "
                f"{quoted_list(sizes)}."
            )
        return sizes[term]

    def to_dict(self) -> dict[str, Any]:
        return {one.term: one.size for one in self.terms}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Grid:
        rows = tuple((name, format_number(size)) for name, size in found.items())
        return Grid("Importances", ("term", "mean distance from 0"), rows)

    def plot(self, title: str = "Importances") -> Plot:
        """A bar chart of the largest 40 terms.

        Parameters
        ----------
        title : str, default "Importances"
            The text above the chart.

        Returns
        -------
        Plot
        """
        with error_context("TermImportances.plot"):
            title = str(title)
        bars = [ChartBar(one.term, one.size, f"{one.term}: {one.size!r}") for one in self.terms]
        return draw_bars(
            bars, title, {"importances": self.to_dict()}, note="mean distance of a term from 0"
        )
