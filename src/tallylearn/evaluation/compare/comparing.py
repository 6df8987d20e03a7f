"""Comparing: every learner on the same folds of a table, or of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from math import inf, isnan
from numbers import Real
from typing import Any

from tallylearn.errors import (
    InputError,
    KindError,
    OptionError,
    TallyError,
    error_context,
    items_of,
    short_repr,
)
from tallylearn.evaluation.compare.comparison import Comparison
from tallylearn.evaluation.compare.paired_rows import LearnerResult
from tallylearn.evaluation.compare.ranking import Ranking, rank_learners
from tallylearn.evaluation.evaluate.shared_folds import (
    MarkedCrossValidation,
    MarkedOutOfBag,
    SharedFolds,
)
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.dataset_warnings import cautions_of
from tallylearn.evaluation.running.fold_scores import check_options
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.running.progress_bar import fold_progress
from tallylearn.evaluation.running.shared_tallies import group_by_tally
from tallylearn.evaluation.running.usual_scores import USUAL
from tallylearn.evaluation.scores.score import SCORES
from tallylearn.evaluation.scores.score_names import need_proba, one_word
from tallylearn.folds import Folds, keep_splits

TWICE = Folds.k(5, repeats=2)  # ten models a learner, and two tests of every row


def compare(
    learners: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = TWICE,
    scoring: Any = None,
    score: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    level: float = 0.95,
    alike: float | None = None,
    on_error: str = "raise",
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Comparison | Ranking:
    """Compare learners on the same folds: their differences, with tests and intervals.

    On one table, each pair has its mean difference over the folds; for ratios such as R-squared and
    F1, the difference over all rows. The test is over the rows, or over the groups where there are
    some. It includes how a row's prediction varies between training sets. p-values and intervals
    hold for all pairs at once (Tukey). ``details()`` has other tests: the corrected resampled t,
    McNemar's, the sign test, DeLong's, 5x2cv.

    On several tables, two learners are compared by Wilcoxon's signed-rank test, and more by the
    Friedman test with Nemenyi's critical difference.

    Parameters
    ----------
    learners : list or dict
        Learners, or a dict of name to learner: ours, or any with scikit-learn's interface. All are
        classifiers, or all are regressors.
    X : table, array or dict
        As in ``fit``; or several tables, a dict of name to (table, target's name) or (X, y).
    y : array-like or str, optional
        The target, or the name of its column; not for several tables.
    cv : int, str, Folds, splitter or iterable
        As in ``tl.evaluate``. By default five folds, twice: ten models per learner, and two tests
        of every row. "oob": forests, by their out-of-bag rows.
    scoring : str or callable, optional
        A name, ours or scikit-learn's, a function of truth and predictions, or a scorer of
        scikit-learn; by default accuracy, or the mean absolute error.
    score : str or callable, optional
        Older name of ``scoring``.
    sample_weight : array-like or str, optional
        The weights of the rows, or the name of their column.
    groups : array-like or str, optional
        Rows of a group stay in one fold; one value per row, or the name of a column.
    positive : Any, optional
        The class of precision, recall, F1 and ROC; by default the rarer of two.
    level : float, default 0.95
        Confidence level of the intervals.
    alike : float, optional
        The largest difference that counts as practically equal, such as 0.01. The verdict then says
        whether two learners are equal, and ``details()`` how probable that is (Bayesian correlated
        t-test).
    on_error : {"raise", "keep"}, default "raise"
        "keep": a learner is compared on the folds on which it did not fail.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time, where each needs its own fit; -1: one per processor.

    Returns
    -------
    Comparison or Ranking
        Scores and differences of all pairs; a ranking for several tables.

    References
    ----------
    C. Nadeau and Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003;
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.

    Examples
    --------
    >>> import tallylearn as tl
    >>> learners = {"plain": tl.NaiveBayes(), "smooth": tl.NaiveBayes(alpha=10)}
    >>> found = tl.compare(learners, tl.example("tennis"), cv=tl.Folds.k(5, repeats=4))
    >>> print(found.verdict)
    No difference shown between smooth and plain: accuracy differs by 0.108
    [-0.286, 0.503], p = 0.56.
    """
    with error_context("compare"), jobs(n_jobs):
        check_options(level, on_error, "compare")
        named = _learners_by_name(learners)
        task, score = _task(named), one_word(scoring, score, "score")
        cv = replace(TWICE, stratified=task == "classifier") if cv is TWICE else keep_splits(cv)
        _check_alike(alike)
        asked = _ComparisonSettings(
            learners=named,
            task=task,
            cv=cv,
            score=score,
            positive=positive,
            level=level,
            alike=alike,
            keep=on_error == "keep",
        )
        if _is_several_tables(X, y):
            if y is not None or sample_weight is not None or groups is not None:
                raise OptionError(
                    "y, sample_weight and groups apply to one table, and there are "
                    "several. Declare them for each table: "
                    "{'name': (tl.table(source, weight=..., groups=...), 'target')}."
                )
            return rank_learners(
                {name: asked.compare(x, t, progress) for name, (x, t) in X.items()}
            )
        return asked.compare(X, y, progress, sample_weight, groups)


@dataclass(frozen=True)
class _ComparisonSettings:
    """What is asked of every table."""

    learners: dict[str, Any]
    task: str
    cv: Any
    score: Any
    positive: Any
    level: float
    alike: float | None
    keep: bool

    def compare(
        self, X: Any, y: Any, progress: bool | None, weight: Any = None, groups: Any = None
    ) -> Comparison:
        """One table."""
        dataset = Dataset.of(
            X,
            y,
            weight=weight,
            groups=groups,
            task=self.task,
            who="compare",
            learners=self.learners.values(),
        )
        given = self.cv, self.score, self.positive, self.level, USUAL, self.learners.values()
        shared_folds = SharedFolds.of(dataset, *given)
        score = shared_folds.score
        results, failed = self._papers(shared_folds, progress)
        high = SCORES[score].better == "high"

        def order(result: LearnerResult) -> tuple[bool, float, str]:
            value = result.found[score].value
            return isnan(value), -value if high else value, result.name

        ranked, base = tuple(sorted(results, key=order)), shared_folds.baseline
        folds = None if shared_folds.bagged else self.cv
        return Comparison(
            score=score,
            cv=shared_folds.cv,
            n=len(dataset),
            level=self.level,
            results=ranked,
            baseline=base,
            failed=failed,
            remarks=shared_folds.remarks,
            cautions=cautions_of(dataset, folds, next(iter(self.learners.values()))),
            alike=self.alike,
        )

    def _papers(
        self, shared_folds: SharedFolds, progress: bool | None
    ) -> tuple[list[LearnerResult], dict[str, str]]:
        names, learners = [*self.learners], [*self.learners.values()]
        results, failed = [], {}
        with fold_progress(learners, shared_folds.folds, progress) as watch:
            for at in group_by_tally(learners):
                name = names[at]
                given = self.keep, watch, shared_folds.tally_cache, need_proba(shared_folds.score)
                kind = MarkedOutOfBag if shared_folds.bagged else MarkedCrossValidation
                cross_validation = kind(learners[at], shared_folds.dataset, *given)
                try:
                    with error_context(name):
                        found = shared_folds.evaluation_of(cross_validation, name)
                    results.append(LearnerResult(name, found, cross_validation.marks))
                except TallyError as error:
                    if not self.keep:
                        raise
                    failed[name] = str(error)
        if len(results) < 2:
            raise InputError(
                "fewer than two learners could be evaluated. The first failure: "
                f"{next(iter(failed.values()))}"
            )
        return results, failed


def _check_alike(alike: Any) -> None:
    if alike is not None and (
        isinstance(alike, bool) or not (isinstance(alike, Real) and 0 < float(alike) < inf)
    ):
        raise OptionError(
            f"alike is {short_repr(alike)}. Give the largest difference that counts "
            "as equivalent, such as 0.01."
        )


def _learners_by_name(learners: Any) -> dict[str, Any]:
    """The learners by name; equal names are numbered."""
    if isinstance(learners, Mapping):
        found = dict(learners)
        if odd := [name for name in found if not isinstance(name, str) or not name.strip()]:
            raise OptionError(
                f"a learner has the name {odd[0]!r}. Give every learner a name that is "
                "a non-empty string."
            )
    elif not hasattr(learners, "fit") and (items := _items(learners)) is not None:
        found = _number_names(items)
    else:
        raise KindError(
            f"learners is {short_repr(learners, 60)}. Pass a list of learners, or a "
            "dict of names and learners."
        )
    if len(found) < 2:
        raise OptionError(
            f"learners has {len(found) or 'no'} learner. Pass two or more, or use "
            "tl.evaluate for one."
        )
    return found


def _number_names(learners: list[Any]) -> dict[str, Any]:
    names = [learner_text(learner) for learner in learners]
    often, taken, out = Counter(names), {*names}, dict[str, Any]()
    tried = {name: _numbered_names(name) for name in often}
    for name, learner in zip(names, learners, strict=True):
        fresh = name if often[name] == 1 else next(t for t in tried[name] if t not in taken)
        taken.add(fresh)
        out[fresh] = learner
    return out


def _numbered_names(name: str) -> Iterator[str]:
    return (f"{name} {number}" for number in count(1))


def _items(learners: Any) -> list[Any] | None:
    return None if isinstance(learners, str | bytes) else items_of(learners)


def _task(learners: dict[str, Any]) -> str:
    """All classify, or all answer with numbers."""
    tasks = {name: task_of(learner) for name, learner in learners.items()}
    first, task = next(iter(tasks.items()))
    for name, other in tasks.items():
        if other != task:
            raise KindError(
                f"{first} is a {task}, and {name} is a {other}. Compare classifiers "
                "with classifiers, or regressors with regressors."
            )
    return task


def _is_several_tables(X: Any, y: Any) -> bool:
    """Whether X is several tables, name -> (table, target), and not columns with two rows."""
    if not isinstance(X, Mapping) or not X or (isinstance(y, str) and y in X):
        return False
    return all(
        isinstance(pair, tuple) and len(pair) == 2 and (isinstance(pair[1], str) or _rows(pair[0]))
        for pair in X.values()
    )


def _rows(X: Any) -> bool:
    """Whether it has rows and columns of its own, as no cell has."""
    if isinstance(X, list):
        return bool(X) and isinstance(X[0], list | tuple | Mapping)
    framed = isinstance(X, Mapping) or hasattr(X, "__arrow_c_stream__")
    return framed or getattr(X, "ndim", 0) == 2
