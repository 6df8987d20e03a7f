"""Frames: pandas, polars, Arrow, DuckDB and whatever else speaks Arrow, as one plain thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, KindError, listed
from tallylearn.sources.arrays import from_python, matrix, mixed

Array = NDArray[Any]


@dataclass(frozen=True)
class Frame:
    """Columns in memory: a matrix where all are numbers, an Arrow table otherwise."""

    names: tuple[str, ...]
    named: bool
    matrix: Array | None = None  # (n, p) float64
    arrow: Any = None

    def __len__(self) -> int:
        return len(self.arrow) if self.matrix is None else len(self.matrix)

    def column(self, name: str) -> Any:
        """One column as Arrow; NaN is missing."""
        import pyarrow as pa

        if self.matrix is None:
            return self.arrow.column(self.names.index(name))
        return pa.array(self.matrix[:, self.names.index(name)], from_pandas=True)

    def positions(self, names: Sequence[str]) -> list[int]:
        return [self.names.index(name) for name in names]


def framed(X: Any) -> Frame:
    """Take any table in memory."""
    if hasattr(X, "collect") and type(X).__module__.startswith("polars"):
        raise KindError("a polars LazyFrame has no rows yet: pass X.collect().")
    if type(X).__module__.startswith("pandas") and hasattr(X, "columns"):
        return _from_pandas(X)
    if hasattr(X, "__arrow_c_stream__") and not hasattr(X, "null_count"):
        return _from_arrow(X)
    found = from_python(X)
    if isinstance(found, np.ndarray):
        return Frame(tuple(f"x{j}" for j in range(found.shape[1])), False, matrix=found)
    named = not (isinstance(X, np.ndarray) and X.dtype.names is None) and not _is_rows(X)
    return Frame(tuple(found.column_names), named, arrow=found)


def _from_pandas(X: Any) -> Frame:
    names = [str(name) for name in X.columns]
    _check_unique(names)
    strings = [isinstance(name, str) for name in X.columns]
    if any(strings) and not all(strings):
        raise KindError(
            "some of the columns' names are not text. Feature names are only supported if all input "
            "features have string names; use X.columns = X.columns.astype(str)."
        )
    if len(names) and all(isinstance(d, np.dtype) and d.kind in "fiu" for d in X.dtypes):
        return Frame(tuple(names), all(strings), matrix=matrix(X.to_numpy(), names))
    return Frame(tuple(names), all(strings), arrow=_arrow_of_pandas(X, names))


def _arrow_of_pandas(X: Any, names: list[str]) -> Any:
    """Column by column, so that a mixed one is named; the index stays outside."""
    import pyarrow as pa

    columns = []
    for j, name in enumerate(names):
        series = X.iloc[:, j]
        try:
            columns.append(_chunked(pa.array(series, from_pandas=True)))
        except (pa.ArrowException, OverflowError, TypeError, ValueError):
            raise mixed(name, series.tolist()) from None
    return pa.table(columns, names=names)


def _chunked(array: Any) -> Any:
    import pyarrow as pa

    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _from_arrow(X: Any) -> Frame:
    import pyarrow as pa

    try:
        table = X if isinstance(X, pa.Table) else pa.RecordBatchReader.from_stream(X).read_all()
    except pa.ArrowInvalid as error:
        raise InputError(f"the table does not come as rows of columns: {error}") from None
    _check_unique(table.column_names)
    columns = [_without_nan(column) for column in table.columns]
    return Frame(tuple(table.column_names), True, arrow=pa.table(columns, names=table.column_names))


def _without_nan(column: Any) -> Any:
    """NaN and null are one missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type) or not len(column):
        return column
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def _check_unique(names: Sequence[str]) -> None:
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ColumnError(f"the table has several columns named {listed(twice)}. Rename them.")


def _is_rows(X: Any) -> bool:
    return isinstance(X, Sequence) and not isinstance(X, str) and len(X) > 0 and isinstance(
        X[0], list | tuple | np.ndarray
    )
