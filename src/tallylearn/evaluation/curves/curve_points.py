"""The points of a curve: training and test scores, fold by fold, and their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from types import MappingProxyType
from typing import Any

import numpy as np

from tallylearn.evaluation.scores.score import SCORES, TIED, score_title
from tallylearn.evaluation.scores.tested_rows import UnitInfluence
from tallylearn.reporting.formatting import format_number
from tallylearn.statistics.confidence_intervals import (
    Interval,
    corrected_t,
    difference_of,
    t_interval,
)
from tallylearn.tables import Array

TRAIN, TEST = "train", "test"
ABOUT = "the mean difference on rows like these"
NO_SPREAD = "all folds differ by the same"


@dataclass(frozen=True)
class Average:
    """A number's mean over the folds, and its interval; or why it has none."""

    value: float
    interval: Interval | None
    reason: str = ""

    @classmethod
    def of(cls, values: Sequence[float] | Array, test_share: float, level: float) -> Average:
        """By the corrected resampled t, where the folds differ: agreement of few is no certainty.

        >>> Average.of([0.1, 0.1], 0.5, 0.95)
        Average(value=0.1, interval=None, reason='all folds differ by the same')
        """
        known = np.asarray(values, dtype=float)
        with np.errstate(invalid="ignore"):  # inf - inf of a score that has no mean
            mean = float(known.mean())
        if not np.isfinite(known).all():
            return cls(mean, None, "a fold has no value")
        if len(known) < 2:
            return cls(mean, None, "there is one split")
        if are_alike(known):
            return cls(mean, None, NO_SPREAD)
        return cls(mean, corrected_t(known, test_share, level))

    def recentre(self, value: float) -> Average:
        """The same spread over folds around another value: the score of all folds pooled."""
        if self.interval is None or not isfinite(value):
            return replace(self, value=value)
        low, high = (end + (value - self.value) for end in self.interval)
        return replace(self, value=value, interval=replace(self.interval, low=low, high=high))

    @property
    def above_zero(self) -> bool:
        """Whether it is shown to be positive."""
        return self.interval is not None and self.interval.low > 0

    @property
    def is_untested(self) -> bool:
        """Whether it is no zero, and nothing says how sure it is."""
        return self.interval is None and self.value != 0

    def __str__(self) -> str:
        said = format_number(self.value)
        if self.interval is None:
            return said
        return f"{said} [{format_number(self.interval.low)}, {format_number(self.interval.high)}]"


@dataclass(frozen=True)
class RowByRow:
    """What single rows say of a score: asked where the folds are one, or all alike."""

    interval: Interval | None
    moved: UnitInfluence | None  # how far every row or group moves the score
    tests: float


@dataclass(frozen=True)
class CurvePoint:
    """One place on a curve: the score on the rows learned from and on others, fold by fold."""

    at: Any  # the number of rows, or the value of the option
    train: tuple[float, ...]
    test: tuple[float, ...]
    rows: Mapping[str, RowByRow] = field(default_factory=lambda: MappingProxyType({}))  # by side
    reasons: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # for no value
    # by side: the score of all folds' predictions together, where the score is a ratio
    pooled: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, side: str) -> tuple[float, ...]:
        return self.train if side == TRAIN else self.test

    def value(self, side: str) -> float:
        """The mean over folds; of a ratio, such as R-squared, the score of all folds pooled."""
        with np.errstate(invalid="ignore"):  # inf - inf of a score that has no mean
            return self.pooled[side] if side in self.pooled else float(np.mean(self[side]))

    def __str__(self) -> str:
        train, test = (format_number(self.value(side)) for side in (TRAIN, TEST))
        return f"{self.at}: training {train}, test {test}"

    def __repr__(self) -> str:
        return str(self)

    @property
    def finite(self) -> bool:
        return isfinite(self.value(TRAIN)) and isfinite(self.value(TEST))


Side = tuple[CurvePoint, str]  # a place, and which of its rows


@dataclass(frozen=True, eq=False, repr=False)
class Trend:
    """The points of a curve, and how they came about."""

    learner: str
    what: str  # "rows", or the option
    cv: str
    score: str
    n: int
    level: float
    test_share: float
    points: tuple[CurvePoint, ...]
    baseline: CurvePoint
    of: Any = None  # the class, where the score is of one
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few

    @property
    def title(self) -> str:
        """The score, and of which class it is."""
        return score_title(self.score, self.of)

    def losses(self, values: Sequence[float]) -> Array:
        """Scores turned so that lower is better."""
        sign = 1.0 if SCORES[self.score].better == "low" else -1.0
        return sign * np.asarray(values, dtype=float)

    def loss(self, point: CurvePoint, side: str) -> float:
        """The score of a point, signed so that lower is better."""
        return float(self.losses([point.value(side)])[0])

    def average(self, point: CurvePoint, side: str = TEST) -> Average:
        """The score of a point, its interval cut at the bounds of the score.

        Where the folds show no spread it is the interval of the rows, as `evaluate` has it.
        """
        found = Average.of(point[side], self.test_share, self.level).recentre(point.value(side))
        if found.interval is not None:
            return replace(found, interval=found.interval.clip(*SCORES[self.score].bounds))
        return replace(found, interval=self._by_rows((point, side)))

    def difference(self, mine: Side, theirs: Side) -> Average:
        """The error of one less that of another, over the folds; where these agree, over rows."""
        found = Average.of(self._by_fold(mine, theirs), self.test_share, self.level)
        found = found.recentre(self._difference(mine, theirs))
        if not isfinite(found.value):
            return replace(found, reason=self.undefined_text(mine) or self.undefined_text(theirs))
        if found.interval is None:
            found = self._over_rows(found, mine, theirs)
        if found.interval is None:
            return found
        least, most = SCORES[self.score].bounds
        return replace(found, interval=found.interval.clip(least - most, most - least))

    def gap_change(self, before: CurvePoint, last: CurvePoint) -> Average:
        """By how much the gap between training and test falls from one place to another."""
        gaps = [self._by_fold((point, TEST), (point, TRAIN)) for point in (before, last)]
        values = [self._difference((point, TEST), (point, TRAIN)) for point in (before, last)]
        found = Average.of(subtract(*gaps), self.test_share, self.level)
        found = found.recentre(values[0] - values[1])
        if found.interval is not None or not isfinite(found.value):
            return found
        first, then = (self.difference((p, TEST), (p, TRAIN)).interval for p in (before, last))
        if first is None or then is None:
            return found
        return Average(found.value, difference_of(values, (first, then), ABOUT))

    def undefined_text(self, side: Side) -> str:
        """That a score has no number, where it has none."""
        point, which = side
        if isfinite(value := point.value(which)):
            return ""
        bad = sum(not isfinite(each) for each in point[which])
        many = f" on {bad} of {len(point[which])} folds" if len(point[which]) > 1 else ""
        is_so = "infinite" if value == value else "no number"
        where = "training" if which == TRAIN else "test"
        return f"the {where} {self.title} of {self.place_text(point.at)} is {is_so}{many}"

    def place_text(self, at: Any) -> str:
        if at == self.baseline.at:
            return f"the {at}"
        return f"{at} rows" if self.what == "rows" else f"{self.what}={at!r}"

    def _by_fold(self, mine: Side, theirs: Side) -> Array:
        return subtract(*(self.losses(point[side]) for point, side in (mine, theirs)))

    def _difference(self, mine: Side, theirs: Side) -> float:
        """The loss of one less that of the other; 0 where it is rounding only."""
        ours, others = (np.array([self.loss(*side)]) for side in (mine, theirs))
        return float(subtract(ours, others)[0])

    def _by_rows(self, side: Side) -> Interval | None:
        found = side[0].rows.get(side[1])
        return None if found is None else found.interval

    def _over_rows(self, found: Average, mine: Side, theirs: Side) -> Average:
        """Rows of one side are paired; those learned from and those tested are two samples."""
        here, there = (point.rows.get(side) for point, side in (mine, theirs))
        if here is None or there is None:
            return found
        if (
            mine[1] == theirs[1]
            and (moved := _subtract_influences(here.moved, there.moved)) is not None
        ):
            return self._paired_interval(found, moved, here.tests)
        ends = here.interval, there.interval
        if ends[0] is None or ends[1] is None:
            return replace(found, reason=f"{found.reason}, and its rows do not tell")
        values = [self.loss(*side) for side in (mine, theirs)]
        turned = tuple(map(self._error_interval, filter(None, ends)))
        return Average(found.value, difference_of(values, turned, ABOUT))

    def _paired_interval(self, found: Average, moved: UnitInfluence, tests: float) -> Average:
        if len(moved.units) < 2:
            return replace(found, reason="only one row or group was tested")
        if not (error := moved.learner_standard_error(tests)) > 0:
            return replace(found, reason="all rows differ by the same" if found.value else "")
        free = moved.free
        ends = t_interval(
            found.value,
            error,
            free=free,
            level=self.level,
            method="paired t over rows",
            about=ABOUT,
        )
        return Average(found.value, ends)

    def _error_interval(self, ends: Interval) -> Interval:
        """The interval of a score as one of an error."""
        if SCORES[self.score].better == "low":
            return ends
        return replace(ends, low=-ends.high, high=-ends.low)


def _subtract_influences(
    mine: UnitInfluence | None, theirs: UnitInfluence | None
) -> UnitInfluence | None:
    """How far every row moves two scores apart, where both are of the same rows."""
    if mine is None or theirs is None or not np.array_equal(mine.units, theirs.units):
        return None
    return mine - theirs


def are_alike(values: Array) -> bool:
    """Whether numbers differ by rounding at most."""
    return bool(np.ptp(values) <= TIED * np.abs(values).max())


def subtract(a: Array, b: Array) -> Array:
    """The difference, fold by fold; 0 where it is rounding only."""
    with np.errstate(invalid="ignore"):  # inf - inf of scores without a bound
        found = a - b
        rounding = np.isfinite(found) & (np.abs(found) <= TIED * np.maximum(np.abs(a), np.abs(b)))
    return np.where(rounding, 0.0, found)
