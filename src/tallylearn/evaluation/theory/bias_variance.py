"""Parts of an error: what the learner's form costs, what the sample costs, what nobody can save."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Any

import numpy as np

from tallylearn.errors import InputError, TargetError
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running.cross_validation import CrossValidation, Watch
from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.theory.all_samples import Drawings, Number
from tallylearn.evaluation.theory.population import Population
from tallylearn.folds import Split
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array, Codes


@dataclass(frozen=True)
class ErrorParts:
    """The parts of an expected squared error; ``noise`` is None where ``bias2`` holds it."""

    learner: str
    error: Number  # measured by itself, so that the sum of the parts can be held against it
    bias2: Number
    variance: Number
    noise: Number | None
    hard: bool = False  # a classifier without probabilities: its predictions are taken as 0 and 1

    def __str__(self) -> str:
        noise = "" if self.noise is None else f", noise {format_number(float(self.noise))}"
        return (
            f"{self.learner}: {self.form} {format_number(float(self.bias2))}, variance "
            f"{format_number(float(self.variance))}{noise}, "
            f"error {format_number(float(self.error))}"
        )

    def __repr__(self) -> str:
        return str(self)

    @property
    def form(self) -> str:
        """What ``bias2`` holds."""
        return "bias² + noise" if self.noise is None else "bias²"

    @property
    def values(self) -> tuple[Number, ...]:
        """Bias squared, variance, and noise where it is known."""
        return (self.bias2, self.variance, *(() if self.noise is None else (self.noise,)))

    @property
    def total(self) -> Number:
        """What the parts add up to."""
        return sum(self.values, start=Fraction(0))


def of_population(learner: Any, known: Population, found: Drawings, positive: Any) -> ErrorParts:
    """The parts under a known distribution, in fractions where all samples and chances are known.

    Over D samples drawn, the variance is taken over D - 1, and what that adds leaves bias squared.
    """
    exact = known.exact and found.complete
    exactly = np.vectorize(Fraction if exact else float, otypes=[object if exact else float])
    rows = np.array([cell.row for cell in known.cells])
    p = exactly([cell.p for cell in known.cells])
    y = exactly([_number(cell.outcome, positive) for cell in known.cells])
    said = [_answers(known.fit_learner(learner, cells), known, positive) for cells in found.samples]
    predictions, weights = exactly(said)[:, rows], exactly(found.weights)  # (samples, cells)
    alike = (rows[:, None] == rows) * p
    target = (alike @ y) / alike.sum(axis=1)  # (cells,) E[y | row]
    mean = weights @ predictions
    error = p @ (weights @ (y - predictions) ** 2)
    variance = p @ (weights @ (predictions - mean) ** 2)
    bias2, noise = p @ (target - mean) ** 2, p @ (y - target) ** 2
    moved = 0 if found.complete else variance / (len(found) - 1)
    hard = positive is not None and not hasattr(learner, "predict_proba")
    return ErrorParts(
        learner=learner_text(learner),
        error=error,
        bias2=bias2 - moved,
        variance=variance + moved,
        noise=noise,
        hard=hard,
    )


def of_table(
    learner: Any, dataset: Dataset, splits: list[Split], positive: Any, watch: Watch | None = None
) -> ErrorParts:
    """The parts by what models say about rows that they were not drawn."""
    if not isinstance(dataset.truth, Codes) and dataset.truth.ndim > 1:
        raise TargetError("the target has several columns. Pass one column at a time.")
    tested_rows = list(CrossValidation(learner, dataset, watch=watch).predict_folds([splits]))
    rows = np.concatenate([part.rows for part in tested_rows])
    said = np.concatenate([_predicted_numbers(part.predictions, positive) for part in tested_rows])
    y = dataset.truth
    if isinstance(y, Codes):
        y = (y.codes == y.values.index(positive)).astype(float)
    times = np.bincount(rows, minlength=len(dataset))
    if times.min() < 2:
        raise InputError(
            f"row {dataset.rows[int(np.argmin(times))]} was left out of "
            f"{times.min()} of {len(splits)} bootstrap samples, and a variance "
            "needs two. Increase draws."
        )
    mean = np.bincount(rows, said) / times
    spread = np.bincount(rows, (said - mean[rows]) ** 2) / (times - 1)
    errors = np.bincount(rows, (said - y[rows]) ** 2) / times
    error, bias2, variance = (
        float(np.average(values, weights=dataset.weight))
        for values in (errors, (y - mean) ** 2 - spread / times, spread)
    )
    hard = positive is not None and tested_rows[0].predictions.proba is None
    return ErrorParts(
        learner=learner_text(learner),
        error=error,
        bias2=bias2,
        variance=variance,
        noise=None,
        hard=hard,
    )


def verdicts(parts: tuple[ErrorParts, ...]) -> Iterator[str]:
    """Which part of every learner's error is the larger, and what the learners show together."""
    yield from map(_name_larger, parts)
    order = sorted(parts, key=attrgetter("variance"))
    yield from (_compare_two(simple, complicated) for simple, complicated in pairwise(order))
    if len(parts) > 1:
        best = min(parts, key=attrgetter("error"))
        yield f"Least error: {best.learner}, {format_number(float(best.error))}."


def _name_larger(part: ErrorParts) -> str:
    """High is the larger of the two; with noise in it, the first may be larger without any bias."""
    bias, variance = format_number(float(part.bias2)), format_number(float(part.variance))
    told = f"{part.form} {bias} against variance {variance}"
    if part.variance == part.bias2 == 0:
        return f"{part.learner}: neither bias nor variance."
    if part.variance >= part.bias2:
        return f"{part.learner}: high variance, {told}."
    return f"{part.learner}: {'high bias, ' if part.noise is not None else ''}{told}."


def _compare_two(simple: ErrorParts, other: ErrorParts) -> str:
    """Two learners, the one of lower variance first."""
    if other.bias2 >= simple.bias2:
        return (
            f"{other.learner} has neither less {simple.form} nor less variance than "
            f"{simple.learner}."
        )
    falls, rises = simple.bias2 - other.bias2, other.variance - simple.variance
    return (
        f"From {simple.learner} to {other.learner} {simple.form} falls by "
        f"{format_number(float(falls))} and variance rises by {format_number(float(rises))}: the "
        "first is the simpler, with the stronger inductive bias."
    )


def _answers(model: Any, known: Population, positive: Any) -> list[Any]:
    """A number for every row: the answer, or the probability of the positive class."""
    if positive is None:
        return known.predict(model)
    if not hasattr(model, "predict_proba"):
        return [_number(answer, positive) for answer in known.predict(model)]
    classes = [key.item() if isinstance(key, np.generic) else key for key in model.classes_]
    if positive not in classes:
        return [0] * len(known)
    found = model.predict_proba(known.columns(model))[:, classes.index(positive)]
    return list(np.asarray(found).tolist())


def _predicted_numbers(predictions: Predictions, positive: Any) -> Array:
    if positive is None:
        return np.asarray(predictions.said)
    if predictions.proba is None:
        return np.asarray(
            predictions.said.codes == predictions.said.values.index(positive), dtype=float
        )
    return np.asarray(predictions.proba[:, predictions.classes.index(positive)])


def _number(outcome: Any, positive: Any) -> Any:
    """The outcome itself, or whether it is the positive class."""
    if positive is not None:
        return int(outcome == positive)
    if isinstance(outcome, str) or outcome is None:
        raise TargetError(
            f"the target has the value {outcome!r}, but the learner predicts "
            "numbers. Give numeric outcomes, or use a classifier."
        )
    return outcome
