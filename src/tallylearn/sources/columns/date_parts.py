"""Dates: a number of days since 1970, or their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.sources.arrow.buffers import doubles
from tallylearn.sources.columns.kinds import is_numeric_type

Array = NDArray[Any]
DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def days(name: str, data: Any) -> Array:
    """A column of dates as days since 1970, NaN where missing."""
    import pyarrow as pa
    import pyarrow.types as is_

    data = _instants(name, data)
    if data.null_count == len(data):
        return np.full(len(data), np.nan)
    if is_.is_date(data.type):
        data = data.cast(pa.timestamp("s"))
    unit = DAY[data.type.unit]
    if is_.is_time32(data.type):
        data = data.cast(pa.int32())  # Arrow has no way from there to 64 bits at once
    return doubles(data.cast(pa.int64())) / unit


def date_part(name: str, part: str, data: Any) -> Any:
    """Year and day are numbers; month, weekday and hour are categories."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as is_

    data = _instants(name, data)
    if is_numeric_type(data.type):
        data = pa.nulls(len(data)).cast(pa.timestamp("us"))
    try:
        found = getattr(pc, "day_of_week" if part == "weekday" else part)(data)
    except pa.ArrowNotImplementedError:
        if part == "hour" and is_.is_date(data.type):
            return date_part(name, part, data.cast(pa.timestamp("s")))
        raise ColumnError(
            f"column {name!r} holds {data.type}, which has no {part}. "
            "Leave that part out of dates=."
        ) from None
    if part in ("year", "day"):
        return found.cast(pa.float64())
    return pc.utf8_lpad(found.cast(pa.string()), width=1 if part == "weekday" else 2, padding="0")


def _instants(name: str, data: Any) -> Any:
    """Dates as Arrow has them."""
    import pyarrow.types as is_

    if is_.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    if is_numeric_type(data.type) and data.null_count < len(data):
        value = data.drop_null()[0].as_py()
        raise ColumnError(
            f"column {name!r} is a date column, and has numbers here ({value!r}). Pass "
            "dates, or text such as 2026-11-15 or 2026-11-15 20:30:00."
        )
    return data
