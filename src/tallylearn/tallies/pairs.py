"""Pairs of columns: names that a scatter is kept under, aligned so that unseen values are zeros.

A column of numbers is one name, ``("length", "")``; a column of categories has one name for each
value that was seen, ``("colour", "=red")``, and the number there is 1 or 0. A table that lacks a
name knows what it was: zeros where it has another value of the same column, missing otherwise. A
column's gaps may be counted too, ``("length", "?")``: a table without that name has the column in
every row, and zeros there. Its powers are ``("length", "^02")``, and what is measured beside the
columns has names such as ``("", "!0")``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import NoReturn

import numpy as np

from tallylearn.errors import ColumnError, ForgetError
from tallylearn.runtime.memory_budget import budget, check_memory
from tallylearn.tables import Array, Codes, Start, row_number
from tallylearn.tallies.keys import Key, Keys, places
from tallylearn.tallies.tally import Tally

Names = tuple[tuple[str, str], ...]
FLOATS = 96  # bytes that a pair takes until it is solved, as measured
LIMBS = 768  # and where it is summed without rounding
GAP = "?"  # in the place of a value: 1 where the column is missing
SIGNS = ("", "=", "^", GAP, "!", "²")  # how values begin: of a number, a category, a power, ...
BESIDE = (GAP, "!")  # how values begin that are none of their column
MEASURED = ("!", "^")  # and how those of numbers do
MAX_LISTED_COLUMNS = 20  # columns that an error names


class PairwiseTally(Tally):
    """What tallies of pairs of columns share: a place for every class, and for every name."""

    keys: Keys
    columns: tuple[str, ...]
    values: tuple[str, ...]

    @cached_property
    def names(self) -> Names:
        return tuple(zip(self.columns, self.values, strict=True))

    @cached_property
    def plain(self) -> bool:
        """Whether all names are of numbers, shown by every row, and in order."""
        return of_numbers(self.values) and self.names == in_order(self.names)

    @property
    def shown_columns(self) -> set[str]:
        """The columns of which something was counted, and not their gaps alone."""
        if self.plain:
            return {*self.columns[: len(self.columns) - count_measured(self.values)]}
        return {name for name, value in self.names if not value.startswith(BESIDE)}

    def __repr__(self) -> str:
        p = len(self.columns)
        return f"{type(self).__name__}({len(self.keys)} × {p} × {p})"


def never_forgets(what: str) -> NoReturn:
    """Floats refuse to forget, and say what does not."""
    raise ForgetError(
        f"a {what} in floating point cannot forget rows, because its sums are "
        "rounded. Nothing was changed. Fit with exact=True, which can forget."
    )


def merge_names(a: Names, b: Names) -> Names:
    """All names of both, in order."""
    return a if a == b else in_order({*a, *b})


def in_order(names: Iterable[tuple[str, str]]) -> Names:
    """Sorted, and what is measured beside the columns last."""
    found = sorted(names)
    first, last = bisect_left(found, ("", "!")), bisect_left(found, ("", '"'))  # the next sign
    return (*found[:first], *found[last:], *found[first:last])


def count_measured(values: tuple[str, ...]) -> int:
    """How many values, the last ones, are of what is measured beside the columns."""
    t = 0
    while t < len(values) and values[-1 - t][:1] == "!":
        t += 1
    return t


def origins(have: Names, want: Names) -> tuple[Array, Array]:
    """Where each wanted name's rows are counted (-1: nowhere), and whether it was seen itself."""
    place = {name: at for at, name in enumerate(have)}
    within = {name: at for name, at in place.items() if not name[1].startswith(BESIDE)}
    beside = {column: at for (column, value), at in within.items() if value}
    shown = {column: at for (column, _), at in within.items()}
    own = np.array([name in place for name in want], dtype=bool)
    source = [place.get(name, _find_counted_elsewhere(name, beside, shown)) for name in want]
    return np.array(source, dtype=np.int64), own


def _find_counted_elsewhere(
    name: tuple[str, str], beside: dict[str, int], shown: dict[str, int]
) -> int:
    """Where the rows are counted of a name that was never seen."""
    column, value = name
    if value == GAP:  # no gap was seen, so that all rows show the column
        return shown.get(column, -1)
    return beside.get(column, -1) if value and not value.startswith(BESIDE) else -1


def marks(values: tuple[str, ...]) -> Array:
    """(p,) which names mark rows: where no row is marked, the name was never seen."""
    return np.array([*map(_marks, values)], dtype=bool)


def _marks(value: str) -> bool:
    return bool(value) and not value.startswith(MEASURED)


def of_numbers(values: tuple[str, ...]) -> bool:
    """Whether no name marks rows: all are of numbers, and shown by every row."""
    return not any(map(_marks, {*values}))


def rearrange(array: Array, keys: Array, columns: Array, axes: tuple[int, ...] = (1, 2)) -> Array:
    """(k, p, p, ...) with other keys, and columns along some axes; zeros where those are -1."""
    for axis, at in ((0, keys), *((axis, columns) for axis in axes)):
        shape = [1] * array.ndim
        shape[axis] = len(at)
        if not array.shape[axis]:
            array = np.zeros([*array.shape[:axis], len(at), *array.shape[axis + 1 :]], array.dtype)
            continue
        array = array.take(at, axis)
        if (at < 0).any():
            array = np.where(at.reshape(shape) < 0, 0, array)
    return array


def classes_in(keys: Keys, among: Keys) -> Array:
    """Where each of ``among`` stands in ``keys``; -1 where it does not."""
    return places(among, keys)


def split_names(names: Names) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of the names, and their values."""
    columns, values = zip(*names, strict=True) if names else ((), ())
    return columns, values


def check_names(names: Names) -> None:
    """Names are in order, or sorted, as of old, each of them once; and their values are some."""
    if names not in (in_order({*names}), tuple(sorted({*names}))):
        raise ValueError("the columns are not sorted, or one occurs twice")
    if odd := [(n, v) for n, v in names if v[:1] not in SIGNS or (n and v[:1] == "!")]:
        raise ValueError(f"a column has the unknown term {odd[0][1][:40]!r}")


def check_wide(k: int, names: Names, each: int = FLOATS) -> None:
    """Refuse more pairs of columns than memory holds, with some bytes each."""
    size = k * len(names) ** 2 * each
    if size <= budget():
        return
    widths = Counter(column for column, _ in names if column)
    left, out = len(names), list[str]()
    for column, width in widths.most_common(len(widths) - 1):
        out, left = [*out, column], left - width
        if k * left**2 * each <= budget():
            break
    remedy = f"Leave out the widest, tl.table(..., ignore={out[:MAX_LISTED_COLUMNS]!r})."
    if out and (width := widths[out[0]]) > 1:
        remedy = f"Column {out[0]!r} alone has {width} values. {remedy}"
    check_memory(
        size, f"the pairs of {len(names)} columns in {k} classes", remedy if out else "Take fewer."
    )


def check_infinite(numbers: Array, names: Names, start: Start) -> None:
    """An infinity is an error that names its row and column."""
    if (infinite := np.isinf(numbers)).any():
        i, j = np.argwhere(infinite)[0]
        name, value = names[j]
        if value.startswith("^") and not np.isinf(numbers[i, names.index((name, ""))]):
            raise ColumnError(
                f"column {name!r} to the power of {value[1:].rstrip('+').lstrip('0')} "
                f"is too large for a double in row {row_number(start, i)}. Rescale the "
                "column, or use a smaller degree."
            )
        raise ColumnError(
            f"column {name!r} has {numbers[i, j]} in row {row_number(start, i)}. Replace it, "
            "or drop the row. Input X contains infinity or a value too large for dtype('float64')."
        )


def by_class(by: Codes) -> dict[Key, Array]:
    """The rows of every class that has any, classes sorted."""
    k = len(by.values)
    if k == 1:
        return {by.values[0]: np.arange(len(by))} if len(by) else {}
    codes = by.codes.astype(np.int16) if k < 1 << 15 else by.codes  # short ones sort by digits
    ends = np.cumsum(np.bincount(by.codes, minlength=k))[:-1] if k else ()
    rows = np.split(np.argsort(codes, kind="stable"), ends)
    return {key: at for key, at in sorted(zip(by.values, rows, strict=False)) if len(at)}
