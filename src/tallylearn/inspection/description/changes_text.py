"""What changed between two tables, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tallylearn.errors import quoted_list
from tallylearn.inspection.description.described_columns import date
from tallylearn.inspection.description.description_text import readable
from tallylearn.reporting.formatting import format_number_or_blank, number_of
from tallylearn.screening.table_sample import brief
from tallylearn.workings import Derivation, Grid, Sentence

Found = Mapping[str, Any]
NOTE = (
    "Before and after: the median, or the share of gaps. Holm's p is adjusted for all tests; q is "
    "the share of false finds (Benjamini and Hochberg)."
)


def changes_sheet(found: Found) -> Derivation:
    """From plain data."""
    (n, m), title = found["rows"], f"{found['before']} → {found['after']}"
    return Derivation(f"{title}: {n:,} → {m:,} rows", tuple(_steps(found)))


def changes_html(found: dict[str, Any]) -> str:
    return changes_sheet(found).to_html()


def _steps(found: Found) -> Iterator[Grid | Sentence]:
    for names, what in ((found["new_columns"], "New"), (found["gone_columns"], "Gone")):
        if names:
            yield Sentence(f"{what} columns: {quoted_list(names, 20)}.")
    for name, (old, new) in found["kinds"].items():
        yield Sentence(f"{name} was of kind {old}, and is of kind {new}.")
    for name, values in found["values"].items():
        yield from map(Sentence, _told(name, values))
    if found["changes"]:
        head = ("column", "test", "distance", "before", "after", "p", "p (Holm)", "q (BH)")
        rows = tuple(map(_row, found["changes"]))
        yield Grid("Tests, the smallest p first", head, rows, NOTE)
    else:
        yield Sentence("Nothing could be tested.")


def _told(name: str, values: Found) -> Iterator[str]:
    for what in ("new", "gone"):
        if number := values[f"{what}_number"]:
            some = _listed(values[what], number)
            yield f"{name} has {number:,} {what} value{'s' * (number > 1)}: {some}."


def _listed(some: list[str], number: int) -> str:
    left = number - len(some)
    return ", ".join(repr(brief(value)) for value in some) + (f" and {left:,} more" if left else "")


def _row(change: Found) -> tuple[str, ...]:
    tested = (format_number_or_blank(change[name]) for name in ("p", "holm", "q"))
    return (
        change["column"],
        change["test"],
        format_number_or_blank(change["statistic"]),
        *_medians(change),
        *tested,
    )


def _medians(change: Found) -> list[str]:
    """What was before and after, with the digits that tell them apart; of dates as dates."""
    both = [change["before"], change["after"]]
    if change["dates"]:
        return ["" if one is None else date(one) for one in both]
    apart = abs(number_of(both[0]) - number_of(both[1]))
    return ["" if one is None else readable(number_of(one), apart) for one in both]
