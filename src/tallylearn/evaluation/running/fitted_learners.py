"""Asking: what a fitted learner says about rows, whether it is ours or another library's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tallylearn.errors import InputError, listed
from tallylearn.evaluation.running.dataset import Exam
from tallylearn.evaluation.running.outside_columns import picked
from tallylearn.evaluation.scores.prediction_checks import numeric, one_a_row
from tallylearn.folds import Split
from tallylearn.tables import Array, Block, places


@dataclass(frozen=True)
class Done:
    """The answers of one fold: classes as places among all classes of the table."""

    fold: Array
    rows: Array
    said: Array
    proba: Array | None  # (n, k)
    decision: Array | None = None  # (n, k) where there are no probabilities
    log_true: Array | None = None  # (n,) where the true class's probability is 0 for a double


def stacked(done: list[Done], name: str) -> Array | None:
    """Probabilities, or decisions, of all folds; None where one has none."""
    parts = [getattr(part, name) for part in done]
    return None if any(part is None for part in parts) else np.concatenate(parts)


class Sheet(threading.local):
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

    def kept(self, said: Array) -> Array:
        """Answers that may be the numbers themselves."""
        return said.copy() if np.may_share_memory(said, self.numbers) else said


@dataclass(frozen=True)
class Task:
    """Rows for a fitted learner of ours to answer."""

    fold: int
    rows: Array  # their numbers in the exam
    here: Array  # and in the block
    block: Block
    model: Any
    proba: bool
    sheet: Sheet = field(default_factory=Sheet)

    def __len__(self) -> int:
        return len(self.rows)

    def answered(self, exam: Exam) -> Done:
        """What it says, with its probabilities where it classifies."""
        classes = exam.classes
        fold, block = _places_of(self.fold, self.rows), self.sheet.of(self.block, self.here)
        if self.model.task == "regressor":
            return Done(fold, self.rows, self.sheet.kept(self.model.answers(block)), None)
        known = list(self.model.model_.classes)
        place = np.array([classes.index(key) for key in known], dtype=np.int32)
        if not self.proba:
            return Done(fold, self.rows, place[_answered(self.model.decided(block))], None)
        chosen, shares = self.model.judged(block)
        chosen = _answered(chosen)
        proba = self.sheet.kept(_spread(shares, known, classes))
        tiny = of_truth(
            proba, exam.truth.codes[self.rows], place,
            lambda rows: self.model.model_.log_shares(block[rows]),
        )  # fmt: skip
        return Done(fold, self.rows, place[chosen], proba, log_true=tiny)


def _places_of(fold: int, rows: Array) -> Array:
    return np.full(len(rows), fold, dtype=np.int32)


def _answered(chosen: Array) -> Array:
    if (chosen < 0).any():
        raise InputError(
            "classes tie, and tie='undefined' leaves a row without an answer, which no score "
            "counts. Use tie='first' or tie='random'."
        )
    return chosen


def asked(model: Any, test: Any, split: Split, exam: Exam, proba: bool) -> Done:
    """The answers of an estimator that is not ours."""
    n, classes = len(split.test), exam.classes
    fold = _places_of(split.fold, split.test)
    said = one_a_row("predict", model.predict(test), n)
    if exam.task == "regressor":
        return Done(fold, split.test, numeric(said), None)
    shares = decision = tiny = None
    if proba and hasattr(model, "predict_proba"):
        found = one_a_row("predict_proba", model.predict_proba(test), n)
        shares = _spread(found, list(model.classes_), classes)
        if hasattr(model, "predict_log_proba"):
            place = np.array([classes.index(_plain(key)) for key in model.classes_])
            tiny = of_truth(
                shares, exam.truth.codes[split.test], place,
                lambda rows: model.predict_log_proba(picked(test, rows)),
            )  # fmt: skip
    elif proba and hasattr(model, "decision_function"):
        found = one_a_row("decision_function", model.decision_function(test), n)
        decision = _decided(found, list(model.classes_), classes)
    return Done(fold, split.test, _places(said, classes), shares, decision, tiny)


def logs_of(done: list[Done]) -> Array | None:
    """The same of several folds; None where no probability is too small."""
    if all(part.log_true is None for part in done):
        return None
    return np.concatenate([
        np.full(len(part.rows), np.nan) if part.log_true is None else part.log_true for part in done
    ])  # fmt: skip


def of_truth(
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


def _decided(found: Array, known: list[Any], classes: tuple[Any, ...]) -> Array | None:
    """What speaks for every class; None where it is of pairs of classes."""
    each = np.column_stack([-found, found]) if found.ndim == 1 else found
    return _spread(each, known, classes, -np.inf) if each.shape[1:] == (len(known),) else None


def _spread(proba: Any, known: list[Any], classes: tuple[Any, ...], none: float = 0.0) -> Array:
    """Probabilities under all classes of the table; a class that was not learned has none."""
    if tuple(known) == classes:
        return np.asarray(proba, dtype=np.float64)
    out = np.full((len(proba), len(classes)), none)
    out[:, [classes.index(_plain(key)) for key in known]] = proba
    return out


def _places(said: Array, classes: tuple[Any, ...]) -> Array:
    """Answers as places among the classes."""
    place = {key: i for i, key in enumerate(classes)}
    keys = said.ravel().tolist()
    if odd := [key for key in dict.fromkeys(keys) if key not in place]:
        raise InputError(f"the answer {odd[0]!r} is none of the classes {listed(classes)}.")
    return np.array([place[key] for key in keys])


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
