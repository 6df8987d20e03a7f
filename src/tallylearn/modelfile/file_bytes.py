"""The bytes of a model file: safetensors with one page of JSON, a checksum and a digest.

The checksum covers every byte and finds damage; the digest identifies the content. Neither is a
signature. The file is not memory-mapped: one that is cut short while it is read raises an error, no
signal (SIGBUS).
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
from tallylearn.modelfile.array_compression import compress, decompress
from tallylearn.modelfile.packing import FORMAT_1_TYPES, strip_types
from tallylearn.tables import Array

# 1 had no checksum, and wrote 1.0 as 1; 2 had every number in 8 bytes; 3 no deflate, nor a target
FORMAT = 4
READABLE_FORMATS = (1, 2, 3, 4)
METADATA_KEY = "tallylearn"
# Entries that the digest does not cover: they do not change what was learned.
NOT_DIGESTED = ("versions", "machine", "digest", "checksum", "narrow", "written", "target")
SAFETENSORS_TYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64,
    "I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F16": np.float16,
    "F32": np.float32, "F64": np.float64,
}  # fmt: skip
PAGE_ENTRIES: dict[str, Any] = {
    "learner": str, "options": dict, "schema": dict, "label_type": str, "by_name": bool,
    "target": str | None, "tally": dict | None, "model": dict, "digest": str, "tally_digest": str,
    "versions": dict, "machine": dict,
}  # fmt: skip
BLANK_CHECKSUM = b"0" * 64  # stands for the checksum while that is computed


def digest(page: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the content, the same in every format; types of options do not count."""
    covered = _without_undigested(page)
    given = {name: array for name, array in arrays.items() if name.startswith("options.")}
    lists = {name: array for name, array in given.items() if array.dtype.name not in FORMAT_1_TYPES}
    covered["options"] = strip_types(covered["options"], lists)
    found = hashlib.sha256(_canonical({**covered, "format": 1}))
    for name in sorted(arrays.keys() - lists.keys()):
        array = np.ascontiguousarray(arrays[name])
        found.update(_canonical([name, array.dtype.str, list(array.shape)]))
        found.update(array.tobytes())
    return found.hexdigest()


def _without_undigested(tree: Any) -> Any:
    """A page, or a part of one, without the entries that a digest does not cover."""
    if isinstance(tree, list):
        return [_without_undigested(item) for item in tree]
    if not isinstance(tree, Mapping):
        return tree
    aside = NOT_DIGESTED if "learner" in tree else ()
    return {key: _without_undigested(value) for key, value in tree.items() if key not in aside}


def to_bytes(page: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file, with their checksum."""
    from safetensors.numpy import save as safetensors_bytes

    kept, narrow = compress(arrays)
    page = {**page, "narrow": narrow, "checksum": BLANK_CHECKSUM.decode()}
    text = _canonical(page).decode("utf-8", "backslashreplace")
    data = safetensors_bytes(kept, metadata={METADATA_KEY: text})
    # the page comes first in the file, and the checksum in it before any name
    return bytes(data).replace(BLANK_CHECKSUM, hashlib.sha256(data).hexdigest().encode(), 1)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The page and the arrays of a file, if every byte is as it was written."""
    try:
        if not path.is_file():
            raise FileError(f"there is no file {str(path)!r}. Check the path.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"{path} cannot be read: {error}. Check its name and permissions."
        ) from None
    return from_bytes(path, data)


def from_bytes(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """The page and the arrays of these bytes of a file."""
    arrays, text = _split_page(path, data)
    page = _page(path, text)
    if page["format"] != 1 and not _matches_checksum(data, page.get("checksum")):
        raise FileError(
            f"{path} is damaged: its checksum does not match its bytes. Copy the file again, or "
            "save the model again."
        )
    arrays = _decompress(path, page, arrays)
    if page.get("digest") != _digest(path, page, arrays):
        raise FileError(
            f"{path} is damaged or was altered: its digest does not match its content. Save the "
            "model again."
        )
    return page, arrays


def _split_page(path: Path, data: bytes) -> tuple[dict[str, Array], str]:
    """The arrays, each with memory of its own, and the page as text."""
    from safetensors import SafetensorError, deserialize

    try:
        arrays = {name: _array(stored) for name, stored in deserialize(data)}  # type: ignore[no-untyped-call]
        (size,) = struct.unpack("<Q", data[:8])
        text = (json.loads(data[8 : 8 + size]).get("__metadata__") or {}).get(METADATA_KEY)
    except (SafetensorError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise FileError(
            f"{path} is not a model file of tallylearn, or is cut short: {str(error)[:300]}. "
            "Pass a file that save has written."
        ) from None
    if not isinstance(text, str):
        raise FileError(
            f"{path} is a safetensors file of another program. Pass a file that save has written."
        )
    return arrays, text


def _array(stored: Mapping[str, Any]) -> Array:
    if stored["dtype"] not in SAFETENSORS_TYPES:
        raise ValueError(f"an array of the type {stored['dtype']}")
    plain = np.frombuffer(stored["data"], dtype=np.uint8)
    if stored["dtype"] == "BOOL" and (plain > 1).any():
        raise ValueError("a truth value is 0 or 1")
    return plain.view(SAFETENSORS_TYPES[stored["dtype"]]).reshape(stored["shape"]).copy()


def _decompress(path: Path, page: Mapping[str, Any], arrays: dict[str, Array]) -> dict[str, Array]:
    try:
        return decompress(arrays, page.get("narrow", {}))
    except (LookupError, MemoryError, TypeError, ValueError) as error:
        raise FileError(f"{path} is damaged: {str(error)[:300]}.") from None


def _page(path: Path, text: str) -> dict[str, Any]:
    try:
        page = json.loads(text)
        known = page["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(
            f"{path} is damaged: its JSON header cannot be read. Copy the file again, or save the "
            "model again."
        ) from None
    if type(known) is not int or known not in READABLE_FORMATS:
        raise FileError(
            f"{path} has format {str(known)[:40]}, and this version of tallylearn reads formats up "
            f"to {FORMAT}. Update tallylearn, or save the model again."
        )
    if odd := _first_bad_entry(page):
        raise FileError(
            f"{path} is damaged: the entry {odd!r} of its header is missing or wrong. Save the "
            "model again."
        )
    return dict(page)


def _first_bad_entry(page: Mapping[str, Any]) -> str | None:
    """The first entry of a page that is missing or has another type; trees are checked later."""
    for name, kind in PAGE_ENTRIES.items():
        if not isinstance(page.get(name), kind):
            return name
    for name in ("digest", "tally_digest"):
        if not re.fullmatch("[0-9a-f]{64}", page[name]):
            return name
    for name in ("versions", "machine"):
        texts = [*page[name], *page[name].values()]
        if not all(
            isinstance(word, str) and re.fullmatch(r"[\w.+ -]{1,80}", word) for word in texts
        ):
            return name
    return None


def _matches_checksum(data: bytes, checksum: Any) -> bool:
    if (
        not isinstance(checksum, str)
        or len(checksum) != len(BLANK_CHECKSUM)
        or not checksum.isascii()
    ):
        return False
    blank = data.replace(checksum.encode(), BLANK_CHECKSUM, 1)
    return hashlib.sha256(blank).hexdigest() == checksum


def _digest(path: Path, page: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    try:
        return digest(page, arrays)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise FileError(f"{path} is damaged: {str(error)[:300]}.") from None


def _canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")
