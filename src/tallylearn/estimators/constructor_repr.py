"""A learner in one line: the shortest call that makes it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tallylearn.errors import short_repr
from tallylearn.estimators.option_values import same

Options = Mapping[str, Any]


def shortest_call(
    name: str, options: Options, usual: Options, presets: Mapping[str, Options]
) -> str:
    """Those of the options that are not the usual ones, or not those of a preset.

    >>> words = {"C45": {"pruning": "pessimistic", "min_samples_leaf": 2}}
    >>> usual = {"pruning": None, "min_samples_leaf": 1}
    >>> shortest_call("Tree", {"pruning": "pessimistic", "min_samples_leaf": 5}, usual, words)
    'C45(min_samples_leaf=5)'
    """
    calls = [_call(name, options, usual)]
    for known, preset in presets.items():  # its words say what it is; its numbers may differ
        if all(same(options[key], word) for key, word in preset.items() if type(word) is str):
            calls.append(_call(known, options, {**usual, **preset}))
    return min(calls, key=len)


def _call(name: str, options: Options, usual: Options) -> str:
    given = (f"{key}={_written(v)}" for key, v in options.items() if not same(v, usual[key]))
    return f"{name}({', '.join(given)})"


def _written(option: Any, within: int = 2) -> str:
    """An option as it is typed; learners, in lists and pairs too, without what they learned."""
    if callable(getattr(type(option), "spelled", None)):
        return str(option.spelled())
    if type(option) is list and within:
        return f"[{', '.join(_written(one, within - 1) for one in option)}]"
    if type(option) is tuple and within and len(option) > 1:
        return f"({', '.join(_written(one, within - 1) for one in option)})"
    return short_repr(option, sys.maxsize)
