"""Verdicts: over- and under-fitting, each by a rule that can be checked by hand.

A score that should be high is turned round first, so that below *error* is what should be low.
A difference is *shown* where its interval lies above zero: over the folds, and where there is one
split, or all folds agree, over the rows. What neither can tell is said not to be tested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from tallylearn.evaluation.curves.curve_points import TEST, TRAIN, Average, CurvePoint, Trend
from tallylearn.evaluation.scores.score import TIED
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array

MORE, OVER, UNDER, BEST = "more rows", "overfitting", "underfitting", "best"


@dataclass(frozen=True)
class Verdict:
    """What a rule says: whether it holds, of what, beside what, and by how much."""

    kind: str  # "more rows", "overfitting", "underfitting", "best"
    holds: bool
    text: str
    at: Any  # the number of rows, or the value of the option
    witness: Any = None  # the value that shows it
    by: Average | None = None  # the difference that decided

    @property
    def is_significant(self) -> bool:
        """Whether the difference that decided is more than chance."""
        return self.by is not None and self.by.above_zero

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def record(self) -> dict[str, Any]:
        """The verdict as plain values."""
        return {
            "kind": self.kind,
            "holds": self.holds,
            "shown": self.is_significant,
            "text": self.text,
            "at": self.at,
            "witness": self.witness,
            "by": None if self.by is None else self.by.value,
        }


def by_rows(curve: Trend) -> Iterator[Verdict]:
    """More rows, over-fitting and under-fitting, from errors at growing numbers of rows."""
    if len(curve.points) > 1:
        yield _more_rows(curve)
    yield _gap(curve)
    yield _poor(curve)


def _more_rows(curve: Trend) -> Verdict:
    """It holds where the test error is shown to fall from the last size but one to the last."""
    before, last = curve.points[-2:]
    by = curve.difference((before, TEST), (last, TEST))
    told = f"from {before.at} to {last.at} the test {curve.title} improves by {by}"
    said = "More rows would help" if by.above_zero else "More rows are not shown to help"
    text = f"{said}: {told}."
    if by.is_untested:
        text = _untested_text("Whether more rows would help is", by, told)
    return Verdict(kind=MORE, holds=by.above_zero, text=text, at=last.at, witness=before.at, by=by)


def _gap(curve: Trend) -> Verdict:
    """It holds where the gap is shown to be there at the last size, and not shown to shrink."""
    places, last = curve.points[-2:], curve.points[-1]
    by = curve.difference((last, TEST), (last, TRAIN))
    shrinks = len(places) > 1 and curve.gap_change(*places).above_zero
    told = f"at {last.at} rows the {curve.title} differs by {by} between training and test"
    if by.is_untested:
        text = _untested_text("Overfitting is", by, told)
    elif not by.above_zero:
        text = f"No overfitting is shown: {told}."
    elif shrinks:
        before = curve.difference((places[0], TEST), (places[0], TRAIN))
        text = f"Less overfitting with more rows: {told}, and by {before} at the size before."
    else:
        kept = ", and the gap is not shown to shrink." if len(places) > 1 else "."
        text = f"Overfitting: {told}{kept}"
    return Verdict(
        kind=OVER, holds=by.above_zero and not shrinks, text=text, at=last.at, witness=None, by=by
    )


def _poor(curve: Trend) -> Verdict:
    """It holds where neither error is shown to be below the baseline's, even on training rows."""
    last, base = curve.points[-1], curve.baseline
    train, test = (curve.difference((base, side), (last, side)) for side in (TRAIN, TEST))
    shown = train.above_zero or test.above_zero
    holds = not (shown or train.is_untested or test.is_untested)
    told = f"the {curve.title} improves by {train} in training and {test} in test"
    poor = "Not shown to be better in test" if shown else "Underfitting: not shown to be better"
    text = f"{'Better' if test.above_zero else poor} than the baseline ({base.at}): {told}."
    if not test.above_zero and (test.is_untested or (train.is_untested and not shown)):
        better = f"Whether it is better than the baseline ({base.at}) is"
        text = _untested_text(better, test if test.is_untested else train, told)
    return Verdict(kind=UNDER, holds=holds, text=text, at=last.at, witness=base.at, by=train)


def _untested_text(what: str, by: Average, told: str) -> str:
    """That something was not tested, why, and the number where there is one."""
    said = f"{what} not tested, because {by.reason}"
    return f"{said}: {told}." if isfinite(by.value) else f"{said}."


def by_values(curve: Trend) -> Iterator[Verdict]:
    """Every value that over- or under-fits, with its witness, and the best.

    h over-fits if some h' has the higher training error and the lower test error, and under-fits
    if some h' has both errors lower. Of several witnesses the one of lowest test error is named.
    Values whose errors are no numbers are passed over.
    """
    points = [point for point in curve.points if point.finite]
    if not points:
        return
    train, test = (
        np.array([curve.loss(point, side) for point in points]) for side in (TRAIN, TEST)
    )
    for h in range(len(test)):
        better = _is_below(test, test[h])
        for kind, found in (
            (OVER, _is_below(train[h], train)),
            (UNDER, _is_below(train, train[h])),
        ):
            if (witnesses := np.flatnonzero(better & found)).size:
                witness = points[int(witnesses[np.argmin(test[witnesses])])]
                yield _verdict_between(curve, kind, points[h], witness)
    at = points[find_lowest(test)]
    text = f"Best: {curve.place_text(at.at)}, with test {curve.title} {curve.average(at)}."
    yield Verdict(BEST, True, text, at.at)


def find_lowest(losses: Array) -> int:
    """The first of the lowest, but for rounding; numbers that are none are passed over."""
    low = np.nanmin(losses)
    return int(np.flatnonzero(losses <= low + TIED * abs(low))[0])


def _is_below(a: Any, b: Any) -> Array:
    return np.asarray(a < b - TIED * np.maximum(np.abs(a), np.abs(b)))


def _verdict_between(curve: Trend, kind: str, ours: CurvePoint, theirs: CurvePoint) -> Verdict:
    by = curve.difference((ours, TEST), (theirs, TEST))
    train, test = (
        f"{format_number(theirs.value(side))} against {format_number(ours.value(side))}"
        for side in (TRAIN, TEST)
    )
    side = "worse" if kind == OVER else "better"
    verb = "overfits" if kind == OVER else "underfits"
    chance = "" if by.above_zero else " The difference in test is not significant."
    if by.is_untested:
        chance = f" The difference in test is not tested, because {by.reason}."
    text = (
        f"{curve.place_text(ours.at)} {verb}: {curve.place_text(theirs.at)} is {side} in "
        f"training ({train}) and better in test ({test}), by {by}.{chance}"
    )
    return Verdict(kind=kind, holds=True, text=text, at=ours.at, witness=theirs.at, by=by)
