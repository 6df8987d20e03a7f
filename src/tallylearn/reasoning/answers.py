"""Answers of probability calculations: a value together with its derivation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tallylearn.reasoning.probabilities import Number, are_equal, number_text
from tallylearn.reasoning.quantities import Quantity
from tallylearn.reporting.report import Report
from tallylearn.workings import Derivation, Grid, Step
from tallylearn.workings.derivations import read_derivation

WorkStep = Step
Law = tuple[str, Number, Number]  # what is said, and both its sides


class WorkReport(Report):
    """A report that is the derivation of what it shows."""

    @abstractmethod
    def show_work(self) -> Derivation:
        """How it came about, step by step."""

    def to_dict(self) -> dict[str, Any]:
        return self.show_work().to_dict()

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        return read_derivation(found)


@dataclass(frozen=True, eq=False, repr=False)
class Answer(WorkReport):
    """A result with its derivation: printing shows the way, and compared it is its ``value``."""

    value: Any
    work: Derivation
    scores: Mapping[Any, Any] = field(default_factory=dict)  # what the value was chosen by
    ties: tuple[Any, ...] = ()  # what would have done as well, the value among them

    def show_work(self) -> Derivation:
        return self.work

    def __eq__(self, other: object) -> Any:
        return self.value == (other.value if isinstance(other, Answer) else other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __repr__(self) -> str:
        return f"Answer({self.value!r})"


@dataclass(frozen=True, eq=False, repr=False)
class NumericAnswer(Quantity, Answer):
    """An answer that is a number, or a truth value, and calculates as one.

    >>> half = NumericAnswer(Fraction(1, 2), Derivation("", ()))
    >>> half == Fraction(1, 2), half < 0.6, 1 - half, float(half), f"{half:.1%}"
    (True, True, Fraction(1, 2), 0.5, '50.0%')
    """

    value: Number


def make_answer(value: Any, title: str, *steps: WorkStep) -> Answer:
    """An answer from the steps of its derivation."""
    kind = NumericAnswer if isinstance(value, int | float | Fraction) else Answer
    return kind(value, Derivation(title, steps))


def law_table(laws: Sequence[Law]) -> Grid:
    """Laws as a table: both sides, and whether they are equal."""
    rows = [
        (text, number_text(x), number_text(y), "yes" if are_equal(x, y) else "no")
        for text, x, y in laws
    ]
    return Grid("", ("law", "left", "right", "holds"), tuple(rows))
