"""The target as classes: its values, or, where it is measured, bins of about equally many rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tallylearn.errors import TargetError, did_you_mean, quoted_list
from tallylearn.inspection.description.surveys import TableSurvey
from tallylearn.tables import CATEGORY, NUMBER, Array, Block, plain

MAX_NUMERIC_CLASSES = 10  # whole numbers: more different ones are measured, not named
MAX_DESCRIBED_CLASSES = 100


@dataclass(frozen=True)
class TargetClasses:
    """Which class every row has."""

    target: str
    names: tuple[str, ...]
    measured: bool  # the classes are bins of numbers
    at: Array | None = None  # (places + 1) the bin at every place of a target that is measured
    values: Array | None = None  # (classes,) of a target of a few whole numbers

    @classmethod
    def of_survey(cls, survey: TableSurvey, target: str) -> TargetClasses:
        """What the target of a table is."""
        kinds = {column.name: column.kind for column in survey.schema.columns}
        if target not in kinds:
            hint = did_you_mean(target, kinds) or f" It has {quoted_list(kinds)}."
            raise TargetError(f"target: the table has no column {target!r}.{hint}")
        if not survey.rows:
            raise TargetError(
                "the table has no rows with a weight above zero. Give some rows a weight, or "
                "describe the table without weights."
            )
        if target in survey.numbers:
            return cls._of_numbers(survey, target, kinds[target] == NUMBER)
        counts = survey.values[target].counts if target in survey.values else None
        if kinds[target] != CATEGORY or not counts:
            raise TargetError(
                f"the target {target!r} is a {kinds[target]} column without classes. Name a "
                "column of classes or numbers."
            )
        if len(counts) > MAX_DESCRIBED_CLASSES:
            raise TargetError(
                f"the target {target!r} has {len(counts):,} classes, and at most "
                f"{MAX_DESCRIBED_CLASSES} are described. Name a column with fewer."
            )
        return cls(target, tuple(counts), False)

    @classmethod
    def _of_numbers(cls, survey: TableSurvey, target: str, named: bool) -> TargetClasses:
        points = survey.numbers[target].points
        if not len(points.values):
            raise TargetError(f"the target {target!r} has no value. Name another column.")
        whole = bool((points.values == np.rint(points.values)).all())
        if named and whole and len(points.values) <= MAX_NUMERIC_CLASSES and not points.sketched:
            names = tuple(plain(value) for value in points.values.tolist())
            return cls(target, names, False, values=points.values)
        bins = survey.numbers[target].bins()
        names = tuple(f"bin {at + 1}" for at in range(int(bins.max()) + 1))
        return cls(target, names, True, np.append(bins, -1))

    def of(self, block: Block, places: Mapping[str, Array]) -> Array:
        """(n,) int32, the class of every row; -1 where it has none."""
        if self.values is not None:
            x = block.numbers[:, block.schema.places[self.target]]
            found = np.searchsorted(self.values, x)
            return np.where(np.isnan(x), -1, found).astype(np.int32)
        if self.at is not None:
            return self.at[places[self.target]].astype(np.int32)
        return block.codes[self.target].recode(self.names)
