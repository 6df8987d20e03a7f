"""Probabilities: exact fractions where the input is exact, floats otherwise."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

from tallylearn.errors import InputError, KindError, short_repr
from tallylearn.reasoning.names import check_name
from tallylearn.reasoning.quantities import numeric_value
from tallylearn.reporting.formatting import format_fraction, format_number

Number = Fraction | float
K = TypeVar("K", bound=Hashable)
EQUAL_FLOATS = 1e-9  # relative: floats closer than this are equal, fractions only if they are
MAX_DIGITS = 400  # digits before or behind the point that a number in text may have


def exact_number(value: Any, what: str) -> Number:
    """Text, whole numbers and fractions are taken exactly; a float stays a float.

    >>> [exact_number(text, "p") for text in ("1/10", "0.1", "10 %")] == [Fraction(1, 10)] * 3
    True
    """
    value = _unwrap_scalar(numeric_value(value))
    finite = value.is_finite() if isinstance(value, Decimal) else not isinstance(value, float)
    if not finite and not (isinstance(value, float) and math.isfinite(value)):
        raise InputError(f"{what} is {value}. Give a finite number.")
    if isinstance(value, str | Decimal):
        return _parse_number(str(value), what)
    if not isinstance(value, int | float | Fraction):
        raise KindError(
            f"{what} is {short_repr(value)}, which is not a number. Give a number, "
            "or text such as '1/10'."
        )
    return value if isinstance(value, float) else Fraction(value)


def to_float(value: Any, what: str) -> float:
    """A number as a float."""
    found = exact_number(value, what)
    try:
        return float(found)
    except OverflowError:
        raise InputError(
            f"{what} is {number_text(found)}, which is too large for a float. Give "
            "a smaller number."
        ) from None


def _unwrap_scalar(value: Any) -> Any:
    """The Python number that a scalar of another library holds."""
    try:
        return value.item() if callable(value.item) and not getattr(value, "shape", ()) else value
    except Exception:
        return value


def _parse_number(text: str, what: str) -> Fraction:
    digits, percent, _ = text.strip().partition("%")
    exponent = digits.lower().partition("e")[2].lstrip("+-")
    try:
        if exponent and int(exponent) > MAX_DIGITS:
            raise ValueError
        value = Fraction(digits.strip())
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{what} is {text!r}. Write it as '1/10', '0.1' or '10 %'.") from None
    return value / 100 if percent else value


def read_probability(value: Any, what: str) -> Number:
    """A number from 0 to 1."""
    found = exact_number(value, what)
    if not 0 <= found <= 1:
        raise InputError(f"{what} is {number_text(found)}. Give a probability between 0 and 1.")
    return found


def read_distribution(given: Mapping[Any, Any], each: str, together: str) -> dict[Any, Number]:
    """The probability of each of some names, which together are all that can happen."""
    for name in given:
        check_name(name, each)
    found = {name: read_probability(p, f"P({name})") for name, p in given.items()}
    check_sums_to_one(found, together)
    return found


def check_sums_to_one(weights: Mapping[Any, Number], what: str) -> None:
    """Probabilities of all that can happen sum to one."""
    if not are_equal(whole := exact_sum(weights.values()), Fraction(1)):
        raise InputError(
            f"{what} sum to {number_text(whole)}, not to 1. Give a probability for "
            "every outcome. Write a fraction that a decimal would round as text, "
            "such as '1/3'."
        )


def exact_sum(numbers: Iterable[Number]) -> Number:
    """The sum: exact, or rounded once."""
    numbers = list(numbers)
    if all(isinstance(x, Fraction) for x in numbers):
        return sum(numbers, Fraction(0))
    return math.fsum(numbers)


def are_equal(a: Number, b: Number) -> bool:
    """Whether two probabilities are equal, floats up to their rounding."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    return math.isclose(a, b, rel_tol=EQUAL_FLOATS, abs_tol=1e-15)


def largest_keys(scores: Mapping[K, Number]) -> tuple[K, ...]:
    """All that have the largest score, in their order: more than one is a tie."""
    best = max(scores.values())
    return tuple(key for key, score in scores.items() if are_equal(score, best))


def tie_text(names: tuple[Any, ...]) -> str:
    """The first of those with the largest score, and what ties with it."""
    if len(names) == 1:
        return str(names[0])
    return f"{names[0]} (tied with {', '.join(map(str, names[1:]))})"


def number_text(value: Number) -> str:
    """A fraction, or four digits of a float."""
    return format_fraction(value) if isinstance(value, Fraction) else format_number(value)


def format_percent(value: Number) -> str:
    """A share in percent, with one digit behind the point."""
    return f"{float(value):.1%}".replace("%", " %")
