"""Evaluations: how good a learner is on rows it has not seen, how sure that is, and beside what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import InputError, OptionError, is_one_of, quoted_list, short_repr
from tallylearn.estimators.decision_threshold import Threshold, positive_class, threshold
from tallylearn.evaluation.evaluate import bootstrap_632, evaluation_charts, evaluation_report
from tallylearn.evaluation.evaluate.bootstrap_632 import BootstrapScore
from tallylearn.evaluation.evaluate.class_curves import ClassCurves
from tallylearn.evaluation.result import Result
from tallylearn.evaluation.running.baseline import BASELINES
from tallylearn.evaluation.running.fold_failures import Failure
from tallylearn.evaluation.running.fold_scores import weight_of
from tallylearn.evaluation.scores.confusion_matrix import table
from tallylearn.evaluation.scores.estimate import Estimate, estimate_score
from tallylearn.evaluation.scores.score_names import translate_name
from tallylearn.evaluation.scores.tested_rows import RowPredictions, ScoredSample
from tallylearn.reporting.charts import Plot
from tallylearn.tables import Array, Codes
from tallylearn.tallies import Bundle
from tallylearn.workings import Derivation

MOST_CURVES = 30  # classes with curves of their own


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """The result of ``tl.evaluate``: scores on rows that the learner was not trained on.

    ``evaluation["accuracy"]`` is a score with its interval, its value on every fold, and the
    baseline's. ``print`` shows all scores.

    Attributes
    ----------
    learner : str
        The call that makes the learner.
    cv : str
        The folds, as text.
    task : {"classifier", "regressor"}
        What the learner predicts.
    n : int
        Number of rows.
    classes : tuple
        The classes; empty for a regressor.
    scores : tuple of str
        Names of the scores.
    positive : Any
        The positive class, if there is one.
    level : float
        Confidence level of the intervals.
    failures : tuple of Failure
        Folds on which the learner failed, with ``on_error="keep"``.
    remarks : tuple of str
        Notes about rows that were left out and about rare classes.
    cautions : tuple of str
        Warnings about the table.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.evaluate(tl.NaiveBayes(), tl.example("tennis"), cv="loo")
    >>> found["accuracy"].value, found.confusion.tolist()
    (0.5, [[1.0, 4.0], [3.0, 6.0]])
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
    tests: tuple[RowPredictions, ...]
    failures: tuple[Failure, ...]
    sample: ScoredSample
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few
    cautions: tuple[str, ...] = ()  # what to look at before the scores
    column: Codes | None = None  # of ``by``, for every row
    baseline_groups: dict[Any, Bundle] = field(default_factory=dict)
    bootstrapped: dict[str, BootstrapScore] = field(default_factory=dict)  # .632 and .632+ by score

    def __getitem__(self, name: str) -> Estimate:
        name = translate_name(name)
        self._check_score(name)
        return self._estimate(self.scores[self.scores.index(name)])

    def __iter__(self) -> Iterator[Estimate]:
        return map(self._estimate, self.scores)

    def _estimate(self, name: str) -> Estimate:
        """A score with its intervals, worked out when it is first asked for."""
        if name not in self._estimates:
            tallies = tuple(bundle for _, _, bundle in self.folds)
            self._estimates[name] = estimate_score(
                name,
                self.whole,
                folds=tallies,
                baseline=self.baseline,
                sample=self.sample,
                positive=self.positive,
                level=self.level,
            )
        return self._estimates[name]

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """Scores beside the baseline, the confusion, the classes."""
        return evaluation_report.report(found)

    def records(self) -> list[dict[str, Any]]:
        """One row a score."""
        return [estimate.record() for estimate in self]

    def facts(self) -> dict[str, Any]:
        """What was evaluated and how; the confusion as [true, predicted, rows]."""
        found = {
            "kind": "evaluation",
            "title": f"{self.learner} on {self.n:,} rows, {self.cv}",
            "headline": self.headline,
            "baseline": self.baseline_name,
            "folds": len(self.folds),
            "groups": [{"group": value} | e.record() for value, e in self._by_group.items()],
            "failures": [asdict(failure) for failure in self.failures],
            "bootstrapped": bootstrap_632.records(self.bootstrapped),
        }
        named = (
            "learner",
            "cv",
            "task",
            "n",
            "level",
            "classes",
            "positive",
            "by",
            "remarks",
            "cautions",
        )
        found |= {name: getattr(self, name) for name in named}
        if self.task == "classifier":
            found |= {"confusion": self._cells(), "by_class": self._by_class()}
            found["counted"] = "tests" if self._tested_again else "rows"
        return found

    def plots(self) -> dict[str, Plot]:
        """The charts by name.

        Returns
        -------
        dict of str to Plot
            For classes: confusion, roc, precision_recall, lift and calibration. For numbers:
            predictions, residuals and deciles. For both: folds.
        """
        found = self._without_plots()
        matrix = evaluation_report.matrix_of(found) if self.task == "classifier" else None
        return evaluation_charts.plots(found, matrix, self._series())

    @property
    def baseline_name(self) -> str:
        """The name of the baseline: the majority class, or the mean."""
        return BASELINES[self.task]

    @property
    def headline(self) -> str:
        """The first score with its interval, and the baseline's score."""
        return self[self.scores[0]].with_baseline(self.baseline_name)

    def by_group(self, name: str) -> dict[Any, Estimate]:
        """A score for every group of ``by``, pooled over the folds.

        Parameters
        ----------
        name : str
            The score.

        Returns
        -------
        dict
            The score with its interval, by value of the column.
        """
        if not self.groups:
            raise OptionError(
                "Evaluation.by_group: the scores were not computed by group. Call "
                "tl.evaluate with by= and the name of a column."
            )
        self._check_score(name)
        return {value: self._of_group(name, value) for value in self.groups}

    def _of_group(self, name: str, value: Any) -> Estimate:
        """A score of the rows of one group, pooled over the folds."""
        bundle, sample, column = self.groups[value], self.sample, self.column
        rows = weight_of(bundle)
        if column is not None and sample.tests:
            code = -1 if value is None else column.values.index(value)
            sample = sample.of_rows(column.codes == code)
        sample = replace(sample, rows=rows * self.sample.share, tested=rows)
        beside = (self.baseline_groups[value],) if value in self.baseline_groups else ()
        return estimate_score(
            name,
            bundle,
            folds=(),
            baseline=beside,
            sample=sample,
            positive=self.positive,
            level=self.level,
        )

    @property
    def confusion(self) -> Array:
        """(k, k) the confusion matrix: numbers of rows by true class (rows) and predicted class."""
        self._check_classifier("confusion")
        return np.asarray(self.whole["confusion"].reindex(self.classes, self.classes).floats())

    def roc(self, positive: Any = None) -> tuple[Array, Array, Array]:
        """The ROC curve.

        Parameters
        ----------
        positive : Any, optional
            The positive class; by default that of ``evaluate``.

        Returns
        -------
        fpr : ndarray
            False positive rates.
        tpr : ndarray
            True positive rates.
        thresholds : ndarray
            Thresholds of the probability.
        """
        found: tuple[Array, Array, Array] = self._ranks(positive).roc()
        return found

    def precision_recall(self, positive: Any = None) -> tuple[Array, Array, Array]:
        """The precision-recall curve.

        Parameters
        ----------
        positive : Any, optional
            The positive class; by default that of ``evaluate``.

        Returns
        -------
        precision : ndarray
            Precisions.
        recall : ndarray
            Recalls.
        thresholds : ndarray
            Thresholds of the probability.
        """
        found: tuple[Array, Array, Array] = self._ranks(positive).precision_recall()
        return found

    def lift(self, positive: Any = None) -> tuple[Array, Array, Array]:
        """The lift curve.

        At a lift of 3, rows predicted positive are positive three times as often as all rows.

        Parameters
        ----------
        positive : Any, optional
            The positive class; by default that of ``evaluate``.

        Returns
        -------
        share : ndarray
            Shares of the rows that are predicted positive.
        lift : ndarray
            Lifts.
        thresholds : ndarray
            Thresholds of the probability.
        """
        found: tuple[Array, Array, Array] = self._ranks(positive).lift()
        return found

    def threshold(self, costs: tuple[float, float], positive: Any = None) -> Threshold:
        """The probability threshold with the smallest cost of mistakes.

        The threshold is chosen on the tested rows, so its cost on new rows is slightly higher.

        Parameters
        ----------
        costs : tuple of two float
            The costs of a false positive and of a false negative.
        positive : Any, optional
            The positive class; by default that of ``evaluate``.

        Returns
        -------
        Threshold
            The threshold and its cost.
        """
        return threshold(self._ranks(positive), costs)

    @property
    def predictions(self) -> dict[str, Array]:
        """The predictions of all tested rows, as columns of equal length."""
        if not self.tests:
            raise InputError(
                "Evaluation.predictions: the predictions were not kept, because the "
                "table is larger than memory. Evaluate a table in memory."
            )
        parts = [_columns(tested_rows, self.task) for tested_rows in self.tests]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _ranks(self, positive: Any) -> Any:
        self._check_classifier("a ranking by probability")
        chosen = positive_class(self.classes, self.positive if positive is None else positive)
        kept = self.whole["ranks"].get(chosen) if "ranks" in self.whole else None
        if kept is not None:
            return kept
        found = [
            tested_rows.predictions
            for tested_rows in self.tests
            if tested_rows.predictions.ranking is not None
        ]
        if not found:
            raise InputError(
                f"Evaluation: {self.learner} gives neither probabilities nor decision values, so "
                "its rows cannot be ranked. Evaluate a classifier with predict_proba "
                "or decision_function."
            )
        bundle = sum((a.tally(["roc_auc"], chosen) for a in found), start=Bundle())
        return bundle["ranks"][chosen]

    @cached_property
    def _by_group(self) -> dict[Any, Estimate]:
        return self.by_group(self.scores[0]) if self.groups else {}

    @property
    def _tested_again(self) -> bool:
        """Whether a row was tested more than once, so that counts are of tests."""
        rows = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(tested_rows.rows for tested_rows in self.tests)]
        )
        return len(np.unique(rows)) < len(rows)

    def _cells(self) -> list[tuple[int, int, float]]:
        matrix = self.confusion
        return [(i, j, matrix[i, j]) for i, j in np.argwhere(matrix).tolist()]

    def _by_class(self) -> list[dict[str, Any]]:
        return [
            {"class": line.value, "rows": line.support, "precision": line.precision.value,
             "recall": line.recall.value, "f1": line.f1.value}
            for line in table(self.whole)
        ]  # fmt: skip

    def _series(self) -> dict[str, Any]:
        """What is drawn beside the scores, where the predictions were kept."""
        kept = [tested_rows.predictions for tested_rows in self.tests]
        if any(predictions.ranking is not None for predictions in kept):
            return {"curves": {name: self._curves(name) for name in self._curve_classes}}
        if self.task == "regressor" and kept and kept[0].truth.ndim == 1:
            return {name: self.predictions[name] for name in ("truth", "said")}
        return {}

    @property
    def _curve_classes(self) -> tuple[Any, ...]:
        """The classes that have curves: the positive one first, then the others."""
        if len(self.classes) == 2:
            return (positive_class(self.classes, self.positive),)
        others = (value for value in self.classes if value != self.positive)
        first = () if self.positive is None else (self.positive,)
        return (*first, *others)[:MOST_CURVES]

    def _curves(self, name: Any) -> ClassCurves:
        bundles = [
            tested_rows.predictions.tally(["ece"], name)
            for tested_rows in self.tests
            if tested_rows.predictions.proba is not None
        ]
        bundle = sum(bundles[1:], start=bundles[0]) if bundles else None
        return ClassCurves.of(self._ranks(name), bundle, name, self.level, self.sample.share)

    def _check_score(self, name: str) -> None:
        if not is_one_of(name, self.scores):
            raise OptionError(
                f"Evaluation: {short_repr(name)} is not among the evaluated scores. Choose from "
                f"{quoted_list(self.scores, 20)}, or evaluate again with scoring=[...]."
            )

    def _check_classifier(self, what: str) -> None:
        if self.task != "classifier":
            raise OptionError(
                f"Evaluation: {what} needs a classifier, and {self.learner} is a regressor. "
                "Evaluate a classifier."
            )


def _columns(tested_rows: RowPredictions, task: str) -> dict[str, Array]:
    predictions = tested_rows.predictions
    n = len(tested_rows.rows)
    out = {
        "repeat": np.full(n, tested_rows.repeat),
        "fold": tested_rows.fold,
        "row": np.asarray(predictions.start),
    }
    if task == "classifier":
        names = np.array(predictions.classes)
        out |= {"truth": names[predictions.truth.codes], "said": names[predictions.said.codes]}
        if predictions.proba is not None:
            out |= {f"P({c})": predictions.proba[:, j] for j, c in enumerate(predictions.classes)}
    else:
        out |= {"truth": predictions.truth, "said": predictions.said}
    return out
