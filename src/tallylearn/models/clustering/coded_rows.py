"""Rows as points for k-means: numbers scaled, categories as indicators.

Numbers may be scaled; a category is a column for every value, such that rows that differ there
lie 1 apart, as the ends of a column do that runs from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.finite_rows import check_scaled
from tallylearn.expressions import CategoryColumn, CategoryLookup, Number, NumberColumn
from tallylearn.models.neighbors.neighbour_expression import scale_operand
from tallylearn.tables import Array, Block, Schema, check_columns, field_schemas
from tallylearn.tallies import Bundle, Extent, Moments
from tallylearn.tallies.variance_checks import check_spread, scaled_variance

INDICATOR = sqrt(0.5)  # value of an indicator that is on: rows of two categories are 1 apart
SCALES = (None, "minmax", "standard", "standard_sample")


@dataclass(frozen=True)
class Coding:
    """How rows become points: numbers shifted and scaled, then indicators of categories."""

    columns: tuple[str, ...]
    shift: Array  # (p,)
    scale: Array  # (p,)
    categories: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    form: ClassVar[field_schemas.Form] = {
        "columns": field_schemas.names("p"),
        "shift": field_schemas.floats("p"),
        "scale": field_schemas.floats("p", least=0.0),
        "categories": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
    }

    @classmethod
    def of(cls, survey: Bundle, schema_numbers: tuple[str, ...], how: str | None) -> Coding:
        """By the means and spreads of numbers, and the values of categories."""
        moments = survey.get("numbers") or Moments.empty()
        moments = moments.reindex(moments.keys, schema_numbers)
        shift, scale = moments.mean.reshape(-1), np.ones(len(schema_numbers))
        if how == "minmax":
            extent: Extent = survey.get("extent") or Extent.empty()  # of categories alone
            at = [extent.columns.index(name) for name in schema_numbers]
            shift = extent.least.reshape(-1)[at]
            with np.errstate(over="ignore"):
                scale = extent.greatest.reshape(-1)[at] - shift
            check_width(schema_numbers, scale)
        elif how is not None:
            check_spread(moments)
            rows = moments.count.floats().reshape(-1)
            less = rows - 1 if how == "standard_sample" else rows
            scale = np.sqrt(moments.variance.reshape(-1) * rows / np.maximum(less, 1))
        tables = survey["categories"].parts if "categories" in survey else {}
        values = tuple(tuple(map(str, counts.keys[0])) for counts in tables.values())
        flat = np.where(scale > 0, scale, 1.0)
        return cls(schema_numbers, shift, flat, tuple(tables), values)

    def check(self, schema: Schema) -> None:
        """What a file says are columns of this schema."""
        check_columns("numbers", self.columns, {*schema.numbers})
        check_columns("categories", self.categories, {*schema.categories})
        if (self.scale == 0).any():
            raise ValueError("a column has no scale")

    @property
    def width(self) -> int:
        """How many numbers a point has."""
        return len(self.columns) + sum(map(len, self.values))

    @property
    def names(self) -> tuple[str, ...]:
        """(width,) of the points' numbers."""
        pairs = zip(self.categories, self.values, strict=True)
        return (*self.columns, *(f"{name}={value}" for name, each in pairs for value in each))

    @property
    def groups(self) -> dict[str, list[int]]:
        """The places of every column of the table."""
        found = {name: [j] for j, name in enumerate(self.columns)}
        at = len(self.columns)
        for name, each in zip(self.categories, self.values, strict=True):
            found[name] = [*range(at, at + len(each))]
            at += len(each)
        return found

    def shifts(self, block: Block) -> bool:
        """Whether points are the numbers of a block, which are only shifted."""
        same = not self.categories and self.columns == block.schema.numbers
        return same and bool((self.scale == 1).all())

    def points(self, block: Block) -> Array:
        """(n, width) the rows of a block; a value that was never seen has no indicator."""
        places = [block.schema.places[name] for name in self.columns]
        out = np.zeros((len(block), self.width))
        numbers = out[:, : len(places)]
        same = places == [*range(block.numbers.shape[1])]
        np.subtract(block.numbers if same else block.numbers[:, places], self.shift, out=numbers)
        if (self.scale != 1).any():
            with np.errstate(over="ignore"):
                numbers /= self.scale
            check_scaled(numbers, block)
        at = len(places)
        for name, each in zip(self.categories, self.values, strict=True):
            codes = block.codes[name].recode(each)
            rows = np.flatnonzero(codes >= 0)
            out[rows, at + codes[rows]] = INDICATOR
            at += len(each)
        return out

    def expressions(self) -> tuple[Number, ...]:
        """(width,) the coordinates of a point."""
        pairs = zip(self.columns, self.shift.tolist(), self.scale.tolist(), strict=True)
        numbers = [scale_operand(NumberColumn(name), shift, scale) for name, shift, scale in pairs]
        indicators = [
            CategoryLookup(CategoryColumn(name), (value,), (INDICATOR,), other=0.0, missing=0.0)
            for name, each in zip(self.categories, self.values, strict=True)
            for value in each
        ]
        return (*numbers, *indicators)

    def variances(self, survey: Bundle) -> Array:
        """(width,) of the columns of the points; an indicator's is that of its share."""
        rows = float(survey["target"].weight)
        shares = [counts / rows for counts in _counts(survey)]
        spread = [INDICATOR**2 * share * (1 - share) for share in shares]
        return np.concatenate([self._moments(survey)[1], *spread])

    def squares(self, survey: Bundle) -> tuple[float, Array]:
        """The weight of all rows, and (width,) the sums of the squares of their points."""
        rows, (mean, variance) = float(survey["target"].weight), self._moments(survey)
        numbers = rows * (variance + mean**2)
        return rows, np.concatenate([numbers, *(INDICATOR**2 * each for each in _counts(survey))])

    def _moments(self, survey: Bundle) -> tuple[Array, Array]:
        """(p,) the means and the variances of the points' numbers."""
        moments = survey.get("numbers") or Moments.empty()
        moments = moments.reindex(moments.keys, self.columns)
        mean = (moments.mean.reshape(-1) - self.shift) / self.scale
        return mean, scaled_variance(moments, self.scale).reshape(-1)

    def scale_points(self, centres: Array) -> Array:
        """Points as a user gives them: numbers of the table, then shares of values."""
        p = len(self.columns)
        return np.hstack([(centres[:, :p] - self.shift) / self.scale, centres[:, p:] * INDICATOR])

    def unscale_points(self, points: Array) -> Array:
        """Points as a user reads them."""
        p = len(self.columns)
        return np.hstack([points[:, :p] * self.scale + self.shift, points[:, p:] / INDICATOR])


def check_width(columns: tuple[str, ...], width: Array) -> None:
    """From end to end a column is a double."""
    if not np.isfinite(width).all():
        name = columns[int((~np.isfinite(width)).argmax())]
        raise InputError(
            f"the range of column {name!r} overflows a double. Divide it by a constant."
        )


def _counts(survey: Bundle) -> list[Array]:
    """Of every category, how many rows show each value."""
    tables = survey["categories"].parts if "categories" in survey else {}
    return [counts.floats() for counts in tables.values()]
