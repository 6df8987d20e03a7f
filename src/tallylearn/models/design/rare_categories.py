"""Rare values: of a category with many values, those that few rows have say nothing alone.

An identifier has a value a row, and a thousand levels of noise fit any target: who orders values by
the target, or gives each of them a coefficient, learns the noise. Here stands which categories have
many values, and how many rows make a value of those count by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.errors import quoted_list
from tallylearn.tables import Array, field_schemas
from tallylearn.workings import Sentence

MIN_ROWS = 20  # that a value needs, unless said otherwise
AUTO = "auto"  # so many, and in trees fewer where values tell the target: see telling_values
MAX_VALUES = 64  # values of a category from which rare ones are pooled
SHARE = 4  # rows a value: a category of more values than that allows has many, too
MIN_TABLE_ROWS = 50  # rows: in a smaller table no value is pooled


def most_values(rows: float) -> int:
    """A category of more values has many, in a table of so many rows.

    >>> most_values(1000), most_values(100), most_values(49) > 10**9
    (64, 25, True)
    """
    return min(MAX_VALUES, int(rows) // SHARE) if rows >= MIN_TABLE_ROWS else sys.maxsize


@dataclass(frozen=True)
class RareValues:
    """The values of a table that were too rare to count by themselves, by column."""

    columns: tuple[str, ...] = ()  # (r,) the column of every one
    values: tuple[str, ...] = ()  # (r,)

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.names("r", unique=False),
        "values": field_schemas.names("r", unique=False),
    }

    @classmethod
    def of(cls, found: Mapping[str, Iterable[str]]) -> RareValues:
        """From the rare values of every column."""
        pairs = [(name, value) for name in sorted(found) for value in sorted(found[name])]
        return cls(tuple(name for name, _ in pairs), tuple(value for _, value in pairs))

    def __post_init__(self) -> None:
        if len(self.values) != len(self.columns):
            raise ValueError(f"{len(self.values)} rare values are of {len(self.columns)} columns")

    @property
    def by_column(self) -> dict[str, tuple[str, ...]]:
        """The rare values of every column that has any."""
        found: dict[str, list[str]] = {}
        for name, value in zip(self.columns, self.values, strict=True):
            found.setdefault(name, []).append(value)
        return {name: tuple(values) for name, values in found.items()}

    def sentences(self, fate: str) -> list[Sentence]:
        """A line for every column that has any: which they are, and what becomes of them."""
        return [
            Sentence(
                f"Column {name!r} has {len(values)} rare values, {fate}: {quoted_list(values)}."
            )
            for name, values in self.by_column.items()
        ]


NO_RARE = RareValues()


def rare(counts: Array, rows: float, min_rows: float) -> Array:
    """(v,) which values of a column of a table are rare, by the rows that have each."""
    many = np.count_nonzero(counts) > most_values(rows)
    return np.asarray((counts < min_rows) & many)
