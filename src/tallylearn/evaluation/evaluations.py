"""Evaluations: how good a learner is on rows it has not seen, how sure that is, and beside what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, among, listed, speaking, told
from tallylearn.evaluation import reports
from tallylearn.evaluation.confusions import positive_class
from tallylearn.evaluation.crossing import Crossing, Failure, Told
from tallylearn.evaluation.estimates import Estimate, Sample, estimated
from tallylearn.evaluation.exams import Exam, task_of
from tallylearn.evaluation.gathering import (
    baseline,
    check_options,
    check_scores,
    gathered,
    weight_of,
)
from tallylearn.evaluation.progress import watching
from tallylearn.evaluation.results import Result, name_of
from tallylearn.evaluation.rounds import planned
from tallylearn.evaluation.scores import need_proba
from tallylearn.evaluation.thresholds import Threshold, threshold
from tallylearn.plots import Plot
from tallylearn.tables import Array
from tallylearn.tallies import Bundle
from tallylearn.workings import Derivation


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The answers of a learner on rows it was not trained on, summed up; frozen.

    ``evaluation["accuracy"]`` is a score with its interval, its value on every fold, and the
    baseline's; ``print`` shows all.
    """

    learner: str
    cv: str
    task: str
    n: int
    classes: tuple[Any, ...]
    scores: tuple[str, ...]
    positive: Any
    level: float
    folds: tuple[tuple[int, int, Bundle], ...]  # repeat, fold, tally; none where rows stand alone
    whole: Bundle
    baseline: tuple[Bundle, ...]  # of every fold, or of all rows where they stand alone
    groups: dict[Any, Bundle]
    by: str | None
    told: tuple[Told, ...]
    failures: tuple[Failure, ...]
    sample: Sample

    def __getitem__(self, name: str) -> Estimate:
        self._check_score(name)
        return self._estimates[name]

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self._estimates.values())

    def __repr__(self) -> str:
        return f"Evaluation({self.learner}: {self.headline})"

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        tallies = tuple(bundle for _, _, bundle in self.folds)
        return {
            name: estimated(
                name, self.whole, tallies, self.baseline, self.sample, self.positive, self.level
            )
            for name in self.scores
        }

    def report(self) -> Derivation:
        """Scores beside the baseline, the confusion, the classes."""
        return reports.report(self)

    def records(self) -> list[dict[str, Any]]:
        """One row a score."""
        return reports.records(self)

    def plots(self) -> dict[str, Plot]:
        """The charts by name: confusion, roc, calibration, or answers and residuals; folds."""
        return reports.plots(self)

    @property
    def baseline_name(self) -> str:
        return "majority" if self.task == "classifier" else "mean"

    @property
    def headline(self) -> str:
        """The first score, its interval, and the baseline's."""
        first = self[self.scores[0]]
        return f"{first}, {self.baseline_name} {first.baseline:.3f}"

    def by_group(self, name: str) -> dict[Any, Estimate]:
        """A score of every group of rows, with its interval."""
        if not self.groups:
            raise OptionError("no groups were evaluated. Call evaluate with by='column'.")
        self._check_score(name)
        rows = {value: weight_of(bundle) for value, bundle in self.groups.items()}
        return {
            value: estimated(
                name, bundle, (), (),
                Sample(rows[value] * self.sample.share, rows[value], self.sample.test_share, None),
                self.positive, self.level,
            )
            for value, bundle in self.groups.items()
        }  # fmt: skip

    @property
    def confusion(self) -> Array:
        """(k, k) rows of every class (true) that were called so (predicted)."""
        self._check_classifier("confusion")
        return np.asarray(self.whole["confusion"].over(self.classes, self.classes).floats())

    def roc(self, positive: Any = None) -> tuple[Array, Array, Array]:
        """False positive rate, true positive rate and threshold, along the ROC curve."""
        found: tuple[Array, Array, Array] = self._ranks(positive).roc()
        return found

    def threshold(self, costs: tuple[float, float], positive: Any = None) -> Threshold:
        """From which probability on to call a row positive, where mistakes cost this much.

        ``costs`` are those of a false positive and of a false negative. The threshold is chosen on
        the tested rows: on new rows it will cost a little more than it does here.
        """
        return threshold(self._ranks(positive), costs)

    @property
    def predictions(self) -> dict[str, Array]:
        """What was said about every tested row: columns of one length."""
        if not self.told:
            raise InputError("the answers were not kept: the table is larger than memory.")
        parts = [_columns(told, self.task) for told in self.told]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _ranks(self, positive: Any) -> Any:
        self._check_classifier("a ranking by probability")
        chosen = positive_class(self.classes, self.positive if positive is None else positive)
        kept = self.whole["ranks"].get(chosen) if "ranks" in self.whole else None
        if kept is not None:
            return kept
        found = [told.answers for told in self.told if told.answers.proba is not None]
        if not found:
            raise InputError("there are no probabilities to rank the rows by.")
        bundle = sum((a.tally(["roc_auc"], chosen) for a in found), start=Bundle())
        return bundle["ranks"][chosen]

    def _check_score(self, name: str) -> None:
        if not among(name, self.scores):
            raise OptionError(f"evaluated were {listed(self.scores, 20)}, not {told(name)}.")

    def _check_classifier(self, what: str) -> None:
        if self.task != "classifier":
            raise OptionError(f"{what} goes with a classifier, and {self.learner} is none.")


def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = 10,
    scores: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    by: str | None = None,
    positive: Any = None,
    level: float = 0.95,
    on_error: str = "raise",
    progress: bool | None = None,
) -> Evaluation:
    """How good a learner is on rows it was not trained on, with intervals and a baseline beside.

    Any learner of ours, and any estimator with scikit-learn's manners. Learners whose tables sum up
    are trained for all folds in one pass.

    Parameters
    ----------
    X, y : as in ``fit``: columns and target, or a table and the target's name.
    cv : a number of folds, "loo", "holdout", "bootstrap", "forward", a ``tl.Folds``, a splitter of
        scikit-learn, or pairs of row numbers.
    scores : names, such as "accuracy", "f1", "log_loss", "mae"; the usual ones unless said.
    groups : rows of a group stay on one side; a column's name, or one value a row.
    by : a column, for whose values the scores are given one by one.
    positive : the class that precision, recall, F1 and ROC speak of; the rarer of two unless said.
    level : of the intervals.
    on_error : "raise", or "keep": folds on which the estimator fails are named, the others kept.
    progress : a bar on long work; on a terminal unless said.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.evaluate(tl.NaiveBayes(), tl.example("tennis"), cv="loo")
    >>> print(found.headline)
    accuracy 0.500 [0.268, 0.732], majority 0.643

    References
    ----------
    R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model
    selection, IJCAI 1995.
    """
    with speaking("evaluate"):
        check_options(level, on_error)
        task = task_of(estimator)
        exam = Exam.of(X, y, sample_weight, groups, task)
        positive = exam.positive(positive)
        check_scores(scores, positive, exam)
        named, rounds = planned(cv, exam)
        groups_of = None if by is None else exam.column(by)
        with watching(estimator, exam, rounds, progress) as watch:
            keep, proba = on_error == "keep", need_proba(scores)
            crossing = Crossing(estimator, exam, keep, watch, proba=proba)
            found = gathered(crossing, rounds, scores, positive, groups_of)
        blind = Crossing(baseline(exam), exam.blind, proba=need_proba(found.scores))
        base = gathered(blind, rounds, found.scores, positive, None)
    return Evaluation(
        name_of(estimator), named, task, len(exam), exam.classes, found.scores, positive, level,
        found.folds, found.whole, base.on(found), found.groups, by, found.told,
        tuple(crossing.failures), found.sample,
    )  # fmt: skip


def _columns(told: Told, task: str) -> dict[str, Array]:
    answers = told.answers
    n = len(told.rows)
    out = {"repeat": np.full(n, told.repeat), "fold": told.fold, "row": np.asarray(answers.start)}
    if task == "classifier":
        names = np.array(answers.classes)
        out |= {"truth": names[answers.truth.codes], "said": names[answers.said.codes]}
        if answers.proba is not None:
            out |= {f"P({c})": answers.proba[:, j] for j, c in enumerate(answers.classes)}
    else:
        out |= {"truth": answers.truth, "said": answers.said}
    return out
