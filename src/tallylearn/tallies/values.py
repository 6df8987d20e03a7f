"""Values: how often every number of a column was seen in every class; all quantiles follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tallylearn.tables import Array, Codes, check_shape, field_schemas
from tallylearn.tallies.counts import Counts, more_than
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.tally import Tally
from tallylearn.tallies.weights import digits

NEAR = 1e-9  # of all weights: fractions are rounded to 32 bits


@dataclass(frozen=True, eq=False)
class Values(Tally):
    """The distinct numbers of a column, sorted, and the exact weight of every class at each.

    It grows with the number of distinct numbers, not with that of rows. NaN is missing.

    >>> from tallylearn.tables import Codes
    >>> found = Values.of(np.array([2.0, 9.0, 2.0, 4.0]), Codes.of(["a", "b", "a", "a"]))
    >>> found, found.quantile(0.5)
    (Values(3 numbers: 4), 3.0)
    """

    keys: Keys
    numbers: Array  # (m,) float64, sorted
    weights: Exact  # (k, m)

    weighted: ClassVar[tuple[str, ...]] = ("weights",)  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys(),
        "numbers": field_schemas.floats("m"),
        "weights": field_schemas.one(Exact),
    }

    def check(self) -> None:
        """What a file says can have been seen."""
        self.weights.check(len(self.keys), len(self.numbers))
        if (np.diff(self.numbers) <= 0).any() or self._prune() is not self:
            raise ValueError("values: the numbers are not sorted, or one has no rows")

    def __post_init__(self) -> None:
        shape = len(self.keys), len(self.numbers)
        check_shape("the weights", self.weights.limbs[..., 0], *shape)

    @classmethod
    def of(cls, column: Array, by: Codes, weight: Array | None = None) -> Values:
        """Count the numbers (n,) class by class."""
        seen = np.flatnonzero(~np.isnan(column))
        numbers, codes = column[seen] + 0.0, by.codes[seen].astype(np.int64)  # -0.0 is 0.0
        weight = None if weight is None else weight[seen]
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        first = np.ones(len(numbers), dtype=bool)
        first[1:] = numbers[1:] != numbers[:-1]
        found = numbers[first]
        cell = np.cumsum(first) - 1 + len(found) * codes[order]
        weights = sum_cells(cell, order, (len(by.values), len(found)), weight)
        classes = sorted(range(len(by.values)), key=by.values.__getitem__)
        keys = tuple(by.values[c] for c in classes)
        at = np.array(classes, dtype=int), np.arange(len(found))
        return cls(keys, found, weights.take(*at))._prune()

    @classmethod
    def empty(cls) -> Values:
        """Nothing seen yet."""
        return cls((), np.zeros(0), Exact.of(np.zeros((0, 0), dtype=np.int64)))

    @property
    def nothing(self) -> bool:
        """Whether no number was seen."""
        return not len(self.numbers)

    def __bool__(self) -> bool:
        return bool(self.weights.nonzero().any())

    def __add__(self, other: Values) -> Values:
        ours, theirs = self._align(other)
        return Values(ours.keys, ours.numbers, ours.weights + theirs.weights)._prune()

    def __sub__(self, other: Values) -> Values:
        ours, theirs = self._align(other)
        return Values(ours.keys, ours.numbers, ours.weights - theirs.weights)._prune()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Values):
            return NotImplemented
        same = self.keys == other.keys and np.array_equal(self.numbers, other.numbers)
        return same and self.weights == other.weights

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Values({len(self.numbers)} numbers: {self.floats().sum():g})"

    def impossible(self) -> str | None:
        """Why no rows can have been counted so, if there is a reason."""
        return "a count falls below zero" if self.weights.negative().any() else None

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        return more_than(target, self.keys, self.weights.sum(-1))

    def split_folds(self, k: int) -> list[Values]:
        """The numbers of k parts of the rows, where the keys are pairs (part, key)."""
        all_of = np.arange(len(self.numbers))
        return [
            Values(names, self.numbers, self.weights.take(at, all_of))._prune()
            for at, names in in_parts(self.keys, k)
        ]

    def floats(self) -> Array:
        """(k, m) the weights."""
        return self.weights.floats()

    def quantile(self, share: float) -> float:
        """Of all classes: see ``quantile_of``."""
        return quantile_of(self.numbers, self.weights.sum(-2), share, average=True)

    def mode(self) -> float:
        """The number that was seen most; of several the least."""
        return float(self.numbers[int(self.floats().sum(axis=0).argmax())])

    def _align(self, other: Values) -> tuple[Values, Values]:
        keys = union(self.keys, other.keys)
        numbers = np.union1d(self.numbers, other.numbers)
        return self._reindex(keys, numbers), other._reindex(keys, numbers)

    def _reindex(self, keys: Keys, numbers: Array) -> Values:
        if keys == self.keys and len(numbers) == len(self.numbers):
            return self
        at = places(self.keys, keys), np.searchsorted(numbers, self.numbers)
        return Values(keys, numbers, self.weights.embed((len(keys), len(numbers)), *at))

    def _prune(self) -> Values:
        seen = self.weights.nonzero()
        rows, columns = np.asarray(seen.any(axis=1)), np.asarray(seen.any(axis=0))
        if rows.all() and columns.all():
            return self
        keys = tuple(key for key, kept in zip(self.keys, rows, strict=True) if kept)
        at = np.flatnonzero(rows), np.flatnonzero(columns)
        return Values(keys, self.numbers[columns], self.weights.take(*at))


def quantile_of(numbers: Array, weights: Exact, share: float, *, average: bool) -> float:
    """A quantile of sorted numbers (m,) by their weights (m,).

    Of whole weights, which are frequencies: linear between the order statistics, NumPy's rule.
    Of fractions: the first number whose cumulative weight reaches the share; with ``average``,
    where that is reached exactly, the mean of it and the next (Hyndman and Fan 1996, definitions
    1 and 2).

    >>> halves = Exact.of(np.array([1, 1, 1, 1])).shift(-1)
    >>> [quantile_of(np.arange(4.0), halves, 0.5, average=mean) for mean in (True, False)]
    [1.5, 1.0]
    """
    upto = np.cumsum(weights.floats())
    if weights.low < 0:
        goal, last = share * upto[-1], len(upto) - 1
        at = min(int(np.searchsorted(upto, goal - NEAR * upto[-1])), last)
        after = at + 1 if average and abs(upto[at] - goal) <= NEAR * upto[-1] else at
        low, high, part = numbers[at], numbers[min(after, last)], 0.5
    else:
        upto = upto if upto[-1] < 2.0**53 else np.cumsum(weights.integers())
        place = Fraction(share) * (int(upto[-1]) - 1)
        below, above = math.floor(place), math.ceil(place)
        low, high = (numbers[int(np.searchsorted(upto, x, side="right"))] for x in (below, above))
        part = float(place - below)
    apart = float(high) - float(low)
    if math.isfinite(apart):
        return float(low + apart * part)
    return float(low * (1 - part) + high * part)


def sum_cells(cell: Array, order: Array, shape: tuple[int, int], weight: Array | None) -> Exact:
    """The weight in every cell; a double holds the sums of digits below 1024 exactly."""
    size = shape[0] * shape[1]
    if weight is None:
        return Exact.of(np.bincount(cell, minlength=size).reshape(shape))
    total = Exact.of(np.zeros(shape, dtype=np.int64))
    for digit, power in digits(weight):
        sums = np.bincount(cell, digit[order], minlength=size).astype(np.int64)
        total = total + Exact.of(sums.reshape(shape)).shift(power)
    return total
