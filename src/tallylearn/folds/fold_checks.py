"""Checks: what cannot be split, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.tables import Array, Codes

MAX_LISTED_CLASSES = 6  # classes in one sentence
PARTS = {"k": 0, "leave_one_out": 0, "holdout": 2, "three": 3, "bootstrap": 0, "forward": 0}


def shares_of(who: str, **shares: Any) -> tuple[Fraction, ...]:
    """The shares of all parts, the first of which takes the rest."""
    found = [_share(who, name, share) for name, share in shares.items()]
    if sum(found) >= 1:
        raise OptionError(
            f"{who}: {' and '.join(shares)} take {sum(found)} of the rows, which "
            "leaves no training rows. Give smaller shares."
        )
    return (1 - sum(found, Fraction(0)), *found)


def _share(who: str, name: str, share: Any) -> Fraction:
    """A share as it is written: 0.1 is a tenth."""
    if isinstance(share, Fraction | float | np.floating) and 0 < share < 1:
        return share if isinstance(share, Fraction) else Fraction(str(share))
    raise OptionError(
        f"{who}: {name} is {short_repr(share)}. Give a share of the rows between 0 and 1, such as "
        "Fraction(1, 3) or 0.2."
    )


def check_options(folds: Any) -> None:
    """A scheme that is known; whole numbers, large enough."""
    shared = len(folds.shares) if isinstance(folds.shares, tuple) else -1
    if not isinstance(folds.scheme, str) or PARTS.get(folds.scheme) != shared:
        raise OptionError(
            "tl.Folds is not called directly. Call one of "
            f"{', '.join(f'Folds.{name}' for name in PARTS)}."
        )
    check_whole("number", folds.number, 2 if folds.scheme == "k" else 1, 2**63)
    check_whole("repeats", folds.repeats, 1, 2**63)
    check_whole("seed", folds.seed, 0, 2**64)
    if not isinstance(folds.stratified, bool | np.bool_):
        raise OptionError(f"stratified is {short_repr(folds.stratified)}. Give True or False.")
    if not isinstance(folds.order, str | None):
        raise OptionError(f"order is {short_repr(folds.order)}. Give the name of a column.")


def check_whole(name: str, value: Any, least: int, end: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value < end:
        raise OptionError(f"{name} is {short_repr(value)}. Give a whole number, {least} or more.")


def check_rows(n: int, least: int) -> None:
    """As many rows as parts."""
    check_whole("n", n, 0, 2**63)
    if n < least:
        raise InputError(
            f"{_rows(n)} cannot be split into {least} parts. Use fewer parts, or more rows."
        )


def check_length(name: str, have: int, n: int) -> None:
    """As many values as rows."""
    if have != n:
        raise InputError(
            f"the table has {n} rows, but {name} has {have} values. Give one value per row."
        )


def too_few(strata: Codes, least: int) -> str:
    """The classes that have no row for every part, in words; empty where all have one.

    >>> too_few(Codes.of(["a", "a", "b"]), 2)
    "the class 'b' (1 row) has fewer rows than the 2 parts, so some parts have none of it"
    """
    counts = np.bincount(strata.codes, minlength=len(strata.values))
    small = [
        f"{short_repr(strata.values[at])} ({_rows(int(counts[at]))})"
        for at in np.flatnonzero((counts > 0) & (counts < least))
    ]
    if not small:
        return ""
    more = f" and {len(small) - MAX_LISTED_CLASSES} more" if len(small) > MAX_LISTED_CLASSES else ""
    names, than = ", ".join(small[:MAX_LISTED_CLASSES]) + more, f"fewer rows than the {least} parts"
    if len(small) == 1:
        return f"the class {names} has {than}, so some parts have none of it"
    return f"the classes {names} have {than}, so some parts have none of them"


def check_groups(groups: Codes, n: int, least: int) -> None:
    """As many groups as parts."""
    check_length("groups", len(groups), n)
    have = len(groups.values)
    if have == 1:
        raise InputError(
            f"all rows are in the group {groups.values[0]!r}, and a group is never "
            "split. Use smaller groups, or leave groups out."
        )
    if have < least:
        raise InputError(
            f"there are only {have} groups ({quoted_list(groups.values)}) for "
            f"{least} parts, and a group is never split. Use at most {have} parts."
        )


def check_parts(part: Array, shares: Sequence[Fraction]) -> None:
    """No part is empty."""
    sizes = np.bincount(part, minlength=len(shares))
    if not sizes.all():
        names = ("train", "validation", "test") if len(shares) == 3 else ("train", "test")
        at = int(np.argmin(sizes))
        raise InputError(
            f"the share {shares[at]} of {_rows(len(part))} leaves the {names[at]} "
            "part empty. Change the share, or use more rows."
        )


def check_chunks(chunk: Array, ranks: Array, number: int) -> None:
    """No chunk is empty, though equal times stay together."""
    if (sizes := np.bincount(chunk, minlength=number + 1)).all():
        return
    times = np.bincount(ranks)
    row = int(np.argmax(ranks == np.argmax(times)))
    raise InputError(
        f"chunk {int(np.argmin(sizes)) + 1} of {number + 1} is empty, because "
        f"rows with equal times stay together: {int(times.max())} of "
        f"{len(ranks)} rows have the time of row {row}. Use fewer folds."
    )


def _rows(n: int) -> str:
    return f"{n} row" if n == 1 else f"{n} rows"
