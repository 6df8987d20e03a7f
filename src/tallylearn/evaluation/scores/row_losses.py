"""Row losses: what every single answer costs, before anything is added up.

Predictions are those of ``predictions``, which stands below: it adds up what comes from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.losses import OF_ZERO, PINBALL, RULED_OUT
from tallylearn.evaluation.scores.score import REGRESSOR
from tallylearn.tables import Array


def loss_columns(predictions: Any, wanted: Iterable[str]) -> dict[str, Array]:
    """The wanted losses row by row; (n, d) where the predictions are numbers, of d outputs."""
    if predictions.task == REGRESSOR:
        truth, said = predictions.truth, predictions.said
        return error_columns(truth if truth.ndim == 2 else truth[:, None],
                              said if said.ndim == 2 else said[:, None], wanted)  # fmt: skip
    return probable_columns(predictions, wanted)


def probable_columns(predictions: Any, wanted: Iterable[str]) -> dict[str, Array]:
    """Losses row by row; rows of probability 0 stand in a column of their own."""
    at = predictions.truth.recode(predictions.classes)
    rows = np.flatnonzero(at >= 0)
    tops = {
        name: _top(predictions, at, int(name[4:])) for name in wanted if name.startswith("top ")
    }
    columns: dict[str, Array] = {**tops}
    proba = np.asarray(predictions.proba)
    if "log loss" in wanted:
        p = np.zeros(len(predictions))
        p[rows] = proba[rows, at[rows]]
        none = p <= 0
        loss = -np.log(np.where(none, np.nan, p))
        if predictions.log_true is not None:
            loss = np.where(none & np.isfinite(predictions.log_true), -predictions.log_true, loss)
            none = np.isnan(loss)
        columns["log loss"] = loss
        if none.any():
            columns[RULED_OUT] = np.where(none, 1.0, np.nan)
    if "brier" in wanted:
        apart = proba.copy()
        apart[rows, at[rows]] -= 1
        columns["brier"] = np.einsum("ij,ij->i", apart, apart) + (at < 0)
    return columns


def _top(predictions: Any, at: Array, k: int) -> Array:
    """1 where the truth is among the k first classes; of tied ones the last is first.

    So does scikit-learn: a class stands behind those above it, and behind those level with it that
    come later.
    """
    ranking = np.asarray(predictions.ranking)
    own = ranking[np.arange(len(at)), np.maximum(at, 0)][:, None]
    later = np.arange(ranking.shape[1]) > at[:, None]
    before = (ranking > own).sum(axis=1) + ((ranking == own) & later).sum(axis=1)
    return np.where(at >= 0, before < k, False).astype(np.float64)


def error_columns(truth: Array, said: Array, wanted: Iterable[str]) -> dict[str, Array]:
    """The errors of numbers, output by output, and their length as vectors."""
    with np.errstate(over="ignore"):
        error = truth - said
        length = np.sqrt((error**2).sum(axis=1))
        found = {"truth": truth, "error": error, "absolute": np.abs(error), "squared": error**2,
                 "distance": length}  # fmt: skip
    for name in wanted:
        if name.startswith(PINBALL):
            q = float(name[len(PINBALL) :])
            found[name] = np.maximum(q * error, (q - 1) * error)
    return found | (_relative(found["absolute"], truth) if "relative" in wanted else {})


def _relative(error: Array, truth: Array) -> dict[str, Array]:
    """Errors as shares of the truth; rows of truth 0 that were missed in a column of their own."""
    missed = (truth == 0) & (error > 0)
    with np.errstate(over="ignore"):
        share = error / np.where(truth == 0, 1.0, np.abs(truth))
    beyond = missed | ~np.isfinite(share)  # as of 1e-308
    found = {"relative": np.where(beyond, np.nan, share)}
    return found | ({OF_ZERO: np.where(beyond, 1.0, np.nan)} if beyond.any() else {})
