"""Sheets: the evidence of one row laid out, a line for every outcome, a place for every term."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tallylearn.workings import rendering
from tallylearn.workings.terms import Line, Term

MOST_TERMS = 8


@dataclass(frozen=True)
class Sheet:
    """An evidence laid out: a row for every outcome, a place for every term that counts."""

    lines: tuple[Line, ...]
    chosen: object
    sums: bool  # else the terms are multiplied
    heads: tuple[str, ...]  # (places,)
    terms: tuple[tuple[Term | None, ...], ...]  # (outcomes, places)

    @classmethod
    def of(cls, lines: tuple[Line, ...], chosen: object, how: str) -> Sheet:
        sums = how != "product"
        lines = lines if how == "sum" else tuple(sorted(lines, key=_falling))
        rows = [_by_place(line) for line in lines]
        kept = [{at: term for at, term in row.items() if not term.skipped} for row in rows]
        # Skipped terms keep the order of the others, and go when no outcome has use for them.
        known = dict.fromkeys(place for row in rows for place in row)
        places = [place for place in known if any(place in row for row in kept)]
        heads = tuple(label or _start(sums) for label, _, _ in places)
        return cls(lines, chosen, sums, heads, tuple(tuple(map(row.get, places)) for row in kept))

    @property
    def long(self) -> bool:
        return len(self.heads) > MOST_TERMS

    def names(self, blank: str = "") -> list[str]:
        """The outcomes; in a sum the chosen one is marked, for the smallest may have won."""
        chosen = [self.sums and bool(line.outcome == self.chosen) for line in self.lines]
        marks = ["→ " if mark else blank if any(chosen) else "" for mark in chosen]
        return [mark + str(line.outcome) for mark, line in zip(marks, self.lines, strict=True)]

    def results(self) -> list[str]:
        """What the terms of every outcome come to."""
        return [rendering.short(line.total) if self.sums else _product(line) for line in self.lines]

    def shares(self) -> list[str]:
        """Shares in per cent; none at all when no outcome has one."""
        shares = [line.share for line in self.lines]
        if all(share is None for share in shares):
            return []
        return ["" if share is None else f"{100 * share:.1f} %" for share in shares]

    def written(self, term: Term | None) -> str:
        """A term as it stands in a table; nothing for an absent one."""
        if term is None:
            return ""
        return rendering.short(term.amount) if self.sums else term.factor

    def cells(self, name: Callable[[str], str], number: Callable[[str], str]) -> list[list[str]]:
        """A table with a row for every outcome; for every term where there are many."""
        columns = [["", *map(name, self.names())]]
        for head, terms in zip(self.heads, zip(*self.terms, strict=True), strict=True):
            columns.append([name(head), *(t and number(t) for t in map(self.written, terms))])
        columns.append(["total" if self.sums else "product", *map(number, self.results())])
        if shares := self.shares():
            columns.append(["share", *shares])
        return columns if self.long else [list(row) for row in zip(*columns, strict=True)]

    def chain(self, terms: Sequence[Term | None]) -> rendering.Chain:
        """The terms of one outcome with the signs between them."""
        if self.sums:
            return rendering.sum_chain(None if t is None else t.amount for t in terms)
        return rendering.product_chain(map(self.written, terms))

    def text(self) -> list[str]:
        """One line for every outcome: the terms, what they come to, the share."""
        names = [rendering.plain(name) for name in self.names(blank="  ")]
        parts = zip(
            rendering.evened(names, left=True),
            rendering.chain_lines([self.chain(terms) for terms in self.terms]),
            rendering.evened(self.results()),
            rendering.evened(self.shares() or [""] * len(names)),
            strict=True,
        )
        return [f"{name}  {chain} = {end}   {share}".rstrip() for name, chain, end, share in parts]

    def formulas(self) -> list[list[str]]:
        """One formula for every outcome, as the rows of a Markdown table."""
        shares = self.shares()
        table = [["outcome", "total" if self.sums else "product", *(["share"] if shares else [])]]
        parts = zip(self.names(), self.terms, self.results(), strict=True)
        for place, (name, terms, result) in enumerate(parts):
            chain = rendering.latex_chain(self.chain(terms))
            formula = f"${chain} = {rendering.latex(result)}$"
            table.append([rendering.markdown(name), formula, *shares[place : place + 1]])
        return table

    def remarks(self) -> list[str]:
        """What is to be said about single terms; said once if true of every outcome."""
        about: dict[str, dict[str, None]] = {}
        for line in self.lines:
            for said in (said for term in line.terms for said in self.said(term)):
                about.setdefault(said, {})[str(line.outcome)] = None
        everywhere = len(self.lines)
        return [
            said if len(outcomes) == everywhere else f"{', '.join(outcomes)}, {said}"
            for said, outcomes in about.items()
        ]

    def said(self, term: Term) -> list[str]:
        """How a factor came about, where there is room for it, and its note."""
        label = term.label or _start(self.sums)
        text = "" if term.fraction or self.long else term.text
        return [f"{label}: {words}" for words in (text, term.note) if words]


def _falling(line: Line) -> float:
    return math.inf if line.share is None else -line.share


def _by_place(line: Line) -> dict[tuple[str, str, int], Term]:
    """The terms by label and value, and by number where both come again."""
    seen: Counter[tuple[str, str]] = Counter()
    places = {}
    for term in line.terms:
        key = (term.label, term.value)
        places[(*key, seen[key])] = term
        seen[key] += 1
    return places


def _start(sums: bool) -> str:
    return "start" if sums else "prior"


def _product(line: Line) -> str:
    product = line.product
    return rendering.power(line.total) if product is None else rendering.ratio(product)
