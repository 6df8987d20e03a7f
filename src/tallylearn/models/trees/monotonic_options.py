"""Which columns answers may only rise or fall with: as a user says it, and what it goes with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, OptionError, quoted_list, short_repr
from tallylearn.tables import DATE, NUMBER, Schema

SLOPES = (-1, 0, 1)


def slopes_of(
    given: Any, schema: Schema, classes: tuple[Any, ...], option: str = "monotonic_cst"
) -> tuple[int, ...]:
    """A slope for every column of a table, () where nothing is said."""
    if given is None:
        return ()
    if len(classes) > 2:
        raise OptionError(
            f"{option} needs two classes, and there are {len(classes)}. Leave it out. "
            "Monotonicity constraints are not supported with multiclass classification"
        )
    found = (_by_name if isinstance(given, Mapping) else _by_position)(given, schema, option)
    odd = [value for value in found if isinstance(value, str) or value not in SLOPES]
    if odd:
        raise OptionError(
            f"{option} must be None or an array-like of -1, 0 or 1, but got "
            f"{short_repr(odd[0])}. 1: predictions never fall as the column rises; -1: they never "
            "rise."
        )
    for column, slope in zip(schema.columns, found, strict=True):
        if slope and column.kind not in (NUMBER, DATE):
            raise OptionError(
                f"{option} is {slope:g} for {column.name!r}, which has no order: it is "
                "neither a number nor a date. Set it to 0."
            )
    return tuple(int(slope) for slope in found)


def _by_name(given: Mapping[Any, Any], schema: Schema, option: str) -> list[Any]:
    if lost := [name for name in given if name not in schema.names]:
        raise ColumnError(
            f"{option} names {quoted_list(lost)}, and the table has "
            f"{quoted_list(schema.names)}. Use names of its columns."
        )
    return [given.get(name, 0) for name in schema.names]


def _by_position(given: Any, schema: Schema, option: str) -> list[Any]:
    try:
        found = [] if isinstance(given, str) else np.asarray(given).tolist()
    except (TypeError, ValueError):
        found = []
    if not isinstance(found, list) or any(isinstance(one, list) for one in found) or not found:
        raise OptionError(
            f"{option} must be a dict {{column: -1, 0 or 1}}, or a list with -1, 0 or 1 for "
            f"every column, not {short_repr(given)}."
        )
    if len(found) != len(schema.columns):
        raise OptionError(
            f"{option} has shape {len(found)} but the input data X has {len(schema.columns)} "
            f"features: {quoted_list(schema.names)}. Give one for each, or a dict by column name."
        )
    return found


def check_goes_with(learner: Any) -> None:
    """What asks or takes back questions by other rules cannot keep the order."""
    if learner.monotonic_cst is None:
        return
    refused = {
        'criterion="absolute_error"': ("criterion", "absolute_error", 'criterion="squared_error"'),
        'variant="c45"': ("variant", "c45", "variant=None"),
        'pruning="pessimistic"': ("pruning", "pessimistic", "ccp_alpha="),
        'pruning="chi2"': ("pruning", "chi2", "significance="),
        'missing="fractional"': ("missing", "fractional", 'missing="branch"'),
    }
    for said, (name, value, remedy) in refused.items():
        given = getattr(learner, name, None)
        if isinstance(given, str) and given == value:
            raise OptionError(f"monotonic_cst cannot be combined with {said}. Use {remedy}.")
