"""The terms of an explanation, and the line that they make for one outcome."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tallylearn.reporting import formatting

INTERCEPT = "w0"  # its name in formulas
PRODUCT_ROUNDING = 2.0**-52  # of a weight and of its product with a number, relatively

MAX_SHOWN_COUNT = 10**12  # beyond any count: two counts of parts of rows have such a ratio


@dataclass(frozen=True)
class Term:
    """A term of an explanation; the counts behind a probability stay an unreduced fraction."""

    column: str  # "" for the prior or the start value
    value: str
    amount: float  # what is summed: a log factor, a squared distance, a weight times a value
    above: Fraction | None = None
    below: Fraction | None = None
    text: str = ""  # how the factor comes about when it is no fraction
    note: str = ""
    sign: str = "="  # between column and value

    @property
    def label(self) -> str:
        """What the amount is for, in words; "" for the prior."""
        parts = (self.column, self.sign, self.value) if self.value else (self.column,)
        return " ".join(filter(None, parts)) if self.column else ""

    @property
    def fraction(self) -> tuple[Fraction, Fraction] | None:
        return None if self.above is None or self.below is None else (self.above, self.below)

    @property
    def factor(self) -> str:
        """The factor as written: 3/9, 3.5/6.5, or four digits."""
        if self.fraction is None or max(map(abs, self.fraction)) >= MAX_SHOWN_COUNT:
            return formatting.format_exp(self.amount)
        return "/".join(map(formatting.format_count, self.fraction))

    @property
    def is_skipped(self) -> bool:
        return self.amount == 0.0 and bool(self.note) and self.fraction is None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "column": self.column,
            "value": self.value,
            "label": self.label,
            "amount": formatting.plain_data(self.amount),
            "factor": None if self.fraction is None else self.factor,
            "text": self.text,
            "note": self.note,
            "skipped": self.is_skipped,
        }


@dataclass(frozen=True)
class EvidenceLine:
    """The terms of one outcome, and its share."""

    outcome: object
    terms: tuple[Term, ...]
    share: float | None = None

    @property
    def total(self) -> float:
        amounts = [term.amount for term in self.terms]
        # fsum refuses infinities of both signs, and a factor of 0 beats any density.
        if -math.inf in amounts:
            return -math.inf
        total = math.fsum(amounts)
        # amounts are products, rounded: what their rounding alone may leave is none
        return 0.0 if abs(total) <= PRODUCT_ROUNDING * math.fsum(map(abs, amounts)) else total

    @property
    def product(self) -> Fraction | None:
        """The exact product; none when a factor that counts is no fraction."""
        pairs = [term.fraction for term in self.terms if not term.is_skipped]
        above, below = 1, 1
        for pair in pairs:
            if pair is None or pair[1] == 0:
                return None
            above *= pair[0].numerator * pair[1].denominator
            below *= pair[0].denominator * pair[1].numerator
        return Fraction(above, below)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        product = self.product
        return {
            "outcome": formatting.plain_data(self.outcome),
            "share": formatting.plain_data(self.share),
            "total": formatting.plain_data(self.total),
            "product": None if product is None else formatting.format_fraction(product, digits=300),
            "terms": [term.to_dict() for term in self.terms],
        }


def intercept_name(names: Collection[str], usual: str = INTERCEPT) -> str:
    """The name of the intercept, distinct from the names of the coefficients.

    >>> intercept_name(["size", "rooms"]), intercept_name(["w0", "w1"])
    ('w0', '(w0)')
    """
    return usual if usual not in names else intercept_name(names, f"({usual})")
