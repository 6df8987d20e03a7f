"""Several charts as one: an HTML page lets the reader select which one is shown."""

from __future__ import annotations

from collections.abc import Mapping

from tallylearn.errors import OptionError, error_context, short_repr
from tallylearn.reporting.charts.plot import Plot
from tallylearn.reporting.formatting import escape_html

SELECTOR_STYLE = (
    ".tally-choice figure{margin:0;display:none}.tally-choice figure.shown{display:block}"
    ".tally-choice select{font:14px sans-serif;max-width:100%;margin:2px 0 4px;padding:3px}"
)
SELECTOR_SCRIPT = (
    "for(const f of this.parentNode.parentNode.querySelectorAll('figure'))"
    "f.classList.toggle('shown',f.dataset.at===this.value)"
)


def draw_choice(charts: Mapping[str, Plot], title: str) -> Plot:
    """Several charts as one: the picture is the first, a page lets the reader choose.

    Parameters
    ----------
    charts : name -> chart, such as the ROC curves of the classes.
    title : what all of them show.

    Examples
    --------
    >>> from tallylearn.reporting.charts import draw_lines
    >>> curves = {name: draw_lines({name: ([0, 1], [0, 1])}, "ROC") for name in ("no", "yes")}
    >>> draw_choice(curves, "ROC").html.count("<option")
    2
    """
    with error_context("draw_choice"):
        if not isinstance(charts, Mapping) or not charts:
            raise OptionError(f"charts is {short_repr(charts)}. Pass a dict of names and charts.")
        if not all(isinstance(chart, Plot) for chart in charts.values()):
            raise OptionError(
                "charts has a value that is not a chart. Pass a dict of names and charts."
            )
    named = {str(name): chart for name, chart in charts.items()}
    data = {"chart": "choice", "title": str(title),
            "charts": {name: chart.data for name, chart in named.items()}}  # fmt: skip
    first = next(iter(named.values()))
    return Plot(str(title), data, first.svg, _selector_html(named, str(title)))


def _selector_html(charts: Mapping[str, Plot], title: str) -> str:
    """The charts under a list of their names; without a script the first is seen."""
    options = "".join(f'<option value="{at}">{escape_html(name)}</option>'
                      for at, name in enumerate(charts))  # fmt: skip
    figures = "".join(
        f'<figure data-at="{at}"{"" if at else " class=shown"}>{chart.svg}</figure>'
        for at, chart in enumerate(charts.values())
    )
    return (
        f'<style>{SELECTOR_STYLE}</style><div class="tally-choice"><label>{escape_html(title)} '
        f'<select onchange="{SELECTOR_SCRIPT}">{options}</select></label>{figures}</div>'
    )
