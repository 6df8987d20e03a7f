"""Merging: what several estimators have learned, added up to one."""

from __future__ import annotations

from typing import Any

from tallylearn.errors import MergeError, error_context
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_lock import fit_lock
from tallylearn.estimators.option_values import same
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
            raise MergeError("there is nothing to merge. Pass fitted estimators.")
        first, *others = (_mergeable(other, estimators[0]) for other in estimators)
        merged = type(estimators[0])(**estimators[0].get_params())
        for other in others:
            first = first + other
        merged._learn(first, patient=True)
    return merged


def _mergeable(estimator: Any, first: Any) -> TallyState:
    """What an estimator has learned, if it can be added to what the first has."""
    name = type(estimator).__name__
    if not isinstance(estimator, Estimator) or not estimator.keeps_tally:
        raise MergeError(f"{name} has no tally, so it does not add up.")
    if type(estimator) is not type(first):
        raise MergeError(f"a {type(first).__name__} and a {name} do not add up.")
    mine, theirs = first.get_params(), estimator.get_params()
    for option in mine:
        if not same(mine[option], theirs[option]):
            raise MergeError(
                f"the models differ in {option}: {mine[option]!r} and {theirs[option]!r}. "
                "Fit them with the same options."
            )
    with fit_lock(estimator):
        learned = estimator._merge_state()
    if learned is None:
        estimator._check_fitted()
        raise MergeError(f"a {name} has learned nothing.")
    return learned
