"""Results: one finding, readable as text, Markdown, HTML with its charts, JSON, or a frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from tallylearn.estimators.estimator import Estimator
from tallylearn.reporting.charts import Plot, redraw_chart
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import TableReport
from tallylearn.workings import Derivation

Layouts = Callable[[dict[str, Any]], Derivation]
Folded = Callable[[dict[str, Any]], Derivation | None]
FOLDED_TITLE = "What other tests say"
MAX_NAME_LENGTH = 72  # characters of a name in a title or a table
# Charts in a grid whose columns fit the screen.
CHART_GRID_STYLE = (
    ".tally-plots{display:grid;gap:12px;align-items:start;margin:.5em 0;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,380px),1fr))}"
    ".tally-plots svg{display:block;max-width:100%;height:auto}"
)


class Result(TableReport):
    """Base of the results of an evaluation; all forms are a function of ``to_dict()``."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """All that the report says beside the records, by name; ``title`` among it."""

    @staticmethod
    @abstractmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The tables and sentences, from plain data."""

    @staticmethod
    def _details(found: dict[str, Any]) -> Derivation | None:
        """What a page shows in sections that open, from plain data."""
        return None

    def plots(self) -> dict[str, Plot]:
        """The charts by name."""
        return {}

    def report(self) -> Derivation:
        """The finding in tables and sentences."""
        return self._layout(self._without_plots())

    def to_html(self) -> str:
        """A fragment with tables and charts that needs nothing else."""
        return charts_html(self._layout, self.to_dict(), self._details)

    def to_dict(self) -> dict[str, Any]:
        """All that was found, as JSON can hold it: facts, records, and the data of the charts."""
        plots = {name: plain_data(plot.data) for name, plot in self.plots().items()}
        return self._without_plots() | {"plots": plots}

    def _without_plots(self) -> dict[str, Any]:
        """What is read as text: charts of many rows take longer than all else."""
        found: dict[str, Any] = plain_data(self.facts() | {"records": self.records()})
        return found


def charts_html(report: Layouts, found: dict[str, Any], folded: Folded | None = None) -> str:
    """A fragment with tables and charts, from plain data."""
    more = None if folded is None else folded(found)
    below = ""
    if more is not None:
        below = f"\n<details><summary>{FOLDED_TITLE}</summary>{more.to_html()}</details>"
    charts = "\n".join(
        f"<div>{redraw_chart(data)._repr_html_()}</div>" for data in found["plots"].values()
    )
    return (
        f"{report(found).to_html()}\n<style>{CHART_GRID_STYLE}</style>"
        f'<div class="tally-plots">\n{charts}\n</div>{below}'
    )


def learner_text(thing: Any) -> str:
    """A learner in one line: of a long one, such as a pipeline, how it begins and ends.

    >>> learner_text(list(range(40)))
    '[0, 1, 2, 3, 4, 5, 6, … 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]'
    """
    said, third = " ".join(_constructor_text(thing).split()), MAX_NAME_LENGTH // 3
    if len(said) <= MAX_NAME_LENGTH:
        return said
    return f"{said[: third - 3].rstrip()} … {said[-2 * third :].lstrip()}"  # the end is the model


def _constructor_text(thing: Any) -> str:
    """One of ours without what it learned: it will learn again."""
    return thing.constructor_call() if isinstance(thing, Estimator) else repr(thing)
