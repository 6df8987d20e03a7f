"""Distances between two rows, the sigmoid and the softmax, with their working."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tallylearn.calculations.calculation import (
    Calculation,
    TableOfResults,
    calculation,
    equation_chain,
    formula,
    number,
    numbers,
    signed_sum,
    table_of_results,
)
from tallylearn.errors import InputError, OptionError, quoted_list, short_repr
from tallylearn.workings import Grid
from tallylearn.workings.distance_steps import distance_formula

METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "hamming")


def distance(x: Any, z: Any, metric: str = "euclidean", *, p: float = 3.0) -> Calculation:
    """Distance between two rows.

    Parameters
    ----------
    x, z : sequences of the same length
        The rows: numbers, or any values for "hamming".
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "hamming"}, default="euclidean"
        "hamming" counts the places that differ.
    p : float, default=3.0
        The power of "minkowski": (Σ |x - z|^p)^(1/p).

    Returns
    -------
    Calculation
        The distance.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.distance([1, 2], [4, 6]))
    Euclidean distance
    ==================
    <BLANKLINE>
    d = sqrt((1 - 4)² + (2 - 6)²) = sqrt(9 + 16) = sqrt(25) = 5
    """
    if not isinstance(metric, str) or metric not in METRICS:
        raise OptionError(
            f"distance: metric is {short_repr(metric)}. Choose from {quoted_list(METRICS)}."
        )
    if metric == "hamming":
        return _hamming(_values(x, "x"), _values(z, "z"))
    a, b = numbers(x, "distance", "x").tolist(), numbers(z, "distance", "z").tolist()
    _check_lengths(a, b)
    if metric == "minkowski" and not (isinstance(p, int | float) and 1 <= p < math.inf):
        raise OptionError(f"distance: p is {short_repr(p)}. Give a number from 1 on.")
    gaps = [abs(s - t) for s, t in zip(a, b, strict=True)]
    if metric == "manhattan":
        value = math.fsum(gaps)
    elif metric == "chebyshev":
        value = max(gaps)
    elif metric == "minkowski":
        value = math.fsum(gap**p for gap in gaps) ** (1 / p)
    else:
        value = math.hypot(*gaps)
    title = f"{metric.capitalize()} distance"
    return calculation(value, title, distance_formula("d", a, b, metric, p))


def sigmoid(z: float) -> Calculation:
    """The logistic sigmoid: 1 / (1 + e^-z).

    Parameters
    ----------
    z : float
        The log-odds.

    Returns
    -------
    Calculation
        A probability.

    Examples
    --------
    >>> import tallylearn as tl
    >>> print(tl.sigmoid(0.5))
    Sigmoid
    =======
    <BLANKLINE>
    sigmoid(0.5) = 1 / (1 + e^(-0.5)) = 1 / (1 + 0.6065) = 0.6225
    """
    (found,) = numbers([z], "sigmoid", "z").tolist()
    value = 1 / (1 + math.exp(-found)) if found >= 0 else math.exp(found) / (1 + math.exp(found))
    power = f"1 / (1 + {number(math.exp(min(-found, 700.0)))})"
    text = equation_chain(
        f"sigmoid({number(found)}) = 1 / (1 + e^({number(-found)}))", power, number(value)
    )
    return calculation(value, "Sigmoid", formula(text))


def softmax(z: Any) -> TableOfResults:
    """Softmax: e^z_k / Σ e^z_j, probabilities that are in proportion to e^z.

    Parameters
    ----------
    z : mapping of names to numbers, or sequence of numbers
        The scores; those of a sequence are named 0, 1, 2 ...

    Returns
    -------
    TableOfResults
        The probability of each name.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.softmax([2, 1, 0])
    >>> round(found[0], 3)
    0.665
    """
    named = dict(z) if isinstance(z, Mapping) else dict(enumerate(_values(z, "z", "softmax")))
    if not named:
        raise InputError("softmax: there are no scores. Give at least one.")
    scores = numbers([*named.values()], "softmax", "z").tolist()
    largest = max(scores)  # subtracted, so that no power overflows; the ratios stay the same
    powers = [math.exp(one - largest) for one in scores]
    total = math.fsum(powers)
    found = {name: power / total for name, power in zip(named, powers, strict=True)}
    shift = largest if largest > 100 else 0.0
    shown = [math.exp(one - shift) for one in scores]
    cells = tuple(
        (str(name), number(score), number(power), number(share))
        for name, score, power, share in zip(named, scores, shown, found.values(), strict=True)
    )
    head = f"e^(z - {number(shift)})" if shift else "e^z"
    grid = Grid("", ("", "z", head, "softmax"), cells)
    text = equation_chain(f"Σ {head}", signed_sum([*map(number, shown)]), number(math.fsum(shown)))
    return table_of_results(found, "Softmax", grid, formula(text))


def _hamming(a: list[Any], b: list[Any]) -> Calculation:
    _check_lengths(a, b)
    differ = [f"{s} ≠ {t}" for s, t in zip(a, b, strict=True) if s != t]
    text = f"d = {len(differ)} of {len(a)} places differ"
    notes = [formula(", ".join(differ))] if differ else []
    return calculation(float(len(differ)), "Hamming distance", formula(text), *notes)


def _values(given: Any, name: str, who: str = "distance") -> list[Any]:
    try:
        return [*given]
    except Exception:
        raise InputError(f"{who}: {name} is {short_repr(given, 80)}. Give a list.") from None


def _check_lengths(a: list[Any], b: list[Any]) -> None:
    if len(a) != len(b) or not a:
        raise InputError(
            f"distance: x has {len(a)} values and z has {len(b)}. Give rows of equal length."
        )
