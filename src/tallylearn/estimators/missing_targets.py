"""Rows that are dropped before a fit: those without a target, and those with missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tallylearn import engines
from tallylearn.errors import TargetError
from tallylearn.sources import Parts
from tallylearn.tables import Block

Tally = TypeVar("Tally")


@dataclass(frozen=True)
class DroppedRows:
    """How many rows lack their target, of how many; those of two tables add up.

    >>> print(DroppedRows(1, 14) + DroppedRows(1, 6))
    2 of 20 rows (10.0 %) have no target and were left out
    """

    rows: int = 0
    of: int = 0
    gappy: int = 0  # rows with a target, dropped for a missing value elsewhere

    @classmethod
    def in_block(cls, block: Block) -> DroppedRows:
        return cls(block.unanswered, block.unanswered + len(block))

    def __add__(self, other: DroppedRows) -> DroppedRows:
        return DroppedRows(self.rows + other.rows, self.of + other.of, self.gappy + other.gappy)

    @property
    def answered(self) -> int:
        """How many rows have a target."""
        return self.of - self.rows

    @property
    def learned(self) -> int:
        """How many rows were fitted to."""
        return self.answered - self.gappy

    def __bool__(self) -> bool:
        return self.rows > 0

    def __str__(self) -> str:
        return self._message(self.rows, "no target", "left out")

    def messages(self, target: str | None) -> tuple[str, ...]:
        """A sentence for rows without the target of this name, and one for missing values.

        >>> DroppedRows(0, 6, 2).messages("y")
        ('2 of 6 rows (33.3 %) have missing values and were dropped',)
        """
        found = []
        if self.rows:
            found.append(self._message(self.rows, f"no {target or 'target'}", "left out"))
        if self.gappy:
            found.append(self._message(self.gappy, "missing values", "dropped"))
        return tuple(found)

    def _message(self, rows: int, what: str, done: str) -> str:
        have, were = ("has", "was") if rows == 1 else ("have", "were")
        share = f"{100 * rows / self.of:.1f} %"
        return f"{rows:,} of {self.of:,} rows ({share}) {have} {what} and {were} {done}"

    def check(self, target: str | None) -> None:
        """Raise a TargetError if every row lacks its target."""
        if 0 < self.rows == self.of:
            name = "" if target is None else f" {target!r}"
            raise TargetError(
                f"the target{name} is missing in all {self.of:,} rows. Name another target, or "
                "fill it in."
            )


NONE = DroppedRows()


@dataclass(frozen=True)
class Counted(Generic[Tally]):
    """A sum over rows, and how many rows were left out of it."""

    tally: Tally
    unanswered: DroppedRows

    def __add__(self, other: Counted[Tally]) -> Counted[Tally]:
        tally: Any = self.tally
        return Counted(tally + other.tally, self.unanswered + other.unanswered)


@dataclass(frozen=True)
class Counting(Generic[Tally]):
    """A tally of a block, with the rows that were left out of the block."""

    tally: Callable[[Block], Tally]
    left_out: Callable[[Block], DroppedRows] = DroppedRows.in_block

    def __call__(self, block: Block) -> Counted[Tally]:
        return Counted(self.tally(block), self.left_out(block))


def total(
    tally: Callable[[Block], Tally], source: Parts[Block],
    left_out: Callable[[Block], DroppedRows] = DroppedRows.in_block,
) -> tuple[Tally | None, DroppedRows]:  # fmt: skip
    """The sum over all blocks on the engine in force, and the rows that were left out of them."""
    found = engines.current_engine().total(Counting(tally, left_out), source)
    return (None, NONE) if found is None else (found.tally, found.unanswered)
