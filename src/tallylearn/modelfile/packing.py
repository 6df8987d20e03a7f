"""Packing: values as a tree of JSON and named arrays, and back with the types they had."""

from __future__ import annotations

import copy
import dataclasses
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.modelfile.stored_names import code_fields, stored_class, stored_field
from tallylearn.tables import Array
from tallylearn.tables.field_schemas import built

ARRAYS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64")  # fmt: skip
FIRST = ("float64", "int64", "uint8", "bool")  # arrays from the first format on; others were lists
SCALARS = (*ARRAYS, "str")
WRAPPED: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset}
Learner = Callable[[Mapping[str, Any], "Shelf", int], Any]
DEEPEST = 12  # structures within structures
WITHIN = 2  # learners within learners: each takes a part of that
WIDEST = 1 << 26  # bytes of an array of strings, each as wide as the longest; more become a list


def packed(value: Any, name: str, arrays: dict[str, Array], who: str) -> Any:
    """A tree of JSON; arrays go into ``arrays`` under their place in the tree.

    A field that makes no difference between two structures is no part of what they hold.
    """
    if isinstance(value, np.generic):
        return _packed_scalar(value, name, who)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return _packed_array(value, name, arrays, who)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        owner = type(value).__name__
        fields = {
            stored_field(owner, f.name): getattr(value, f.name)
            for f in dataclasses.fields(value)
            if f.compare
        }
        inside = {key: packed(item, f"{name}.{key}", arrays, who) for key, item in fields.items()}
        return {"type": stored_class(owner), "fields": inside}
    if _learns(value):
        return _packed_learner(value, name, arrays, who)
    if isinstance(value, set | frozenset):
        order = sorted(value, key=lambda item: (type(item).__name__, item))
        return {type(value).__name__: _packed_sequence(order, name, arrays, who)}
    if isinstance(value, list):
        return {"list": _packed_sequence(value, name, arrays, who)}
    if isinstance(value, tuple):
        return _packed_sequence([*value], name, arrays, who)
    if isinstance(value, Mapping):
        pairs = [
            [packed(key, "", {}, who), packed(item, f"{name}.{i}", arrays, who)]
            for i, (key, item) in enumerate(value.items())
        ]
        return {"pairs": pairs}
    if (
        hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 1
    ):  # a pandas Series, by its labels
        return packed(value.to_dict(), name, arrays, who)
    raise _not_saved(value, name, who)


def _learns(value: Any) -> bool:
    return hasattr(value, "stored") and not isinstance(value, type)


def page_of(learner: Any, name: str, arrays: dict[str, Array], who: str) -> dict[str, Any]:
    """A learner, what it was told and, where it is fitted, what it was told of.

    Only one that is composed of others has others among its options.
    """
    kind, options = type(learner).__name__, learner.get_params(deep=False)
    for option in learner.listed:
        if hasattr(options[option], "__array__"):  # a pandas Series goes by its order here
            options[option] = np.asarray(options[option])
    for option, value in options.items():
        if isinstance(value, type) and issubclass(value, np.generic):  # a dtype: by its name
            options[option] = np.dtype(value).name
        inside = value if isinstance(value, list | tuple) else (value,)
        if not learner.composed and any(_learns(one) for one in inside):
            raise _not_saved(value, option, kind)
    page: dict[str, Any] = {
        "learner": kind,
        "options": {
            (stored := stored_field(kind, option)): packed(
                value, f"{name}options.{stored}", arrays, who
            )
            for option, value in options.items()
        },
    }
    if learner.__sklearn_is_fitted__():
        page |= {
            "schema": packed(learner.schema_, f"{name}schema", arrays, who),
            "label_type": learner._label_type,
            "by_name": learner._by_name,
            "target": learner.target_name_,
        }
    return page


def written_of(schema: Any) -> dict[str, Any]:
    """How the strings of its columns were written."""
    return {column: one.to_dict() for column, one in schema.spellings.items()}


def _packed_learner(learner: Any, name: str, arrays: dict[str, Array], who: str) -> Any:
    """A learner within another, without its tally."""
    above = name.split(".")
    if max(above.count("options"), above.count("model")) > WITHIN:
        raise OptionError(
            f"{who}: learners lie more than {WITHIN} deep within each other, and cannot be saved "
            "so. Save them alone."
        )
    page = page_of(learner, f"{name}.", arrays, who)
    if "schema" in page:
        page["model"] = packed(learner.model_, f"{name}.model", arrays, who)
        page["written"] = written_of(learner.schema_)
    return page


def _packed_scalar(value: np.generic, name: str, who: str) -> Any:
    kind = value.dtype.name if not isinstance(value, np.str_) else "str"
    if kind not in SCALARS:
        raise _not_saved(value, name, who)
    return {"scalar": kind, "value": value.item()}


def _packed_array(value: Array, name: str, arrays: dict[str, Array], who: str) -> Any:
    if value.dtype.name in ARRAYS:
        arrays[name] = np.ascontiguousarray(value).reshape(value.shape)
        return {"array": name}
    kind = "str" if value.dtype.kind == "U" else value.dtype.name
    if kind not in (*SCALARS, "object"):
        raise _not_saved(value, name, who)
    inside = packed(value.tolist(), name, arrays, who)
    wide = kind == "object" or value.nbytes > WIDEST
    return inside if wide else {"items": inside, "dtype": kind}


def _packed_sequence(items: list[Any], name: str, arrays: dict[str, Array], who: str) -> Any:
    if items and all(type(item) is str for item in items):
        data = [item.encode("utf-8", "surrogatepass") for item in items]
        arrays[f"{name}.bytes"] = np.frombuffer(b"".join(data), dtype=np.uint8)
        arrays[f"{name}.ends"] = np.cumsum([len(item) for item in data], dtype=np.int64)
        return {"strings": name}
    return {"tuple": [packed(item, f"{name}.{i}", arrays, who) for i, item in enumerate(items)]}


def _not_saved(value: Any, name: str, who: str) -> OptionError:
    remedy = " Leave it out, or save its neighbours alone." if hasattr(value, "fit") else ""
    return OptionError(
        f"{who}: {name.removeprefix('options.')} is {value!r}, which cannot be saved: "
        f"a model file holds numbers and text, and no code.{remedy}"
    )


def untyped(tree: Any, lists: Mapping[str, Array]) -> Any:
    """The tree without what tells 1.0 from 1, a list from a tuple, NumPy's numbers from Python's.

    Options that differ in nothing else are one option, and so it was digested from the start, when
    some arrays were ``lists``.
    """
    if isinstance(tree, float) and tree.is_integer():
        return int(tree)
    if isinstance(tree, list):
        return [untyped(item, lists) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if {*tree} == {"array"} and tree["array"] in lists:
        return untyped(packed(lists[tree["array"]].tolist(), "", {}, ""), {})
    for name in (*WRAPPED, "items", "value"):
        if name in tree and {*tree} <= {name, "dtype", "scalar"}:
            return untyped(tree[name], lists)
    return {key: untyped(item, lists) for key, item in tree.items()}


def _width(value: Any) -> int:
    """The bytes that strings take in an array of NumPy's."""
    flat, found = [value], []
    while flat:
        item = flat.pop()
        if isinstance(item, tuple | list):
            flat.extend(item)
        else:
            found.append(len(str(item)))
    return 4 * len(found) * max(found, default=0)


class Shelf:
    """The arrays of a file, each taken once, and the structures that they make.

    ``learner`` makes one that lies within another, of its page, this shelf and how deep it lies.
    """

    def __init__(self, arrays: Mapping[str, Array], learner: Learner | None = None) -> None:
        self.arrays, self.learner = dict(arrays), learner
        self.allowed: Mapping[str, type] = {}

    def allowing(self, kinds: Iterable[type]) -> Shelf:
        """The same arrays, for structures of these kinds."""
        found = copy.copy(self)
        found.allowed = {stored_class(kind.__name__): kind for kind in kinds}
        return found

    @property
    def unused(self) -> list[str]:
        """The arrays that nothing has named."""
        return [*self.arrays]

    def unpacked(self, tree: Any, depth: int = 0) -> Any:
        """What a tree of JSON stands for."""
        if depth > DEEPEST:
            raise ValueError(f"its structures lie more than {DEEPEST} deep")
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if not isinstance(tree, dict):
            raise ValueError("its page has a list where none can be")
        if {*tree} == {"array"}:
            return self._taken(tree["array"])
        if {*tree} == {"strings"}:
            return self._strings(tree["strings"])
        if {*tree} == {"tuple"}:
            return tuple([self.unpacked(item, depth + 1) for item in tree["tuple"]])
        if {*tree} == {"pairs"}:
            return {
                self.unpacked(key, depth + 1): self.unpacked(item, depth + 1)
                for key, item in tree["pairs"]
            }
        if {*tree} == {"scalar", "value"} or {*tree} == {"items", "dtype"}:
            return self._of_numpy(tree, depth)
        if len(tree) == 1 and (name := next(iter(tree))) in WRAPPED:
            return WRAPPED[name](self.unpacked(tree[name], depth + 1))
        if "learner" in tree and self.learner is not None:
            return self.learner(tree, self, depth + 1)
        fields = {key: self.unpacked(item, depth + 1) for key, item in tree["fields"].items()}
        kind = self.allowed[tree["type"]]
        return built(kind, code_fields(kind.__name__, fields))

    def _taken(self, name: Any) -> Array:
        if not isinstance(name, str) or name not in self.arrays:
            raise ValueError(f"there is no array {str(name)[:80]!r}, or it is named twice")
        return self.arrays.pop(name)

    def _of_numpy(self, tree: Mapping[str, Any], depth: int) -> Any:
        """A number of NumPy, or an array of some other type than the file has."""
        kind = tree.get("scalar", tree.get("dtype"))
        if kind not in SCALARS:
            raise ValueError(f"there is no type {str(kind)[:40]!r}")
        value = self.unpacked(tree.get("value", tree.get("items")), depth + 1)
        if "dtype" in tree:
            if kind == "str" and _width(value) > WIDEST:
                raise ValueError("an array of strings is too wide")
            return np.array(value, dtype=kind)
        return np.dtype(kind).type(value)

    def _strings(self, name: Any) -> tuple[str, ...]:
        data, ends = self._taken(f"{name}.bytes"), self._taken(f"{name}.ends")
        if data.dtype != np.uint8 or ends.dtype != np.int64 or data.ndim != 1 or ends.ndim != 1:
            raise ValueError(f"{name} holds no strings")
        starts = np.concatenate([[0], ends])
        if (starts[1:] < starts[:-1]).any() or starts[-1] != len(data):
            raise ValueError(f"the offsets of {name} do not fit its bytes")
        text, at = data.tobytes(), starts.tolist()
        return tuple(
            [text[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(at)]
        )
