"""Verdicts: over- and under-fitting, each by a rule that can be checked by hand.

A score that should be high is turned round first, so that below *error* is what should be low.
A difference is *shown* where its interval over the folds lies above zero; with one fold there is
no interval, and the number alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.evaluation.curves.curve_points import Average, Trend
from tallylearn.evaluation.scores.score import TIED
from tallylearn.tables import Array
from tallylearn.workings.rendering import short

MORE, OVER, UNDER, BEST = "more rows", "over-fitting", "under-fitting", "best"


@dataclass(frozen=True)
class Verdict:
    """What a rule says: whether it holds, of what, beside what, and by how much."""

    kind: str  # "more rows", "over-fitting", "under-fitting", "best"
    holds: bool
    text: str
    at: Any  # the number of rows, or the value of the option
    witness: Any = None  # the value that shows it
    by: Average | None = None  # the difference that decided

    @property
    def shown(self) -> bool:
        """Whether the difference that decided is more than chance between folds."""
        return self.by is not None and self.by.above_zero

    def record(self) -> dict[str, Any]:
        """The verdict as plain values."""
        found = {name: getattr(self, name) for name in ("kind", "holds", "shown", "text")}
        by = None if self.by is None else self.by.value
        return found | {"at": self.at, "witness": self.witness, "by": by}


def by_rows(curve: Trend) -> Iterator[Verdict]:
    """More rows, over-fitting and under-fitting, from errors at growing numbers of rows."""
    if len(curve.points) > 1:
        yield _more_rows(curve)
    yield _gap(curve)
    yield _poor(curve)


def _more_rows(curve: Trend) -> Verdict:
    """It holds where the test error is shown to fall from the last size but one to the last."""
    before, last = (curve.losses(point.test) for point in curve.points[-2:])
    by = curve.average(_apart(before, last))
    said = "More rows would help" if by.above_zero else "More rows are not shown to help"
    at = tuple(point.at for point in curve.points[-2:])
    text = f"{said}: from {at[0]} to {at[1]} the test {curve.title} improves by {by}."
    return Verdict(MORE, by.above_zero, text, at[1], at[0], by)


def _gap(curve: Trend) -> Verdict:
    """It holds where the gap is shown to be there at the last size, and not shown to shrink."""
    gaps = [_apart(curve.losses(p.test), curve.losses(p.train)) for p in curve.points[-2:]]
    by, last = curve.average(gaps[-1]), curve.points[-1].at
    shrinks = len(gaps) > 1 and curve.average(_apart(*gaps)).above_zero
    told = f"at {last} rows the {curve.title} differs by {by} between training and test"
    if not by.above_zero:
        text = f"No over-fitting is shown: {told}."
    elif shrinks:
        before = curve.average(gaps[0])
        text = f"Less over-fitting with more rows: {told}, and by {before} at the size before."
    else:
        text = f"Over-fitting: {told}" + (", and the gap stays." if len(gaps) > 1 else ".")
    return Verdict(OVER, by.above_zero and not shrinks, text, last, None, by)


def _poor(curve: Trend) -> Verdict:
    """It holds where neither error is shown to be below the baseline's, even on training rows."""
    last, base = curve.points[-1], curve.baseline
    gains = [
        curve.average(_apart(curve.losses(of_base), curve.losses(ours)))
        for of_base, ours in ((base.train, last.train), (base.test, last.test))
    ]
    holds = not any(gain.above_zero for gain in gains)
    beyond = f"{gains[0]} in training and {gains[1]} in test"
    if holds:
        said = "Under-fitting: not shown to be better"
    else:
        said = "Better" if gains[1].above_zero else "Not shown to be better in test"
    text = f"{said} than the {curve.baseline.at}: the {curve.title} improves on it by {beyond}."
    return Verdict(UNDER, holds, text, last.at, curve.baseline.at, gains[0])


def by_values(curve: Trend) -> Iterator[Verdict]:
    """Every value that over- or under-fits, with its witness, and the best.

    h over-fits if some h' has the higher training error and the lower test error, and under-fits
    if some h' has both errors lower. Of several witnesses the one of lowest test error is named.
    """
    train = np.array([curve.losses(point.train).mean() for point in curve.points])
    test = np.array([curve.losses(point.test).mean() for point in curve.points])
    if not (np.isfinite(train).all() and np.isfinite(test).all()):
        return
    for h in range(len(test)):
        better = _below(test, test[h])
        for kind, found in ((OVER, _below(train[h], train)), (UNDER, _below(train, train[h]))):
            if (witnesses := np.flatnonzero(better & found)).size:
                yield _witnessed(curve, kind, h, int(witnesses[np.argmin(test[witnesses])]))
    at = curve.points[lowest(test)]
    text = f"Best: {curve.named(at.at)}, with test {curve.title} {curve.average(at.test)}."
    yield Verdict(BEST, True, text, at.at)


def lowest(losses: Array) -> int:
    """The first of the lowest, but for rounding; numbers that are none are passed over."""
    low = np.nanmin(losses)
    return int(np.flatnonzero(losses <= low + TIED * abs(low))[0])


def _apart(a: Array, b: Array) -> Array:
    """The difference, fold by fold; 0 where it is rounding only."""
    with np.errstate(invalid="ignore"):  # inf - inf of scores without a bound
        found = a - b
        rounding = np.isfinite(found) & (np.abs(found) <= TIED * np.maximum(np.abs(a), np.abs(b)))
    return np.where(rounding, 0.0, found)


def _below(a: Any, b: Any) -> Array:
    return np.asarray(a < b - TIED * np.maximum(np.abs(a), np.abs(b)))


def _witnessed(curve: Trend, kind: str, h: int, other: int) -> Verdict:
    ours, theirs = curve.points[h], curve.points[other]
    by = curve.average(_apart(curve.losses(ours.test), curve.losses(theirs.test)))
    train, test = (
        f"{short(float(np.mean(b)))} against {short(float(np.mean(a)))}"
        for a, b in ((ours.train, theirs.train), (ours.test, theirs.test))
    )
    side = "worse" if kind == OVER else "better"
    verb = "over-fits" if kind == OVER else "under-fits"
    chance = "" if by.above_zero else " Chance may explain the difference in test."
    text = (
        f"{curve.named(ours.at)} {verb}: {curve.named(theirs.at)} is {side} in training ({train}) "
        f"and better in test ({test}), by {by}.{chance}"
    )
    return Verdict(kind, True, text, ours.at, theirs.at, by)
