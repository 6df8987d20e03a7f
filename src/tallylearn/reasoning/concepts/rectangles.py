"""The hypothesis space of axis-parallel rectangles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from tallylearn.reasoning.concepts.candidate_elimination import BoundedVersion, Domains
from tallylearn.reasoning.concepts.labelled_examples import LabelledExamples, Row, format_cell
from tallylearn.tables import NUMBER


@dataclass(frozen=True)
class Rectangle:
    """An axis-parallel box: closed, or open where it may come as near to a point as it likes.

    >>> box = Rectangle((1.0, 2.0), (4.0, 3.0))
    >>> print(box, box.covers((1, 2)))
    [1, 4] × [2, 3] True
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    open: bool = False

    def __str__(self) -> str:
        left, right = "()" if self.open else "[]"
        sides = zip(self.low, self.high, strict=True)
        return " × ".join(
            "∅" if a > b else f"{left}{format_cell(a)}, {format_cell(b)}{right}" for a, b in sides
        )

    def covers(self, x: Row) -> bool:
        """Whether the point lies inside."""
        sides = zip(self.low, x, self.high, strict=True)
        return all(a < v < b if self.open else a <= v <= b for a, v, b in sides)

    def generalise(self, x: Row) -> Rectangle:
        """The smallest rectangle that also covers a point."""
        return Rectangle(tuple(map(min, self.low, x)), tuple(map(max, self.high, x)), self.open)

    def specialise(
        self, x: Row, least: Rectangle, domains: Domains
    ) -> Iterator[tuple[object, Rectangle]]:
        """The largest rectangles within this one that end at x, on a side of x that spares S."""
        for at, v in enumerate(x):
            if least.high[at] < v:
                yield (at, "high"), Rectangle(self.low, _replace_at(self.high, at, v), True)
            if least.low[at] > v:
                yield (at, "low"), Rectangle(_replace_at(self.low, at, v), self.high, True)

    def includes(self, other: Rectangle) -> bool:
        """Whether the other lies within this one; both are closed, or both open."""
        return all(a <= b for a, b in zip(self.low, other.low, strict=True)) and all(
            a >= b for a, b in zip(self.high, other.high, strict=True)
        )


@dataclass(frozen=True)
class Rectangles:
    """The hypothesis space of rectangles: + inside, - outside."""

    noun = "rectangle"
    plural = "rectangles"
    kinds = (NUMBER,)

    def version(self, examples: LabelledExamples) -> BoundedVersion[Rectangle]:
        """What is left of the space after the examples."""
        p = len(examples.schema.columns)
        nothing = Rectangle((inf,) * p, (-inf,) * p)
        everything = Rectangle((-inf,) * p, (inf,) * p, True)
        return BoundedVersion(
            self.noun,
            examples,
            nothing=nothing,
            everything=everything,
            listing=_no_count,
            space=SPACE_TEXT,
        )

    def check(self, examples: LabelledExamples, rows: list[Row]) -> None:
        """Any number may be asked about."""


SPACE_TEXT = (
    "S is the tightest rectangle around the positive rows. A rectangle of G may grow to its "
    "bounds but not reach them: a negative row lies there."
)


def _no_count(least: Rectangle, examples: LabelledExamples) -> None:
    return None


def _replace_at(bounds: tuple[float, ...], at: int, v: float) -> tuple[float, ...]:
    return (*bounds[:at], v, *bounds[at + 1 :])
