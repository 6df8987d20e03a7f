"""The survey of examples: what all rows must be asked before the first of them is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.missing_targets import DroppedRows
from tallylearn.estimators.tally_checks import within_doubles
from tallylearn.tables import Array, Block, Codes
from tallylearn.tallies import Extent, Moments
from tallylearn.tallies.variance_checks import check_spread

Tally = Extent | Moments
NOTHING = np.zeros(2, dtype=np.int64)


@dataclass(frozen=True)
class ExampleSurvey:
    """How many rows there are, their classes, the values of categories, ends or moments."""

    rows: int
    classes: frozenset[object]
    values: Mapping[str, frozenset[str]]
    tally: Tally | None  # of the numbers, where they are scaled
    sizes: Mapping[int, Array]  # of every part of a table in files: rows read, and examples
    unanswered: DroppedRows

    @classmethod
    def of(cls, block: Block, scale: str | None) -> ExampleSurvey:
        """What a block shows; rows have weights that were seen to already."""
        names = block.schema.numbers
        tally: Tally | None = None
        if scale == "minmax":
            tally = Extent.of(block.numbers, block.counting_keys(), names)
        elif scale is not None:
            tally = Moments.of(block.numbers, block.counting_keys(), names, None, block.start)
        values = {name: frozenset(block.codes[name].values) for name in block.schema.categories}
        return cls(
            rows=len(block),
            classes=_classes(block.target),
            values=values,
            tally=tally,
            sizes={},
            unanswered=DroppedRows(),
        )

    def __add__(self, other: ExampleSurvey) -> ExampleSurvey:
        values = {name: self.values[name] | other.values[name] for name in self.values}
        tally = None if self.tally is None else self.tally + other.tally  # type: ignore[operator]
        sizes = {
            part: self.sizes.get(part, NOTHING) + other.sizes.get(part, NOTHING)
            for part in {**self.sizes, **other.sizes}
        }
        return ExampleSurvey(
            rows=self.rows + other.rows,
            classes=self.classes | other.classes,
            values=values,
            tally=tally,
            sizes=sizes,
            unanswered=self.unanswered + other.unanswered,
        )

    @property
    def read(self) -> int:
        """How many rows were read, examples or not."""
        return int(sum(size[0] for size in self.sizes.values()))

    def before(self) -> Array:
        """(parts, 2) rows and examples before every part."""
        last = max(self.sizes, default=-1)
        sizes = [self.sizes.get(part, NOTHING) for part in range(last + 1)]
        return np.cumsum([NOTHING, *sizes], axis=0)[:-1]

    def scales(self, columns: tuple[str, ...], metric: str, scale: str | None) -> tuple[Array, ...]:
        """What is taken away from every column, and what it is divided by."""
        shift, by = np.zeros(len(columns)), np.ones(len(columns))
        if self.tally is None:
            return shift, by
        at = [columns.index(str(name)) for name in self.tally.columns]
        if isinstance(self.tally, Extent):
            least, greatest = self.tally.least.reshape(-1), self.tally.greatest.reshape(-1)
            with np.errstate(over="ignore"):
                width = greatest - least
            _check_width(columns, at, width)
            shift[at], by[at] = 0.0 if metric == "gower" else least, width
        else:
            with within_doubles():
                check_spread(self.tally)
            count = self.tally.count.floats().reshape(-1)
            free = count - (scale == "standard_sample") * (count > 1)
            shift[at] = self.tally.mean.reshape(-1)
            by[at] = np.sqrt(self.tally.variance.reshape(-1) * (count / free))
            _check_width(columns, at, by[at])
        return shift, np.where(by > 0, by, 1.0)


def _classes(target: object) -> frozenset[object]:
    if not isinstance(target, Codes):
        return frozenset()
    seen = np.bincount(target.codes, minlength=len(target.values)) > 0
    return frozenset(target.declared or ()) | {
        value for value, there in zip(target.values, seen, strict=True) if there
    }


def _check_width(columns: tuple[str, ...], at: list[int], width: Array) -> None:
    if not np.isfinite(width).all():
        name = columns[at[int((~np.isfinite(width)).argmax())]]
        raise InputError(
            f"the range of column {name!r} overflows a double. Divide it by a constant."
        )
