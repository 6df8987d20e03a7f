"""Priors, likelihoods and losses read from dicts, Series and data frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tallylearn.errors import InputError, short_repr
from tallylearn.reasoning.names import check_name

Columns = list[tuple[Any, list[Any]]]  # names and values, those of an index first


def numbers_by_name(given: Any) -> Any:
    """{name: number} of a dict, a Series, or a frame whose last column has the numbers.

    What is none of these comes back as it is.
    """
    columns = _columns(given)
    if columns is None or len(columns) < 2:
        return given
    return _dict_of_keys(_keys(columns[:-1]), columns[-1][1])


def rows_by_name(given: Any, keys: int = 1) -> Any:
    """{name: {name: number}} of nested dicts, of Series, or of a frame: its index or its first
    columns name the rows. What is none of these comes back as it is.
    """
    if isinstance(given, Mapping):
        return {name: numbers_by_name(row) for name, row in given.items()}
    columns = _columns(given)
    if columns is None or len(columns) < 2:
        return given
    keys = _levels(given) or min(keys, len(columns) - 1)
    if _of_pandas(given) and not hasattr(given, "columns"):  # a Series of dicts, or of Series
        return {name: numbers_by_name(row) for name, row in numbers_by_name(given).items()}
    names = [name for name, _ in columns[keys:]]
    rows = zip(*(values for _, values in columns[keys:]), strict=True)
    return _dict_of_keys(
        _keys(columns[:keys]), [dict(zip(names, row, strict=True)) for row in rows]
    )


def key_names(given: Any) -> tuple[str, ...]:
    """What a Series or a frame calls the places of its keys; nothing in a dict."""
    names = tuple(name for name, _ in (_columns(given) or [])[:-1])
    return names if all(isinstance(name, str) for name in names) else ()


def _columns(given: Any) -> Columns | None:
    """The columns of a frame or a Series, the labels of its rows before them."""
    if _of_pandas(given):
        levels = [given.index.get_level_values(at).tolist() for at in range(_levels(given))]
        index = [*zip(given.index.names, levels, strict=False)]
        if not hasattr(given, "columns"):
            return [*index, (given.name, given.tolist())] if index else None
        named = zip(given.columns.tolist(), range(given.shape[1]), strict=True)
        return [*index, *((name, given.iloc[:, at].tolist()) for name, at in named)]
    if hasattr(given, "columns") and hasattr(given, "__arrow_c_stream__"):
        import pyarrow as pa

        table = pa.table(given)
        return [*zip(table.column_names, (c.to_pylist() for c in table.columns), strict=True)]
    return None


def _levels(given: Any) -> int:
    """How many places the index of a pandas object has; of a frame, rows that are numbered have
    no labels.
    """
    if not _of_pandas(given):
        return 0
    numbered = type(given.index).__name__ == "RangeIndex" and given.index.name is None
    return 0 if numbered and hasattr(given, "columns") else int(given.index.nlevels)


def _of_pandas(given: Any) -> bool:
    return type(given).__module__.partition(".")[0] == "pandas" and hasattr(given, "index")


def _keys(columns: Columns) -> Iterable[Any]:
    values = [found for _, found in columns]
    return values[0] if len(values) == 1 else zip(*values, strict=True)


def _dict_of_keys(keys: Iterable[Any], values: Sequence[Any]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(keys, values, strict=True):
        check_name(key, "the name")
        if key in found:
            raise InputError(f"{short_repr(key)} occurs twice. Give one row for each name.")
        found[key] = value
    return found
