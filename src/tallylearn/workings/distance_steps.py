"""The distance between two rows, or from a row to a centre, with its arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tallylearn.reporting.formatting import format_number
from tallylearn.workings.derivations import Formula
from tallylearn.workings.equations import equation_chain, formula, number, signed_sum

MAX_SHOWN_COLUMNS = 8  # columns of a distance that a formula writes out


def distance_formula(
    name: str, x: Sequence[float], z: Sequence[float], metric: str = "euclidean", p: float = 3.0
) -> Formula:
    """The distance of two rows of numbers as an equation.

    Parameters
    ----------
    name : str
        The left side.
    x, z : sequence of float
        The rows, of equal length.
    metric : {"euclidean", "squared", "manhattan", "chebyshev", "minkowski", "cosine"}
        The distance; "squared" is the square of Euclid's.
    p : float, default 3.0
        The power of "minkowski".

    Returns
    -------
    Formula

    Examples
    --------
    >>> print(distance_formula("d", [1, 2], [4, 6]))
    d = sqrt((1 - 4)² + (2 - 6)²) = sqrt(9 + 16) = sqrt(25) = 5
    >>> print(distance_formula("d", [18262.5, 2], [18262.25, 2], "manhattan"))
    d = |18262.5 - 18262.25| + |2 - 2| = 0.25 + 0 = 0.25
    """
    if metric == "cosine":
        return _cosine(name, x, z)
    gaps = [abs(s - t) for s, t in zip(x, z, strict=True)]
    pairs = [difference(s, t) for s, t in zip(x, z, strict=True)]
    sides = {
        "euclidean": _euclidean, "squared": _squares, "manhattan": _manhattan,
        "chebyshev": _chebyshev,
    }  # fmt: skip
    found = _minkowski(pairs, gaps, p) if metric == "minkowski" else sides[metric](pairs, gaps)
    if len(gaps) > MAX_SHOWN_COLUMNS:
        found = found[-2:] if metric in ("euclidean", "minkowski") else found[-1:]
    return formula(equation_chain(name, *found))


def difference(s: float, t: float) -> str:
    """Two numbers with a minus between them, in digits enough for three of their difference."""
    one, other = numbers_apart(s, t)
    return f"{one} - {bracket_negative(other)}"


def numbers_apart(s: float, t: float) -> tuple[str, str]:
    """Two numbers in digits enough for three of their difference."""
    for digits in range(4, 18):
        one, other = (f"{value + 0.0:.{digits}g}" for value in (s, t))
        if abs(float(one) - float(other) - (s - t)) <= 2e-3 * abs(s - t):
            break
    return (number(s), number(t)) if digits == 4 else (one, other)


def bracket_negative(text: str) -> str:
    """A number behind a sign: a negative one in brackets."""
    return f"({text})" if text.startswith("-") else text


def _euclidean(pairs: Sequence[str], gaps: Sequence[float]) -> list[str]:
    squares = [gap * gap for gap in gaps]
    return [
        f"sqrt({signed_sum([f'({one})²' for one in pairs])})",
        f"sqrt({signed_sum([*map(number, squares)])})",
        f"sqrt({number(math.fsum(squares))})",
        number(math.hypot(*gaps)),
    ]


def _squares(pairs: Sequence[str], gaps: Sequence[float]) -> list[str]:
    squares = [gap * gap for gap in gaps]
    return [
        signed_sum([f"({one})²" for one in pairs]),
        signed_sum([*map(number, squares)]),
        number(math.fsum(squares)),
    ]


def _manhattan(pairs: Sequence[str], gaps: Sequence[float]) -> list[str]:
    return [
        signed_sum([f"|{one}|" for one in pairs]),
        signed_sum([*map(number, gaps)]),
        number(math.fsum(gaps)),
    ]


def _chebyshev(pairs: Sequence[str], gaps: Sequence[float]) -> list[str]:
    return [
        f"max({', '.join(f'|{one}|' for one in pairs)})",
        f"max({', '.join(map(number, gaps))})",
        number(max(gaps)),
    ]


def _minkowski(pairs: Sequence[str], gaps: Sequence[float], p: float) -> list[str]:
    largest = max(gaps) or 1.0  # a power of it may be beyond a double
    total = math.fsum((gap / largest) ** p for gap in gaps)
    value = largest * total ** (1 / p)
    power = largest**p * total if p * math.log2(max(largest, 1.0)) < 1000 else math.inf
    return [
        f"({signed_sum([f'|{one}|^{p:g}' for one in pairs])})^(1/{p:g})",
        f"{format_number(power)}^(1/{p:g})",
        number(value),
    ]


def _cosine(name: str, x: Sequence[float], z: Sequence[float]) -> Formula:
    product = math.fsum(s * t for s, t in zip(x, z, strict=True))
    lengths = math.hypot(*x), math.hypot(*z)
    if not all(lengths):
        return formula(equation_chain(name, "1"))
    value = 1 - product / (lengths[0] * lengths[1])
    pairs = [(number(s), number(t)) for s, t in zip(x, z, strict=True)]
    products = signed_sum([f"{s} · {bracket_negative(t)}" for s, t in pairs])
    below = [
        f"sqrt({signed_sum([f'{bracket_negative(row[i])}²' for row in pairs])})" for i in (0, 1)
    ]
    sides = [f"1 - ({products}) / ({below[0]} · {below[1]})"] if len(x) <= MAX_SHOWN_COLUMNS else []
    amounts = (product, *lengths)
    for digits in range(4, 18):  # enough for four of their difference from 1
        above, one, other = (float(f"{amount:.{digits}g}") for amount in amounts)
        if abs(1 - above / (one * other) - value) <= max(5e-5 * abs(value), 1e-12):
            break
    dot, a, b = (number(v) if digits == 4 else f"{v:.{digits}g}" for v in amounts)
    return formula(
        equation_chain(name, *sides, f"1 - {bracket_negative(dot)} / ({a} · {b})", number(value))
    )
