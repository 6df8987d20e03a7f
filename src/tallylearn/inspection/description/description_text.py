"""The printed tables and notes of a description, for a terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, floor, inf, log10
from typing import Any

from tallylearn.errors import quoted_list
from tallylearn.reporting.formatting import (
    align_decimals,
    format_four_digits,
    format_number,
    number_of,
)
from tallylearn.screening.table_sample import brief
from tallylearn.workings import Derivation, Grid, Sentence

HEIGHTS = "▁▂▃▄▅▆▇█"
PLAIN = 1e-3, 1e15  # numbers that are written without powers of ten where digits tell
HISTOGRAM_WIDTH = 10  # letters of a histogram
MAX_MATRIX_COLUMNS = 12  # columns of a matrix that is printed
MAX_MATRIX_HEADING = 24  # characters of a heading; the names of the rows are whole
NUMBER_HEADER = ("column", "kind", "count", "missing", "unique", "mean", "std", "histogram")
CATEGORY_HEADER = ("column", "kind", "count", "missing", "unique", "top", "freq")
QUANTILES = {"min": "min", "q1": "25%", "median": "50%", "q3": "75%", "max": "max"}  # headings
MAX_FREQUENT_VALUES = 3  # values of a category that are printed with their counts
RANKS = ("1st", "2nd", "3rd", "others")
CONFIDENCE = "[0.025, 0.975]"
GAIN = ("gain", f"corrected {CONFIDENCE}")
Found = Mapping[str, Any]


def sheet_of(found: Found) -> Derivation:
    """A description from its plain data."""
    return Derivation(title_of(found), tuple(_steps(found)))


def title_of(found: Found) -> str:
    rows, columns = found["rows"], len(found["columns"])
    weight = "" if found["weight"] == rows else f" of weight {format_number(found['weight'])}"
    weight = weight if found["worth"] is None else " by importance"
    return (f"{found['what']}: {rows:,} row{'s' * (rows != 1)}{weight}, "
            f"{columns} column{'s' * (columns != 1)}")  # fmt: skip


def _steps(found: Found) -> Iterator[Grid | Sentence]:
    numbers = [c for c in found["columns"] if "median" in c]
    values = [c for c in found["columns"] if "median" not in c]
    if numbers:
        yield Grid("Numeric columns", NUMBER_HEADER, tuple(_statistics(numbers)))
        yield Grid("Quantiles", ("column", *QUANTILES.values()), tuple(_quantiles(numbers)))
    if values:
        yield Grid("Categorical columns", CATEGORY_HEADER, tuple(map(_category, values)))
    if repeated := [c for c in values if (c.get("top") or [{"count": 0}])[0]["count"] > 1]:
        cells = zip(("column", *RANKS), *map(_frequent_values, repeated), strict=True)
        head, *rows = zip(*(column for column in cells if any(column[1:])), strict=True)
        yield Grid("Most frequent values", head, tuple(rows))
    if len(found["matrices"]["columns"]) > 1:
        yield from _matrices(found["matrices"])
    if found["links"]:
        yield _links(found)
    yield from map(Sentence, notes(found))


def notes(found: Found) -> Iterator[str]:
    """Identifiers, and what was estimated and how."""
    for name, reason in found["identifiers"].items():
        yield f"{name} is an identifier, and no learner uses it: {reason}."
    if found["worth"] is not None and format_number(found["worth"]) != format_number(found["rows"]):
        yield (
            f"The importance weights are scaled to sum to the number of rows. Intervals and tests "
            f"count the {found['rows']:,} rows as {found['worth']:.4g} rows of equal weight "
            "(effective sample size, Kish)."
        )
    if errors := {c["quantile_error"] for c in found["columns"] if c.get("quantile_error")}:
        yield (
            f"Quantiles marked ~ are estimated by a sketch (DDSketch), with a relative error of at "
            f"most {max(errors):.2%}."
        )
    if not found["exact"]:
        yield "Spearman's correlation and the AUC use the ranks of the sketch's buckets."
    if any(c["distinct"] is not None and not c["distinct_exact"] for c in found["columns"]):
        yield (
            "Numbers of unique values above 100,000 are estimates (KMV), within 0.6 % with 95 % "
            "confidence."
        )
    if found["target"] is not None:
        if wide := _without_gain(found):
            yield f"No gain, because of too many values or of text: {quoted_list(wide)}."
        bins = "The target and numeric columns" if found["measured"] else "Numeric columns"
        yield (
            f"The gain is the mutual information with the target, in bits. {bins} are divided into "
            "at most ten bins of about equal counts. The gain of few rows is biased upwards; the "
            "corrected gain has no such bias. The intervals are 95 % confidence intervals."
        )


def _without_gain(found: Found) -> list[str]:
    every = [column["name"] for column in found["columns"] if column["count"]]
    return [name for name in every if name not in found["links"] and name != found["target"]]


def _statistics(columns: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    """The rows of the table of numeric columns."""
    means = _align_cells(columns, [_mean(c) for c in columns])
    spreads = _align_cells(columns, [_deviation_text(c) for c in columns])
    for column, mean, spread in zip(columns, means, spreads, strict=True):
        yield (*count_cells(column), mean, spread, bars(column["histogram"]))


def _mean(column: Found) -> str:
    """A mean in four digits, or in those that distinguish it from the quantiles."""
    mean, text = number_of(column["mean"]), location_text(column, "mean")
    return format_four_digits(mean) if text == format_number(mean) else text


def _deviation_text(column: Found) -> str:
    """A standard deviation; the one of dates is in days."""
    spread = number_of(column["sd"])
    if column.get("dates") and spread == spread:
        return f"{format_number(spread)} days"
    return format_four_digits(spread)


def _quantiles(columns: Sequence[Found]) -> Iterator[tuple[str, ...]]:
    """The rows of the table of quantiles."""
    cells = [_align_cells(columns, [_quantile(c, name) for c in columns]) for name in QUANTILES]
    return zip([c["name"] for c in columns], *cells, strict=True)


def _quantile(column: Found, name: str) -> str:
    """A quantile, with ~ where it is an estimate."""
    exact = name in ("min", "max") and not column.get("dates")
    return ("~" if column["quantile_error"] and not exact else "") + location_text(column, name)


def _align_cells(columns: Sequence[Found], cells: Sequence[str]) -> list[str]:
    """Cells of one heading, the decimal points of numbers aligned; dates stay as they are."""
    numbers = [at for at, column in enumerate(columns) if not column.get("dates")]
    aligned = dict(zip(numbers, align_decimals([cells[at] for at in numbers]), strict=True))
    return [aligned.get(at, cell) for at, cell in enumerate(cells)]


def location_text(column: Found, name: str) -> str:
    """The mean or a quantile of a column: a date, or a number."""
    if dates := column.get("dates"):
        return str(dates[name])
    return readable(number_of(column[name]), number_of(column["range"]))


def _category(column: Found) -> tuple[str, ...]:
    top = (column.get("top") or [None])[0]
    if top is None:
        return (*count_cells(column), "", "")
    return (*count_cells(column), brief(top["value"]), amount(top["count"]))


def _frequent_values(column: Found) -> tuple[str, ...]:
    """The most frequent values with their counts, and the rows of all others together."""
    top = column["top"][:MAX_FREQUENT_VALUES]
    cells = [f"{brief(one['value'])} {amount(one['count'])}" for one in top]
    cells += [""] * (MAX_FREQUENT_VALUES - len(top))
    others = column["count"] - sum(one["count"] for one in top)
    more = column["distinct"] is None or column["distinct"] > len(top)
    return (column["name"], *cells, amount(others) if more else "")


def count_cells(column: Found) -> tuple[str, ...]:
    """Name, kind, rows with a value, rows without, and distinct values of a column."""
    distinct = column["distinct"]
    about = "" if column["distinct_exact"] else "~"
    unique = "" if distinct is None else f"{about}{distinct:,}"
    count = "" if column["count"] is None else amount(column["count"])
    return column["name"], column["kind"], count, amount(column["missing"]), unique


def amount(value: float) -> str:
    """Rows, or their weight."""
    return f"{int(value):,}" if float(value).is_integer() else format_number(value)


def readable(x: float, span: float = inf) -> str:
    """Four significant digits, and no powers of ten where there are seven places or fewer.

    Beside others that lie within a ``span``, a number far from 0 has the digits that tell it apart.

    >>> readable(26458.2), readable(0.12345), readable(-3e9)
    ('26,458', '0.1235', '-3e+09')
    >>> readable(20240017.0, 250.0), readable(1.00025, 0.001)
    ('20,240,017', '1.00025')
    >>> readable(float("nan"))  # of no value there is no mean
    ''
    """
    if x != x:
        return ""
    if 0 < 10 * span <= abs(x) and PLAIN[0] <= abs(x) < PLAIN[1]:
        places = max(3 - floor(log10(span)), 0)
        text = f"{x:,.{places}f}"
        return text.rstrip("0").rstrip(".") if places else text
    return format_number(x)


def bars(histogram: Found) -> str:
    """A histogram in ten letters.

    >>> bars({"edges": [0, 1, 2, 3], "counts": [1, 8, 4]})
    '▁█▄'
    """
    counts = histogram["counts"]
    if not counts:
        return ""
    step = max(1, -(-len(counts) // HISTOGRAM_WIDTH))
    sums = [sum(counts[at : at + step]) for at in range(0, len(counts), step)]
    most = max(sums) or 1
    return "".join(HEIGHTS[ceil(8 * s / most) - 1] if s else " " for s in sums)


def _matrices(found: Found) -> Iterator[Grid]:
    names = found["columns"][:MAX_MATRIX_COLUMNS]
    left = len(found["columns"]) - MAX_MATRIX_COLUMNS
    note = f"{left} more columns: see .pearson and .spearman." if left > 0 else ""
    for name, title in (
        ("pearson", "Correlation (Pearson)"),
        ("spearman", "Correlation (Spearman)"),
    ):
        rows = [
            (one, *_cells(row[: len(names)])) for one, row in zip(names, found[name], strict=False)
        ]
        yield Grid(title, ("", *map(_heading, names)), tuple(rows), note)


def _heading(name: str) -> str:
    return name if len(name) <= MAX_MATRIX_HEADING else f"{name[: MAX_MATRIX_HEADING - 1]}…"


def _cells(row: Sequence[Any]) -> list[str]:
    return ["" if r is None else f"{r:z.3f}" for r in row]


def _links(found: Found) -> Grid:
    """The columns by their relation to the target, the largest gain first."""
    each = found["links"]
    heads = [h for h in ("pearson", "spearman") if any(h in one for one in each.values())]
    classes = dict.fromkeys(name for one in each.values() for name in one.get("auc", {}))
    order = sorted(each, key=lambda name: -strength(each[name]))
    rows = [
        (name, *gain_figures(each[name]), *(figure(each[name].get(h)) for h in heads),
         *(figure(each[name].get("auc", {}).get(c)) for c in classes))
        for name in order
    ]  # fmt: skip
    named = ("column", *GAIN, *(f"{name} {CONFIDENCE}" for name in (*heads, *_areas(classes))))
    return Grid(relation_title(found), named, tuple(rows))


def _areas(classes: Iterable[str]) -> list[str]:
    return [f"AUC {brief(name)}" for name in classes]


def relation_title(found: Found) -> str:
    """The heading of what is about the target."""
    return f"Relation to {found['target']}"


def strength(link: Found) -> float:
    """The corrected gain, which orders the columns: the gain itself favours many values."""
    gain = link.get("gain", {}).get("corrected")
    return 0.0 if gain is None else float(gain)


def gain_figures(link: Found) -> tuple[str, str]:
    """The gain, and the corrected gain with its interval."""
    found = link.get("gain") or {"value": None}
    if found["value"] is None:
        return "", ""
    return figure({**found, "low": None}), figure({**found, "value": found["corrected"]})


def figure(link: Found | None) -> str:
    """A figure and its interval."""
    if link is None or link["value"] is None:
        return ""
    if link["low"] is None:
        return f"{link['value']:z.3f}"
    return f"{link['value']:z.3f} [{link['low']:z.3f}, {link['high']:z.3f}]"
