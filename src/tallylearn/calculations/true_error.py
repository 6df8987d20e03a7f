"""The true error of a hypothesis under a known distribution: a sum, or an integral."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad

from tallylearn.calculations.calculation import (
    Calculation,
    calculation,
    equation_chain,
    formula,
    number,
    signed_sum,
)
from tallylearn.errors import InputError, KindError, OptionError, call_user_function, short_repr
from tallylearn.evaluation.theory.population import Population
from tallylearn.tables import Array
from tallylearn.workings import Grid, Sentence

WHO = "true_error"
TITLE = "True error"
CELLS = 4096  # intervals of equal probability, or width, whose ends are compared
BISECTIONS = 100  # halvings of an interval: as far as doubles go
MAX_TERMS = 6  # regions that the sum writes out
TOLERANCE = 1e-6  # by which the integral of a density may differ from 1
Probability = Callable[[float, float], float]  # P(low < x <= high)


class DisagreementRegion(NamedTuple):
    """An interval in which the hypothesis has one value, and the target another."""

    start: float
    end: float
    prediction: Any
    target: Any


def true_error(
    h: Any, f: Any, distribution: Any, *, low: float | None = None, high: float | None = None
) -> Calculation:
    """True error of a hypothesis: P(f(x) != h(x)) for x drawn from a known distribution.

    Parameters
    ----------
    h : callable or fitted model
        The hypothesis: a function of x, or a model of one numeric column.
    f : callable
        The target function.
    distribution : dict, scipy.stats distribution or callable
        P(x) of each value, as a dict; a continuous distribution such as ``scipy.stats.norm(0, 1)``;
        or a density function on [low, high], which must integrate to 1.
    low, high : float, optional
        The ends of the interval of a density function.

    Returns
    -------
    Calculation
        The error: a sum over the values, exact for fractions; or the integral of the density over
        the regions where f and h differ. The working lists them.

    Notes
    -----
    The edges of the regions are found by bisection between 4,097 points. A region that lies between
    two neighbouring points is missed.

    References
    ----------
    T. Mitchell, Machine Learning, 1997, section 5.2.

    Examples
    --------
    >>> import tallylearn as tl
    >>> from scipy.stats import uniform
    >>> print(tl.true_error(lambda x: x > 0.5, lambda x: x > 0.3, uniform(0, 1)))
    True error
    ==========
    <BLANKLINE>
    error(h) = ∫ δ(f(x) ≠ h(x)) p(x) dx
    <BLANKLINE>
    where f and h differ
    x           f(x)   h(x)    P
    0.3 to 0.5  True  False  0.2
    <BLANKLINE>
    error(h) = 0.2
    """
    target = _function(f, "f")
    if isinstance(distribution, Mapping):
        return _finite(_function(h, "h"), target, distribution)
    points, probability = _read_distribution(distribution, low, high)
    regions = _regions(_function(h, "h"), target, points)
    shares = [probability(region.start, region.end) for region in regions]
    error = math.fsum(shares)
    steps: list[Any] = [formula("error(h) = ∫ δ(f(x) ≠ h(x)) p(x) dx")]
    kept = [(region, p) for region, p in zip(regions, shares, strict=True) if p > 0]
    if not kept:
        steps.append(Sentence("f and h are equal wherever the density is above 0."))
        return calculation(0.0, TITLE, *steps, formula("error(h) = 0"))
    rows = tuple(
        (
            f"{number(r.start)} to {number(r.end)}".replace("inf", "∞"),
            str(r.target),
            str(r.prediction),
            number(p),
        )
        for r, p in kept
    )
    steps.append(Grid("where f and h differ", ("x", "f(x)", "h(x)", "P"), rows))
    terms = [number(p) for _, p in kept]
    side = [signed_sum(terms)] if len(terms) <= MAX_TERMS else []
    steps.append(formula(equation_chain("error(h)", *side, number(error))))
    return calculation(min(error, 1.0), TITLE, *steps)


def _finite(hypothesis: Callable[[Any], Any], target: Callable[[Any], Any], p: Any) -> Calculation:
    known = Population(p, target=target)
    error = known.error(hypothesis)
    wrong = [
        (cell.p, row)
        for cell in known.cells
        if hypothesis(row := known.rows[cell.row]) != cell.outcome
    ]
    rows = tuple((str(x), str(target(x)), str(hypothesis(x)), str(share)) for share, x in wrong)
    steps: list[Any] = [formula("error(h) = Σ δ(f(x) ≠ h(x)) P(x)")]
    if rows:
        steps.append(Grid("where f and h differ", ("x", "f(x)", "h(x)", "P(x)"), rows))
    terms = [str(share) for share, _ in wrong[:MAX_TERMS]] if len(wrong) <= MAX_TERMS else []
    side = [signed_sum(terms)] if terms else []
    steps.append(formula(equation_chain("error(h)", *side, str(error), number(float(error)))))
    return calculation(error, TITLE, *steps)


def _function(what: Any, name: str) -> Callable[[Any], Any]:
    """A function of one value; of a fitted model its prediction."""
    if hasattr(what, "predict"):
        return lambda x: np.asarray(what.predict(np.array([[x]]))).tolist()[0]
    if not callable(what):
        raise KindError(f"{WHO}: {name} is {short_repr(what)}. Give a function of x.")
    return lambda x: call_user_function(name, what, x)


def _read_distribution(distribution: Any, low: Any, high: Any) -> tuple[Array, Probability]:
    """Points in order, and the probability between any two of them."""
    if hasattr(distribution, "cdf") and hasattr(distribution, "ppf"):
        if hasattr(distribution, "pmf"):
            raise KindError(
                f"{WHO}: the distribution is discrete. Give its probabilities as a dict, such as "
                "{1: '1/6', 2: '5/6'}."
            )
        tail = np.geomspace(1e-15, 1 / CELLS, 65)[:-1]
        shares = np.unique([*np.linspace(0, 1, CELLS + 1), *tail, *(1 - tail)])
        try:
            points = np.asarray(distribution.ppf(shares), dtype=float)
        except Exception:
            points = np.empty(0)
        if points.shape != shares.shape or not np.isfinite(points[1:-1]).all():
            raise InputError(
                f"{WHO}: the distribution has no finite quantiles. Give one of scipy.stats with "
                "one set of parameters, such as scipy.stats.norm(0, 1)."
            )
        return points, lambda a, b: float(distribution.cdf(b) - distribution.cdf(a))
    if not callable(distribution):
        raise KindError(
            f"{WHO}: distribution is {short_repr(distribution)}. Give a dict of probabilities, a "
            "distribution such as scipy.stats.norm(0, 1), or a density function with low and high."
        )
    ends = [_end(low, "low"), _end(high, "high")]
    if ends[0] >= ends[1]:
        raise OptionError(
            f"{WHO}: low is {short_repr(low)} and high is {short_repr(high)}. Give a high above "
            "low."
        )
    points = np.linspace(ends[0], ends[1], CELLS + 1)
    _check_density(distribution, points)

    def probability(a: float, b: float) -> float:
        return float(quad(distribution, a, b, limit=200)[0])

    whole = probability(*ends)
    if not abs(whole - 1) <= TOLERANCE:
        raise InputError(
            f"{WHO}: the density integrates to {number(whole)} from {number(ends[0])} to "
            f"{number(ends[1])}, not to 1. Divide it by {number(whole)}, or change low and high."
        )
    return points, probability


def _end(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise OptionError(
            f"{WHO}: {name} is {short_repr(value)}. A density function needs low and high, two "
            "finite numbers."
        )
    return float(value)


def _check_density(density: Callable[[float], Any], points: Array) -> None:
    for x in points[:: CELLS // 64].tolist():
        found = call_user_function("distribution", density, x)
        try:
            value = float(found)
        except (TypeError, ValueError):
            value = math.nan
        if not (0 <= value < math.inf):
            raise InputError(
                f"{WHO}: the density is {short_repr(found)} at x = {number(x)}. Give a function "
                "whose values are 0 or more."
            )


def _regions(
    h: Callable[[Any], Any], f: Callable[[Any], Any], points: Array
) -> list[DisagreementRegion]:
    """The intervals where h and f differ."""

    def pair(x: float) -> tuple[Any, Any]:
        return h(x), f(x)

    found: list[DisagreementRegion] = []
    at = points.tolist()
    inside = [at[0] if math.isfinite(at[0]) else at[1], *at[1:-1]]
    inside.append(at[-1] if math.isfinite(at[-1]) else at[-2])
    start, value = at[0], pair(inside[0])
    for left, right in pairwise(inside):
        end = pair(right)
        if end != value:
            edge = _edge(pair, left, right)
            found.append(DisagreementRegion(start, edge, *value))
            start, value = edge, end
    found.append(DisagreementRegion(start, at[-1], *value))
    return [region for region in found if region.prediction != region.target]


def _edge(pair: Callable[[float], tuple[Any, Any]], left: float, right: float) -> float:
    """Where the predictions change between two points."""
    first = pair(left)
    for _ in range(BISECTIONS):
        middle = left + (right - left) / 2
        if middle in (left, right):
            break
        if pair(middle) == first:
            left = middle
        else:
            right = middle
    return right
