"""Validation of a model file: a known learner, and structures that match it and each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tallylearn.errors import short_repr
from tallylearn.modelfile.packing import Unpacker
from tallylearn.modelfile.stored_names import code_fields
from tallylearn.tables import Array, Column, Schema, field_schemas
from tallylearn.tables.string_formats import StringFormat
from tallylearn.tallies import (
    Bundle,
    Counts,
    Exact,
    Extent,
    Moments,
    Products,
    Scatter,
    Squares,
    Triangle,
    Values,
)

COMMON_CLASSES = (
    Bundle, Counts, Exact, Extent, Moments, Products, Scatter, Squares, Triangle, Values, Schema,
    Column,
)  # fmt: skip


class UnknownLearnerError(ValueError):
    """A file names a learner that this version does not have."""


def restore(page: dict[str, Any], arrays: dict[str, Array]) -> Any:
    """The estimator that a page describes, every structure of it checked."""
    unpacker = Unpacker(arrays, _restore_learner)
    estimator = _restore_learner(page, unpacker, 0)
    if left := unpacker.unused_arrays:
        raise ValueError(f"the array {left[0]!r} belongs to nothing")
    return estimator


def _restore_learner(page: Mapping[str, Any], unpacker: Unpacker, depth: int) -> Any:
    """A learner; one that is nested in another may be unfitted, and has no tally."""
    import tallylearn

    name = page["learner"]
    if not isinstance(name, str):
        raise ValueError("it names no learner")
    current = tallylearn.RENAMED.get(name, name)
    kind: Any = getattr(tallylearn, current) if current in tallylearn.NAMES else None
    if not hasattr(kind, "stored"):
        raise UnknownLearnerError(short_repr(name))
    unpacker = unpacker.with_classes((*COMMON_CLASSES, *kind.stored))
    given = code_fields(name, page["options"])
    options = {key: unpacker.unpack(tree, depth) for key, tree in given.items()}
    estimator = kind.from_stored(name, options)
    if depth and "schema" not in page:
        estimator._check_options()
        return estimator
    estimator._restore(
        schema=unpacker.unpack(page["schema"], depth),
        tally=unpacker.unpack(page.get("tally"), depth),
        model=unpacker.unpack(page["model"], depth),
        by_name=page["by_name"],
        label_type=page["label_type"],
        target=page.get("target"),  # files of format 3 do not have it
    )
    if not isinstance(estimator.schema_, Schema) or not isinstance(estimator._by_name, bool):
        raise ValueError("it has no schema")
    if type(estimator.model_) is not kind.stored[0]:
        raise ValueError("it has no model")
    _check_target(estimator.target_name_, estimator.schema_)
    spelled = _restore_formats(page.get("written", {}), estimator.schema_, estimator.target_name_)
    estimator.schema_ = replace(estimator.schema_, spellings=spelled)
    estimator.schema_.check()
    estimator._check_stored()
    estimator._derive()
    return estimator


def _restore_formats(stored: Any, schema: Schema, target: Any) -> dict[str, StringFormat]:
    """How the strings of columns were written, each of them one of the schema, or the target."""
    known = {target, *schema.names, *(name for name, _ in schema.parts)}
    if not isinstance(stored, dict) or not all(isinstance(one, dict) for one in stored.values()):
        raise ValueError("its entry 'written' is wrong")
    if odd := [name for name in stored if name not in known]:
        raise ValueError(f"its entry 'written' has {odd[0]!r}, which is no column")
    return {name: StringFormat.from_dict(one) for name, one in stored.items()}


def _check_target(name: str | None, schema: Schema) -> None:
    """The name of a column that was not learned from."""
    if name is None:
        return
    field_schemas.text()(name, {})
    if name in schema.names:
        raise ValueError(f"its target {name[:40]!r} is also a feature")
