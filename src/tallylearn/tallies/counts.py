"""Counts: how often every class was seen with every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError
from tallylearn.kernels import class_counts
from tallylearn.tables import Array, Codes, check_last_axes, field_schemas
from tallylearn.tallies.exact import Exact
from tallylearn.tallies.keys import Keys, in_parts, places, union
from tallylearn.tallies.tally import Tally
from tallylearn.tallies.weights import digits

ROOM = 2 << 30  # bytes of counts and keys that one table may take
KEY = 64  # bytes of a key, about
TOGETHER = 8  # columns that one call counts: their codes stay in the processor's cache


@dataclass(frozen=True)
class Counts(Tally):
    """A contingency table: rows by ``keys[0]``, columns by ``keys[1]``.

    >>> from tallylearn.tables import Codes
    >>> play = Codes.of(["yes", "no", "yes"])
    >>> Counts.of(play) + Counts.of(Codes.of(["no"]))
    Counts(no 2, yes 2)
    """

    keys: tuple[Keys, ...]
    table: Exact  # (..., len(keys[0]), ...)
    declared: tuple[Keys, ...]  # keys that stay where nothing is counted

    weighted: ClassVar[tuple[str, ...]] = ("table",)  # scale with the weights
    form: ClassVar[field_schemas.Form] = {
        "keys": field_schemas.many(field_schemas.keys(), "axes"),
        "table": field_schemas.one(Exact),
        "declared": field_schemas.many(field_schemas.keys(), "axes"),
    }

    def check(self, axes: int) -> None:
        """What a file says can have been counted, along so many axes."""
        if len(self.keys) != axes:
            raise ValueError(f"counts: {len(self.keys)} axes, expected {axes}")
        self.table.check(*(len(axis) for axis in self.keys))
        if any({*d} - {*k} for d, k in zip(self.declared, self.keys, strict=True)):
            raise ValueError("counts: a declared key is missing")
        if self._prune() is not self:
            raise ValueError("counts: a key has no counts")

    def __post_init__(self) -> None:
        check_last_axes("the counts", self.table.limbs[..., 0], *(len(axis) for axis in self.keys))

    @classmethod
    def of(cls, rows: Codes, columns: Codes | None = None, weight: Array | None = None) -> Counts:
        """Count the rows; a missing code is not counted."""
        if columns is not None:
            return cls.each(rows, {"": columns}, weight)[""]
        if weight is None:
            found = np.bincount(rows.codes + np.int64(1), minlength=len(rows.values) + 1)
            return cls._sort_keys((rows,), Exact.of(found[1:]))
        one = Codes((0,), np.zeros(len(rows), dtype=np.int8))
        table = cls.each(rows, {"": one}, weight)[""]
        total = table.table if table.keys[1] else Exact.of(np.zeros((0, 1), dtype=np.int64))
        return cls(table.keys[:1], total.sum(-1), (rows.declared,))._add_declared_keys()

    @classmethod
    def each(
        cls, rows: Codes, columns: Mapping[str, Codes], weight: Array | None = None
    ) -> dict[str, Counts]:
        """Count the rows by every one of several columns, in one go."""
        named = list(columns.items())
        tables = [
            table
            for at in range(0, len(named), TOGETHER)
            for table in _count_columns(
                rows, [codes for _, codes in named[at : at + TOGETHER]], weight
            )
        ]
        return {
            name: cls._sort_keys((rows, codes), table)
            for (name, codes), table in zip(named, tables, strict=True)
        }

    @classmethod
    def _sort_keys(cls, axes: tuple[Codes, ...], table: Exact) -> Counts:
        keys: tuple[tuple[Any, ...], ...] = tuple(axis.values for axis in axes)
        if any(sorted(axis) != [*axis] for axis in keys):
            order = [sorted(range(len(axis)), key=axis.__getitem__) for axis in keys]
            keys = tuple(tuple(k[i] for i in at) for k, at in zip(keys, order, strict=True))
            table = table.take(*(np.array(at, dtype=int) for at in order))
        return cls(keys, table, tuple(axis.declared for axis in axes))._add_declared_keys()._prune()

    @classmethod
    def empty(cls, axes: int = 1) -> Counts:
        """Nothing counted yet."""
        return cls(((),) * axes, Exact.of(np.zeros((0,) * axes, dtype=np.int64)), ((),) * axes)

    @classmethod
    def with_declared_keys(cls, keys: Keys) -> Counts:
        """Nothing counted yet, and these keys to come."""
        keys = tuple(sorted(keys))
        return cls((keys,), Exact.of(np.zeros(len(keys), dtype=np.int64)), (keys,))

    @property
    def nothing(self) -> bool:
        """Whether there is no key at all, counted or declared."""
        return not any(self.keys)

    @property
    def weight(self) -> float:
        """Of all that was counted; without weights, how many rows."""
        return float(self.floats().sum())

    def __bool__(self) -> bool:
        return bool(np.count_nonzero(self.table.limbs))

    def __add__(self, other: Counts) -> Counts:
        ours, theirs = self._align(other)
        return Counts(ours.keys, ours.table + theirs.table, ours.declared)._prune()

    def __sub__(self, other: Counts) -> Counts:
        ours, theirs = self._align(other)
        return Counts(ours.keys, ours.table - theirs.table, ours.declared)._prune()

    def __repr__(self) -> str:
        if len(self.keys) == 1 and len(self.table.shape) == 1:
            pairs = zip(self.keys[0], self.table.floats(), strict=True)
            return f"Counts({', '.join(f'{key} {count:g}' for key, count in pairs)})"
        return f"Counts({' × '.join(str(len(axis)) for axis in self.keys)})"

    def impossible(self) -> str | None:
        """Why no rows can have been counted so, if there is a reason."""
        return "a count falls below zero" if self.table.negative().any() else None

    def contradiction(self, target: Counts) -> str | None:
        """Why these cannot be among the rows of the target, if there is a reason."""
        if len(self.keys) == 3:
            return self._beyond_documents(target)
        rows = self.table.sum(-1) if len(self.keys) == 2 else self.table
        return more_than(target, self.keys[0], rows)

    def _beyond_documents(self, target: Counts) -> str | None:
        """Of terms by class, in documents, and in tokens where those are counted."""
        documents, *tokens = (Exact(part, self.table.low) for part in self.table.limbs)
        if any((part - documents).negative().any() for part in tokens):
            return "a word comes in more documents than there are such words"
        return more_than(target, self.keys[1], documents)

    def floats(self) -> Array:
        return self.table.floats()

    def reindex(self, *keys: Keys) -> Counts:
        """The same counts with exactly these keys, in this order, zero where nothing was seen."""
        if keys == self.keys:
            return self
        check_room(keys)
        where, inside = [], []
        for mine, wanted in zip(self.keys, keys, strict=True):
            at = places(mine, wanted)
            inside.append(np.flatnonzero(at >= 0))
            where.append(at[at >= 0])
        table = self.table.take(*inside)
        return Counts(keys, table.embed(tuple(len(k) for k in keys), *where), self.declared)

    def split_folds(self, k: int) -> list[Counts]:
        """The counts of k parts of the rows, where the keys of one axis are pairs (part, key)."""
        pairs = [axis for axis, keys in enumerate(self.keys) if keys and isinstance(keys[0], tuple)]
        if not pairs and not self:
            return [self] * k
        axis = next(iter(pairs), 0)
        everything = [np.arange(len(keys)) for keys in self.keys]
        found = []
        for at, names in in_parts(self.keys[axis], k):
            table = self.table.take(*everything[:axis], at, *everything[axis + 1 :])
            keys = (*self.keys[:axis], names, *self.keys[axis + 1 :])
            found.append(Counts(keys, table, self.declared)._prune())
        return found

    def _align(self, other: Counts) -> tuple[Counts, Counts]:
        if self.keys == other.keys and self.declared == other.declared:
            return self, other
        keys = tuple(union(a, b) for a, b in zip(self.keys, other.keys, strict=True))
        check_room(keys)
        declared = tuple(union(a, b) for a, b in zip(self.declared, other.declared, strict=True))
        ours, theirs = self.reindex(*keys), other.reindex(*keys)
        return Counts(keys, ours.table, declared), Counts(keys, theirs.table, declared)

    def _add_declared_keys(self) -> Counts:
        if not any(self.declared):
            return self
        return self.reindex(*(union(k, d) for k, d in zip(self.keys, self.declared, strict=True)))

    def _prune(self) -> Counts:
        """Without the keys that are neither counted nor declared: forgetting leaves no trace."""
        seen = self.table.nonzero()
        if 0 < seen.size == np.count_nonzero(seen):
            return self
        seen = np.asarray(seen.any(axis=tuple(range(seen.ndim - len(self.keys)))))
        keep = []
        for axis, (mine, declared) in enumerate(zip(self.keys, self.declared, strict=True)):
            others = tuple(a for a in range(len(self.keys)) if a != axis)
            kept = np.asarray(seen.any(axis=others))
            keep.append(kept | (places(mine, declared) >= 0) if declared else kept)
        if all(k.all() for k in keep):
            return self
        keys = tuple(
            tuple(key for key, kept in zip(axis, k, strict=True) if kept)
            for axis, k in zip(self.keys, keep, strict=True)
        )
        table = self.table.take(*(np.flatnonzero(k) for k in keep))
        return Counts(keys, table, self.declared)


def more_than(target: Counts, keys: Keys, rows: Exact) -> str | None:
    """Whether a class has more rows (k, ...) than the target counts; said, if so."""
    if (places(keys, target.keys[0]) < 0).any():
        return "a class is not among those of the target"
    whole = target.reindex(keys).table
    limbs = whole.limbs.reshape(len(keys), *[1] * (len(rows.shape) - 1), whole.limbs.shape[-1])
    if (Exact(limbs, whole.low) - rows).negative().any():
        return "a column is shown by more rows of a class than there are"
    return None


def check_room(keys: tuple[Keys, ...]) -> None:
    """A table of counts stays below 2 GiB."""
    sizes = [len(axis) for axis in keys]
    if 8 * prod(sizes) + KEY * sum(sizes) > ROOM:
        shape = " × ".join(f"{size:,}" for size in sizes)
        example = max(keys, key=len)[-1]
        raise InputError(
            f"a table of {shape} counts (with the key {example!r}) needs more than "
            f"{ROOM / 2**30:.3g} GiB. Leave that column out with tl.table(..., "
            "ignore=[...]), or use shorter n-grams (ngram_range)."
        )


def _count_columns(rows: Codes, columns: list[Codes], weight: Array | None) -> list[Exact]:
    """The tables of counts, in the order of the codes; one call for all columns."""
    first = np.ascontiguousarray(rows.codes, dtype=np.int32)
    codes = np.empty((len(columns), len(rows)), dtype=np.int32)
    for into, column in zip(codes, columns, strict=True):
        into[:] = column.codes
    k = len(rows.values) + 1
    widths = np.array([len(column.values) + 1 for column in columns], dtype=np.int64)
    ends = np.cumsum(k * widths, dtype=np.int64)
    starts = ends - k * widths
    totals: list[Exact] = []
    for digit, power in digits(weight):
        cells = np.zeros((2, int(ends[-1]) if len(ends) else 0), dtype=np.int64)
        if weight is None:
            class_counts.count(first, codes, starts, widths, cells)
        else:
            class_counts.weigh(first, codes, digit, starts, widths, cells)
        whole = cells.sum(axis=0)
        parts = [
            Exact.of(whole[a : a + k * w].reshape(k, w)[1:, 1:]).shift(power)
            for a, w in zip(starts.tolist(), widths.tolist(), strict=True)
        ]
        totals = [a + b for a, b in zip(totals, parts, strict=True)] if totals else parts
    return totals
