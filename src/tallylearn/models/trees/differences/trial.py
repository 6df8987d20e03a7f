"""Trials: two trees answer the rows of one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.models.trees.differences.overlay import MEAN_TOLERANCE
from tallylearn.models.trees.learner import TreeLearner
from tallylearn.reporting.formatting import plain_data
from tallylearn.statistics.significance_tests import mcnemar
from tallylearn.tables import Array


@dataclass(frozen=True)
class Trial:
    """Two trees on one table: their answers, row by row, and how good they are.

    ``scores`` are accuracies, or root mean squared errors of regression trees. ``p`` is McNemar's
    (mid-p): whether two trees that err equally often would differ so much. It is fair on rows that
    neither tree has learned from.
    """

    name: str
    truth: Array
    answers: tuple[Array, Array]
    scores: tuple[float, float]
    p: float  # NaN in a regression

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that are decided differently, from 0."""
        return tuple(np.flatnonzero(_unlike(*self.answers)).tolist())

    @property
    def n(self) -> int:
        return len(self.truth)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: of rows that are decided differently both answers, and the truth."""
        rows = self.rows
        answers = [[column[i] for column in (*self.answers, self.truth)] for i in rows]
        found = {"name": self.name, "n": self.n, "scores": self.scores, "p": self.p, "rows": rows}
        data: dict[str, Any] = plain_data(found | {"answers": answers})
        return data


def tried(name: str, first: TreeLearner, second: TreeLearner, given: Any) -> Trial:
    """Both trees on one table."""
    X, y = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    truth, one = _answered(first, X, y)
    _, two = _answered(second, X, y)
    if first.task == "classifier":
        wrong = one != truth, two != truth
        only = [int((a & ~b).sum()) for a, b in (wrong, wrong[::-1])]
        scores = tuple(float(1 - w.mean()) for w in wrong)
        return Trial(name, truth, (one, two), scores, mcnemar(*only).p)  # type: ignore[arg-type]
    scores = tuple(float(np.sqrt(np.mean((a - truth) ** 2))) for a in (one, two))
    return Trial(name, truth, (one, two), scores, float("nan"))  # type: ignore[arg-type]


def _answered(learner: TreeLearner, X: Any, y: Any) -> tuple[Array, Array]:
    """The truth and the answers, row by row."""
    name, task = type(learner).__name__, learner.task
    read = read_fit_input(learner._table(X), y, None, name, task, learner.schema_)
    truth: list[Any] = []
    said: list[Any] = []
    for block in read.blocks():
        truth += block.target.items() if task == "classifier" else block.target.tolist()
        said += learner.answers(block).tolist()
    kind = object if task == "classifier" else float
    return np.array(truth, dtype=kind), np.array(said, dtype=kind)


def _unlike(one: Array, two: Array) -> Array:
    if one.dtype == object:
        return np.asarray(one != two)
    return np.asarray(np.abs(one - two) > MEAN_TOLERANCE * np.maximum(np.abs(one), np.abs(two)))
