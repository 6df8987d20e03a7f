"""Extent: the least and the greatest value of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.errors import ForgetError
from tallylearn.kernels import column_scaling
from tallylearn.tables import Array, Codes, check_shape, field_schemas
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.tally import Tally


@dataclass(frozen=True, eq=False)
class Extent(Tally):
    """The ends of every column in every class; weights do not move them.

    What was the least cannot be taken back: another row may have shown it too.

    >>> from tallylearn.tables import Codes
    >>> Extent.of(np.array([[1.0], [3.0]]), Codes.of(["a", "a"]), ("x",)).greatest
    array([[3.]])
    """

    keys: Keys
    columns: Keys
    least: Array  # (k, p), infinite where nothing was seen
    greatest: Array  # (k, p)

    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys(),
        "columns": field_schemas.keys(),
        "least": field_schemas.array(np.float64),
        "greatest": field_schemas.array(np.float64),
    }

    def check(self) -> None:
        """What a file says can have been seen."""
        if (self.least > self.greatest)[self._has_values()].any() or self._prune() is not self:
            raise ValueError("extent: a column has no values, or its minimum is above its maximum")
        if np.isnan(self.least).any() or np.isnan(self.greatest).any():
            raise ValueError("extent: a minimum or maximum is NaN")

    def __post_init__(self) -> None:
        for ends in (self.least, self.greatest):
            check_shape("the extents", ends, len(self.keys), len(self.columns))

    @classmethod
    def of(cls, numbers: Array, by: Codes, columns: Keys) -> Extent:
        """The ends of the numbers (n, p), NaN where missing, class by class."""
        shape = len(by.values), len(columns)
        least, greatest = np.full(shape, np.inf), np.full(shape, -np.inf)
        for c in range(shape[0]):
            rows = numbers if shape[0] == 1 else numbers[by.codes == c]
            column_scaling.ends(rows, least[c], greatest[c])
        order = sorted(range(shape[0]), key=by.values.__getitem__)
        keys = tuple(by.values[c] for c in order)
        return cls(keys, columns, least[order] + 0.0, greatest[order] + 0.0)._prune()

    @classmethod
    def empty(cls) -> Extent:
        """Nothing seen yet."""
        return cls((), (), np.zeros((0, 0)), np.zeros((0, 0)))

    @property
    def nothing(self) -> bool:
        """Whether there is no key at all."""
        return not self.keys

    def __bool__(self) -> bool:
        return bool(self._has_values().any())

    def __add__(self, other: Extent) -> Extent:
        keys, columns = union(self.keys, other.keys), union(self.columns, other.columns)
        a, b = self._reindex(keys, columns), other._reindex(keys, columns)
        least, greatest = np.minimum(a.least, b.least), np.maximum(a.greatest, b.greatest)
        return Extent(keys, columns, least, greatest)

    def __sub__(self, other: Extent) -> Extent:
        if other is self:
            return Extent.empty()
        raise ForgetError(
            "minimum and maximum cannot forget rows: those of the remaining rows "
            "are not known. Nothing was changed. Fit again without those rows."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Extent):
            return NotImplemented
        same = (self.keys, self.columns) == (other.keys, other.columns)
        return same and all(
            np.array_equal(a, b)
            for a, b in ((self.least, other.least), (self.greatest, other.greatest))
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Extent({len(self.keys)} × {len(self.columns)})"

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        odd = (places(self.keys, target.keys[0]) < 0).any()
        return "a class is not among those of the target" if odd else None

    def split_folds(self, k: int) -> list[Extent]:
        """The extents of k parts of the rows, where the keys are pairs (part, key)."""
        return [
            Extent(names, self.columns, self.least[at], self.greatest[at])._prune()
            for at, names in in_parts(self.keys, k)
        ]

    def _reindex(self, keys: Keys, columns: Keys) -> Extent:
        if (keys, columns) == (self.keys, self.columns):
            return self
        shape = len(keys), len(columns)
        least, greatest = np.full(shape, np.inf), np.full(shape, -np.inf)
        at = np.ix_(places(self.keys, keys), places(self.columns, columns))
        least[at], greatest[at] = self.least, self.greatest
        return Extent(keys, columns, least, greatest)

    def _has_values(self) -> Array:
        return np.asarray(self.least <= self.greatest)

    def _prune(self) -> Extent:
        """Sorted columns, and no key or column of which nothing was seen."""
        seen = self._has_values()
        rows, columns = np.asarray(seen.any(axis=1)), np.asarray(seen.any(axis=0))
        if rows.all() and columns.all() and tuple(sorted(self.columns)) == self.columns:
            return self
        order = sorted(np.flatnonzero(columns), key=self.columns.__getitem__)
        at = np.ix_(np.flatnonzero(rows), np.array(order, dtype=int))
        keys = tuple(key for key, kept in zip(self.keys, rows, strict=True) if kept)
        return Extent(
            keys, tuple(self.columns[j] for j in order), self.least[at], self.greatest[at]
        )
