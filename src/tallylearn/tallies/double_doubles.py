"""Double-doubles: a hundred bits of a number, as the sum of two doubles.

T. J. Dekker, A floating-point technique for extending the available precision, 1971.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.tables import Array

SPLIT = 2.0**27 + 1


@dataclass(frozen=True)
class DoubleDouble:
    """Numbers ``high + low``, where low is no more than half a step of high.

    >>> third = DoubleDouble(np.array([1.0]), np.array([0.0])).divide(np.array([3.0]))
    >>> third.high + third.low == third.high, third.low
    (array([ True]), array([1.85037171e-17]))
    """

    high: Array
    low: Array

    @classmethod
    def of(cls, high: Array, low: Array) -> DoubleDouble:
        """The sum of any two doubles, exactly (Knuth)."""
        total = high + low
        back = total - high
        return cls(total, (high - (total - back)) + (low - back))

    def __getitem__(self, at: Any) -> DoubleDouble:
        return DoubleDouble(self.high[at], self.low[at])

    def __add__(self, other: DoubleDouble) -> DoubleDouble:
        total = DoubleDouble.of(self.high, other.high)
        return DoubleDouble.of(total.high, total.low + (self.low + other.low))

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.high, -self.low)

    def __mul__(self, other: DoubleDouble) -> DoubleDouble:
        whole, rest = product(self.high, other.high)
        return DoubleDouble.of(whole, rest + (self.high * other.low + self.low * other.high))

    def divide(self, divisor: Array) -> DoubleDouble:
        """Divided by doubles."""
        first = self.high / divisor
        whole, rest = product(first, divisor)
        return DoubleDouble.of(first, (((self.high - whole) - rest) + self.low) / divisor)

    def doubtful(self, error: Array | float) -> Array:
        """Whether a number that is no farther than the error may round to another double."""
        high, low = np.abs(self.high), np.abs(self.low)
        step = np.spacing(high)
        half, quarter = np.abs(low - step / 2), np.abs(low - step / 4)
        even = np.frexp(high)[0] == 0.5  # the doubles below a power of two are closer
        sure = (half > error) & (~even | (quarter > error)) | ((high == 0) & (error == 0))
        return np.asarray(~sure)


def product(x: Array, y: Array) -> tuple[Array, Array]:
    """x y as a sum of two doubles, exactly (Veltkamp and Dekker)."""
    whole = x * y
    (x_high, x_low), (y_high, y_low) = _split_bits(x), _split_bits(y)
    rest = ((x_high * y_high - whole) + x_high * y_low + x_low * y_high) + x_low * y_low
    return whole, rest


def _split_bits(x: Array) -> tuple[Array, Array]:
    far = SPLIT * x
    high = far - (far - x)
    return high, x - high
