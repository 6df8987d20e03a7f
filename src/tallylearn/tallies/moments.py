"""Moments: how many, their sum and the sum of their squares, exactly; rounded once, at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn.errors import ColumnError, InputError
from tallylearn.kernels import exact_sums, exact_weighted_sums, long_integers
from tallylearn.tables import Array, Codes, Start, check_last_axes, field_schemas, row_number
from tallylearn.tallies.counts import ROOM, Counts, more_than
from tallylearn.tallies.exact import LIMB, Exact, ratio, rounding_remainder
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.rounding import MIN_VECTORISED, quotient
from tallylearn.tallies.tally import Tally
from tallylearn.tallies.weights import digits, scale_to_integers

FAR_FROM_ZERO = 1 << 10  # deviations: a mean as a double then has 43 bits of a deviation, or fewer
CACHE = 1 << 21  # bytes: columns are summed in groups whose cells stay in the processor's cache


@dataclass(frozen=True)
class Moments(Tally):
    """The first two moments of every column in every class.

    >>> from tallylearn.tables import Codes
    >>> Moments.of(np.array([[1.0], [3.0]]), Codes.of(["a", "a"]), ("x",)).mean
    array([[2.]])
    """

    keys: Keys
    columns: Keys
    count: Exact  # (..., k, p) rows where the column is present
    sums: Exact  # (..., k, p)
    squares: Exact  # (..., k, p)

    weighted: ClassVar[tuple[str, ...]] = (
        "count",
        "sums",
        "squares",
    )  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys(),
        "columns": field_schemas.keys(),
        "count": field_schemas.one(Exact),
        "sums": field_schemas.one(Exact),
        "squares": field_schemas.one(Exact),
    }

    def check(self) -> None:
        """What a file says can have been summed."""
        for part in (self.count, self.sums, self.squares):
            part.check(len(self.keys), len(self.columns))
        if self._prune() is not self:
            raise ValueError("moments: a class or column has no values")

    def __post_init__(self) -> None:
        for part in (self.count, self.sums, self.squares):
            check_last_axes("the moments", part.limbs[..., 0], len(self.keys), len(self.columns))

    @classmethod
    def of(
        cls,
        numbers: Array,
        by: Codes,
        columns: Keys,
        weight: Array | None = None,
        start: Start = 0,
    ) -> Moments:
        """Sum the numbers (n, p) class by class; NaN is missing, an infinity an error."""
        bits = numbers.view(np.int64)
        found = np.zeros(4, dtype=np.int64)
        exact_sums.survey(bits, found)
        if found[2] >= 0:
            at = int(found[2]), int(found[3])
            raise _infinite_value_error(columns[at[1]], numbers[at], row_number(start, at[0]))
        count, sums, squares = _totals(bits, by, weight, found)
        order = np.array(sorted(range(len(by.values)), key=by.values.__getitem__), dtype=int)
        keys = tuple(by.values[i] for i in order)
        kept = order, np.arange(len(columns))
        return cls(keys, columns, count.take(*kept), sums.take(*kept), squares.take(*kept))._prune()

    @classmethod
    def of_rows(cls, numbers: Array, columns: Keys) -> Moments:
        """Every row's own moments, along a leading axis: (n, 1, p); an infinity was refused."""
        bits, found = numbers.view(np.int64), np.zeros(4, dtype=np.int64)
        exact_sums.survey(bits, found)
        first, width = int(found[0]), max(1, int(found[1]) - int(found[0]) + 1)
        shown = np.zeros(bits.shape, dtype=np.int64)
        whole = np.zeros((*bits.shape, (width + 58) // LIMB + 3), dtype=np.int64)
        long_integers.write(bits, first, whole, shown)
        sums = Exact.from_limbs(whole, (first + 13) // LIMB - 34)
        return cls(("all",), columns, *map(_row, (Exact.of(shown), sums, sums * sums)))

    @classmethod
    def empty(cls) -> Moments:
        """Nothing summed yet."""
        zero = Exact.of(np.zeros((0, 0), dtype=np.int64))
        return cls((), (), zero, zero, zero)

    @property
    def weight(self) -> float:
        """Of all values that are present; without weights, how many."""
        return float(self.count.floats().sum())

    def __bool__(self) -> bool:
        return bool(self.count.nonzero().any())

    def __add__(self, other: Moments) -> Moments:
        a, b = self._align(other)
        parts = a.count + b.count, a.sums + b.sums, a.squares + b.squares
        return Moments(a.keys, a.columns, *parts)._prune()

    def __sub__(self, other: Moments) -> Moments:
        a, b = self._align(other)
        parts = a.count - b.count, a.sums - b.sums, a.squares - b.squares
        return Moments(a.keys, a.columns, *parts)._prune()

    def __repr__(self) -> str:
        return f"Moments({len(self.keys)} × {len(self.columns)})"

    def impossible(self) -> str | None:
        """Why no numbers can have these moments, if there is a reason."""
        if self.count.negative().any():
            return "a count falls below zero"
        above, _, _ = self._variance_ratio()
        without = ~self.count.nonzero() & (self.sums.nonzero() | self.squares.nonzero())
        if self.squares.negative().any() or without.any() or (above < 0).any():
            return "a variance falls below zero"
        return None

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        return more_than(target, self.keys, self.count)

    @property
    def mean(self) -> Array:
        """(..., k, p); 0 where nothing was seen."""
        return quotient(self.sums, self.count)

    def mean_low(self, mean: Array, variance: Array) -> Array:
        """(..., k, p) the digits of the means beyond a double.

        They matter, and are worked out, where a column lies far from zero by its own deviation;
        elsewhere they are 0.
        """
        out = np.zeros(mean.shape)
        at = np.flatnonzero((mean / FAR_FROM_ZERO) ** 2 > variance)
        if len(at):
            sums, count = (
                Exact(part.limbs.reshape(-1, part.limbs.shape[-1])[at], part.low).to_integers()
                for part in (self.sums, self.count)
            )
            each = np.where(count[0] == 0, 1, count[0])
            out.reshape(-1)[at] = rounding_remainder(
                sums[0], each, sums[1] - count[1], mean.reshape(-1)[at]
            )
        return out

    @property
    def variance(self) -> Array:
        """(..., k, p), divided by the count; 0 where nothing was seen."""
        if (
            self.count.limbs.size >= MIN_VECTORISED
            and self.count.limbs.shape[-1] == 1
            and not self.count.low
        ):
            return quotient(self.variance_numerator(), self.count * self.count)
        numbers, below, power = self._variance_ratio()
        return ratio(numbers, np.where(below == 0, 1, below), power)

    def pool(self) -> Moments:
        """All classes taken together."""
        parts = (self.count.sum(-2), self.sums.sum(-2), self.squares.sum(-2))
        return Moments(("all",), self.columns, *(_row(part) for part in parts))

    def reindex(self, keys: Keys, columns: Keys) -> Moments:
        """The same moments with these keys and columns; zero where nothing was seen."""
        if (keys, columns) == (self.keys, self.columns):
            return self
        shape = (len(keys), len(columns))
        if 8 * shape[0] * shape[1] * self.squares.limbs.shape[-1] > ROOM:
            raise InputError(
                f"the sums of {shape[1]:,} columns in {shape[0]:,} classes need more "
                f"than {ROOM / 2**30:.3g} GiB. Leave columns out with tl.table(..., "
                "ignore=[...])."
            )
        where = places(self.keys, keys), places(self.columns, columns)
        parts = (part.embed(shape, *where) for part in (self.count, self.sums, self.squares))
        return Moments(keys, columns, *parts)

    def select_columns(self, columns: Array) -> Moments:
        """Some of the columns."""
        parts = (part.take(columns) for part in (self.count, self.sums, self.squares))
        return Moments(self.keys, tuple(self.columns[j] for j in columns), *parts)

    def split_folds(self, k: int) -> list[Moments]:
        """The moments of k parts of the rows, where the keys are pairs (part, key)."""
        columns = np.arange(len(self.columns))
        parts = self.count, self.sums, self.squares
        return [
            Moments(names, self.columns, *(part.take(at, columns) for part in parts))._prune()
            for at, names in in_parts(self.keys, k)
        ]

    def _variance_ratio(self) -> tuple[Array, Array, int]:
        """count * squares - sums^2 and count^2 as integers, and the power of two between them."""
        count, c = self.count.to_integers()
        sums, s = self.sums.to_integers()
        squares, q = self.squares.to_integers()
        low = min(c + q, 2 * s)
        above = count * squares * (1 << (c + q - low)) - sums * sums * (1 << (2 * s - low))
        return above, count * count, low - 2 * c

    def variance_numerator(self) -> Exact:
        """The same count * squares - sums^2, in one go for many, with counts of one limb."""
        shape, low = self.count.shape, min(self.squares.low, 2 * self.sums.low)
        sums, squares = (
            np.ascontiguousarray(e.limbs.reshape(-1, e.limbs.shape[-1]))
            for e in (self.sums.magnitude(), self.squares)
        )
        at = 2 * self.sums.low - low, self.squares.low - low
        size = max(at[0] + 2 * sums.shape[1], at[1] + squares.shape[1]) + 1
        out = np.zeros((len(sums), size), dtype=np.int64)
        long_integers.spread(self.count.limbs.reshape(-1), sums, squares, *at, out)
        return Exact(out.reshape(*shape, size), low)

    def _align(self, other: Moments) -> tuple[Moments, Moments]:
        keys, columns = union(self.keys, other.keys), union(self.columns, other.columns)
        return self.reindex(keys, columns), other.reindex(keys, columns)

    def _prune(self) -> Moments:
        seen = self.count.nonzero() | self.sums.nonzero()
        seen = np.asarray(seen.any(axis=tuple(range(seen.ndim - 2))))
        rows, columns = np.asarray(seen.any(axis=1)), np.asarray(seen.any(axis=0))
        if rows.all() and columns.all() and tuple(sorted(self.columns)) == self.columns:
            return self
        order = sorted(np.flatnonzero(columns), key=self.columns.__getitem__)
        at = np.flatnonzero(rows), np.array(order, dtype=int)
        keys = tuple(key for key, kept in zip(self.keys, rows, strict=True) if kept)
        names = tuple(self.columns[i] for i in order)
        return Moments(
            keys, names, self.count.take(*at), self.sums.take(*at), self.squares.take(*at)
        )


def _sum_block(bits: Array, by: Codes, digit: Array, found: Array) -> tuple[Exact, Exact, Exact]:
    """Count, sums and squares (k, p) of one block, with whole weights below 1024."""
    k, p = len(by.values), bits.shape[1]
    first, last = int(found[0]), max(int(found[0]), int(found[1]))
    width = last - first + 1
    count = np.zeros((k, p), dtype=np.int64)
    sums = np.zeros((k, p, (width + 58) // LIMB + 3), dtype=np.int64)
    squares = np.zeros((k, p, (2 * width + 101) // LIMB + 3), dtype=np.int64)
    group = max(1, CACHE // (64 * max(1, k * width)))
    for at in range(0, p, group):
        here = slice(at, at + group)
        cells = np.zeros((min(group, p - at), k, width, 8), dtype=np.int64)
        exact_sums.spread(bits[:, here], by.codes, digit, first, cells)
        long_integers.collect(cells, first, count[:, here], sums[:, here], squares[:, here])
    return (
        Exact.of(count),
        Exact.from_limbs(sums, (first + 13) // LIMB - 34),
        Exact.from_limbs(squares, (2 * first + 26) // LIMB - 68),
    )


def _totals(
    bits: Array, by: Codes, weight: Array | None, found: Array
) -> tuple[Exact, Exact, Exact]:
    """Count, sums and squares (k, p) of one block: digit by digit, or fractions in one pass."""
    if weight is not None and not (weight == np.floor(weight)).all():
        fractions = scale_to_integers(weight)
        if fractions is not None:
            return _sum_weighted_block(bits, by, *fractions, found)
    parts = [
        tuple(part.shift(power) for part in _sum_block(bits, by, digit, found))
        for digit, power in digits(weight)
    ]
    count, sums, squares = parts[0]
    for more in parts[1:]:
        count, sums, squares = count + more[0], sums + more[1], squares + more[2]
    return count, sums, squares


def _sum_weighted_block(
    bits: Array, by: Codes, weight: Array, power: Array, base: int, found: Array
) -> tuple[Exact, Exact, Exact]:
    """Count, sums and squares (k, p) of one block, with weights of 32 bits and their powers."""
    k, p = len(by.values), bits.shape[1]
    first, last = int(found[0]), max(int(found[0]), int(found[1]))
    far = int(power.max()) + 1
    wide = last - first + far, 2 * (last - first) + far  # cells of the sums, and of the squares
    at_sums, at_squares = first + 13, 2 * first + 26
    count = np.zeros((k, p, (far + 64) // LIMB + 3), dtype=np.int64)
    sums = np.zeros((k, p, (wide[0] + 138) // LIMB + 3), dtype=np.int64)
    squares = np.zeros((k, p, (wide[1] + 192) // LIMB + 3), dtype=np.int64)
    group = max(1, CACHE // (8 * k * (4 * wide[0] + 8 * wide[1] + far)))
    for at in range(0, p, group):
        here, size = slice(at, at + group), min(group, p - at)
        cells = [np.zeros((size, k, w), dtype=np.int64) for w in (far, 4 * wide[0], 8 * wide[1])]
        cells[1], cells[2] = cells[1].reshape(size, k, -1, 4), cells[2].reshape(size, k, -1, 8)
        exact_weighted_sums.spread(bits[:, here], by.codes, weight, power, first, *cells)
        long_integers.collect_digits(cells[0][..., None], 0, count[:, here])
        long_integers.collect_digits(cells[1], at_sums % LIMB, sums[:, here])
        long_integers.collect_digits(cells[2], at_squares % LIMB, squares[:, here])
    return (
        Exact.from_limbs(count, 0).shift(base),
        Exact.from_limbs(sums, at_sums // LIMB - 34).shift(base),
        Exact.from_limbs(squares, at_squares // LIMB - 68).shift(base),
    )


def _row(number: Exact) -> Exact:
    return Exact(number.limbs[..., None, :, :], number.low)


def _infinite_value_error(column: object, value: float, row: int) -> ColumnError:
    return ColumnError(
        f"column {column!r} has {value} in row {row}. Replace it, or drop the row. "
        "Input X contains infinity or a value too large for dtype('float64')."
    )
