"""Independence: knowing one thing says nothing about the other."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from tallylearn.reasoning.answers import Answer, Law, answer, compared, formula
from tallylearn.reasoning.events import Event
from tallylearn.reasoning.probabilities import same, written
from tallylearn.reasoning.rules import Measure
from tallylearn.reasoning.variables import Variable
from tallylearn.workings import Sentence

Thing = Event | Variable


def independent(P: Measure, a: Thing, b: Thing, given: Thing | None) -> Answer:
    """P(A, B | C) = P(A | C) P(B | C), with a witness where it fails."""
    rules = [rule for condition in _conditions(P, given) for rule in _rules(P, a, b, condition)]
    bar = "" if given is None else f" | {given.name}"
    claim = formula(f"P({a.name}, {b.name}{bar}) = P({a.name}{bar}) · P({b.name}{bar})")
    table = compared(rules)
    failing = next(((text, x, y) for text, x, y in rules if not same(x, y)), None)
    also = "" if given is None else f" given {given.name}"
    if failing is None:
        verdict = Sentence(f"{a.name} and {b.name} are independent{also}.")
        return answer(True, f"Independence{also}", claim, table, verdict)
    text, x, y = failing
    verdict = Sentence(
        f"{a.name} and {b.name} are not independent{also}. A witness is {text}: "
        f"{written(x)} on the left, {written(y)} on the right."
    )
    return answer(False, f"Independence{also}", claim, table, verdict)


def _conditions(P: Measure, given: Thing | None) -> list[Event | None]:
    """The condition, or one for every value of a variable that comes at all."""
    if isinstance(given, Variable):
        return [part for value in given.distribution() if P(part := given == value)]
    return [given]


def _rules(P: Measure, a: Thing, b: Thing, given: Event | None) -> list[Law]:
    bar = "" if given is None else f" | {given.name}"
    laws: list[Law] = []
    first, second = ([(part, P(part, given=given)) for part in _parts(z)] for z in (a, b))
    for (x, left), (y, right) in product(first, second):
        text = f"P({x.name}, {y.name}{bar})"
        if isinstance(a, Event) and isinstance(b, Event):  # of variables there are many
            text += f" = P({x.name}{bar}) P({y.name}{bar})"
        laws.append((text, P(x, y, given=given), left * right))
    if isinstance(a, Event) and isinstance(b, Event):
        laws += _conditionals(P, a, b, given)
    return laws


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
