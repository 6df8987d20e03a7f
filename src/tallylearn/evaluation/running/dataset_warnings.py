"""Cautions before a score: what in a table, and in how it is dealt out, makes it look better."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.folds import Folds
from tallylearn.folds.givens import read_cv
from tallylearn.screening.cautions import cautions, check_out_of_bag_dates, dates_of
from tallylearn.screening.table_sample import SampledRows, sample_rows
from tallylearn.tables import Array, Codes


def cautions_of(dataset: Dataset, cv: Any, learner: Any, fitted: bool = False) -> tuple[str, ...]:
    """What to look at before the scores of a learner, a sentence each; no cv: out of bag.

    ``fitted``: the model is tested as it is. Nothing is learned from these rows, so that neither
    their order nor how they are assigned to folds matters, and no column can be left out.
    """
    if dataset.read is None:
        return ()
    rows, target = _rows_with_target(dataset), dataset.read.target or "y"
    if fitted:
        return tuple(cautions(rows, target, learner, in_order=True))
    folds = None if cv is None else read_cv(cv, dataset.task)
    forward = isinstance(folds, Folds) and folds.scheme == "forward"
    return (
        *_date_warnings(dataset, folds, learner),
        *cautions(rows, target, learner, in_order=forward),
    )


def _rows_with_target(dataset: Dataset) -> SampledRows:
    """The rows that have a target: all, a part of those in memory, or the first of a file."""
    assert dataset.read is not None
    source = dataset.read.source
    if source.size is None:
        return SampledRows.of(source, answer=dataset.task)
    some = sample_rows(np.arange(len(dataset)), len(source.schema.columns))
    found = SampledRows.of(
        source.take_rows(dataset.rows[some]), _labels(dataset.truth, some), dataset.task
    )
    return found if len(some) == len(dataset) else found.as_sample()


def _labels(truth: Any, rows: Array) -> Array:
    if isinstance(truth, Codes):
        return np.array([*truth.values])[truth.codes[rows]]
    return np.asarray(truth[rows])


def _date_warnings(dataset: Dataset, folds: Any, learner: Any) -> tuple[str, ...]:
    """Rows with dates that are assigned to folds at random: later rows predict earlier ones."""
    assert dataset.read is not None
    if folds is None:
        return check_out_of_bag_dates(dataset.read.schema, learner)
    dates = dates_of(dataset.read.schema)
    if not dates or not isinstance(folds, Folds) or folds.scheme == "forward":
        return ()
    return (
        f"the rows have dates ({', '.join(dates)}) and are assigned to folds at random, so "
        f"models predict earlier rows from later ones: cv=tl.Folds.forward(5, order={dates[0]!r}) "
        "tests only on later rows",
    )
