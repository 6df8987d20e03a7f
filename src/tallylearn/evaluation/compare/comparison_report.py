"""Standings: a comparison as a table beside the best, a chart, and how the tests are to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from tallylearn.evaluation.evaluate.evaluation_charts import limits
from tallylearn.evaluation.evaluate.evaluation_report import warned
from tallylearn.evaluation.result import spec_of
from tallylearn.evaluation.scores.score import titled
from tallylearn.plots import Plot, draw_intervals
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.rendering import number_of

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
    spec = spec_of([number_of(row["value"]) for row in rows])
    head = ["learner", _title(found), f"{100 * found['level']:g} % interval", "to the best",
            "interval", "p"]  # fmt: skip
    if found["task"] == "classifier":
        head += ["McNemar p", "only best wrong", "only it wrong"]
    cells = (tuple(_cells(row, spec)[: len(head)]) for row in found["records"])
    return Grid("", tuple(head), tuple(cells))


def _cells(row: Found, spec: str) -> list[str]:
    return [
        f"{row['learner']} (baseline)" if row["baseline"] else row["learner"],
        _number(row["value"], spec),
        _ends(row["low"], row["high"], spec),
        _number(row["difference"], spec),
        _ends(row["difference_low"], row["difference_high"], spec),
        _chance(row["p_holm"]),
        _chance(row["mcnemar_p_holm"]),
        *("" if row[c] is None else str(row[c]) for c in ("only_best_wrong", "only_this_wrong")),
    ]


def _remarks(found: Found) -> list[str]:
    pairs = found["pairs"]
    said = [*found.get("remarks", ()), "All learners had the same folds."]
    if len(pairs) > 1:
        said.append(
            f"Every p is adjusted by Holm over all {len(pairs)} pairs; the intervals to the best "
            "are widened by the same steps."
        )
    if any(pair["test"] == "corrected resampled t" for pair in pairs):
        said.append(
            "p is of the corrected resampled t-test: whether the learners differ on average over "
            "training sets."
        )
    if found["task"] == "classifier":
        said.append(
            "McNemar's mid-p is of the rows, each counted once: whether these models err equally "
            "often."
        )
    if left := max(pair["left_out"] for pair in pairs):
        said.append(f"Folds on which one of a pair failed are left out of it: up to {left}.")
    said += [f"{f['learner']} failed on fold {f['fold']}: {f['reason']}"
             for f in found["failures"]]  # fmt: skip
    return [*said, *(f"Left out: {reason}" for reason in found["failed"].values())]


def _chance(p: Any) -> str:
    return "< 0.001" if number_of(p) < 0.001 else _number(p, "z.3f")


def _number(data: Any, spec: str) -> str:
    value = number_of(data)
    return "" if value != value else format(value + 0.0, spec)


def _ends(low: Any, high: Any, spec: str) -> str:
    return "" if low is None else f"[{_number(low, spec)}, {_number(high, spec)}]"
