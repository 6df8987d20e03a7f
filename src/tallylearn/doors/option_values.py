"""Option values: is one the other, and is it a number that a double can hold?"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np


def same(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are one; arrays are compared item by item.

    A model file gives a list back as a tuple, and a set in order.
    """
    if a is b:
        return True
    if isinstance(a, set | frozenset) or isinstance(b, set | frozenset):
        return isinstance(a, Collection) and isinstance(b, Collection) and {*a} == {*b}
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return np.shape(a) == np.shape(b) and bool(np.array_equal(a, b))
    return bool(a == b)


def finite(value: Any) -> bool:
    """Whether a number is one that a double can hold."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
