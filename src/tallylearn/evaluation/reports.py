"""Reports of an evaluation: scores beside the baseline, the confusion, the classes, the charts."""

from __future__ import annotations

from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from tallylearn.evaluation.confusions import positive_class, table
from tallylearn.evaluation.losses import calibration
from tallylearn.plots import Plot, draw_intervals, draw_lines, draw_matrix, draw_points
from tallylearn.plots.checks import LARGE
from tallylearn.tables import plain
from tallylearn.workings import Derivation, Grid, Sentence

if TYPE_CHECKING:
    from tallylearn.evaluation.estimates import Estimate
    from tallylearn.evaluation.evaluations import Evaluation

MOST_CLASSES = 12  # of a confusion matrix that is written out
TOPMOST = 3  # classes with a ROC curve of their own


def report(found: Evaluation) -> Derivation:
    """All that there is to say."""
    steps: list[Any] = [Sentence(found.headline + "."), _scores(found)]
    if found.groups:
        steps.append(_groups(found))
    if found.task == "classifier":
        if len(found.classes) <= MOST_CLASSES:
            steps.append(_confusion(found))
        steps.append(_classes(found))
    steps += [Sentence(text) for text in _remarks(found)]
    return Derivation(f"{found.learner} on {found.n:,} rows, {found.cv}", tuple(steps))


def records(found: Evaluation) -> list[dict[str, Any]]:
    """One row a score."""
    return [record(estimate) for estimate in found]


def record(estimate: Estimate) -> dict[str, Any]:
    """A score as plain values."""
    interval, over = estimate.interval, estimate.over_folds
    return {
        "score": estimate.name,
        "class": estimate.of,
        "value": estimate.value,
        "low": nan if interval is None else interval.low,
        "high": nan if interval is None else interval.high,
        "level": nan if interval is None else interval.level,
        "method": "" if interval is None else interval.method,
        "about": "" if interval is None else interval.about,
        "pooled": estimate.pooled,
        "baseline": estimate.baseline,
        "better": estimate.better,
        "folds_low": nan if over is None else over.low,
        "folds_high": nan if over is None else over.high,
        "by_fold": list(estimate.by_fold),
        "reason": estimate.reason,
    }


def plots(found: Evaluation) -> dict[str, Plot]:
    """The charts: confusion, ROC, calibration; of numbers answers and residuals; the folds."""
    charts: dict[str, Plot] = {}
    if found.task == "classifier":
        names = [str(name) for name in found.classes]
        charts["confusion"] = draw_matrix(found.confusion, names, names, "Confusion")
        if any(told.answers.proba is not None for told in found.told):
            charts |= {"roc": _roc(found), "calibration": _calibration(found)}
    elif found.told and found.told[0].answers.truth.ndim == 1:
        charts |= _numbers(found)
    if found.folds and abs(found[found.scores[0]].value) <= LARGE:
        charts["folds"] = _spread(found)
    return charts


def _scores(found: Evaluation) -> Grid:
    level = f"{100 * found.level:g} % interval"
    several = len(found.folds) > 1
    rows = tuple(
        (
            e.title,
            *([_number(e.value)] if several else []),
            _number(e.pooled),
            "" if e.interval is None else str(e.interval),
            "" if e.interval is None else e.interval.method,
            _number(e.baseline),
        )
        for e in found
    )
    value = ("mean of folds", "all rows") if several else ("value",)
    head = ("score", *value, level, "method", found.baseline_name)
    notes = [f"{e.name}: {e.reason}." for e in found if e.reason]
    return Grid("", head, rows, " ".join(notes))


def _groups(found: Evaluation) -> Grid:
    name = found.scores[0]
    rows = tuple(
        ("missing" if value is None else plain(value), _number(e.value),
         "" if e.interval is None else str(e.interval))
        for value, e in found.by_group(name).items()
    )  # fmt: skip
    return Grid(f"{name} by {found.by}", (str(found.by), name, "interval"), rows)


def _confusion(found: Evaluation) -> Grid:
    names = tuple(str(name) for name in found.classes)
    rows = tuple(
        (name, *(_count(count) for count in line))
        for name, line in zip(names, found.confusion, strict=True)
    )
    return Grid("confusion: rows are true, columns predicted", ("", *names), rows)


def _classes(found: Evaluation) -> Grid:
    rows = tuple(
        (str(line.value), _count(line.support),
         *(_number(m.value) for m in (line.precision, line.recall, line.f1)))
        for line in table(found.whole)
    )  # fmt: skip
    return Grid("by class", ("class", "rows", "precision", "recall", "F1"), rows)


def _remarks(found: Evaluation) -> list[str]:
    first = found[found.scores[0]]
    said = []
    if of_one := [e.name for e in found if e.of is not None]:
        rows = _count(found.confusion[found.classes.index(found.positive)].sum())
        said.append(
            f"Of class {found.positive!r}, {rows} of {_count(found.confusion.sum())} rows tested: "
            f"{', '.join(of_one)}. Another class can be named positive."
        )
    if len(found.classes) == 1:
        said.append(f"All rows have the class {found.classes[0]!r}: nothing was told apart.")
    if first.interval is not None:
        said.append(f"The interval holds, in {100 * found.level:g} % of samples, {_about(first)}.")
    if first.over_folds is not None:
        low, high = min(first.by_fold), max(first.by_fold)
        said.append(
            f"Over {len(first.by_fold)} folds: mean {first.value:.3f}, from {low:.3f} to "
            f"{high:.3f}; {first.over_folds} by the corrected resampled t."
        )
    if found.failures:
        one = found.failures[0]
        many = f"{len(found.failures)} folds" if len(found.failures) > 1 else "1 fold"
        said.append(f"Failed on {many}, left out; fold {one.fold}: {one.reason}")
    return said


def _about(estimate: Estimate) -> str:
    assert estimate.interval is not None
    return estimate.interval.about


def _roc(found: Evaluation) -> Plot:
    wanted = found.classes
    if len(wanted) == 2 or found.positive is not None:
        wanted = (positive_class(found.classes, found.positive),)
    series = {}
    for name in wanted[:TOPMOST]:
        wrong, right, _ = found.roc(name)
        series[str(name)] = (wrong, right)  # joined straight: right for tied scores too
    more = f", first {TOPMOST} classes" if len(wanted) > TOPMOST else ""
    return draw_lines(series, f"ROC{more}", "false positive rate", "true positive rate",
                      x_range=(0, 1), y_range=(0, 1), diagonal="chance")  # fmt: skip


def _calibration(found: Evaluation) -> Plot:
    name = found.classes[-1] if found.positive is None else found.positive
    bundles = [told.answers.tally(["ece"], name) for told in found.told]
    rows, said, true = calibration(sum(bundles[1:], start=bundles[0]), name)
    seen = rows > 0
    return draw_lines({str(name): (said[seen], true[seen])}, f"Calibration of {name}",
                      "mean probability", "share", x_range=(0, 1), y_range=(0, 1),
                      diagonal="calibrated")  # fmt: skip


def _numbers(found: Evaluation) -> dict[str, Plot]:
    """What was said beside what is true, and what is left of the truth."""
    truth, said = (found.predictions[name] for name in ("truth", "said"))
    if not (np.maximum(np.abs(truth), np.abs(said)) <= LARGE / 2).all():  # nor their difference
        return {}
    return {
        "answers": draw_points(truth, said, "Predicted against true", "true", "predicted",
                               diagonal="right"),
        "residuals": draw_points(said, truth - said, "Residuals", "predicted", "true - predicted",
                                 level=0.0),
    }  # fmt: skip


def _spread(found: Evaluation) -> Plot:
    first = found[found.scores[0]]
    low, high = (first.value, first.value) if first.interval is None else first.interval
    line = (found.learner, first.value, low, high, [v for v in first.by_fold if isfinite(v)])
    beside = (found.baseline_name, first.baseline) if isfinite(first.baseline) else None
    return draw_intervals([line], "Folds", first.name, baseline=beside)


def _count(weight: Any) -> str:
    """Rows as they are; weights that are fractions to a tenth of a row, or to four digits."""
    weight = float(weight)
    if weight.is_integer():
        return plain(weight)
    return f"{weight:.1f}" if weight >= 1000 else f"{weight:.4g}"


def _number(value: float) -> str:
    if not isfinite(value):
        return "" if value != value else str(value)
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.4g}"
