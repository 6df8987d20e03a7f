"""Validation of the names of outcomes, hypotheses and variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable
from itertools import islice
from typing import Any

from tallylearn.errors import InputError, KindError, TallyError, short_repr

MAX_LISTED = 1 << 20  # outcomes of a space that is written out


def distinct_names(names: Iterable[Any], what: str) -> tuple[Any, ...]:
    """Names that can be told apart, in their order."""
    found = list_items(names, what)
    for name in found:
        check_name(name, what)
    if len({*found}) < len(found):
        twice = next(name for name, n in Counter(found).items() if n > 1)
        raise InputError(f"{what} {short_repr(twice)} occurs twice. Give each name once.")
    return found


def list_items(things: Any, what: str) -> tuple[Any, ...]:
    """Things that are listed, and not without end."""
    if not isinstance(things, Iterable):
        raise KindError(
            f"{what}: {short_repr(things)} is not a list. Pass one, such as ['a', 'b'] "
            "or range(1, 7)."
        )
    found = call_user_function(
        lambda all_: tuple(islice(all_, MAX_LISTED + 1)), things, who="the list"
    )
    if len(found) > MAX_LISTED:
        raise InputError(
            f"{what}: the list has more than {MAX_LISTED:,} items, the limit. Give a shorter list."
        )
    return tuple(found)


def check_name(name: Any, what: str) -> None:
    """A name is found again, and can be written."""
    try:
        fine = hash(name) is not None and bool(name == name) and (repr(name), str(name))
    except Exception:
        fine = False
    if not fine:
        raise KindError(
            f"{what} {short_repr(name)} cannot be hashed, compared or printed. Use "
            "text or a number."
        )


def sort_if_possible(names: Iterable[Any]) -> list[Any]:
    """Sorted, so that the first of those that tie does not depend on the rows."""
    found = list(names)
    try:
        return sorted(found)
    except TypeError:
        return found


def is_among(name: Any, names: Container[Any]) -> bool:
    """Whether a name is one of these; what cannot be looked up is none."""
    try:
        hash(name)
        return name in names
    except Exception:
        return False


def call_user_function(function: Callable[..., Any], *about: Any, who: str) -> Any:
    """What a function that somebody else wrote answers; where it fails, an error says so."""
    try:
        return function(*about)
    except TallyError:
        raise
    except Exception as error:
        said = short_repr(error)
        subject = ", ".join(map(short_repr, about))
        raise InputError(f"{who} failed on {subject}: {said}. Correct it.") from error
