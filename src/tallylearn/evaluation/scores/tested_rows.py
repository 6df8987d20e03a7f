"""Tested rows: what was said about each, in which fold, and which of them belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, nan, sqrt
from typing import Any

import numpy as np

from tallylearn.estimators.decision_threshold import positive_class
from tallylearn.evaluation.scores.influence import (
    STEP,
    by_bins,
    influence,
    log_loss_without_each,
    prediction_noise,
    smoothed_influence,
)
from tallylearn.evaluation.scores.predictions import Predictions, concatenate
from tallylearn.evaluation.scores.score import SCORES, measure
from tallylearn.evaluation.scores.threshold_influence import threshold_influence
from tallylearn.statistics.roc_area import wins
from tallylearn.tables import Array

ROWS = "new rows like these, for the models tested"
FITTED = "new rows like these, for this fitted model"
GROUPS = "new groups of rows like these, for the models tested"
FITTED_GROUPS = "new groups of rows like these, for this fitted model"
SEARCHED = "new {} like these, for models that this search selects on tables like this one"
TRAINING_ROWS = 10.0  # rows: one test a row is less sure than it looks by a share of so many in n
RETEST_FACTOR = 1.25  # of the variance between the tests of a row, to be added where it is seen
MIN_COEFFICIENTS = 5.0  # of least squares, that the noise of predictions is taken for at least
NESTED_FACTOR = (
    3.0  # times the variance of rows: folds of a nested search often choose the same noise
)


@dataclass(frozen=True)
class RowPredictions:
    """What a learner said about some rows."""

    repeat: int
    rows: Array  # (n,) their numbers in the dataset
    fold: Array  # (n,) where each was tested
    predictions: Predictions

    @property
    def slim(self) -> RowPredictions:
        """Without probabilities and in small numbers, for tables that are larger than memory."""
        predictions = replace(self.predictions, proba=None, start=0, log_true=None)
        return RowPredictions(
            self.repeat, self.rows.astype(np.int32), self.fold.astype(np.int32), predictions
        )


@dataclass(frozen=True)
class UnitInfluence:
    """How far every unit of a sample moves a value: a row, a group, or a bin of such.

    ``units`` are their numbers, so that two learners' can be told apart unit by unit. ``again`` has
    one line for every time that a unit was tested, where that was more than once.
    """

    units: Array  # (u,)
    sums: Array  # (u,)
    again: tuple[Array, Array] | None = None  # (t,) whose test it was, and how far it moved
    added: float = 0.0  # variance that the units cannot show: see ``smoothed_influence``

    def __sub__(self, other: UnitInfluence) -> UnitInfluence:
        """The difference of two learners, on the units that both have."""
        both = np.intersect1d(self.units, other.units)
        mine, theirs = (np.searchsorted(one.units, both) for one in (self, other))
        again, theirs_again = self.again, other.again
        if again is not None and theirs_again is not None:
            same = np.array_equal(again[0], theirs_again[0])
            again = (again[0], again[1] - theirs_again[1]) if same else None
        return UnitInfluence(both, self.sums[mine] - other.sums[theirs], again)

    @property
    def free(self) -> int:
        return max(1, len(self.units) - 1)

    @property
    def variance(self) -> float:
        """Of the value, over samples of units like these; without the step from n to n - 1."""
        if len(self.sums) < 2:
            return nan
        with np.errstate(over="ignore"):  # infinite, where errors are 1e200
            return float(((self.sums - self.sums.mean()) ** 2).sum()) + self.added

    @property
    def error(self) -> float:
        """The standard error."""
        return sqrt(self.variance * len(self.units) / self.free)

    def learner_standard_error(self, tests: float, shared: float = 0.0) -> float:
        """The standard error of a difference, of models that other rows might have taught.

        Models share their training rows, so that it varies more than the tested rows alone. Where
        rows are tested again, that shows as retest variance; else a small share is added. Both
        figures are simulated: `benchmarks/interval_coverage.py` prints the size of the test.
        ``shared`` is a variance of either learner's score that its models have in common, which
        no row shows; a difference has no more of it than it has of the rows.
        """
        variance = self.error**2
        seen = self.again is not None
        more = RETEST_FACTOR * self.retest_variance if seen else variance * TRAINING_ROWS / tests
        return sqrt(variance + max(more, min(shared, variance)))

    @property
    def retest_variance(self) -> float:
        """The variance of the value that comes of other training rows for the same tests.

        It shows where units are tested more than once: the predictions of a row change with the
        training rows.
        """
        if self.again is None:
            return 0.0
        at, moved = self.again
        times = np.bincount(at)
        often = times > 1
        mean = np.bincount(at, moved)[at] / times[at]
        apart = np.bincount(at, (moved - mean) ** 2)
        spread = apart[often] / (times[often] - 1)
        share = len(self.units) / max(1, int(often.sum()))
        return float((times[often] ** 2 * spread).sum()) * share


@dataclass(frozen=True)
class ScoredSample:
    """The tested rows: how many they are worth, and what was said about them, where it is kept."""

    rows: float  # in the effect of their weights, each counted once however often it was tested
    tested: float  # the weight of all tests
    test_share: float  # the part of the rows that a fold tests
    tests: tuple[
        RowPredictions, ...
    ] = ()  # without probabilities, where the table is larger than memory
    groups: Array | None = None  # (n,) the group of every row of the dataset
    searched: bool = False  # whether a search on the training rows chose the model of each fold

    @property
    def kind(self) -> str:
        """The rows that an interval speaks of, and the models; where all test, none was trained."""
        if self.searched:
            return SEARCHED.format("rows" if self.groups is None else "groups of rows")
        named = (ROWS, FITTED) if self.groups is None else (GROUPS, FITTED_GROUPS)
        return named[0 if self.test_share < 1 else 1]

    @cached_property
    def several_models(self) -> bool:
        """Whether more than one model was tested, so that rows tested by one trained another."""
        if not self.tests or not 0 < self.test_share < 1:
            return False
        fold = self.all_tests.fold
        return bool((fold != fold[0]).any())

    @property
    def share(self) -> float:
        """How many rows a unit of weight stands for: below one where rows are tested again."""
        return self.rows / self.tested

    def worth(self, weight: Array | None) -> Array | None:
        """The weights in rows, which an interval counts."""
        return None if weight is None else weight * self.share

    @cached_property
    def all_tests(self) -> RowPredictions:
        """All tests in one; the folds of all repeats numbered through."""
        rows = np.concatenate([tested_rows.rows for tested_rows in self.tests])
        pairs = np.concatenate(
            [
                np.column_stack(
                    [np.full(len(tested_rows.rows), tested_rows.repeat), tested_rows.fold]
                )
                for tested_rows in self.tests
            ]
        )
        width = int(pairs[:, 1].max()) + 1
        _, place = np.unique(pairs[:, 0] * width + pairs[:, 1], return_inverse=True)
        return RowPredictions(
            0,
            rows,
            place.ravel(),
            concatenate([tested_rows.predictions for tested_rows in self.tests]),
        )

    @cached_property
    def units(self) -> Array:
        """(t,) of every test, whose it is: the row's, or its group's."""
        rows = self.all_tests.rows
        return rows if self.groups is None else self.groups[rows]

    @property
    def plain(self) -> bool:
        """Whether every row was tested once, and stands for itself."""
        return self.groups is None and bool(self.tests) and not self.several

    @property
    def gives(self) -> tuple[str, ...]:
        """What is kept that scores may need beside the predictions."""
        return self.all_tests.predictions.gives if self.tests else ()

    @cached_property
    def several(self) -> bool:
        """Whether units are tested more than once."""
        if not self.tests:
            return False
        once, fold = len(np.unique(self.units)), self.all_tests.fold
        if once == len(fold):
            return False
        pairs = self.units.astype(np.int64) * (int(fold.max()) + 1) + fold
        return len(np.unique(pairs)) > once

    def of_rows(self, chosen: Array) -> ScoredSample:
        """The tests of some rows alone; ``chosen`` is (n,) bool over the dataset."""
        tested_rows = [
            RowPredictions(one.repeat, one.rows[here], one.fold[here], one.predictions[here])
            for one in self.tests
            if (here := chosen[one.rows]).any()
        ]
        return replace(self, tests=tuple(tested_rows))

    def of_folds(self, places: set[tuple[int, int]]) -> ScoredSample:
        """The tests of some folds alone, each a repeat and a fold."""
        tested_rows = []
        for one in self.tests:
            folds = [fold for repeat, fold in places if repeat == one.repeat]
            if (here := np.isin(one.fold, folds)).any():
                tested_rows.append(
                    RowPredictions(
                        one.repeat, one.rows[here], one.fold[here], one.predictions[here]
                    )
                )
        return replace(self, tests=tuple(tested_rows))

    def unit_influence(self, name: str, positive: Any, by_fold: bool) -> UnitInfluence | None:
        """How far every unit moves a score: the mean of its folds, or that of all rows together.

        None where the predictions are not kept, or the score has no number.
        """
        if not self.tests:
            return None
        if SCORES[name].needs not in ("", *self.gives) or self.single_unit(name, positive):
            return None
        tests = self.all_tests
        place = tests.fold if by_fold else np.zeros_like(tests.fold)
        weight = tests.predictions.weight
        weight = np.ones(len(place)) if weight is None else weight
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # 0 / 0 may be either
            each = influence(name, tests.predictions, positive)
        if each is None:
            return self._in_bins(name, positive, weight)
        if not np.isfinite(each).all():
            return None
        sums = np.bincount(place, weight)
        return self._by_unit(weight * each / (sums[place] * len(np.unique(place))))

    def unit_influence_with_training(self, name: str, positive: Any) -> UnitInfluence | None:
        """How far every unit moves a score of all rows together, as a test and as a training row.

        Where units are tested more than once, ``again`` is of the tests alone. None for scores that
        do not depend on a threshold between two classes: see `threshold_influence`.
        """
        found = self.unit_influence(name, positive, by_fold=False)
        if found is None or not self.several_models:
            return None
        tests = self.all_tests
        trained = threshold_influence(name, tests.predictions, positive)
        if trained is None:
            return None
        weight = tests.predictions.weight
        weight = np.ones(len(trained)) if weight is None else weight
        return replace(found, sums=found.sums + self._by_unit(weight * trained / weight.sum()).sums)

    def single_unit(self, name: str, positive: Any) -> bool:
        """Whether one row, or one group, has all tests of a class, or of the others together.

        A score of ranks compares the two. A single unit has no variance, however often it was
        tested: as ``roc_area.delong``, no interval and no test can be made of it.
        """
        score = SCORES[name]
        if score.part != "ranks" or not self.tests:
            return False
        truth = self.all_tests.predictions.truth
        known = self.all_tests.predictions.known_classes
        classes = known if score.of == "each" else [positive_class(known, positive)]
        for one in classes:
            chosen = truth.codes == (truth.values.index(one) if one in truth.values else -1)
            if min(len(np.unique(self.units[side])) for side in (chosen, ~chosen)) < 2:
                return True
        return False

    def smoothed_influence(self, name: str, positive: Any) -> UnitInfluence | None:
        """How far every unit moves a ratio of counts, where no class seems certain."""
        tests = self.all_tests
        found = smoothed_influence(name, tests.predictions, positive, self.rows)
        if found is None or not np.isfinite(found[0]).all():
            return None
        weight = tests.predictions.weight
        weight = np.ones(len(tests.rows)) if weight is None else weight
        return replace(self._by_unit(weight * found[0] / weight.sum()), added=found[1])

    def pairs_variance(self, name: str, positive: Any) -> float:
        """What the influence of single rows leaves out of the variance of a mean of fold areas.

        The area under the ROC curve of a fold with m positives and l negatives has the variance
        (v₁₁ + (l - 1) v₁₀ + (m - 1) v₀₁) / (m l) (W. Hoeffding, 1948), where v₁₁ is of one pair and
        v₁₀, v₀₁ are of the share of pairs that a positive or a negative row wins. DeLong's
        estimate over all rows has v₁₀ / m + v₀₁ / l, so (v₁₁ - v₁₀ - v₀₁) / (m l) is added: at
        n = 50 and ten folds a half of the variance, at n = 200 a tenth. 0 for other scores.
        """
        score, tests = SCORES[name], self.all_tests
        if score.kind != "rank" or tests.predictions.ranking is None:
            return 0.0
        known, codes = tests.predictions.known_classes, tests.predictions.truth
        classes = known if score.of == "each" else [positive_class(known, positive)]
        times = len(tests.rows) / len(np.unique(tests.rows))  # how often a row is tested
        weight = tests.predictions.weight
        weight = np.ones(len(tests.rows)) if weight is None else weight
        weight = weight * (self.rows * times / weight.sum())
        added = []
        for one in classes:
            if one not in tests.predictions.classes or one not in codes.values:
                return 0.0
            true = codes.codes == codes.values.index(one)
            if min(weight[true].sum(), weight[~true].sum()) <= 1:
                return 0.0  # less than two rows of a class: no variance can be estimated
            scores = tests.predictions.ranking[:, tests.predictions.classes.index(one)]
            won = wins(scores, true, weight)
            area = float(np.average(won[true], weights=weight[true]))
            single = sum(
                float(np.average((won[side] - area) ** 2, weights=weight[side]))
                for side in (true, ~true)
            )
            pairs = np.bincount(tests.fold, weight * true) * np.bincount(tests.fold, weight * ~true)
            pairs = pairs[pairs > 0]
            of_pair = max(0.0, area * (1 - area) - single)
            added.append(of_pair * float((1 / pairs).sum()) / len(pairs) ** 2)
        return float(np.mean(added))

    @cached_property
    def n_units(self) -> int:
        """How many rows, or groups, are tested."""
        return len(np.unique(self.units))

    def log_loss_variance(self, name: str) -> float | None:
        """The variance of the logarithm of 1 - R-squared and its like, by the jackknife."""
        if self.n_units < 3 or SCORES[name].part != "losses":
            return None
        at = np.unique(self.units, return_inverse=True)[1]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            without = log_loss_without_each(name, self.all_tests.predictions, at.ravel())
        if without is None:
            return None
        return float(((without - without.mean()) ** 2).sum()) * (1 - 1 / self.n_units)

    @cached_property
    def noise_variance(self) -> float:
        """What the variance of log(1 - R-squared) over rows leaves out, where rows also train.

        A row that makes the out-of-fold predictions seem better made the models of the other
        folds worse. For least squares with p coefficients and without signal, the variance of
        R-squared less the models' true R-squared is 8 p / n², and the rows show 4 p / n². The
        noise of the predictions is p / n of the error's variance, so 4 / n of it is missing. A
        penalty hides the noise: it is taken to be that of five coefficients at least.
        """
        n = self.n_units
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            noise = prediction_noise(self.all_tests.predictions)
        noise = noise if isfinite(noise) else 0.0
        return 4 / n * max(noise, MIN_COEFFICIENTS / n)

    def _by_unit(self, moved: Array) -> UnitInfluence:
        units, at = np.unique(self.units, return_inverse=True)
        at = at.ravel()
        sums = np.bincount(at, moved)
        if not self.several:
            return UnitInfluence(units, sums)
        fold = self.all_tests.fold
        tests, own = np.unique(at * (int(fold.max()) + 1) + fold, return_inverse=True)
        return UnitInfluence(
            units, sums, (tests // (int(fold.max()) + 1), np.bincount(own.ravel(), moved))
        )

    def _in_bins(self, name: str, positive: Any, weight: Array) -> UnitInfluence | None:
        """Bins of rows, of a score that has to be measured anew for each; all folds together."""
        predictions = self.all_tests.predictions

        kept = SCORES[name].part == "kept"  # a function that may take no weights

        def value(factor: Array) -> float:
            heavy = predictions if kept else replace(predictions, weight=weight * factor)
            tally = heavy[factor > 0].tally([name], positive)
            return measure(tally, name, positive).value

        if not isfinite(value(np.ones(len(weight)))):
            return None
        sums = by_bins(value, self.units, 1.0 if kept else STEP)
        return UnitInfluence(np.arange(len(sums)), sums)
