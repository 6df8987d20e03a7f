"""Distributions: rows, their probabilities and their outcomes, read from whatever is given."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from tallylearn.errors import (
    InputError,
    KindError,
    OptionError,
    call_user_function,
    error_context,
    items_of,
    quoted_list,
    short_repr,
)
from tallylearn.evaluation.theory.all_samples import Number
from tallylearn.sources.memory.frames import as_frame

TOLERANCE = 1e-9  # by which floats may miss a sum of 1; fractions may not


def rows_of(rows: Any, probabilities: Any) -> tuple[tuple[Any, ...], list[Any]]:
    if isinstance(rows, Mapping):
        if probabilities is not None:
            raise OptionError(
                "the dict of rows has probabilities already, and p gives others. Leave "
                "one of them out."
            )
        found, given = list(rows), list(rows.values())
    else:
        found = _rows_of_table(rows)
        given = items_of(probabilities) or []
    if not found or len(found) != len(given):
        raise InputError(
            f"there are {len(found)} rows and {len(given)} probabilities. Give one "
            "probability per row."
        )
    return tuple(found), given


def _rows_of_table(rows: Any) -> list[Any]:
    """The rows of a frame as dicts, of an array or a list of lists as tuples."""
    if hasattr(rows, "columns"):
        frame = as_frame(rows)
        columns = (frame.column(name).to_pylist() for name in frame.names)
        return [dict(zip(frame.names, line, strict=True)) for line in zip(*columns, strict=True)]
    found = items_of(rows.tolist() if isinstance(rows, np.ndarray) else rows)
    if found is None:
        raise KindError(
            f"rows is {short_repr(rows)}. Give a dict of rows and probabilities, or a list of rows."
        )
    plain = [row.tolist() if isinstance(row, np.ndarray) else row for row in found]
    return [tuple(row) if isinstance(row, list) else row for row in plain]


def distribution(given: Iterable[Any], names: Sequence[str]) -> tuple[Number, ...]:
    """Probabilities, each at least 0, that sum to 1."""
    found = tuple(_probability(p, name) for p, name in zip(given, names, strict=True))
    whole = total(found)
    if whole != 1 and (isinstance(whole, Fraction) or not abs(whole - 1) <= TOLERANCE):
        raise InputError(
            f"the probabilities {quoted_list(map(str, found))} sum to {whole}, not "
            "to 1. Divide each by their sum."
        )
    return found


def _probability(given: Any, name: str) -> Number:
    try:
        found: Number = Fraction(given) if isinstance(given, Rational | str) else float(given)
    except (TypeError, ValueError, ZeroDivisionError):
        found = -1.0
    if isinstance(given, bool) or not 0 <= found <= 1:
        raise InputError(f"{name} has the probability {given!r}. Give a number from 0 to 1.")
    return found


def targets(rows: tuple[Any, ...], target: Any) -> list[dict[Any, Number]]:
    """The outcomes of every row with their probabilities."""
    if callable(target):
        found: list[Any] = [call_user_function("target", target, row) for row in rows]
    elif isinstance(target, Mapping):
        found = [look_up(target, row, "target") for row in rows]
    else:
        outcomes = None if isinstance(target, str) else items_of(target)
        if outcomes is None or len(outcomes) != len(rows):
            raise InputError(
                f"target is {short_repr(target, 60)}. Give a function, a dict, or a "
                "list with one outcome per row."
            )
        found = outcomes
    return [_outcomes(outcome, row) for outcome, row in zip(found, rows, strict=True)]


def _outcomes(outcome: Any, row: Any) -> dict[Any, Number]:
    if not isinstance(outcome, Mapping):
        if not isinstance(outcome, Hashable):
            raise InputError(
                f"the target of row {short_repr(row)} is {short_repr(outcome)}. Give "
                "one outcome, or a dict of outcomes and probabilities."
            )
        return {outcome.item() if isinstance(outcome, np.generic) else outcome: Fraction(1)}
    names = [f"outcome {value!r} of row {row!r}" for value in outcome]
    with error_context(f"target of row {row!r}"):
        return dict(zip(outcome, distribution(outcome.values(), names), strict=True))


def look_up(given: Mapping[Any, Any], row: Any, name: str) -> Any:
    try:
        return given[row]
    except (KeyError, TypeError):
        raise InputError(
            f"{name} has no value for the row {row!r}. Give one for every row."
        ) from None


def total(numbers: Iterable[Number]) -> Number:
    return sum(numbers, start=Fraction(0))


def values(row: Any) -> tuple[Any, ...]:
    if isinstance(row, Mapping):
        return tuple(row.values())
    return row if isinstance(row, tuple) else (row,)


def in_order(outcomes: set[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(outcomes))
    except TypeError:
        raise InputError(
            f"the target mixes types: {quoted_list(outcomes)}. Convert them to one type."
        ) from None


def to_plain_value(value: Any) -> Any:
    """A value that NumPy and learners know: fractions as floats."""
    if isinstance(value, Fraction):
        return float(value)
    return value.item() if isinstance(value, np.generic) else value
