"""Evaluating: a learner is trained on some rows and asked about the others, beside a baseline."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import error_context
from tallylearn.evaluation.evaluate.bootstrap_632 import bootstrap_scores
from tallylearn.evaluation.evaluate.evaluation import Evaluation
from tallylearn.evaluation.result import learner_text
from tallylearn.evaluation.running import as_fitted, unseen_rows
from tallylearn.evaluation.running.as_fitted import AsFitted
from tallylearn.evaluation.running.baseline import baseline
from tallylearn.evaluation.running.cross_validation import CrossValidation
from tallylearn.evaluation.running.dataset import Dataset, task_of
from tallylearn.evaluation.running.dataset_warnings import cautions_of
from tallylearn.evaluation.running.fold_plan import FOLDS, models_of, plan_folds
from tallylearn.evaluation.running.fold_scores import check_options, score_folds
from tallylearn.evaluation.running.parallel_folds import jobs
from tallylearn.evaluation.running.progress_bar import fold_progress
from tallylearn.evaluation.running.usual_scores import check_scores
from tallylearn.evaluation.scores.custom_scores import try_functions
from tallylearn.evaluation.scores.score_names import need_proba, one_word
from tallylearn.folds import keep_splits


def evaluate(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    cv: Any = FOLDS,
    scoring: Any = None,
    scores: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    by: str | None = None,
    positive: Any = None,
    level: float = 0.95,
    on_error: str = "raise",
    progress: bool | None = None,
    n_jobs: int | None = None,
) -> Evaluation:
    """Estimate how well a learner predicts rows that it was not trained on.

    The scores have confidence intervals, and stand beside those of a baseline (majority class or
    mean). Any estimator of ours or of scikit-learn's interface can be evaluated. Learners with a
    tally are trained for all folds in one pass.

    Parameters
    ----------
    estimator : Estimator
        A classifier or regressor; it is not changed. With ``cv=None`` it must be fitted.
    X : table or array
        The columns, or a table that also has the target, as in ``fit``.
    y : array-like or str, optional
        The target, or the name of its column.
    cv : int, str, Folds, splitter, iterable or None
        A number of folds, "loo", "holdout", "bootstrap" (with .632 and .632+), "forward", a
        ``tl.Folds``, a splitter of scikit-learn, or pairs of row numbers. "oob": a forest is grown
        once, and every row is predicted by the trees that have not seen it. None: the estimator is
        already fitted, and predicts all rows as it is.
    scoring : str, callable, list or dict, optional
        Names, such as "accuracy", "f1", "log_loss", "mae", or scikit-learn's; functions of truth
        and predictions, or scorers of scikit-learn; a list of these, or a dict of name to score. By
        default the usual scores of the task.
    scores : str, callable, list or dict, optional
        Older name of ``scoring``.
    sample_weight : array-like or str, optional
        The weights of the rows, or the name of their column.
    groups : array-like or str, optional
        Rows of a group stay in one fold; one value per row, or the name of a column.
    by : str, optional
        A column. The scores are also given for each of its values.
    positive : Any, optional
        The class of precision, recall, F1 and ROC; by default the rarer of two.
    level : float, default 0.95
        Confidence level of the intervals.
    on_error : {"raise", "keep"}, default "raise"
        "keep": folds on which the estimator fails are listed, and the others are kept.
    progress : bool, optional
        Whether to show a progress bar; by default for long work on a terminal or in a notebook.
    n_jobs : int, optional
        How many folds are fitted at a time, where each needs its own fit; -1: one per processor.

    Returns
    -------
    Evaluation
        Scores with intervals, by fold and by group; the confusion matrix; charts.

    References
    ----------
    R. Kohavi, A study of cross-validation and bootstrap for accuracy estimation and model
    selection, IJCAI 1995.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.evaluate(tl.NaiveBayes(), tl.example("tennis"), cv="loo")
    >>> print(found.headline)
    accuracy 0.500 [0.255, 0.766], baseline 0.643 (majority)
    """
    with error_context("evaluate"), jobs(n_jobs):
        check_options(level, on_error)
        task, cv, fitted = task_of(estimator), keep_splits(cv), cv is None
        schema = as_fitted.schema_of(estimator) if fitted else None
        known = as_fitted.classes_of(estimator) if fitted else ()
        dataset = Dataset.of(
            X, y, sample_weight, groups, task, schema=schema, classes=known, learners=[estimator]
        )
        dataset = as_fitted.with_known_classes(estimator, dataset) if fitted else dataset
        positive = dataset.positive(positive)
        scores = check_scores(one_word(scoring, scores, "scores"), positive, dataset)
        bagged = unseen_rows.is_out_of_bag_requested(cv, estimator)
        plan = as_fitted.plan_folds if fitted else unseen_rows.plan_folds if bagged else None
        named, assignments, remarks = plan_folds(cv, dataset) if plan is None else plan(dataset)
        groups_of = None if by is None else dataset.column(by)
        with fold_progress([estimator], 1 if bagged else models_of(assignments), progress) as watch:
            keep, proba = on_error == "keep", need_proba(scores)
            kind = AsFitted if fitted else unseen_rows.OutOfBagFits if bagged else CrossValidation
            cross_validation = kind(estimator, dataset, keep, watch, proba=proba)
            found = score_folds(cross_validation, assignments, scores, positive, groups_of)
        asked = found.whole, *found.by_fold, *found.groups.values()  # what a report may ask
        try_functions(found.scores, asked, positive)
        base = baseline(dataset)
        whole = fitted or bagged  # a baseline without one row is unlike it: it knows the others
        base = CrossValidation(base, dataset.blind).fit_rows() if whole else base
        assignments = as_fitted.plan_folds(dataset)[1] if whole else assignments
        blind = (AsFitted if whole else kind)(base, dataset.blind, proba=need_proba(found.scores))
        beside = score_folds(blind, assignments, found.scores, positive, groups_of)
        try_functions(
            found.scores, (*beside.of_same_folds(found), *beside.groups.values()), positive
        )
        again = bootstrap_scores(
            estimator,
            dataset,
            cv=None if bagged else cv,
            tested_rows=found.tests,
            scores=found.scores,
            positive=positive,
        )
    return Evaluation(
        learner=learner_text(estimator),
        cv=named,
        task=task,
        n=len(dataset),
        classes=dataset.classes,
        scores=found.scores,
        positive=positive,
        level=level,
        folds=found.folds,
        whole=found.whole,
        baseline=beside.of_same_folds(found),
        groups=found.groups,
        by=by,
        tests=found.tests,
        failures=tuple(cross_validation.failures),
        sample=found.sample,
        remarks=remarks,
        cautions=cautions_of(dataset, None if bagged else cv, estimator, fitted),
        column=groups_of,
        baseline_groups=beside.groups,
        bootstrapped=again,
    )
