"""The page of a model report: one fragment of HTML from plain data, with its style and scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from tallylearn.evaluation.evaluate.evaluation_report import report as evaluation_derivation
from tallylearn.evaluation.learn.candidates import BASELINE
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.inspection.description import description_html
from tallylearn.inspection.model_report.report_tables import (
    choice_steps,
    groups_grid,
    mistakes_grid,
    provenance_rows,
)
from tallylearn.reporting.charts import redraw_chart
from tallylearn.reporting.charts.zoom_box import is_large, zoom_box
from tallylearn.reporting.formatting import (
    escape_html,
    format_interval,
    format_score,
    score_format,
)
from tallylearn.tables import NUMBER
from tallylearn.workings import Grid, Sentence
from tallylearn.workings.derivations import read_derivation

Found = Mapping[str, Any]
LAST_CHARTS = ("folds",)  # shown in the headline


def page_of(found: Found) -> str:
    """The fragment that ``ModelReport.to_html`` returns.

    Parameters
    ----------
    found : mapping
        The data of a report.

    Returns
    -------
    str
        HTML that needs no other file.
    """
    sections = {
        "score": ("Score", _score(found)),
        "choice": ("Compared learners", _choice(found)),
        "what-if": ("What if", _what_if(found["what_if"])),
        "model": ("Model", "".join(map(_part, found["model"]))),
        "evaluation": ("Evaluation", _evaluation(found["evaluation"])),
        "threshold": ("Threshold", _threshold(found["threshold"])),
        "groups": ("Groups", _untitled(groups_grid(found["groups"])) if found["groups"] else ""),
        "errors": ("Largest errors", _mistakes(found["mistakes"])),
        "columns": ("Columns", description_html.html_of(dict(found["description"]))),
    }
    shown = {name: part for name, part in sections.items() if part[1]}
    links = "".join(f'<a href="#{name}">{title}</a>' for name, (title, _) in shown.items())
    parts = [
        f'<section id="{name}"><h2>{title}</h2>{body}</section>'
        for name, (title, body) in shown.items()
    ]
    return (
        f"<style>{_text('report.css')}</style>"
        f'<div class="tally-report">{_header(found)}<nav aria-label="Sections">{links}</nav>\n'
        + "\n".join(parts)
        + f"</div>\n{_scripts(found)}"
    )


def _header(found: Found) -> str:
    facts = "".join(
        f"<dt>{escape_html(name)}</dt><dd>{escape_html(value)}</dd>"
        for name, value in provenance_rows(found["provenance"])
    )
    return f'<header><h1>{escape_html(found["title"])}</h1><dl class="facts">{facts}</dl></header>'


def _score(found: Found) -> str:
    """The headline as a number and a picture, with the cautions below."""
    evaluation = found["evaluation"]
    text = _first_score(evaluation) if not found.get("choice") else _chosen_score(found["choice"])
    picture = _charts(evaluation["plots"], LAST_CHARTS)
    body = f'<div class="headline">{text}{picture}</div>'
    if cautions := evaluation["cautions"]:
        items = "".join(f"<li><b>Caution</b>{escape_html(text)}.</li>" for text in cautions)
        body += f'<ul class="badges">{items}</ul>'
    return body


def _first_score(evaluation: Found) -> str:
    """The first score of the evaluation."""
    first = Estimate.of_record(evaluation["records"][0])
    interval = "" if first.interval is None else f"{first.interval:{first.spec}}"
    return (
        f"<div><div>{escape_html(first.name)}</div>"
        f'<div class="big">{first.value:{first.spec}}</div>'
        f"<div>{evaluation['level']:.0%} interval {escape_html(interval)}</div>"
        f'<div class="faint">baseline {first.baseline:{first.spec}} '
        f"({escape_html(evaluation['baseline'])})</div></div>"
    )


def _chosen_score(choice: Found) -> str:
    """The score of the pick, corrected for the choice among the candidates."""
    blind = [row["value"] for row in choice["rows"] if row["learner"] == BASELINE]
    spec = score_format([choice["score"]])
    interval = format_interval(choice["low"], choice["high"], spec)
    beside = f"baseline {format_score(blind[0], spec)}; " if blind else ""
    return (
        f"<div><div>{escape_html(choice['scoring'])}</div>"
        f'<div class="big">{format_score(choice["score"], spec)}</div>'
        f"<div>{choice['level']:.0%} interval {escape_html(interval)}</div>"
        f'<div class="faint">{beside}corrected for the choice</div></div>'
    )


def _choice(found: Found) -> str:
    """The leaderboard between its sentences."""
    return "".join(
        _grid(step) if isinstance(step, Grid) else step.to_html() for step in choice_steps(found)
    )


def _charts(plots: Found, names: Sequence[str]) -> str:
    return "".join(
        f"<div>{redraw_chart(plots[name])._repr_html_()}</div>" for name in names if name in plots
    )


def _evaluation(found: Found) -> str:
    """The tables beside each other, the charts in a grid, the notes in a section that opens."""
    steps = evaluation_derivation(found).steps
    tables = "".join(_grid(step) for step in steps if isinstance(step, Grid))
    head = (f"{found['headline']}.", *(f"Caution: {text}." for text in found["cautions"]))
    notes = "".join(
        step.to_html() for step in steps if isinstance(step, Sentence) and step.text not in head
    )
    charts = _charts(found["plots"], [name for name in found["plots"] if name not in LAST_CHARTS])
    return (
        f'<div class="tables">{tables}</div><div class="grid">{charts}</div>'
        f"<details><summary>About these numbers</summary>{notes}</details>"
    )


def _grid(grid: Grid) -> str:
    return f'<div class="scroll">{grid.to_html()}</div>'


def _untitled(grid: Grid) -> str:
    """A table under a heading of its own."""
    return _grid(replace(grid, title=""))


def _part(part: Found) -> str:
    """A part of the section about the model."""
    match part["kind"]:
        case "svg":
            body = zoom_box(part["svg"]) if is_large(part["svg"]) else part["html"] or part["svg"]
        case "bars":
            body = _bars(part["rows"], part["note"])
        case "derivation":
            body = f'<div class="scroll">{read_derivation(part["derivation"]).to_html()}</div>'
        case _:
            body = f'<div class="scroll">{part["html"]}</div>'
    title = escape_html(part["title"])
    if part.get("folded"):
        return f"<details><summary>{title}</summary>{body}</details>"
    return f"<h3>{title}</h3>{body}"


def _bars(rows: Sequence[Found], note: str) -> str:
    """A bar a row, as long as its value beside the largest one."""
    largest = max((row["value"] for row in rows), default=1.0)
    cells = "".join(
        f'<div class="name" title="{escape_html(row["name"])}">{escape_html(row["name"])}</div>'
        f'<div class="bar" style="width:{100 * row["value"] / largest:.1f}%"></div>'
        f"<div>{row['value']:.3f}</div>"
        for row in rows
    )
    return f'<p class="faint">{escape_html(note)}</p><div class="bars">{cells}</div>'


def _what_if(found: Found) -> str:
    if "reason" in found:
        return f"<p>{escape_html(found['reason'])}</p>"
    inputs = "".join(map(_input, found["inputs"]))
    return (
        "<p>Change a value to see what the model predicts. The model runs in this page; nothing is "
        'sent anywhere. An empty field is a missing value.</p><div class="form"><form>'
        f'<div class="inputs">{inputs}</div>'
        '<p><button type="reset">First values</button></p></form>'
        '<div class="panel result" role="status" aria-live="polite"></div></div>'
    )


def _input(found: Found) -> str:
    """A field: a list of the categories, a number, or a text."""
    name = escape_html(found["name"])
    value = found.get("value")
    if choices := found.get("choices"):
        every = ["", *choices]
        listed = "".join(
            f"<option{' selected' if choice == value else ''}>{escape_html(choice)}</option>"
            for choice in every
        )
        return f'<label>{name}<select name="{name}" data-kind="category">{listed}</select></label>'
    if found["kind"] == NUMBER:
        ends = [f"{found[end]:.6g}" for end in ("min", "max") if found.get(end) is not None]
        hint = f" <small>{' to '.join(ends)}</small>" if len(ends) == 2 else ""
        text = "" if value is None else f"{value:.15g}"
        return (
            f'<label><span>{name}{hint}</span><input name="{name}" data-kind="number" '
            f'inputmode="decimal" value="{text}"></label>'
        )
    kind = "date" if found["kind"] == "date" else "text"
    text = "" if value is None else escape_html(value)
    field = f'<input name="{name}" data-kind="{kind}" type="{kind}" value="{text}">'
    return f"<label>{name}{field}</label>"


def _threshold(found: Found | None) -> str:
    if found is None:
        return ""
    positive, negative = escape_html(found["positive"]), escape_html(found["negative"])
    return (
        f"<p>A row is predicted {positive} if its probability is at least the threshold. Name what "
        "each mistake costs, and find the threshold with the smallest cost on the tested rows.</p>"
        '<div class="form threshold"><form><label>Threshold of the probability'
        '<input type="range" name="threshold" min="0" max="1" step="0.01" value="0.5"></label>'
        '<div class="costs">'
        f'<label>true {negative} predicted {positive} costs<input name="false_positive" '
        'type="number" min="0" step="any" value="1"></label>'
        f'<label>true {positive} predicted {negative} costs<input name="false_negative" '
        'type="number" min="0" step="any" value="1"></label></div>'
        '<button type="button">Smallest cost</button></form>'
        '<div class="panel"><table><tbody></tbody></table></div></div>'
    )


def _mistakes(found: Sequence[Found]) -> str:
    if not found:
        return ""
    grid = mistakes_grid(found)
    note = "" if "values" in found[0] else "The values of these rows are not in this page."
    return f'{_untitled(grid)}<p class="faint">{note}</p>'


def _scripts(found: Found) -> str:
    """The scripts of the form and of the slider, where the page has them."""
    calls = list(_calls(found))
    if not calls:
        return ""
    program = found["what_if"].get("program", "")
    return f"<script>\n{program}{_text('report.js')}{''.join(calls)}</script>"


def _calls(found: Found) -> Iterator[str]:
    if "program" in found["what_if"]:
        data = _json({"classes": found["what_if"]["classes"]})
        yield f'startWhatIf(document.getElementById("what-if"), {data}, model);\n'
    if found["threshold"] is not None:
        data = _json(found["threshold"])
        yield f'startThreshold(document.getElementById("threshold"), {data});\n'


def _json(data: Any) -> str:
    """JSON that a script element can hold."""
    return json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")


@cache
def _text(name: str) -> str:
    return (files("tallylearn.inspection.model_report") / name).read_text("utf-8")
