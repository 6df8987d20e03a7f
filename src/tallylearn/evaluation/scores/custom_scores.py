"""Scores of the user's own: a function of truth and predictions, or a scorer of scikit-learn.

A function is called with (truth, predictions), and with ``sample_weight`` for weighted rows. High
is better, unless its name ends in ``_error``, ``_loss`` or ``_deviance``: scikit-learn's custom. A
scorer (``sklearn.metrics.make_scorer``) is shown a model whose predictions are known; what
it negates is turned back.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache, partial
from math import inf, nan
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import InputError, KindError, OptionError, TallyError, short_repr
from tallylearn.evaluation.scores.confusion_matrix import EMPTY, ScoreValue
from tallylearn.evaluation.scores.kept_rows import KeptRows
from tallylearn.evaluation.scores.score import CLASSIFIER, RANKING, SCORES, CustomScoreName, Score
from tallylearn.tables import Array
from tallylearn.tallies import Bundle

LOW = ("_error", "_loss", "_deviance")
SHARES = {  # functions of scikit-learn whose values lie from 0 to 1
    "accuracy_score", "average_precision_score", "balanced_accuracy_score", "completeness_score",
    "f1_score", "fbeta_score", "fowlkes_mallows_score", "hamming_loss", "homogeneity_score",
    "jaccard_score", "normalized_mutual_info_score", "precision_score", "rand_score",
    "recall_score", "roc_auc_score", "top_k_accuracy_score", "v_measure_score", "zero_one_loss",
}  # fmt: skip
AGREEMENT = {"adjusted_rand_score", "cohen_kappa_score", "matthews_corrcoef"}  # from -1 to 1
SKILL = {"adjusted_mutual_info_score", "explained_variance_score", "r2_score"}  # up to 1
RATIOS = {"mutual_info_score", "negative_likelihood_ratio", "positive_likelihood_ratio"}  # from 0
OTHERWISE = {"adjusted", "normalize"}  # options with which a share is none
Call = Callable[[KeptRows, Any], Any]


def custom(given: Any, task: str, name: str = "") -> CustomScoreName:
    """The score that a function or a scorer is, under its name.

    >>> def largest_error(truth, predictions):
    ...     return abs(truth - predictions).max()
    >>> found = custom(largest_error, "regressor")
    >>> found, found.score.better
    ('largest_error', 'low')
    """
    if is_scorer(given):
        low, call, own = given._sign < 0, partial(_by_scorer, given), given._score_func.__name__
        needs = RANKING if _responses(given) != ("predict",) else ""
    elif callable(given) and not hasattr(given, "fit"):
        _check_function(given)
        own = getattr(given, "__name__", type(given).__name__)
        low, call, needs = own.endswith(LOW), partial(_by_function, given), ""
    else:
        raise OptionError(
            f"a score is {short_repr(given)}. Give a name, a function of (y_true, "
            "y_pred), or a scorer of scikit-learn."
        )
    sign = -1.0 if low and is_scorer(given) else 1.0
    measure = partial(_measure, name or own, call, sign)
    better = "low" if low else "high"
    return CustomScoreName(
        Score(
            name=name or own,
            task=task,
            part="kept",
            measure=measure,
            better=better,
            kind="ratio",
            needs=needs,
            bounds=_bounds(given),
        )
    )


def _bounds(given: Any) -> tuple[float, float]:
    """Where a score can lie: known of scikit-learn's functions, and of no others.

    >>> from sklearn.metrics import jaccard_score, max_error
    >>> _bounds(jaccard_score), _bounds(max_error), _bounds(len)
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    """
    function = getattr(given, "_score_func", given)
    name, home = (getattr(function, key, "") or "" for key in ("__name__", "__module__"))
    if not home.startswith("sklearn.metrics") or OTHERWISE & {*getattr(given, "_kwargs", ())}:
        return -inf, inf
    if name in SHARES | AGREEMENT:
        return (0.0 if name in SHARES else -1.0), 1.0
    if name in SKILL or name.startswith("d2_"):
        return -inf, 1.0
    return (0.0 if name in RATIOS or name.endswith(LOW) else -inf), inf


def is_scorer(given: Any) -> bool:
    """Whether this is one of scikit-learn's scorers."""
    return hasattr(given, "_score_func") and hasattr(given, "_sign") and callable(given)


def scorer_named(name: str) -> Any:
    """The scorer that scikit-learn has under a name; None where it has none, or is not here.

    What it negates goes by its name without ``neg_`` too, as a report calls it.
    """
    try:
        from sklearn.metrics import get_scorer, get_scorer_names
    except ImportError:
        return None
    known = {*get_scorer_names()} & {name, f"neg_{name}"}
    return get_scorer(known.pop()) if known else None


def _measure(name: str, call: Call, sign: float, bundle: Bundle, positive: Any) -> ScoreValue:
    """The value on the rows that were kept; where it cannot be had for these rows, why."""
    rows = bundle.get("kept")
    if rows is None:
        return ScoreValue(nan, EMPTY)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of folds in which a score has no value
            found = call(rows, positive)
    except TallyError:
        raise
    except ValueError as error:
        return ScoreValue(nan, f"{type(error).__name__}: {' '.join(str(error).split())}")
    except Exception as error:
        raise InputError(
            f"the score {name!r} failed: {type(error).__name__}: {error}. Correct the function."
        ) from error
    if not isinstance(found, Real) or isinstance(found, bool):
        raise KindError(
            f"the score {name!r} returned {short_repr(found)}. It must return one number."
        )
    value = sign * float(found)
    return ScoreValue(value, "" if abs(value) < inf else f"the function gives {float(found)}")


def try_functions(scores: Iterable[str], bundles: Iterable[Bundle], positive: Any) -> None:
    """What is wrong with a function is said where it was passed, and not when a report is read."""
    own = [SCORES[name] for name in scores if SCORES[name].part == "kept"]
    for bundle in bundles if own else ():
        for score in own:
            score.measure(bundle, positive)


def _by_function(function: Any, rows: KeptRows, positive: Any) -> Any:
    if rows.weight is None:
        return function(rows.truth, rows.said)
    if "sample_weight" not in _parameters(function):
        raise OptionError(
            f"the score {getattr(function, '__name__', function)} takes no "
            "sample_weight, but the rows have weights. Add that parameter to the "
            "function, or leave out the weights."
        )
    return function(rows.truth, rows.said, sample_weight=rows.weight)


def _by_scorer(scorer: Any, rows: KeptRows, positive: Any) -> Any:
    model, scorer = _sklearn_stand_ins()(rows), _of_class(scorer, rows, positive)
    places = np.arange(len(rows))[:, None]
    more = {} if rows.weight is None else {"sample_weight": rows.weight}
    return scorer(model, places, rows.truth, **more)


def _of_class(scorer: Any, rows: KeptRows, positive: Any) -> Any:
    """The scorer of the positive class, where it is of one, says not which, and no class is 1."""
    takes = "pos_label" in _parameters(scorer._score_func) and "pos_label" not in scorer._kwargs
    if positive is None or not takes or len(rows.classes) != 2 or 1 in rows.classes.tolist():
        return scorer
    found = copy(scorer)
    found._kwargs = {**scorer._kwargs, "pos_label": positive}
    return found


@cache
def _sklearn_stand_ins() -> Any:
    """Fitted models whose predictions are known: scikit-learn's scorers ask its own estimators."""
    base = sys.modules["sklearn.base"]

    @dataclass(eq=False)
    class Answered(base.BaseEstimator):  # type: ignore[misc, name-defined]
        rows: KeptRows

        def __post_init__(self) -> None:
            self.classes_ = self.rows.classes
            for name, found in (
                ("predict_proba", self.rows.proba),
                ("decision_function", _one_column(self.rows.decision)),
            ):
                if found is not None:
                    setattr(self, name, _method(name, found))

        @property
        def _estimator_type(self) -> str:
            return CLASSIFIER if len(self.classes_) else "regressor"

        def __sklearn_tags__(self) -> Any:
            tags = super().__sklearn_tags__()
            tags.estimator_type = self._estimator_type
            return tags

        def fit(self, X: Any, y: Any = None) -> Any:
            return self

        def predict(self, X: Any) -> Array:
            return self.rows.said

    return Answered


def _method(name: str, found: Array) -> Callable[[Any], Array]:
    """A method that gives what is known; it goes by its name, which scikit-learn reads."""

    def answer(X: Any) -> Array:
        return found

    answer.__name__ = name
    return answer


def _one_column(decision: Array | None) -> Array | None:
    """What speaks for the second of two classes, as decision_function gives it."""
    return decision if decision is None or decision.shape[1] > 2 else decision[:, 1]


def _responses(scorer: Any) -> tuple[str, ...]:
    """The methods that a scorer asks, any one of which will do."""
    asked = getattr(scorer, "_response_method", "predict")
    return (asked,) if isinstance(asked, str) else tuple(asked)


def _check_function(function: Any) -> None:
    """A function of truth and predictions, and of nothing else that must be given."""
    try:
        inspect.signature(function).bind(None, None)
    except ValueError:  # some of C do not say
        return
    except TypeError:
        raise OptionError(
            f"the score {short_repr(function)} is not a function of (y_true, "
            "y_pred). Give one, or a scorer from sklearn.metrics.make_scorer."
        ) from None


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some of C do not say
        return {}
