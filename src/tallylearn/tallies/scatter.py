"""Scatter: how columns vary together in every class, centred, and merged pairwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Codes, Start, field_schemas
from tallylearn.tallies.centred_sums import two_sum, whole, with_gaps
from tallylearn.tallies.counts import Counts
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.pairs import (
    Names,
    PairwiseTally,
    by_class,
    check_infinite,
    check_names,
    check_wide,
    classes_in,
    in_order,
    marks,
    merge_names,
    never_forgets,
    origins,
    rearrange,
    split_names,
)
from tallylearn.tallies.weights import round_weights

SLACK = 1e-9  # relative: what rounding may leave


@dataclass(frozen=True, eq=False, repr=False)
class Scatter(PairwiseTally):
    """Means and sums of products around them, for every pair of columns in every class.

    A pair is summed over the rows that show both columns: ``mean[c, j, l]`` is the mean of column j
    where l is present too. Without gaps that is the mean of j, and the axes that repeat it have
    length 1. Floats: other blocks give the same up to rounding, and nothing is forgotten.
    Means have twice the digits of a double: those of blocks may differ in the last of them alone.

    >>> from tallylearn.tables import Codes
    >>> x = np.array([[1.0, 1.0], [3.0, 5.0]])
    >>> Scatter.of(x, Codes.of(["a", "a"]), (("u", ""), ("v", ""))).scatter
    array([[[2., 4.],
            [4., 8.]]])
    """

    keys: Keys
    columns: tuple[str, ...]  # (p,) where a name comes from
    values: tuple[str, ...]  # (p,) "" for a number, "=red" for the indicator of a category
    count: Array  # (k, p, p) or (k, 1, 1)
    mean: Array  # (k, p, p) or (k, p, 1)
    scatter: Array  # (k, p, p)
    low: Array = field(default_factory=lambda: np.zeros(0))  # as mean: its digits beyond a double

    weighted: ClassVar[tuple[str, ...]] = ("count", "scatter")  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.keys("k"),
        "columns": field_schemas.names("p", unique=False),
        "values": field_schemas.names("p", unique=False),
        "count": field_schemas.floats("k", "q", "q", least=0.0),
        "mean": field_schemas.floats("k", "p", "q"),
        "scatter": field_schemas.floats("k", "p", "p"),
        "low": field_schemas.floats("k", "p", "q"),
    }

    def check(self) -> None:
        """What a file says can have been summed: the shapes are looked at when it is made."""
        check_names(self.names)

    def __post_init__(self) -> None:
        k, p = len(self.keys), len(self.columns)
        shapes = self.count.shape, self.mean.shape, self.scatter.shape
        whole = (k, p, p)
        if len(self.values) != p or shapes not in (
            ((k, 1, 1), (k, p, 1), whole),
            (whole, whole, whole),
        ):
            raise ValueError(f"scatter: {p} columns have arrays of the shapes {shapes}")
        if not self.low.size:  # a file from before they were kept
            object.__setattr__(self, "low", np.zeros_like(self.mean))
        if self.low.shape != self.mean.shape:
            raise ValueError(f"scatter: the means have the shapes {shapes[1]} and {self.low.shape}")

    @classmethod
    def of(
        cls, numbers: Array, by: Codes, names: Names, weight: Array | None = None, start: Start = 0,
        beside: Array | None = None,
    ) -> Scatter:  # fmt: skip
        """Sum the numbers (n, p) class by class; NaN is missing, an infinity an error.

        The last names may be of numbers that stand ``beside`` the others (n, t), complete.
        """
        found = cls.complete(numbers, by, names, weight, beside)
        if np.isfinite(found.mean).all():
            return found
        check_infinite(numbers, names, start)
        if not np.isnan(numbers).any():
            return found
        weight = None if weight is None else round_weights(weight)
        numbers = numbers if beside is None else np.hstack([numbers, beside])
        groups = by_class(by)
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            parts = [
                with_gaps(numbers[rows], _take_weights(weight, rows)) for rows in groups.values()
            ]
        return cls(tuple(groups), *split_names(names), *_stack(parts, names))._prune()

    @classmethod
    def complete(
        cls, numbers: Array, by: Codes, names: Names, weight: Array | None = None,
        beside: Array | None = None,
    ) -> Scatter:  # fmt: skip
        """The same of numbers without gaps: where there is one, some mean is not finite."""
        check_wide(len(by.values), names)
        if len({*names}) < len(names):
            raise ValueError(
                "scatter: a column occurs twice. Give a target among the columns a name of its own."
            )
        weight = None if weight is None else round_weights(weight)
        numbers = np.ascontiguousarray(numbers)
        other = np.empty((len(numbers), 0)) if beside is None else np.ascontiguousarray(beside)
        groups = by_class(by)
        with one_thread(), np.errstate(over="ignore", invalid="ignore"):
            parts = [whole(numbers, other, rows, weight) for rows in groups.values()]
        return cls(tuple(groups), *split_names(names), *_stack(parts, names))._prune()

    @classmethod
    def empty(cls) -> Scatter:
        """Nothing summed yet."""
        return cls((), (), (), *_empty(()))

    def __bool__(self) -> bool:
        return bool(np.count_nonzero(self.count))

    def __add__(self, other: Scatter) -> Scatter:
        """The merge of Chan, Golub and LeVeque (1983), pair by pair."""
        keys, names = union(self.keys, other.keys), merge_names(self.names, other.names)
        check_wide(len(keys), names)
        a, b = self.reindex(keys, names), other.reindex(keys, names)
        count = a.count + b.count
        share = b.count / np.where(count == 0, 1, count)
        with np.errstate(over="ignore", invalid="ignore"):
            off = (b.mean - a.mean) + (b.low - a.low)
            between = off * off.swapaxes(1, 2) * (a.count * share)
            mean, low = two_sum(a.mean, a.low + off * share)
            scatter = a.scatter + b.scatter + between
        return Scatter(
            keys=keys,
            columns=a.columns,
            values=a.values,
            count=count,
            mean=mean,
            scatter=scatter,
            low=low,
        )

    def __sub__(self, other: Scatter) -> Scatter:
        return Scatter.empty() if other is self else never_forgets("scatter")

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        return more_than_rows(self.keys, self.count.max(axis=(1, 2), initial=0.0), target)

    def reindex(self, keys: Keys, names: Names) -> Scatter:
        """The same with these keys and names: zeros, or missing, where a name was not seen."""
        if (keys, names) == (self.keys, self.names):
            return self
        source, own = origins(self.names, names)
        rows = classes_in(self.keys, keys)
        count, mean, scatter, low = self._rearrange(rows, source)
        arrays = count, mean * own[:, None], scatter * (own[:, None] & own), low * own[:, None]
        return Scatter(keys, *split_names(names), *arrays)

    def select_columns(self, columns: Array) -> Scatter:
        """Some of the columns."""
        each = self.names
        names = tuple(each[j] for j in columns.tolist())
        pairs = (slice(None), columns[:, None], columns)
        short = self.count.shape[1] == 1
        count = self.count if short else self.count[pairs]
        mean, low = (m[:, columns] if short else m[pairs] for m in (self.mean, self.low))
        arrays = count, mean, self.scatter[pairs], low
        return Scatter(self.keys, *split_names(names), *arrays)

    def counts_and_means(self) -> tuple[Array, Array]:
        """(k, p) how many rows show every column, and its mean; (k, 1) rows where all show all."""
        if self.count.shape[1] == 1:
            return self.count[:, 0], self.mean[:, :, 0]
        own, mean = (np.diagonal(part, axis1=1, axis2=2) for part in (self.count, self.mean))
        return own, mean

    def split_folds(self, k: int) -> list[Scatter]:
        """The scatters of k parts of the rows, where the keys are pairs (part, key)."""
        parts = self.count, self.mean, self.scatter, self.low
        return [
            Scatter(names, self.columns, self.values, *(part[at] for part in parts))._prune()
            for at, names in in_parts(self.keys, k)
        ]

    def _rearrange(self, rows: Array, columns: Array) -> tuple[Array, Array, Array, Array]:
        """The arrays with other classes and columns; long where a column is missing everywhere."""
        count, mean, scatter, low = self.count, self.mean, self.scatter, self.low
        short = count.shape[1:] == (1, 1) and mean.shape[2] == 1
        if short and ((columns >= 0).all() or not self.keys):
            return (
                rearrange(count, rows, columns, ()),
                rearrange(mean, rows, columns, (1,)),
                rearrange(scatter, rows, columns),
                rearrange(low, rows, columns, (1,)),
            )
        spelled = (np.broadcast_to(part, scatter.shape) for part in (count, mean, low))
        count, mean, low = (rearrange(part, rows, columns) for part in spelled)
        return count, mean, rearrange(scatter, rows, columns), low

    def _prune(self) -> Scatter:
        """In order; without classes and columns that show nothing, short where it has no gaps."""
        (own, mean), each = self.counts_and_means(), self.names
        if own.shape == (1, 1) and own[0, 0] > 0 and self.plain:
            return self
        rows = np.flatnonzero(own.any(axis=1))
        seen = own.any(axis=0) & (~marks(self.values) | mean.any(axis=0))
        place = {each[j]: j for j in np.flatnonzero(seen).tolist()}
        order = [place[name] for name in in_order(place)]
        if not order:
            return Scatter.empty()
        if len(rows) == len(self.keys) and self.count.shape[1] == 1:
            same = order == [*range(len(each))]
            return self if same else self.select_columns(np.array(order, dtype=np.int64))
        keys = tuple(self.keys[i] for i in rows)
        names = tuple(each[j] for j in order)
        count, mean, scatter, low = self._rearrange(rows, np.array(order, dtype=np.int64))
        if (count == count[:, :1, :1]).all():
            count, mean, low = (part[:, :, :1].copy() for part in (count, mean, low))
            count = count[:, :1]
        arrays = count, mean, scatter, low
        return Scatter(keys, *split_names(names), *arrays)


def _take_weights(weight: Array | None, rows: Array) -> Array | None:
    return None if weight is None else weight[rows]


def _stack(parts: Sequence[tuple[Array, ...]], names: Names) -> Iterable[Array]:
    """The arrays of every class along a first axis."""
    if len(parts) == 1:
        return (part[None] for part in parts[0])
    return map(np.stack, zip(*parts, strict=True)) if parts else _empty(names)


def _empty(names: Names) -> tuple[Array, Array, Array, Array]:
    p = len(names)
    none = np.zeros((0, p, 1))
    return np.zeros((0, 1, 1)), none, np.zeros((0, p, p)), none


def more_than_rows(keys: Keys, shown: Array, target: Counts) -> str | None:
    """Why ``shown`` (k,) cannot be among the rows of the target, if there is a reason."""
    if (places(keys, target.keys[0]) < 0).any():
        return "a class is not among those of the target"
    if (shown > target.reindex(keys).floats() * (1 + SLACK)).any():
        return "a column is shown by more rows of a class than there are"
    return None
