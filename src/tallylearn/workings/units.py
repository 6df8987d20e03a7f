"""Values in the units of the table: transforms of a pipeline are inverted, dates are dates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tallylearn.tables import DATE, NUMBER, Schema, day

Units = Callable[[str, float], float]  # of a column, a number as the table has it
ValueFormatter = Callable[[str, float], str]  # the same, written
_units: ContextVar[Units | None] = ContextVar("units", default=None)
DATE_ROUNDING = 5e-9  # days, half a millisecond: a noon that was scaled and turned back is no 11:59
_dates: ContextVar[Collection[str]] = ContextVar("dates", default=())


@contextmanager
def using_units(units: Units, dates: Collection[str] = ()) -> Iterator[None]:
    """Within the context, model values are converted by ``units``; ``dates`` are date columns."""
    token, dated = _units.set(units), _dates.set(dates)
    try:
        yield
    finally:
        _units.reset(token)
        _dates.reset(dated)


def to_table_units(column: str, value: float) -> float:
    """A value of a model's column in the units of the table.

    >>> with using_units(lambda column, value: 10 * value):
    ...     to_table_units("size", 1.5)
    15.0
    """
    units = _units.get()
    return value if units is None else units(column, value)


def format_value(value: float, kind: str = NUMBER, digits: int = 6) -> str:
    """A number in so many digits, or the day and time of a date.

    >>> format_value(2.5), format_value(1234567.4), format_value(18262.5, "date")
    ('2.5', '1234567', '2020-01-01 12:00')
    """
    if kind != DATE or value != value:
        plain = 10**digits <= abs(value) + 0.5 < 1e7  # as the table has it, without a power of ten
        return f"{value:.0f}" if plain else f"{value + 0.0:.{digits}g}"
    try:
        return f"{day(value + DATE_ROUNDING):%Y-%m-%d %H:%M}".removesuffix(" 00:00")
    except OverflowError:  # before the year 1, or after 9999
        return f"day {value:.6g}"


def model_value_formatter(schema: Schema, digits: int = 6) -> ValueFormatter:
    """A formatter of the values of a model: in the model's units, dates as dates."""
    dates = {column.name for column in schema.of_kind(DATE)}
    return lambda name, value: format_value(value, DATE if name in dates else NUMBER, digits)


def value_formatter(schema: Schema, digits: int = 6) -> ValueFormatter:
    """A formatter of the values of a model in the units of the table.

    >>> from tallylearn.tables import Column
    >>> value_formatter(Schema((Column("sold", "date"),)))("sold", 18262.0)
    '2020-01-01'
    """
    dates = {column.name for column in schema.of_kind(DATE)}

    return lambda name, value: format_table_value(
        name, value, DATE if name in dates else NUMBER, digits
    )


def format_table_value(name: str, value: float, kind: str, digits: int = 6) -> str:
    """A model's value of a column in the units of the table, where it may be a date.

    >>> with using_units(lambda column, value: 18262 + value, {"sold"}):
    ...     format_table_value("sold", 0.5, "number")
    '2020-01-01 12:00'
    """
    return format_value(to_table_units(name, value), DATE if name in _dates.get() else kind, digits)
