"""Asking: what a fitted learner says about rows, whether it is ours or another library's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, quoted_list
from tallylearn.estimators.fold_tallies import FoldBlock
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.running.outside_columns import take_rows
from tallylearn.evaluation.scores.prediction_checks import one_a_row, to_numbers
from tallylearn.folds import Split
from tallylearn.tables import Array, Block, places


@dataclass(frozen=True)
class FoldPredictions:
    """The predictions of one fold: classes as places among all classes of the table."""

    fold: Array
    rows: Array
    said: Array
    proba: Array | None  # (n, k)
    decision: Array | None = None  # (n, k) where there are no probabilities
    log_true: Array | None = None  # (n,) where the true class's probability is 0 for a double


def join_columns(fold_predictions: list[FoldPredictions], name: str) -> Array | None:
    """Probabilities, or decisions, of all folds; None where one has none."""
    parts = [getattr(part, name) for part in fold_predictions]
    return None if any(part is None for part in parts) else np.concatenate(parts)


class RowBuffer(threading.local):
    """Room for the numbers of some rows, written over by the next: new memory takes as long."""

    def __init__(self) -> None:
        self.numbers = np.empty((0, 0))

    def of(self, block: Block, rows: Array) -> Block:
        """Some of the rows, until others are asked for by the same thread."""
        n, p = len(rows), block.numbers.shape[1]
        if not block.numbers.flags.c_contiguous:
            return replace(block[rows], start=places(block.start, rows))
        if len(self.numbers) < n or self.numbers.shape[1] != p:
            self.numbers = np.empty((n, p))
        numbers = np.take(block.numbers, rows, axis=0, out=self.numbers[:n], mode="clip")
        start, rest = places(block.start, rows), replace(block, numbers=block.numbers[:, :0])[rows]
        return replace(rest, numbers=numbers, start=start)

    def copy_if_shared(self, said: Array) -> Array:
        """Predictions that may be the numbers themselves."""
        return said.copy() if np.may_share_memory(said, self.numbers) else said


@dataclass(frozen=True)
class PredictionTask:
    """Rows for a fitted learner of ours to answer."""

    fold: int
    rows: Array  # (m,) their numbers in the dataset
    here: Array  # (m,) and in the block
    block: Block
    model: Any
    proba: bool
    classes: tuple[Any, ...]  # of the dataset, which may have more than the model
    truth: Array | None  # (m,) the true classes as places among ``classes``; None for numbers
    buffer: RowBuffer = field(default_factory=RowBuffer)

    def __len__(self) -> int:
        return len(self.rows)

    def predict(self) -> FoldPredictions:
        """What it says, with its probabilities where it classifies."""
        classes = self.classes
        fold, block = _places_of(self.fold, self.rows), self.buffer.of(self.block, self.here)
        if self.model.task == "regressor":
            return FoldPredictions(
                fold, self.rows, self.buffer.copy_if_shared(self.model.predictions(block)), None
            )
        known = list(self.model.model_.classes)
        place = np.array([classes.index(key) for key in known], dtype=np.int32)
        if not self.proba:
            return FoldPredictions(
                fold, self.rows, place[_check_ties(self.model.predict_classes(block))], None
            )
        assert self.truth is not None
        chosen, shares = self.model.classes_and_probabilities(block)
        chosen = _check_ties(chosen)
        proba = self.buffer.copy_if_shared(_under_all_classes(shares, known, classes))
        tiny = log_true_probability(
            proba, self.truth, place,
            lambda rows: self.model.model_.log_shares(block[rows]),
        )  # fmt: skip
        return FoldPredictions(fold, self.rows, place[chosen], proba, log_true=tiny)


def predict_task(task: PredictionTask) -> FoldPredictions:
    return task.predict()


@dataclass(frozen=True)
class PiecePredictor:
    """Predicts the test rows of every fold in one piece of a table that is read from files.

    Pickled, it holds the fitted models and two integers a row, and none of the columns.
    """

    models: dict[int, Any]  # fold -> fitted learner
    part: Array  # (n,) the part that each row of the dataset is in
    tested: range  # the part that each fold tests
    classes: tuple[Any, ...]
    truth: Array | None  # (n,) the true classes as places among ``classes``; None for numbers
    proba: bool

    def __call__(self, piece: FoldBlock) -> list[FoldPredictions]:
        found = []
        for fold, model in self.models.items():
            here = np.flatnonzero(self.part[piece.fold] == self.tested[fold])
            if not len(here):
                continue
            rows = piece.fold[here]
            task = PredictionTask(
                fold=fold, rows=rows, here=here, block=piece.block, model=model, proba=self.proba,
                classes=self.classes, truth=None if self.truth is None else self.truth[rows],
            )  # fmt: skip
            found.append(task.predict())
        return found


def _places_of(fold: int, rows: Array) -> Array:
    return np.full(len(rows), fold, dtype=np.int32)


def _check_ties(chosen: Array) -> Array:
    if (chosen < 0).any():
        raise InputError(
            "classes tie, and tie='undefined' leaves a row without a prediction, "
            "which cannot be scored. Use tie='first' or tie='random'."
        )
    return chosen


def predict_with_sklearn(
    model: Any, test: Any, split: Split, dataset: Dataset, proba: bool
) -> FoldPredictions:
    """The predictions of an estimator that is not ours."""
    n, classes = len(split.test), dataset.classes
    fold = _places_of(split.fold, split.test)
    said = one_a_row("predict", model.predict(test), n)
    if dataset.task == "regressor":
        return FoldPredictions(fold, split.test, to_numbers(said), None)
    shares = decision = tiny = None
    if proba and hasattr(model, "predict_proba"):
        found = one_a_row("predict_proba", model.predict_proba(test), n)
        shares = _under_all_classes(found, list(model.classes_), classes)
        if hasattr(model, "predict_log_proba"):
            place = np.array([classes.index(_to_plain_key(key)) for key in model.classes_])
            tiny = log_true_probability(
                shares, dataset.truth.codes[split.test], place,
                lambda rows: model.predict_log_proba(take_rows(test, rows)),
            )  # fmt: skip
    elif proba and hasattr(model, "decision_function"):
        found = one_a_row("decision_function", model.decision_function(test), n)
        decision = _decision_columns(found, list(model.classes_), classes)
    return FoldPredictions(
        fold=fold,
        rows=split.test,
        said=_places(said, classes),
        proba=shares,
        decision=decision,
        log_true=tiny,
    )


def join_log_probabilities(fold_predictions: list[FoldPredictions]) -> Array | None:
    """The same of several folds; None where no probability is too small."""
    if all(part.log_true is None for part in fold_predictions):
        return None
    return np.concatenate(
        [
            np.full(len(part.rows), np.nan) if part.log_true is None else part.log_true
            for part in fold_predictions
        ]
    )


def log_true_probability(
    proba: Array, truth: Array, place: Array, logs: Callable[[Array], Array]
) -> Array | None:
    """(n,) the logarithm of the true class's probability, of rows where a double has it as 0.

    Only those rows are asked about again; ``place`` has the classes of the columns of ``logs``.
    """
    rows = np.flatnonzero(proba[np.arange(len(truth)), truth] == 0)
    if not len(rows):
        return None
    out = np.full(len(truth), np.nan)
    every = np.full((len(rows), proba.shape[1]), -np.inf)
    with np.errstate(divide="ignore"):
        every[:, place] = logs(rows)
    out[rows] = every[np.arange(len(rows)), truth[rows]]
    return out


def _decision_columns(found: Array, known: list[Any], classes: tuple[Any, ...]) -> Array | None:
    """What speaks for every class; None where it is of pairs of classes."""
    each = np.column_stack([-found, found]) if found.ndim == 1 else found
    return (
        _under_all_classes(each, known, classes, -np.inf)
        if each.shape[1:] == (len(known),)
        else None
    )


def _under_all_classes(
    proba: Any, known: list[Any], classes: tuple[Any, ...], none: float = 0.0
) -> Array:
    """Probabilities under all classes of the table; a class that was not learned has none."""
    if tuple(known) == classes:
        return np.asarray(proba, dtype=np.float64)
    out = np.full((len(proba), len(classes)), none)
    out[:, [classes.index(_to_plain_key(key)) for key in known]] = proba
    return out


def _places(said: Array, classes: tuple[Any, ...]) -> Array:
    """Predictions as places among the classes."""
    place = {key: i for i, key in enumerate(classes)}
    keys = said.ravel().tolist()
    if odd := [key for key in dict.fromkeys(keys) if key not in place]:
        raise InputError(
            f"predict returned {odd[0]!r}, which is not one of the classes "
            f"{quoted_list(classes)}. Return one of the classes for every row."
        )
    return np.array([place[key] for key in keys])


def _to_plain_key(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
