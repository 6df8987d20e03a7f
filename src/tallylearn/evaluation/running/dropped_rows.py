"""Dropped rows: who leaves rows with gaps out is asked about the others, as all beside it are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.estimator import Estimator
from tallylearn.models.calibration.held_out import HeldOutClassifier
from tallylearn.models.design.missing_values import find_missing
from tallylearn.models.voting.voting import Voting
from tallylearn.preprocessing.steps import SIGN, Stepped, active_steps
from tallylearn.sources import open_table
from tallylearn.sources.declarations import BARE
from tallylearn.tables import Array, Block


def drops_gaps(learner: Any) -> bool:
    """Whether a learner predicts no row with a gap, since it was told to leave those out.

    >>> import tallylearn as tl
    >>> line = tl.LinearRegression(missing="drop")
    >>> drops_gaps(tl.Pipeline([tl.StandardScaler(), line]))
    True
    >>> drops_gaps(tl.Pipeline([tl.SimpleImputer(), line]))
    False
    """
    if isinstance(learner, Stepped):
        *before, last = (step for _, step in active_steps(learner.steps))
        return drops_gaps(last) and not any(getattr(step, "fills", False) for step in before)
    if isinstance(learner, HeldOutClassifier):
        return drops_gaps(learner.estimator)
    if isinstance(learner, Voting):
        members = (one for name, one in learner.get_params().items() if SIGN not in name)
        return any(map(drops_gaps, members))
    return isinstance(learner, Estimator) and getattr(learner, "missing", None) == "drop"


def without_gaps(rows: Block) -> Array:
    """The places of the rows that have a value in every column; some have."""
    gaps = find_missing(rows)
    if not gaps:
        return np.arange(len(rows))
    missing = np.logical_or.reduce([*gaps.values()])
    if missing.all():
        raise InputError(
            f"all {len(rows):,} rows have missing values, so missing='drop' leaves "
            "none. Leave out the columns with most missing values, or use "
            "missing='indicator'."
        )
    return np.flatnonzero(~missing)


def columns_in(X: Any) -> Block:
    """The columns of a table whose target stands apart."""
    return open_table(X, BARE).whole()
