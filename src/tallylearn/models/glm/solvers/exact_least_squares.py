"""Least squares in rational arithmetic: coefficients are rounded once, at the end.

Sums of products are kept without rounding (``tallies.Products``), so the normal equations are those
of the numbers given. They are solved in fractions by Gaussian elimination: the coefficients are the
doubles nearest to the true solution. L D Lᵀ of the same matrix gives the triangle R = √D Lᵀ for the
standard errors, also rounded once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

import numpy as np

from tallylearn.models.design.matrix import Design
from tallylearn.models.design.powers import group_summands
from tallylearn.models.design.terms import POOLED
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, LeastSquaresSolution
from tallylearn.tables import Array
from tallylearn.tallies import Products
from tallylearn.tallies.exact import Exact

# Bits of a square root before it is rounded to a double: more than twice 53, so that the second
# rounding almost never differs from rounding once.
ROOT_BITS = 120

Matrix = list[list[Fraction]]


SummandPlaces = Mapping[tuple[str, str], list[int]]


@dataclass(frozen=True)
class ExactNormalEquations:
    """The products of the design's columns and the targets, exactly."""

    design: Design
    rows: Fraction
    means: list[Fraction]  # (p + t,)
    products: Matrix  # (p + t, p + t), centred where there is an intercept
    centred: bool


def exact_normal_equations(tally: Products, design: Design, centred: bool) -> ExactNormalEquations:
    """Sums over all folds, rare values and summands of powers joined, gaps filled by the mean."""
    groups = group_summands(tally.names)
    targets = sorted(name for name in groups if name[1][:1] == "!")
    wanted = [*zip(design.columns, design.values, strict=True), *targets]
    parts = [_summand_places(groups, design, *name) for name in wanted]
    count, sums, products = (_sum_over_folds(p) for p in (tally.count, tally.sums, tally.products))
    always = groups[targets[0]][0]
    n = count[always, always]
    whole = [sum((sums[a, a] for a in at), Fraction(0)) for at in parts]
    shown = [count[at[0], at[0]] if at else n for at in parts]
    fills = [s / c if c else Fraction(0) for s, c in zip(whole, shown, strict=True)]
    size = len(wanted)
    out: Matrix = [[Fraction(0)] * size for _ in range(size)]
    for i in range(size):
        for j in range(i, size):
            a, b = parts[i], parts[j]
            both = sum((products[u, v] for u in a for v in b), Fraction(0))
            seen = sum((sums[u, b[0]] for u in a), Fraction(0)) if b else whole[i]
            turn = sum((sums[v, a[0]] for v in b), Fraction(0)) if a else whole[j]
            pair = count[a[0], b[0]] if a and b else n
            both += fills[j] * (whole[i] - seen) + fills[i] * (whole[j] - turn)
            both += fills[i] * fills[j] * (n - shown[i] - shown[j] + pair)
            out[i][j] = out[j][i] = both
    means = [(w + f * (n - s)) / n for w, f, s in zip(whole, fills, shown, strict=True)]
    if centred:
        out = [[out[i][j] - n * means[i] * means[j] for j in range(size)] for i in range(size)]
    return ExactNormalEquations(design, n, means, out, centred)


def solve_exactly(
    found: ExactNormalEquations, normal: LeastSquaresProblem, penalty: Array
) -> tuple[LeastSquaresProblem, LeastSquaresSolution | None]:
    """The triangle, rounded once, and the coefficients; None if columns are collinear."""
    p, size = normal.p, len(found.means)
    lower, spread = _factor_ldl(found.products, size)
    normal = _round_problem(found, normal, lower, spread)
    coef, (intercept, rest) = np.empty((size - p, p)), np.zeros((2, size - p))
    for t, alpha in enumerate(penalty):
        more = Fraction(float(alpha))
        some = [[*row[:p], row[p + t]] for row in found.products[:p]]
        for j in range(p):
            some[j][j] += more
        solution = _eliminate(some)
        if solution is None:
            return normal, None
        coef[t] = [float(w) for w in solution]
        told = (
            w * (row[p + t] + more * w) for w, row in zip(solution, found.products, strict=False)
        )
        rest[t] = float(found.products[p + t][p + t] - sum(told, Fraction(0)))
        if found.centred:
            off = (w * m for w, m in zip(solution, found.means[:p], strict=True))
            intercept[t] = float(found.means[p + t] - sum(off, Fraction(0)))
    return normal, LeastSquaresSolution(
        coef, np.arange(p), penalty=penalty, intercept=intercept, rest=rest
    )


def _round_problem(
    found: ExactNormalEquations, normal: LeastSquaresProblem, lower: Matrix, spread: list[Fraction]
) -> LeastSquaresProblem:
    """√D Lᵀ in units of the columns' lengths."""
    size = len(spread)
    long = [_square_root(found.products[j][j]) for j in range(size)]
    scale = np.array([float(one) if one else 1.0 for one in long])
    root = np.zeros((size, size))
    for i in range(size):
        half = _square_root(spread[i])
        for j in range(i, size):
            root[i, j] = float(half * lower[j][i] / (long[j] or 1))
    means = found.means if found.centred else [Fraction(0)] * size
    mean = np.array([float(m) for m in means])
    low = np.array([float(m - Fraction(near)) for m, near in zip(means, mean, strict=True)])
    return replace(normal, scale=scale, root=root, mean=mean, low=low, squared=False)


def _factor_ldl(a: Matrix, size: int) -> tuple[Matrix, list[Fraction]]:
    """L and D with a = L D Lᵀ; a column that is linearly dependent on earlier ones has D zero."""
    left, spread = [row[:] for row in a], [Fraction(0)] * size
    lower: Matrix = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for k in range(size):
        spread[k] = left[k][k]
        if not spread[k]:
            continue
        for i in range(k + 1, size):
            lower[i][k] = left[i][k] / spread[k]
        for i in range(k + 1, size):
            if lower[i][k]:
                for j in range(k + 1, i + 1):
                    left[i][j] -= lower[i][k] * left[j][k]
    return lower, spread


def _eliminate(rows: Matrix) -> list[Fraction] | None:
    """x of the equations (p, p + 1), by Gauss's elimination; None where they have many."""
    p = len(rows)
    for k in range(p):
        at = next((i for i in range(k, p) if rows[i][k]), None)
        if at is None:
            return None
        rows[k], rows[at] = rows[at], rows[k]
        for i in range(k + 1, p):
            if rows[i][k]:
                share = rows[i][k] / rows[k][k]
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[k], strict=True)]
    out = [Fraction(0)] * p
    for k in range(p - 1, -1, -1):
        rest = sum((rows[k][j] * out[j] for j in range(k + 1, p)), Fraction(0))
        out[k] = (rows[k][p] - rest) / rows[k][k]
    return out


def _square_root(x: Fraction) -> Fraction:
    """A square root to so many bits."""
    if x <= 0:
        return Fraction(0)
    shift = max(0, ROOT_BITS - x.numerator.bit_length() + x.denominator.bit_length())
    return Fraction(isqrt((x.numerator << 2 * shift) // x.denominator), 1 << shift)


def _sum_over_folds(part: Exact) -> dict[tuple[int, int], Fraction]:
    """The entries (p, p) of exact numbers (k, p, p), over all keys."""
    numbers, power = part.to_integers()
    total, unit = numbers.sum(axis=0), Fraction(2) ** power
    return {at: Fraction(int(x)) * unit for at, x in np.ndenumerate(total)}


def _summand_places(groups: SummandPlaces, design: Design, name: str, value: str) -> list[int]:
    """Where the summands of a column of the design were counted."""
    if value != POOLED or (name, value) in groups:
        return groups.get((name, value), [])
    rare = design.rare.by_column[name]
    return [at for one in rare for at in groups.get((name, f"={one}"), [])]
