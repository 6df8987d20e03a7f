"""Unnormalised posteriors as products: exact fractions, or sums of logarithms."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tallylearn.reasoning.probabilities import (
    EQUAL_FLOATS,
    Number,
    exact_sum,
    largest_keys,
    number_text,
)
from tallylearn.reporting.formatting import format_exp

Factor = tuple[Number, int]  # a probability, and how often it comes


@dataclass(frozen=True)
class ScoreProducts:
    """One product for every hypothesis, without the factor that makes them sum to one.

    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> ScoreProducts.of({"h1": [(half, 3)], "h2": [(third, 1)]}).shares()
    {'h1': Fraction(3, 11), 'h2': Fraction(8, 11)}
    """

    products: Mapping[Any, Fraction] | None  # exact, or none
    logs: Mapping[Any, float]

    @classmethod
    def of(cls, factors: Mapping[Any, Iterable[Factor]]) -> ScoreProducts:
        """Multiply; a product of floats may lie far below the smallest float."""
        read = {key: list(parts) for key, parts in factors.items()}
        logs = {key: math.fsum(n * log_of(p) for p, n in parts) for key, parts in read.items()}
        products: dict[Any, Fraction] = {}
        for key, parts in read.items():
            powers = [p**n for p, n in parts if isinstance(p, Fraction)]
            if len(powers) < len(parts):
                return cls(None, logs)
            products[key] = math.prod(powers, start=Fraction(1))
        return cls(products, logs)

    @classmethod
    def of_logs(cls, logs: Mapping[Any, float]) -> ScoreProducts:
        """From sums of logarithms, as of densities."""
        return cls(None, logs)

    def times(self, more: Mapping[Any, Number]) -> ScoreProducts:
        """Every product with one more factor."""
        logs = {key: value + log_of(more[key]) for key, value in self.logs.items()}
        exact: dict[Any, Fraction] = {}
        for key, product in (self.products or {}).items():
            if isinstance(factor := more[key], Fraction):
                exact[key] = product * factor
        return ScoreProducts(exact if len(exact) == len(logs) else None, logs)

    @property
    def impossible(self) -> bool:
        """Whether every product is zero."""
        return all(value == -math.inf for value in self.logs.values())

    def numbers(self) -> dict[Any, Number]:
        """The products themselves; a float may underflow to 0."""
        if self.products is not None:
            return dict(self.products)
        return {key: math.exp(value) for key, value in self.logs.items()}

    def shares(self) -> dict[Any, Number]:
        """The products, normalised."""
        parts: Mapping[Any, Number]
        if self.products is not None:
            parts = self.products
        else:
            top = max(self.logs.values())
            parts = {key: math.exp(value - top) for key, value in self.logs.items()}
        whole = exact_sum(parts.values())
        return {key: part / whole for key, part in parts.items()}

    def sum(self) -> Number:
        """The sum of the products: the evidence, where they are joint probabilities."""
        return exact_sum(self.numbers().values())

    def sum_text(self) -> str:
        """The sum as it is written, also where it underflows."""
        if self.products is not None or self.impossible:
            return number_text(self.sum())
        top = max(self.logs.values())
        return format_exp(top + math.log(math.fsum(math.exp(x - top) for x in self.logs.values())))

    def best(self) -> tuple[Hashable, ...]:
        """All with the largest product, in their order."""
        if self.products is not None:
            return largest_keys(self.products)
        top = max(self.logs.values())
        near = EQUAL_FLOATS * max(1.0, abs(top))
        return tuple(k for k, value in self.logs.items() if value == top or top - value <= near)

    def text(self, key: Any) -> str:
        """A product as it is written, also where it underflows."""
        return (
            format_exp(self.logs[key]) if self.products is None else number_text(self.products[key])
        )


def log_of(value: Number) -> float:
    """The logarithm, minus infinity of zero, and no overflow of a long fraction."""
    if not value:
        return -math.inf
    if isinstance(value, Fraction):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)
