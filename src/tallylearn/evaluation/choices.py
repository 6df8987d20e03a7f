"""Choices: a search as a table of candidates, a chart, and how far its scores can be trusted."""

from __future__ import annotations

from math import isfinite, log10, nan
from numbers import Real
from typing import TYPE_CHECKING, Any

from tallylearn.evaluation.grids import spelled
from tallylearn.evaluation.standings import spec_of
from tallylearn.plots import Plot, draw_intervals, draw_lines
from tallylearn.workings import Derivation, Grid, Sentence

if TYPE_CHECKING:
    from tallylearn.evaluation.searches import Candidate
    from tallylearn.evaluation.tuning import Tuning

SHOWN = 12  # candidates in a chart
NAMED = 5  # candidates that failed, with the reason


def report(found: Tuning) -> Derivation:
    """All that there is to say."""
    said = map(Sentence, [_best(found), *_honesty(found)])
    return Derivation(found.title, (*said, _grid(found), *map(Sentence, _remarks(found))))


def records(found: Tuning) -> list[dict[str, Any]]:
    """One row a candidate, in the order of the grid."""
    names = dict.fromkeys(name for c in found.candidates for name in c.options)
    columns = {name: _column([c.options.get(name) for c in found.candidates]) for name in names}
    return [
        {f"option_{name}": values[at] for name, values in columns.items()} | _record(found.by, c)
        for at, c in enumerate(found.candidates)
    ]


def plots(found: Tuning) -> dict[str, Plot]:
    """The score along one option of numbers; else the best candidates."""
    known = [c for c in found.candidates if c.rank is not None]
    if (along := _along(found, known)) is not None:
        return {"search": along}
    lines = []
    for c in sorted(known, key=lambda c: c.rank or 0)[:SHOWN]:
        row = _record(found.by, c)
        low, high = (row[end] if isfinite(row[end]) else row["value"] for end in ("low", "high"))
        lines.append((spelled(c.options), row["value"], low, high, row["by_fold"]))
    more = f", best {SHOWN} of {len(known)}" if len(known) > SHOWN else ""
    return {"search": draw_intervals(lines, f"Candidates{more}", found.by)}


def _best(found: Tuning) -> str:
    winner = found.winner
    tied = [c for c in found.candidates if c.rank == 1]
    more = f"; {len(tied)} are tied, and the first is taken" if len(tied) > 1 else ""
    return f"Best: {spelled(winner.options)}, {winner.estimate} on the rows that chose{more}."


def _honesty(found: Tuning) -> list[str]:
    """What the score is worth."""
    if found.honest is not None:
        base = f"{found.honest.baseline_name} {found.score.baseline:.3f}"
        if found.how == "three":
            return [
                f"On the test rows: {found.score}, {base}. The test rows were used once: for the "
                "best candidate, learned from all other rows."
            ]
        return [
            f"Nested, {found.honest.cv}: {found.score}, {base}. Every outer fold was used once, "
            "for the candidate that its training rows chose."
        ]
    if not found.optimistic:
        return []
    return [
        f"That score is optimistic: it is the best of {len(found.candidates)} on the rows that "
        "chose it. For an honest one pass nested=5, or cv=tl.Folds.three()."
    ]


def _grid(found: Tuning) -> Grid:
    names = tuple(dict.fromkeys(name for c in found.candidates for name in c.options))
    spec = spec_of([c.estimate.value for c in found.candidates if c.estimate is not None])
    order = sorted(found.candidates, key=lambda c: c.rank or len(found.candidates) + 1)
    rows = tuple(
        (
            "failed" if c.rank is None else str(c.rank),
            *(repr(c.options[name]) if name in c.options else "" for name in names),
            "" if c.estimate is None else f"{c.estimate.value:{spec}}",
            "" if c.estimate is None or c.estimate.interval is None
            else f"{c.estimate.interval:{spec}}",
        )
        for c in order
    )  # fmt: skip
    head = ("rank", *names, found.by, f"{100 * found.level:g} % interval")
    return Grid("", head, rows)


def _remarks(found: Tuning) -> list[str]:
    failed = [c for c in found.candidates if c.failure]
    said = [f"Failed: {spelled(c.options)}: {c.failure}" for c in failed[:NAMED]]
    said += [f"{len(failed) - NAMED} more failed; records() has them."] if failed[NAMED:] else []
    if found.chosen:
        often: dict[str, int] = {}
        for options in found.chosen:
            often[spelled(options)] = often.get(spelled(options), 0) + 1
        times = "; ".join(f"{name} ({count} of {len(found.chosen)})"
                          for name, count in often.items())  # fmt: skip
        said.append(f"The outer folds chose: {times}.")
    rows = "the rows of the first two parts" if found.how == "three" else "all rows"
    return [*said, f"The model is fitted with the best options, on {rows}."]


def _record(score: str, c: Candidate) -> dict[str, Any]:
    interval = None if c.estimate is None else c.estimate.interval
    return {
        "rank": c.rank,
        "score": score,
        "value": nan if c.estimate is None else c.estimate.value,
        "low": nan if interval is None else interval.low,
        "high": nan if interval is None else interval.high,
        "by_fold": [] if c.estimate is None else list(c.estimate.by_fold),
        "failure": c.failure,
    }


def _column(values: list[Any]) -> list[Any]:
    """Numbers as they are, anything else as it is written: a column has one type."""
    if all(value is None or _is_number(value) for value in values):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else repr(value) for value in values]


def _along(found: Tuning, known: list[Candidate]) -> Plot | None:
    """The curve over the one option that varies, where it is a number."""
    names = {name for c in known for name in c.options}
    varying = [name for name in names
               if len({repr(c.options.get(name)) for c in known}) > 1]  # fmt: skip
    if len(varying) != 1 or not all(_is_number(c.options.get(varying[0])) for c in known):
        return None
    name = varying[0]
    order = sorted(known, key=lambda c: float(c.options[name]))
    x = [float(c.options[name]) for c in order]
    rows = [_record(found.by, c) for c in order]
    y = [row["value"] for row in rows]
    bands = [[row[end] for row in rows] for end in ("low", "high")]
    banded = all(isfinite(end) for band in bands for end in band)
    wide = x[0] > 0 and log10(x[-1] / x[0]) > 1
    return draw_lines({found.by: (x, y, *bands) if banded else (x, y)}, "Candidates", name,
                      found.by, log_x=wide)  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
