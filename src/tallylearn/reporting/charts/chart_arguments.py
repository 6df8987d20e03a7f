"""Validation of what charts are given: finite numbers, names, ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, items_of, short_repr
from tallylearn.tables import Array

MAX_DRAWABLE = 1e300  # the ticks around a larger number would not be doubles any more


def as_numbers(values: Any, what: str, dimensions: int = 1) -> Array:
    """Finite doubles, at least one; ``what`` names them in the error."""
    try:
        given = np.asarray(values)
        if given.dtype.kind == "O" and not any(isinstance(v, str | bytes) for v in given.flat):
            given = given.astype(float)
    except Exception:  # whatever an object raises that is no number
        raise OptionError(f"{what} is {_show_value(values)}. Give a list of numbers.") from None
    if given.dtype.kind not in "biuf" or given.ndim != dimensions:
        lists = "list" if dimensions == 1 else "list of equal lists"
        raise OptionError(f"{what} is {_show_value(values)}. Give a {lists} of numbers.")
    if not given.size:
        raise OptionError(f"{what} is empty. Give one or more numbers.")
    return _check_drawable(given.astype(float), what)


def as_number(value: Any, what: str) -> float:
    """One finite double."""
    return float(as_numbers([value], what)[0])


def as_range(values: Any, what: str) -> Array:
    """Two numbers that an axis shall reach; none if it is free."""
    if values is None:
        return np.empty(0)
    ends = as_numbers(values, what)
    if len(ends) != 2:
        raise OptionError(
            f"{what} is {_show_value(values)}. Give two numbers, the ends of the axis."
        )
    return ends


def as_limits(values: Any, what: str) -> tuple[float, float] | None:
    """Two numbers that an axis never passes, which may be infinite; or none."""
    if values is None:
        return None
    try:
        ends = [
            float(end) for end in values if isinstance(end, int | float | str)
        ]  # "inf" of files
    except Exception:  # whatever an object raises that is no number
        ends = []
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise OptionError(f"{what} is {_show_value(values)}. Give two numbers, the lower first.")
    return ends[0], ends[1]


def as_level(level: Any, what: str) -> list[tuple[str, float]]:
    """A name and a number, to compare with; or none."""
    if level is None:
        return []
    if not isinstance(level, tuple | list) or len(level) != 2:
        raise OptionError(f"{what} is {_show_value(level)}. Give a pair: a name and a number.")
    return [(str(level[0]), as_number(level[1], what))]


def extremes(numbers: Array) -> list[float]:
    """The ends that an axis reached, for the chart to be drawn again."""
    return [float(numbers.min()), float(numbers.max())]


def as_names(values: Any, what: str, n: int, of: str) -> list[str]:
    """Names as text, as many as there are things to name."""
    items = items_of(values)
    if items is None:
        raise OptionError(
            f"{what} is {_show_value(values)}. Give a list with one name for each of the {of}."
        )
    names = [*map(str, items)]
    check_length(names, what, n, of)
    return names


def as_texts(*values: Any) -> Iterator[str]:
    """Labels and titles as text: an array has no truth value that would say whether it is empty."""
    return map(str, values)


def check_length(items: Sequence[Any] | Array, what: str, n: int, of: str) -> None:
    if len(items) != n:
        raise OptionError(
            f"{what} has length {len(items)}, but {of} has length {n}. Give equal lengths."
        )


def _check_drawable(numbers: Array, what: str) -> Array:
    wrong = np.argwhere(~(np.abs(numbers) <= MAX_DRAWABLE))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        where = place[0] if len(place) == 1 else place
        raise OptionError(
            f"{what} has {float(numbers[place])!r} at index {where}. Leave it out, "
            "or give a finite number (up to 1e300)."
        )
    return numbers


def _show_value(values: Any) -> str:
    return short_repr(values, 60)
