"""Lossless compression of the arrays in a model file.

Three steps, each only where it saves bytes. Zeros or NaN that are frequent become a bit mask.
Numbers get the narrowest type that holds their bits: a count of 12 in a double takes one byte, not
eight. Arrays whose values repeat are deflated (zlib). The file says which arrays were compressed.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from tallylearn.tables import Array

WIDE_TYPES = {"float64": np.float64, "int64": np.int64}
NARROW_TYPES = (np.int8, np.int16, np.int32, np.float32)
DEFLATED_TYPES = {np.dtype(kind).name: kind for kind in (*NARROW_TYPES, *WIDE_TYPES.values())}
BYTES_PER_NUMBER = 8  # bytes of a number in memory
COMMON_VALUES = {"zeros": np.zeros(1), "gaps": np.full(1, np.nan)}
MAX_EXPANSION = 64  # bytes in memory for one in the file: a bit of a mask may stand for a double
MIN_COMPRESSED_BYTES = 1024  # smaller arrays stay as they are
PROBE_BYTES = 1 << 14  # deflated first: if they are noise, the rest is not tried
MASK_SUFFIX = ".mask"

Encodings = dict[str, dict[str, Any]]


def compress(arrays: Mapping[str, Array]) -> tuple[dict[str, Array], Encodings]:
    """The arrays as a file holds them, and how those that changed are encoded."""
    out, encodings = _compress(arrays, deflate=True)
    if _bytes(arrays) > MAX_EXPANSION * _bytes(out):
        return _compress(arrays, deflate=False)
    return out, encodings


def _compress(arrays: Mapping[str, Array], deflate: bool) -> tuple[dict[str, Array], Encodings]:
    out: dict[str, Array] = {}
    encodings: Encodings = {}
    for name, array in arrays.items():
        out[name] = kept = array
        if array.dtype.name not in WIDE_TYPES or array.nbytes < MIN_COMPRESSED_BYTES:
            continue
        how: dict[str, Any] = {"dtype": array.dtype.name}
        if common := _find_common_value(array):
            mask = _bits(array) != _bits(COMMON_VALUES[common])
            out[f"{name}{MASK_SUFFIX}"], kept = np.packbits(mask.ravel()), array[mask]
            how[common] = [*array.shape]
        out[name] = least = _to_narrowest_type(kept)
        if deflate and (small := _deflate(least)):
            out[name] = np.frombuffer(small, dtype=np.uint8)
            how |= {"deflated": least.dtype.name, "shape": [*least.shape]}
        if out[name].dtype != array.dtype or len(how) > 1:
            encodings[name] = how
    return out, encodings


def _find_common_value(array: Array) -> str | None:
    """The value that a bit mask replaces, if it is in a quarter of the places or more."""
    if array.dtype != np.float64:
        return None
    for name, value in COMMON_VALUES.items():
        others = np.count_nonzero(_bits(array) != _bits(value))
        if 4 * others <= 3 * array.size:
            return name
    return None


def _to_narrowest_type(array: Array) -> Array:
    """The narrowest array that holds the same bits."""
    for kind in NARROW_TYPES:
        if array.dtype == np.int64 and kind is np.float32:
            break
        with np.errstate(invalid="ignore", over="ignore"):
            found = array.astype(kind)
        if np.array_equal(_bits(found.astype(array.dtype)), _bits(array)):
            return found
    return array


def _deflate(array: Array) -> bytes | None:
    """The deflated bytes, if they are at most three quarters of the bytes; None for noise."""
    small = data = array.tobytes()
    for part in (data[:PROBE_BYTES], data):
        small = zlib.compress(part)
        if 4 * len(small) > 3 * len(part):
            return None
    return small


def _bytes(arrays: Mapping[str, Array]) -> int:
    return sum(array.nbytes for array in arrays.values())


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.int64)


def decompress(arrays: Mapping[str, Array], encodings: Any) -> dict[str, Array]:
    """The arrays as they were in memory; a ValueError for encodings that cannot be right."""
    if not isinstance(encodings, dict):
        raise ValueError("its entry of compressed arrays cannot be read")
    out, room = dict(arrays), MAX_EXPANSION * _bytes(arrays)
    for name, how in encodings.items():
        if name not in out or not isinstance(how, dict) or how.get("dtype") not in (*WIDE_TYPES,):
            raise ValueError(f"there is no compressed array {name[:80]!r}")
        if "deflated" in how:
            out[name] = _inflate(out[name], how["deflated"], how["shape"], room)
        out[name] = out[name].astype(WIDE_TYPES[how["dtype"]])
        for common in how.keys() - {"dtype", "deflated", "shape"}:
            bits = out.pop(f"{name}{MASK_SUFFIX}", np.empty(0))
            out[name] = _fill_common(out[name], bits, how[common], COMMON_VALUES[common])
        room -= out[name].nbytes
    return out


def _inflate(small: Array, kind: Any, shape: Any, room: int) -> Array:
    """The numbers of a deflated array; a ValueError unless they are as many as the file says."""
    size, dtype = _size(shape), np.dtype(DEFLATED_TYPES[kind])
    if not 0 <= size * BYTES_PER_NUMBER <= room or small.dtype != np.uint8:
        raise ValueError("an array is larger than a file of this length can hold")
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(small.tobytes(), size * dtype.itemsize + 1)  # 0 were any length
    except zlib.error:
        raise ValueError("an array cannot be inflated") from None
    if not stream.eof or stream.unused_data:
        raise ValueError("the length of an array does not match its shape")
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _fill_common(values: Array, bits: Array, shape: Any, common: Array) -> Array:
    """An array of one common value, with other values where the bit mask is set."""
    size = _size(shape)
    if size < 0 or bits.shape != (-(-size // 8),):
        raise ValueError("the bit mask of an array does not match its values")
    mask = np.unpackbits(bits, count=size).astype(bool)
    if np.count_nonzero(mask) != values.size:
        raise ValueError("the bit mask of an array does not match its values")
    out = np.full(size, common[0])
    out[mask] = values.ravel()
    return out.reshape(shape)


def _size(shape: Any) -> int:
    """How many numbers an array of this shape has; -1 if it is none."""
    whole = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    return prod(shape) if whole and len(shape) <= 8 else -1
