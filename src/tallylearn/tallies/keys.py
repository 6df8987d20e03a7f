"""Keys: what the places of a tally stand for, sorted, and aligned by their union."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import MergeError

Key = str | int | float | bool | tuple[int, Any]  # a pair is a class in one part of the rows
Keys = tuple[Key, ...]


def union(a: Keys, b: Keys) -> Keys:
    """All keys of both, sorted."""
    if a == b or not b:
        return a
    if not a:
        return b
    if type(a[0]) is not type(b[0]):
        raise MergeError(
            f"the keys have different types: {a[0]!r} is {_kind(a[0])}, and "
            f"{b[0]!r} is {_kind(b[0])}. Convert both tables to one type."
        )
    # both are sorted: two runs merge in one pass, where a set would have to be sorted anew
    return tuple(dict.fromkeys(sorted(a + b)))


def places(keys: Keys, among: Keys) -> NDArray[Any]:
    """Where each key stands among the others; -1 where it does not."""
    if keys == among:
        return np.arange(len(keys))
    place = dict(zip(among, range(len(among)), strict=True))
    return np.fromiter(map(place.get, keys, repeat(-1)), np.int64, len(keys))


def in_parts(keys: Keys, k: int) -> list[tuple[NDArray[Any], Keys]]:
    """Of keys that are pairs (part, key), those of each of k parts: their places, their names.

    A KeyError names one that is no pair.
    """
    found: list[tuple[list[int], list[Any]]] = [([], []) for _ in range(k)]
    pairs: Any = keys
    if alone := [key for key in pairs if not isinstance(key, tuple)]:
        raise KeyError(alone[0])
    for at, (part, key) in enumerate(pairs):
        found[part][0].append(at)
        found[part][1].append(key)
    return [(np.array(at, dtype=np.int64), tuple(names)) for at, names in found]


def _kind(key: Key) -> str:
    return {str: "text", bool: "a truth value"}.get(type(key), "a number")
