"""Frames: pandas, polars, Arrow, DuckDB, arrays and lists, as one plain thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, KindError, quoted_list
from tallylearn.sources.arrow.buffers import set_null
from tallylearn.sources.arrow.types import (
    column_at,
    is_string_type,
    replace_columns,
    validate_table,
)
from tallylearn.sources.memory.arrays import (
    array_of,
    check_computed,
    column,
    from_array,
    from_columns,
    from_rows,
    holds_columns,
    matrix,
    of_strings,
)
from tallylearn.sources.type_inference.column_types import PLAIN, FormatHints
from tallylearn.sources.type_inference.missing_markers import MISSING
from tallylearn.tables.string_formats import StringFormat

Array = NDArray[Any]
DOUBLE = np.dtype(np.float64)
_INDEX = re.compile(r"__index_level_\d+__|__null_dask_index__").fullmatch


@dataclass(frozen=True)
class Frame:
    """Columns in memory: a matrix where all are numbers, an Arrow table otherwise."""

    names: tuple[str, ...]
    named: bool
    matrix: Array | None = None  # (n, p) float64
    arrow: Any = None
    documents: bool = False  # one column of text, whatever its length
    read: bool = False  # from a file, where strings come as dictionaries to save room
    hints: FormatHints = PLAIN  # of how its strings are written
    missing: tuple[str, ...] = MISSING  # strings that stand for nothing in any column
    where: str = ""  # the file, for who complains
    sure: frozenset[str] = frozenset()  # columns of which more is known than these rows tell
    said: Mapping[str, StringFormat] = field(default_factory=dict)  # how columns are written here
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # words that are all
    marks: tuple[float, ...] = ()  # numbers that stand for nothing here

    def __len__(self) -> int:
        return len(self.arrow) if self.matrix is None else len(self.matrix)

    def column(self, name: str) -> Any:
        """One column as Arrow; NaN is missing."""
        import pyarrow as pa

        if self.matrix is None:
            return column_at(self.arrow, self._place[name])
        return pa.array(self.matrix[:, self._place[name]], from_pandas=True)

    def is_string(self, name: str) -> bool:
        """Whether a column comes as strings, which may stand for anything."""
        if self.matrix is not None or self.documents:
            return False
        import pyarrow.types as is_

        kind = self.arrow.schema.field(self._place[name]).type
        if is_.is_dictionary(kind):
            return self.read and is_string_type(kind.value_type)
        return is_string_type(kind)

    def is_parsed_number(self, name: str) -> bool:
        """Whether a column of a file comes as doubles, which was seen from how it is written."""
        if not self.read:
            return False
        import pyarrow.types as is_

        return bool(is_.is_float64(self.arrow.schema.field(self._place[name]).type))

    def positions(self, names: Sequence[str]) -> list[int]:
        return [self._place[name] for name in names]

    @cached_property
    def encoded_columns(self) -> dict[tuple[str, tuple[str, ...]], Any]:
        """Columns of strings that were coded, by name and by what stands for nothing in them."""
        return {}

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: at for at, name in enumerate(self.names)}


def as_frame(X: Any) -> Frame:
    """Take any table in memory."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype is DOUBLE:
        return Frame(default_names(X.shape[1]), False, matrix=X)
    if hasattr(X, "collect") and type(X).__module__.startswith("polars"):
        X = X.collect()
    _check_taken(X)
    module = type(X).__module__
    if module.startswith("pandas") and hasattr(X, "columns"):
        return _from_pandas(X)
    if hasattr(X, "__arrow_c_stream__") and not (hasattr(X, "dtype") or hasattr(X, "chunks")):
        return _from_arrow(X)
    if isinstance(X, Mapping):
        return _arrow_frame(from_columns(X) if holds_columns(X) else from_rows([X]))
    if isinstance(X, list | tuple) and X and isinstance(X[0], Mapping):
        return _arrow_frame(from_rows(X))
    if isinstance(X, list | tuple) and of_strings(X):
        return _documents(X)  # an array of NumPy is as wide as its longest string
    return _from_numpy(array_of(X))


def _check_taken(X: Any) -> None:
    check_computed(X)
    if hasattr(X, "to_arrow") and hasattr(X, "columns") and not hasattr(X, "__arrow_c_stream__"):
        raise KindError(
            f"a {type(X).__name__} without an Arrow stream would lose its column names. "
            "Pass X.to_arrow(), or update its library (polars 1.3 or later)."
        )
    if hasattr(X, "tocsr") or (hasattr(X, "nnz") and hasattr(X, "todense")):
        raise KindError(
            "a sparse matrix is not accepted as a table. Pass tl.table(X) or X.toarray(), "
            "which fill in the zeros; for word counts, tl.table(X, text=terms). Sparse "
            "input is not supported; a dense array is required."
        )


def _from_numpy(array: Array) -> Frame:
    if array.dtype.names:
        return _arrow_frame(from_columns({name: array[name] for name in array.dtype.names}))
    if array.ndim == 1 and of_strings(array):
        return _documents(array)
    found = from_array(array)
    names = default_names(array.shape[1])
    if isinstance(found, np.ndarray):
        return Frame(names, False, matrix=found)
    return Frame(names, False, arrow=found)


def _documents(texts: Any) -> Frame:
    return Frame(("text",), False, arrow=from_columns({"text": texts}), documents=True)


@lru_cache(maxsize=64)
def default_names(p: int) -> tuple[str, ...]:
    """Names for columns that have none."""
    return tuple(f"x{j}" for j in range(p))


def _arrow_frame(table: Any) -> Frame:
    """An Arrow table with its names; NaN and null are one missing."""
    import pyarrow as pa

    table = (
        table.select(without_index_names(table.column_names))
        if any(map(_INDEX, table.column_names))
        else table
    )
    _check_unique(table.column_names)
    floats = [at for at, kind in enumerate(table.schema.types) if pa.types.is_floating(kind)]
    table = replace_columns(table, {at: _without_nan(table.column(at)) for at in floats})
    return Frame(tuple(table.column_names), True, arrow=table)


def without_index_names(names: Sequence[str]) -> list[str]:
    """The names without those that pandas and Dask give to a nameless index when they write it."""
    return [name for name in names if not _INDEX(name)]


def _from_pandas(X: Any) -> Frame:
    given = X.columns.tolist()  # once: names that Arrow holds take as long as a small column
    names = tuple(map(str, given))
    _check_unique(names)
    strings = [isinstance(name, str) for name in given]
    if any(strings) and not all(strings):
        raise KindError(
            "some column names are not text. Use X.columns = X.columns.astype(str). "
            "Feature names are only supported if all input features have string names."
        )
    plain = all(isinstance(d, np.dtype) and d.kind in "fiu" for d in X.dtypes)
    if plain and (found := _to_matrix(X)) is not None:
        return Frame(names, all(strings), matrix=found)
    return Frame(names, all(strings), arrow=_arrow_of_pandas(X, names))


def _to_matrix(X: Any) -> Array | None:
    """All columns as one matrix of doubles, unless an integer is too large for one."""
    if any(d.kind in "iu" and d.itemsize == 8 for d in X.dtypes):
        columns = (x.to_numpy() for _, x in X.items())  # X.iloc costs a tenth of a small tree
        if any(x.dtype.kind in "iu" and x.itemsize == 8 and matrix(x) is None for x in columns):
            return None
    found: Array = X.to_numpy(dtype=np.float64)
    return found


def _arrow_of_pandas(X: Any, names: Sequence[str]) -> Any:
    """Column by column, so that a mixed one is named; the index stays outside."""
    import pyarrow as pa

    series = (one for _, one in X.items())
    columns = [
        column(name, _to_arrow_type(name, one)) for name, one in zip(names, series, strict=True)
    ]
    return pa.table(columns, names=list(names))


def _to_arrow_type(name: str, series: Any) -> Any:
    """The series in a type that Arrow has; the categories of ``pandas.cut`` by their names."""
    kind = str(series.dtype)
    if kind.startswith("Sparse"):
        raise KindError(f"column {name!r} is sparse. Pass X.sparse.to_dense().")
    if kind == "category" and str(series.cat.categories.dtype).startswith(("interval", "period")):
        return series.cat.rename_categories(str)
    return series


def _from_arrow(X: Any) -> Frame:
    import pyarrow as pa

    try:
        table = X if isinstance(X, pa.Table) else pa.RecordBatchReader.from_stream(X).read_all()
    except pa.ArrowException as error:
        raise InputError(
            f"the Arrow stream has no columns ({error}). Pass a frame, not a column."
        ) from None
    return _arrow_frame(validate_table(table))


def _without_nan(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(column):
        return column
    if pa.types.is_float16(column.type):  # not every version of Arrow looks for NaN among these
        column = column.cast(pa.float32())
    nan = pc.is_nan(column)
    return set_null(column, nan) if pc.any(nan).as_py() else column


def _check_unique(names: Sequence[str]) -> None:
    if twice := sorted(name for name, times in Counter(names).items() if times > 1):
        raise ColumnError(f"the table has several columns named {quoted_list(twice)}. Rename them.")
