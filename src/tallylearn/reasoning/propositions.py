"""Propositions: how one says which event is meant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tallylearn.errors import ColumnError, InputError, listed
from tallylearn.reasoning.events import Event
from tallylearn.reasoning.probabilities import Number


def event_of(weights: Mapping[Any, Number], names: tuple[str, ...], what: Any, name: str) -> Event:
    """An event from a predicate, an outcome, a set of outcomes, or {variable: value}."""
    sample = tuple(weights)
    if isinstance(what, Event):
        if what.sample != sample:
            raise InputError(f"the event {what.name} belongs to another space.")
        return replace(what, name=name, sign="") if name else what
    if callable(what):
        return Event(frozenset(w for w in sample if what(w)), sample, name)
    if isinstance(what, Mapping):
        return _assigned(sample, names, what, name)
    if isinstance(what, Hashable) and what in weights:
        return Event(frozenset({what}), sample, name)
    if isinstance(what, str | tuple) or not isinstance(what, Iterable):
        raise _unknown(what, sample)
    return Event(frozenset(_checked(what, weights)), sample, name)


def place_of(name: Any, names: tuple[str, ...]) -> int:
    """Where a variable stands in the outcomes."""
    if name not in names:
        known = f"it has {listed(names)}" if names else "give it names=[...] first"
        raise ColumnError(f"the space has no variable {name!r}; {known}.")
    return names.index(name)


def check_places(weights: Mapping[Any, Number], names: tuple[str, ...]) -> None:
    """Where several places are named, every outcome is a tuple of that many."""
    if len(names) < 2:
        return
    for outcome in weights:
        if not isinstance(outcome, tuple) or len(outcome) != len(names):
            raise InputError(
                f"the outcome {outcome!r} has not the {len(names)} places {listed(names)}. "
                "Outcomes of a joint distribution are tuples."
            )


def _assigned(
    sample: tuple[Any, ...], names: tuple[str, ...], wanted: Mapping[Any, Any], name: str
) -> Event:
    if not wanted:
        raise InputError("no variable is named. Say which, as in {'Wind': 'Strong'}.")
    places = {place_of(variable, names): value for variable, value in wanted.items()}
    inside = frozenset(
        w
        for w in sample
        if all((w[at] if len(names) > 1 else w) == value for at, value in places.items())
    )
    said = ", ".join(f"{variable} = {value}" for variable, value in wanted.items())
    return Event(inside, sample, name or said, "" if name else "=")


def _checked(what: Iterable[Any], weights: Mapping[Any, Number]) -> Iterable[Any]:
    for outcome in what:
        if not isinstance(outcome, Hashable) or outcome not in weights:
            raise _unknown(outcome, tuple(weights))
        yield outcome


def _unknown(outcome: Any, sample: tuple[Any, ...]) -> InputError:
    return InputError(f"{outcome!r} is no outcome. The outcomes are {listed(sample)}.")
