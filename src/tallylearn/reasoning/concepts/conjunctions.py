"""The hypothesis space of conjunctions: a value, any value or no value for every column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.reasoning.concepts.candidate_elimination import BoundedVersion, Domains
from tallylearn.reasoning.concepts.labelled_examples import LabelledExamples, Row, format_cell
from tallylearn.tables import CATEGORY, NUMBER, Array

MAX_ENUMERATED = 2**16  # hypotheses that are written down to be counted


class Demand(Enum):
    """What a column may be asked for beside one of its values."""

    ANY = "?"
    NONE = "∅"

    def __str__(self) -> str:
        return self.value


ANY, NONE = Demand.ANY, Demand.NONE


@dataclass(frozen=True)
class Conjunction:
    """A hypothesis that demands a value, any value (?) or no value (∅) of every column.

    >>> h = Conjunction(("Sunny", ANY))
    >>> print(h, h.covers(("Sunny", "Warm")), h.covers(("Rainy", "Warm")))
    <Sunny, ?> True False
    """

    demands: tuple[Any, ...]

    def __str__(self) -> str:
        return f"<{', '.join(map(format_cell, self.demands))}>"

    def covers(self, x: Row) -> bool:
        """Whether the row has every value that is demanded."""
        return all(d is ANY or d == v for d, v in zip(self.demands, x, strict=True))

    def generalise(self, x: Row) -> Conjunction:
        """The least general conjunction that also covers a row."""
        pairs = zip(self.demands, x, strict=True)
        return Conjunction(tuple(v if d is NONE else d if d == v else ANY for d, v in pairs))

    def specialise(
        self, x: Row, least: Conjunction, domains: Domains
    ) -> Iterator[tuple[object, Conjunction]]:
        """The most general conjunctions below this one that do not cover x, but still S."""
        for at, (demand, s) in enumerate(zip(self.demands, least.demands, strict=True)):
            if demand is not ANY:
                continue
            for value in domains[at] if s is NONE else (s,):
                if value is not ANY and value != x[at]:
                    demands = (*self.demands[:at], value, *self.demands[at + 1 :])
                    yield (at, value), Conjunction(demands)

    def includes(self, other: Conjunction) -> bool:
        """Whether this is as general as the other, or more."""
        pairs = zip(self.demands, other.demands, strict=True)
        return NONE in other.demands or all(a is ANY or a == b for a, b in pairs)


@dataclass(frozen=True)
class Conjunctions:
    """The hypothesis space of conjunctions over columns of few values."""

    noun = "conjunction"
    plural = "conjunctions"
    kinds = (CATEGORY, NUMBER)

    def version(self, examples: LabelledExamples) -> BoundedVersion[Conjunction]:
        """What is left of the space after the examples."""
        p = len(examples.schema.columns)
        return BoundedVersion(
            self.noun,
            examples,
            nothing=Conjunction((NONE,) * p),
            everything=Conjunction((ANY,) * p),
            listing=_consistent_conjunctions,
            space=_space_text(examples),
            size=_space_size(examples),
        )

    def check(self, examples: LabelledExamples, rows: list[Row]) -> None:
        """A category that was neither seen nor declared is outside the hypothesis space."""
        for at, (column, domain) in enumerate(
            zip(examples.schema.columns, examples.domains, strict=True)
        ):
            odd = [row for row, x in enumerate(rows) if x[at] not in domain]
            if column.kind == CATEGORY and odd:
                raise ColumnError(
                    f"column {column.name!r} has the unknown value {rows[odd[0]][at]!r} in "
                    f"row {odd[0]}. The known values are {quoted_list(domain)}. Declare all "
                    "values before fit: tl.table(source, "
                    f"categories={{{column.name!r}: [...]}})."
                )


@dataclass(frozen=True)
class ConsistentConjunctions:
    """The conjunctions above S that cover no negative row, a row of codes each: 0 is any value."""

    codes: Array  # (m, p), else the place of the demanded value in its domain, from 1
    domains: Domains
    nothing: tuple[Conjunction, ...]  # the one that covers no row, where no row is positive

    def __len__(self) -> int:
        return len(self.nothing) + len(self.codes)

    def __iter__(self) -> Iterator[Conjunction]:
        yield from self.nothing
        values = [(ANY, *domain) for domain in self.domains]
        for row in self.codes.tolist():
            yield Conjunction(tuple(known[at] for known, at in zip(values, row, strict=True)))

    def count_covering(self, x: Row) -> int:
        """How many of them cover a row."""
        return int(_covers(self.codes, x, self.domains).sum())


def _consistent_conjunctions(
    least: Conjunction, examples: LabelledExamples
) -> ConsistentConjunctions | None:
    """Every consistent conjunction; none are listed where too many would have to be tried."""
    domains = examples.domains
    options = [
        range(len(domain) + 1) if s is NONE else (0,) if s is ANY else (0, 1 + domain.index(s))
        for s, domain in zip(least.demands, domains, strict=True)
    ]
    if prod(map(len, options)) > MAX_ENUMERATED:
        return None
    grid = np.meshgrid(*(np.array(o, dtype=np.int32) for o in options), indexing="ij")
    codes = np.stack([column.ravel() for column in grid], axis=1)
    for x in examples.negatives:
        codes = codes[~_covers(codes, x, domains)]
    return ConsistentConjunctions(codes, domains, (least,) if NONE in least.demands else ())


def _covers(codes: Array, x: Row, domains: Domains) -> Array:
    found = np.ones(len(codes), dtype=bool)
    for at, (v, domain) in enumerate(zip(x, domains, strict=True)):
        code = 1 + domain.index(v) if v in domain else -1
        found &= (codes[:, at] == 0) | (codes[:, at] == code)
    return found


def _space_size(examples: LabelledExamples) -> int:
    """Conjunctions that count: all with ∅ somewhere are one, for they cover nothing."""
    return 1 + prod(len(domain) + 1 for domain in examples.domains)


def _space_text(examples: LabelledExamples) -> str:
    values = [len(domain) for domain in examples.domains]
    text = (
        f"{prod(k + 2 for k in values):,} conjunctions can be written with ? and ∅; "
        f"{_space_size(examples):,} of them count, for all with ∅ cover nothing."
    )
    single = [n for n, k in zip(examples.schema.names, values, strict=True) if k == 1]
    if single:
        text += (
            f" Of {quoted_list(single)} one value is known, which says the same as ?: declare all "
            "values with tl.table(source, categories={...})."
        )
    return text
