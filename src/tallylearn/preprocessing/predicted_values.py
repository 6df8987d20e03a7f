"""Predicted gaps: a learner of the other columns says what a gap may have been."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context, short_repr
from tallylearn.estimators.estimator import Estimator, clone_estimator
from tallylearn.sources import Table
from tallylearn.sources.columns.schema_matching import select_columns
from tallylearn.sources.declarations import Declaration
from tallylearn.tables import Array, Block, Codes, Schema

TASKS = ("regressor", "classifier")  # of numbers, and of categories


def check_learners(learners: Any) -> dict[str, Any]:
    """The learners by what they answer with, one of each at most."""
    given = learners if isinstance(learners, list | tuple) else (learners,)
    found: dict[str, Any] = {}
    for one in given if learners is not None else ():
        task = one.task if isinstance(one, Estimator) else None
        if task not in TASKS or task in found:
            raise OptionError(
                "learners must be a regressor for numbers, a classifier for categories, or one of "
                "each, from tallylearn, such as [tl.DecisionTreeRegressor()], not "
                f"{short_repr(learners)}."
            )
        found[task] = one
    return found


def fit_learners(block: Block, filled: Block, learners: Mapping[str, Any]) -> dict[str, Any]:
    """For every column with gaps a learner of the rows that show it, if there is one for it.

    The other columns are seen as they are when they are filled, so that any learner will do.
    """
    wanted = [(name, learners.get("regressor")) for name in block.schema.numbers]
    wanted += [(name, learners.get("classifier")) for name in block.schema.categories]
    found = {}
    for name, learner in wanted:
        gaps = missing_rows(block, name)
        if learner is None or not gaps.any() or gaps.all():
            continue
        shown = np.flatnonzero(~gaps)
        rows = replace(without_column(filled, name)[shown], target=None, weight=None)
        weight = None if block.weight is None else block.weight[shown]
        table = Table(rows, None, weight, Declaration(weight_kind=block.weight_kind))
        with error_context(f"column {name!r}"):
            found[name] = clone_estimator(learner).fit(table, _values(block, name)[shown])
    return found


def predict_missing_values(block: Block, filled: Block, learners: Mapping[str, Any]) -> Block:
    """The filled block, the gaps of these columns as their learners predict them."""
    numbers, codes = filled.numbers.copy(), dict(filled.codes)
    for name, learner in learners.items():
        rows = np.flatnonzero(missing_rows(block, name))
        if not len(rows):
            continue
        predictions = learner.predictions(
            select_columns(without_column(filled, name)[rows], learner.schema_)
        )
        if name in codes:
            codes[name] = _with_values(codes[name], rows, [str(value) for value in predictions])
        else:
            numbers[rows, filled.schema.places[name]] = predictions
    return replace(filled, numbers=numbers, codes=codes)


def missing_rows(block: Block, name: str) -> Array:
    """(n,) where a column is missing."""
    if name in block.codes:
        return np.asarray(block.codes[name].codes < 0)
    return np.isnan(block.numbers[:, block.schema.places[name]])


def without_column(block: Block, name: str) -> Block:
    """A block without one of its columns."""
    rest = Schema(tuple(c for c in block.schema.columns if c.name != name), block.schema.named)
    return select_columns(block, rest)


def _values(block: Block, name: str) -> Array:
    if name in block.codes:
        return np.array([*map(str, block.codes[name].values), ""])[block.codes[name].codes]
    return np.asarray(block.numbers[:, block.schema.places[name]])


def _with_values(column: Codes, rows: Array, answers: Sequence[str]) -> Codes:
    values = (*column.values, *sorted({*answers} - {*column.values}))
    codes = column.codes.astype(np.int32)
    codes[rows] = [values.index(value) for value in answers]
    return Codes(values, codes, column.declared)
