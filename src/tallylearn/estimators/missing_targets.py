"""Unanswered rows: who has no target teaches nothing, and is left out aloud."""

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
class Unanswered:
    """How many rows lack their target, and of how many; those of two tables add up.

    >>> print(Unanswered(1, 14) + Unanswered(1, 6))
    2 of 20 rows (10.0 %) have no target and were left out
    """

    rows: int = 0
    of: int = 0
    gappy: int = 0  # that have their target, and were dropped for a gap elsewhere

    @classmethod
    def in_block(cls, block: Block) -> Unanswered:
        return cls(block.unanswered, block.unanswered + len(block))

    def __add__(self, other: Unanswered) -> Unanswered:
        return Unanswered(self.rows + other.rows, self.of + other.of, self.gappy + other.gappy)

    @property
    def answered(self) -> int:
        """How many rows have a target."""
        return self.of - self.rows

    @property
    def learned(self) -> int:
        """How many rows were learned from."""
        return self.answered - self.gappy

    def __bool__(self) -> bool:
        return self.rows > 0

    def __str__(self) -> str:
        return self.told("target")

    def told(self, target: str | None) -> str:
        """The same, with the name of the target."""
        return self._told(self.rows, f"no {target or 'target'}", "left out")

    def notes(self, target: str | None) -> tuple[str, ...]:
        """What there is to say of rows that were not learned from.

        >>> Unanswered(0, 6, 2).notes("y")
        ('2 of 6 rows (33.3 %) have gaps and were dropped',)
        """
        unanswered = (self.told(target),) if self.rows else ()
        return (*unanswered, *((self._told(self.gappy, "gaps", "dropped"),) if self.gappy else ()))

    def _told(self, rows: int, what: str, done: str) -> str:
        have, were = ("has", "was") if rows == 1 else ("have", "were")
        share = f"{100 * rows / self.of:.1f} %"
        return f"{rows:,} of {self.of:,} rows ({share}) {have} {what} and {were} {done}"

    def check(self, target: str | None) -> None:
        """Some row has a target."""
        if 0 < self.rows == self.of:
            name = "" if target is None else f" {target!r}"
            raise TargetError(
                f"the target{name} is missing in all {self.of:,} rows, and no row is left. Name "
                "another target, or fill it in."
            )


NONE = Unanswered()


@dataclass(frozen=True)
class Counted(Generic[Tally]):
    """What rows sum up to, and how many of them were left out."""

    tally: Tally
    unanswered: Unanswered

    def __add__(self, other: Counted[Tally]) -> Counted[Tally]:
        tally: Any = self.tally
        return Counted(tally + other.tally, self.unanswered + other.unanswered)


@dataclass(frozen=True)
class Counting(Generic[Tally]):
    """A tally of a block, with the rows that were left out of the block."""

    tally: Callable[[Block], Tally]
    left_out: Callable[[Block], Unanswered] = Unanswered.in_block

    def __call__(self, block: Block) -> Counted[Tally]:
        return Counted(self.tally(block), self.left_out(block))


def total(
    tally: Callable[[Block], Tally], source: Parts[Block],
    left_out: Callable[[Block], Unanswered] = Unanswered.in_block,
) -> tuple[Tally | None, Unanswered]:  # fmt: skip
    """The sum over all blocks on the engine in force, and the rows that were left out of them."""
    found = engines.current_engine().total(Counting(tally, left_out), source)
    return (None, NONE) if found is None else (found.tally, found.unanswered)
