"""The axioms of probability and their corollaries, checked with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from tallylearn.reasoning.answers import Answer, Law, law_table, make_answer
from tallylearn.reasoning.probabilities import are_equal, exact_sum
from tallylearn.reasoning.probability.calculation_rules import Measure
from tallylearn.reasoning.probability.events import Event, outcomes_text
from tallylearn.reasoning.probability.random_variables import RandomVariable
from tallylearn.workings import Grid, Sentence


def axioms(P: Measure, a: Event, b: Event) -> Answer:
    """The axioms and their corollaries, for two events."""
    nowhere, everywhere = a & ~a, a | ~a
    laws: list[Law] = [
        ("P(Ω) = 1", P(everywhere), Fraction(1)),
        ("P(∅) = 0", P(nowhere), Fraction(0)),
        ("P(A ∨ B) = P(A) + P(B) - P(A ∧ B)", P(a | b), P(a) + P(b) - P(a & b)),
        ("P(¬A) = 1 - P(A)", P(~a), 1 - P(a)),
        ("P(A) = P(A ∧ B) + P(A ∧ ¬B)", P(a), P(a & b) + P(a - b)),
    ]
    within = all(0 <= P(event) <= 1 for event in (a, b, a & b, a | b))
    holds = within and all(are_equal(x, y) for _, x, y in laws)
    bounds = Sentence(f"0 ≤ P ≤ 1 {'holds' if within else 'fails'} for A, B, A ∧ B and A ∨ B.")
    return make_answer(
        holds, f"Axioms and corollaries, A = {a.name}, B = {b.name}", bounds, law_table(laws)
    )


def variable_rules(P: Measure, variable: RandomVariable, event: Event) -> Answer:
    """What holds for the values of a variable: one of them comes, and only one."""
    values = list(variable.distribution())
    parts = [variable == value for value in values]
    some = parts[: max(1, len(parts) - 1)]
    first = _union(some)
    X, names = variable.name, " ∨ ".join(part.name for part in some)
    laws: list[Law] = [
        (f"P({X} = {x} ∧ {X} = {y}) = 0", P((variable == x) & (variable == y)), Fraction(0))
        for x, y in list(combinations(values, 2))[:3]
    ]
    laws += [
        (f"P({X} = one of its values) = 1", P(_union(parts)), Fraction(1)),
        (f"P({names}) = Σ P({X} = v)", P(first), exact_sum(P(part) for part in some)),
        (
            f"P({event.name} ∧ ({names})) = Σ P({event.name} ∧ {X} = v)",
            P(event, first),
            exact_sum(P(event, part) for part in some),
        ),
        (f"Σ P({X} = v) = 1", exact_sum(P(part) for part in parts), Fraction(1)),
        (
            f"Σ P({X} = v | {event.name}) = 1",
            exact_sum(P(part, given=event) for part in parts),
            Fraction(1),
        ),
    ]
    return make_answer(all(are_equal(x, y) for _, x, y in laws), f"Rules of {X}", law_table(laws))


def sigma_algebra(sample: tuple[object, ...], events: Sequence[Event]) -> Answer:
    """Whether a family of events holds Ω, every complement and every union of two."""
    family = {event.outcomes: event for event in events}
    for why, needed in _required_events(sample, list(family.values())):
        if needed.outcomes not in family:
            missing = f"{why} is {outcomes_text(needed)}, and is missing."
            return make_answer(False, "No σ-algebra", Sentence(missing))
    rows = tuple((outcomes_text(event),) for event in family.values())
    closed = Sentence("It holds Ω, the complement of each and the union of any.")
    return make_answer(True, "A σ-algebra", Grid("", ("events",), rows), closed)


def _required_events(
    sample: tuple[object, ...], family: list[Event]
) -> Iterable[tuple[str, Event]]:
    yield "the certain event", Event(frozenset(sample), sample)
    for event in family:
        yield f"the complement of {event.name}", ~event
    for a, b in combinations(family, 2):
        yield f"the union of {a.name} and {b.name}", a | b


def _union(events: Sequence[Event]) -> Event:
    result = events[0]
    for event in events[1:]:
        result = result | event
    return result
