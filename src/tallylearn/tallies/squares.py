"""Squares: how the squared deviations of columns vary together, without gaps.

Ledoit and Wolf ask how far single rows spread around the covariance, a sum of fourth powers. Powers
of the numbers themselves would cancel away from zero, so deviations from the class's mean are kept;
where the mean moves, (x - m)^2 = (x - c)^2 + 2 (c - m)(x - c) + (c - m)^2 moves them along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.errors import ColumnError
from tallylearn.tables import Array, Codes, Start, check_shape, field_schemas
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.keys import Keys, in_parts, union
from tallylearn.tallies.pairs import (
    Names,
    PairwiseTally,
    check_names,
    classes_in,
    in_order,
    merge_names,
    never_forgets,
    origins,
    rearrange,
    split_names,
)
from tallylearn.tallies.scatter import Scatter, more_than_rows


@dataclass(frozen=True, eq=False, repr=False)
class Squares(PairwiseTally):
    """Sums over the rows of every class, with x the deviation from its mean, q that of x².

    >>> x = np.array([[0.0], [0.0], [3.0]])
    >>> Squares.of(x, Codes.of(["a"] * 3), (("u", ""),)).fourth
    array([[[6.]]])
    """

    keys: Keys
    columns: tuple[str, ...]  # (p,)
    values: tuple[str, ...]  # (p,) "" for a number, "=red" for the indicator of a category
    count: Array  # (k,)
    mean: Array  # (k, p)
    scatter: Array  # (k, p, p) sum of x_i x_j
    cross: Array  # (k, p, p) sum of x_i q_j
    fourth: Array  # (k, p, p) sum of q_i q_j

    weighted: ClassVar[tuple[str, ...]] = (
        "count",
        "scatter",
        "cross",
        "fourth",
    )  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys("k"),
        "columns": field_schemas.names("p", unique=False),
        "values": field_schemas.names("p", unique=False),
        "count": field_schemas.floats("k", least=0.0),
        "mean": field_schemas.floats("k", "p"),
        "scatter": field_schemas.floats("k", "p", "p"),
        "cross": field_schemas.floats("k", "p", "p"),
        "fourth": field_schemas.floats("k", "p", "p"),
    }

    def check(self) -> None:
        """What a file says can have been summed: the shapes are looked at when it is made."""
        check_names(self.names)

    def __post_init__(self) -> None:
        k, p = len(self.keys), len(self.columns)
        check_shape("the squares", np.empty(len(self.values)), p)
        check_shape("the squares", self.count, k)
        check_shape("the squares", self.mean, k, p)
        for part in (self.scatter, self.cross, self.fourth):
            check_shape("the squares", part, k, p, p)

    @classmethod
    def of(
        cls, numbers: Array, by: Codes, names: Names, weight: Array | None = None, start: Start = 0
    ) -> Squares:
        """Sum the numbers (n, p) class by class; a gap counts as 0, and is to be refused later."""
        numbers, p = np.nan_to_num(numbers, nan=0.0, posinf=np.inf, neginf=-np.inf), len(names)
        first = Scatter.of(numbers, by, names, weight, start)
        centre = _own_means(first.reindex(by.values, names).mean)
        with np.errstate(over="ignore", invalid="ignore"):
            away = (numbers - centre[by.codes]) ** 2
        check_squares(away, names)
        found = Scatter.of(np.hstack([numbers, away]), by, _column_names(2 * p), weight, start)
        found = found.reindex(found.keys, _column_names(2 * p))  # of no rows no column is left
        sums = found.scatter
        parts = sums[:, :p, :p], sums[:, :p, p:], sums[:, p:, p:]
        centre = _own_means(first.reindex(found.keys, names).mean)
        squares = cls(found.keys, *split_names(names), found.count[:, 0, 0], centre, *parts)
        return squares.reindex(found.keys, in_order(names))

    def __bool__(self) -> bool:
        return bool(self.count.any())

    def __add__(self, other: Squares) -> Squares:
        keys, names = union(self.keys, other.keys), merge_names(self.names, other.names)
        a, b = self.reindex(keys, names), other.reindex(keys, names)
        return Squares(keys, *split_names(names), *merge_sums((a.sums, b.sums)))

    def __sub__(self, other: Squares) -> Squares:
        return self.reindex((), ()) if other is self else never_forgets("scatter")

    @property
    def sums(self) -> tuple[Array, ...]:
        """Count, mean, scatter, cross and fourth."""
        return self.count, self.mean, self.scatter, self.cross, self.fourth

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        return more_than_rows(self.keys, self.count, target)

    def reindex(self, keys: Keys, names: Names) -> Squares:
        """The same with these keys and names; zeros where a name was not seen."""
        if (keys, names) == (self.keys, self.names):
            return self
        source, own = origins(self.names, names)
        source, rows = np.where(own, source, -1), classes_in(self.keys, keys)
        axes: Sequence[tuple[int, ...]] = ((), (1,), (1, 2), (1, 2), (1, 2))
        parts = (
            rearrange(part, rows, source, along)
            for part, along in zip(self.sums, axes, strict=True)
        )
        return Squares(keys, *split_names(names), *parts)

    def split_folds(self, k: int) -> list[Squares]:
        """The squares of k parts of the rows, where the keys are pairs (part, key)."""
        return [
            Squares(names, self.columns, self.values, *(part[at] for part in self.sums))
            for at, names in in_parts(self.keys, k)
        ]


def exact_squares(numbers: Array, names: Names) -> tuple[Array, Array]:
    """x² without rounding, as the sum of two doubles (Dekker, 1971)."""
    with np.errstate(over="ignore", invalid="ignore"):
        high = numbers * numbers
        check_squares(high, names)
        turned = 134217729.0 * numbers  # 2^27 + 1 parts 53 bits in two halves
        front = turned - (turned - numbers)
        back = numbers - front
        low = ((front * front - high) + 2 * front * back) + back * back
    return high, np.where(np.isfinite(low), low, np.where(np.isnan(numbers), np.nan, 0.0))


def check_squares(squares: Array, names: Names) -> None:
    """A square beyond a double is an error that names its column."""
    wide = np.isinf(squares).any(axis=0)
    if wide.any():
        raise ColumnError(
            f"column {names[int(wide.argmax())][0]!r} has numbers whose squares are "
            "too large for a double. Rescale the column."
        )


def merge_sums(parts: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
    """Count, mean, scatter, cross and fourth of all rows, out of those of their parts."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _merge_sums(parts)


def _merge_sums(parts: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
    count: Array = np.sum([n for n, *_ in parts], axis=0)
    each = np.where(count == 0, 1, count)[..., None]
    base = parts[0][1]
    mean = base + sum(n[..., None] * (m - base) for n, m, *_ in parts) / each
    moved = [_recentre(part, mean) for part in parts]
    level = sum(n[..., None] * q for n, _, q, *_ in moved) / each
    scatter: Array = np.zeros(parts[0][2].shape)
    cross = fourth = scatter
    for n, off, square, s, c, f in moved:
        up, w = square - level, n[..., None, None]
        scatter = scatter + s + w * off[..., :, None] * off[..., None, :]
        cross = cross + c + w * off[..., :, None] * up[..., None, :]
        fourth = fourth + f + w * up[..., :, None] * up[..., None, :]
    return count, mean, scatter, cross, fourth


def _recentre(part: tuple[Array, ...], mean: Array) -> tuple[Array, ...]:
    """Count, distance from the new mean, mean square from there, and the sums with such squares."""
    n, own, s, c, f = part
    off = np.where(n[..., None] > 0, own - mean, 0.0)
    square = np.diagonal(s, axis1=-2, axis2=-1) / np.where(n == 0, 1, n)[..., None] + off**2
    left, right = 2 * off[..., :, None], 2 * off[..., None, :]
    turned = c.swapaxes(-1, -2)
    return n, off, square, s, c + right * s, f + left * c + right * turned + left * right * s


def _own_means(mean: Array) -> Array:
    """(k, p) the mean of every column over the rows that show it."""
    k, p = mean.shape[:2]
    return np.diagonal(np.broadcast_to(mean, (k, p, p)), axis1=1, axis2=2).copy()


def _column_names(p: int) -> Names:
    """Names that are all those of numbers, so that zeros are kept, in this order."""
    return tuple((f"{j:09d}", "") for j in range(p))
