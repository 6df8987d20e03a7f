"""The .tally file: arrays and one page of JSON, in safetensors; loading it runs no code.

The JSON (metadata key ``tallylearn``) holds: format, learner, options, schema, classes' type, the
trees of the model and of the tally (frozen structures whose arrays are named), versions, machine,
``digest`` (every array and all of the JSON but versions and machine) and ``tally_digest`` (learner,
options, schema, tally). Strings are UTF-8 bytes and offsets.

A tally holds counts, and a count of one is one person's row: treat a file with a tally as personal
data.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.errors import FileError, OptionError, path_of
from tallylearn.tables import Array, Column, Schema
from tallylearn.tallies import Bundle, Counts, Exact, Moments, Products, Scatter
from tallylearn.writing import write_whole

FORMAT = 1
KEY = "tallylearn"
HOUSE = (Bundle, Counts, Exact, Moments, Products, Scatter, Schema, Column)
ASIDE = ("versions", "machine", "digest")  # what the digest does not cover
TYPES = ("float64", "int64", "uint8", "bool")


def save(estimator: Any, path: str | Path, tally: bool = True) -> None:
    """Write a fitted estimator: to a temporary file, synced, renamed."""
    place = path_of(path)
    page, arrays = _page(estimator, tally)
    _write(place, page, arrays)


def load(path: str | Path) -> Any:
    """Read an estimator from a model file; damage is an error, and nothing in the file is run.

    >>> import tempfile, tallylearn as tl
    >>> path = tempfile.mkdtemp() + "/tennis.tally"
    >>> tl.NaiveBayes().fit(tl.example("tennis")).save(path)
    >>> tl.load(path)
    NaiveBayes()
    """
    page, arrays = _read(path_of(path))
    try:
        return _restored(page, arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise FileError(f"{path} is damaged: {error}. Save the model again.") from None


def page(path: str | Path) -> dict[str, Any]:
    """What a model file says of itself: its page of JSON, checked."""
    return _read(Path(path))[0]


def digests(estimator: Any) -> tuple[str, str]:
    """The digest of everything that was learned, and the digest of the tally."""
    page, _ = _page(estimator, estimator.tally_ is not None)
    return page["digest"], page["tally_digest"]


def _page(estimator: Any, tally: bool) -> tuple[dict[str, Any], dict[str, Array]]:
    name = type(estimator).__name__
    if tally and estimator.tally_ is None:
        raise OptionError(f"{name}: this model has no tally. Save it with tally=False.")
    arrays: dict[str, Array] = {}
    page = {
        "format": FORMAT,
        "learner": name,
        "options": {
            option: _packed(_whole(value), f"options.{option}", arrays, name)
            for option, value in estimator.get_params().items()
        },
        "schema": _packed(estimator.schema_, "schema", arrays, name),
        "label_type": estimator._label_type,
        "by_name": estimator._by_name,
    }
    counted: dict[str, Array] = dict(arrays)
    tree = _packed(estimator.tally_, "tally", counted, name)
    page["tally_digest"] = _digest({**page, "tally": tree}, counted)
    page["tally"] = tree if tally else None
    arrays |= counted if tally else {}
    page["model"] = _packed(estimator.model_, "model", arrays, name)
    page["digest"] = _digest(page, arrays)
    page["versions"] = {
        "tallylearn": _version(),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    page["machine"] = {"processor": platform.machine(), "byteorder": sys.byteorder}
    return page, arrays


def _whole(value: Any) -> Any:
    """1.0 and 1 are one option."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _packed(value: Any, name: str, arrays: dict[str, Array], who: str) -> Any:
    """A tree of JSON; arrays go into ``arrays`` under their place in the tree."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype.name in TYPES:
        arrays[name] = np.ascontiguousarray(value)
        return {"array": name}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        packed = {key: _packed(item, f"{name}.{key}", arrays, who) for key, item in fields.items()}
        return {"type": type(value).__name__, "fields": packed}
    if isinstance(value, set | frozenset):
        value = sorted(value)
    if isinstance(value, tuple | list | np.ndarray):
        return _packed_sequence(list(value), name, arrays, who)
    if isinstance(value, Mapping):
        pairs = [
            [_packed(key, "", {}, who), _packed(item, f"{name}.{i}", arrays, who)]
            for i, (key, item) in enumerate(value.items())
        ]
        return {"pairs": pairs}
    raise OptionError(
        f"{who}: {name.removeprefix('options.')} is {value!r}, which cannot be saved: "
        "a model file holds numbers and text, and no code."
    )


def _packed_sequence(items: list[Any], name: str, arrays: dict[str, Array], who: str) -> Any:
    if items and all(isinstance(item, str) for item in items):
        data = [item.encode("utf-8", "surrogatepass") for item in items]
        arrays[f"{name}.bytes"] = np.frombuffer(b"".join(data), dtype=np.uint8)
        arrays[f"{name}.ends"] = np.cumsum([len(item) for item in data], dtype=np.int64)
        return {"strings": name}
    return {"tuple": [_packed(item, f"{name}.{i}", arrays, who) for i, item in enumerate(items)]}


def _unpacked(tree: Any, arrays: Mapping[str, Array], allowed: Mapping[str, type]) -> Any:
    if not isinstance(tree, dict):
        return tree
    if "array" in tree:
        return arrays[tree["array"]]
    if "strings" in tree:
        data, ends = (
            arrays[f"{tree['strings']}.bytes"].tobytes(),
            arrays[f"{tree['strings']}.ends"].tolist(),
        )
        if any(a > b for a, b in zip([0, *ends], [*ends, len(data)], strict=True)):
            raise ValueError(f"the offsets of {tree['strings']} do not fit its bytes")
        return tuple(
            data[a:b].decode("utf-8", "surrogatepass")
            for a, b in zip([0, *ends], ends, strict=False)
        )
    if "tuple" in tree:
        return tuple(_unpacked(item, arrays, allowed) for item in tree["tuple"])
    if "pairs" in tree:
        return {key: _unpacked(item, arrays, allowed) for key, item in tree["pairs"]}
    kind = allowed[tree["type"]]
    return kind(**{key: _unpacked(item, arrays, allowed) for key, item in tree["fields"].items()})


def _restored(page: dict[str, Any], arrays: dict[str, Array]) -> Any:
    import tallylearn

    name = page["learner"]
    if name not in tallylearn.NAMES or not hasattr(kind := getattr(tallylearn, name), "stored"):
        raise ValueError(f"there is no learner {name!r}")
    allowed = {known.__name__: known for known in (*HOUSE, *kind.stored)}
    options = {key: _unpacked(tree, arrays, allowed) for key, tree in page["options"].items()}
    estimator = kind(**options)
    estimator.schema_ = _unpacked(page["schema"], arrays, allowed)
    estimator.tally_ = _unpacked(page["tally"], arrays, allowed)
    estimator.model_ = _unpacked(page["model"], arrays, allowed)
    estimator._label_type, estimator._by_name = page["label_type"], page["by_name"]
    if estimator.tally_ is not None:
        estimator._shaped = estimator._shape()
        if not isinstance(estimator.tally_, Bundle):
            raise ValueError("its tally is no tally")
        if reason := estimator.tally_.impossible():
            raise ValueError(f"no rows can have been counted so ({reason})")
    estimator._derive()
    return estimator


def _digest(page: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    covered = {key: value for key, value in page.items() if key not in ASIDE}
    found = hashlib.sha256(_canonical(covered))
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(_canonical([name, array.dtype.str, list(array.shape)]))
        found.update(array.tobytes())
    return found.hexdigest()


def _canonical(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _write(path: Path, page: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    from safetensors.numpy import save as to_bytes

    data = to_bytes(
        dict(arrays), metadata={KEY: _canonical(page).decode("utf-8", "backslashreplace")}
    )
    write_whole(path, data)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise FileError(f"there is no file {str(path)!r}.")
    try:
        with safe_open(path, "numpy") as file:
            text = (file.metadata() or {}).get(KEY)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise FileError(
            f"{path} is not a model file of tallylearn, or is cut short: {error}."
        ) from None
    if text is None:
        raise FileError(f"{path} is a safetensors file of something else than tallylearn.")
    return _checked(path, text, arrays), arrays


def _checked(path: Path, text: str, arrays: dict[str, Array]) -> dict[str, Any]:
    try:
        page = json.loads(text)
        known = page["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileError(f"{path} is damaged: its page of JSON cannot be read.") from None
    if known != FORMAT:
        raise FileError(
            f"{path} has format {known}, and this tallylearn reads format {FORMAT}. "
            "Update tallylearn, or save the model again."
        )
    if page.get("digest") != _digest(page, arrays):
        raise FileError(f"{path} is damaged or was altered: its digest does not fit its content.")
    return dict(page)


def _version() -> str:
    import tallylearn

    return tallylearn.__version__
