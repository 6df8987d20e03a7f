"""Courses: a learner is sent over the folds, and asked about the rows it learned from as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.evaluation.curves.curve_points import Point
from tallylearn.evaluation.evaluate.same_folds import Sitting
from tallylearn.evaluation.running.baseline import BASELINES, baseline
from tallylearn.evaluation.running.cross_validation import Crossing, Watch
from tallylearn.evaluation.scores.predictions import Answers
from tallylearn.evaluation.scores.score import measure
from tallylearn.folds.hashing import hashed
from tallylearn.tables import Array, Codes


def point(
    sitting: Sitting, learner: Any, at: Any, trains: list[Array], watch: Watch | None = None
) -> Point:
    """Fit on some rows of every training part; ask about those, and about the test part."""
    both = [
        replace(split, train=train, test=np.concatenate([train, split.test]))
        for split, train in zip(sitting.splits, trains, strict=True)
    ]
    told = Crossing(learner, sitting.exam, watch=watch).fold_by_fold(both)
    scores = []
    for train, one in zip(trains, told, strict=True):
        parts = one.answers[: len(train)], one.answers[len(train) :]
        scores.append([_value(answers, sitting) for answers in parts])
    return Point(at, *map(tuple, zip(*scores, strict=True)))


def beside(sitting: Sitting) -> Point:
    """The baseline, learned from the whole training parts."""
    exam, trains = sitting.exam, [split.train for split in sitting.splits]
    return point(sitting, baseline(exam), BASELINES[exam.task], trains)


def _value(answers: Answers, sitting: Sitting) -> float:
    tally = answers.tally([sitting.score], sitting.positive)
    return measure(tally, sitting.score, sitting.positive).value


def growing(rows: Array, strata: Codes | None, seed: int) -> Array:
    """The rows in the order of their hash; any first part has the classes in their shares.

    Of n rows of a class the i-th by its hash stands at (i - 1/2) / n, and the rows go by that.
    """
    rows = rows[np.argsort(hashed(seed, rows), kind="stable")]
    if strata is None:
        return rows
    place = np.empty(len(rows))
    codes = strata.codes[rows]
    for code in np.unique(codes):
        at = np.flatnonzero(codes == code)
        place[at] = (np.arange(len(at)) + 0.5) / len(at)
    return rows[np.argsort(place, kind="stable")]
