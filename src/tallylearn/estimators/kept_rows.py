"""Training rows that a fitted estimator keeps in memory, by its option ``keep_rows``.

A method that needs the training rows again, such as ``gains()`` of a tree, then needs no table. The
rows are in the attribute ``kept_rows_``. No model file holds them, and a pickle only where
``keep_rows=True`` was asked for. Regressors without the option keep the rows of small tables for
``predict_interval``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, is_one_of
from tallylearn.estimators.fit_input import FitInput
from tallylearn.estimators.options import TRUTH, either, one_of
from tallylearn.tables import Block

AUTO = "auto"
KEEP_ROWS = either(TRUTH, one_of(AUTO))  # the values of the option
MAX_KEPT_CELLS = 1_000_000  # rows times columns of a table that "auto" keeps: 8 MB of numbers


def keeps_rows(keep_rows: Any, n_rows: int, n_columns: int) -> bool:
    """Whether an estimator with this value of ``keep_rows`` keeps a table of this size."""
    if is_one_of(keep_rows, (AUTO,)):
        return n_rows * n_columns <= MAX_KEPT_CELLS
    return bool(keep_rows)


def copied_input(keep_rows: Any, read: FitInput) -> FitInput | None:
    """The input of ``fit`` with copies of its arrays, if its rows are in memory and kept.

    Parameters
    ----------
    keep_rows : bool or "auto"
        The option of the estimator.
    read : FitInput
        The training rows as they are read.

    Returns
    -------
    FitInput or None
    """
    size = read.source.size
    if size is None or not keeps_rows(keep_rows, size, len(read.schema.columns)):
        return None
    return replace(read, source=read.source.take_rows(np.arange(size)))


def rows_to_keep(keep_rows: Any, block: Block) -> Block | None:
    """A copy of the rows to keep: the caller may change their arrays.

    Parameters
    ----------
    keep_rows : bool or "auto"
        The option of the estimator.
    block : Block
        The training rows.

    Returns
    -------
    Block or None
        None where the rows are not kept.
    """
    if not keeps_rows(keep_rows, len(block), len(block.schema.columns)):
        return None
    target, weight = block.target, block.weight
    return replace(
        block,
        numbers=block.numbers.copy(),
        target=target.copy() if isinstance(target, np.ndarray) else target,
        weight=None if weight is None else weight.copy(),
    )


def picklable_state(estimator: Any, *attributes: str) -> dict[str, Any]:
    """The attributes that a pickle holds: rows that were kept by "auto" are left out.

    Parameters
    ----------
    estimator : Estimator
        An estimator with the option ``keep_rows``.
    *attributes : str
        What is left out beside ``kept_rows_``.

    Returns
    -------
    dict
    """
    state = dict(estimator.__dict__)
    if is_one_of(estimator.keep_rows, (AUTO,)):
        for name in ("kept_rows_", *attributes):
            state.pop(name, None)
    return state


def rows_not_kept(call: str, keep_rows: bool | str) -> InputError:
    """The error of a method that needs the training rows where they were not kept.

    Parameters
    ----------
    call : str
        The call that passes them again, such as ``"gains(node, table, 'target')"``.
    keep_rows : bool or "auto"
        The option of the estimator.
    """
    if keep_rows is True:
        return InputError(
            f"the training rows are not in a model file, even with keep_rows=True. Pass the table "
            f"again: {call}."
        )
    return InputError(
        f"the training rows were not kept: only those of tables of at most {MAX_KEPT_CELLS:,} "
        f"cells are, and not in files or pickles. Pass the table again: {call}; or fit with "
        "keep_rows=True."
    )
