"""The printed report of a comparison: verdicts, scores, differences from the best, tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from tallylearn.evaluation.compare.paired_rows import PAIRED, SQUARED_ERRORS
from tallylearn.evaluation.evaluate.evaluation_charts import limits
from tallylearn.evaluation.evaluate.evaluation_report import (
    caution_sentences,
    interval_heading,
)
from tallylearn.evaluation.scores.score import SCORES, score_title
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
    """The whole report, from the plain data of a comparison."""
    verdicts, notes = map(Sentence, found["verdicts"]), map(Sentence, _notes(found))
    table = _score_table(found)
    return Derivation(found["title"], (*caution_sentences(found), *verdicts, table, *notes))


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
        drawn["scores"] = draw_intervals(scores, "Scores on the same folds", title, baseline=beside,
                                         x_limits=limits(found["score"]))  # fmt: skip
    if apart:
        best, label = rows[0]["learner"], f"{title}, difference from the best"
        drawn["differences"] = draw_intervals(
            apart, "Differences from the best", label, baseline=(best, 0.0)
        )
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
    return score_title(found["score"], found["class"])


def _score_table(found: Found) -> Grid:
    """One row a learner: score and interval, difference from the best and p.

    The intervals of the differences are in the verdicts.
    """
    *rows, _ = found["records"]
    spec, interval = score_format([_centre(row) for row in rows]), interval_heading(found["level"])
    head = ("learner", _title(found), interval, "difference", "p")
    cells = (tuple(_cells(row, spec)) for row in found["records"])
    return Grid("", head, tuple(cells))


def _centre(row: Found) -> float:
    """The score that the interval is of: that of all rows, where a fold has none."""
    value = number_of(row["value"])
    return value if value == value else number_of(row.get("pooled"))


def _cells(row: Found, spec: str) -> list[str]:
    mean, *ends = (number_of(row[f"difference{end}"]) for end in ("", "_low", "_high"))
    apart = difference_format(spec, mean, ends)  # with enough digits to be told from 0
    return [
        f"{row['learner']} (baseline)" if row["baseline"] else row["learner"],
        _number(_centre(row), spec),
        _ends(row["low"], row["high"], spec),
        _number(row["difference"], apart),
        format_p_value(row["p_adjusted"]),
    ]


def _notes(found: Found) -> list[str]:
    pairs = found["pairs"]
    notes = [
        *found.get("remarks", ()),
        "All learners had the same folds. Differences are from the best learner.",
    ]
    if few := [row["learner"] for row in found["records"] if _centre(row) != number_of(row["value"])
               and isfinite(_centre(row))]:  # fmt: skip
        notes.append(
            f"The {_title(found)} of {', '.join(few)} is computed from all rows together, because "
            "it has no value on some folds."
        )
    if len(pairs) > 1:
        notes.append(
            f"p values and intervals of differences are adjusted for all {len(pairs)} pairs "
            "(Tukey)."
        )
    if any(pair["test"].startswith(PAIRED) for pair in pairs):
        notes.append(_test_note(found))
    if left := max(pair["left_out"] for pair in pairs):
        notes.append(f"Folds on which one of a pair failed are left out of it: up to {left}.")
    notes += [f"{f['learner']} failed on fold {f['fold']}: {f['reason']}"
             for f in found["failures"]]  # fmt: skip
    return [*notes, *(f"Left out: {reason}" for reason in found["failed"].values())]


def _test_note(found: Found) -> str:
    """Which test gives p, what it tests, and what would make it more precise."""
    unit = "rows" if found["groups"] is None else "groups"
    note = (
        f"p: paired t test over {unit}, of whether the learners differ on average on new {unit} "
        "when trained on tables like this one. details() has other tests."
    )
    if found["several"]:
        return note
    note += (
        " Each row was tested once, which does not show how much a learner varies with its "
        f"training rows. To allow for that, {_variance_note(found)}."
    )
    folds, repeated = found["folds"], "forward" not in found["cv"]
    if folds < 2 or not repeated:
        return note
    return f"{note} cv=tl.Folds.k({folds}, repeats=2) measures it, with twice the models."


def _variance_note(found: Found) -> str:
    """By how much the variance over rows is inflated."""
    name, tests = found["score"], found["tested"]
    ratio = name in SQUARED_ERRORS or (SCORES.knows(name) and SCORES[name].is_pooled)
    if ratio and found["folds"] > 1:
        return "the variance is inflated as docs/guide/intervals.md says of this score"
    return f"the variance over {tests:,} tests is inflated by {TRAINING_ROWS:g} in {tests:,}"


def details(found: Found) -> Derivation:
    """Every pair by every test."""
    grids = []
    for name in dict.fromkeys(pair["test"] for pair in found["pairs"]):
        pairs = [pair for pair in found["pairs"] if pair["test"] == name]
        title = f"{found['score']}, {name} (as in the report)"
        grids.append(Grid(title, ("pair", "p", "p (Tukey)"), tuple(map(_p_values, pairs))))
    for name, question in dict.fromkeys(
        (test["test"], test["question"]) for test in found["tests"]
    ):
        lines = tuple(
            (*_p_values(test), test["said"]) for test in found["tests"] if test["test"] == name
        )
        grids.append(Grid(f"{name}: {question}", ("pair", "p", "p (Tukey)", "statistic"), lines))
    return Derivation(found["title"], tuple(grids))


def _p_values(test: Found) -> tuple[str, str, str]:
    """The pair, p alone, and p adjusted for all pairs."""
    return f"{test['a']}, {test['b']}", format_p_value(test["p"]), format_p_value(test["adjusted"])


def _number(data: Any, spec: str) -> str:
    value = number_of(data)
    return "" if value != value else format_score(value, spec)


def _ends(low: Any, high: Any, spec: str) -> str:
    return "" if low is None else f"[{_number(low, spec)}, {_number(high, spec)}]"
