"""The rows and columns that a picture of a model shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, quoted_list, short_repr
from tallylearn.estimators.fit_input import FitInput, read_fit_input
from tallylearn.tables import NUMBER, Array, Codes

COUNTS = {1: "one numeric column", 2: "two numeric columns"}


@dataclass(frozen=True)
class PlottedRows:
    """Rows of a model's numeric columns, with their targets; missing cells are left out."""

    names: tuple[str, ...]
    x: Array  # (n, p)
    target: Array  # (n,) numbers, or the class of every row
    target_name: str

    def of_class(self, value: Any) -> Array:
        return np.asarray(self.x[self.target == value])


def check_model(model: Any, who: str, task: str, example: str) -> None:
    """Raise unless the model is a fitted estimator of ours for this task."""
    if getattr(model, "task", None) != task or not hasattr(model, "predict"):
        raise OptionError(
            f"{who}: model is {short_repr(model)}. Pass a fitted {task}, such as {example}."
        )
    model._check_fitted()


def numeric_columns(model: Any, count: int, who: str) -> tuple[str, ...]:
    """The names of the model's columns, if they are as many numbers as the picture has axes."""
    columns = model.schema_.columns
    odd = [column for column in columns if column.kind != NUMBER]
    if odd or len(columns) != count:
        found = f"{len(columns)} columns ({quoted_list(column.name for column in columns)})"
        why = f"column {odd[0].name!r} is a {odd[0].kind}" if odd else f"the model has {found}"
        raise KindError(
            f"{who}: {why}, but the picture has {COUNTS[count]}. Fit the "
            f"model to a table with {COUNTS[count]} and the target."
        )
    return tuple(column.name for column in columns)


def read_rows_to_plot(model: Any, X: Any, y: Any, who: str) -> PlottedRows:
    """The rows of X with their targets; the training rows if X is None and they were kept."""
    names = tuple(column.name for column in model.schema_.columns)
    target_name = model.target_name_ or "y"
    if X is None:
        kept = getattr(model, "kept_rows_", None)
        if kept is None:
            raise InputError(f"{who}: X is None, and the model has kept no training rows. Pass X.")
        blocks = [*kept.blocks()] if isinstance(kept, FitInput) else [kept]
    else:
        if y is None and isinstance(model.target_name_, str):
            y = model.target_name_
        known = tuple(model.classes_.tolist()) if model.task == "classifier" else ()
        read = read_fit_input(
            model._table(X), y, weight=None, who=type(model).__name__, aim=model.task,
            schema=model.schema_, classes=known,
        )  # fmt: skip
        target_name, blocks = read.target or target_name, [*read.blocks()]
    if not sum(map(len, blocks)):
        raise InputError(f"{who}: the table has no rows. Pass one or more.")
    x = np.concatenate([block.numbers for block in blocks])
    target = np.concatenate([_values(block.target) for block in blocks])
    known_cells = np.isfinite(x).all(axis=1)
    return PlottedRows(names, x[known_cells], target[known_cells], str(target_name))


def as_input(model: Any, names: Sequence[str], *columns: Array) -> Any:
    """Points as a table that the model can predict."""
    if model.schema_.named:
        return dict(zip(names, map(np.asarray, columns), strict=True))
    return np.column_stack(columns)


def _values(target: Any) -> Array:
    if isinstance(target, Codes):
        return np.array(target.items(), dtype=object)
    return np.asarray(target, dtype=float)
