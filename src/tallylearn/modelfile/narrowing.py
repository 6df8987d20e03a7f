"""Narrowing: numbers in as few bytes as hold them exactly, and back to the bits they had.

A count of 12 in a double takes eight bytes, and one would do. A file says which arrays were wider
in memory; where zeros or gaps are many, a bit a number says where the others stand, and numbers
that repeat each other, as the columns of ties do, are deflated.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from tallylearn.tables import Array

WIDE = {"float64": np.float64, "int64": np.int64}
NARROW = (np.int8, np.int16, np.int32, np.float32)
DEFLATED = {np.dtype(kind).name: kind for kind in (*NARROW, *WIDE.values())}
WIDEST = 8  # bytes of a number in memory
COMMON = {"zeros": np.zeros(1), "gaps": np.full(1, np.nan)}
MOST = 64  # bytes in memory for one in the file: a bit of a mask may stand for a double
SMALL = 1024  # bytes that are not worth the trouble: whoever opens the file reads them as they are
OPENING = 1 << 14  # bytes that tell noise, on which deflating would waste its time
MASK = ".mask"

Told = dict[str, dict[str, Any]]


def narrowed(arrays: Mapping[str, Array]) -> tuple[dict[str, Array], Told]:
    """The arrays as a file holds them, and what it says of those that were wider."""
    out, told = _narrowed(arrays, deflate=True)
    if _bytes(arrays) > MOST * _bytes(out):
        return _narrowed(arrays, deflate=False)
    return out, told


def _narrowed(arrays: Mapping[str, Array], deflate: bool) -> tuple[dict[str, Array], Told]:
    out: dict[str, Array] = {}
    told: Told = {}
    for name, array in arrays.items():
        out[name] = kept = array
        if array.dtype.name not in WIDE or array.nbytes < SMALL:
            continue
        how: dict[str, Any] = {"dtype": array.dtype.name}
        if common := _common(array):
            mask = _bits(array) != _bits(COMMON[common])
            out[f"{name}{MASK}"], kept = np.packbits(mask.ravel()), array[mask]
            how[common] = [*array.shape]
        out[name] = least = _least(kept)
        if deflate and (small := _deflated(least)):
            out[name] = np.frombuffer(small, dtype=np.uint8)
            how |= {"deflated": least.dtype.name, "shape": [*least.shape]}
        if out[name].dtype != array.dtype or len(how) > 1:
            told[name] = how
    return out, told


def _common(array: Array) -> str | None:
    """The value that no more than a bit is spent on, if one is frequent."""
    if array.dtype != np.float64:
        return None
    for name, value in COMMON.items():
        others = np.count_nonzero(_bits(array) != _bits(value))
        if 4 * others <= 3 * array.size:
            return name
    return None


def _least(array: Array) -> Array:
    """The narrowest array that holds the same bits."""
    for kind in NARROW:
        if array.dtype == np.int64 and kind is np.float32:
            break
        with np.errstate(invalid="ignore", over="ignore"):
            found = array.astype(kind)
        if np.array_equal(_bits(found.astype(array.dtype)), _bits(array)):
            return found
    return array


def _deflated(array: Array) -> bytes | None:
    """The bytes in three quarters of the room; noise is left as it is, for anybody to read."""
    small = data = array.tobytes()
    for part in (data[:OPENING], data):
        small = zlib.compress(part)
        if 4 * len(small) > 3 * len(part):
            return None
    return small


def _bytes(arrays: Mapping[str, Array]) -> int:
    return sum(array.nbytes for array in arrays.values())


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.int64)


def widened(arrays: Mapping[str, Array], told: Any) -> dict[str, Array]:
    """The arrays as they were in memory; a ValueError says what cannot be."""
    if not isinstance(told, dict):
        raise ValueError("it does not say which arrays are narrow")
    out, room = dict(arrays), MOST * _bytes(arrays)
    for name, how in told.items():
        if name not in out or not isinstance(how, dict) or how.get("dtype") not in (*WIDE,):
            raise ValueError(f"there is no narrow array {name[:80]!r}")
        if "deflated" in how:
            out[name] = _inflated(out[name], how["deflated"], how["shape"], room)
        out[name] = out[name].astype(WIDE[how["dtype"]])
        for common in how.keys() - {"dtype", "deflated", "shape"}:
            bits = out.pop(f"{name}{MASK}", np.empty(0))
            out[name] = _spread(out[name], bits, how[common], COMMON[common])
        room -= out[name].nbytes
    return out


def _inflated(small: Array, kind: Any, shape: Any, room: int) -> Array:
    """The numbers that were deflated, if they are as many as the file says."""
    size, dtype = _size(shape), np.dtype(DEFLATED[kind])
    if not 0 <= size * WIDEST <= room or small.dtype != np.uint8:
        raise ValueError("an array is larger than those of a file of this length can be")
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(small.tobytes(), size * dtype.itemsize + 1)  # 0 were any length
    except zlib.error:
        raise ValueError("an array cannot be inflated") from None
    if not stream.eof or stream.unused_data:
        raise ValueError("an array has other bytes than numbers")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _spread(values: Array, bits: Array, shape: Any, common: Array) -> Array:
    """Values at their places among many that are alike."""
    size = _size(shape)
    if size < 0 or bits.shape != (-(-size // 8),):
        raise ValueError("an array has other places than numbers")
    mask = np.unpackbits(bits, count=size).astype(bool)
    if np.count_nonzero(mask) != values.size:
        raise ValueError("an array has other places than numbers")
    out = np.full(size, common[0])
    out[mask] = values.ravel()
    return out.reshape(shape)


def _size(shape: Any) -> int:
    """How many numbers an array of this shape has; -1 if it is none."""
    whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    return prod(shape) if whole and len(shape) <= 8 else -1
