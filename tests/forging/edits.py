"""Edits of a model file: its page, its arrays, its names, its bytes."""

from __future__ import annotations

import copy
import json
import random
import struct
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from tallylearn.modelfile import array_compression, file_bytes

File = tuple[dict[str, Any], dict[str, Any]]  # the page, the arrays
ODD_NUMBERS = (0, 1, -1, 2, 3, 7, 0.5, -0.5, 1e-300, 1e300, -1e308, 2**31, 2**63 - 1, -(2**63),
               2**64, 10**30, float("nan"), float("inf"), float("-inf"), True, False)  # fmt: skip
ODD_TEXT = ("", "a", "red", "number", "category", "text", "date", "unknown", "\0", "x" * 5000, "=",
            "=red", "target", "auto", "bernoulli", "<i8", "<f4", "S2147483647", "U99999999", "|O",
            "<M8[ns]", "2000-01-01", "\ud83e", "Tree", "Exact", "²", "1", "-1")  # fmt: skip
ODD_TREES = (None, [], {}, {"tuple": []}, {"pairs": []}, {"strings": "schema"}, {"array": "x"},
             {"tuple": [{"tuple": []}]}, {"list": {"tuple": [1]}},
             {"scalar": "float32", "value": 2}, {"scalar": "int8", "value": 4000},
             {"items": {"tuple": ["a", 1]}, "dtype": "str"},
             {"type": "Exact", "fields": {}}, {"set": {"tuple": [[]]}})  # fmt: skip
KINDS = (np.float64, np.int64, np.uint8, np.bool_, np.float32, np.int32, np.float16)


def opened(data: bytes) -> File:
    """A file's page and arrays, these as wide as in memory."""
    (size,) = struct.unpack("<Q", data[:8])
    text = json.loads(data[8 : 8 + size])["__metadata__"][file_bytes.METADATA_KEY]
    page = json.loads(text)
    return page, array_compression.decompress(load(data), page.pop("narrow", {}))


def sealed(page: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    """A file whose digest and checksum fit, whatever it says."""
    page["digest"] = file_bytes.digest(page, arrays)
    if page.get("format") == 1:
        return bytes(save(arrays, metadata={file_bytes.METADATA_KEY: json.dumps(page)}))
    return file_bytes.to_bytes(page, arrays)


def forged(file: File, data: bytes, rng: random.Random) -> bytes:
    """One to three edits of a file; of its bytes in one case of twenty."""
    if rng.random() < 0.05:
        return _damaged(data, rng)
    page, arrays = copy.deepcopy(file[0]), dict(file[1])
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        rng.choice((_edit_page, _edit_page, _edit_array, _edit_array, _edit_array, _edit_keys,
                    _edit_options))(page, arrays, rng)  # fmt: skip
    return sealed(page, arrays)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        how, at = rng.randrange(3), rng.randrange(max(1, len(out)))
        if how == 0 and out:
            out[at % len(out)] ^= rng.randint(1, 255)
        elif how == 1:
            del out[at : at + rng.randint(1, 64)]
        else:
            out[at:at] = rng.randbytes(rng.randint(1, 16))
    return bytes(out)


def _places(tree: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every place in a tree of JSON: the container, and the key in it."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, item in items:
        found.append((tree, key))
        if isinstance(item, dict | list):
            _places(item, found)
    return found


def _odd(value: Any, rng: random.Random) -> Any:
    """Something else in the place of a value; often of its own type."""
    kind = rng.random()
    if kind < 0.1:
        return copy.deepcopy(rng.choice(ODD_TREES))
    if isinstance(value, bool) and kind < 0.6:
        return not value
    if isinstance(value, int | float) and kind < 0.4:
        return value + rng.choice((-1, 1))
    if isinstance(value, str) and kind < 0.5:
        return rng.choice((value[:-1], value + "x", value.upper(), value * 3))
    return rng.choice(rng.choice((ODD_NUMBERS, ODD_TEXT)))


def _edit_page(page: dict[str, Any], arrays: dict[str, Any], rng: random.Random) -> None:
    part = rng.choice([key for key in ("schema", "model", "tally", "tally", "model", "label_type",
                                       "by_name", "learner", "versions", "machine",
                                       "tally_digest") if key in page])  # fmt: skip
    if not isinstance(page[part], dict):
        page[part] = _odd(page[part], rng)
        return
    places = _places(page[part], [])
    if not places:
        return
    tree, key = rng.choice(places)
    how = rng.randrange(6)
    if how == 0:
        del tree[key]
    elif how == 1:
        other, place = rng.choice(places)
        tree[key] = copy.deepcopy(other[place])
    elif how == 2 and isinstance(tree, list):
        tree.insert(rng.randrange(len(tree) + 1), copy.deepcopy(tree[key]))
    elif how == 3 and isinstance(tree, list):
        rng.shuffle(tree)
    else:
        tree[key] = _odd(tree[key], rng)


def _edit_options(page: dict[str, Any], arrays: dict[str, Any], rng: random.Random) -> None:
    if isinstance(page["options"], dict) and page["options"]:
        key = rng.choice(sorted(page["options"]))
        page["options"][key] = _odd(page["options"][key], rng)


def _edit_keys(page: dict[str, Any], arrays: dict[str, Any], rng: random.Random) -> None:
    """Strings: other letters, other offsets, one more or one less."""
    names = sorted(name[:-5] for name in arrays if name.endswith(".ends"))
    if not names or f"{(name := rng.choice(names))}.bytes" not in arrays:
        return
    ends = arrays[f"{name}.ends"].tolist()
    data = arrays[f"{name}.bytes"].tobytes()
    words = [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    how = rng.randrange(6)
    if how == 0 and words:
        words[rng.randrange(len(words))] = rng.choice(ODD_TEXT).encode("utf-8", "surrogatepass")
    elif how == 1:
        words.append(rng.choice((*words, b"new")))
    elif how == 2 and words:
        words.pop(rng.randrange(len(words)))
    elif how == 3:
        rng.shuffle(words)
    arrays[f"{name}.bytes"] = np.frombuffer(b"".join(words), np.uint8)
    arrays[f"{name}.ends"] = np.cumsum([*map(len, words)], dtype=np.int64)
    if how >= 4:
        odd = arrays[f"{name}.ends"].copy()
        if len(odd):
            odd[rng.randrange(len(odd))] = rng.choice((-1, 0, 1, 2**62, 2**63 - 1, len(data) + 1))
        arrays[f"{name}.ends"] = odd


def _edit_array(page: dict[str, Any], arrays: dict[str, Any], rng: random.Random) -> None:
    if not arrays:
        return
    name = rng.choice(sorted(arrays))
    array = arrays[name]
    how = rng.randrange(12)
    with np.errstate(all="ignore"):
        if how == 0:
            array = array.astype(rng.choice(KINDS))
        elif how == 1:
            array = array[None] if rng.random() < 0.5 else array[..., None]
        elif how == 2:
            array = np.stack([array, array])
        elif how == 3 and array.ndim:
            axis = rng.randrange(array.ndim)
            array = np.concatenate([array, array], axis) if rng.random() < 0.3 else (
                np.delete(array, [0], axis) if array.shape[axis] else array)  # fmt: skip
        elif how == 4 and array.ndim > 1:
            array = array.T
        elif how == 5 and array.size:
            array = array.reshape(-1)
        elif how == 6 and array.size:
            array = np.roll(array, 1)
        elif array.size:
            array = _poked(array, rng)
    arrays[name] = np.ascontiguousarray(array)


def _poked(array: Any, rng: random.Random) -> Any:
    """One number, or all of them, changed."""
    out = array.copy()
    flat = out.reshape(-1)
    at = slice(None) if rng.random() < 0.1 else rng.randrange(len(flat))
    if rng.random() < 0.5:
        flat[at] = flat[at] + np.array(rng.choice((-1, 1, 2))).astype(out.dtype)
        return out
    value = rng.choice(ODD_NUMBERS)
    if out.dtype.kind in "iub":
        value = 0 if value != value else int(max(-(2**63), min(2**63 - 1, float(value) if abs(
            value) == float("inf") else value)))  # fmt: skip
        value = value % 256 if out.dtype.kind == "u" else value
        value = bool(value) if out.dtype.kind == "b" else value
        value = value if out.dtype.itemsize == 8 or out.dtype.kind == "b" else value % 100
    flat[at] = value
    return out
