"""The input of a pipeline step: the rows of fit, as the fitted steps before transform them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tallylearn.errors import CellError
from tallylearn.estimators.fit_input import FitInput, FitInputPart
from tallylearn.sources.columns.schema_matching import select_columns
from tallylearn.tables import Block, Schema


def transform_rows(block: Block, preparations: Sequence[Any]) -> Block:
    """A block as fitted preprocessors transform it, one after the other."""
    for one in preparations:
        block = one.transform_block(suit_block(block, one))
    return block


def suit_block(block: Block, learner: Any) -> Block:
    """A block with the columns that a fitted learner has learned from."""
    return block if block.schema == learner.schema_ else select_columns(block, learner.schema_)


@dataclass(frozen=True)
class TurnedPart:
    """A part of the rows, transformed as it is read."""

    rows: FitInputPart
    preparations: tuple[Any, ...]

    def blocks(self) -> Iterator[Block]:
        return (transform_rows(block, self.preparations) for block in self.rows.blocks())


@dataclass(frozen=True)
class TransformedInput(FitInput):
    """The rows of fit, transformed by the fitted steps before."""

    preparations: tuple[Any, ...] = field(default=())

    @property
    def schema(self) -> Schema:
        """The columns that the last of them has made."""
        if not self.preparations:
            return super().schema
        last = self.preparations[-1]
        found: Schema = last.model_.schema(last.schema_)
        return found

    def parts(self) -> Iterator[Any]:
        return (TurnedPart(part, self.preparations) for part in super().parts())

    def whole(self, watch: Callable[[int], None] | None = None) -> Block:
        return transform_rows(super().whole(watch), self.preparations)

    def reinfer(self, odd: CellError) -> FitInput:
        """What a cell changes, it changes for the preparations too: they learn again."""
        raise odd
