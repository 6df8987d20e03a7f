"""Standings: a comparison as a table beside the best, a chart, and how the tests are to be read."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

from tallylearn.plots import Plot, draw_intervals
from tallylearn.workings import Derivation, Grid, Sentence

if TYPE_CHECKING:
    from tallylearn.evaluation.comparisons import Comparison
    from tallylearn.evaluation.differences import Difference
    from tallylearn.evaluation.evaluations import Evaluation


def report(found: Comparison) -> Derivation:
    """All that there is to say."""
    said, remarks = map(Sentence, found.verdicts), map(Sentence, _remarks(found))
    return Derivation(found.title, (*said, _grid(found), *remarks))


def records(found: Comparison) -> list[dict[str, Any]]:
    """One row a learner, beside the best; the baseline last."""
    rows = [
        _record(found.score, paper.name, paper.found, found.pairs[0, at] if at else None)
        for at, paper in enumerate(found.papers)
    ]
    base = _record(found.score, found.baseline.learner, found.baseline, None)
    return [row | {"baseline": False} for row in rows] + [base | {"baseline": True}]


def plots(found: Comparison) -> dict[str, Plot]:
    """The scores with their intervals and folds, and how far the others are from the best."""
    base, title = found.baseline[found.score].value, found.baseline[found.score].title
    beside = (found.baseline.learner, base) if isfinite(base) else None
    rows = records(found)[:-1]
    scores = [line for row in rows if (line := _line(row, "value", "low", "high", row["by_fold"]))]
    apart = [
        line
        for at, row in enumerate(rows[1:], 1)
        if (line := _line(row, "difference", "difference_low", "difference_high",
                          [0.0 - value for value in found.pairs[0, at].by_fold]))
    ]  # fmt: skip
    drawn = {}
    if scores:
        drawn["scores"] = draw_intervals(scores, "The same folds", title, baseline=beside)
    if apart:
        best, label = found.names[0], f"{title}, less that of the best"
        drawn["differences"] = draw_intervals(apart, "To the best", label, baseline=(best, 0.0))
    return drawn


def _line(
    row: dict[str, Any], value: str, low: str, high: str, dots: Sequence[float]
) -> tuple[Any, ...] | None:
    """A value to draw; without an interval its ends are the value."""
    at = row[value]
    if not isfinite(at):
        return None
    ends = (row[end] if isfinite(row[end]) else at for end in (low, high))
    return (row["learner"], at, *ends, [dot for dot in dots if isfinite(dot)])


def spec_of(values: Sequence[float]) -> str:
    """How to write numbers of this size: three places, or four digits of small and large ones."""
    largest = max((abs(value) for value in values if isfinite(value)), default=1.0)
    return "z.3f" if largest == 0 or 0.05 <= largest < 1000 else ".4g"


def _record(
    score: str, name: str, evaluation: Evaluation, pair: Difference | None
) -> dict[str, Any]:
    """A learner as plain values; ``difference`` is its score less that of the best."""
    estimate = evaluation[score]
    low, high = (nan, nan) if estimate.interval is None else estimate.interval
    low_end, high_end = (nan, nan) if pair is None or pair.interval is None else pair.interval
    return {
        "learner": name,
        "score": score,
        "value": estimate.value,
        "low": low,
        "high": high,
        "difference": nan if pair is None else 0.0 - pair.mean,
        "difference_low": 0.0 - high_end,
        "difference_high": 0.0 - low_end,
        "p": nan if pair is None else pair.p,
        "p_holm": nan if pair is None else pair.adjusted,
        "test": "" if pair is None else pair.test,
        "mcnemar_p": nan if pair is None or pair.mcnemar is None else pair.mcnemar.p,
        "mcnemar_p_holm": nan if pair is None else pair.mcnemar_adjusted,
        "only_best_wrong": None if pair is None or pair.mcnemar is None else pair.only_a_wrong,
        "only_this_wrong": None if pair is None or pair.mcnemar is None else pair.only_b_wrong,
        "by_fold": list(estimate.by_fold),
    }


def _grid(found: Comparison) -> Grid:
    spec = spec_of([paper.found[found.score].value for paper in found.papers])
    classes = found.baseline.task == "classifier"
    ends = f"{100 * found.level:g} % interval"
    head = ["learner", found.baseline[found.score].title, ends, "to the best", "interval", "p"]
    head += ["McNemar p", "only best wrong", "only it wrong"] if classes else []
    rows = (tuple(_cells(row, spec)[: len(head)]) for row in records(found))
    return Grid("", tuple(head), tuple(rows))


def _cells(row: dict[str, Any], spec: str) -> list[str]:
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


def _remarks(found: Comparison) -> list[str]:
    pairs = list(found.pairs.values())
    said = ["All learners had the same folds."]
    if len(pairs) > 1:
        said.append(
            f"Every p is adjusted by Holm over all {len(pairs)} pairs; the intervals to the best "
            "are widened by the same steps."
        )
    if any(pair.test == "corrected resampled t" for pair in pairs):
        said.append(
            "p is of the corrected resampled t-test: whether the learners differ on average over "
            "training sets."
        )
    if found.baseline.task == "classifier":
        said.append(
            "McNemar's mid-p is of the rows, each counted once: whether these models err equally "
            "often."
        )
    if left := max(pair.left_out for pair in pairs):
        said.append(f"Folds on which one of a pair failed are left out of it: up to {left}.")
    for paper in found.papers:
        said += [f"{paper.name} failed on fold {f.fold}: {f.reason}"
                 for f in paper.found.failures[:1]]  # fmt: skip
    return [*said, *(f"Left out: {reason}" for reason in found.failed.values())]


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else _number(p, "z.3f")


def _number(value: float, spec: str) -> str:
    return "" if value != value else format(value + 0.0, spec)


def _ends(low: float, high: float, spec: str) -> str:
    return "" if low != low else f"[{_number(low, spec)}, {_number(high, spec)}]"
