"""Tuning: the options that do best on rows that were not learned from, and an honest score."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, error_context
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.evaluate.shared_folds import SharedFolds
from tallylearn.evaluation.result import Result, learner_text
from tallylearn.evaluation.running.baseline import BASELINES
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.dataset_warnings import cautions_of
from tallylearn.evaluation.running.fold_plan import FIRST, FOLDS, FoldAssignment
from tallylearn.evaluation.running.fold_scores import check_options
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.running.progress_bar import fold_progress
from tallylearn.evaluation.running.usual_scores import USUAL
from tallylearn.evaluation.scores.estimate import Estimate
from tallylearn.evaluation.scores.score_names import one_word
from tallylearn.evaluation.tune import search_report
from tallylearn.evaluation.tune.grid import (
    Options,
    all_of,
    is_number,
    options_text,
    read_grid,
    some_of,
)
from tallylearn.evaluation.tune.search import Choosing, OptionSearch, TuningCandidate, first_of
from tallylearn.folds import Folds, keep_splits
from tallylearn.reporting.charts import Plot
from tallylearn.workings import Derivation

NESTED_FACTOR, THREE = "nested", "three"


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Result):
    """The result of ``tl.tune``: all candidates, the best options and their score.

    Attributes
    ----------
    learner : str
        The call that makes the learner.
    by : str
        The score that chose the best options.
    cv : str
        The folds, as text.
    n : int
        Number of rows.
    level : float
        Confidence level of the intervals.
    candidates : tuple of Candidate
        The options that were tried, in the order of the grid.
    best : dict
        The best options.
    model : Estimator
        The learner with the best options, fitted on all rows that may train it.
    honest : Evaluation or None
        The evaluation on rows that neither trained nor chose, for a nested search or three parts.
    how : {"nested", "three", ""}
        How ``honest`` was measured.
    task : {"classifier", "regressor"}
        What the learner predicts.
    chosen : tuple of dict
        The best options of every outer fold of a nested search.
    remarks : tuple of str
        Notes about rows that were left out and about rare classes.
    cautions : tuple of str
        Warnings about the table.
    """

    learner: str
    by: str  # the score that chose
    cv: str
    n: int
    level: float
    candidates: tuple[TuningCandidate, ...]  # in the order of the grid
    best: Options
    model: Any
    honest: Evaluation | None  # on rows that neither trained nor chose
    how: str  # "nested", "three", or ""
    task: str
    chosen: tuple[Options, ...]  # by every fold of a nested search
    remarks: tuple[str, ...] = ()  # rows that were left out, classes with few
    cautions: tuple[str, ...] = ()  # what to look at before the scores

    @property
    def title(self) -> str:
        """The learner, the number of candidates, the rows and the folds."""
        tried = f"{len(self.candidates)} candidate{'s' if len(self.candidates) > 1 else ''}"
        return f"{self.learner} tuned: {tried} on {self.n:,} rows, {self.cv}"

    @property
    def winner(self) -> TuningCandidate:
        """The best candidate; the first of tied ones."""
        return first_of(self.candidates)

    @property
    def score(self) -> Estimate:
        """The score on rows that neither trained nor chose, else the best score of the search."""
        if self.honest is not None:
            return self.honest[self.by]
        estimate = self.winner.estimate
        assert estimate is not None
        return estimate

    @property
    def optimistic(self) -> bool:
        """Whether ``score`` was measured on the rows that the options were chosen on."""
        return self.honest is None and len(self.candidates) > 1

    @staticmethod
    def _layout(found: dict[str, Any]) -> Derivation:
        """The best, how good it is, and all that was tried."""
        return search_report.report(found)

    def records(self) -> list[dict[str, Any]]:
        """One row a candidate, in the order of the grid."""
        names = dict.fromkeys(name for c in self.candidates for name in c.options)
        columns = {name: _column([c.options.get(name) for c in self.candidates]) for name in names}
        return [
            {f"option_{name}": values[at] for name, values in columns.items()} | c.record(self.by)
            for at, c in enumerate(self.candidates)
        ]

    def facts(self) -> dict[str, Any]:
        """What was searched, every candidate as it is spelled, and the honest score."""
        named = (
            "title",
            "learner",
            "by",
            "cv",
            "n",
            "level",
            "how",
            "optimistic",
            "remarks",
            "cautions",
        )
        honest = None
        if self.honest is not None:
            honest = {"cv": self.honest.cv, "baseline": self.honest.baseline_name,
                      "score": self.score.record()}  # fmt: skip
        return {name: getattr(self, name) for name in named} | {
            "kind": "tuning",
            "baseline": BASELINES[self.task],
            "best": options_text(self.best),
            "candidates": [c.facts() for c in self.candidates],
            "honest": honest,
            "chosen": [options_text(options) for options in self.chosen],
        }

    def plots(self) -> dict[str, Plot]:
        """The scores along the option, or of the best candidates."""
        return search_report.plots(self._without_plots())


def tune(
    learner: Any,
    grid: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = FOLDS,
    scoring: Any = None,
    score: Any = None,
    n: int | None = None,
    seed: int = 0,
    nested: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    level: float = 0.95,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Tuning:
    """Search for the options with the best score on rows that the learner was not trained on.

    The best score of a search is optimistic: it was chosen on the rows that measure it. For an
    unbiased one pass ``nested``, or ``cv=tl.Folds.three()``. Learners with a tally count the rows
    once for all options that do not change what is counted.

    Parameters
    ----------
    learner : Estimator
        Ours, or any with scikit-learn's interface; it is not changed.
    grid : dict or list of dict
        Values by option; ``step__option`` inside pipelines.
    X : table or array
        The columns, or a table that also has the target, as in ``fit``.
    y : array-like or str, optional
        The target, or the name of its column.
    cv : int, str, Folds, splitter or iterable
        Folds to choose on, as in ``tl.evaluate``. ``tl.Folds.holdout()`` chooses on one part of
        the rows; ``tl.Folds.three()`` too, and tests the best once on a third part. "oob": a forest
        is grown once for every candidate, and is scored on its out-of-bag rows.
    scoring : str or callable, optional
        A name, ours or scikit-learn's, a function of truth and predictions, or a scorer of
        scikit-learn; by default accuracy, or the mean absolute error.
    score : str or callable, optional
        Older name of ``scoring``.
    n : int, optional
        Number of combinations to draw at random: from lists, from objects with ``rvs``
        (distributions of SciPy), or from functions of a NumPy generator.
    seed : int, default 0
        Seed of that random search.
    nested : int, str, Folds, splitter or iterable, optional
        Outer folds. The search is repeated on the training rows of each, and tested once.
    sample_weight : array-like or str, optional
        The weights of the rows, or the name of their column.
    groups : array-like or str, optional
        Rows of a group stay in one fold; one value per row, or the name of a column.
    positive : Any, optional
        The class of precision, recall, F1 and ROC; by default the rarer of two.
    level : float, default 0.95
        Confidence level of the intervals.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time, where each needs its own fit; -1: one per processor.

    Returns
    -------
    Tuning
        The best options, the scores of all candidates, and a model fitted with the best.

    References
    ----------
    S. Varma and R. Simon, Bias in error estimation when using cross-validation for model selection,
    BMC Bioinformatics 7:91, 2006.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.tune(tl.NaiveBayes(), {"alpha": [0.1, 1, 10]}, tl.example("tennis"), cv="loo")
    >>> print(found.best, found.score)
    {'alpha': 10} accuracy 0.643 [0.365, 0.858]
    >>> found.optimistic
    True
    """
    with error_context("tune"), jobs(n_jobs):
        check_options(level, "raise", "tune")
        task, cv = task_of(learner), keep_splits(cv)
        grids = read_grid(grid, learner)
        options = all_of(grids) if n is None else some_of(grids, n, seed)
        _check_nesting(cv, nested)
        search = OptionSearch(learner, options, cv)
        dataset = Dataset.of(
            X,
            y,
            weight=sample_weight,
            groups=groups,
            task=task,
            who="tune",
            learners=search.learners,
        )
        score = one_word(scoring, score, "score")
        whole = SharedFolds.of(
            dataset, cv, score=score, positive=positive, level=level, usual=USUAL, forests=[learner]
        )
        if isinstance(cv, Folds) and cv.scheme == THREE:
            return _in_three(search, whole, progress)
        if nested is not None:
            outer = SharedFolds.of(
                dataset, nested, score=whole.score, positive=positive, level=level, usual=USUAL
            )
            return _tune_nested(search, whole, outer, progress)
        return _tune_once(search, whole, progress)


def _tune_once(search: OptionSearch, shared_folds: SharedFolds, progress: bool | None) -> Tuning:
    """Choose, and fit on all rows."""
    with fold_progress(
        [search.learner] * len(search.options), shared_folds.folds, progress
    ) as watch:
        tried = search.try_all(shared_folds, watch)
    model = CrossValidation(
        search.best(tried), shared_folds.dataset.entire or shared_folds.dataset
    ).fit_rows()
    return _make_tuning(search, shared_folds, tried, model)


def _tune_nested(
    search: OptionSearch, shared_folds: SharedFolds, outer: SharedFolds, progress: bool | None
) -> Tuning:
    """Choose on all rows; and on the training rows of every outer fold, to be tested there."""
    folds = shared_folds.folds * (1 + outer.folds)
    with fold_progress([search.learner] * len(search.options), folds, progress) as watch:
        tried = search.try_all(shared_folds, watch)
        choosing = Choosing(search, outer, watch)
        honest = outer.evaluation_of(choosing, f"{search}, tuned")
        honest = replace(honest, sample=replace(honest.sample, searched=True))
    model = CrossValidation(
        search.best(tried), shared_folds.dataset.entire or shared_folds.dataset
    ).fit_rows()
    return _make_tuning(
        search,
        shared_folds,
        tried=tried,
        model=model,
        honest=honest,
        how=NESTED_FACTOR,
        chosen=tuple(choosing.chosen),
    )


def _in_three(search: OptionSearch, shared_folds: SharedFolds, progress: bool | None) -> Tuning:
    """Choose on the second part; learn from the first two, and test on the third, once."""
    (place,) = shared_folds.assignments
    assert isinstance(place, FoldAssignment)
    part, dataset = place.part, shared_folds.dataset
    shared_folds = replace(
        shared_folds, assignments=[FoldAssignment(0, np.where(part == 2, -1, part), 2, FIRST)]
    )
    with fold_progress(
        [search.learner] * len(search.options), shared_folds.folds, progress
    ) as watch:
        tried = search.try_all(shared_folds, watch)
    best, rest = search.best(tried), FoldAssignment(0, (part == 2).astype(np.int32), 2, FIRST)
    last = replace(shared_folds, assignments=[rest])
    honest = last.evaluation_of(CrossValidation(best, dataset), learner_text(best))
    model = CrossValidation(best, dataset).fit_rows(np.flatnonzero(part < 2))
    return _make_tuning(search, shared_folds, tried=tried, model=model, honest=honest, how=THREE)


def _make_tuning(
    search: OptionSearch, shared_folds: SharedFolds, tried: tuple[TuningCandidate, ...], model: Any,
    honest: Evaluation | None = None, how: str = "", chosen: tuple[Options, ...] = (),
) -> Tuning:  # fmt: skip
    return Tuning(
        learner=str(search),
        by=shared_folds.score,
        cv=shared_folds.cv,
        n=len(shared_folds.dataset),
        level=shared_folds.level,
        candidates=tried,
        best=first_of(tried).options,
        model=model,
        honest=honest,
        how=how,
        task=shared_folds.dataset.task,
        chosen=chosen,
        remarks=shared_folds.remarks,
        cautions=cautions_of(
            shared_folds.dataset, None if shared_folds.bagged else search.cv, search.learner
        ),
    )


def _check_nesting(cv: Any, nested: Any) -> None:
    """The search must be possible on part of the rows."""
    if nested is None:
        return
    if isinstance(cv, Folds) and cv.scheme == THREE:
        raise OptionError("cv=tl.Folds.three() already holds out a test part. Leave nested out.")
    if not (isinstance(cv, Folds | str | int | np.integer) or hasattr(cv, "split")):
        raise OptionError(
            "cv has row numbers, which do not apply to the training rows of a "
            "nested search. Pass a number of folds, or tl.Folds."
        )
    if (isinstance(nested, str) and nested == "bootstrap") or (
        isinstance(nested, Folds) and nested.scheme == "bootstrap"
    ):
        raise OptionError(
            "nested is a bootstrap, which repeats rows, so inner folds would test "
            "rows that they were trained on. Pass a number of folds, such as "
            "nested=5."
        )


def _column(values: list[Any]) -> list[Any]:
    """Numbers as they are, anything else as it is written: a column has one type."""
    if all(value is None or is_number(value) for value in values):
        return [None if value is None else float(value) for value in values]
    return [None if value is None else repr(value) for value in values]
