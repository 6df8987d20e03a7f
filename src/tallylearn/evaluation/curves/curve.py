"""Learning and validation curves: training and test scores along the rows or an option."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import InputError
from tallylearn.evaluation.curves import overfitting
from tallylearn.evaluation.curves.curve_points import TEST, TRAIN, Average, CurvePoint, Trend
from tallylearn.evaluation.curves.overfitting import OVER, UNDER, Verdict
from tallylearn.evaluation.result import Result
from tallylearn.evaluation.scores.score import SCORES, remedy, score_title
from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.formatting import (
    align_decimals,
    format_interval,
    format_score,
    number_of,
    score_format,
)
from tallylearn.workings import Derivation, Grid, Sentence

ROWS = "rows"
MIN_LOG_RATIO = 100  # of the largest to the smallest value, for a logarithmic axis


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Trend, Result):
    """Training and test scores along a curve, and the verdicts that follow from them.

    ``verdict`` is the text of all ``verdicts``. ``print`` shows the scores and the verdicts.
    """

    @property
    def heading(self) -> str:
        """The learner, what is varied, and which rows are tested."""
        return f"{self.learner} by {self.what}, {self.n:,} rows, {self.cv}"

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on over-fitting, under-fitting and, for a learning curve, more rows."""
        rule = overfitting.by_rows if self.what == ROWS else overfitting.by_values
        return tuple(rule(self))

    @property
    def verdict(self) -> str:
        """All verdicts as one text."""
        return " ".join(verdict.text for verdict in self.verdicts)

    @property
    def overfitting(self) -> dict[Any, Any]:
        """The values or sizes that over-fit, each with the value that shows it."""
        return self._confirmed(OVER)

    @property
    def underfitting(self) -> dict[Any, Any]:
        """The values or sizes that under-fit, each with the value that shows it."""
        return self._confirmed(UNDER)

    @property
    def best(self) -> Any:
        """The value or size with the best mean test score."""
        losses = np.array([self.loss(point, TEST) for point in self.points])
        if np.isnan(losses).all():
            raise InputError(
                f"Curve.best: the test {self.title} has no value at any point of the "
                "curve. Choose another score, or use fewer folds."
            )
        return self.points[overfitting.find_lowest(losses)].at

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The scores along the curve, and the verdicts."""
        title, records, base = (
            score_title(found["score"], found["class"]),
            found["records"],
            "baseline",
        )
        sides = [[number_of(line[side]) for line in (*records, found[base])]
                 for side in (TRAIN, TEST)]  # fmt: skip
        ends = [(number_of(line["test_low"]), number_of(line["test_high"])) for line in records]
        spec = score_format([*sides[0], *sides[1], *(end for both in ends for end in both)])
        intervals = ["" if low != low else format_interval(low, high, spec) for low, high in ends]
        columns = (
            (*found["places"], f"{found[base]['at']} (baseline)"),
            *(align_decimals([_number(value, spec) for value in values]) for values in sides),
            (*intervals, ""),
        )
        head = (found["what"], "training", "test", f"test {100 * found['level']:g} % CI")
        grid = Grid(title, head, tuple(zip(*columns, strict=True)))
        notes = [verdict["text"] for verdict in found["verdicts"]]
        notes += [*found.get("undefined", ()), *found.get("remarks", ())]
        return Derivation(found["title"], (grid, *map(Sentence, notes)))

    def facts(self) -> dict[str, Any]:
        """What the curve is of, the baseline, and every verdict."""
        named = ("learner", "what", "cv", "score", "n", "level", "test_share", "remarks")
        sides = {side: self.baseline.value(side) for side in (TRAIN, TEST)}
        return {name: getattr(self, name) for name in named} | {
            "kind": "curve",
            "title": self.heading,
            "class": self.of,
            "places": [str(point.at) for point in self.points],
            "baseline": {"at": self.baseline.at} | sides,
            "verdicts": [verdict.record() for verdict in self.verdicts],
            "undefined": [*self._undefined_scores()],
        }

    def records(self) -> list[dict[str, Any]]:
        """One row a place on the curve."""
        return [
            {"what": self.what, "at": self._plain_value(point.at), "score": self.score}
            | {f"{side}{end}": value for side, end, value in self._numbers(point)}
            | {"train_by_fold": list(point.train), "test_by_fold": list(point.test)}
            for point in self.points
        ]

    def plots(self) -> dict[str, Plot]:
        """Training and test score, with their bands."""
        known = [(x, p) for x, p in zip(self._places, self.points, strict=True) if p.finite]
        if not known:
            return {}
        places = [x for x, _ in known]
        log = min(places) > 0 and max(places) / min(places) >= MIN_LOG_RATIO
        series = {
            side: self._series(places, [self.average(point, side) for _, point in known])
            for side in (TRAIN, TEST)
        }
        title = "Learning curve" if self.what == ROWS else "Validation curve"
        return {"curve": draw_lines(series, title, self.what, self.title, log_x=log,
                                    y_limits=SCORES[self.score].bounds)}  # fmt: skip

    def _confirmed(self, kind: str) -> dict[Any, Any]:
        found = [v for v in self.verdicts if v.kind == kind and v.holds]
        return {v.at if isinstance(v.at, Hashable) else repr(v.at): v.witness for v in found}

    def _numbers(self, point: CurvePoint) -> Iterator[tuple[str, str, float | None]]:
        for side in (TRAIN, TEST):
            found = self.average(point, side)
            low, high = (None, None) if found.interval is None else found.interval
            yield from ((side, "", found.value), (side, "_low", low), (side, "_high", high))

    def _plain_value(self, at: Any) -> Any:
        """A value for a column of a frame: as it is where all are of one plain type."""
        plain = {type(point.at) for point in self.points} in ({int}, {float}, {int, float}, {str})
        return at if plain else repr(at)

    def _undefined_scores(self) -> Iterator[str]:
        """Which scores have no number, why, and what to do about it."""
        sides = ((point, side) for point in self.points for side in (TRAIN, TEST))
        if found := [side for side in sides if self.undefined_text(side)]:
            said, (point, side) = self.undefined_text(found[0]), found[0]
            why = f": on the first of them {point.reasons[side]}" if point.reasons.get(side) else ""
            more = f" {len(found) - 1} more likewise." if len(found) > 1 else ""
            yield f"{said[0].upper()}{said[1:]}{why}.{more}{self._remedy(point[side])}"

    def _remedy(self, by_fold: tuple[float, ...]) -> str:
        if not np.isnan(by_fold).any():
            return remedy(self.score)
        return " Take fewer folds, or another score." if len(by_fold) > 1 else ""

    def _series(self, places: list[float], found: list[Average]) -> tuple[Any, ...]:
        middle = [average.value for average in found]
        bands = [average.interval for average in found if average.interval is not None]
        if len(bands) < len(found):
            return places, middle
        return places, middle, [band.low for band in bands], [band.high for band in bands]

    @property
    def _places(self) -> list[float]:
        """Where the points are drawn: at their numbers where these rise, else one by one."""
        at = [point.at for point in self.points]
        numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in at)
        if numbers and np.isfinite(at).all() and all(a < b for a, b in pairwise(at)):
            return [float(value) for value in at]
        return [float(place) for place in range(len(at))]


def _number(value: float, spec: str) -> str:
    return "" if value != value else format_score(value, spec)
