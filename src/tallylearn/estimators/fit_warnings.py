"""Warnings about the table of a fit: a sample of its rows, looked at when somebody asks.

To look takes longer than many a fit, so ``fit`` only keeps a sample of its rows, or remembers where
its files are. A sample is copied and pickled without its rows, and no model file has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tallylearn.errors import NotFitted
from tallylearn.estimators.fit_input import FitInput
from tallylearn.screening.cautions import cautions, check_out_of_bag_dates
from tallylearn.screening.table_sample import (
    MAX_SAMPLED_ROWS,
    MIN_SAMPLED_ROWS,
    SampledRows,
    sample_rows,
)
from tallylearn.sources import DeclaredTable, Table
from tallylearn.sources.columns.class_labels import take_rows
from tallylearn.tables import Array, Codes


class TableSample:
    """Rows of the last fit, for ``cautions_``; a copy or a pickle of it has none."""

    __slots__ = ("read", "warnings")

    def __init__(self, read: Callable[[], SampledRows] | None = None) -> None:
        self.read = read  # gives the rows; None: there are none
        self.warnings: tuple[str, ...] | None = None  # once somebody has asked

    def __reduce__(self) -> tuple[Any, ...]:
        return TableSample, ()

    def warnings_for(self, estimator: Any) -> tuple[str, ...]:
        """What to look at in the table that an estimator was fitted to, a sentence each."""
        if self.warnings is None:
            if self.read is None:
                raise NotFitted(
                    f"{type(estimator).__name__}: warnings are known only directly after fit on "
                    "one target: they are not kept in pickles, files or merged models. To check "
                    "the table again: tl.problem(table, 'target', learner=model)."
                )
            rows = self.read()
            dated = check_out_of_bag_dates(rows.schema, estimator)
            found = cautions(rows, estimator.target_name_ or "y", estimator)
            self.warnings, self.read = (*dated, *found), None
        return self.warnings


NO_SAMPLE = TableSample()


def sample_table(read: FitInput) -> TableSample:
    """A sample of the rows, where they have one target: a column, or an array beside them."""
    return (
        TableSample(_row_reader(read.source, read.aim)) if isinstance(read.aim, str) else NO_SAMPLE
    )


def _row_reader(source: DeclaredTable, task: str) -> Callable[[], SampledRows]:
    """A call that gives the rows: a sample of those in memory, the first ones of files."""
    if source.size is None:
        if (opened := source.reopener) is not None:
            return partial(_first_rows_of_files, opened, source.identifier_reasons or {}, task)
        first = SampledRows.of(source, answer=task)  # before the folder that they are kept in goes
        return lambda: first
    table = Table.of(source.load(), source.declared)
    every = _rows_with_weight(table)
    many = (
        MAX_SAMPLED_ROWS if source.declared.targets else MIN_SAMPLED_ROWS
    )  # ensembles call fit(X, y), by the hundred
    some = sample_rows(every, len(source.schema.columns), many)
    return partial(_sampled_rows, _copy_rows(table, some), len(some) == len(every), task)


def _rows_with_weight(source: Table) -> Array:
    """The rows of a weight above zero."""
    if source.weight is None:
        return np.arange(len(source))
    return np.flatnonzero(source.weight > 0)


def _copy_rows(source: Table, rows: Array) -> Table:
    """Some rows, which hold on to nothing of the others: no text, and no value that is theirs."""
    block = source.block
    if block.text or block.group is not None:
        block = replace(block, text={}, group=None)
    block = block[rows]
    if block.codes:
        codes = {name: _drop_unused_values(column) for name, column in block.codes.items()}
        block = replace(block, codes=codes)
    target = None if source.target is None else take_rows(source.target, rows)
    light = Table(block, target, None, source.declared)
    light.identifier_reasons = source.identifier_reasons
    light.apart = {
        name: _drop_unused_values(column[rows])
        for name, column in source.apart.items()
        if name in (source.identifier_reasons or ()) and isinstance(column, Codes)
    }
    return light


def _drop_unused_values(column: Codes) -> Codes:
    """A column without the values that no row has, where those are many."""
    if len(column.values) <= len(column):
        return column
    there, at = np.unique(column.codes, return_inverse=True)
    gaps = int(there[0] < 0)
    return Codes(tuple(column.values[code] for code in there[gaps:]), at - gaps)


def _first_rows_of_files(
    opened: Callable[[], DeclaredTable], named: Mapping[str, str], task: str
) -> SampledRows:
    return SampledRows.of(opened().with_identifiers(named), answer=task)


def _sampled_rows(source: Table, whole: bool, task: str) -> SampledRows:
    found = SampledRows.of(source, None if source.declared.targets else source.target, task)
    return found if whole else found.as_sample()
