"""An estimator in one line: the shortest call that makes it, and what it was fitted to."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tallylearn.errors import quoted_list, short_repr
from tallylearn.estimators.option_values import is_same_value
from tallylearn.tables import IMPORTANCE, SAMPLE_WEIGHT

Options = Mapping[str, Any]
MAX_LISTED_NAMES = 6  # columns, and classes, in a repr
MAX_NESTED_LISTS = 2  # lists within lists that are written out


def describe_fit(estimator: Any) -> str:
    """What an estimator was fitted to: rows, where they were counted, columns and classes."""
    schema = estimator.schema_
    identifiers = schema.identifiers
    names = [name for name in schema.names if name not in identifiers]
    columns = f"{len(names)} column{'s' if len(names) != 1 else ''}"
    if schema.named:
        columns += f" ({quoted_list(names, MAX_LISTED_NAMES)})"
    rows, classes = estimator._count_training_rows(), getattr(estimator, "classes_", None)
    counts = ""
    if rows is not None:
        many = f"{int(rows):,} row{'s' if rows != 1 else ''}"
        many = many if rows.is_integer() else f"weight {rows:,.6g}"
        meaning = {IMPORTANCE: ", by importance,", SAMPLE_WEIGHT: ", with sample weights,"}
        counts = f"{many}{meaning.get(estimator._weight_kind(), '')} of "
    text = f"learned from {counts}{columns}"
    formula = getattr(getattr(estimator.model_, "design", None), "formula", None)
    if formula is not None:
        text += f" by {formula.text!r}"
    if classes is not None:
        text += f", classes {quoted_list(classes.tolist(), MAX_LISTED_NAMES)}"
    if identifiers:
        text += f"; identifiers, not used: {quoted_list(identifiers, MAX_LISTED_NAMES)}"
    dropped = estimator.unanswered_.messages(estimator.target_name_)
    return "; ".join([text, *dropped])


def shortest_call(
    name: str, options: Options, defaults: Options, presets: Mapping[str, Options]
) -> str:
    """The call with the options that differ from the defaults, or from those of a preset.

    >>> presets = {"C45": {"pruning": "pessimistic", "min_samples_leaf": 2}}
    >>> defaults = {"pruning": None, "min_samples_leaf": 1}
    >>> shortest_call("Tree", {"pruning": "pessimistic", "min_samples_leaf": 5}, defaults, presets)
    'C45(min_samples_leaf=5)'
    """
    calls = [_call(name, options, defaults)]
    for known, preset in presets.items():  # its strings say what it is; its numbers may differ
        if all(
            is_same_value(options[key], word) for key, word in preset.items() if type(word) is str
        ):
            calls.append(_call(known, options, {**defaults, **preset}))
    return min(calls, key=len)


def _call(name: str, options: Options, defaults: Options) -> str:
    given = (
        f"{key}={_code(v)}" for key, v in options.items() if not is_same_value(v, defaults[key])
    )
    return f"{name}({', '.join(given)})"


def _code(option: Any, depth: int = MAX_NESTED_LISTS) -> str:
    """An option as it is typed; learners, in lists and pairs too, without what they learned."""
    if callable(getattr(type(option), "constructor_call", None)):
        return str(option.constructor_call())
    if type(option) is list and depth:
        return f"[{', '.join(_code(one, depth - 1) for one in option)}]"
    if type(option) is tuple and depth and len(option) > 1:
        return f"({', '.join(_code(one, depth - 1) for one in option)})"
    return short_repr(option, sys.maxsize)
