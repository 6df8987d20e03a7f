"""Points: scores on the rows learned from and on others, at places along a curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.score import SCORES, titled
from tallylearn.intervals import Interval, corrected_t
from tallylearn.tables import Array
from tallylearn.workings.rendering import short


@dataclass(frozen=True)
class Average:
    """A number's mean over the folds, and its interval where there are two folds or more."""

    value: float
    interval: Interval | None

    @classmethod
    def of(cls, values: Iterable[float], test_share: float, level: float) -> Average:
        known = np.asarray(tuple(values), dtype=float)
        several = len(known) > 1 and np.isfinite(known).all()
        with np.errstate(invalid="ignore"):  # inf - inf of a score that has no mean
            mean = float(known.mean())
        return cls(mean, corrected_t(known, test_share, level) if several else None)

    @property
    def above_zero(self) -> bool:
        """Whether it is shown to be positive."""
        return (self.value if self.interval is None else self.interval.low) > 0

    def __str__(self) -> str:
        said = short(self.value)
        if self.interval is None:
            return said
        return f"{said} [{short(self.interval.low)}, {short(self.interval.high)}]"


@dataclass(frozen=True)
class Point:
    """One place on a curve: the score on the rows learned from and on others, fold by fold."""

    at: Any  # the number of rows, or the value of the option
    train: tuple[float, ...]
    test: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Trend:
    """The points of a curve, and how they came about."""

    learner: str
    what: str  # "rows", or the option
    cv: str
    score: str
    n: int
    level: float
    test_share: float
    points: tuple[Point, ...]
    baseline: Point
    of: Any = None  # the class, where the score is of one
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few

    @property
    def title(self) -> str:
        """The score, and of which class it is."""
        return titled(self.score, self.of)

    def losses(self, values: Sequence[float]) -> Array:
        """Scores turned so that lower is better."""
        sign = 1.0 if SCORES[self.score].better == "low" else -1.0
        return sign * np.asarray(values, dtype=float)

    def average(self, values: Iterable[float]) -> Average:
        """The mean over the folds."""
        return Average.of(values, self.test_share, self.level)

    def scored(self, values: Iterable[float]) -> Average:
        """The mean score over the folds, its interval cut where no score can lie."""
        found = self.average(values)
        if found.interval is None:
            return found
        return Average(found.value, found.interval.within(*SCORES[self.score].bounds))

    def named(self, at: Any) -> str:
        return f"{self.what}={at!r}"
