"""Curves: how training and test error move with the number of rows, or with an option."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np

from tallylearn.errors import KindError, OptionError, error_context, items_of, short_repr
from tallylearn.estimators.estimator import clone_estimator
from tallylearn.evaluation.curves.curve import ROWS, Curve
from tallylearn.evaluation.curves.curve_points import CurvePoint
from tallylearn.evaluation.curves.train_and_test import baseline_point, nested_order, point
from tallylearn.evaluation.evaluate.shared_folds import SharedFolds
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.fold_plan import FOLDS, tested_share
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.running.progress_bar import fold_progress
from tallylearn.evaluation.running.usual_scores import ERRORS
from tallylearn.evaluation.scores.score import SCORES, score_title
from tallylearn.evaluation.scores.score_names import one_word
from tallylearn.sources.memory.arrays import as_float
from tallylearn.statistics.confidence_intervals import check_level

POOLED_NOTE = (
    "The {} is computed from all out-of-fold predictions together, as in evaluate, because ratios "
    "are biased in small folds."
)


def learning_curve(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    sizes: Iterable[float] = (0.1, 0.25, 0.5, 0.75, 1.0),
    cv: Any = FOLDS,
    scoring: Any = None,
    score: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    level: float = 0.95,
    seed: int = 0,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Curve:
    """Training and test error against the number of training rows.

    From every training part, the first rows by their hash are taken, stratified by class, so that a
    smaller sample is part of a larger one. Three rules follow. A difference is *shown* if its
    interval lies above zero. The interval is that of the corrected resampled t-test over the folds;
    with a single split, or if all folds agree, it is over the tested rows, as in `compare`. Where
    neither applies, the verdict says that nothing was tested.

    - More rows would help: the test error is shown to fall from the last size but one to the last.
    - Over-fitting: at the last size the test error is shown to be above the training error, and
      the gap is not shown to shrink from the size before.
    - Under-fitting: neither the training error nor the test error is shown to be below the
      baseline's (majority or mean). A model that beats the baseline may under-fit too:
      `validation_curve` searches for a better option.

    Parameters
    ----------
    learner : Estimator
        A classifier or regressor; it is not changed.
    X : table or array
        The columns, or a table that also has the target; in memory.
    y : array-like or str, optional
        The target, or the name of its column.
    sizes : iterable of float or int
        Shares of every training part, above 0 and up to 1, or numbers of rows, 2 or more;
        increasing.
    cv : int, str, Folds, splitter or iterable
        The folds, as in `evaluate`.
    scoring : str or callable, optional
        One score, as in `evaluate`; by default "error" for classifiers and "rmse" for regressors.
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
    seed : int, default 0
        Seed of the hash.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time; -1: one per processor.

    Returns
    -------
    Curve
        Both errors at every size, with intervals, and the verdicts.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, The Elements of Statistical Learning, 2009,
    section 7.10.

    Examples
    --------
    >>> import tallylearn as tl
    >>> curve = tl.learning_curve(tl.NaiveBayes(), tl.example("tennis"), sizes=(0.5, 1.0), cv=2)
    >>> [point.at for point in curve.points]
    [4, 7]
    >>> print(curve.verdicts[0].text)
    More rows are not shown to help: from 4 to 7 the test error improves by 0.07143 [-1, 1].
    """
    with error_context("learning_curve"), jobs(n_jobs):
        chosen = _sizes(sizes)
        check_level("level", level)
        dataset = Dataset.of(X, y, sample_weight, groups, task_of(learner), learners=[learner])
        score = one_word(scoring, score, "score")
        shared_folds = SharedFolds.of(
            dataset, cv, score=score, positive=positive, level=level, usual=ERRORS
        )
        orders = [nested_order(split.train, dataset.strata, seed) for split in shared_folds.splits]
        points = []
        with fold_progress([learner], shared_folds.folds * len(chosen), progress) as watch:
            for size in chosen:
                parts = [order[: _row_count(size, len(order))] for order in orders]
                rows = round(float(np.mean([*map(len, parts)])))
                points.append(point(shared_folds, learner, rows, parts, watch))
        return _make_curve(shared_folds, learner_text(learner), ROWS, points)


def validation_curve(
    learner: Any,
    option: str,
    values: Iterable[Any],
    X: Any,
    y: Any = None,
    *,
    cv: Any = FOLDS,
    scoring: Any = None,
    score: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    positive: Any = None,
    level: float = 0.95,
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Curve:
    """Training and test error against the value of an option.

    A value h over-fits if another value h' has the higher training error and the lower test error.
    It under-fits if another has both errors lower. Errors are means over the folds. Every verdict
    names h', and gives the difference in test error with its interval. The interval is over the
    folds (corrected resampled t-test), or over the rows with a single split. If it includes zero,
    the verdict says that the difference may be random.

    Parameters
    ----------
    learner : Estimator
        A classifier or regressor; it is not changed.
    option : str
        The name of a parameter; "step__name" in a pipeline.
    values : iterable
        Values of the option, from simple to complex for a readable chart.
    X : table or array
        The columns, or a table that also has the target; in memory.
    y : array-like or str, optional
        The target, or the name of its column.
    cv : int, str, Folds, splitter or iterable
        The folds, as in `evaluate`.
    scoring : str or callable, optional
        One score, as in `evaluate`; by default "error" for classifiers and "rmse" for regressors.
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
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time; -1: one per processor.

    Returns
    -------
    Curve
        Both errors at every value, with intervals, and the verdicts.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 3.7.1.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tennis = tl.example("tennis")
    >>> curve = tl.validation_curve(tl.NaiveBayes(), "alpha", [0.01, 1, 100], tennis)
    >>> curve.overfitting, curve.underfitting, curve.best
    ({1: 0.01}, {}, 0.01)
    """
    with error_context("validation_curve"), jobs(n_jobs):
        chosen = _values(values)
        learners = [_with_option(learner, option, value) for value in chosen]
        check_level("level", level)
        dataset = Dataset.of(X, y, sample_weight, groups, task_of(learner), learners=learners)
        score = one_word(scoring, score, "score")
        shared_folds = SharedFolds.of(
            dataset, cv, score=score, positive=positive, level=level, usual=ERRORS
        )
        trains = [split.train for split in shared_folds.splits]
        with fold_progress([learner], shared_folds.folds * len(chosen), progress) as watch:
            points = [
                point(shared_folds, one, value, trains, watch)
                for one, value in zip(learners, chosen, strict=True)
            ]
        return _make_curve(shared_folds, learner_text(learner), option, points)


def _make_curve(
    shared_folds: SharedFolds, learner: str, what: str, points: list[CurvePoint]
) -> Curve:
    score = SCORES[shared_folds.score]
    of = shared_folds.positive if score.of == "positive" else None
    remarks = shared_folds.remarks
    if score.is_pooled and len(shared_folds.splits) > 1:
        remarks = (*remarks, POOLED_NOTE.format(score_title(shared_folds.score, of)))
    return Curve(
        learner=learner,
        what=what,
        cv=shared_folds.cv,
        score=shared_folds.score,
        n=len(shared_folds.dataset),
        level=shared_folds.level,
        test_share=tested_share(shared_folds.splits),
        points=tuple(points),
        baseline=baseline_point(shared_folds),
        of=of,
        remarks=remarks,
    )


def _sizes(sizes: Iterable[float]) -> list[float]:
    """Shares of the training rows, or whole numbers of rows above 1."""
    items = items_of(sizes)
    found: list[Any] = [sizes] if items is None else items
    for size in found:
        if not (_is_share(size) or _is_count(size)):
            raise OptionError(
                f"sizes has {short_repr(size)}. Give shares of the training rows above "
                "0 and up to 1, or whole numbers of rows from 2 up."
            )
    if not found or any(a >= b for a, b in pairwise(found)):
        raise OptionError(
            f"sizes is {short_repr(found)}. Give one or more sizes in increasing "
            "order, such as [0.25, 0.5, 1.0]."
        )
    if not (all(map(_is_share, found)) or all(map(_is_count, found))):
        raise OptionError(
            f"sizes is {short_repr(found)}, which mixes shares and numbers of rows. "
            "Give only shares, or only numbers of rows."
        )
    return [float(size) for size in found]


def _is_share(size: Any) -> bool:
    return isinstance(size, Real) and not isinstance(size, bool) and 0 < as_float(size) <= 1


def _is_count(size: Any) -> bool:
    return isinstance(size, Integral) and int(size) > 1


def _row_count(size: float, rows: int) -> int:
    """How many of the rows of a training part."""
    if size > rows:
        raise OptionError(
            f"sizes has {size:g}, but a training fold has only {rows:,} rows. Give "
            f"sizes up to {rows}."
        )
    return int(size) if size > 1 else max(1, round(size * rows))


def _values(values: Iterable[Any]) -> list[Any]:
    found = [] if isinstance(values, str) else items_of(values)
    if not found:
        raise OptionError(
            f"values is {short_repr(values)}. Give a list of one or more values of the option."
        )
    return found


def _with_option(learner: Any, option: str, value: Any) -> Any:
    """The learner with another value of an option."""
    if not isinstance(option, str):
        raise OptionError(
            f"option is {short_repr(option)}, not the name of a parameter. Pass the "
            "name and its values: validation_curve(learner, 'alpha', [0.1, 1, 10], "
            "X, y)."
        )
    if not hasattr(learner, "set_params"):
        raise KindError(
            f"{short_repr(learner)} has no method set_params, so its options cannot "
            "be varied. Pass an estimator with set_params."
        )
    try:
        return clone_estimator(learner).set_params(**{option: value})
    except (ValueError, AttributeError) as error:
        raise OptionError(f"option {option!r}: {error}") from None
