"""A space of rows: numbers, and categories by their codes, with the distance between two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.models.neighbors.distances import (
    METRICS,
    distance_matrix,
    gower_distances,
    normalise_rows,
)
from tallylearn.models.neighbors.example_survey import ExampleSurvey
from tallylearn.tables import Array, Block, field_schemas


@dataclass(frozen=True)
class Space:
    """Rows (n, w) of numbers and then of codes, both NaN where missing, and how far they are."""

    metric: str
    p: float  # of Minkowski's distance
    scale: Array  # (p,) what Gower's distance divides numbers by; 1 for all others
    categories: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]

    form: ClassVar[field_schemas.Form] = {
        "metric": field_schemas.text(*METRICS),
        "p": field_schemas.number(least=1.0),
        "scale": field_schemas.floats("p", least=0.0),
        "categories": field_schemas.names("c"),
        "values": field_schemas.many(field_schemas.names(), "c"),
    }

    @classmethod
    def of(cls, block: Block, metric: str, p: float) -> Space:
        """The space of the rows of a block: ranges of its numbers, values of its categories."""
        survey = ExampleSurvey.of(block, "minmax" if metric == "gower" else None)
        _, scale = survey.scales(block.schema.numbers, metric, None)
        names = block.schema.categories
        values = tuple(tuple(sorted(survey.values[name])) for name in names)
        return cls(metric, float(min(p, 1e308)), scale, names, values)

    def check(self, columns: int) -> None:
        """What a file says is a space of so many columns of numbers."""
        if len(self.scale) != columns or (self.scale <= 0).any():
            raise ValueError("the ranges are of other columns, or 0")
        if self.categories and self.metric != "gower":
            raise ValueError("the metric does not fit the columns")

    @property
    def width(self) -> int:
        """How many columns a row has."""
        return len(self.scale) + len(self.categories)

    def rows(self, numbers: Array, block: Block) -> Array:
        """(n, w) of numbers (n, p), and of the categories of their block."""
        codes = [
            np.where((code := block.codes[name].recode(known)) < 0, np.nan, code)
            for name, known in zip(self.categories, self.values, strict=True)
        ]
        return np.column_stack([numbers, *codes]) if codes else np.ascontiguousarray(numbers)

    def distances(self, x: Array, z: Array) -> Array:
        """(n, m) from every row of x to every row of z; infinite where they share no column."""
        if self.metric == "gower":
            p = len(self.scale)
            codes = (np.nan_to_num(one[:, p:], nan=-1.0).astype(np.int64) for one in (x, z))
            return gower_distances((x[:, :p], z[:, :p]), self.scale, tuple(codes))  # type: ignore[arg-type]
        if self.metric == "cosine":
            from scipy.spatial.distance import cdist

            nowhere = np.logical_or.outer(*(~(one != 0).any(axis=1) for one in (x, z)))
            apart = 0.5 * cdist(normalise_rows(x), normalise_rows(z), "sqeuclidean")
            return np.where(nowhere, 1.0, apart)
        return distance_matrix(x, z, self.metric, self.p)

    def coordinates(self, x: Array) -> Array:
        """Rows as points for k-means: categories are indicators, as far apart as a range is wide.

        Gaps are at the mean, or at the value that most rows have.
        """
        if self.metric != "gower":
            return x
        p, parts = len(self.scale), []
        for j, column in enumerate(x.T):
            seen = column[~np.isnan(column)]
            usual = (seen.mean() if j < p else mode(column)) if len(seen) else 0.0
            full = np.where(np.isnan(column), usual, column)
            if j < p:
                parts.append(full / self.scale[j])
            else:
                parts += [(full == v) * np.sqrt(0.5) for v in range(len(self.values[j - p]))]
        return np.column_stack(parts)


def mode(codes: Array) -> float:
    """The code that most rows have, of several the first; NaN where none has one.

    >>> mode(np.array([2.0, 1.0, np.nan, 2.0]))
    2.0
    """
    seen = codes[~np.isnan(codes)].astype(np.int64)
    return float(np.bincount(seen).argmax()) if len(seen) else np.nan
