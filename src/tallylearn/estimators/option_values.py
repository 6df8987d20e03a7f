"""Values of options: equality, numbers that a double can hold, labelled values."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from tallylearn.errors import KindError

SEEDS = 1 << 32  # number of seeds that scikit-learn's generators take


def is_same_value(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are one; arrays are compared item by item.

    A model file gives a list back as a tuple, and a set in order. What cannot be compared, for it
    is ragged or raises, is not the same.
    """
    try:
        return a is b or _are_alike(a, b)
    except Exception:  # whatever an object raises
        return False


def _are_alike(a: Any, b: Any) -> bool:
    if isinstance(a, set | frozenset) or isinstance(b, set | frozenset):
        return isinstance(a, Collection) and isinstance(b, Collection) and {*a} == {*b}
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(is_same_value, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    return bool(a == b) or (a != a and b != b)  # NaN is a value too


def by_label(value: Any) -> Any:
    """A pandas Series as a dict; everything else as it is."""
    labelled = hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 1
    return value.to_dict() if labelled else value


def is_finite_number(value: Any) -> bool:
    """Whether a number is one that a double can hold."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def check_unweighted(learner: Any, given: Mapping[str, Any]) -> None:
    """Raise for arguments of ``fit`` that a learner row by row does not take, such as weights."""
    who = type(learner).__name__
    if odd := [name for name in given if name != "sample_weight"]:
        raise TypeError(f"{who}.fit() got an unexpected keyword argument {odd[0]!r}")
    if given.get("sample_weight") is not None:
        raise KindError(
            f"{who} updates its weights row by row, and takes no sample_weight. Leave it out, or "
            "repeat rows."
        )
