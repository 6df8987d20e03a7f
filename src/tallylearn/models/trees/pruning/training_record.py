"""A record of growing and pruning: the rows that a tree grew from, and what was taken back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self

from tallylearn.errors import is_one_of
from tallylearn.models.trees.pruning.pruning_record import Prunings, Stage
from tallylearn.tables import Block

AUTO = "auto"
MOST_CELLS = 100_000  # of a small table: a member of an ensemble may keep as many


def keeps(record: Any, rows: Block) -> bool:
    """Whether a learner keeps the rows that it grew from."""
    if is_one_of(record, (AUTO,)):
        return len(rows) * len(rows.schema.columns) <= MOST_CELLS
    return bool(record)


def pickled(learner: Any) -> dict[str, Any]:
    """What a pickle holds of a learner: the rows of a small table only where they are asked for."""
    state = dict(learner.__dict__)
    if is_one_of(learner.record, (AUTO,)):
        state.pop("record_", None)
    return state


@dataclass(frozen=True)
class Record:
    """Kept by learners with ``record=True``, and of small tables with ``record="auto"``.

    No model file holds it, for it holds the rows.
    """

    rows: Block = field(repr=False)
    prunings: Prunings = field(default_factory=Prunings)

    @classmethod
    def of(cls, rows: Block, stages: tuple[Stage, ...] = ()) -> Self:
        """With numbers of its own: the caller may change theirs."""
        return cls(replace(rows, numbers=rows.numbers.copy()), Prunings(stages))

    def and_then(self, stages: tuple[Stage, ...]) -> Record:
        """The same with more pruned."""
        return replace(self, prunings=Prunings((*self.prunings.stages, *stages)))
