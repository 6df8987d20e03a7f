"""The working of discriminants: the covariance, its inverse, coefficients, and one row's scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.models.naive_bayes.class_priors import Priors
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import Array
from tallylearn.workings import Formula, Grid, Sentence
from tallylearn.workings.distance_steps import bracket_negative, difference
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum
from tallylearn.workings.weighted_sums import MAX_SHOWN_TERMS, weighted_sum

MOST_SHOWN = 8  # columns of a covariance that is written out
MOST_WORKED = 3  # columns of which every entry and coefficient is written out
MOST_CLASSES = 6  # classes whose scores one formula compares
NEARLY_ZERO = 1e-12  # relative: what rounding alone may leave
DIVISOR = (
    "The covariance of a class is the sum of (x - mean)(x - mean)ᵀ over its rows, divided by their "
    "number N, not by N - 1, before any shrinkage."
)
Step = Grid | Formula | Sentence


def matrix_grid(title: str, matrix: Array, names: Sequence[str], order: Array) -> Grid:
    """A symmetric matrix, written out where it is small; entries that rounding left are 0."""
    shown = order[:MOST_SHOWN]
    note = f"… and {len(order) - MOST_SHOWN} more columns" if len(order) > MOST_SHOWN else ""
    matrix = without_rounding(matrix)
    rows = tuple((names[i], *(format_number(float(matrix[i, j])) for j in shown)) for i in shown)
    return Grid(title, ("", *(names[j] for j in shown)), rows, note)


def without_rounding(matrix: Array) -> Array:
    """A covariance or its inverse with 0 for entries that rounding alone has left."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    return np.where(np.abs(matrix) <= NEARLY_ZERO * np.outer(size, size), 0.0, matrix)


def pooled_steps(
    priors: Priors, within: Array, covariance: Array, names: Sequence[str], order: Array
) -> Iterator[Step]:
    """Every entry of the pooled covariance as a mean of those of the classes."""
    shares = priors.share
    if len(order) > MOST_WORKED or len(shares) > MOST_CLASSES:
        return
    if not np.allclose(np.tensordot(shares, within, 1), covariance):
        return
    total = float(priors.count.sum())
    texts = [f"{n:g}/{total:g}" if priors.counted else number(s)
             for n, s in zip(priors.count, shares, strict=True)]  # fmt: skip
    parts, pooled = [*map(without_rounding, within)], without_rounding(covariance)
    for at, i in enumerate(order):
        for j in order[at:]:
            sides = [f"{t} · {bracket_negative(number(float(s[i, j])))}"
                     for t, s in zip(texts, parts, strict=True)]  # fmt: skip
            name = f"cov({names[i]}, {names[j]})"
            yield formula(equation_chain(name, signed_sum(sides), number(float(pooled[i, j]))))


def inverse_steps(
    name: str, covariance: Array, names: Sequence[str], order: Array
) -> Iterator[Step]:
    """The determinant of two columns, and the inverse of a covariance."""
    p = len(order)
    if not 1 <= p <= MOST_SHOWN or not _regular(covariance):
        return
    if p == 1:
        value = float(covariance[0, 0])
        yield formula(f"1 / variance = 1 / {format_number(value)} = {format_number(1 / value)}")
        return
    if p == 2:
        pooled = without_rounding(covariance)
        a, b, c = (float(pooled[i, j]) for i, j in ((0, 0), (1, 1), (0, 1)))
        side = f"{format_number(a)} · {format_number(b)} - {bracket_negative(format_number(c))}²"
        yield formula(f"determinant = {side} = {format_number(a * b - c * c)}")
    yield matrix_grid(f"{name}⁻¹", np.linalg.inv(covariance), names, order)


def _regular(covariance: Array) -> bool:
    """Whether a matrix has an inverse that rounding leaves four digits of."""
    size = np.sqrt(np.diag(covariance))
    return bool((size > 0).all() and np.linalg.cond(covariance / np.outer(size, size)) < 1e10)


def two_class_steps(
    mean: Array,
    covariance: Array,
    weights: Array,
    start: float,
    shares: Array,
    names: Sequence[str],
    order: Array,
) -> Iterator[Step]:
    """w = Σ⁻¹(μ1 - μ2), and w0 from it."""  # fmt: skip
    if len(order) > MOST_WORKED or not _regular(covariance) or not shares.all():
        return
    inverse, apart = np.linalg.inv(covariance), mean[0] - mean[1]
    middle = -0.5 * float(weights @ mean.sum(axis=0)) + math.log(shares[0] / shares[1])
    if not (np.allclose(inverse @ apart, weights) and np.isclose(middle, start)):
        return
    inverse = without_rounding(inverse)
    for i in order:
        sides = [
            f"{number(float(inverse[i, j]))} · ({difference(float(mean[0, j]), float(mean[1, j]))})"
            for j in order
        ]
        yield formula(f"w({names[i]}) = {signed_sum(sides)} = {number(float(weights[i]))}")
    sides = [
        f"{number(float(weights[j]))} · ({number(float(mean[0, j]))} + "
        f"{bracket_negative(number(float(mean[1, j])))})"
        for j in order
    ]
    log = f"ln({number(float(shares[0]))} / {number(float(shares[1]))})"
    yield formula(f"w0 = -½ · ({signed_sum(sides)}) + {log} = {number(start)}")


def several_class_steps(
    classes: Sequence[Any],
    mean: Array,
    covariance: Array,
    weights: Array,
    bias: Array,
    shares: Array,
    names: Sequence[str],
    order: Array,
) -> Iterator[Step]:
    """w_k = Σ⁻¹(μ_k - μ), and w_k0 from it."""  # fmt: skip
    few = len(order) <= MOST_WORKED and len(classes) <= MOST_CLASSES
    if not few or not _regular(covariance) or not shares.all():
        return
    inverse, centre = np.linalg.inv(covariance), shares @ mean
    middle = np.log(shares) - 0.5 * (weights * (mean + centre)).sum(axis=1)
    if not (np.allclose((mean - centre) @ inverse, weights) and np.allclose(middle, bias)):
        return
    inverse = without_rounding(inverse)
    cells = ("μ", *(number(float(centre[j])) for j in order))
    yield Grid("mean of the class means", ("", *(names[j] for j in order)), (cells,))
    for c, name in enumerate(classes):
        for i in order:
            apart = [difference(float(mean[c, j]), float(centre[j])) for j in order]
            sides = [f"{number(float(inverse[i, j]))} · ({text})"
                     for j, text in zip(order, apart, strict=True)]  # fmt: skip
            value = number(float(weights[c, i]))
            yield formula(f"w({names[i]}, {name}) = {signed_sum(sides)} = {value}")
        sides = [
            f"{number(float(weights[c, j]))} · ({number(float(mean[c, j]))} + "
            f"{bracket_negative(number(float(centre[j])))})"
            for j in order
        ]
        side = f"ln({number(float(shares[c]))}) - ½ · ({signed_sum(sides)})"
        yield formula(f"w0({name}) = {side} = {number(float(bias[c]))}")


def score_formula(name: Any, start: float, weights: Array, x: Array, score: float) -> Formula:
    """A linear discriminant of one row: its start value, and every coefficient times its value."""
    if len(x) > MAX_SHOWN_TERMS:
        return formula(f"a({name}) = w0 + w·x = {number(score)}")
    pairs = [*zip(weights.tolist(), x.tolist(), strict=True)]
    return formula(equation_chain(f"a({name})", weighted_sum(start, pairs), number(score)))


def share_formula(classes: Sequence[Any], scores: Array, best: int, share: float) -> Step:
    """The probability of the class with the largest score, from the differences of scores."""
    rest = [c for c in range(len(classes)) if c != best and scores[c] > -math.inf]
    name = f"P({classes[best]} | x)"
    if not rest or len(rest) >= MOST_CLASSES:
        return formula(f"{name} = {number(share)}")
    apart = [f"e^({difference(float(scores[c]), float(scores[best]))})" for c in rest]
    powers = [number(math.exp(float(scores[c] - scores[best]))) for c in rest]
    sides = [f"1 / ({signed_sum(['1', *each])})" for each in (apart, powers)]
    return formula(equation_chain(name, *sides, number(share)))


def gaussian_score_steps(
    name: Any,
    x: Array,
    mean: Array,
    covariance: Array,
    prior: float,
    score: float,
    names: Sequence[str],
    order: Array,
) -> Iterator[Step]:
    """ln p - ½ ln |2π Σ| - ½ D² of one row and class, D² = (x - μ)ᵀ Σ⁻¹ (x - μ)."""  # fmt: skip
    if prior <= 0 or not _regular(covariance):
        return
    p = len(order)
    size = float(np.linalg.slogdet(covariance)[1])
    apart = x - mean
    inverse = without_rounding(np.linalg.inv(covariance))
    squared = float(apart @ np.linalg.solve(covariance, apart))
    if p <= MOST_WORKED:
        sides = list[str]()
        yield Sentence(f"Class {name}: d is the difference from its mean, and D² = dᵀ Σ⁻¹ d.")
        for i in order:
            yield formula(
                f"d({names[i]}) = {difference(float(x[i]), float(mean[i]))} = "
                f"{number(float(apart[i]))}"
            )
        for at, i in enumerate(order):
            d = bracket_negative(number(float(apart[i])))
            sides.append(f"{number(float(inverse[i, i]))} · {d}²")
            for j in order[at + 1 :]:
                twice = number(2 * float(inverse[i, j]))
                sides.append(f"{twice} · {d} · {bracket_negative(number(float(apart[j])))}")
        yield formula(equation_chain(f"D²({name})", signed_sum(sides), number(squared)))
    log = math.log(prior)
    logs = f"{p} · ln(2 · π)" if p > 1 else "ln(2 · π)"
    volume = f"½ · ({logs} + {bracket_negative(number(size))})"
    side = f"ln({number(prior)}) - {volume} - ½ · {number(squared)}"
    amounts = [log, -0.5 * (p * math.log(2 * math.pi) + size), -0.5 * squared]
    yield formula(
        equation_chain(f"a({name})", side, signed_sum([*map(number, amounts)]), number(score))
    )
