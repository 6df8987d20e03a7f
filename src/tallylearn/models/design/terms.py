"""Terms of a design matrix: what each of its columns is made of.

A tally and a model file name a column of the design by a pair of strings, the table's column and a
code: ``""`` is a number as it is, ``"^02"`` its square, ``"=red"`` the indicator of a category,
``" rare"`` that of all rare categories together, ``"?"`` that of missing values. `parse_term` makes
a term of such a pair, and ``code`` is the way back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tallylearn.tallies.pairs import GAP

POOLED = " rare"  # the code of the indicator that rare categories share
POWER = re.compile("\\^[0-9]{1,2}")  # the code of a power: degrees go up to 30


@dataclass(frozen=True, slots=True)
class NumericTerm:
    """A numeric column as it is."""

    column: str

    @property
    def code(self) -> str:
        return ""

    @property
    def suffix(self) -> str:
        """What follows the column's name in the name of the term."""
        return ""


@dataclass(frozen=True, slots=True)
class PowerTerm:
    """A power of a numeric column."""

    column: str
    degree: int

    @property
    def code(self) -> str:
        return f"^{self.degree:02}"

    @property
    def suffix(self) -> str:
        return f"^{self.degree}"


@dataclass(frozen=True, slots=True)
class IndicatorTerm:
    """1 where a categorical column has a value, 0 where it has another."""

    column: str
    value: str

    @property
    def code(self) -> str:
        return f"={self.value}"

    @property
    def suffix(self) -> str:
        return self.code


@dataclass(frozen=True, slots=True)
class PooledTerm:
    """1 where a categorical column has a rare value, or one that was never seen."""

    column: str

    @property
    def code(self) -> str:
        return POOLED

    @property
    def suffix(self) -> str:
        return POOLED


@dataclass(frozen=True, slots=True)
class MissingTerm:
    """1 where a column is missing."""

    column: str

    @property
    def code(self) -> str:
        return GAP

    @property
    def suffix(self) -> str:
        return " missing"


DesignTerm = NumericTerm | PowerTerm | IndicatorTerm | PooledTerm | MissingTerm
CategoryTerm = IndicatorTerm | PooledTerm  # what a category's values become


def parse_term(column: str, code: str) -> DesignTerm:
    """The term that a tally or a file names by a pair of strings; a ValueError for no such code.

    >>> parse_term("length", "^02"), parse_term("colour", "=red")
    (PowerTerm(column='length', degree=2), IndicatorTerm(column='colour', value='red'))
    """
    if not code:
        return NumericTerm(column)
    if code.startswith("="):
        return IndicatorTerm(column, code[1:])
    if code == GAP:
        return MissingTerm(column)
    if code == POOLED:
        return PooledTerm(column)
    if POWER.fullmatch(code) and int(code[1:]):
        return PowerTerm(column, int(code[1:]))
    raise ValueError(f"the design has a column {column!r} of the kind {code[:40]!r}, which is none")


def is_category_code(code: str) -> bool:
    """Whether a code is of a category's value, or of all rare ones."""
    return code.startswith("=") or code == POOLED
