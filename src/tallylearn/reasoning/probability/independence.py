"""Independence and conditional independence, with a witness where it fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from tallylearn.errors import InputError
from tallylearn.reasoning.answers import Answer, Law, law_table, make_answer
from tallylearn.reasoning.probabilities import are_equal, number_text
from tallylearn.reasoning.probability.calculation_rules import Measure
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.random_variables import RandomVariable
from tallylearn.workings import Sentence, equation

Thing = Event | RandomVariable
MAX_COMBINATIONS = 1 << 14  # products that are compared


def independent(P: Measure, things: Sequence[Thing], given: Thing | None) -> Answer:
    """P(A, B, ... | C) = P(A | C) P(B | C) ..., with a witness where it fails.

    Of three or more, every choice of two or more is to be the product: pairs alone do not do.
    """
    if len(things) < 2:
        raise InputError("independent needs two or more events or variables. Name them all.")
    rules = [rule for condition in _conditions(P, given) for rule in _rules(P, things, condition)]
    bar = "" if given is None else f" | {given.name}"
    factors = " · ".join(f"P({thing.name}{bar})" for thing in things)
    claim = equation(f"P({', '.join(thing.name for thing in things)}{bar}) = {factors}")
    also = "" if given is None else f" given {given.name}"
    who = f"{', '.join(t.name for t in things[:-1])} and {things[-1].name}"
    failing = next(((text, x, y) for text, x, y in rules if not are_equal(x, y)), None)
    if failing is None:
        verdict = Sentence(f"{who} are independent{also}.")
    else:
        text, x, y = failing
        verdict = Sentence(
            f"{who} are not independent{also}. A witness is {text}: "
            f"{number_text(x)} on the left, {number_text(y)} on the right."
        )
    return make_answer(failing is None, f"Independence{also}", claim, law_table(rules), verdict)


def _conditions(P: Measure, given: Thing | None) -> list[Event | None]:
    """The condition, or one for every value of a variable that comes at all."""
    if isinstance(given, RandomVariable):
        return [part for value in given.distribution() if P(part := given == value)]
    return [given]


def _rules(P: Measure, things: Sequence[Thing], given: Event | None) -> list[Law]:
    bar = "" if given is None else f" | {given.name}"
    laws: list[Law] = []
    events = all(isinstance(thing, Event) for thing in things)
    for parts in _choices(things):
        text = f"P({', '.join(part.name for part in parts)}{bar})"
        if events:  # of variables there are many
            text += f" = {' '.join(f'P({part.name}{bar})' for part in parts)}"
        right = prod((P(part, given=given) for part in parts), start=Fraction(1))
        laws.append((text, P(*parts, given=given), right))
    if len(things) == 2 and isinstance(a := things[0], Event) and isinstance(b := things[1], Event):
        laws += _conditionals(P, a, b, given)
    return laws


def _choices(things: Sequence[Thing]) -> Iterator[tuple[Event, ...]]:
    """Of two things, and of variables, every combination of their parts; of more events, every
    choice of them: the complements follow.
    """
    events = [thing for thing in things if isinstance(thing, Event)]
    if 2 < len(things) == len(events):
        _check_combinations(2 ** len(events))
        for n in range(2, len(events) + 1):
            yield from combinations(events, n)
        return
    parts = [_parts(thing) for thing in things]
    _check_combinations(prod(map(len, parts)))
    yield from product(*parts)


def _check_combinations(size: int) -> None:
    if size > MAX_COMBINATIONS:
        raise InputError(
            f"the test needs {size:,} products, and the limit is "
            f"{MAX_COMBINATIONS:,}. Name fewer events or variables."
        )


def _conditionals(P: Measure, a: Event, b: Event, given: Event | None) -> list[Law]:
    """P(A | B) = P(A) and its kin, where B can happen."""
    found = []
    bar = "" if given is None else f" | {given.name}"
    for x, y in ((a, b), (~a, b), (b, a)):
        condition = y if given is None else y & given
        if P(condition) > Fraction(0):
            text = f"P({x.name} | {y.name}{'' if given is None else f', {given.name}'})"
            right = P(x, given=given)
            found.append((f"{text} = P({x.name}{bar})", P(x, given=condition), right))
    return found


def _parts(thing: Thing) -> tuple[Event, ...]:
    if isinstance(thing, Event):
        return (thing, ~thing)
    return tuple(thing == value for value in thing.distribution())
