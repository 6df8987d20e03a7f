"""Arrays, lists and dicts: whatever is not a frame and not a file, as a matrix or as Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, KindError
from tallylearn.sources.columns import EXACT, too_large

Array = NDArray[Any]
_ONE_D = (
    "Expected 2D array, got 1D array instead. A table has rows and columns: for one column use "
    "X.reshape(-1, 1), for one row X.reshape(1, -1). Reshape your data either using "
    "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains "
    "a single sample."
)


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") or (hasattr(X, "nnz") and hasattr(X, "todense"))


def from_python(X: Any) -> Any:
    """A float matrix (n, p), or an Arrow table where there is more than numbers."""
    if is_sparse(X):
        raise KindError(
            "a sparse matrix is not taken as a table: pass X.toarray(). "
            "Sparse input is not supported; a dense array is required."
        )
    if isinstance(X, Mapping):
        return _from_columns(X) if _holds_columns(X) else from_rows([X])
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
        return from_rows(X)
    array = _array(X)
    if array.dtype.names:
        return _from_columns({name: array[name] for name in array.dtype.names})
    if array.ndim == 1 and _of_strings(array):
        return _from_columns({"text": array})
    if array.ndim != 2:
        raise InputError(_ONE_D if array.ndim == 1 else f"Expected 2D array, got {_shape(array)}.")
    if array.dtype.kind == "c":
        raise InputError("a table of complex numbers. Complex data not supported.")
    if array.dtype.kind in "fiu":
        return matrix(array)
    if array.dtype.kind == "b":
        return _from_columns({f"x{j}": array[:, j] for j in range(array.shape[1])})
    return _from_objects(array)


def matrix(array: Array, names: Sequence[object] | None = None) -> Array:
    """Numbers as doubles; an integer that a double cannot hold is an error."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > EXACT:
            _check_whole(array, names)
    return np.asarray(array, dtype=np.float64)


def from_rows(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as dicts: the columns are the names of all of them, in order of appearance."""
    names: dict[str, None] = {}
    for row in rows:
        if not isinstance(row, Mapping):
            raise InputError(f"a list of rows as dicts, and {row!r} is not a dict.")
        names.update(dict.fromkeys(row))
    return _from_columns({name: [row.get(name) for row in rows] for name in names})


def column(name: str, values: Any) -> Any:
    """One Arrow array from Python or NumPy values, or an error that names the odd one out."""
    import pyarrow as pa

    try:
        return pa.array(_pure(values), from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        raise mixed(name, values) from None


def mixed(name: object, values: Any) -> Exception:
    """The error for a column of several types."""
    first: Any = None
    for row, value in enumerate(values):
        if value is None or value != value:
            continue
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            return too_large(name, value, row)
        if not isinstance(value, str | int | float | bool | np.generic):
            return KindError(
                f"column {name!r} has {value!r} in row {row}, of type {type(value).__name__}: "
                "argument must be a string or a number."
            )
        first = value if first is None else first
        if isinstance(value, str) != isinstance(first, str):
            return ColumnError(
                f"column {name!r} mixes {type(first).__name__} and {type(value).__name__}: {value!r} "
                f"in row {row}. Convert the column to one type, or mark that value as missing."
            )
    return ColumnError(f"column {name!r} mixes types. Convert it to one type.")


def _pure(values: Any) -> Any:
    """NumPy's own numbers inside an object array come as Python's."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    return values


def _array(X: Any) -> Array:
    try:
        array = np.asarray(X)
    except ValueError:
        lengths = sorted({len(row) for row in X if hasattr(row, "__len__")})
        raise InputError(f"rows of different lengths ({lengths}). Every row needs every cell.") from None
    if array.dtype.kind == "U" and array.ndim == 2 and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # NumPy turns [1, "a"] into two strings
    return array


def _from_objects(array: Array) -> Any:
    """Column by column; numbers throughout stay a matrix."""
    import pyarrow as pa

    columns = [column(f"x{j}", array[:, j]) for j in range(array.shape[1])]
    if columns and all(pa.types.is_floating(c.type) or pa.types.is_integer(c.type) for c in columns):
        return matrix(array.astype(np.float64))
    return pa.table(dict(zip((f"x{j}" for j in range(len(columns))), columns, strict=True)))


def _from_columns(columns: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns of different lengths: {lengths}.")
    return pa.table({str(name): column(str(name), values) for name, values in columns.items()})


def _holds_columns(X: Mapping[str, Any]) -> bool:
    return bool(X) and all(isinstance(v, list | tuple | np.ndarray) for v in X.values())


def _of_strings(array: Array) -> bool:
    if array.dtype.kind == "U":
        return True
    return array.dtype.kind == "O" and all(isinstance(item, str) for item in array)


def _check_whole(array: Array, names: Sequence[object] | None) -> None:
    back = array.astype(np.float64)
    for row, j in np.argwhere(np.abs(back) > EXACT):
        if int(back[row, j]) != int(array[row, j]):
            raise too_large(names[j] if names else f"x{j}", int(array[row, j]), int(row))


def _shape(array: Array) -> str:
    return f"an array of {array.ndim} dimensions"
