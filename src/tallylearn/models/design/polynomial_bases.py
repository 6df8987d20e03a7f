"""Polynomial and spline bases of a formula: ``poly``, ``bs``, ``cr`` and ``cc``.

All are piecewise polynomials, so a fitted basis is stored as breakpoints and coefficients, and
evaluated in one way. ``poly`` is orthogonal over the training rows (three-term recurrence, as in
R); ``bs`` has the B-splines of R, patsy and formulaic; ``cr`` and ``cc`` are the natural and the
cyclic cubic regression splines of patsy, whose coefficients are the values at the knots.

References: C. de Boor, A Practical Guide to Splines, 2001, chapters 7 and 9; S. Wood, Generalized
Additive Models, 2006, section 4.1.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError
from tallylearn.estimators.formulas import Basis
from tallylearn.tables import Array, field_schemas

MIN_CUBIC_KNOTS = 2


@dataclass(frozen=True)
class PiecewisePolynomials:
    """Several polynomials on each of m intervals: powers of the distance from its left end.

    The first and the last polynomial go on beyond the outer breakpoints; ``period`` repeats them.
    """

    breaks: Array  # (m + 1,) increasing
    coefficients: Array  # (degree + 1, m, q), the highest power first
    period: bool = False

    form: ClassVar[field_schemas.Form] = {
        "breaks": field_schemas.floats("b"),
        "coefficients": field_schemas.floats("d", "m", "q"),
        "period": field_schemas.truth,
    }

    def __post_init__(self) -> None:
        if len(self.breaks) != self.coefficients.shape[1] + 1 or not self.coefficients.size:
            raise ValueError("a basis has other pieces than intervals")
        if not (np.diff(self.breaks) > 0).all():
            raise ValueError("the breakpoints of a basis do not rise")

    @property
    def width(self) -> int:
        """The number of polynomials."""
        return int(self.coefficients.shape[2])

    def __call__(self, x: Array) -> Array:
        """(n, q) the values of the polynomials."""
        first, last = self.breaks[0], self.breaks[-1]
        if self.period:  # the upper end belongs to the last interval, as in patsy
            outside = (x < first) | (x > last)
            x = np.where(outside, first + (x - first) % (last - first), x)
        at = np.searchsorted(self.breaks[1:-1], x, side="right")
        from_left = (x - self.breaks[at])[:, None]
        found = np.zeros((len(x), self.width))
        for power in self.coefficients:  # Horner's rule
            found = found * from_left + power[at]
        return found


def fit_basis(basis: Basis, values: Array, counts: Array, text: str) -> PiecewisePolynomials:
    """The basis of the training rows, given their distinct values in order and how often each is.

    Parameters
    ----------
    basis : Basis
        The function and its arguments, as the formula has them.
    values, counts : ndarray of shape (k,)
        The distinct values of its variable, increasing, and the number of rows of each.
    text : str
        The factor as it was written, for errors.
    """
    if len(values) < 2:
        raise ColumnError(
            f"{text} of the formula has {len(values)} distinct value, and a basis needs several. "
            "Leave it out of the formula."
        )
    fit = {"poly": _fit_poly, "bs": _fit_b_splines}.get(basis.function, _fit_cubic_splines)
    return fit(basis, values, counts, text)


def _fit_poly(basis: Basis, values: Array, counts: Array, text: str) -> PiecewisePolynomials:
    """Orthogonal polynomials of degree 1 to d, or the powers, with ``raw=True``."""
    degree = basis.arguments.get("degree", 1)
    middle = 0.0 if basis.arguments.get("raw", False) else float(values[0] / 2 + values[-1] / 2)
    if not basis.arguments.get("raw", False) and degree >= len(values):
        raise ColumnError(
            f"{text} of the formula needs more than {degree} distinct values, and there are "
            f"{len(values)}. Use a degree of at most {len(values) - 1}."
        )
    breaks = np.array([middle, max(values[-1], np.nextafter(middle, np.inf))])
    powers = np.eye(degree + 1)  # row k: the coefficients of the polynomial k, lowest power first
    if not basis.arguments.get("raw", False):
        t = values - middle
        before, here = np.zeros(degree + 1), np.eye(degree + 1)[0]
        found, size_before = [here], 1.0
        p_before, p = np.zeros(len(t)), np.ones(len(t))
        for _ in range(degree):
            size = float(counts @ p**2)
            alpha, beta = float(counts @ (t * p**2)) / size, size / size_before
            beta = beta if len(found) > 1 else 0.0
            before, here = here, np.roll(here, 1) - alpha * here - beta * before
            p_before, p = p, (t - alpha) * p - beta * p_before
            size_before = size
            found.append(here / np.sqrt(float(counts @ p**2)))
        powers = np.array(found)
    coefficients = powers[1:, ::-1].T[:, None, :]
    return PiecewisePolynomials(breaks, np.ascontiguousarray(coefficients))


def _fit_b_splines(basis: Basis, values: Array, counts: Array, text: str) -> PiecewisePolynomials:
    """B-splines whose inner knots are quantiles of the rows, unless they are given."""
    from scipy.interpolate import BSpline

    given = basis.arguments
    degree, intercept = given.get("degree", 3), bool(given.get("include_intercept", False))
    low, high = _bounds(given, values, text)
    inner = given.get("knots")
    if inner is None:
        number = given.get("df", degree + intercept) - degree - intercept
        if number < 0:
            raise OptionError(
                f"df={given['df']} in {text} of the formula is below {degree + intercept}, the "
                f"smallest of this degree. Use df={degree + intercept} or more."
            )
        inner = _quantiles(*_between(values, counts, low, high), number)
    inner = np.sort(np.asarray(inner, dtype=np.float64))
    _check_inside(inner, low, high, text)
    knots = np.concatenate([np.full(degree + 1, low), inner, np.full(degree + 1, high)])
    spline = BSpline(knots, np.eye(len(knots) - degree - 1), degree)
    breaks = np.unique(knots)
    taylor = [spline(breaks[:-1], nu) / math.factorial(nu) for nu in range(degree, -1, -1)]
    coefficients = np.array(taylor)[:, :, 0 if intercept else 1 :]
    if not coefficients.shape[2]:
        raise OptionError(f"{text} of the formula has no columns. Use a degree of 1 or more.")
    return PiecewisePolynomials(breaks, np.ascontiguousarray(coefficients))


def _fit_cubic_splines(
    basis: Basis, values: Array, counts: Array, text: str
) -> PiecewisePolynomials:
    """Natural (``cr``, linear beyond the outer knots) or cyclic (``cc``) cubic splines."""
    from scipy.interpolate import CubicSpline

    given, cyclic = basis.arguments, basis.function == "cc"
    low, high = _bounds(given, values, text)
    centred = given.get("constraints") == "center"
    inner = given.get("knots")
    if inner is None:
        if "df" not in given:
            raise OptionError(f"{text} of the formula has neither df nor knots. Give one: df=4.")
        number = given["df"] - MIN_CUBIC_KNOTS + centred + cyclic
        least = 1 if cyclic or centred else MIN_CUBIC_KNOTS
        if given["df"] < least:
            raise OptionError(f"df={given['df']} in {text} of the formula is below {least}.")
        between, _ = _between(values, counts, low, high)
        inner = _quantiles(between, np.ones(len(between)), number)  # of distinct values: patsy
    inner = np.unique(np.asarray(inner, dtype=np.float64))
    _check_inside(inner, low, high, text)
    if len(odd := inner[(inner == low) | (inner == high)]):
        raise OptionError(
            f"the knot {odd[0]:g} in {text} of the formula is at an end of the range {low:g} to "
            f"{high:g}. Choose knots between the ends."
        )
    knots = np.array([low, *inner, high])
    heights = np.eye(len(knots))
    if cyclic:
        heights = heights[:, :-1]
        heights[-1] = heights[0]
        found = CubicSpline(knots, heights, bc_type="periodic")
        breaks, coefficients = knots, found.c
    else:
        found = CubicSpline(knots, heights, bc_type="natural")
        step = knots[-1] - knots[0]
        line = np.zeros((4, 2, len(knots)))  # value and slope at the ends, one step further out
        line[2] = found(knots[[0, -1]], 1)
        line[3] = found(knots[[0, -1]]) - np.array([[step], [0.0]]) * line[2]
        breaks = np.concatenate([[knots[0] - step], knots, [knots[-1] + step]])
        coefficients = np.concatenate([line[:, :1], found.c, line[:, 1:]], axis=1)
    fitted = PiecewisePolynomials(breaks, np.ascontiguousarray(coefficients), cyclic)
    if not centred:
        return fitted
    mean = counts @ fitted(values) / counts.sum()
    q, _ = np.linalg.qr(mean[:, None], mode="complete")
    return PiecewisePolynomials(breaks, fitted.coefficients @ q[:, 1:], cyclic)


def _bounds(given: Mapping[str, Any], values: Array, text: str) -> tuple[float, float]:
    """The outer knots."""
    low = float(given.get("lower_bound", values[0]))
    high = float(given.get("upper_bound", values[-1]))
    if not low < high:
        raise OptionError(
            f"lower_bound={low:g} in {text} of the formula is not below upper_bound={high:g}. Swap "
            "them."
        )
    return low, high


def _between(values: Array, counts: Array, low: float, high: float) -> tuple[Array, Array]:
    inside = (values >= low) & (values <= high)
    return values[inside], counts[inside]


def _quantiles(values: Array, counts: Array, number: int) -> Array:
    """(number,) equally spaced quantiles of rows, interpolated linearly (R's type 7)."""
    if not number or not len(values):
        return np.zeros(0)
    rank = np.linspace(0, 1, number + 2)[1:-1] * (counts.sum() - 1)
    upto = np.cumsum(counts)
    low, high = (
        values[np.searchsorted(upto, each, side="right")]
        for each in (np.floor(rank), np.ceil(rank))
    )
    return np.asarray(low + (rank - np.floor(rank)) * (high - low))


def _check_inside(knots: Array, low: float, high: float, text: str) -> None:
    if len(odd := knots[(knots < low) | (knots > high)]):
        raise OptionError(
            f"the knot {odd[0]:g} in {text} of the formula is outside of the range {low:g} to "
            f"{high:g}. Choose knots inside, or set lower_bound and upper_bound."
        )
