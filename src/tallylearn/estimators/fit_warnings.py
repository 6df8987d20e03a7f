"""Cautions of a fit: a sample of its table, looked at when somebody asks.

To look takes longer than many a fit, so ``fit`` only puts a sample of its rows aside, or remembers
where its files are. That is kept beside the estimators, not in them: no row gets into a pickle or a
model file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tallylearn.errors import NotFitted
from tallylearn.estimators.fit_input import Lesson
from tallylearn.screening.cautions import cautions, dated_out_of_bag
from tallylearn.screening.table_sample import FEW, MANY, TableSample, sample_rows
from tallylearn.sources import DeclaredTable, Table
from tallylearn.sources.columns.class_labels import take_rows
from tallylearn.tables import Array, Codes

_fitted: WeakKeyDictionary[Any, Callable[[], TableSample]] = WeakKeyDictionary()
_told: WeakKeyDictionary[Any, tuple[str, ...]] = WeakKeyDictionary()


def put_aside(estimator: Any, read: Lesson) -> None:
    """Remember some rows, where they have one target: a column, or an array beside them."""
    if isinstance(read.aim, str):
        _fitted[estimator] = _looking(read.source, read.aim)


def let_go(estimator: Any) -> None:
    """What was learned is of other rows now."""
    _fitted.pop(estimator, None)
    _told.pop(estimator, None)


def told(estimator: Any) -> tuple[str, ...]:
    """What to look at in the table that an estimator was fitted to, a sentence each."""
    if estimator not in _told:
        if estimator not in _fitted:
            raise NotFitted(
                f"{type(estimator).__name__}: only fit looks at a table, of one target; what it "
                "finds is kept with no pickle, no file and no merged model. "
                "tl.problem(table, 'target', learner=model) looks again."
            )
        rows = _fitted[estimator]()
        dated = dated_out_of_bag(rows.schema, estimator)
        found = cautions(rows, estimator.target_name_ or "y", estimator)
        _told[estimator] = (*dated, *found)
        del _fitted[estimator]
    return _told[estimator]


def _looking(source: DeclaredTable, task: str) -> Callable[[], TableSample]:
    """A call that gives the rows: a sample of those in memory, the first ones of files."""
    if source.size is None:
        if (opened := source.reopener) is not None:
            return partial(_first, opened, source.identifier_reasons or {}, task)
        first = TableSample.of(source, answer=task)  # before the folder that they are kept in goes
        return lambda: first
    table = Table.of(source.load(), source.declared)
    every = _counting(table)
    many = MANY if source.declared.targets else FEW  # ensembles call fit(X, y), by the hundred
    some = sample_rows(every, len(source.schema.columns), many)
    return partial(_picked, _light(table, some), len(some) == len(every), task)


def _counting(source: Table) -> Array:
    """The rows of a weight above zero."""
    if source.weight is None:
        return np.arange(len(source))
    return np.flatnonzero(source.weight > 0)


def _light(source: Table, rows: Array) -> Table:
    """Some rows, which hold on to nothing of the others: no text, and no value that is theirs."""
    block = source.block
    if block.text or block.group is not None:
        block = replace(block, text={}, group=None)
    block = block[rows]
    if block.codes:
        codes = {name: _shown(column) for name, column in block.codes.items()}
        block = replace(block, codes=codes)
    target = None if source.target is None else take_rows(source.target, rows)
    light = Table(block, target, None, source.declared)
    light.identifier_reasons = source.identifier_reasons
    light.apart = {
        name: _shown(column[rows])
        for name, column in source.apart.items()
        if name in (source.identifier_reasons or ()) and isinstance(column, Codes)
    }
    return light


def _shown(column: Codes) -> Codes:
    """A column without the values that no row has, where those are many."""
    if len(column.values) <= len(column):
        return column
    there, at = np.unique(column.codes, return_inverse=True)
    gaps = int(there[0] < 0)
    return Codes(tuple(column.values[code] for code in there[gaps:]), at - gaps)


def _first(opened: Callable[[], DeclaredTable], named: Mapping[str, str], task: str) -> TableSample:
    return TableSample.of(opened().with_identifiers(named), answer=task)


def _picked(source: Table, whole: bool, task: str) -> TableSample:
    found = TableSample.of(source, None if source.declared.targets else source.target, task)
    return found if whole else found.as_sample()
