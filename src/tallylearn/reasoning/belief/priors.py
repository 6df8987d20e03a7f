"""Prior distributions over named hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from tallylearn.errors import InputError, KindError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.names import check_name, distinct_names, list_items
from tallylearn.reasoning.probabilities import Number, are_equal, exact_sum, read_distribution
from tallylearn.reasoning.table_arguments import numbers_by_name


def read_prior(given: Any) -> dict[Any, Number]:
    """Priors as they are given, or equal ones: 1 / |H|."""
    found = numbers_by_name(given)
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise KindError(
            f"prior is {short_repr(given)}. Pass a dict "
            f"{{hypothesis: probability}}, or a list of hypotheses."
        )
    if not isinstance(found, Mapping):
        _check_named(found)
        names = distinct_names(found, "the hypothesis")
        found = dict.fromkeys(names, Fraction(1, max(1, len(names))))
    if not found:
        raise InputError("there are no hypotheses. Give one or more.")
    return read_distribution(found, "the hypothesis", "the priors")


def read_models(given: Any, what: str) -> dict[Any, Any]:
    """{hypothesis: what it says}, of a dict or a Series."""
    found = numbers_by_name(given)
    if not isinstance(found, Mapping):
        raise KindError(
            f"{what} is {short_repr(given)}. Pass a dict with the hypotheses as its keys."
        )
    for h, model in found.items():
        check_name(h, "the hypothesis")
        if not callable(model) and not callable(getattr(model, "predict", None)):
            raise KindError(
                f"the hypothesis {short_repr(h)} is {short_repr(model)}. Give a function of x"
                f"{', or a fitted model' if what == 'models' else ''}."
            )
    return dict(found)


def check_same_hypotheses(named: Mapping[Any, Any], prior: Mapping[Any, Any], what: str) -> None:
    """Every hypothesis has a prior, and nothing else has."""
    if {*named} != {*prior}:
        raise OptionError(
            f"the hypotheses of {what} are {quoted_list(named)}, but prior has "
            f"{quoted_list(prior)}. Give one prior for each hypothesis."
        )


def _check_named(given: Iterable[Any]) -> None:
    """An array of numbers that sum to one is a prior without names, and no list of names."""
    if not hasattr(given, "dtype"):
        return
    numbers = [x for x in list_items(given, "the hypothesis") if isinstance(x, float)]
    if numbers and are_equal(exact_sum(map(float, numbers)), Fraction(1)):
        raise InputError(
            f"prior {short_repr(given)} has probabilities without names. Pass a "
            f"dict {{hypothesis: probability}}, or a pandas Series with the "
            "hypotheses as its index. If the numbers are the hypotheses, pass a "
            "list."
        )
