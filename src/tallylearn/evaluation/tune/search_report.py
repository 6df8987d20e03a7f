"""Choices: a search as a table of candidates, a chart, and how far its scores can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite, log10, nan
from typing import Any

from tallylearn.evaluation.evaluate.evaluation_charts import limits
from tallylearn.evaluation.evaluate.evaluation_report import warned
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.reporting.charts import Plot, draw_intervals, draw_lines
from tallylearn.reporting.formatting import format_interval, format_score, number_of, score_format
from tallylearn.workings import Derivation, Grid, Sentence

SHOWN = 12  # candidates in a chart
CURVES = 6  # of one option, for every value of another
NAMED = 5  # candidates that failed, with the reason
Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """All that there is to say."""
    said = map(Sentence, [_best(found), *_honesty(found)])
    remarks = map(Sentence, _remarks(found))
    return Derivation(found["title"], (*warned(found), *said, _grid(found), *remarks))


def plots(found: Found) -> dict[str, Plot]:
    """The score along one option of numbers; else the best candidates."""
    known = [c for c in found["candidates"] if c["rank"] is not None]
    if (along := _along(found, known)) is not None:
        return {"search": along}
    if (crossed := _crossed(found, known)) is not None:
        return {"search": crossed}
    lines, apart = [], _varying(known)
    for c in sorted(known, key=lambda c: c["rank"])[:SHOWN]:
        estimate = Estimate.read(c["estimate"])
        value, ends = estimate.value, estimate.interval or (nan, nan)
        drawn = (end if isfinite(end) else value for end in ends)
        name = ", ".join(c["options"].get(option, "-") for option in apart) or c["spelled"]
        lines.append((f"{c['rank']}: {name}", value, *drawn, estimate.by_fold))
    more = f", best {SHOWN} of {len(known)}" if len(known) > SHOWN else ""
    title = f"Candidates by {', '.join(apart)}{more}" if apart else f"Candidates{more}"
    within = limits(found["by"])
    return {"search": draw_intervals(lines, title, found["by"], x_limits=within)}


def _best(found: Found) -> str:
    tied = [c for c in found["candidates"] if c["rank"] == 1]
    winner, score = tied[0]["spelled"], Estimate.read(tied[0]["estimate"])
    more = f"; {len(tied)} are tied, and the first is taken" if len(tied) > 1 else ""
    known = isfinite(score.baseline)
    beside = f", {found['baseline']} {score.baseline:{score.spec}}" if known else ""
    return f"Best: {winner}, {score} on the rows that chose{beside}{more}."


def _honesty(found: Found) -> list[str]:
    """What the score is worth."""
    if (honest := found["honest"]) is not None:
        score = Estimate.read(honest["score"])
        beside = score.beside(honest["baseline"])
        if found["how"] == "three":
            return [
                f"On the test rows: {beside}. The test rows were used once: for the best "
                "candidate, learned from all other rows."
            ]
        return [
            f"Nested, {honest['cv']}: {beside}. Every outer fold was used once, for the candidate "
            "that its training rows chose. The interval is of models that this search chooses on "
            "tables like this one: its variance is three times that of the rows, because folds "
            "that share training rows choose the same candidate by chance."
        ]
    if not found["optimistic"]:
        return []
    return [
        f"That score is optimistic: it is the best of {len(found['candidates'])} on the rows that "
        "chose it. For an honest one pass nested=5, or cv=tl.Folds.three()."
    ]


def _grid(found: Found) -> Grid:
    tried = found["candidates"]
    names = tuple(dict.fromkeys(name for c in tried for name in c["options"]))
    scores = [None if c["estimate"] is None else Estimate.read(c["estimate"]) for c in tried]
    spec = score_format([score.value for score in scores if score is not None])
    lines = [
        (
            "failed" if c["rank"] is None else str(c["rank"]),
            *(c["options"].get(name, "") for name in names),
            "" if score is None else format_score(score.value, spec),
            ""
            if score is None or score.interval is None
            else format_interval(score.interval.low, score.interval.high, spec),
            ""
            if score is None or score.baseline != score.baseline
            else format_score(score.baseline, spec),
        )
        for c, score in zip(tried, scores, strict=True)
    ]
    order = sorted(range(len(tried)), key=lambda at: tried[at]["rank"] or len(tried) + 1)
    level = f"{100 * found['level']:g} % interval"
    head = ("rank", *names, found["by"], level, found["baseline"])
    return Grid("", head, tuple(lines[at] for at in order))


def _remarks(found: Found) -> list[str]:
    failed = [c for c in found["candidates"] if c["failure"]]
    said = [*found.get("remarks", ())]
    said += [f"Failed: {c['spelled']}: {c['failure']}" for c in failed[:NAMED]]
    said += [f"{len(failed) - NAMED} more failed; records() has them."] if failed[NAMED:] else []
    if chosen := found["chosen"]:
        often: Counter[str] = Counter(chosen)
        times = "; ".join(f"{name} ({often[name]} of {len(chosen)})" for name in often)
        said.append(f"The outer folds chose: {times}.")
    rows = "the rows of the first two parts" if found["how"] == "three" else "all rows"
    return [*said, f"The model is fitted with the best options, on {rows}."]


def _varying(known: list[Found]) -> list[str]:
    """The options that tell the candidates apart."""
    names = dict.fromkeys(name for c in known for name in c["options"])
    return [name for name in names if len({c["options"].get(name) for c in known}) > 1]


def _along(found: Found, known: list[Found]) -> Plot | None:
    """The curve over the one option that varies, where it is a number."""
    varying = _varying(known)
    if len(varying) != 1 or not all(varying[0] in c["numbers"] for c in known):
        return None
    return _lines(found, {found["by"]: known}, varying[0], True)


def _crossed(found: Found, known: list[Found]) -> Plot | None:
    """A curve over one option of numbers for every value of the other, where two vary."""
    varying = _varying(known)
    if len(varying) != 2 or any(len(c["options"]) < 2 for c in known):
        return None
    numeric = [name for name in varying if all(name in c["numbers"] for c in known)]
    values = {name: len({c["options"][name] for c in known}) for name in varying}
    if not numeric or min(values.values()) > CURVES:
        return None
    name = max(numeric, key=lambda name: values[name])
    (other,) = (one for one in varying if one != name)
    if values[other] > CURVES:
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
    x, scores = [c["numbers"][name] for c in order], [Estimate.read(c["estimate"]) for c in order]
    y = [score.value for score in scores]
    bands = [score.interval for score in scores if score.interval is not None]
    known = len(bands) == len(scores) and all(isfinite(end) for band in bands for end in band)
    if not banded or not known:
        return x, y
    return x, y, [band.low for band in bands], [band.high for band in bands]
