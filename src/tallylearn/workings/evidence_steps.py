"""The explanation of one prediction, factor by factor or vote by vote."""

from __future__ import annotations

import math

import numpy as np

from tallylearn.reporting.charts import Plot, draw_lines
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array
from tallylearn.workings.equations import equation
from tallylearn.workings.evidence import Evidence
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence
from tallylearn.workings.terms import Term

MAX_FACTORS = 60  # factors of a product that are told


def product_steps(evidence: Evidence, title: str) -> StepSequence:
    """A product of probabilities: the prior, then a factor for every column, then the posterior.

    Parameters
    ----------
    evidence : the explanation, whose terms are logarithms of factors.
    """
    classes = [str(line.outcome) for line in evidence.lines]
    every = [[term for term in line.terms if not term.is_skipped] for line in evidence.lines]
    last = max(1, min(map(len, every)) - 1)  # factors beside the prior
    totals = np.zeros(len(classes))
    shares: list[list[float]] = []
    steps: list[AlgorithmStep] = []
    for at in range(min(map(len, every))):
        terms = [line[at] for line in every]
        before = totals.copy()
        totals = totals + [term.amount for term in terms]
        shares.append(_shares(totals))
        name = terms[0].label
        caption = f"Multiply by P({name} | class)" if at else "Start with the prior P(class)"
        parts = tuple(
            equation(_running_product(c, before[k], totals[k], term, at))
            for k, (c, term) in enumerate(zip(classes, terms, strict=True))
        )
        if at < MAX_FACTORS:
            steps.append(AlgorithmStep(caption, _numbers(classes, totals, shares[-1]), parts,
                                       _drawing(classes, shares, last)))  # fmt: skip
    total = float(np.exp(totals).sum())
    ends = [0.0 if line.share is None else float(line.share) for line in evidence.lines]
    parts = tuple(
        equation(f"P({c} | row) = {_short(math.exp(t))} / {_short(total)} = {_short(p)}")
        for c, t, p in zip(classes, totals, ends, strict=True)
    )
    steps.append(AlgorithmStep(
        f"Divide by the sum of the products: the prediction is {evidence.chosen}",
        _numbers(classes, totals, ends) | {"prediction": evidence.chosen}, parts,
        _drawing(classes, shares, last),
    ))  # fmt: skip
    return StepSequence(title, tuple(steps))


def _numbers(classes: list[str], totals: Array, shares: list[float]) -> dict[str, object]:
    products = np.exp(totals).tolist()
    return {"products": dict(zip(classes, products, strict=True)),
            "posterior": dict(zip(classes, shares, strict=True))}  # fmt: skip


def _running_product(name: str, before: float, after: float, term: Term, at: int) -> str:
    if not at:
        return f"P({name}) = {term.factor} = {_short(math.exp(after))}"
    return f"{name}: {_short(math.exp(before))} · {term.factor} = {_short(math.exp(after))}"


def _shares(totals: Array) -> list[float]:
    largest = float(totals.max())
    if not math.isfinite(largest):
        return [0.0] * len(totals)
    weights = np.exp(totals - largest)
    return [float(one) for one in weights / weights.sum()]


def _short(value: float) -> str:
    return format_number(value)


def _drawing(classes: list[str], shares: list[list[float]], last: int) -> Plot:
    """The share of every class after each factor."""
    at = range(len(shares))
    series = {c: (at, [one[k] for one in shares]) for k, c in enumerate(classes)}
    return draw_lines(series, "Share of each class in the products so far", "factors", "share",
                      x_range=(0, last), y_range=(0, 1), y_limits=(0, 1))  # fmt: skip
