"""The printed report of a parameter search: the best candidate, its score, all candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite, log10, nan
from typing import Any

from tallylearn.evaluation.evaluate.evaluation_charts import limits
from tallylearn.evaluation.evaluate.evaluation_report import (
    caution_sentences,
    interval_heading,
)
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.reporting.charts import Plot, draw_intervals, draw_lines
from tallylearn.reporting.formatting import format_interval, format_score, number_of, score_format
from tallylearn.workings import Derivation, Grid, Sentence

MAX_CHART_CANDIDATES = 12
MAX_CHART_CURVES = 6  # scores along one option, for every value of another
MAX_LISTED_FAILURES = 5
Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """The whole report, from the plain data of a search."""
    best = map(Sentence, [_best_line(found), *_held_out_score(found)])
    notes = map(Sentence, _notes(found))
    table = _candidate_table(found)
    return Derivation(found["title"], (*caution_sentences(found), *best, table, *notes))


def plots(found: Found) -> dict[str, Plot]:
    """The score along one option of numbers; else the best candidates."""
    known = [c for c in found["candidates"] if c["rank"] is not None]
    if (along := _plot_option(found, known)) is not None:
        return {"search": along}
    if (crossed := _two_option_chart(found, known)) is not None:
        return {"search": crossed}
    lines, apart = [], _varying_options(known)
    for c in sorted(known, key=lambda c: c["rank"])[:MAX_CHART_CANDIDATES]:
        estimate = Estimate.of_record(c["estimate"])
        value, ends = estimate.value, estimate.interval or (nan, nan)
        drawn = (end if isfinite(end) else value for end in ends)
        name = ", ".join(c["options"].get(option, "-") for option in apart) or c["spelled"]
        lines.append((f"{c['rank']}: {name}", value, *drawn, estimate.by_fold))
    cut = len(known) > MAX_CHART_CANDIDATES
    more = f", best {MAX_CHART_CANDIDATES} of {len(known)}" if cut else ""
    title = f"Candidates by {', '.join(apart)}{more}" if apart else f"Candidates{more}"
    within = limits(found["by"])
    return {"search": draw_intervals(lines, title, found["by"], x_limits=within)}


def _best_line(found: Found) -> str:
    tied = [c for c in found["candidates"] if c["rank"] == 1]
    winner, score = tied[0]["spelled"], Estimate.of_record(tied[0]["estimate"])
    tie = f" {len(tied)} candidates are tied; the first is taken." if len(tied) > 1 else ""
    return f"Best: {winner}, {score.with_baseline(found['baseline'])}.{tie}"


def _held_out_score(found: Found) -> list[str]:
    """The score on rows that did not select the candidate, or a warning that there is none."""
    if (honest := found["honest"]) is not None:
        score = Estimate.of_record(honest["score"]).with_baseline(honest["baseline"])
        if found["how"] == "three":
            return [
                f"Test rows: {score}. They were used once, for the best candidate, trained on all "
                "other rows."
            ]
        return [
            f"Nested cross-validation, {honest['cv']}: {score}. Each outer fold tests the "
            "candidate that was selected on its training rows. The interval is for models that "
            "this search selects on tables like this one. Its variance is three times that of "
            "the rows, because folds that share training rows tend to select the same candidate."
        ]
    if not found["optimistic"]:
        return []
    return [
        f"This score is optimistic: it is the best of {len(found['candidates'])}, on the rows "
        "that selected it. For an unbiased score, pass nested=5 or cv=tl.Folds.three()."
    ]


def _candidate_table(found: Found) -> Grid:
    tried = found["candidates"]
    names = tuple(dict.fromkeys(name for c in tried for name in c["options"]))
    scores = [None if c["estimate"] is None else Estimate.of_record(c["estimate"]) for c in tried]
    spec = score_format([score.value for score in scores if score is not None])
    lines = [
        (
            "failed" if c["rank"] is None else str(c["rank"]),
            *(c["options"].get(name, "") for name in names),
            "" if score is None else format_score(score.value, spec),
            ""
            if score is None or score.interval is None
            else format_interval(score.interval.low, score.interval.high, spec),
        )
        for c, score in zip(tried, scores, strict=True)
    ]
    order = sorted(range(len(tried)), key=lambda at: tried[at]["rank"] or len(tried) + 1)
    head = ("rank", *names, found["by"], interval_heading(found["level"]))
    return Grid("", head, tuple(lines[at] for at in order))


def _notes(found: Found) -> list[str]:
    failed = [c for c in found["candidates"] if c["failure"]]
    notes = [*found.get("remarks", ())]
    notes += [f"Failed: {c['spelled']}: {c['failure']}" for c in failed[:MAX_LISTED_FAILURES]]
    if more := len(failed[MAX_LISTED_FAILURES:]):
        notes.append(f"{more} more failed; records() has them.")
    if chosen := found["chosen"]:
        often: Counter[str] = Counter(chosen)
        times = "; ".join(f"{name} ({often[name]} of {len(chosen)})" for name in often)
        notes.append(f"Selected by the outer folds: {times}.")
    rows = "the training and validation rows" if found["how"] == "three" else "all rows"
    return [*notes, f"The model is fitted with the best options on {rows}."]


def _varying_options(known: list[Found]) -> list[str]:
    """The options that vary among the candidates."""
    names = dict.fromkeys(name for c in known for name in c["options"])
    return [name for name in names if len({c["options"].get(name) for c in known}) > 1]


def _plot_option(found: Found, known: list[Found]) -> Plot | None:
    """The curve over the one option that varies, where it is a number."""
    varying = _varying_options(known)
    if len(varying) != 1 or not all(varying[0] in c["numbers"] for c in known):
        return None
    return _lines(found, {found["by"]: known}, varying[0], True)


def _two_option_chart(found: Found, known: list[Found]) -> Plot | None:
    """A curve over one option of numbers for every value of the other, where two vary."""
    varying = _varying_options(known)
    if len(varying) != 2 or any(len(c["options"]) < 2 for c in known):
        return None
    numeric = [name for name in varying if all(name in c["numbers"] for c in known)]
    values = {name: len({c["options"][name] for c in known}) for name in varying}
    if not numeric or min(values.values()) > MAX_CHART_CURVES:
        return None
    name = max(numeric, key=lambda name: values[name])
    (other,) = (one for one in varying if one != name)
    if values[other] > MAX_CHART_CURVES:
        return None
    curves: dict[str, list[Found]] = {}
    for c in known:
        curves.setdefault(f"{other}={c['options'][other]}", []).append(c)
    return _lines(found, curves, name, False)


def _lines(found: Found, curves: Mapping[str, list[Found]], name: str, banded: bool) -> Plot:
    lines = {label: _line(some, name, banded) for label, some in curves.items()}
    x = sorted({at for line in lines.values() for at in line[0]})
    wide = x[0] > 0 and log10(x[-1] / x[0]) > 1
    return draw_lines(lines, "Candidates", name, found["by"], log_x=wide,
                      y_limits=limits(found["by"]))  # fmt: skip


def _line(some: list[Found], name: str, banded: bool) -> tuple[list[float], ...]:
    """The scores along an option, with the band of their intervals where all have one."""
    order = sorted(some, key=lambda c: number_of(c["numbers"][name]))
    x, scores = (
        [c["numbers"][name] for c in order],
        [Estimate.of_record(c["estimate"]) for c in order],
    )
    y = [score.value for score in scores]
    bands = [score.interval for score in scores if score.interval is not None]
    known = len(bands) == len(scores) and all(isfinite(end) for band in bands for end in band)
    if not banded or not known:
        return x, y
    return x, y, [band.low for band in bands], [band.high for band in bands]
