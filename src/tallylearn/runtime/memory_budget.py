"""Budgets: memory is asked for before it is taken.

A table of a few megabytes can ask for more memory than any machine has: a category with a million
values has a billion pairs of them. What grows faster than its table asks here first. The budget is
4 GiB for one computation, or as many GiB as the environment variable TALLY_MEMORY says.
"""

from __future__ import annotations

import os

from tallylearn.errors import OptionError, SizeError

GIB = 1 << 30
USUAL = 4.0  # GiB
VARIABLE = "TALLY_MEMORY"


def budget() -> float:
    """The bytes that one computation may take."""
    said = os.environ.get(VARIABLE, "")
    try:
        gib = float(said) if said else USUAL
    except ValueError:
        gib = 0.0
    if not 0 < gib < float("inf"):
        raise OptionError(f"{VARIABLE} is a number of GiB above 0, not {said!r}.")
    return gib * GIB


def ask(size: float, what: str, remedy: str) -> None:
    """Refuse what would take more bytes than the budget.

    >>> ask(8e9, "a matrix of 31623 x 31623 numbers", "Take fewer columns.")
    Traceback (most recent call last):
    ...
    tallylearn.errors.SizeError: a matrix of 31623 x 31623 numbers would take 7.5 GiB of memory...
    """
    most = budget()
    if size > most:
        raise SizeError(
            f"{what} would take {size / GIB:.1f} GiB of memory, and the budget is "
            f"{most / GIB:g} GiB. {remedy} Where there is more memory, set {VARIABLE} to the GiB "
            "that may be taken."
        )
