"""Arrays, lists and dicts: whatever is not a frame and not a file, as a matrix or as Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError, InputError, KindError, items_of, short_repr
from tallylearn.sources.arrow.buffers import plain_of
from tallylearn.sources.files.csv.cell_errors import as_code, large_integer_error

Array = NDArray[Any]
EXACT = 2**53  # beyond, a double does not hold every integer
LARGEST = int(np.finfo(np.float64).max)
_ONE_D = (
    "Expected 2D array, got 1D array instead. Reshape your data either using array.reshape(-1, 1) "
    "if your data has a single feature or array.reshape(1, -1) if it contains a single sample; one "
    "row of a frame is frame.iloc[[0]], one column frame[['x']]."
)


def array_of(X: Any) -> Array:
    """Anything that NumPy takes; masked cells are missing."""
    try:
        return array_of_items(X)
    except KindError:
        raise
    except ValueError:
        raise _ragged_rows_error(X) from None


def array_of_items(items: Any) -> Array:
    """An array; of objects where NumPy would make one type of several, as of [1, "a"].

    Cells that a mask hides are missing; one of named fields is unmasked field by field.
    """
    array = _asarray(items)
    if not isinstance(items, list | tuple) or array.dtype.kind not in "USiufc":
        return array
    kinds = _types(items)
    if array.dtype.kind in "US":
        same = all(issubclass(kind, str | bytes) for kind in kinds)
    else:
        same = kinds.isdisjoint((bool, np.bool_)) and not _may_be_rounded(array)
    return array if same else np.array(items, dtype=object)


def check_computed(X: Any) -> None:
    """Refuse a Dask collection: NumPy would compute all of it, and drop its column names."""
    if not hasattr(X, "__dask_graph__"):  # Dask's own mark of a collection
        return
    what = f"a Dask collection ({type(X).__module__.split('.')[0]} {type(X).__name__})"
    if hasattr(X, "to_parquet"):
        remedy = (
            "If it fits into memory, pass X.compute(). If not, write it with "
            "X.to_parquet('folder', write_index=False) and pass 'folder/*.parquet', which is read "
            "in blocks."
        )
    else:
        remedy = "Pass X.compute(), which holds it in memory."
    raise KindError(f"{what} cannot be read as a table or a column. {remedy}")


def _asarray(items: Any) -> Array:
    """NumPy's array; what an object's own conversion raises is an error of ours."""
    check_computed(items)
    try:
        found = fill_masked(_stack_masked(items))
        return found if isinstance(found, np.ma.MaskedArray) else np.asarray(found)
    except (ValueError, MemoryError):
        raise  # rows of different lengths: told by whoever knows what the rows are
    except Exception as error:
        raise KindError(
            f"a {type(items).__name__} cannot be converted to an array: "
            f"{type(error).__name__} ({str(error)[:100]}). Pass a list, a NumPy array, or a "
            "column of a frame."
        ) from None


def _stack_masked(items: Any) -> Any:
    """Rows of which some have a mask, as one array with all of them; NumPy's would lose it."""
    if not isinstance(items, list | tuple):
        return items
    kinds = set(map(type, items)) - {type(np.ma.masked)}  # one value, which becomes NaN
    masked = any(issubclass(kind, np.ma.MaskedArray) for kind in kinds)
    return np.ma.asarray(items) if masked else items


def fill_masked(values: Any) -> Any:
    """Cells that a mask hides as NaN, NaT or None; what has no mask, or named fields, as it came.

    What lies under a mask is a value as good as any other, to whoever does not look at the mask.
    """
    if not isinstance(values, np.ma.MaskedArray) or values.dtype.names:
        return values
    array, hidden = np.asarray(values), np.ma.getmaskarray(values)
    if not hidden.any():
        return array
    kind = array.dtype.kind
    gap: Any = None
    if kind in "mM":
        array, gap = array.copy(), np.array("NaT", dtype=array.dtype)[()]
    elif kind in "iuf" and (kind == "f" or matrix(array[~hidden]) is not None):
        array, gap = array.astype(np.float64), np.nan
    else:
        array = array.astype(object)
    array[hidden] = gap
    return array


def _types(items: Any) -> set[type]:
    """The types of the values in a list, or in a list of rows."""
    found = set(map(type, items))
    if found & {list, tuple, np.ndarray}:
        rows = (row if isinstance(row, list | tuple) else np.atleast_1d(row) for row in items)
        found = set().union(*(map(type, row) for row in rows))
    return found


def matrix(array: Array) -> Array | None:
    """Numbers as doubles; none where an integer may be one that a double cannot hold."""
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size
    if wide and max(abs(int(array.max())), abs(int(array.min()))) > EXACT:
        return None
    return np.asarray(array, dtype=np.float64)


def from_array(array: Array) -> Any:
    """A float matrix (n, p), or an Arrow table where there is more than numbers."""
    if array.ndim != 2:
        raise InputError(_ONE_D) if array.ndim == 1 else _no_table(array)
    if array.dtype.kind == "c":
        raise InputError(
            "the table has complex numbers. Pass real and imaginary parts as columns. "
            "Complex data not supported."
        )
    if array.dtype.kind in "fiu" and (found := matrix(array)) is not None:
        return found
    return from_columns({f"x{j}": array[:, j] for j in range(array.shape[1])})


def from_rows(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as dicts: the columns are the names of all of them, in order of appearance."""
    names: dict[str, None] = {}
    for at, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"row {at} of a list of dicts is {row!r}. Pass a dict for every row.")
        names.update(dict.fromkeys(row))
    return from_columns({name: [row.get(name) for row in rows] for name in names})


def from_columns(columns: Mapping[str, Any]) -> Any:
    """Columns by name, as an Arrow table."""
    import pyarrow as pa

    for name, values in columns.items():
        check_computed(values)
        _check_column(name, values)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(
            f"the columns have different lengths: {lengths}. Pass one value per row in "
            "every column."
        )
    return pa.table({str(name): column(str(name), values) for name, values in columns.items()})


def _check_column(name: object, values: Any) -> None:
    """A column is neither a table nor an array without an axis."""
    axes = len(getattr(values, "shape", (0,)))
    if axes == 0 or (axes > 1 and not isinstance(values, np.ndarray)):
        raise KindError(
            f"column {short_repr(name)} is a {type(values).__name__} with {axes} "
            "dimensions. Pass one value per row: a list, a 1-d array, or a column of a "
            "frame."
        )


def column(name: str, values: Any) -> Any:
    """One Arrow array from any values, or an error that names the odd one out."""
    import pyarrow as pa

    pure = _to_python_values(fill_masked(values))
    if hasattr(getattr(pure, "array", None), "codes"):
        return _categorical(name, pure.array)
    if (found := plain_of(pure)) is not None:
        return found
    if isinstance(pure, list | tuple) and _holds_arrays(pure):
        raise mixed_types_error(
            name, pure
        )  # Arrow's conversion of arrays of several types ends the process
    try:
        if hasattr(pure, "__arrow_c_stream__") and not _of_pandas(pure):
            return pa.chunked_array(pure)
        found = pa.array(pure, from_pandas=True)
    except OverflowError:
        return _to_decimals(name, pure)
    except (pa.ArrowException, TypeError, ValueError):
        raise mixed_types_error(name, pure) from None
    if isinstance(pure, list | tuple) and pa.types.is_floating(found.type) and bool in _types(pure):
        raise mixed_types_error(name, pure)  # Arrow takes [1.5, True] as numbers
    return found


def _holds_arrays(cells: Sequence[Any]) -> bool:
    """Whether a cell is an array, or a list with one in it."""
    kinds = set(map(type, cells))
    if any(issubclass(kind, np.ndarray) for kind in kinds):
        return True
    nested = kinds & {list, tuple}
    return bool(nested) and any(_holds_arrays(cell) for cell in cells if type(cell) in nested)


def _categorical(name: str, values: Any) -> Any:
    """A categorical of pandas: its codes as they are, unless some are missing."""
    import pyarrow as pa

    codes = np.ascontiguousarray(values.codes)
    dictionary = column(name, np.asarray(values.categories))
    kind = pa.from_numpy_dtype(codes.dtype)
    at = pa.Array.from_buffers(kind, len(codes), [None, pa.py_buffer(codes)])
    if len(codes) and codes.min() < 0:
        at = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(at, dictionary, safe=False)


def holds_columns(X: Mapping[str, Any]) -> bool:
    """Whether a dict has a sequence for every name, and not one row's values."""
    return bool(X) and all(
        isinstance(v, list | tuple | np.ndarray)
        or hasattr(v, "__arrow_c_stream__")
        or hasattr(v, "__arrow_c_array__")
        or (_of_pandas(v) and getattr(v, "ndim", 0) == 1)  # older ones give Arrow no stream
        for v in X.values()
    )


def of_strings(array: Array | Sequence[Any]) -> bool:
    """Whether these are documents: one string a row, or nothing."""
    if isinstance(array, np.ndarray) and array.dtype.kind != "O":
        return array.dtype.kind in "UT"
    if not all(isinstance(item, str) or is_missing(item) for item in array):
        return False
    return any(isinstance(item, str) for item in array)


def is_missing(value: Any) -> bool:
    """None, NaN, that of a Decimal too, and pandas' own."""
    if value is None or (isinstance(value, float) and value != value):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a comparison of a signaling NaN is an error
    return type(value).__name__ in ("NAType", "NaTType")


def mixed_types_error(name: object, values: Any) -> Exception:
    """The error for a column of several types."""
    first: Any = None
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if not isinstance(value, str | int | float | bool | np.generic):
            return KindError(
                f"column {name!r} has {short_repr(value)} in row {row}, of type "
                f"{type(value).__name__}: argument must be a string or a number. Convert the value."
            )
        if isinstance(value, int) and not is_exact_double(value):
            return large_integer_error(name, value, row)
        if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
            return ColumnError(
                f"column {name!r} has text in row {row} with a lone surrogate, which cannot be "
                f"encoded ({value[:40]!r}). Decode it with errors='replace'."
            )
        first = value if first is None else first
        if any(isinstance(value, kind) != isinstance(first, kind) for kind in (str, bool)):
            kinds = f"{type(first).__name__} and {type(value).__name__}"
            return ColumnError(
                f"column {name!r} mixes {kinds}: {value!r} in row {row}. Convert the column to "
                "one type, or empty that cell."
            )
    return ColumnError(f"column {name!r} mixes types. Convert it to one type.")


def as_float(value: Any) -> float:
    """A number as a double; infinite where it is larger than any."""
    if isinstance(value, np.ndarray):
        raise TypeError("an array is no number")  # older versions of NumPy take one of one value
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def is_exact_double(value: int) -> bool:
    """Whether a double holds an integer."""
    return abs(value) <= EXACT or (abs(value) <= LARGEST and int(float(value)) == value)


def _to_python_values(values: Any) -> Any:
    """NumPy's own numbers among objects come as Python's."""
    if getattr(getattr(values, "dtype", None), "kind", "") == "O" and not _of_pandas(values.dtype):
        return [value.item() if isinstance(value, np.generic) else value for value in values]
    return values


def _to_decimals(name: str, values: Any) -> Any:
    """Integers beyond 64 bits as decimals: whoever reads them as numbers gets an error."""
    import pyarrow as pa

    if not all(is_missing(value) or type(value) is int for value in values):
        raise mixed_types_error(name, values) from None
    try:
        return pa.array([None if is_missing(value) else Decimal(value) for value in values])
    except pa.ArrowException:
        raise ColumnError(
            f"column {name!r} has integers of more than 76 digits. Pass them as text, or leave the "
            f"column out with ignore={as_code([name])}."
        ) from None


def _of_pandas(values: Any) -> bool:
    return type(values).__module__.startswith("pandas")


def _may_be_rounded(array: Array) -> bool:
    """Whether NumPy may have made doubles of large integers."""
    return array.dtype.kind == "f" and bool((np.abs(array) >= EXACT).any())


def _ragged_rows_error(X: Any) -> InputError:
    rows = [[row] if isinstance(row, str) or (items := items_of(row)) is None else items
            for row in X]  # fmt: skip
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            return InputError(
                f"row {at} has {len(row)} cells, and row 0 has {len(rows[0])}. Pass rows of the "
                "same length."
            )
    return _nested_cell_error(rows)


def _nested_cell_error(rows: Sequence[Any]) -> InputError:
    cells = ((at, j, cell) for at, row in enumerate(rows) for j, cell in enumerate(row))
    long = (cell for cell in cells if hasattr(cell[2], "__len__") and not isinstance(cell[2], str))
    at, j, odd = next(long, (0, 0, rows[0]))
    return InputError(
        f"row {at} has a {type(odd).__name__} in column 'x{j}' ({short_repr(odd)}), and "
        "a cell can have only one value. Split it into columns, or leave it out."
    )


def _no_table(array: Array) -> Exception:
    if array.ndim == 0:
        kind = type(array.item()).__name__
        return KindError(
            f"a table was expected, not a value of type {kind}. Pass a frame, a 2-d array, "
            "a list of rows, a dict of columns, or the path of a file."
        )
    return InputError(
        f"Expected 2D array, got an array of {array.ndim} dimensions. A table has rows and "
        "columns: use X.reshape(len(X), -1)."
    )
