"""Covariance and correlation of two columns, with their working."""

from __future__ import annotations

import math
from typing import Any

from tallylearn.calculations.calculation import (
    Calculation,
    calculation,
    equation_chain,
    formula,
    number,
)
from tallylearn.calculations.calculation import numbers as read_numbers
from tallylearn.errors import InputError, OptionError, short_repr
from tallylearn.tables import Array
from tallylearn.workings import Formula, Grid, Sentence


def covariance(x: Any, y: Any, *, ddof: int = 1) -> Calculation:
    """Covariance of two columns: Σ (x - x̄)(y - ȳ) / (n - ddof).

    Parameters
    ----------
    x, y : sequences of numbers
        The columns.
    ddof : int, default=1
        The divisor is n - ddof: 1 is the unbiased estimate (of the notes and NumPy's ``cov``), 0
        the mean of the products.

    Returns
    -------
    Calculation
        The covariance.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.covariance([1, 2, 3], [2, 4, 9]))
    Covariance
    ==========
    <BLANKLINE>
    x  y  x - mean  y - mean  product
    1  2        -1        -3        3
    2  4         0        -1        0
    3  9         1         4        4
    mean of x 2, mean of y 5
    <BLANKLINE>
    cov = Σ (x - mean of x)(y - mean of y) / (n - 1) = 7 / 2 = 3.5
    """
    a, b = _columns(x, y, "covariance", ddof)
    steps, total = _products(a, b)
    divisor = len(a) - ddof
    value = total / divisor
    below = "(n - 1)" if ddof == 1 else "n" if ddof == 0 else f"(n - {ddof})"
    text = equation_chain(
        f"cov = Σ (x - mean of x)(y - mean of y) / {below}",
        f"{number(total)} / {divisor}",
        number(value),
    )
    return calculation(value, "Covariance", *steps, formula(text))


def correlation(x: Any, y: Any) -> Calculation:
    """Pearson's correlation of two columns: cov(x, y) / (sd(x) · sd(y)).

    Parameters
    ----------
    x, y : sequences of numbers
        The columns; neither is constant.

    Returns
    -------
    Calculation
        A number between -1 and 1.

    Examples
    --------
    >>> import tallylearn as tl
    >>> round(float(tl.correlation([1, 2, 3], [2, 4, 9])), 3)
    0.971
    """
    a, b = _columns(x, y, "correlation", 1)
    for name, column in (("x", a), ("y", b)):
        if (column == column[0]).all():
            raise InputError(
                f"correlation: {name} has only the value {number(column[0])}, so its standard "
                "deviation is 0 and the correlation is not defined."
            )
    steps, total = _products(a, b)
    squares = [float(((column - column.mean()) ** 2).sum()) for column in (a, b)]
    value = max(-1.0, min(1.0, total / math.sqrt(squares[0]) / math.sqrt(squares[1])))
    sums = [
        formula(f"Σ (x - mean of x)² = {number(squares[0])}"),
        formula(f"Σ (y - mean of y)² = {number(squares[1])}"),
    ]
    text = equation_chain(
        "r = Σ (x - mean of x)(y - mean of y) / sqrt(Σ (x - mean of x)² · Σ (y - mean of y)²)",
        f"{number(total)} / sqrt({number(squares[0])} · {number(squares[1])})",
        number(value),
    )
    return calculation(value, "Correlation", *steps, *sums, formula(text))


def _columns(x: Any, y: Any, who: str, ddof: int) -> tuple[Array, Array]:
    a, b = read_numbers(x, who, "x", 2), read_numbers(y, who, "y", 2)
    if len(a) != len(b):
        raise InputError(
            f"{who}: x has {len(a):,} values and y has {len(b):,}. Give one of each for every row."
        )
    if not isinstance(ddof, int) or not 0 <= ddof < len(a):
        raise OptionError(
            f"{who}: ddof is {short_repr(ddof)}. Give 0 or 1; the divisor is n - ddof."
        )
    return a, b


def _products(a: Array, b: Array) -> tuple[tuple[Grid | Formula | Sentence, ...], float]:
    """The deviations from the means and their products, as a table, and the sum of the products."""
    left, right = a - a.mean(), b - b.mean()
    total = math.fsum((left * right).tolist())
    cells = tuple(
        tuple(map(number, row)) for row in zip(a, b, left, right, left * right, strict=True)
    )
    note = f"mean of x {number(a.mean())}, mean of y {number(b.mean())}"
    return (Grid("", ("x", "y", "x - mean", "y - mean", "product"), cells, note),), total
