"""Numbers with extra information that calculate as plain rational numbers do."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any


class Quantity(Rational):
    """Something that stands for its ``value`` wherever a number is expected.

    Every fraction and every float is a ratio of whole numbers, so this is a ``Rational``:
    ``Fraction(quantity)`` is exact, and what it calculates with others is plain numbers.
    """

    value: Any

    @property
    def numerator(self) -> int:
        return Fraction(self.value).numerator

    @property
    def denominator(self) -> int:
        return Fraction(self.value).denominator

    def as_integer_ratio(self) -> tuple[int, int]:
        return self.numerator, self.denominator

    def __eq__(self, other: object) -> Any:
        return self.value == numeric_value(other)

    def __hash__(self) -> int:  # type: ignore[override]  # numbers leave it to their kinds
        return hash(self.value)

    def __lt__(self, other: Any) -> Any:
        return self.value < numeric_value(other)

    def __le__(self, other: Any) -> Any:
        return self.value <= numeric_value(other)

    def __gt__(self, other: Any) -> Any:
        return self.value > numeric_value(other)

    def __ge__(self, other: Any) -> Any:
        return self.value >= numeric_value(other)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    def __trunc__(self) -> Any:
        return math.trunc(self.value)

    def __floor__(self) -> Any:
        return math.floor(self.value)

    def __ceil__(self) -> Any:
        return math.ceil(self.value)

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value, digits)

    def __format__(self, form: str) -> str:
        """The number as it is to be written; without a form the text of the whole."""
        if not form:
            return str(self)
        plain = float(self.value) if isinstance(self.value, Fraction) else self.value
        return format(plain, form)  # a Fraction takes no form before Python 3.12

    def __neg__(self) -> Any:
        return -self.value

    def __pos__(self) -> Any:
        return +self.value

    def __abs__(self) -> Any:
        return abs(self.value)

    def __add__(self, other: Any) -> Any:
        return self.value + numeric_value(other)

    def __radd__(self, other: Any) -> Any:
        return other + self.value

    def __sub__(self, other: Any) -> Any:
        return self.value - numeric_value(other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.value

    def __mul__(self, other: Any) -> Any:
        return self.value * numeric_value(other)

    def __rmul__(self, other: Any) -> Any:
        return other * self.value

    def __truediv__(self, other: Any) -> Any:
        return self.value / numeric_value(other)

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.value

    def __floordiv__(self, other: Any) -> Any:
        return self.value // numeric_value(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return other // self.value

    def __mod__(self, other: Any) -> Any:
        return self.value % numeric_value(other)

    def __rmod__(self, other: Any) -> Any:
        return other % self.value

    def __pow__(self, other: Any) -> Any:
        return self.value ** numeric_value(other)

    def __rpow__(self, other: Any) -> Any:
        return other**self.value


def numeric_value(thing: Any) -> Any:
    """The number of a quantity; anything else is itself."""
    return thing.value if isinstance(thing, Quantity) else thing
