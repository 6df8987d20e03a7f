"""A description in words: tables for a terminal, and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, inf, log10
from typing import Any

from tallylearn.errors import quoted_list
from tallylearn.reporting.formatting import format_number, number_of
from tallylearn.screening.table_sample import brief
from tallylearn.workings import Derivation, Grid, Sentence

HEIGHTS = "▁▂▃▄▅▆▇█"
PLAIN = 1e-3, 1e15  # numbers that are written without powers of ten where digits tell
HISTOGRAM_WIDTH = 10  # letters of a histogram
MAX_MATRIX_COLUMNS = 12  # columns of a matrix that is printed
COUNTED = ("column", "kind", "missing", "distinct")
PLACES = ("min", "q1", "median", "q3", "max")
GAIN = ("gain", "without chance")
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
        head = (*COUNTED, "mean", "sd", *PLACES, "histogram")
        yield Grid("Numbers", head, tuple(map(_number, numbers)))
    if values:
        yield Grid("Values", (*COUNTED, "most frequent"), tuple(map(_value, values)))
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
        yield (f"The weights are of importance, and sum to the number of rows; intervals and tests "
               f"take the {found['rows']:,} rows for {found['worth']:.4g} of equal weight "
               "(Kish).")  # fmt: skip
    if errors := {c["quantile_error"] for c in found["columns"] if c.get("quantile_error")}:
        yield (f"Quartiles of columns marked ~ are from a sketch (DDSketch), within "
               f"{max(errors):.2%} of their value.")  # fmt: skip
    if not found["exact"]:
        yield "Ranks, of Spearman's correlation and of the AUC, are those of the sketch's buckets."
    if any(c["distinct"] is not None and not c["distinct_exact"] for c in found["columns"]):
        yield "Numbers of distinct values above 100,000 are estimates (KMV), ± 0.6 % (95 %)."
    if found["target"] is not None:
        if wide := _without_gain(found):
            yield f"Of too many values, or of text, and without a gain: {quoted_list(wide)}."
        bins = "the target and " if found["measured"] else ""
        yield (f"Gain in bits, {bins}numbers in ∛n bins of about equally many rows, ten at most. "
               "Few rows of many values gain by chance: the second figure is without that, and its "
               "interval (95 %) is of all rows like these.")  # fmt: skip


def _without_gain(found: Found) -> list[str]:
    every = [column["name"] for column in found["columns"] if column["count"]]
    return [name for name in every if name not in found["links"] and name != found["target"]]


def _number(column: Found) -> tuple[str, ...]:
    about = "~" if column["quantile_error"] else ""
    exact = ("min", "max") if about and not column.get("dates") else PLACES
    return (
        *counted(column),
        placed(column, "mean"),
        readable(number_of(column["sd"])),
        *(("" if p in exact else about) + placed(column, p) for p in PLACES),
        bars(column["histogram"]),
    )


def placed(column: Found, name: str) -> str:
    """Where a column has its mean, an end or a quartile: a date, or a number."""
    if dates := column.get("dates"):
        return str(dates[name])
    return readable(number_of(column[name]), number_of(column["range"]))


def _value(column: Found) -> tuple[str, ...]:
    top = column.get("top") or []
    said = ", ".join(f"{brief(one['value'])} {amount(one['count'])}" for one in top[:3])
    left = (column["distinct"] or 0) - 3
    return (*counted(column), said + (f" and {left:,} more" if top and left > 0 else ""))


def counted(column: Found) -> tuple[str, ...]:
    """Name, kind, gaps and values of a column."""
    distinct = column["distinct"]
    about = "" if column["distinct_exact"] else "~"
    said = "" if distinct is None else f"{about}{distinct:,}"
    return column["name"], column["kind"], amount(column["missing"]), said


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
    note = f"{left} more columns: .pearson and .spearman have them." if left > 0 else ""
    for name, title in (
        ("pearson", "Correlation (Pearson)"),
        ("spearman", "Correlation (Spearman)"),
    ):
        rows = [
            (one, *_cells(row[: len(names)])) for one, row in zip(names, found[name], strict=False)
        ]
        yield Grid(title, ("", *names), tuple(rows), note)


def _cells(row: Sequence[Any]) -> list[str]:
    return ["" if r is None else f"{r:z.3f}" for r in row]


def _links(found: Found) -> Grid:
    """Columns by what they say of the target, the most first."""
    each = found["links"]
    heads = [h for h in ("pearson", "spearman") if any(h in one for one in each.values())]
    classes = dict.fromkeys(name for one in each.values() for name in one.get("auc", {}))
    order = sorted(each, key=lambda name: -strength(each[name]))
    rows = [
        (name, *gain_figures(each[name]), *(figure(each[name].get(h)) for h in heads),
         *(figure(each[name].get("auc", {}).get(c)) for c in classes))
        for name in order
    ]  # fmt: skip
    named = ("column", *GAIN, *heads, *(f"AUC {name}" for name in classes))
    return Grid(f"What columns say of {found['target']}", named, tuple(rows))


def strength(link: Found) -> float:
    """What the columns are ordered by: many values gain by chance, and shall not lead by that."""
    gain = link.get("gain", {}).get("corrected")
    return 0.0 if gain is None else float(gain)


def gain_figures(link: Found) -> tuple[str, str]:
    """The gain of these rows, and without that of chance, with its interval."""
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
