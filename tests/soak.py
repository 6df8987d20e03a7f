"""How much is tried: what tells most in `make test`, all of it in `make soak`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from typing import Any, TypeVar

T = TypeVar("T")
SOAK = bool(os.environ.get("TALLY_SOAK"))


def some(items: Iterable[T], every: int, first: int = 0) -> list[T]:
    """Every so-manyth of them; all in `make soak`."""
    return [*items] if SOAK else [*items][first::every]


def pairs(*values: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Combinations in which every two values meet; all combinations in `make soak`.

    Where a mistake needs two options to show, as most do, these show it. The next one is always
    that in which most values meet for the first time.
    """
    every = [*itertools.product(*(enumerate(some) for some in values))]
    if SOAK:
        return [tuple(value for _, value in one) for one in every]
    meet = {
        at: {*itertools.combinations(((f, i) for f, (i, _) in enumerate(one)), 2)}
        for at, one in enumerate(every)
    }
    left, found = set().union(*meet.values()), []
    while left:
        best = max(meet, key=lambda at: len(meet[at] & left))
        left -= meet[best]
        found.append(tuple(value for _, value in every[best]))
    return found
