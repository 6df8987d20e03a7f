"""Complaints: predictions that are none, each with its row and its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError
from tallylearn.tables import Array, Codes, Start, row_number

PLURALS = {"said": "predictions", "proba": "probabilities", "decision": "decision values"}
TOLERANCE = 1e-6  # by which a probability may leave [0, 1], and a row's sum may miss 1


def check_lengths(truth: Any, **others: Any) -> None:
    """Every row of the truth has an answer."""
    for name, found in others.items():
        if found is not None and len(found) != len(truth):
            raise InputError(
                f"there are {len(truth)} true values and {len(found)} {PLURALS.get(name, name)}. "
                "Give one per row."
            )


def check_numbers(truth: Array, said: Array, start: Start) -> None:
    """Numbers, or vectors of as many numbers."""
    if truth.shape != said.shape or truth.ndim not in (1, 2):
        raise InputError(
            f"y_true has the shape {truth.shape}, and the predictions {said.shape}. "
            "Both must be (rows,) or (rows, outputs)."
        )
    for name, numbers in (("truth", truth), ("said", said)):
        finite = np.isfinite(numbers).all(axis=tuple(range(1, numbers.ndim)))
        check_rows(name, np.asarray(finite), numbers, start)


def check_classes(truth: Codes, said: Codes, classes: tuple[Any, ...], start: Start) -> None:
    """A class in every row, of one type in the truth and the predictions."""
    for name, codes in (("truth", truth), ("said", said)):
        if codes.codes.min(initial=0) < 0:
            check_rows(name, codes.codes >= 0, np.full(len(codes), None), start)
    ours, theirs = (*truth.values, *truth.declared), (*said.values, *classes)
    if len({isinstance(value, str) for value in (*ours, *theirs)}) > 1:
        raise TargetError(
            f"the true values are like {(*ours, None)[0]!r}, but the predictions "
            f"are like {(*theirs, None)[0]!r}. Convert both to one type."
        )


def check_proba(proba: Array, classes: tuple[Any, ...], start: Start) -> None:
    """One column a class, numbers between 0 and 1, rows that sum to 1."""
    if proba.ndim != 2 or proba.shape[1] != len(classes):
        raise InputError(
            f"the probabilities have the shape {proba.shape}, but there are "
            f"{len(classes)} classes. Give one column per class."
        )
    low, high = proba.min(initial=0), proba.max(initial=0)
    if not (low >= -TOLERANCE and high <= 1 + TOLERANCE):  # so also where one is NaN
        inside = (proba >= -TOLERANCE) & (proba <= 1 + TOLERANCE)
        row, column = (int(place) for place in np.argwhere(~inside)[0])
        raise InputError(
            f"row {row_number(start, row)} has the probability {proba[row, column]} "
            f"for class {classes[column]!r}. Give probabilities between 0 and 1."
        )
    sums = proba @ np.ones(proba.shape[1])
    if (off := np.abs(sums - 1) > TOLERANCE).any():
        row = int(np.argmax(off))
        raise InputError(
            f"the probabilities of row {row_number(start, row)} sum to {sums[row]}, not to 1 "
            f"(within {TOLERANCE:g}). Divide every row by its sum."
        )


def check_decision(decision: Array, classes: tuple[Any, ...], start: Start) -> None:
    """One column a class, numbers, or -inf where a class is not known."""
    if decision.ndim != 2 or decision.shape[1] != len(classes):
        raise InputError(
            f"the decision values have the shape {decision.shape}, but there are "
            f"{len(classes)} classes. Give one column per class."
        )
    check_rows("decision", np.asarray((decision < np.inf).all(axis=1)), decision, start)


def check_rows(name: str, right: Array, values: Array, start: Start) -> None:
    """The first row that is not right is named, with its value."""
    if not right.all():
        row = int(np.argmin(right))
        value, place = values[row], row_number(start, row)
        if name == "said":
            raise InputError(
                f"the prediction for row {place} is {value}. Check the columns of that "
                "row, or use a learner that accepts missing values."
            )
        raise InputError(
            f"{name!r} has {value} in row {place}. Leave the row out, or replace the value."
        )


def check_near(right: Array, truth: Array, said: Array, start: Start) -> None:
    """Errors that a double can hold."""
    if not right.all():
        row = int(np.argmin(right))
        raise InputError(
            f"row {row_number(start, row)}: the true value is {truth[row]} and the "
            f"prediction is {said[row]}, and their squared difference is too large "
            "for a double. Drop the row, or rescale the target."
        )


def one_a_row(call: str, found: Any, n: int) -> Array:
    """What an estimator predicts, as an array with a place for every row."""
    array = np.asarray(found)
    if array.ndim == 0 or len(array) != n:
        have = f"{len(array)} predictions" if array.ndim else f"{found!r:.40}"
        raise InputError(
            f"{call} returned {have} for {n} rows. It must return one prediction per row."
        )
    return array


def to_numbers(said: Array) -> Array:
    """Predictions as doubles; the first that is none is named."""
    try:
        return said.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"predict returned {said.ravel()[:1].tolist()[0]!r}, but the target is "
            "a number. Use a regressor."
        ) from None
