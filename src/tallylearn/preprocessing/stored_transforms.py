"""Checks of the tallies of preprocessors that come from a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tallylearn.tables import check_columns
from tallylearn.tallies import Bundle, Counts, Values
from tallylearn.tallies.bundles import BESIDE


def check_rows(tally: Bundle, kinds: Mapping[str, Any]) -> None:
    """Beside the rows a tally has these parts, or some of them, each of its kind."""
    if not isinstance(tally["target"], Counts) or not tally["target"]:
        raise ValueError("its tally counts no rows")
    tally["target"].check(1)
    for name, part in tally.parts.items():
        if name in BESIDE or name == "target":
            continue
        if name not in kinds or not isinstance(part, kinds[name]):
            raise ValueError(f"its tally has a part {name!r} that is none of this learner's")


def check_counts(tables: Bundle | None, columns: Collection[str], kind: type) -> None:
    """For columns of the schema how often each value was seen; values are of this type."""
    for name, counts in tables.parts.items() if tables is not None else ():
        check_columns("counts", [name], columns)
        if not isinstance(counts, Counts):
            raise ValueError(f"column {name!r} has no counts")
        counts.check(2)
        if counts.keys[1] and type(counts.keys[1][0]) is not kind:
            raise ValueError(f"column {name!r} counts other values than it has")


def check_values(tables: Bundle | None, columns: Collection[str]) -> None:
    """For columns of the schema how often each number was seen."""
    for name, values in tables.parts.items() if tables is not None else ():
        check_columns("values", [name], columns)
        if not isinstance(values, Values):
            raise ValueError(f"column {name!r} has no values")
        values.check()
