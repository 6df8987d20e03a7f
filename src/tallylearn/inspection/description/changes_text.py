"""The printed tables and notes of the changes between two tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tallylearn.errors import quoted_list
from tallylearn.inspection.description.described_columns import date
from tallylearn.inspection.description.description_text import readable
from tallylearn.reporting.formatting import format_number_or_blank, format_p_value, number_of
from tallylearn.screening.table_sample import brief
from tallylearn.workings import Derivation, Grid, Sentence

Found = Mapping[str, Any]
NOTE = (
    "before and after: the medians, or the shares of missing values. p (Holm) is adjusted for all "
    "tests. q (BH) is the false discovery rate (Benjamini and Hochberg)."
)


def changes_sheet(found: Found) -> Derivation:
    """From plain data."""
    (n, m), title = found["rows"], f"{found['before']} → {found['after']}"
    return Derivation(f"{title}: {n:,} → {m:,} rows", tuple(_steps(found)))


def changes_html(found: dict[str, Any]) -> str:
    return changes_sheet(found).to_html()


def _steps(found: Found) -> Iterator[Grid | Sentence]:
    for names, what in ((found["new_columns"], "New"), (found["gone_columns"], "Removed")):
        if names:
            yield Sentence(f"{what} columns: {quoted_list(names, 20)}.")
    for name, (old, new) in found["kinds"].items():
        yield Sentence(f"{name} changed its kind from {old} to {new}.")
    for name, values in found["values"].items():
        yield from map(Sentence, _value_notes(name, values))
    if found["changes"]:
        head = ("column", "test", "statistic", "before", "after", "p", "p (Holm)", "q (BH)")
        rows = tuple(map(_row, found["changes"]))
        yield Grid("Tests, smallest p-value first", head, rows, NOTE)
    else:
        yield Sentence("No column of both tables can be tested.")


def _value_notes(name: str, values: Found) -> Iterator[str]:
    for what, adjective in (("new", "new"), ("gone", "removed")):
        if number := values[f"{what}_number"]:
            some = _join_names(values[what], number)
            yield f"{name} has {number:,} {adjective} value{'s' * (number > 1)}: {some}."


def _join_names(some: list[str], number: int) -> str:
    left = number - len(some)
    return ", ".join(repr(brief(value)) for value in some) + (f" and {left:,} more" if left else "")


def _row(change: Found) -> tuple[str, ...]:
    return (
        change["column"],
        change["test"],
        format_number_or_blank(change["statistic"]),
        *_medians(change),
        *(format_p_value(change[name]) for name in ("p", "holm", "q")),
    )


def _medians(change: Found) -> list[str]:
    """What was before and after, with the digits that tell them apart; of dates as dates."""
    both = [change["before"], change["after"]]
    if change["dates"]:
        return ["" if one is None else date(one) for one in both]
    apart = abs(number_of(both[0]) - number_of(both[1]))
    return ["" if one is None else readable(number_of(one), apart) for one in both]
