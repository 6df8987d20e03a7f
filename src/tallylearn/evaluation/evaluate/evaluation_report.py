"""Reports of an evaluation: scores beside the baseline, the confusion, the classes, the charts.

What is said is made of plain data, so that a file of it gives the same report.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.plots import Plot, draw_intervals, draw_lines, draw_matrix, draw_points
from tallylearn.plots.chart_checks import LARGE
from tallylearn.tables import Array, plain
from tallylearn.workings import Derivation, Grid, Sentence
from tallylearn.workings.rendering import number_of

MOST_CLASSES = 12  # of a confusion matrix that is written out
TOPMOST = 3  # classes with a ROC curve of their own
Found = Mapping[str, Any]


def report(found: Found) -> Derivation:
    """All that there is to say."""
    scores = [Estimate.read(record) for record in found["records"]]
    steps: list[Any] = [*warned(found), Sentence(f"{found['headline']}."), _scores(found, scores)]
    if found["groups"]:
        steps.append(_groups(found))
    if found["task"] == "classifier":
        if len(found["classes"]) <= MOST_CLASSES:
            steps.append(_confusion(found))
        steps.append(_classes(found))
    steps += [Sentence(text) for text in _remarks(found, scores)]
    return Derivation(found["title"], tuple(steps))


def warned(found: Found) -> list[Sentence]:
    """The cautions, which come first."""
    return [Sentence(f"Caution: {text}.") for text in found.get("cautions", ())]


def _scores(found: Found, scores: list[Estimate]) -> Grid:
    level = f"{100 * found['level']:g} % interval"
    several = found["folds"] > 1
    rows = tuple(
        (
            e.title,
            *([_number(e.value)] if several else []),
            _number(e.pooled),
            "" if e.interval is None else str(e.interval),
            "" if e.interval is None else e.interval.method,
            _number(e.baseline),
        )
        for e in scores
    )
    value = ("mean of folds", "all rows") if several else ("value",)
    head = ("score", *value, level, "method", found["baseline"])
    remarks = [f"{e.name}: {e.reason}." for e in scores if e.reason]
    return Grid("", head, rows, " ".join(remarks))


def _groups(found: Found) -> Grid:
    name, by = found["records"][0]["score"], str(found["by"])
    scores = [(record["group"], Estimate.read(record)) for record in found["groups"]]
    rows = tuple(
        ("missing" if value is None else plain(value), _number(e.value),
         "" if e.interval is None else str(e.interval), _number(e.baseline))
        for value, e in scores
    )  # fmt: skip
    return Grid(f"{name} by {by}", (by, name, "interval", found["baseline"]), rows)


def _confusion(found: Found) -> Grid:
    names = tuple(str(name) for name in found["classes"])
    rows = tuple(
        (name, *(_count(count) for count in line))
        for name, line in zip(names, _matrix(found), strict=True)
    )
    return Grid("confusion: rows are true, columns predicted", ("", *names), rows)


def _matrix(found: Found) -> Array:
    """(k, k) rows of every class (true) that were called so (predicted)."""
    matrix = np.zeros((len(found["classes"]), len(found["classes"])))
    for true, predicted, rows in found["confusion"]:
        matrix[true, predicted] = rows
    return matrix


def _classes(found: Found) -> Grid:
    rows = tuple(
        (str(line["class"]), _count(line["rows"]),
         *(_number(number_of(line[rate])) for rate in ("precision", "recall", "f1")))
        for line in found["by_class"]
    )  # fmt: skip
    return Grid("by class", ("class", "rows", "precision", "recall", "F1"), rows)


def _remarks(found: Found, scores: list[Estimate]) -> list[str]:
    first, said = scores[0], [*found.get("remarks", ())]
    if of_one := [e.name for e in scores if e.of is not None]:
        rows: defaultdict[int, float] = defaultdict(float)
        for true, _, count in found["confusion"]:
            rows[true] += count
        own = rows[found["classes"].index(found["positive"])]
        said.append(
            f"Of class {found['positive']!r}, {_count(own)} of {_count(sum(rows.values()))} rows "
            f"tested: {', '.join(of_one)}. Another class can be named positive."
        )
    if len(found["classes"]) == 1:
        said.append(f"All rows have the class {found['classes'][0]!r}: nothing was told apart.")
    if first.interval is not None:
        level, about = 100 * found["level"], first.interval.about
        said.append(f"The interval holds, in {level:g} % of samples, {about}.")
    if first.over_folds is not None:
        low, high = min(first.by_fold), max(first.by_fold)
        said.append(
            f"Over {len(first.by_fold)} folds: mean {first.value:.3f}, from {low:.3f} to "
            f"{high:.3f}. For the learner, over training sets like these, {first.over_folds} by "
            "the corrected resampled t."
        )
    if failures := found["failures"]:
        many = f"{len(failures)} folds" if len(failures) > 1 else "1 fold"
        one = failures[0]
        said.append(f"Failed on {many}, left out; fold {one['fold']}: {one['reason']}")
    return said


def plots(found: Found, series: Mapping[str, Any]) -> dict[str, Plot]:
    """The charts: confusion, ROC, calibration; of numbers answers and residuals; the folds."""
    charts: dict[str, Plot] = {}
    if found["task"] == "classifier":
        names = [str(name) for name in found["classes"]]
        charts["confusion"] = draw_matrix(_matrix(found), names, names, "Confusion")
    if "roc" in series:
        curves = {name: curve for name, curve in series["roc"].items() if np.isfinite(curve).all()}
        if curves:  # a class that no row has, or every row, has none
            charts["roc"] = _roc(curves)
        charts["calibration"] = _calibration(*series["calibration"])
    if "truth" in series:
        charts |= _numbers(series["truth"], series["said"])
    first = Estimate.read(found["records"][0])
    if found["folds"] and abs(first.value) <= LARGE:
        charts["folds"] = _spread(found, first)
    return charts


def _roc(curves: Mapping[Any, tuple[Array, Array]]) -> Plot:
    shown = [*curves.items()][:TOPMOST]
    lines = {str(name): curve for name, curve in shown}  # straight: right for tied scores too
    more = f", first {TOPMOST} classes" if len(curves) > TOPMOST else ""
    return draw_lines(lines, f"ROC{more}", "false positive rate", "true positive rate",
                      x_range=(0, 1), y_range=(0, 1), diagonal="chance")  # fmt: skip


def _calibration(name: Any, said: Array, true: Array) -> Plot:
    return draw_lines({str(name): (said, true)}, f"Calibration of {name}", "mean probability",
                      "share", x_range=(0, 1), y_range=(0, 1), diagonal="calibrated")  # fmt: skip


def _numbers(truth: Array, said: Array) -> dict[str, Plot]:
    """What was said beside what is true, and what is left of the truth."""
    if not (np.maximum(np.abs(truth), np.abs(said)) <= LARGE / 2).all():  # nor their difference
        return {}
    return {
        "answers": draw_points(truth, said, "Predicted against true", "true", "predicted",
                               diagonal="right"),
        "residuals": draw_points(said, truth - said, "Residuals", "predicted", "true - predicted",
                                 level=0.0),
    }  # fmt: skip


def _spread(found: Found, first: Estimate) -> Plot:
    low, high = (first.value, first.value) if first.interval is None else first.interval
    line = (found["learner"], first.value, low, high, [v for v in first.by_fold if isfinite(v)])
    beside = (found["baseline"], first.baseline) if isfinite(first.baseline) else None
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
