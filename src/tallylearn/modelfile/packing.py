"""Convert estimators, models and tallies to a tree of JSON and named arrays, and back."""

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
from tallylearn.tables.field_schemas import build

ARRAY_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float16", "float32", "float64")  # fmt: skip
FORMAT_1_TYPES = (
    "float64",
    "int64",
    "uint8",
    "bool",
)  # arrays in format 1; others were lists
SCALAR_TYPES = (*ARRAY_TYPES, "str")
COLLECTIONS: dict[str, Any] = {"list": list, "set": set, "frozenset": frozenset}
LearnerLoader = Callable[[Mapping[str, Any], "Unpacker", int], Any]
MAX_DEPTH = 12  # structures within structures
MAX_NESTED_LEARNERS = 2  # learners within learners
MAX_STRING_ARRAY_BYTES = 1 << 26  # each string as wide as the longest; else a list


def pack(value: Any, name: str, arrays: dict[str, Array], who: str) -> Any:
    """A tree of JSON; arrays go into ``arrays`` under their place in the tree.

    A field that makes no difference between two structures is no part of what they hold.
    """
    if isinstance(value, np.generic):
        return _pack_scalar(value, name, who)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        return _pack_array(value, name, arrays, who)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        owner = type(value).__name__
        fields = {
            stored_field(owner, f.name): getattr(value, f.name)
            for f in dataclasses.fields(value)
            if f.compare and not _is_left_unset(value, f.name)
        }
        inside = {key: pack(item, f"{name}.{key}", arrays, who) for key, item in fields.items()}
        return {"type": stored_class(owner), "fields": inside}
    if _is_learner(value):
        return _pack_learner(value, name, arrays, who)
    if isinstance(value, set | frozenset):
        order = sorted(value, key=lambda item: (type(item).__name__, item))
        return {type(value).__name__: _pack_sequence(order, name, arrays, who)}
    if isinstance(value, list):
        return {"list": _pack_sequence(value, name, arrays, who)}
    if isinstance(value, tuple):
        return _pack_sequence([*value], name, arrays, who)
    if isinstance(value, Mapping):
        pairs = [
            [pack(key, "", {}, who), pack(item, f"{name}.{i}", arrays, who)]
            for i, (key, item) in enumerate(value.items())
        ]
        return {"pairs": pairs}
    if (
        hasattr(value, "to_dict") and getattr(value, "ndim", 0) == 1
    ):  # a pandas Series, by its labels
        return pack(value.to_dict(), name, arrays, who)
    raise _unsavable(value, name, who)


def _is_left_unset(value: Any, name: str) -> bool:
    """Whether a field is None that its class stores only where it is set (``stored_if_set``)."""
    return name in getattr(value, "stored_if_set", ()) and getattr(value, name) is None


def _is_learner(value: Any) -> bool:
    return hasattr(value, "stored") and not isinstance(value, type)


def learner_page(learner: Any, name: str, arrays: dict[str, Array], who: str) -> dict[str, Any]:
    """The page of a learner: its class, its options and, where it is fitted, its schema.

    Only a learner with ``composed`` may have learners among its options.
    """
    kind, options = type(learner).__name__, learner.get_params(deep=False)
    for option in learner.listed:
        if hasattr(options[option], "__array__"):  # a pandas Series goes by its order here
            options[option] = np.asarray(options[option])
    for option in getattr(learner, "stored_if_changed", ()):  # as files before had none
        if options[option] == learner._declared[option].default:
            del options[option]
    for option, value in options.items():
        if isinstance(value, type) and issubclass(value, np.generic):  # a dtype: by its name
            options[option] = np.dtype(value).name
        inside = value if isinstance(value, list | tuple) else (value,)
        if not learner.composed and any(_is_learner(one) for one in inside):
            raise _unsavable(value, option, kind)
    page: dict[str, Any] = {
        "learner": kind,
        "options": {
            (stored := stored_field(kind, option)): pack(
                value, f"{name}options.{stored}", arrays, who
            )
            for option, value in options.items()
        },
    }
    if learner.__sklearn_is_fitted__():
        page |= {
            "schema": pack(learner.schema_, f"{name}schema", arrays, who),
            "label_type": learner._label_type,
            "by_name": learner._by_name,
            "target": learner.target_name_,
        }
    return page


def format_page(schema: Any) -> dict[str, Any]:
    """How the strings of its columns were written."""
    return {column: one.to_dict() for column, one in schema.spellings.items()}


def _pack_learner(learner: Any, name: str, arrays: dict[str, Array], who: str) -> Any:
    """A learner within another, without its tally."""
    above = name.split(".")
    if max(above.count("options"), above.count("model")) > MAX_NESTED_LEARNERS:
        raise OptionError(
            f"{who}.save: learners are nested more than {MAX_NESTED_LEARNERS} deep, which a model "
            "file cannot hold. Save the inner learners by themselves."
        )
    page = learner_page(learner, f"{name}.", arrays, who)
    if "schema" in page:
        page["model"] = pack(learner.model_, f"{name}.model", arrays, who)
        page["written"] = format_page(learner.schema_)
    return page


def _pack_scalar(value: np.generic, name: str, who: str) -> Any:
    kind = value.dtype.name if not isinstance(value, np.str_) else "str"
    if kind not in SCALAR_TYPES:
        raise _unsavable(value, name, who)
    return {"scalar": kind, "value": value.item()}


def _pack_array(value: Array, name: str, arrays: dict[str, Array], who: str) -> Any:
    if value.dtype.name in ARRAY_TYPES:
        arrays[name] = np.ascontiguousarray(value).reshape(value.shape)
        return {"array": name}
    kind = "str" if value.dtype.kind == "U" else value.dtype.name
    if kind not in (*SCALAR_TYPES, "object"):
        raise _unsavable(value, name, who)
    inside = pack(value.tolist(), name, arrays, who)
    wide = kind == "object" or value.nbytes > MAX_STRING_ARRAY_BYTES
    return inside if wide else {"items": inside, "dtype": kind}


def _pack_sequence(items: list[Any], name: str, arrays: dict[str, Array], who: str) -> Any:
    if items and all(type(item) is str for item in items):
        data = [item.encode("utf-8", "surrogatepass") for item in items]
        arrays[f"{name}.bytes"] = np.frombuffer(b"".join(data), dtype=np.uint8)
        arrays[f"{name}.ends"] = np.cumsum([len(item) for item in data], dtype=np.int64)
        return {"strings": name}
    return {"tuple": [pack(item, f"{name}.{i}", arrays, who) for i, item in enumerate(items)]}


def _unsavable(value: Any, name: str, who: str) -> OptionError:
    remedy = "Leave it out, or pickle the model."
    if hasattr(value, "fit"):
        remedy = "Leave this learner out, or pickle the model."
    return OptionError(
        f"{who}.save: {name.removeprefix('options.')} is {value!r}, which cannot be saved: a model "
        f"file holds numbers and text, but no code. {remedy}"
    )


def strip_types(tree: Any, lists: Mapping[str, Array]) -> Any:
    """The tree without types: 1.0 becomes 1, lists and tuples, NumPy's and Python's numbers equal.

    Digests of options have ignored such types since format 1, in which some arrays were ``lists``.
    """
    if isinstance(tree, float) and tree.is_integer():
        return int(tree)
    if isinstance(tree, list):
        return [strip_types(item, lists) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if {*tree} == {"array"} and tree["array"] in lists:
        return strip_types(pack(lists[tree["array"]].tolist(), "", {}, ""), {})
    for name in (*COLLECTIONS, "items", "value"):
        if name in tree and {*tree} <= {name, "dtype", "scalar"}:
            return strip_types(tree[name], lists)
    return {key: strip_types(item, lists) for key, item in tree.items()}


def _string_array_bytes(value: Any) -> int:
    """The bytes of an array of NumPy that holds these strings."""
    flat, found = [value], []
    while flat:
        item = flat.pop()
        if isinstance(item, tuple | list):
            flat.extend(item)
        else:
            found.append(len(str(item)))
    return 4 * len(found) * max(found, default=0)


class Unpacker:
    """Rebuilds structures from a tree of JSON and the arrays of a file; each array is used once.

    ``learner(page, unpacker, depth)`` rebuilds a learner that is nested in another.
    """

    def __init__(self, arrays: Mapping[str, Array], learner: LearnerLoader | None = None) -> None:
        self.arrays, self.learner = dict(arrays), learner
        self.allowed: Mapping[str, type] = {}

    def with_classes(self, kinds: Iterable[type]) -> Unpacker:
        """The same arrays, for structures of these classes; others are refused."""
        found = copy.copy(self)
        found.allowed = {stored_class(kind.__name__): kind for kind in kinds}
        return found

    @property
    def unused_arrays(self) -> list[str]:
        """The arrays that no structure has used."""
        return [*self.arrays]

    def unpack(self, tree: Any, depth: int = 0) -> Any:
        """The value of a tree of JSON."""
        if depth > MAX_DEPTH:
            raise ValueError(f"its structures are nested more than {MAX_DEPTH} deep")
        if tree is None or isinstance(tree, bool | int | float | str):
            return tree
        if not isinstance(tree, dict):
            raise ValueError("its page has a list in a wrong place")
        if {*tree} == {"array"}:
            return self._take_array(tree["array"])
        if {*tree} == {"strings"}:
            return self._strings(tree["strings"])
        if {*tree} == {"tuple"}:
            return tuple([self.unpack(item, depth + 1) for item in tree["tuple"]])
        if {*tree} == {"pairs"}:
            return {
                self.unpack(key, depth + 1): self.unpack(item, depth + 1)
                for key, item in tree["pairs"]
            }
        if {*tree} == {"scalar", "value"} or {*tree} == {"items", "dtype"}:
            return self._unpack_numpy(tree, depth)
        if len(tree) == 1 and (name := next(iter(tree))) in COLLECTIONS:
            return COLLECTIONS[name](self.unpack(tree[name], depth + 1))
        if "learner" in tree and self.learner is not None:
            return self.learner(tree, self, depth + 1)
        fields = {key: self.unpack(item, depth + 1) for key, item in tree["fields"].items()}
        kind = self.allowed[tree["type"]]
        return build(kind, code_fields(kind.__name__, fields))

    def _take_array(self, name: Any) -> Array:
        if not isinstance(name, str) or name not in self.arrays:
            raise ValueError(f"the array {str(name)[:80]!r} is missing, or is used twice")
        return self.arrays.pop(name)

    def _unpack_numpy(self, tree: Mapping[str, Any], depth: int) -> Any:
        """A NumPy scalar, or an array of a type that files do not have."""
        kind = tree.get("scalar", tree.get("dtype"))
        if kind not in SCALAR_TYPES:
            raise ValueError(f"there is no type {str(kind)[:40]!r}")
        value = self.unpack(tree.get("value", tree.get("items")), depth + 1)
        if "dtype" in tree:
            if kind == "str" and _string_array_bytes(value) > MAX_STRING_ARRAY_BYTES:
                raise ValueError("an array of strings is too large")
            return np.array(value, dtype=kind)
        return np.dtype(kind).type(value)

    def _strings(self, name: Any) -> tuple[str, ...]:
        data, ends = self._take_array(f"{name}.bytes"), self._take_array(f"{name}.ends")
        if data.dtype != np.uint8 or ends.dtype != np.int64 or data.ndim != 1 or ends.ndim != 1:
            raise ValueError(f"{name} does not hold strings")
        starts = np.concatenate([[0], ends])
        if (starts[1:] < starts[:-1]).any() or starts[-1] != len(data):
            raise ValueError(f"the offsets of {name} do not match its bytes")
        text, at = data.tobytes(), starts.tolist()
        return tuple(
            [text[a:b].decode("utf-8", "surrogatepass") for a, b in itertools.pairwise(at)]
        )
