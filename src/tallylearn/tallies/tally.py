"""The base class of tallies: frozen sums of what was seen, which add up.

A tally is a frozen dataclass of arrays with keys (classes, columns, values). `of(...)` makes one
from a block of rows, ``+`` merges two, ``-`` forgets where the tally is exact, and ``sum()`` works.
The laws (tests/tallies/test_laws.py): parts sum to the whole in any order, an empty tally is
neutral, (a + b) - b is a, and a row of weight 2 is the row twice.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self


class Tally:
    """What adds up. A subclass has ``__add__``, ``__bool__`` (was anything counted?) and a repr."""

    weighted: ClassVar[
        tuple[str, ...]
    ] = ()  # the fields that scale with the weights; others are data

    @property
    def nothing(self) -> bool:
        """Whether there is no key at all: a bundle leaves such a part out."""
        return not getattr(self, "keys", ()) and not getattr(self, "columns", ())

    def __add__(self, other: Any) -> Self:
        raise NotImplementedError

    def __radd__(self, zero: int) -> Self:
        """0 + tally: ``sum()`` begins with 0."""
        return self

    def impossible(self) -> str | None:
        """Why no rows can add up to this, if there is a reason."""
        return None

    def contradiction(self, target: Any) -> str | None:
        """Why these cannot be among the rows that ``target`` counts, if there is a reason."""
        return None
