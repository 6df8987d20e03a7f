"""The memory that one computation may take, checked before it is allocated.

A table of a few megabytes can need more memory than any machine has: a category with a million
values has 10^12 pairs of them. Whatever grows faster than its table is checked here first. The
limit is 4 GiB, or as many GiB as the environment variable TALLY_MEMORY says.
"""

from __future__ import annotations

import os

from tallylearn.errors import OptionError, SizeError

GIB = 1 << 30
DEFAULT_GIB = 4.0
MEMORY_VARIABLE = "TALLY_MEMORY"


def budget() -> float:
    """The bytes that one computation may take."""
    said = os.environ.get(MEMORY_VARIABLE, "")
    try:
        gib = float(said) if said else DEFAULT_GIB
    except ValueError:
        gib = 0.0
    if not 0 < gib < float("inf"):
        raise OptionError(f"{MEMORY_VARIABLE} must be a number of GiB above 0, not {said!r}.")
    return gib * GIB


def check_memory(size: float, what: str, remedy: str) -> None:
    """Raise a SizeError if ``size`` bytes are more than the budget.

    >>> check_memory(8e9, "a matrix of 31623 x 31623 numbers", "Take fewer columns.")
    Traceback (most recent call last):
    ...
    tallylearn.errors.SizeError: a matrix of 31623 x 31623 numbers would take 7.5 GiB of memory...
    """
    limit = budget()
    if size > limit:
        raise SizeError(
            f"{what} would take {size / GIB:.1f} GiB of memory, and the budget is "
            f"{limit / GIB:g} GiB. {remedy} If there is more memory, set {MEMORY_VARIABLE} to the "
            "number of GiB that may be taken."
        )
