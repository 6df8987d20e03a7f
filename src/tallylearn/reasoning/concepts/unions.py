"""The hypothesis space of unions of rectangles, which has no inductive bias."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tallylearn.reasoning.concepts.candidate_elimination import Vote
from tallylearn.reasoning.concepts.labelled_examples import LabelledExamples, Row, join_names
from tallylearn.reasoning.concepts.rectangles import Rectangle
from tallylearn.tables import NUMBER
from tallylearn.workings import Derivation, Grid, Sentence


@dataclass(frozen=True)
class Union:
    """A point is inside if it lies in one of the rectangles."""

    rectangles: tuple[Rectangle, ...]

    def __str__(self) -> str:
        return " ∪ ".join(map(str, self.rectangles)) or "∅"

    def covers(self, x: Row) -> bool:
        return any(box.covers(x) for box in self.rectangles)


@dataclass(frozen=True)
class UnionVersion:
    """The consistent unions: they agree on the rows that were seen, and on nothing else."""

    examples: LabelledExamples
    members = None
    count = None
    size = None

    @property
    def reason(self) -> str:
        """Only noise leaves no consistent union."""
        return self.examples.noise()

    @cached_property
    def least(self) -> Union:
        """One rectangle a positive row, just as large as the row."""
        points = (tuple(map(float, x)) for x in self.examples.positives)
        return Union(tuple(Rectangle(x, x) for x in points))

    @property
    def specific(self) -> tuple[Union, ...]:
        return () if self.reason else (self.least,)

    def cover(self) -> Union:
        """Few rectangles: each positive row widens the first one that then holds no negative."""
        boxes: list[Rectangle] = []
        outside = self.examples.negatives
        for x in self.examples.positives:
            for at, box in enumerate(boxes):
                wider = box.generalise(x)
                if not any(wider.covers(other) for other in outside):
                    boxes[at] = wider
                    break
            else:
                boxes.append(Rectangle(tuple(map(float, x)), tuple(map(float, x))))
        return Union(tuple(boxes))

    def vote(self, x: Row) -> Vote:
        """Known rows have their label; of any other, as many unions hold it as do not."""
        sides = {"yes": self.examples.positives, "no": self.examples.negatives}
        for verdict, seen in sides.items():
            if x in seen:
                return Vote(verdict, f"row {seen[x]} is equal to it.")
        return Vote("undecided", "no row is equal to it, and a union may hold it or not.")

    def statements(self, x: Row) -> Iterator[tuple[str, bool]]:
        yield "one rectangle a row", self.least.covers(x)
        yield "few rectangles", self.cover().covers(x)

    def lines(self) -> list[str]:
        """How many rectangles it takes."""
        points, boxes = len(self.least.rectangles), len(self.cover().rectangles)
        return [f"S      one rectangle a positive row: {points}", f"cover  rectangles: {boxes}"]

    def working(self) -> Derivation:
        """The cover, and what the language is worth."""
        names = join_names(self.examples.schema.names)
        if self.reason:
            said = f"There is no consistent union: {self.reason}."
        else:
            said = "A row that is not among these may be inside or outside: nothing generalises."
        boxes = tuple((str(box),) for box in self.cover().rectangles) if not self.reason else ()
        grid = Grid("A consistent cover", (f"rectangles in {names}",), boxes)
        return Derivation("Version space of unions of rectangles", (grid, Sentence(said)))


@dataclass(frozen=True)
class Unions:
    """The hypothesis space of finite unions of rectangles."""

    noun = "union of rectangles"
    plural = "unions of rectangles"
    kinds = (NUMBER,)

    def version(self, examples: LabelledExamples) -> UnionVersion:
        """What is left of the space after the examples."""
        return UnionVersion(examples)

    def check(self, examples: LabelledExamples, rows: list[Row]) -> None:
        """Any number may be asked about."""
