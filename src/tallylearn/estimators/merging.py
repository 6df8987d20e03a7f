"""Merge fitted estimators into one, by adding up their tallies."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import MergeError, error_context, not_fitted
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_lock import fit_lock
from tallylearn.estimators.option_values import is_same_value
from tallylearn.estimators.tally_state import TallyState


def merge(*estimators: Any) -> Any:
    """Merge fitted estimators into one, as if it had been fitted on all their rows.

    Parameters
    ----------
    *estimators : estimators
        Fitted estimators of the same class, with the same options and columns, that keep a tally.

    Returns
    -------
    estimator
        A new fitted estimator. Its tally is the sum of the tallies: the same bits as after a fit
        on all rows.

    Raises
    ------
    MergeError
        If the tallies cannot be added.

    Examples
    --------
    >>> import tallylearn as tl
    >>> table = tl.example("tennis")
    >>> parts = tl.NaiveBayes().fit(table[:5]), tl.NaiveBayes().fit(table[5:])
    >>> tl.merge(*parts).tally_ == tl.NaiveBayes().fit(table).tally_
    True
    """
    with error_context("merge"):
        if not estimators:
            raise MergeError("no estimators were passed. Pass fitted estimators: merge(a, b).")
        first, *others = (_state_to_merge(other, estimators[0]) for other in estimators)
        merged = type(estimators[0])(**estimators[0].get_params())
        for other in others:
            first = first + other
        merged._store_state(first, may_wait=True)
    return merged


def _state_to_merge(estimator: Any, first: Any) -> TallyState:
    """The tally of an estimator, or a MergeError if it cannot be added to that of the first."""
    name = type(estimator).__name__
    if not isinstance(estimator, Estimator) or not estimator.keeps_tally:
        raise MergeError(
            f"{name} has no tally, so it cannot be merged. Fit one estimator to all rows."
        )
    if type(estimator) is not type(first):
        raise MergeError(
            f"estimators of two classes, {type(first).__name__} and {name}, cannot be merged. "
            "Merge estimators of one class."
        )
    mine, theirs = first.get_params(), estimator.get_params()
    for option in mine:
        if not is_same_value(mine[option], theirs[option]):
            raise MergeError(
                f"the estimators differ in {option}: {mine[option]!r} and {theirs[option]!r}. "
                "Fit them with the same options."
            )
    with fit_lock(estimator):
        state = estimator._merge_state()
    if state is None:
        raise not_fitted(name)
    return state
