"""A column in numbers: how many, where they lie, how far apart, what comes most often."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, ldexp, nan, sqrt
from typing import Any

import numpy as np

from tallylearn.inspection.description.column_points import ColumnPoints
from tallylearn.inspection.description.passing_columns import Numbers, ValueColumn
from tallylearn.inspection.description.surveys import Sums, TableSurvey
from tallylearn.reporting.formatting import printable_text
from tallylearn.tables import DATE, Column
from tallylearn.tallies.distinct import MAX_HASHES

TOP = 5
MIN_ACCURATE = 1e-290  # below it a double has lost digits, or soon will


@dataclass(frozen=True)
class Described:
    """A column's figures by name, and what a comparison needs of it."""

    name: str
    kind: str
    figures: dict[str, Any]
    points: ColumnPoints | None = None
    counts: dict[str, float] | None = None

    @property
    def missing(self) -> float:
        return float(self.figures["missing"])


def describe_column(survey: TableSurvey, column: Column) -> Described:
    """One column of a survey."""
    name, n = column.name, survey.weight
    if name in survey.numbers:
        return _of_numbers(column, survey.numbers[name], survey.sums[name], n)
    if name in survey.values:
        return _of_values(column, survey.values[name], n)
    counted: dict[str, Any] = {"count": 0.0, "missing": n, "distinct": 0, "distinct_exact": True}
    if column.kind == "text":  # words that were counted before they came here
        counted = {"count": None, "missing": 0.0, "distinct": None, "distinct_exact": False}
    return Described(name, column.kind, counted)


def _of_numbers(column: Column, found: Numbers, sums: Sums | None, n: float) -> Described:
    points = found.points
    total, top = points.total, points.top(TOP) if found.known and not points.sketched else []
    edges, heights = points.histogram()
    figures: dict[str, Any] = {
        "count": _rows_with_value(n, total), "missing": _gaps(n, total), "distinct": found.distinct,
        "distinct_exact": found.known, "infinite": _infinite(points),
        **_moments(points, sums),
        "min": points.quantile(0.0), "q1": points.quantile(0.25), "median": points.quantile(0.5),
        "q3": points.quantile(0.75), "max": points.quantile(1.0),
        "quantile_error": points.error,
    }  # fmt: skip
    low, high = figures["min"], figures["max"]
    figures["range"] = (
        high - low if np.isfinite([low, high]).all() else _undefined_or_infinite(low, high)
    )
    if column.kind == DATE:
        whole = bool((points.values == np.rint(points.values)).all())
        figures["dates"] = {
            name: date(np.floor(figures[name]) if whole else figures[name])
            for name in ("mean", "min", "q1", "median", "q3", "max")
        }
    figures["top"] = [{"value": value, "count": count} for value, count in top]
    figures["histogram"] = {"edges": edges, "counts": heights}
    return Described(column.name, column.kind, figures, points.compress())


def _gaps(n: float, shown: float) -> float:
    """Rows without a value; what rounding leaves of fractional weights is none."""
    return n - shown if n - shown > 1e-9 * n else 0.0


def _rows_with_value(n: float, shown: float) -> float:
    """Rows with a value: all of them, where none is without."""
    return shown if _gaps(n, shown) else n


def _moments(points: ColumnPoints, sums: Sums | None) -> dict[str, float]:
    """Mean and variances, rounded once; with an infinity among them as NumPy has them."""
    names = "mean", "variance", "variance_n", "sd"
    ends = np.array([points.low, points.high])
    if not np.isfinite(ends).all():
        mean = nan if np.isnan(ends).any() or (np.isinf(ends).all() and ends[0] != ends[1]) else inf
        mean = -mean if ends[0] == -inf else mean
        return dict(zip(names, (mean, nan, nan, nan), strict=True))
    assert sums is not None
    spread, n = sums.squared_deviations, sums.count
    variance = _divide(spread, n - 1)
    found = _divide(sums.total, n), variance, _divide(spread, n), _root(spread, n - 1)
    return dict(zip(names, found, strict=True))


def _divide(above: Any, below: Any) -> float:
    if below <= 0:
        return nan
    try:
        return float(above / below)
    except OverflowError:
        return inf


def _root(above: Any, below: Any) -> float:
    """The root of a ratio, also where a double holds the root alone: a square leaves it early."""
    square = _divide(above, below)
    if square != square or not above or MIN_ACCURATE < square < inf:
        return sqrt(square)
    ratio = Fraction(above) / Fraction(below)
    half = (ratio.numerator.bit_length() - ratio.denominator.bit_length()) // 2
    return ldexp(sqrt(ratio / Fraction(4) ** half), half)


def _undefined_or_infinite(low: float, high: float) -> float:
    return nan if np.isnan(low) or low == high else inf


def _infinite(points: ColumnPoints) -> float:
    return float(points.counts[np.isinf(points.values)].sum())


def _of_values(column: Column, found: ValueColumn, n: float) -> Described:
    counts = None if found.counts is None else dict(found.counts)
    top = sorted((counts or {}).items(), key=lambda pair: -pair[1])[:TOP]
    figures: dict[str, Any] = {
        "count": _rows_with_value(n, found.total), "missing": _gaps(n, found.total),
        "distinct": found.distinct, "distinct_exact": found.known,
        "top": [{"value": value, "count": count} for value, count in top],
    }  # fmt: skip
    named = counts if counts is None or len(counts) <= MAX_HASHES else None
    return Described(column.name, column.kind, figures, None, named)


def date(days: float) -> str:
    """Days since 1970 as a date, with its time where it is not midnight; of none there is none."""
    if days != days:
        return ""
    if not np.isfinite(days) or abs(days) > 100_000_000:
        return printable_text(days)
    seconds = round(days * 86_400)
    text = str(np.datetime64(seconds, "s"))
    return text.removesuffix("T00:00:00").replace("T", " ")
