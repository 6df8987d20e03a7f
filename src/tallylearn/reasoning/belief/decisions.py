"""Bayesian decisions: the optimal classifier, minimum expected loss, the Bayes error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tallylearn.errors import KindError, OptionError, quoted_list, short_repr
from tallylearn.reasoning.answers import Answer, make_answer
from tallylearn.reasoning.belief.likelihoods import ClassifierLikelihood, Likelihood
from tallylearn.reasoning.probabilities import (
    Number,
    exact_number,
    exact_sum,
    format_percent,
    largest_keys,
    number_text,
    tie_text,
)
from tallylearn.reasoning.table_arguments import rows_by_name
from tallylearn.workings import Grid, Sentence, equation

Shares = Mapping[Any, Number]


def classify(posterior: Shares, classifiers: ClassifierLikelihood, x: Any) -> Answer:
    """The Bayes optimal classifier: every hypothesis votes with its posterior."""
    votes = {h: classifiers.shares(x, h) for h in posterior}
    labels = list(dict.fromkeys(v for shares in votes.values() for v in shares))
    scores = {
        v: exact_sum(votes[h].get(v, Fraction(0)) * p for h, p in posterior.items()) for v in labels
    }
    rows = tuple(
        (
            str(h),
            number_text(p),
            *(number_text(votes[h].get(v, Fraction(0))) for v in labels),
        )
        for h, p in posterior.items()
    )
    sums = ("Σ P(v | x, h) P(h | D)", "", *map(number_text, scores.values()))
    header = ("h", "P(h | D)", *(f"P({v} | x, h)" for v in labels))
    top = largest_keys(scores)
    best = max(posterior, key=lambda h: posterior[h])
    alone = max(votes[best], key=lambda v: votes[best][v])
    steps = (
        equation("P(v | x, D) = Σ P(v | x, h) P(h | D)"),
        Grid("", header, (*rows, sums)),
        Sentence(f"The most probable class is {tie_text(top)}; h_MAP = {best} alone says {alone}."),
    )
    found = make_answer(top[0], "Bayes optimal classifier", *steps)
    return replace(found, scores=scores, ties=top if len(top) > 1 else ())


def decide(posterior: Shares, loss: Mapping[Any, Mapping[Any, Any]]) -> Answer:
    """The action of least expected loss: R(a) = Σ λ(a | h) P(h | D)."""
    read = _read_losses(loss, tuple(posterior))
    risks = {a: exact_sum(row[h] * p for h, p in posterior.items()) for a, row in read.items()}
    rows = tuple(
        (
            str(a),
            " + ".join(f"{number_text(row[h])} · {number_text(p)}" for h, p in posterior.items()),
            number_text(risks[a]),
        )
        for a, row in read.items()
    )
    top = largest_keys({a: -risk for a, risk in risks.items()})
    steps = (
        equation("R(a) = Σ λ(a | h) P(h | D)"),
        Grid("", ("action", "Σ λ(a | h) P(h | D)", "R(a)"), rows),
        Sentence(f"The least expected loss has {tie_text(top)}."),
    )
    found = make_answer(top[0], "Minimum expected loss", *steps)
    return replace(found, scores=risks, ties=top if len(top) > 1 else ())


def bayes_error(posterior: Shares, likelihood: Likelihood) -> Answer:
    """How often the best decision on one more observation is wrong: nothing does better."""
    rows, errors = [], []
    for x in likelihood.outcomes:
        joint = {h: likelihood.of(x, h) * p for h, p in posterior.items()}
        whole = exact_sum(joint.values())
        top = largest_keys(joint)
        errors.append(whole - joint[top[0]])
        decision = tie_text(top) if whole else "never comes"
        rows.append(
            (
                str(x),
                *map(number_text, (*joint.values(), whole)),
                decision,
                number_text(errors[-1]),
            )
        )
    value = exact_sum(errors)
    header = ("x", *(f"P(x | {h}) P({h})" for h in posterior), "P(x)", "decision", "error")
    steps = (
        equation("P(error) = Σ P(error | x) P(x), x by x the smaller joint probabilities"),
        Grid("", header, tuple(rows)),
        equation(f"P(error) = {' + '.join(map(number_text, errors))} = {number_text(value)}"),
        Sentence(
            f"Without any observation {largest_keys(posterior)[0]} would be wrong in "
            f"{format_percent(1 - max(posterior.values()))}; with one the best decision is "
            f"wrong in {format_percent(value)}."
        ),
    )
    return make_answer(value, "Bayes error", *steps)


def _read_losses(loss: Any, hypotheses: tuple[Any, ...]) -> dict[Any, dict[Any, Number]]:
    loss = rows_by_name(loss)
    if not isinstance(loss, Mapping) or not all(isinstance(r, Mapping) for r in loss.values()):
        raise KindError(
            f"loss is {short_repr(loss)}. Pass a dict {{action: {{hypothesis: loss}}}}."
        )
    if not loss:
        raise OptionError("loss has no actions. Pass a dict {action: {hypothesis: loss}}.")
    for action, row in loss.items():
        if {*row} != {*hypotheses}:
            raise OptionError(
                f"the losses of action {action!r} are for {quoted_list(row)}, but the "
                f"hypotheses are {quoted_list(hypotheses)}. Give one loss for each "
                "hypothesis."
            )
    return {
        a: {h: exact_number(row[h], f"the loss of {a} under {h}") for h in hypotheses}
        for a, row in loss.items()
    }
