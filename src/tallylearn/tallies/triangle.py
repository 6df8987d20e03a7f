"""Triangle: the R of a QR factorisation, whose columns have the lengths and angles of the table's.

A scatter squares the numbers, and loses twice the digits that a nearly singular table costs. The
triangle does not: rows are factored by Householder's reflections, and two triangles, one above the
other, are factored again. What stands beside the columns comes last, so that the triangle of the
columns is a part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Codes, Start, field_schemas
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.pairs import (
    GAP,
    Names,
    PairwiseTally,
    by_class,
    check_infinite,
    check_names,
    check_wide,
    in_order,
    merge_names,
    never_forgets,
    split_names,
)
from tallylearn.tallies.weights import round_weights


@dataclass(frozen=True, eq=False, repr=False)
class Triangle(PairwiseTally):
    """For every class R with RᵀR the products of its columns, after a column of ones.

    Numbers are taken from a centre, and 0 where they are missing: whoever leaves gaps counts them
    in a column of their own, see ``tallies.pairs``. Floats: other blocks give the same up to
    rounding, and nothing is forgotten.

    >>> from tallylearn.tables import Codes
    >>> x = np.array([[1.0], [3.0]])
    >>> found = Triangle.of(x, Codes.of(["a", "a"]), (("u", ""),))
    >>> found.centre, round(abs(float(found.root[0, 1, 1])), 12)
    (array([[2.]]), 1.414213562373)
    """

    keys: Keys
    columns: tuple[str, ...]  # (p,)
    values: tuple[str, ...]  # (p,) as in a scatter
    count: Array  # (k,)
    centre: Array  # (k, p) 0 for indicators
    root: Array  # (k, p + 1, p + 1)

    weighted: ClassVar[tuple[str, ...]] = (
        "count",
        "root",
    )  # see times
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys("k"),
        "columns": field_schemas.names("p", unique=False),
        "values": field_schemas.names("p", unique=False),
        "count": field_schemas.floats("k", least=0.0),
        "centre": field_schemas.floats("k", "p"),
        "root": field_schemas.floats("k", "p+1", "p+1"),
    }

    def check(self) -> None:
        """What a file says can have been factored."""
        check_names(self.names)

    def __post_init__(self) -> None:
        k, p = len(self.keys), len(self.columns)
        shapes = self.count.shape, self.centre.shape, self.root.shape
        if len(self.values) != p or shapes != ((k,), (k, p), (k, p + 1, p + 1)):
            raise ValueError(f"triangle: {p} columns have arrays of the shapes {shapes}")

    @classmethod
    def of(
        cls, numbers: Array, by: Codes, names: Names, weight: Array | None = None, start: Start = 0,
        beside: Array | None = None,
    ) -> Triangle:  # fmt: skip
        """Factor the numbers (n, p) class by class, the last names ``beside`` them (n, t)."""
        from tallylearn.tallies.factoring import factor  # its BLAS is there before it is held

        check_wide(len(by.values), names)
        weight = None if weight is None else round_weights(weight)
        x, found = numbers, by_class(by)
        y = np.empty((len(x), 0)) if beside is None else beside
        if gaps := not np.isfinite(x).all():
            check_infinite(numbers, names, start)
        if names != (ordered := in_order(names)):
            place = {name: j for j, name in enumerate(names)}
            x, y = np.hstack([x, y])[:, [place[name] for name in ordered]], y[:, :0]
            names = ordered
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            if len(found) == 1:
                parts = [factor(x, y, names, weight, gaps)]
            else:
                each = (
                    (x[at], y[at], names, _take_weights(weight, at), gaps) for at in found.values()
                )
                parts = [factor(*one) for one in each]
        arrays = [np.array(part) for part in zip(*parts, strict=True)] or _zeros(len(names))
        return cls(tuple(found), *split_names(names), *arrays) if found else cls.empty()

    @classmethod
    def empty(cls) -> Triangle:
        """Nothing factored yet."""
        return cls((), (), (), *_zeros(0))

    def __bool__(self) -> bool:
        return bool(np.count_nonzero(self.count))

    def __add__(self, other: Triangle) -> Triangle:
        from tallylearn.tallies.factoring import root_of  # its BLAS is there before it is held

        keys, names = union(self.keys, other.keys), merge_names(self.names, other.names)
        check_wide(len(keys), names)
        if not keys:
            return self
        a, b = self.reindex(keys, names), other.reindex(keys, names)
        centre = np.where(a.root[:, :, 1:].any(axis=1), a.centre, b.centre)
        both = np.concatenate([a.recentre(centre), b.recentre(centre)], axis=1)
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            root = np.stack([root_of(part) for part in both])
            count = a.count + b.count
        return Triangle(keys, *split_names(names), count, centre, root)

    def __sub__(self, other: Triangle) -> Triangle:
        return Triangle.empty() if other is self else never_forgets("triangle")

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        if (places(self.keys, target.keys[0]) < 0).any():
            return "a class is not among those of the target"
        return None

    def reindex(self, keys: Keys, names: Names) -> Triangle:
        """The same with these keys and names; columns that were not seen are zero."""
        if (keys, names) == (self.keys, self.names):
            return self
        own, place = places(keys, self.keys), {name: j for j, name in enumerate(self.names)}
        at = np.array([place[n] for n in names if n in place], dtype=np.int64)
        to = np.array([j for j, n in enumerate(names) if n in place], dtype=np.int64)
        count, centre, root = _zeros(len(names), len(keys))
        for c, k in enumerate(own):
            if k >= 0:
                count[c], centre[c, to] = self.count[k], self.centre[k, at]
                full = np.zeros((len(self.columns) + 1, len(names) + 1))
                full[:, 0], full[:, to + 1] = self.root[k, :, 0], self.root[k][:, at + 1]
                square = np.linalg.qr(full, mode="r")
                root[c, : len(square)] = square
        return Triangle(keys, *split_names(names), count, centre, root)

    def split_folds(self, k: int) -> list[Triangle]:
        """The triangles of k parts of the rows, where the keys are pairs (part, key)."""
        parts = self.count, self.centre, self.root
        return [
            Triangle(keys, self.columns, self.values, *(part[at] for part in parts))
            if keys else Triangle.empty()
            for at, keys in in_parts(self.keys, k)
        ]  # fmt: skip

    def pool(self) -> Triangle:
        """All classes as one."""
        if len(self.keys) == 1:
            return self
        whole = [
            Triangle(
                keys=("all",),
                columns=self.columns,
                values=self.values,
                count=self.count[c : c + 1],
                centre=self.centre[c : c + 1],
                root=self.root[c : c + 1],
            )
            for c in range(len(self.keys))
        ]
        return sum(whole[1:], start=whole[0])

    def times(self, weight: float) -> Triangle:
        """Every row with so many times its weight."""
        root = self.root * np.sqrt(weight)
        return Triangle(
            keys=self.keys,
            columns=self.columns,
            values=self.values,
            count=self.count * weight,
            centre=self.centre,
            root=root,
        )

    def recentre(self, centre: Array) -> Array:
        """(k, p + 1, p + 1) a root of the same with numbers from another centre, no triangle."""
        place = {name: j for j, name in enumerate(self.names)}
        out = self.root.copy()
        moved = self.centre - centre
        for j in np.flatnonzero(moved.any(axis=0)).tolist():
            gap = place.get((self.columns[j], GAP))
            ones = self.root[:, :, 0] - (self.root[:, :, gap + 1] if gap is not None else 0.0)
            out[:, :, j + 1] += moved[:, j, None] * ones
        return out


def _take_weights(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def _zeros(p: int, k: int = 0) -> tuple[Array, Array, Array]:
    return np.zeros(k), np.zeros((k, p)), np.zeros((k, p + 1, p + 1))
