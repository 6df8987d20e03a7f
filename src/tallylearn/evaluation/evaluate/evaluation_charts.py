"""Charts of an evaluation: where it errs, how well it ranks, what its probabilities are worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from tallylearn.evaluation.evaluate.class_curves import ClassCurves
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.reporting.charts import (
    Plot,
    draw_choice,
    draw_intervals,
    draw_lines,
    draw_matrix,
    draw_points,
)
from tallylearn.reporting.charts.chart_arguments import MAX_DRAWABLE
from tallylearn.statistics.confidence_intervals import mean_interval
from tallylearn.tables import Array, plain

TOGETHER = 5  # classes whose ROC curves can be told apart on one sheet
UNIT = (0.0, 1.0)
SQUARED = 1e150  # a larger error has no square, and so its mean no interval
Found = Mapping[str, Any]


def plots(found: Found, matrix: Array | None, series: Mapping[str, Any]) -> dict[str, Plot]:
    """Of classes confusion, ROC, precision and recall, lift, calibration; of numbers predictions,
    residuals and errors by decile; the folds of both."""
    charts: dict[str, Plot] = {}
    if matrix is not None:
        names = [str(name) for name in found["classes"]]
        charts["confusion"] = draw_matrix(matrix, names, names, "Confusion")
    if curves := series.get("curves"):
        charts |= _by_class(curves)
    if "truth" in series:
        charts |= _numbers(series["truth"], series["said"], found["level"])
    first = Estimate.of_record(found["records"][0])
    if found["folds"] and abs(first.value) <= MAX_DRAWABLE:
        charts["folds"] = _fold_chart(found, first)
    return charts


def _by_class(curves: Mapping[Any, ClassCurves]) -> dict[str, Plot]:
    """Every curve of every class that has one; of several a page lets the reader choose."""
    charts: dict[str, Plot] = {}
    draw: dict[str, tuple[str, Callable[[str, ClassCurves], Plot | None]]] = {
        "roc": ("ROC", _roc),
        "precision_recall": ("Precision and recall", _precision_recall),
        "lift": ("Lift", _lift),
        "calibration": ("Calibration", _calibration),
    }
    for name, (title, one) in draw.items():
        found = {str(value): one(str(value), curve) for value, curve in curves.items()}
        drawn = {value: chart for value, chart in found.items() if chart is not None}
        if name == "roc" and 1 < len(drawn) <= TOGETHER:
            drawn = {"all classes": _roc_chart(curves)} | drawn
        if drawn:
            (first, *others) = drawn.values()
            charts[name] = draw_choice(drawn, title) if others else first
    return charts


def _roc(name: str, curve: ClassCurves) -> Plot | None:
    if not curve.is_defined:
        return None
    line = {f"AUC {curve.auc:.3f}": curve.roc}  # straight: right for tied scores too
    return draw_lines(line, f"ROC of {name}", "false positive rate", "true positive rate",
                      x_range=UNIT, y_range=UNIT, diagonal="chance")  # fmt: skip


def _roc_chart(curves: Mapping[Any, ClassCurves]) -> Plot:
    lines = {f"{plain(name)}, AUC {curve.auc:.3f}": curve.roc
             for name, curve in curves.items() if curve.is_defined}  # fmt: skip
    return draw_lines(lines, "ROC, each class against the rest", "false positive rate",
                      "true positive rate", x_range=UNIT, y_range=UNIT,
                      diagonal="chance")  # fmt: skip


def _precision_recall(name: str, curve: ClassCurves) -> Plot | None:
    if not curve.is_defined:
        return None
    line = {f"average precision {curve.average_precision:.3f}": curve.precision_recall}
    return draw_lines(line, f"Precision and recall of {name}", "recall", "precision",
                      x_range=UNIT, y_range=UNIT, level=("chance", curve.share))  # fmt: skip


def _lift(name: str, curve: ClassCurves) -> Plot | None:
    if not curve.is_defined:
        return None
    return draw_lines({"lift": curve.lift}, f"Lift of {name}", "share of rows called", "lift",
                      x_range=UNIT, y_range=(0, 1), level=("chance", 1.0))  # fmt: skip


def _calibration(name: str, curve: ClassCurves) -> Plot | None:
    if curve.bins is None:
        return None
    line = {f"share, rows and {curve.level:.0%} band": curve.bins}
    return draw_lines(line, f"Calibration of {name}", "mean probability", "share",
                      x_range=UNIT, y_range=UNIT, diagonal="calibrated")  # fmt: skip


def _numbers(truth: Array, said: Array, level: float) -> dict[str, Plot]:
    """What was said beside what is true, what is left of the truth, and where it is most."""
    if not (
        np.maximum(np.abs(truth), np.abs(said)) <= MAX_DRAWABLE / 2
    ).all():  # nor their difference
        return {}
    both = float(min(truth.min(), said.min())), float(max(truth.max(), said.max()))
    charts = {
        "answers": draw_points(truth, said, "Predicted against true", "true", "predicted",
                               x_range=both, y_range=both, diagonal="right"),
        "residuals": draw_points(said, truth - said, "Residuals", "predicted", "true - predicted",
                                 level=0.0),
    }  # fmt: skip
    if len(np.unique(said)) > 1 and np.abs(truth - said).max() < SQUARED:
        charts["deciles"] = _deciles(truth, said, level)
    return charts


def _deciles(truth: Array, said: Array, level: float) -> Plot:
    """The error in every tenth of the predictions, from the lowest; equal ones stay together."""
    place = np.searchsorted(np.sort(said), said) * 10 // len(said)
    error = truth - said
    lines = {
        "mean |error|, with rows": _decile_means(np.abs(error), place, level),
        "mean error": _decile_means(error, place, level)[:4],
    }
    return draw_lines(lines, "Error by decile of the prediction", "decile of the prediction",
                      "error", x_range=(1, 10), level=("none", 0.0))  # fmt: skip


def _decile_means(values: Array, place: Array, level: float) -> tuple[list[float], ...]:
    """Mean, ends of its interval and rows, in every decile that has rows."""
    columns: list[tuple[float, ...]] = []
    for at in np.unique(place):
        some = values[place == at]
        middle = float(some.mean())
        low, high = mean_interval(some, level) if np.ptp(some) > 0 else (middle, middle)
        columns.append((float(at + 1), middle, low, high, float(len(some))))
    return tuple(map(list, zip(*columns, strict=True)))


def _fold_chart(found: Found, first: Estimate) -> Plot:
    low, high = (first.value, first.value) if first.interval is None else first.interval
    line = (found["learner"], first.value, low, high, [v for v in first.by_fold if isfinite(v)])
    beside = (found["baseline"], first.baseline) if isfinite(first.baseline) else None
    return draw_intervals([line], "Folds", first.name, baseline=beside, x_limits=limits(first.name))


def limits(score: str) -> tuple[float, float] | None:
    """The bounds of a score, which no axis passes; one of the user's own has none."""
    return SCORES[score].bounds if SCORES.knows(score) else None
