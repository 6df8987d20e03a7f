"""What a report shows of a fitted model: its picture, its summary, its importances, its working."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tallylearn.errors import TallyError
from tallylearn.reporting.charts import Plot

MAX_BARS = 20  # columns with an importance
MAX_PICTURE = 2_000_000  # characters of an SVG
SPLIT_SHARES = "The share of each column in the gain of all splits."
TERM_SHARES = "The share of each column in the mean size of all terms; a pair counts half for each."


def model_parts(model: Any) -> list[dict[str, Any]]:
    """The parts of the section about the model, as plain data.

    Parameters
    ----------
    model : Estimator
        The fitted model.

    Returns
    -------
    list of dict
        ``title`` and ``kind``: "svg", "html", "bars" (``rows`` of name and value) or "derivation"
        (``derivation``, the data of a working); ``folded`` parts are sections that open.
    """
    return [*_picture(model), *_summary(model), *_importances(model), *_working(model)]


def _picture(model: Any) -> Iterator[dict[str, Any]]:
    """A tree, or any model that can draw itself."""
    if not hasattr(model, "plot"):
        return
    title = "Curves" if hasattr(model, "curves_") else "Picture"
    drawn = model.plot()
    if isinstance(drawn, Plot) and len(drawn.svg) <= MAX_PICTURE:
        yield {"title": title, "kind": "svg", "svg": drawn.svg, "html": drawn.html}
    if hasattr(model, "rules"):
        yield {"title": "Outline", "kind": "html", "html": model.to_html(), "folded": True}


def _summary(model: Any) -> Iterator[dict[str, Any]]:
    """The table of coefficients."""
    if not hasattr(model, "summary"):
        return
    try:
        found = model.summary()
    except TallyError:  # the rows that it needs are not kept
        return
    yield {"title": "Coefficients", "kind": "html", "html": found.to_html()}


def _importances(model: Any) -> Iterator[dict[str, Any]]:
    """The share of every column in the gain of all splits."""
    values = getattr(model, "feature_importances_", None)
    if values is None:
        return
    named = zip(model.feature_names_in_, values.tolist(), strict=True)
    rows = sorted(((str(name), float(value)) for name, value in named), key=lambda row: -row[1])
    yield {
        "title": "Importance of the columns",
        "kind": "bars",
        "note": TERM_SHARES if hasattr(model, "curves_") else SPLIT_SHARES,
        "rows": [{"name": name, "value": value} for name, value in rows[:MAX_BARS] if value > 0],
    }


def _working(model: Any) -> Iterator[dict[str, Any]]:
    found = model.show_work().report().to_dict()
    yield {"title": "Working", "kind": "derivation", "derivation": found, "folded": True}
