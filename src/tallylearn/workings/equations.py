"""Equations from plain text, and the numbers and sums that stand in them."""

from __future__ import annotations

from collections.abc import Sequence

from tallylearn.reporting.formatting import format_number
from tallylearn.workings.derivations import Formula
from tallylearn.workings.typesetting import latex


def equation(text: str) -> Formula:
    r"""An equation from its text: fractions, powers, roots, signs, and words with their blanks.

    >>> print(equation("P(the dice is odd | x1) = 1/6 · θ^2 / (1 - θ)").latex)
    P(\text{the dice is odd} \mid x_{1}) = \frac{1}{6} \cdot \theta^{2} / (1 - \theta)
    """
    return Formula(text, latex(text))


def formula(text: str) -> Formula:
    """An equation."""
    return equation(text)


def equation_chain(*parts: str) -> str:
    """A chain of equal expressions, each once: a = b = b is a = b."""
    return " = ".join(dict.fromkeys(parts))


def number(value: float) -> str:
    """A number in a working: four significant digits, and 0 for what is zero up to rounding."""
    return "0" if abs(value) < 1e-12 else format_number(float(value))


def factor(value: float) -> str:
    """A number as a factor or a base of a power: in brackets where it is negative."""
    text = number(value)
    return f"({text})" if text.startswith("-") else text


def signed_sum(terms: Sequence[str]) -> str:
    """Terms with plus signs between them; a term that begins with a minus brings its own."""
    text = terms[0]
    for term in terms[1:]:
        text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
    return text


def signed_product(one: float, other: float) -> str:
    """A product with its sign in front: -3 · -2 is 3 · 2, and 3 · -2 is -3 · 2."""
    sign = "-" if (one < 0) != (other < 0) and one and other else ""
    return f"{sign}{number(abs(one))} · {number(abs(other))}"
