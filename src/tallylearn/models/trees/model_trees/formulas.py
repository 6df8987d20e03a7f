"""Formulas: the linear models at the leaves of a tree, as one writes them down."""

from __future__ import annotations

from dataclasses import dataclass

from tallylearn.reporting.formatting import format_number

MOST_LINES = 200


@dataclass(frozen=True)
class LeafFormula:
    """The linear model that the rows of one leaf are answered with.

    >>> print(LeafFormula(3, "LM1", "x <= 2", 20.0, 1.5, (("x", 0.25), ("[c in {b}]", -2.0))))
    LM1 = 1.5 + 0.25 · x - 2 · [c in {b}]
    """

    node: int
    name: str  # LM1, LM2, ...
    path: str  # the answers that lead there
    n: float  # the weight of the rows there
    intercept: float
    terms: tuple[tuple[str, float], ...]  # an attribute and its coefficient

    def __str__(self) -> str:
        parts = [
            f" {'-' if c < 0 else '+'} {format_number(abs(c))} · {name}" for name, c in self.terms
        ]
        return f"{self.name} = {format_number(self.intercept)}{''.join(parts)}"
