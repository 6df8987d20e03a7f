"""Said columns: those that a call names, one or several, by text, each of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tallylearn.errors import OptionError, told


def check_once(kinds: Mapping[str, Sequence[str] | Mapping[str, Any]]) -> None:
    """A column has one kind."""
    seen: dict[str, str] = {}
    for option, names in kinds.items():
        for name in names:
            if name in seen:
                raise OptionError(
                    f"{seen[name]} and {option} both name the column {name!r}. Leave one out."
                )
            seen[name] = option


def several(value: Any) -> tuple[Any, ...]:
    """One value, or many."""
    if value is None:
        return ()
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or _single(value):
        return (value,)
    return tuple(value)


def _single(value: Any) -> bool:
    """An array without an axis is one value."""
    return getattr(value, "shape", None) == ()


def named(value: Any) -> Mapping[str, Any]:
    """Columns by name, each with what is said of it; names alone say nothing more."""
    alone = not isinstance(value, Mapping)
    pairs = ((name, ()) for name in several(value)) if alone else value.items()
    return {name_of(name): several(chosen) for name, chosen in pairs}


def name_of(value: Any) -> str:
    """The name of a column."""
    if not isinstance(value, str):
        raise OptionError(f"columns are named by text, not by {told(value)}.")
    return value
