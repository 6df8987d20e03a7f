"""Units: what was learned of rows that were turned is told as the table has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Units = Callable[[str, float], float]  # of a column, a number as the table has it
_units: ContextVar[Units | None] = ContextVar("units", default=None)


@contextmanager
def in_units(units: Units) -> Iterator[None]:
    """Inside the block, learned numbers are told in these units."""
    token = _units.set(units)
    try:
        yield
    finally:
        _units.reset(token)


def as_in_table(column: str, value: float) -> float:
    """A number that a model has learned of a column, in the units of the table.

    >>> with in_units(lambda column, value: 10 * value):
    ...     as_in_table("size", 1.5)
    15.0
    """
    units = _units.get()
    return value if units is None else units(column, value)
