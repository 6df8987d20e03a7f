"""A description as HTML: a row a column with its chart, a map of correlations, the target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tallylearn.inspection.description import small_charts
from tallylearn.inspection.description.description_text import (
    amount,
    count_cells,
    figure,
    location_text,
    notes,
    readable,
    relation_title,
    strength,
    title_of,
)
from tallylearn.reporting.charts import draw_intervals
from tallylearn.reporting.formatting import escape_html, number_of
from tallylearn.screening.table_sample import brief

MAX_GAIN_COLUMNS = 25  # columns in the chart of gains
MAX_SHOWN_IDENTIFIERS = 3  # values of an identifier
STYLE = (
    ".tally-description{font:14px/1.45 system-ui,sans-serif;--faint:#595959;--line:#e4e4e4;"
    "overflow-x:auto}"
    "@media(prefers-color-scheme:dark){.tally-description{--faint:#b4b4b4;--line:#3f3f3f}}"
    ".tally-description table{border-collapse:collapse;margin:.6em 0 1.4em}"
    ".tally-description th{font-weight:600;text-align:left;color:var(--faint);font-size:12px}"
    ".tally-description th,.tally-description td{padding:.5em 1.2em .4em 0;"
    "border-bottom:1px solid var(--line);vertical-align:middle;background:none}"
    ".tally-description td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".tally-description small{color:var(--faint);display:block}"
    ".tally-description dl{display:grid;grid-template-columns:4em 7em 5em auto;gap:0 .6em;margin:0;"
    "font-variant-numeric:tabular-nums}"
    ".tally-description dt{color:var(--faint);font-size:12px}.tally-description dd{margin:0}"
    "@media(max-width:40em){.tally-description td{display:block;border:0;padding:.1em 0;"
    "white-space:normal}.tally-description td.n{text-align:left}"
    ".tally-description tr{display:block;border-bottom:1px solid var(--line);padding:.5em 0}"
    ".tally-description tr:first-child{display:none}"
    '.tally-description td.n[data-name]:not(:empty)::before{content:attr(data-name) " ";'
    "color:var(--faint);font-size:12px}"
    ".tally-description dl{grid-template-columns:5em auto}}"
)
Found = Mapping[str, Any]


def html_of(found: dict[str, Any]) -> str:
    """A fragment that needs nothing else, from plain data."""
    head = f'<h3 class="tally-title">{escape_html(title_of(found))}</h3>'
    rows = "\n".join(_row(column, found["identifiers"]) for column in found["columns"])
    names = ("column", "", "missing", "unique", "")
    cells = "".join(f"<th>{name}</th>" if name else "<td></td>" for name in names)
    table = f"<table><tr>{cells}</tr>\n{rows}\n</table>"
    parts = [f"<style>{STYLE}</style>", head, table]
    if len(found["matrices"]["columns"]) > 1:
        parts.append(
            "<h3>Correlations <small>Pearson above the diagonal, Spearman below</small></h3>"
        )
        parts.append(small_charts.correlations(found["matrices"]))
    if found["links"]:
        parts += _links(found)
    parts += [f'<p class="tally-note">{escape_html(note)}</p>' for note in notes(found)]
    return (
        '<div class="tally-description" role="region" aria-label="Columns" tabindex="0">'
        f"{''.join(parts)}</div>"
    )


def _row(column: Found, identifiers: Found) -> str:
    name, kind, _, missing, unique = count_cells(column)
    numeric, apart = "median" in column, column["name"] in identifiers
    chart = small_charts.histogram(column) if numeric else small_charts.values(column)
    if apart and not numeric:  # whose bars would be of a row each
        some = ", ".join(
            brief(one["value"]) for one in (column.get("top") or [])[:MAX_SHOWN_IDENTIFIERS]
        )
        chart = f"<small>such as {escape_html(some)}</small>"
    kind = f"{kind}, identifier" if apart else kind
    share = column["missing"] / max(column["missing"] + (column["count"] or 0), 1e-300)
    gaps = f"{missing}<small>{share:.1%}</small>" if column["missing"] else missing
    return (
        f"<tr><td><b>{escape_html(name)}</b><small>{escape_html(kind)}</small></td><td>{chart}</td>"
        f'<td class="n">{gaps}</td><td class="n">{unique}</td>'
        f"<td>{_figures(column) if numeric and column['count'] else ''}</td></tr>"
    )


def _figures(column: Found) -> str:
    dates = column.get("dates")
    about = "~" if column["quantile_error"] and not dates else ""
    places = {p: about + location_text(column, p) for p in ("median", "q1", "q3")}
    spread = readable(number_of(column["sd"]))
    said = {
        "mean": location_text(column, "mean"),
        "std": spread + (" days" if dates and spread else ""),
        "median": places["median"],
        "quartiles": f"{places['q1']} to {places['q3']}",
        "infinite": amount(column["infinite"]) if column["infinite"] else "",
    }
    pairs = (f"<dt>{name}</dt><dd>{escape_html(text)}</dd>" for name, text in said.items() if text)
    return f"<dl>{''.join(pairs)}</dl>"


def _links(found: Found) -> list[str]:
    """The gains as a chart, and all figures as a table."""
    links = found["links"]
    order = sorted(links, key=lambda name: -strength(links[name]))
    gains = [(name, links[name].get("gain") or {}) for name in order]
    drawn = [(name, g["corrected"], g["low"], g["high"])
             for name, g in gains if g.get("low") is not None]  # fmt: skip
    parts = [f"<h3>{escape_html(relation_title(found))}</h3>"]
    if drawn:
        parts.append(
            draw_intervals(
                drawn[:MAX_GAIN_COLUMNS],
                "Information gain, corrected for bias",
                "bits",
                x_range=(0, 0),
            ).svg
        )
    heads = [h for h in ("pearson", "spearman") if any(h in one for one in links.values())]
    classes = dict.fromkeys(name for one in links.values() for name in one.get("auc", {}))
    if not heads and not classes:
        return parts
    cells = ("column", *heads, *(f"AUC {name}" for name in classes))
    rows = [f"<tr>{''.join(f'<th>{escape_html(cell)}</th>' for cell in cells)}</tr>"]
    for name in order:
        areas = links[name].get("auc", {})
        said = [figure(links[name].get(h)) for h in heads] + [figure(areas.get(c)) for c in classes]
        if any(said):
            tail = "".join(f'<td class="n">{escape_html(text)}</td>' for text in said)
            rows.append(f"<tr><td><b>{escape_html(name)}</b></td>{tail}</tr>")
    return [*parts, f"<table>{''.join(rows)}</table>"]
