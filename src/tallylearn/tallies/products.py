"""Products: the sums behind a scatter, exactly, so that merging and forgetting leave no trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.kernels import exact_products, exact_sums, long_integers
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array, Codes, Start, check_shape, field_schemas
from tallylearn.tallies.counts import Counts, more_than
from tallylearn.tallies.exact import LIMB, Exact, ratio, rounding_remainder
from tallylearn.tallies.keys import Keys, in_parts, union
from tallylearn.tallies.moments import Moments
from tallylearn.tallies.pairs import (
    LIMBS,
    Names,
    PairwiseTally,
    check_infinite,
    check_names,
    check_wide,
    classes_in,
    marks,
    merge_names,
    origins,
    rearrange,
    split_names,
)
from tallylearn.tallies.scatter import Scatter
from tallylearn.tallies.weights import digits

ROOM = 1 << 23  # bytes of cells that are filled before they are collected


@dataclass(frozen=True, repr=False)
class Products(PairwiseTally):
    """Rows, sums and sums of products for every pair of columns in every class, without rounding.

    >>> from tallylearn.tables import Codes
    >>> x = np.array([[1.0, 1.0], [3.0, 5.0]])
    >>> Products.of(x, Codes.of(["a", "a"]), (("u", ""), ("v", ""))).to_scatter().scatter
    array([[[2., 4.],
            [4., 8.]]])
    """

    keys: Keys
    columns: tuple[str, ...]  # (p,)
    values: tuple[str, ...]  # (p,) "" for a number, "=red" for the indicator of a category
    count: Exact  # (k, p, p) rows that show both columns
    sums: Exact  # (k, p, p) sum of the first column over them
    products: Exact  # (k, p, p)

    weighted: ClassVar[tuple[str, ...]] = (
        "count",
        "sums",
        "products",
    )  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys(),
        "columns": field_schemas.names("p", unique=False),
        "values": field_schemas.names("p", unique=False),
        "count": field_schemas.one(Exact),
        "sums": field_schemas.one(Exact),
        "products": field_schemas.one(Exact),
    }

    def check(self) -> None:
        """What a file says can have been summed."""
        check_names(self.names)
        for part in (self.count, self.sums, self.products):
            part.check(len(self.keys), len(self.columns), len(self.columns))
        if self._prune() is not self:
            raise ValueError("products: a class or column has no values")

    def __post_init__(self) -> None:
        k, p = len(self.keys), len(self.columns)
        check_shape("the values", np.empty(len(self.values)), p)
        for part in (self.count, self.sums, self.products):
            check_shape("the products", part.limbs[..., 0], k, p, p)

    @classmethod
    def of(
        cls, numbers: Array, by: Codes, names: Names, weight: Array | None = None, start: Start = 0
    ) -> Products:
        """Sum the numbers (n, p) class by class; NaN is missing, an infinity an error."""
        check_wide(len(by.values), names, LIMBS)
        if not names:
            return cls.empty()
        check_infinite(numbers, names, start)
        order = np.array(sorted(range(len(by.values)), key=by.values.__getitem__), dtype=np.int64)
        keys = tuple(by.values[i] for i in order)
        count, sums = _sums(numbers, by, keys, weight)
        products = _sum_products(numbers, by, weight).take(order, *[np.arange(len(names))] * 2)
        return cls(keys, *split_names(names), count, sums, products)._prune()

    @classmethod
    def empty(cls) -> Products:
        """Nothing summed yet."""
        zero = Exact.of(np.zeros((0, 0, 0), dtype=np.int64))
        return cls(keys=(), columns=(), values=(), count=zero, sums=zero, products=zero)

    def __bool__(self) -> bool:
        return bool(self.count.nonzero().any())

    def __add__(self, other: Products) -> Products:
        a, b = self._align(other)
        parts = a.count + b.count, a.sums + b.sums, a.products + b.products
        return Products(a.keys, a.columns, a.values, *parts)._prune()

    def __sub__(self, other: Products) -> Products:
        a, b = self._align(other)
        parts = a.count - b.count, a.sums - b.sums, a.products - b.products
        return Products(a.keys, a.columns, a.values, *parts)._prune()

    def impossible(self) -> str | None:
        """Why no numbers can have these sums, if there is a reason."""
        if self.count.negative().any():
            return "a count falls below zero"
        turned = Exact(self.count.limbs.swapaxes(1, 2), self.count.low)
        if (self.count - turned).nonzero().any():
            return "a pair of columns is shown by two numbers of rows"
        without = ~self.count.nonzero() & (self.sums.nonzero() | self.products.nonzero())
        at = np.arange(len(self.columns))
        parts = self.count, self.sums, self.products
        count, sums, squares = (Exact(part.limbs[:, at, at], part.low) for part in parts)
        above, _ = _centre_products(count, sums, squares, sums)
        if without.any() or squares.negative().any() or (above < 0).any():
            return "a variance falls below zero"
        if self._has_correlation_above_one():
            return "two columns are correlated by more than 1"
        return None

    def _has_correlation_above_one(self) -> bool:
        """Whether a covariance is larger than its variances allow (Cauchy and Schwarz).

        A column's squares over the rows that show a pair are at most those over all of its rows.
        """
        at = np.arange(len(self.columns))
        sides = self.products.limbs[:, at, at][:, :, None]
        squares = Exact(np.broadcast_to(sides, self.products.limbs.shape), self.products.low)
        turned = Exact(self.sums.limbs.swapaxes(1, 2), self.sums.low)
        spread, low = _centre_products(self.count, self.sums, squares, self.sums)
        shared, power = _centre_products(self.count, self.sums, self.products, turned)
        most, found = spread * spread.swapaxes(1, 2), shared * shared
        least = min(2 * low, 2 * power)
        beyond = found * (1 << (2 * power - least)) > most * (1 << (2 * low - least))
        return bool((spread < 0).any() or beyond.any())

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        return more_than(target, self.keys, self.count)

    def to_scatter(self) -> Scatter:
        """Means and the scatter around them, rounded once; OverflowError beyond doubles."""
        count, c = self.count.to_integers()
        sums, s = self.sums.to_integers()
        each = np.where(count == 0, 1, count)
        turned = Exact(self.sums.limbs.swapaxes(1, 2), self.sums.low)
        above, power = _centre_products(self.count, self.sums, self.products, turned)
        mean, scatter = ratio(sums, each, s - c), ratio(above, each, power - c)
        parts = self.count.floats(), mean, scatter, rounding_remainder(sums, each, s - c, mean)
        return Scatter(self.keys, self.columns, self.values, *parts)._prune()

    def reindex(self, keys: Keys, names: Names) -> Products:
        """The same with these keys and names: zeros, or missing, where a name was not seen."""
        if (keys, names) == (self.keys, self.names):
            return self
        source, own = origins(self.names, names)
        rows = classes_in(self.keys, keys)
        marks = np.ones((1, 1), dtype=np.int64), own[:, None], own[:, None] & own
        parts = [
            Exact.from_limbs(rearrange(part.limbs, rows, source) * mark[..., None], part.low)
            for part, mark in zip((self.count, self.sums, self.products), marks, strict=True)
        ]
        return Products(keys, *split_names(names), *parts)

    def split_folds(self, k: int) -> list[Products]:
        """The products of k parts of the rows, where the keys are pairs (part, key)."""
        p = np.arange(len(self.columns))
        parts = self.count, self.sums, self.products
        return [
            Products(
                names, self.columns, self.values, *(part.take(at, p, p) for part in parts)
            )._prune()
            for at, names in in_parts(self.keys, k)
        ]

    def _align(self, other: Products) -> tuple[Products, Products]:
        keys, names = union(self.keys, other.keys), merge_names(self.names, other.names)
        check_wide(len(keys), names, LIMBS)
        return self.reindex(keys, names), other.reindex(keys, names)

    def _prune(self) -> Products:
        """Sorted; without classes and columns that show nothing: forgetting leaves no trace."""
        some = self.count.nonzero() | self.sums.nonzero() | self.products.nonzero()
        rows = np.flatnonzero(some.any(axis=(1, 2)))
        seen = (
            np.where(marks(self.values), self.products.nonzero(), some)
            .diagonal(axis1=1, axis2=2)
            .any(axis=0)
        )
        names = self.names
        order = sorted(np.flatnonzero(seen), key=names.__getitem__)
        if len(rows) == len(self.keys) and order == list(range(len(names))):
            return self
        if not order:
            return Products.empty()
        at = rows, np.array(order, dtype=np.int64), np.array(order, dtype=np.int64)
        keys = tuple(self.keys[i] for i in rows)
        parts = (part.take(*at) for part in (self.count, self.sums, self.products))
        return Products(keys, *split_names(tuple(names[j] for j in order)), *parts)


def _centre_products(
    count: Exact, sums: Exact, products: Exact, others: Exact
) -> tuple[Array, int]:
    """count * products - sums * others as integers, and the power of two they are times."""
    (n, c), (x, s), (y, _), (xy, q) = (e.to_integers() for e in (count, sums, others, products))
    low = min(c + q, 2 * s)
    return n * xy * (1 << (c + q - low)) - x * y * (1 << (2 * s - low)), low


def _sums(numbers: Array, by: Codes, keys: Keys, weight: Array | None) -> tuple[Exact, Exact]:
    """Rows and sums (k, p, p) over the rows that show both columns."""
    p = numbers.shape[1]
    names = tuple(range(p))
    shown = ~np.isnan(numbers)
    whole = Moments.of(numbers, by, names, weight).reindex(keys, names)
    count, sums = (_columns([part] * p) for part in (whole.count, whole.sums))
    if shown.all():
        return count, sums
    found = []
    for j in range(p):
        check_halted()
        rows = np.flatnonzero(shown[:, j])
        some = None if weight is None else weight[rows]
        found.append(Moments.of(numbers[rows], by[rows], names, some).reindex(keys, names))
    return _columns([part.count for part in found]), _columns([part.sums for part in found])


def _columns(parts: list[Exact]) -> Exact:
    """Arrays (k, p) side by side as (k, p, p), the list along the last axis."""
    low = min(part.low for part in parts)
    high = max(part.low + part.limbs.shape[-1] for part in parts)
    out = np.zeros((*parts[0].shape, len(parts), high - low), dtype=np.int64)
    for at, part in enumerate(parts):
        first = part.low - low
        out[:, :, at, first : first + part.limbs.shape[-1]] = part.limbs
    return Exact.from_limbs(out, low)


def _sum_products(numbers: Array, by: Codes, weight: Array | None) -> Exact:
    """Sums of products (k, p, p), classes in the order of the codes."""
    bits = np.ascontiguousarray(numbers.T).view(np.int64)
    found = np.zeros(4, dtype=np.int64)
    exact_sums.survey(bits, found)
    first, last = int(found[0]), max(int(found[0]), int(found[1]))
    codes = np.ascontiguousarray(by.codes, dtype=np.int32)
    total = None
    for digit, power in digits(weight):
        part = _block(bits, codes, k=len(by.values), digit=digit, first=first, last=last).shift(
            power
        )
        total = part if total is None else total + part
    return Exact.of(np.zeros((0, 0, 0), dtype=np.int64)) if total is None else total


def _block(bits: Array, codes: Array, k: int, digit: Array, first: int, last: int) -> Exact:
    p, width = len(bits), 2 * (last - first) + 1
    products = np.zeros((k, p, p, (width + 101) // LIMB + 3), dtype=np.int64)
    group = max(1, ROOM // (40 * max(1, k * width)))
    for j in range(p):
        check_halted()  # a column with 100 others takes a twentieth of a second
        for at in range(j, p, group):
            cells = np.zeros((min(group, p - at), k, width, 5), dtype=np.int64)
            exact_products.spread(bits, j, at, codes, digit, first, cells)
            long_integers.collect_products(cells, first, products[:, j, at : at + group])
        products[:, j:, j] = products[:, j, j:]
    return Exact.from_limbs(products, (2 * first + 26) // LIMB - 68)
