"""Numbers that are never rounded: arrays of integers of any length, times a power of 2^32.

A float adds up to something that depends on the order; an integer does not. Every double is an
integer times a power of two, so exact sums of doubles are integers too, and ``+`` and ``-`` undo
each other to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn.kernels import long_integers as kernel
from tallylearn.tables import Array, field_schemas

LIMB = 32
FARTHEST = 200  # limbs from the point: weights, squares and all stay within


@dataclass(frozen=True, eq=False)
class Exact:
    """An array of exact numbers, sums of ``limbs[..., j] * 2^(32 (low + j))``, in canonical form.

    >>> total = Exact.of(np.array([1, 2])) + Exact.of(np.array([2**40, 3]))
    >>> total
    Exact([1099511627777, 5])
    """

    limbs: Array  # (..., l) int64: 32 bits each, the highest signed
    low: int

    form: ClassVar[field_schemas.Form] = {
        "limbs": field_schemas.array(np.int64),
        "low": field_schemas.count(-FARTHEST, FARTHEST),
    }

    def check(self, *shape: int) -> None:
        """What a file says can be: these sizes, and numbers in the one form that each has."""
        if not self.limbs.ndim or self.shape != shape or not self.limbs.shape[-1]:
            raise ValueError(
                f"exact numbers: the shape is {self.limbs.shape[:-1]}, expected {shape}"
            )
        top, below = self.limbs[..., -1], self.limbs[..., :-1]
        half = 1 << (LIMB - 1)
        if (top < -half).any() or (top >= half).any() or (below >> LIMB).any():
            raise ValueError("exact numbers: a limb has more than 32 bits")
        limbs, low = _trim(self.limbs, self.low)
        if low != self.low or limbs.shape != self.limbs.shape:
            raise ValueError("exact numbers: there are leading or trailing limbs that are zero")

    def __post_init__(self) -> None:
        if not isinstance(self.low, int) or abs(self.low) > FARTHEST:
            raise ValueError(
                f"exact numbers: the first limb has the exponent {self.low!r}, which is "
                "out of range"
            )

    @classmethod
    def of(cls, integers: Array) -> Exact:
        """From whole numbers that fit 64 bits."""
        limbs = np.asarray(integers, dtype=np.int64)[..., None]
        half = 1 << (LIMB - 1)
        if not np.count_nonzero((limbs + half) >> LIMB):
            return cls(limbs, 0)
        return cls.from_limbs(limbs, 0)

    @classmethod
    def from_limbs(cls, limbs: Array, low: int) -> Exact:
        """From limbs that may still overflow their 32 bits."""
        room = np.zeros((*limbs.shape[:-1], limbs.shape[-1] + 2), dtype=np.int64)
        room[..., :-2] = limbs
        kernel.carry(room.reshape(-1, room.shape[-1]))
        return cls(*_trim(room, low))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.limbs.shape[:-1]

    def __add__(self, other: Exact) -> Exact:
        ours, theirs, low = _align(self, other)
        if low == 0 and ours.shape[-1] == 1:
            return Exact.of(ours[..., 0] + theirs[..., 0])
        return Exact.from_limbs(ours + theirs, low)

    def __sub__(self, other: Exact) -> Exact:
        ours, theirs, low = _align(self, other)
        return Exact.from_limbs(ours - theirs, low)

    def __mul__(self, other: Exact) -> Exact:
        shape = np.broadcast_shapes(self.shape, other.shape)
        a, b = (
            np.broadcast_to(e.limbs, (*shape, e.limbs.shape[-1])).reshape(-1, e.limbs.shape[-1])
            for e in (self.magnitude(), other.magnitude())
        )
        out = np.zeros((len(a), a.shape[1] + b.shape[1]), dtype=np.int64)
        kernel.multiply(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
        out = out.reshape(*shape, out.shape[1])
        negative = self.negative() ^ other.negative()
        if negative.any():
            out = np.where(negative[..., None], -out, out)
        return Exact.from_limbs(out, self.low + other.low)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Exact):
            return NotImplemented
        return self.low == other.low and np.array_equal(self.limbs, other.limbs)

    __hash__ = None  # type: ignore[assignment]

    def take(self, *where: Array) -> Exact:
        """The numbers at these positions along the last axes."""
        limbs = self.limbs
        for back, index in enumerate(reversed(where), 2):
            if not _all_of(index, limbs.shape[-back]):
                limbs = limbs.take(index, axis=-back)
        return self if limbs is self.limbs else Exact(*_trim(limbs, self.low))

    def __repr__(self) -> str:
        return f"Exact({self.floats().tolist() if self.low < 0 else self.integers().tolist()})"

    def sum(self, axis: int) -> Exact:
        """The sum along an axis, counted from the back: -1 is the last one."""
        return Exact.from_limbs(self.limbs.sum(axis=axis - 1), self.low)

    def shift(self, bits: int) -> Exact:
        """Times 2^bits."""
        if bits == 0:
            return self
        whole, rest = divmod(bits, LIMB)
        return Exact.from_limbs(self.limbs << rest, self.low + whole)

    def embed(self, shape: tuple[int, ...], *where: Array) -> Exact:
        """These numbers at the given positions along the last axes of a larger array of zeros."""
        lead = self.shape[: len(self.shape) - len(where)]
        limbs = np.zeros((*lead, *shape, self.limbs.shape[-1]), dtype=np.int64)
        whole = [_all_of(at, size) for at, size in zip(where, shape, strict=True)]
        index: Any = np.ix_(*where)
        if sum(whole) >= len(shape) - 1:  # one axis alone is placed several times as fast
            index = [slice(None) if all_ else at for all_, at in zip(whole, where, strict=True)]
        limbs[(..., *index, slice(None))] = self.limbs
        return Exact(limbs, self.low)

    def nonzero(self) -> Array:
        if self.limbs.shape[-1] == 1:
            return np.asarray(self.limbs[..., 0] != 0)
        return np.asarray(self.limbs.any(axis=-1))

    def negative(self) -> Array:
        result: Array = self.limbs[..., -1] < 0
        return result

    def magnitude(self) -> Exact:
        """The numbers without their signs."""
        negative = self.negative()
        if not negative.any():
            return self
        return Exact.from_limbs(np.where(negative[..., None], -self.limbs, self.limbs), self.low)

    def to_integers(self) -> tuple[Array, int]:
        """Python integers, and the power of two that each is to be multiplied by."""
        plain = self.limbs.astype("<u4")
        size = plain.shape[-1] * 4
        data = np.ascontiguousarray(plain).tobytes()
        out = np.empty(self.shape, dtype=object)
        out.reshape(-1)[:] = [
            int.from_bytes(data[at : at + size], "little", signed=True)
            for at in range(0, len(data), size)
        ]
        return out, LIMB * self.low

    def integers(self) -> Array:
        """Python integers; only for whole numbers."""
        numbers, power = self.to_integers()
        return numbers * (1 << power) if power >= 0 else numbers >> -power

    def floats(self) -> Array:
        """Doubles, rounded once."""
        if self.low == 0 and self.limbs.shape[-1] == 1:
            return self.limbs[..., 0].astype(np.float64)
        numbers, power = self.to_integers()
        return ratio(numbers, 1, power)


def _all_of(index: Array, size: int) -> bool:
    """Whether these are all positions, in order."""
    return len(index) == size and bool((index == np.arange(size)).all())


def ratio(above: Array, below: Array | int, power: int = 0) -> Array:
    """above / below * 2^power for Python integers, rounded once; OverflowError beyond doubles."""
    if power >= 0:
        above = above * (1 << power)
    else:
        below = below * (1 << -power)
    return np.asarray(above / below, dtype=np.float64)


def rounding_remainder(above: Array, below: Array, power: int, near: Array) -> Array:
    """What a double near above / below · 2^power lacks of it, of whole numbers of any size."""
    mantissa, exponent = np.frexp(near)
    whole = np.ldexp(mantissa, 53).astype(np.int64).astype(object)
    shift = np.where(near == 0, power, exponent.astype(np.int64) - 53)
    least = int(min(power, shift.min(initial=power)))
    near = whole * below * (2 ** (shift - least).astype(object))
    return ratio(above * 2 ** (power - least) - near, below, least)


def _align(a: Exact, b: Exact) -> tuple[Array, Array, int]:
    """The limbs of both over one common range."""
    low = min(a.low, b.low)
    high = max(a.low + a.limbs.shape[-1], b.low + b.limbs.shape[-1])
    return _pad_limbs(a, low, high), _pad_limbs(b, low, high), low


def _pad_limbs(number: Exact, low: int, high: int) -> Array:
    size = number.limbs.shape[-1]
    if number.low == low and low + size == high:
        return number.limbs
    out = np.zeros((*number.shape, high - low), dtype=np.int64)
    out[..., number.low - low : number.low - low + size] = number.limbs
    return out


def _trim(limbs: Array, low: int) -> tuple[Array, int]:
    """Drop limbs that say nothing: zeros below, copies of the sign above. Zero is one limb at 0."""
    found = np.zeros(2, dtype=np.int64)
    limbs = np.ascontiguousarray(limbs)
    kernel.extent(limbs.reshape(-1, limbs.shape[-1]), found)
    first, last = int(found[0]), int(found[1])
    if first == limbs.shape[-1]:
        return np.zeros((*limbs.shape[:-1], 1), dtype=np.int64), 0
    if first == 0 and last == limbs.shape[-1]:
        return limbs, low
    kept = np.ascontiguousarray(limbs[..., first:last])
    if last < limbs.shape[-1]:
        top = kept[..., -1]
        top[top >= 1 << (LIMB - 1)] -= 1 << LIMB
    return kept, low + first
