"""Standings: a comparison as a table beside the best, a chart, and how the tests are to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from tallylearn.evaluation.compare.paired_rows import PAIRED, SQUARED_ERRORS
from tallylearn.evaluation.evaluate.evaluation_charts import limits
from tallylearn.evaluation.evaluate.evaluation_report import warned
from tallylearn.evaluation.scores.score import SCORES, titled
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS
from tallylearn.reporting.charts import Plot, draw_intervals
from tallylearn.reporting.formatting import (
    difference_format,
    format_p_value,
    format_score,
    number_of,
    score_format,
)
from tallylearn.workings import Derivation, Grid, Sentence

Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """All that there is to say."""
    said, remarks = map(Sentence, found["verdicts"]), map(Sentence, _remarks(found))
    return Derivation(found["title"], (*warned(found), *said, _grid(found), *remarks))


def plots(found: Found) -> dict[str, Plot]:
    """The scores with their intervals and folds, and how far the others are from the best."""
    *rows, base = found["records"]
    title, value = _title(found), number_of(base["value"])
    beside = (base["learner"], value) if isfinite(value) else None
    scores = [line for row in rows if (line := _line(row, "value", "low", "high", row["by_fold"]))]
    apart = [
        line
        for row, pair in zip(rows[1:], found["pairs"], strict=False)  # those of the best come first
        if (line := _line(row, "difference", "difference_low", "difference_high",
                          [0.0 - number_of(value) for value in pair["by_fold"]]))
    ]  # fmt: skip
    drawn = {}
    if scores:
        drawn["scores"] = draw_intervals(scores, "The same folds", title, baseline=beside,
                                         x_limits=limits(found["score"]))  # fmt: skip
    if apart:
        best, label = rows[0]["learner"], f"{title}, less that of the best"
        drawn["differences"] = draw_intervals(apart, "To the best", label, baseline=(best, 0.0))
    return drawn


def _line(
    row: Found, value: str, low: str, high: str, dots: Sequence[Any]
) -> tuple[Any, ...] | None:
    """A value to draw; without an interval its ends are the value."""
    at = number_of(row[value])
    if not isfinite(at):
        return None
    ends = (end if isfinite(end := number_of(row[name])) else at for name in (low, high))
    return (row["learner"], at, *ends, [dot for dot in map(number_of, dots) if isfinite(dot)])


def _title(found: Found) -> str:
    return titled(found["score"], found["class"])


def _grid(found: Found) -> Grid:
    *rows, _ = found["records"]
    spec = score_format([_centre(row) for row in rows])
    head = ["learner", _title(found), f"{100 * found['level']:g} % interval", "to the best",
            "interval", "p"]  # fmt: skip
    cells = (tuple(_cells(row, spec)) for row in found["records"])
    return Grid("", tuple(head), tuple(cells))


def _centre(row: Found) -> float:
    """The score that the interval is of: that of all rows, where a fold has none."""
    value = number_of(row["value"])
    return value if value == value else number_of(row.get("pooled"))


def _cells(row: Found, spec: str) -> list[str]:
    mean, *ends = (number_of(row[f"difference{end}"]) for end in ("", "_low", "_high"))
    apart = difference_format(spec, mean, ends)
    return [
        f"{row['learner']} (baseline)" if row["baseline"] else row["learner"],
        _number(_centre(row), spec),
        _ends(row["low"], row["high"], spec),
        _number(row["difference"], apart),
        _ends(row["difference_low"], row["difference_high"], apart),
        format_p_value(row["p_adjusted"]),
    ]


def _remarks(found: Found) -> list[str]:
    pairs = found["pairs"]
    said = [*found.get("remarks", ()), "All learners had the same folds."]
    if few := [row["learner"] for row in found["records"] if _centre(row) != number_of(row["value"])
               and isfinite(_centre(row))]:  # fmt: skip
        said.append(
            f"The {_title(found)} of {', '.join(few)} is of all rows together, because a fold has "
            "no value."
        )
    if len(pairs) > 1:
        said.append(
            f"Every p is adjusted by Tukey over all {len(pairs)} pairs, and the intervals to the "
            "best hold together."
        )
    if any(pair["test"].startswith(PAIRED) for pair in pairs):
        said.append(_asked(found))
    if left := max(pair["left_out"] for pair in pairs):
        said.append(f"Folds on which one of a pair failed are left out of it: up to {left}.")
    said += [f"{f['learner']} failed on fold {f['fold']}: {f['reason']}"
             for f in found["failures"]]  # fmt: skip
    return [*said, *(f"Left out: {reason}" for reason in found["failed"].values())]


def _asked(found: Found) -> str:
    """What p is about, and what would make it surer."""
    asked = (
        "p is of the paired t over the rows: whether models of the learners, learned from tables "
        "like this one, differ on rows like these. details() has other tests and their questions."
    )
    if found["groups"] is not None:
        asked = asked.replace("over the rows", "over the groups").replace("on rows", "on groups")
    if found["several"]:
        return asked
    said = (
        f"{asked} Rows tested once do not show how much a learner changes with its training rows, "
        f"as trees and neighbours do: in its place the variance {_raised(found)}"
    )
    folds, repeated = found["folds"], "forward" not in found["cv"]
    if folds < 2 or not repeated:
        return f"{said}."
    return f"{said}; cv=tl.Folds.k({folds}, repeats=2) measures it, with twice the models."


def _raised(found: Found) -> str:
    """By how much the variance over rows is raised."""
    name, tests = found["score"], found["tested"]
    ratio = name in SQUARED_ERRORS or (SCORES.knows(name) and SCORES[name].pooled)
    if ratio and found["folds"] > 1:
        return (
            "is raised as docs/guide/intervals.md says of this score, so that p is above the plain "
            "t's"
        )
    return (
        f"over {tests:,} tests is raised by {TRAINING_ROWS:g} in {tests:,}, so that p is a little "
        "above "
        "the plain t's"
    )


def details(found: Found) -> Derivation:
    """Every pair by every test."""
    steps: list[Any] = []
    asked = dict.fromkeys((test["test"], test["question"]) for test in found["tests"])
    head = ("pair", "p", "for all pairs", "")
    first = [
        (f"{p['a']}, {p['b']}", format_p_value(p["p"]), format_p_value(p["adjusted"]), p["test"])
        for p in found["pairs"]
    ]
    steps.append(Grid(f"{found['score']}: the verdict", head, tuple(first)))
    for name, question in asked:
        lines = tuple(
            (
                f"{t['a']}, {t['b']}",
                format_p_value(t["p"]),
                format_p_value(t["adjusted"]),
                t["said"],
            )
            for t in found["tests"]
            if t["test"] == name
        )
        steps.append(Grid(f"{name}: {question}", head, lines))
    return Derivation(found["title"], tuple(steps))


def _number(data: Any, spec: str) -> str:
    value = number_of(data)
    return "" if value != value else format_score(value, spec)


def _ends(low: Any, high: Any, spec: str) -> str:
    return "" if low is None else f"[{_number(low, spec)}, {_number(high, spec)}]"
