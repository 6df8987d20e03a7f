"""Containers: the bytes of a model file, whole or refused.

A checksum over every byte finds damage; a digest over the content says what the content is. Neither
is a signature. Nothing is mapped: a file that is cut short while it is read is an error, not a
signal.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.errors import FileError
from tallylearn.modelfile.narrowing import narrowed, widened
from tallylearn.modelfile.packing import FIRST, untyped
from tallylearn.tables import Array

# 1 had no checksum, and wrote 1.0 as 1; 2 had every number in 8 bytes; 3 no deflate, nor a target
FORMAT = 4
KNOWN = (1, 2, 3, 4)
KEY = "tallylearn"
# What the digest does not cover: how columns are called or written is not what was learned of them.
ASIDE = ("versions", "machine", "digest", "checksum", "narrow", "written", "target")
TYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64,
    "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F16": np.float16,
    "F32": np.float32, "F64": np.float64,
}  # fmt: skip
ENTRIES: dict[str, Any] = {
    "learner": str, "options": dict, "schema": dict, "label_type": str, "by_name": bool,
    "target": str | None, "tally": dict | None, "model": dict, "digest": str, "tally_digest": str,
    "versions": dict, "machine": dict,
}  # fmt: skip
BLANK = b"0" * 64  # stands for the checksum while it is taken


def digest(page: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Of the content: 1.0 and 1 are one option, a list and a tuple too; no matter the format."""
    covered = _covered(page)
    given = {name: array for name, array in arrays.items() if name.startswith("options.")}
    lists = {name: array for name, array in given.items() if array.dtype.name not in FIRST}
    covered["options"] = untyped(covered["options"], lists)
    found = hashlib.sha256(_canonical({**covered, "format": 1}))
    for name in sorted(arrays.keys() - lists.keys()):
        array = np.ascontiguousarray(arrays[name])
        found.update(_canonical([name, array.dtype.str, list(array.shape)]))
        found.update(array.tobytes())
    return found.hexdigest()


def _covered(tree: Any) -> Any:
    """A page, or a part of one, without what the digests of learners leave aside."""
    if isinstance(tree, list):
        return [_covered(item) for item in tree]
    if not isinstance(tree, Mapping):
        return tree
    aside = ASIDE if "learner" in tree else ()
    return {key: _covered(value) for key, value in tree.items() if key not in aside}


def sealed(page: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file, with their checksum."""
    from safetensors.numpy import save as to_bytes

    kept, narrow = narrowed(arrays)
    page = {**page, "narrow": narrow, "checksum": BLANK.decode()}
    text = _canonical(page).decode("utf-8", "backslashreplace")
    data = to_bytes(kept, metadata={KEY: text})
    # the page comes first in the file, and in it by_name and checksum: no name stands before it
    return bytes(data).replace(BLANK, hashlib.sha256(data).hexdigest().encode(), 1)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The page and the arrays of a file, if every byte is as it was written."""
    try:
        if not path.is_file():
            raise FileError(f"there is no file {str(path)!r}.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path} cannot be read: {error}.") from None
    return opened(path, data)


def opened(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The page and the arrays of these bytes of a file."""
    arrays, text = _parted(path, data)
    page = _page(path, text)
    if page["format"] != 1 and not _intact(data, page.get("checksum")):
        raise FileError(f"{path} is damaged: its checksum does not fit its bytes.")
    arrays = _widened(path, page, arrays)
    if page.get("digest") != _digest(path, page, arrays):
        raise FileError(f"{path} is damaged or was altered: its digest does not fit its content.")
    return page, arrays


def _parted(path: Path, data: bytes) -> tuple[dict[str, Array], str]:
    """The arrays, each with memory of its own, and the page as text."""
    from safetensors import SafetensorError, deserialize

    try:
        arrays = {name: _array(told) for name, told in deserialize(data)}  # type: ignore[no-untyped-call]
        (size,) = struct.unpack("<Q", data[:8])
        text = (json.loads(data[8 : 8 + size]).get("__metadata__") or {}).get(KEY)
    except (SafetensorError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise FileError(
            f"{path} is not a model file of tallylearn, or is cut short: {str(error)[:300]}."
        ) from None
    if not isinstance(text, str):
        raise FileError(f"{path} is a safetensors file of something else than tallylearn.")
    return arrays, text


def _array(told: Mapping[str, Any]) -> Array:
    if told["dtype"] not in TYPES:
        raise ValueError(f"an array of the type {told['dtype']}")
    plain = np.frombuffer(told["data"], dtype=np.uint8)
    if told["dtype"] == "BOOL" and (plain > 1).any():
        raise ValueError("a truth value is 0 or 1")
    return plain.view(TYPES[told["dtype"]]).reshape(told["shape"]).copy()


def _widened(path: Path, page: Mapping[str, Any], arrays: dict[str, Array]) -> dict[str, Array]:
    try:
        return widened(arrays, page.get("narrow", {}))
    except (LookupError, MemoryError, TypeError, ValueError) as error:
        raise FileError(f"{path} is damaged: {str(error)[:300]}.") from None


def _page(path: Path, text: str) -> dict[str, Any]:
    try:
        page = json.loads(text)
        known = page["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path} is damaged: its page of JSON cannot be read.") from None
    if type(known) is not int or known not in KNOWN:
        raise FileError(
            f"{path} has format {str(known)[:40]}, and this tallylearn reads formats up to "
            f"{FORMAT}. Update tallylearn, or save the model again."
        )
    if odd := _odd(page):
        raise FileError(f"{path} is damaged: its page has no {odd!r} that can be.")
    return dict(page)


def _odd(page: Mapping[str, Any]) -> str | None:
    """The first entry of a page that is not what it should be; its trees are looked at later."""
    for name, kind in ENTRIES.items():
        if not isinstance(page.get(name), kind):
            return name
    for name in ("digest", "tally_digest"):
        if not re.fullmatch("[0-9a-f]{64}", page[name]):
            return name
    for name in ("versions", "machine"):
        told = [*page[name], *page[name].values()]
        if not all(
            isinstance(word, str) and re.fullmatch(r"[\w.+ -]{1,80}", word) for word in told
        ):
            return name
    return None


def _intact(data: bytes, checksum: Any) -> bool:
    if not isinstance(checksum, str) or len(checksum) != len(BLANK) or not checksum.isascii():
        return False
    blank = data.replace(checksum.encode(), BLANK, 1)
    return hashlib.sha256(blank).hexdigest() == checksum


def _digest(path: Path, page: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    try:
        return digest(page, arrays)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise FileError(f"{path} is damaged: {str(error)[:300]}.") from None


def _canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")
