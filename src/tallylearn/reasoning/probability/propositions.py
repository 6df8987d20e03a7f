"""Events from predicates, sets of outcomes and assignments {variable: value}."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from tallylearn.errors import ColumnError, InputError, KindError, quoted_list, short_repr
from tallylearn.reasoning.names import MAX_LISTED, call_user_function, distinct_names, is_among
from tallylearn.reasoning.probabilities import Number
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.random_variables import RandomVariable
from tallylearn.reasoning.table_arguments import numbers_by_name

Domains = Mapping[str, tuple[Any, ...]]  # the values of every named place


def event_of(weights: Mapping[Any, Number], domains: Domains, what: Any, name: str) -> Event:
    """An event from a predicate, an outcome, a set of outcomes, or {variable: value}."""
    sample = tuple(weights)
    if isinstance(what, RandomVariable):
        raise KindError(
            f"{what.name} is a random variable, not an event. Compare it with a "
            "value, as in X == 1."
        )
    if isinstance(what, Event):
        if what.sample != sample:
            raise InputError(
                f"the event {what.name} belongs to another space. Create it with "
                "event() of this space."
            )
        return replace(what, name=name, sign="") if name else what
    if is_among(what, weights):
        return Event(frozenset({what}), sample, name)
    if callable(what):
        inside = (w for w in sample if call_user_function(_truth(what), w, who="the predicate"))
        return Event(frozenset(inside), sample, name)
    if isinstance(what := _assignment(what, domains), Mapping):
        return _assigned_event(sample, domains, what, name)
    if isinstance(what, str | tuple) or not isinstance(what, Iterable):
        raise _unknown_outcome(what, sample)
    return Event(frozenset(_known_outcomes(what, weights)), sample, name)


def place_of(name: Any, domains: Domains) -> int:
    """Where a variable stands in the outcomes."""
    if not is_among(name, domains):
        known = (
            f"Choose from {quoted_list(domains)}"
            if domains
            else "Name its variables with names=[...]"
        )
        raise ColumnError(f"the space has no variable {short_repr(name)}. {known}.")
    return [*domains].index(name)


def domains_of(weights: Mapping[Any, Number], names: tuple[str, ...], known: Domains) -> Domains:
    """The values of every named place, and those it had before a condition left them out."""
    known = {name: distinct_names(known.get(name, ()), "the value") for name in names}
    if len(names) == 1:
        return {names[0]: tuple(dict.fromkeys((*weights, *known[names[0]])))}
    for outcome in weights if names else ():
        if not isinstance(outcome, tuple) or len(outcome) != len(names):
            raise InputError(
                f"the outcome {short_repr(outcome)} does not have {len(names)} values, "
                f"one for each of {quoted_list(names)}. Give tuples of {len(names)} "
                "values."
            )
    columns = zip(*weights, strict=True) if names else ()
    return {
        name: tuple(dict.fromkeys((*column, *known[name])))
        for name, column in zip(names, columns, strict=True)
    }


def _assignment(what: Any, domains: Domains) -> Any:
    """A row of a frame is {variable: value} where it is labelled so; else it holds outcomes."""
    found = numbers_by_name(what)
    if isinstance(found, Mapping) and not isinstance(what, Mapping) and {*found} - {*domains}:
        return what
    return found


def _assigned_event(
    sample: tuple[Any, ...], domains: Domains, wanted: Mapping[Any, Any], name: str
) -> Event:
    if not wanted:
        raise InputError(
            "the dict of variables is empty. Name one or more, such as {'Wind': 'Strong'}."
        )
    places = {}
    for variable, value in wanted.items():
        places[place_of(variable, domains)] = value
        if not is_among(value, domains[variable]):
            raise InputError(
                f"variable {variable!r} has no value {short_repr(value)}. Choose from "
                f"{quoted_list(domains[variable])}."
            )
    joint = len(domains) > 1
    inside = frozenset(
        w for w in sample if all((w[at] if joint else w) == v for at, v in places.items())
    )
    said = ", ".join(f"{variable} = {value}" for variable, value in wanted.items())
    return Event(inside, sample, name or said, "" if name else "=")


def _known_outcomes(what: Iterable[Any], weights: Mapping[Any, Number]) -> Iterable[Any]:
    for outcome in call_user_function(
        lambda all_: list(islice(all_, MAX_LISTED + 1)), what, who="the list"
    ):
        if not is_among(outcome, weights):
            raise _unknown_outcome(outcome, tuple(weights))
        yield outcome


def _truth(predicate: Any) -> Any:
    return lambda outcome: bool(predicate(outcome))


def _unknown_outcome(outcome: Any, sample: tuple[Any, ...]) -> InputError:
    return InputError(
        f"{short_repr(outcome)} is not an outcome. Choose from {quoted_list(sample)}."
    )
