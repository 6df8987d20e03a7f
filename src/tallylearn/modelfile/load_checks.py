"""What a model file may hold: a learner that is here, and structures that fit it and each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tallylearn.errors import short_repr
from tallylearn.modelfile.packing import Shelf
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

HOUSE = (
    Bundle, Counts, Exact, Extent, Moments, Products, Scatter, Squares, Triangle, Values, Schema,
    Column,
)  # fmt: skip


class UnknownLearnerError(ValueError):
    """A file names a learner that is not here."""


def restored(page: dict[str, Any], arrays: dict[str, Array]) -> Any:
    """The estimator that a page describes, every structure of it checked."""
    shelf = Shelf(arrays, _learner)
    estimator = _learner(page, shelf, 0)
    if left := shelf.unused:
        raise ValueError(f"nothing names the array {left[0]!r}")
    return estimator


def _learner(page: Mapping[str, Any], shelf: Shelf, depth: int) -> Any:
    """A learner, or one within another, which may not be fitted, and has no tally."""
    import tallylearn

    name = page["learner"]
    if not isinstance(name, str):
        raise ValueError("it names no learner")
    current = tallylearn.RENAMED.get(name, name)
    kind: Any = getattr(tallylearn, current) if current in tallylearn.NAMES else None
    if not hasattr(kind, "stored"):
        raise UnknownLearnerError(short_repr(name))
    shelf = shelf.allowing((*HOUSE, *kind.stored))
    given = code_fields(name, page["options"])
    options = {key: shelf.unpacked(tree, depth) for key, tree in given.items()}
    estimator = kind.from_stored(name, options)
    if depth and "schema" not in page:
        estimator._check_options()
        return estimator
    estimator._restore(
        schema=shelf.unpacked(page["schema"], depth),
        tally=shelf.unpacked(page.get("tally"), depth),
        model=shelf.unpacked(page["model"], depth),
        by_name=page["by_name"],
        label_type=page["label_type"],
        target=page.get("target"),  # files of format 3 do not have it
    )
    if not isinstance(estimator.schema_, Schema) or not isinstance(estimator._by_name, bool):
        raise ValueError("it has no schema")
    if type(estimator.model_) is not kind.stored[0]:
        raise ValueError("it has no model")
    _check_target(estimator.target_name_, estimator.schema_)
    spelled = _written(page.get("written", {}), estimator.schema_, estimator.target_name_)
    estimator.schema_ = replace(estimator.schema_, spellings=spelled)
    estimator.schema_.check()
    estimator._check_stored()
    estimator._derive()
    return estimator


def _written(stored: Any, schema: Schema, target: Any) -> dict[str, StringFormat]:
    """How the strings of columns were written, each of them one of the schema, or the target."""
    known = {target, *schema.names, *(name for name, _ in schema.parts)}
    if not isinstance(stored, dict) or not all(isinstance(one, dict) for one in stored.values()):
        raise ValueError("it does not say how its columns were written")
    if odd := [name for name in stored if name not in known]:
        raise ValueError(f"it says how {odd[0]!r} was written, which is no column")
    return {name: StringFormat.from_dict(one) for name, one in stored.items()}


def _check_target(name: str | None, schema: Schema) -> None:
    """The name of a column that was not learned from."""
    if name is None:
        return
    field_schemas.text()(name, {})
    if name in schema.names:
        raise ValueError(f"its target {name[:40]!r} is a column that it learned from")
