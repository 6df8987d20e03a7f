"""How much is tried: what tells most in `make test`, all of it in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
SOAK = bool(os.environ.get("TALLY_SOAK"))


def some(items: Iterable[T], every: int, first: int = 0) -> list[T]:
    """Every so-manyth of them; all in `make soak`."""
    return [*items] if SOAK else [*items][first::every]
