"""Rules of calculation: product, chain, total probability, Bayes, enumeration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any

from tallylearn.errors import InputError
from tallylearn.reasoning.answers import Answer, Step, answer
from tallylearn.reasoning.names import in_order
from tallylearn.reasoning.probabilities import Number, largest, percent, tied, total, written
from tallylearn.reasoning.probability.events import Event
from tallylearn.reasoning.probability.random_variables import Variable, undefined
from tallylearn.workings import Formula, Grid, Sentence, equation

Measure = Callable[..., Number]  # P(*events, given=event)


def product_rule(P: Measure, a: Event, b: Event) -> Answer:
    """P(a, b) = P(a | b) P(b) = P(b | a) P(a)."""
    left, right = f"P({a.name} | {b.name}) P({b.name})", f"P({b.name} | {a.name}) P({a.name})"
    both = P(a, b)
    ways = [
        equation(f"{text} = {written(P(x, given=y))} · {written(P(y))} = {written(both)}")
        for text, x, y in ((left, a, b), (right, b, a))
    ]
    head = equation(f"P({a.name}, {b.name}) = {left} = {right}")
    return answer(both, "Product rule", head, *ways)


def chain_rule(P: Measure, events: Sequence[Event], given: Event | None = None) -> Answer:
    """P(A1, ..., An | C) is the product of the P(Ai | A1, ..., Ai-1, C)."""
    if not events:
        raise InputError("the chain has no events. Name one or more.")
    factors, rows = [], []
    for place, event in enumerate(events):
        before = [*events[:place], *([] if given is None else [given])]
        factors.append(P(event, given=reduce(Event.__and__, before) if before else None))
        condition = f" | {', '.join(e.name for e in before)}" if before else ""
        rows.append((f"P({event.name}{condition})", written(factors[-1])))
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
    return answer(
        value,
        title,
        equation(f"P(A1, …, An{below}) = ∏ P(Ai | A1, …, Ai-1{also})"),
        Grid("", ("factor", "value"), tuple(rows)),
        equation(f"P({names}) = {' · '.join(map(written, factors))} = {written(value)}"),
    )


def total_probability(P: Measure, event: Event, partition: Sequence[Event]) -> Answer:
    """P(A) is the sum of P(A | Bi) P(Bi) over a partition."""
    check_partition(partition)
    rows, terms = [], []
    for part in partition:
        share = P(part)
        given = written(P(event, given=part)) if share else "not defined"
        terms.append(P(event, part))
        rows.append((part.name, given, written(share), written(terms[-1])))
    value = total(terms)
    header = ("B", f"P({event.name} | B)", "P(B)", "product")
    return answer(
        value,
        "Total probability",
        equation(f"P({event.name}) = Σ P({event.name} | B) P(B)"),
        Grid("", header, tuple(rows)),
        equation(f"P({event.name}) = {' + '.join(map(written, terms))} = {written(value)}"),
    )


def bayes(P: Measure, hypothesis: Event, given: Event) -> Answer:
    """P(h | D) = P(D | h) P(h) / P(D)."""
    h, d = hypothesis.name, given.name
    evidence = P(given)
    if not evidence:
        raise undefined(h, d)
    prior, likelihood = P(hypothesis), P(given, given=hypothesis)
    posterior = P(hypothesis, given=given)
    rows = (
        ("prior", f"P({h})", written(prior)),
        ("likelihood", f"P({d} | {h})", written(likelihood)),
        ("evidence", f"P({d})", written(evidence)),
        ("posterior", f"P({h} | {d})", written(posterior)),
    )
    return answer(
        posterior,
        "Bayes' theorem",
        equation(f"P({h} | {d}) = P({d} | {h}) P({h}) / P({d})"),
        Grid("", ("", "", "value"), rows),
        _evidence(P, hypothesis, given),
        equation(
            f"P({h} | {d}) = {written(likelihood)} · {written(prior)} / ({written(evidence)}) "
            f"= {written(posterior)}"
        ),
        Sentence(f"The evidence takes {h} from {percent(prior)} to {percent(posterior)}."),
    )


def bayes_over(P: Measure, variable: Variable, given: Event) -> Answer:
    """P(x | D) for every value x of a variable, and the most probable one."""
    if not (evidence := P(given)):
        raise undefined(variable.name, given.name)
    X, d = variable.name, given.name
    shares = variable.distribution()
    parts = {x: variable == x for x in in_order(shares) if shares[x]}
    posterior = {x: P(part, given=given) for x, part in parts.items()}
    likelihood = {x: P(given, given=part) for x, part in parts.items()}
    rows = tuple(
        (str(x), *map(written, (P(part), likelihood[x], P(part, given), posterior[x])))
        for x, part in parts.items()
    )
    best, likeliest = largest(posterior), largest(likelihood)
    steps = (
        equation(f"P({X} = x | {d}) = P({d} | {X} = x) P({X} = x) / P({d})"),
        Grid("", ("x", "P(x)", f"P({d} | x)", "product", f"P(x | {d})"), rows),
        equation(f"P({d}) = Σ P({d} | x) P(x) = {written(evidence)}"),
        Sentence(
            f"The most probable x is {tied(best)} (MAP); the largest likelihood has "
            f"{tied(likeliest)} (ML)."
        ),
    )
    found = answer(best[0], f"Bayes' theorem over {X}", *steps)
    return replace(found, scores=posterior, ties=best if len(best) > 1 else ())


def _evidence(P: Measure, hypothesis: Event, given: Event) -> Formula:
    """The evidence by total probability over the hypothesis and its complement."""
    parts = [part for part in (hypothesis, ~hypothesis) if P(part)]
    names = " + ".join(f"P({given.name} | {part.name}) P({part.name})" for part in parts)
    numbers = " + ".join(f"{written(P(given, given=p))} · {written(P(p))}" for p in parts)
    return equation(f"P({given.name}) = {names} = {numbers} = {written(P(given))}")


def inference(
    P: Measure, weights: Mapping[Any, Number], event: Event, given: Event | None
) -> Answer:
    """P(φ) is the sum of P(ω) over the outcomes that make φ true."""
    inside = event if given is None else event & given
    rows = tuple((str(outcome), written(weights[outcome])) for outcome in inside)
    head = f"P({event.name}) = Σ P(ω), ω makes {event.name} true"
    value = P(event, given=given)
    steps: list[Step] = [equation(head), Grid("models", ("ω", "P(ω)"), rows)]
    above = written(P(inside))
    if given is None:
        steps.append(equation(f"P({event.name}) = {above}"))
    else:
        below = written(P(given))
        steps.append(
            equation(f"P({event.name} | {given.name}) = ({above}) / ({below}) = {written(value)}")
        )
    return answer(value, "Inference by enumeration", *steps)


def check_partition(parts: Sequence[Event]) -> None:
    """The parts do not overlap, and together they are everything."""
    if not parts:
        raise InputError("the partition has no parts. Give events that together are Ω.")
    for place, part in enumerate(parts):
        for other in parts[:place]:
            if len(both := part & other):
                raise InputError(
                    f"{other.name} and {part.name} are no parts of a partition: they share "
                    f"{next(iter(both))!r}."
                )
    if len(left := ~reduce(Event.__or__, parts)):
        raise InputError(f"the parts leave out {next(iter(left))!r}: they are no partition of Ω.")
