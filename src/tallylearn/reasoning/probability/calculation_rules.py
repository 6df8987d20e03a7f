"""Product rule, chain rule, total probability, Bayes' theorem and enumeration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from tallylearn.errors import InputError
from tallylearn.reasoning.answers import Answer, WorkStep, make_answer
from tallylearn.reasoning.names import sort_if_possible
from tallylearn.reasoning.probabilities import (
    Number,
    exact_sum,
    format_percent,
    largest_keys,
    number_text,
    tie_text,
)
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.random_variables import RandomVariable, zero_condition_error
from tallylearn.workings import Formula, Grid, Sentence, equation

Measure = Callable[..., Number]  # P(*events, given=event)


def product_rule(P: Measure, a: Event, b: Event) -> Answer:
    """P(a, b) = P(a | b) P(b) = P(b | a) P(a)."""
    left, right = f"P({a.name} | {b.name}) P({b.name})", f"P({b.name} | {a.name}) P({a.name})"
    both = P(a, b)
    ways = [
        equation(
            f"{text} = {number_text(P(x, given=y))} · {number_text(P(y))} = {number_text(both)}"
        )
        for text, x, y in ((left, a, b), (right, b, a))
    ]
    head = equation(f"P({a.name}, {b.name}) = {left} = {right}")
    return make_answer(both, "Product rule", head, *ways)


def chain_rule(P: Measure, events: Sequence[Event], given: Event | None = None) -> Answer:
    """P(A1, ..., An | C) is the product of the P(Ai | A1, ..., Ai-1, C)."""
    if not events:
        raise InputError("there are no events. Give one or more.")
    factors, rows = [], []
    for place, event in enumerate(events):
        before = [*events[:place], *([] if given is None else [given])]
        factors.append(P(event, given=reduce(Event.__and__, before) if before else None))
        condition = f" | {', '.join(e.name for e in before)}" if before else ""
        rows.append((f"P({event.name}{condition})", number_text(factors[-1])))
    value = prod(factors, start=Fraction(1))
    bar, title, below, also = "", "Chain rule", "", ""
    if given is not None:
        bar, title, below, also = (
            f" | {given.name}",
            f"Chain rule given {given.name}",
            " | C",
            ", C",
        )
    names = ", ".join(event.name for event in events) + bar
    return make_answer(
        value,
        title,
        equation(f"P(A1, …, An{below}) = ∏ P(Ai | A1, …, Ai-1{also})"),
        Grid("", ("factor", "value"), tuple(rows)),
        equation(f"P({names}) = {' · '.join(map(number_text, factors))} = {number_text(value)}"),
    )


def total_probability(P: Measure, event: Event, partition: Sequence[Event]) -> Answer:
    """P(A) is the sum of P(A | Bi) P(Bi) over a partition."""
    rows, terms = [], []
    for part in partition:
        share = P(part)
        given = number_text(P(event, given=part)) if share else "not defined"
        terms.append(P(event, part))
        rows.append((part.name, given, number_text(share), number_text(terms[-1])))
    value = exact_sum(terms)
    header = ("B", f"P({event.name} | B)", "P(B)", "product")
    return make_answer(
        value,
        "Total probability",
        equation(f"P({event.name}) = Σ P({event.name} | B) P(B)"),
        Grid("", header, tuple(rows)),
        equation(f"P({event.name}) = {' + '.join(map(number_text, terms))} = {number_text(value)}"),
    )


def bayes(P: Measure, hypothesis: Event, given: Event) -> Answer:
    """P(h | D) = P(D | h) P(h) / P(D)."""
    h, d = hypothesis.name, given.name
    evidence = P(given)
    if not evidence:
        raise zero_condition_error(h, d)
    prior, likelihood = P(hypothesis), P(given, given=hypothesis)
    posterior = P(hypothesis, given=given)
    rows = (
        ("prior", f"P({h})", number_text(prior)),
        ("likelihood", f"P({d} | {h})", number_text(likelihood)),
        ("evidence", f"P({d})", number_text(evidence)),
        ("posterior", f"P({h} | {d})", number_text(posterior)),
    )
    return make_answer(
        posterior,
        "Bayes' theorem",
        equation(f"P({h} | {d}) = P({d} | {h}) P({h}) / P({d})"),
        Grid("", ("", "", "value"), rows),
        _evidence(P, hypothesis, given),
        equation(
            f"P({h} | {d}) = {number_text(likelihood)} · {number_text(prior)} / "
            f"({number_text(evidence)}) = {number_text(posterior)}"
        ),
        Sentence(
            f"The evidence takes {h} from {format_percent(prior)} to {format_percent(posterior)}."
        ),
    )


def bayes_over(P: Measure, variable: RandomVariable, given: Event) -> Answer:
    """P(x | D) for every value x of a variable, and the most probable one."""
    if not (evidence := P(given)):
        raise zero_condition_error(variable.name, given.name)
    X, d = variable.name, given.name
    shares = variable.distribution()
    parts = {x: variable == x for x in sort_if_possible(shares) if shares[x]}
    posterior = {x: P(part, given=given) for x, part in parts.items()}
    likelihood = {x: P(given, given=part) for x, part in parts.items()}
    rows = tuple(
        (str(x), *map(number_text, (P(part), likelihood[x], P(part, given), posterior[x])))
        for x, part in parts.items()
    )
    best, likeliest = largest_keys(posterior), largest_keys(likelihood)
    steps = (
        equation(f"P({X} = x | {d}) = P({d} | {X} = x) P({X} = x) / P({d})"),
        Grid("", ("x", "P(x)", f"P({d} | x)", "product", f"P(x | {d})"), rows),
        equation(f"P({d}) = Σ P({d} | x) P(x) = {number_text(evidence)}"),
        Sentence(
            f"The most probable x is {tie_text(best)} (MAP); the largest likelihood has "
            f"{tie_text(likeliest)} (ML)."
        ),
    )
    found = make_answer(best[0], f"Bayes' theorem over {X}", *steps)
    return replace(found, scores=posterior, ties=best if len(best) > 1 else ())


def _evidence(P: Measure, hypothesis: Event, given: Event) -> Formula:
    """The evidence by total probability over the hypothesis and its complement."""
    parts = [part for part in (hypothesis, ~hypothesis) if P(part)]
    names = " + ".join(f"P({given.name} | {part.name}) P({part.name})" for part in parts)
    numbers = " + ".join(f"{number_text(P(given, given=p))} · {number_text(P(p))}" for p in parts)
    return equation(f"P({given.name}) = {names} = {numbers} = {number_text(P(given))}")


def inference(
    P: Measure, weights: Mapping[Any, Number], event: Event, given: Event | None
) -> Answer:
    """P(φ) is the sum of P(ω) over the outcomes that make φ true."""
    inside = event if given is None else event & given
    rows = tuple((str(outcome), number_text(weights[outcome])) for outcome in inside)
    head = f"P({event.name}) = Σ P(ω), ω makes {event.name} true"
    value = P(event, given=given)
    steps: list[WorkStep] = [equation(head), Grid("models", ("ω", "P(ω)"), rows)]
    above = number_text(P(inside))
    if given is None:
        steps.append(equation(f"P({event.name}) = {above}"))
    else:
        below = number_text(P(given))
        steps.append(
            equation(
                f"P({event.name} | {given.name}) = ({above}) / ({below}) = {number_text(value)}"
            )
        )
    return make_answer(value, "Inference by enumeration", *steps)


def check_partition(parts: Sequence[Event]) -> None:
    """The parts do not overlap, and together they are everything."""
    if not parts:
        raise InputError(
            "the partition has no parts. Give events that do not overlap and "
            "together cover every outcome."
        )
    for place, part in enumerate(parts):
        for other in parts[:place]:
            if len(both := part & other):
                raise InputError(
                    f"the parts {other.name} and {part.name} of the partition both contain "
                    f"{next(iter(both))!r}. Give events that do not overlap."
                )
    if len(left := ~reduce(Event.__or__, parts)):
        raise InputError(
            f"no part of the partition contains the outcome {next(iter(left))!r}. "
            "Add an event that contains it."
        )
