"""Forms: what every field of a stored structure may be. A file comes from strangers, and may lie.

A form is told once, beside the fields: ``floats("k", "v")`` is an array of finite doubles whose
axes have the lengths that ``k`` and ``v`` have in every other field of the structure. ``built``
looks at all fields before the structure sees them; no array is made here, so nothing is allocated
by what a file says.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Sizes = dict[str, int]
Check = Callable[[Any, Sizes], None]
Form = Mapping[str, Check]
PLAIN = (str, bool, int, float)  # what a key may be
SMALLEST = 1 << 63


def build(kind: Any, fields: Mapping[str, Any]) -> Any:
    """The structure, if every field has the form that its class tells."""
    form: Form = kind.form
    known = {field.name: field for field in dataclasses.fields(kind)}
    if odd := [name for name in fields if name not in known]:
        raise ValueError(f"{kind.__name__} has no field {odd[0]!r}")
    sizes: Sizes = {}
    for name, check in form.items():
        if name in fields:
            try:
                check(fields[name], sizes)
            except ValueError as error:
                raise ValueError(f"{name} of {kind.__name__} {error}") from None
        elif not _is_optional(known[name]):
            raise ValueError(f"{kind.__name__} lacks its field {name!r}")
    return kind(**fields)


def _is_optional(field: dataclasses.Field[Any]) -> bool:
    given = (field.default, field.default_factory)
    return any(value is not dataclasses.MISSING for value in given)


def floats(
    *axes: str | int | None, least: float = -math.inf, gaps: bool = False, bottomless: bool = False
) -> Check:
    """An array of finite doubles, none below ``least``; with ``gaps`` NaN is allowed.

    With ``bottomless`` minus infinity is: the logarithm of 0. An axis None has any length.
    """

    def check(value: Any, sizes: Sizes) -> None:
        _check_array(value, np.float64, axes, sizes)
        shown = value[~np.isnan(value)] if gaps else value
        shown = shown[~np.isneginf(shown)] if bottomless else shown
        if not np.isfinite(shown).all() or (shown < least).any():
            raise ValueError("has numbers that cannot be")

    return check


def integers(*axes: str | int, least: int | None = None) -> Check:
    """An array of 64-bit integers, none below ``least``."""

    def check(value: Any, sizes: Sizes) -> None:
        _check_array(value, np.int64, axes, sizes)
        if least is not None and (value < least).any():
            raise ValueError("has numbers that cannot be")

    return check


def array(kind: Any) -> Check:
    """An array of this type, of any shape: its structure looks at that."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != kind:
            raise ValueError(f"is no array of {kind.__name__}")

    return check


def _check_array(value: Any, kind: Any, axes: tuple[str | int | None, ...], sizes: Sizes) -> None:
    if not isinstance(value, np.ndarray) or value.dtype != kind or value.ndim != len(axes):
        raise ValueError(f"is no array of {kind.__name__} with {len(axes)} axes")
    for axis, size in zip(axes, value.shape, strict=True):
        if axis is not None:
            _check_size(axis, size, sizes)


def _check_size(axis: str | int, size: int, sizes: Sizes) -> None:
    """An axis has the length that its letter has elsewhere; "v+1" is one more."""
    if isinstance(axis, str):
        letter, _, more = axis.partition("+")
        axis = sizes.setdefault(letter, size - int(more or 0)) + int(more or 0)
    if size != axis:
        raise ValueError(f"has the length {size} in place of {axis}")


def names(axis: str = "", unique: bool = True) -> Check:
    """A tuple of strings, each of them once."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, tuple) or not all(isinstance(name, str) for name in value):
            raise ValueError("is no list of names")
        for name in value:
            _check_letters(name)
        if unique and len({*value}) < len(value):
            raise ValueError("has a name twice")
        if axis:
            _check_size(axis, len(value), sizes)

    return check


def keys(axis: str = "", least: int = 0) -> Check:
    """A sorted tuple of strings, whole numbers, finite numbers or truth values: of one type."""

    def check(value: Any, sizes: Sizes) -> None:
        check_keys(value)
        if len(value) < least:
            raise ValueError("is empty")
        if axis:
            _check_size(axis, len(value), sizes)

    return check


def check_keys(value: Any) -> None:
    """Keys are of one plain type, sorted, and each of them once."""
    if not isinstance(value, tuple) or len({type(key) for key in value}) > 1:
        raise ValueError("is no list of keys")
    if not all(_is_plain(key) for key in value):
        raise ValueError("is no list of keys")
    for key in value:
        if isinstance(key, str):
            _check_letters(key)
    if not all(a < b for a, b in itertools.pairwise(value)):
        raise ValueError("has keys out of order, or twice")


def _check_letters(value: str) -> None:
    """Text that can be written: JSON may hold half of a letter that takes two numbers."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("is half a letter") from None


def _is_plain(key: Any) -> bool:
    """Whether this is text, a truth value, or a number that 64 bits hold."""
    if type(key) is int:
        return -SMALLEST <= key < 2 * SMALLEST
    return type(key) in PLAIN and (type(key) is not float or math.isfinite(key))


def plain(value: Any, sizes: Sizes) -> None:
    """Text in Unicode, a truth value, or a number that 64 bits hold."""
    if isinstance(value, str):
        _check_letters(value)
    if not _is_plain(value) and not (type(value) is float and math.isnan(value)):
        raise ValueError("is no plain value")


def plain_or_none(value: Any, sizes: Sizes) -> None:
    """A plain value, or None."""
    if value is not None:
        plain(value, sizes)


def pair(first: Check, second: Check) -> Check:
    """A tuple of two."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, tuple) or len(value) != 2:
            raise ValueError("is no pair")
        first(value[0], sizes)
        second(value[1], sizes)

    return check


def text(*allowed: str) -> Check:
    """A string; one of these, if there are any."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, str) or (allowed and value not in allowed):
            raise ValueError(f"is {str(value)[:40]!r}")
        _check_letters(value)

    return check


def number(least: float = -math.inf) -> Check:
    """A finite number."""

    def check(value: Any, sizes: Sizes) -> None:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not math.isfinite(float(value)) or value < least:
            raise ValueError("is no number that can be")

    return check


def count(least: int = 0, most: int = 1 << 62) -> Check:
    """A whole number."""

    def check(value: Any, sizes: Sizes) -> None:
        if type(value) is not int or not least <= value <= most:
            raise ValueError("is no whole number that can be")

    return check


def truth(value: Any, sizes: Sizes) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise ValueError("is no truth value")


def nothing(value: Any, sizes: Sizes) -> None:
    """None, or empty: what a file cannot hold."""
    if value not in (None, ()):
        raise ValueError("holds what a file cannot hold")


def one(*kinds: type, none: bool = False) -> Check:
    """A structure of one of these kinds; with ``none`` it may be lacking."""

    def check(value: Any, sizes: Sizes) -> None:
        if not (none and value is None) and not isinstance(value, kinds):
            raise ValueError(f"is no {' or '.join(kind.__name__ for kind in kinds)}")

    return check


def optional(each: Check) -> Check:
    """None, or such a thing."""

    def check(value: Any, sizes: Sizes) -> None:
        if value is not None:
            each(value, sizes)

    return check


def named_parts(value: Any, sizes: Sizes) -> None:
    """Parts by name, which know when they cannot be."""
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise ValueError("is no list of named parts")
    if not all(hasattr(part, "impossible") for part in value.values()):
        raise ValueError("has a part that is no tally")


def many(each: Check, axis: str = "") -> Check:
    """A tuple of such things."""

    def check(value: Any, sizes: Sizes) -> None:
        if not isinstance(value, tuple):
            raise ValueError("is no list")
        for item in value:
            each(item, sizes)
        if axis:
            _check_size(axis, len(value), sizes)

    return check
