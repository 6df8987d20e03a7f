"""Candidate elimination: the boundaries S and G of a version space (Mitchell, 1982)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

from tallylearn.errors import InputError
from tallylearn.reasoning.concepts.labelled_examples import (
    LabelledExamples,
    Row,
    format_cell,
    join_names,
)
from tallylearn.workings import Derivation, Grid, Sentence

MAX_GENERAL = (
    500  # hypotheses in a boundary: G may grow exponentially with the rows (Haussler 1988)
)
MAX_TRACED_ROWS = 39  # rows of the trace: a grid shows 40, and one is the start
Domains = Sequence[Sequence[Any]]


class Hypothesis(Protocol):
    """A hypothesis of a language in which any rows have one least general description."""

    def covers(self, x: Row) -> bool: ...
    def generalise(self, x: Row) -> Self: ...
    def specialise(
        self, x: Row, least: Self, domains: Domains
    ) -> Iterable[tuple[object, Self]]: ...
    def includes(self, other: Self) -> bool: ...


H = TypeVar("H", bound=Hypothesis)
H_co = TypeVar("H_co", bound=Hypothesis, covariant=True)


class Countable(Protocol[H_co]):
    """Hypotheses that are counted faster than they are written down."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[H_co]: ...
    def count_covering(self, x: Row) -> int: ...


@dataclass(frozen=True)
class Boundaries(Generic[H]):
    """The least general hypothesis S and the most general ones G; without G there is none."""

    least: H
    most: tuple[H, ...]

    def update(self, x: Row, inside: bool, domains: Domains) -> Boundaries[H] | None:
        """Candidate elimination, one example further (Mitchell 1997, table 2.5).

        None where G has too many hypotheses.
        """
        if inside:
            most = tuple(g for g in self.most if g.covers(x))
            return Boundaries(self.least.generalise(x), most)
        kept = tuple(g for g in self.most if not g.covers(x))
        cuts: dict[object, dict[H, None]] = {}
        for g in self.most:
            for cut, h in g.specialise(x, self.least, domains) if g.covers(x) else ():
                cuts.setdefault(cut, {})[h] = None
        if sum(map(len, cuts.values())) > 10 * MAX_GENERAL:
            return None
        most = (*kept, *(h for cut in cuts.values() for h in _most_general(cut, kept)))
        if self.most and not most and not self.least.covers(x):
            most = (self.least,)  # every point of a finite space is negative: ∅ is left
        return Boundaries(self.least, most) if len(most) <= MAX_GENERAL else None


def _most_general(found: Iterable[H], kept: Sequence[H]) -> Iterator[H]:
    """Those that no other includes; one that was cut elsewhere cannot: it leaves that part out."""
    for h in found:
        if not any(k is not h and k.includes(h) for k in (*kept, *found)):
            yield h


@dataclass(frozen=True)
class Vote:
    """What a version space says of one row, and how many of its hypotheses say so."""

    verdict: str  # yes, no, undecided, undefined
    because: str
    yes: int | None = None  # None where the hypotheses are not counted
    no: int | None = None
    undefined: int = 0

    @property
    def share(self) -> float | None:
        """The share of the hypotheses that say yes."""
        if self.yes is None or self.no is None:
            return None
        return self.yes / (self.yes + self.no + self.undefined)


@dataclass(frozen=True)
class BoundedVersion(Generic[H]):
    """The version space of a language with boundaries: all between S and G is consistent."""

    noun: str  # conjunction, rectangle
    examples: LabelledExamples
    nothing: H
    everything: H
    listing: Callable[[H, LabelledExamples], Countable[H] | None]
    space: str  # the hypothesis space in words
    size: int | None = None  # how many hypotheses it has; None where they cannot be counted

    @cached_property
    def least(self) -> H:
        """Find-S: the least general hypothesis that covers every positive row."""
        found = self.nothing
        for x in self.examples.positives:
            found = found.generalise(x)
        return found

    @cached_property
    def witness(self) -> int | None:
        """A negative row that is covered by whatever covers the positive ones."""
        return self._covered_negative(self.least)

    @property
    def reason(self) -> str:
        """Why no hypothesis is consistent; empty where one is."""
        if self.witness is None:
            return ""
        if noise := self.examples.noise():
            return noise
        yes, no = self.examples.yes, self.examples.other_label
        return (
            f"what covers every row that is {yes!r} covers row {self.witness} too, which is {no!r}"
        )

    @cached_property
    def boundaries(self) -> Boundaries[H] | None:
        """S and G; the order of the rows does not matter, and positive ones first keep G small."""
        most = () if self.reason else (self.everything,)
        now: Boundaries[H] | None = Boundaries(self.least, most)
        for x in self.examples.negatives:
            now = now and now.update(x, False, self.examples.domains)
        return now

    @property
    def specific(self) -> tuple[H, ...]:
        return () if self.reason else (self.least,)

    @property
    def general(self) -> tuple[H, ...]:
        if self.boundaries is None:
            raise InputError(
                f"the general boundary has more than {MAX_GENERAL} hypotheses, which is "
                "too many to list. Use fewer columns or fewer rows; predict works "
                "without the boundary."
            )
        return self.boundaries.most

    @cached_property
    def countable(self) -> Countable[H] | None:
        """All hypotheses, where they can be counted."""
        return self.listing(self.least, self.examples)

    @cached_property
    def members(self) -> tuple[H, ...] | None:
        """All hypotheses, where they can be listed."""
        if self.reason:
            return ()
        return None if self.countable is None else tuple(self.countable)

    @property
    def count(self) -> int | None:
        if self.reason:
            return 0
        return None if self.countable is None else len(self.countable)

    def vote(self, x: Row) -> Vote:
        """Of one row: S and the negative rows decide, the members are counted."""
        yes, no = self.examples.yes, self.examples.other_label
        found = self.countable
        agree = None if found is None else found.count_covering(x)
        others = None if found is None or agree is None else len(found) - agree
        if self.least.covers(x):
            because = f"{self.least}, which is part of every other, covers it."
            return Vote("yes", because, agree, others)
        held = self._covered_negative(self.least.generalise(x))
        if held is not None:
            because = (
                f"what covers it and every row that is {yes!r} covers row {held} too, which is "
                f"{no!r}."
            )
            return Vote("no", because, agree, others)
        some = "some" if found is None else f"{agree} of {len(found)}"
        return Vote("undecided", f"{some} hypotheses say {yes!r}.", agree, others)

    def statements(self, x: Row) -> Iterator[tuple[str, bool]]:
        """What the boundaries say of a row."""
        yield f"S {self.least}", self.least.covers(x)
        for g in self.boundaries.most if self.boundaries else ():
            yield f"G {g}", g.covers(x)

    def lines(self) -> list[str]:
        """The boundaries, a line each."""
        if self.boundaries is None:
            return [f"S  {self.least}", f"G  more than {MAX_GENERAL} hypotheses"]
        return [f"S  {self.least}", *(f"G  {g}" for g in self.general)]

    def trace(self) -> Grid:
        """S and G after every row, in the order of the table."""
        start = Boundaries(self.nothing, (self.everything,))
        lines, note = [("0", "", *_hypothesis_text(start))], ""
        now: Boundaries[H] | None = start
        data = zip(self.examples.rows, self.examples.inside, strict=True)
        for k, (x, inside) in enumerate(data, 1):
            now = now and now.update(x, inside, self.examples.domains)
            if k > MAX_TRACED_ROWS or now is None:
                why = f"; G has more than {MAX_GENERAL} hypotheses then" if now is None else ""
                note = f"The trace ends after {k - 1} of {len(self.examples)} rows{why}."
                break
            said = f"{join_names(map(format_cell, x))}: {self.examples.label(inside)}"
            lines.append((str(k), said, *_hypothesis_text(now)))
        return Grid("Candidate elimination", ("", "row", "S", "G"), tuple(lines), note)

    def working(self) -> Derivation:
        """The hypothesis space, the trace and the hypotheses that are left."""
        names = join_names(self.examples.schema.names)
        steps: list[Grid | Sentence] = [Sentence(f"Columns: {names}. {self.space}"), self.trace()]
        if self.reason:
            steps.append(Sentence(f"There is no consistent {self.noun}: {self.reason}."))
        elif self.members is not None:
            rows = tuple((str(h),) for h in self.members)
            steps.append(Grid(f"{len(rows)} consistent hypotheses", (f"{self.noun}s",), rows))
        return Derivation(f"Version space of {self.noun}s", tuple(steps))

    def _covered_negative(self, h: H) -> int | None:
        rows = self.examples.negatives.items()
        return next((number for x, number in rows if h.covers(x)), None)


def _hypothesis_text(now: Boundaries[H]) -> tuple[str, str]:
    return (str(now.least) if now.most else "none", "  ".join(map(str, now.most)) or "none")
