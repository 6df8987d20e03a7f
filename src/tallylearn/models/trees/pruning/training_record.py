"""A record of growing and pruning: the rows that a tree grew from, and what was taken back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

from tallylearn.models.trees.pruning.pruning_record import Prunings, Stage
from tallylearn.tables import Block


@dataclass(frozen=True)
class Record:
    """Kept by learners with ``record=True``; no model file holds it, for it holds the rows."""

    rows: Block = field(repr=False)
    prunings: Prunings = field(default_factory=Prunings)

    @classmethod
    def of(cls, rows: Block, stages: tuple[Stage, ...] = ()) -> Self:
        """With numbers of its own: the caller may change theirs."""
        return cls(replace(rows, numbers=rows.numbers.copy()), Prunings(stages))

    def and_then(self, stages: tuple[Stage, ...]) -> Record:
        """The same with more pruned."""
        return replace(self, prunings=Prunings((*self.prunings.stages, *stages)))
