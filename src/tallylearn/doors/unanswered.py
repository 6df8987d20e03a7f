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

    @classmethod
    def in_block(cls, block: Block) -> Unanswered:
        return cls(block.unanswered, block.unanswered + len(block))

    def __add__(self, other: Unanswered) -> Unanswered:
        return Unanswered(self.rows + other.rows, self.of + other.of)

    @property
    def answered(self) -> int:
        """How many rows have a target."""
        return self.of - self.rows

    def __bool__(self) -> bool:
        return self.rows > 0

    def __str__(self) -> str:
        return self.told("target")

    def told(self, target: str | None) -> str:
        """The same, with the name of the target."""
        have, were = ("has", "was") if self.rows == 1 else ("have", "were")
        share = f"{100 * self.rows / self.of:.1f} %"
        return (
            f"{self.rows:,} of {self.of:,} rows ({share}) {have} no {target or 'target'} and "
            f"{were} left out"
        )

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

    def __call__(self, block: Block) -> Counted[Tally]:
        return Counted(self.tally(block), Unanswered.in_block(block))


def total(tally: Callable[[Block], Tally], source: Parts[Block]) -> tuple[Tally | None, Unanswered]:
    """The sum over all blocks on the engine in force, and the rows that were left out of them."""
    found = engines.here().total(Counting(tally), source)
    return (None, NONE) if found is None else (found.tally, found.unanswered)
