"""Evidence: a prediction is a sum of evidence, and its explanation is the summands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from tallylearn.workings import rendering
from tallylearn.workings.rendering import Shown

MOST_TERMS = 8
MOST_ROWS = 20


@dataclass(frozen=True)
class Term:
    """One summand of the evidence; the counts behind it stay an unreduced fraction."""

    column: str  # "" for the prior or the start value
    value: str
    amount: float  # what is summed: a log factor, a squared distance, a weight times a value
    above: Fraction | None = None
    below: Fraction | None = None
    text: str = ""  # how the factor comes about when it is no fraction
    note: str = ""

    @property
    def fraction(self) -> tuple[Fraction, Fraction] | None:
        return None if self.above is None or self.below is None else (self.above, self.below)

    @property
    def factor(self) -> str:
        """The factor as written: 3/9, 3.5/6.5, or four digits."""
        if self.fraction is None:
            return rendering.power(self.amount)
        return "/".join(map(rendering.count, self.fraction))

    @property
    def skipped(self) -> bool:
        return self.amount == 0.0 and bool(self.note) and self.fraction is None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "column": self.column,
            "value": self.value,
            "amount": rendering.plain_data(self.amount),
            "factor": None if self.fraction is None else self.factor,
            "text": self.text,
            "note": self.note,
        }


@dataclass(frozen=True)
class Line:
    """The evidence for one outcome."""

    outcome: object
    terms: tuple[Term, ...]
    share: float | None = None

    @property
    def total(self) -> float:
        amounts = [term.amount for term in self.terms]
        # fsum refuses infinities of both signs, and a factor of 0 beats any density.
        return -math.inf if -math.inf in amounts else math.fsum(amounts)

    @property
    def product(self) -> Fraction | None:
        """The exact product; none when a factor that counts is no fraction."""
        pairs = [term.fraction for term in self.terms if not term.skipped]
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
            "outcome": rendering.plain_data(self.outcome),
            "share": rendering.plain_data(self.share),
            "total": rendering.plain_data(self.total),
            "product": None if product is None else rendering.ratio(product, digits=300),
            "terms": [term.to_dict() for term in self.terms],
        }


@dataclass(frozen=True)
class Evidence(Shown):
    """Why the prediction for one row came out so: a ``product`` of factors or a ``sum`` of terms.

    >>> prior = Term("", "", math.log(9 / 14), Fraction(9), Fraction(14))
    >>> sunny = Term("Outlook", "Sunny", math.log(2 / 9), Fraction(2), Fraction(9))
    >>> print(Evidence((Line("Yes", (prior, sunny), 0.4),), "Yes", "product"))
    Yes  9/14 · 2/9 = 1/7   40.0 %
    """

    lines: tuple[Line, ...]
    chosen: object
    how: str  # "product" or "sum"
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        sheet = _Sheet.of(self)
        lines = rendering.aligned(sheet.cells(str, str)) if sheet.long else sheet.text()
        return "\n".join([*lines, *map(rendering.plain, sheet.remarks())])

    def to_markdown(self) -> str:
        sheet = _Sheet.of(self)
        rows = sheet.cells(rendering.markdown, _formula) if sheet.long else sheet.formulas()
        notes = "\n".join(f"- {rendering.markdown(remark)}" for remark in sheet.remarks())
        return "\n\n".join(filter(None, [rendering.markdown_table(rows), notes]))

    def to_html(self) -> str:
        sheet = _Sheet.of(self)
        table = rendering.html_table(sheet.cells(str, str), "evidence")
        return f'<div class="tally-working">{table}{rendering.html_notes(sheet.remarks())}</div>'

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": rendering.plain_data(self.chosen),
            "how": self.how,
            "lines": [line.to_dict() for line in self.lines],
            "notes": list(self.notes),
        }


@dataclass(frozen=True)
class Explanation(Shown):
    """The evidence of several rows."""

    rows: tuple[Evidence, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> Evidence: ...
    @overload
    def __getitem__(self, place: slice) -> Explanation: ...
    def __getitem__(self, place: int | slice) -> Evidence | Explanation:
        return Explanation(self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __str__(self) -> str:
        return "\n\n".join(self._parts(str, "{}"))

    def to_markdown(self) -> str:
        return "\n\n".join(self._parts(Evidence.to_markdown, "### {}"))

    def to_html(self) -> str:
        parts = self._parts(Evidence.to_html, '<h4 class="tally-row">{}</h4>', "<p>{}</p>")
        return '<div class="tally-explanation">' + "\n".join(parts) + "</div>"

    def to_dict(self) -> dict[str, Any]:
        return {"rows": [row.to_dict() for row in self.rows]}

    def _parts(
        self, show: Callable[[Evidence], str], heading: str, ending: str = "{}"
    ) -> Iterator[str]:
        for number, row in enumerate(self.rows[:MOST_ROWS], start=1):
            if len(self.rows) > 1:
                yield heading.format(f"Row {number}")
            yield show(row)
        if len(self.rows) > MOST_ROWS:
            yield ending.format(rendering.more(len(self.rows) - MOST_ROWS))


@dataclass(frozen=True)
class _Sheet:
    """An evidence laid out: a row for every outcome, a place for every term that counts."""

    evidence: Evidence
    lines: tuple[Line, ...]
    heads: tuple[str, ...]  # (places,)
    terms: tuple[tuple[Term | None, ...], ...]  # (outcomes, places)

    @classmethod
    def of(cls, evidence: Evidence) -> _Sheet:
        lines = evidence.lines
        if evidence.how != "sum":
            lines = tuple(sorted(lines, key=_falling))
        rows = [_by_place(line) for line in lines]
        # Skipped terms keep the order of the others, and go when no outcome has use for them.
        places = [
            place
            for place in dict.fromkeys(place for row in rows for place in row)
            if any(place in row and not row[place].skipped for row in rows)
        ]
        heads = tuple(_label(column, value, evidence.how) for column, value, _ in places)
        kept = [{at: term for at, term in row.items() if not term.skipped} for row in rows]
        return cls(evidence, lines, heads, tuple(tuple(map(row.get, places)) for row in kept))

    @property
    def long(self) -> bool:
        return len(self.heads) > MOST_TERMS

    @property
    def sums(self) -> bool:
        return self.evidence.how == "sum"

    def names(self, blank: str = "") -> list[str]:
        """The outcomes; in a sum the chosen one is marked, for the smallest may have won."""
        chosen = [self.sums and bool(line.outcome == self.evidence.chosen) for line in self.lines]
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
        """What is to be said about single terms, then about the row; said once if true of all."""
        about: dict[str, dict[str, None]] = {}
        for line in self.lines:
            for said in (said for term in line.terms for said in self.said(term)):
                about.setdefault(said, {})[str(line.outcome)] = None
        everywhere = len(self.lines)
        remarks = [
            said if len(outcomes) == everywhere else f"{', '.join(outcomes)}, {said}"
            for said, outcomes in about.items()
        ]
        return [*remarks, *self.evidence.notes]

    def said(self, term: Term) -> list[str]:
        """How a factor came about, where there is room for it, and its note."""
        label = _label(term.column, term.value, self.evidence.how)
        text = "" if term.fraction or self.long else term.text
        return [f"{label}: {words}" for words in (text, term.note) if words]


def _formula(number: str) -> str:
    return f"${rendering.latex(number)}$"


def _falling(line: Line) -> float:
    return math.inf if line.share is None else -line.share


def _by_place(line: Line) -> dict[tuple[str, str, int], Term]:
    """The terms by column and value, and by number where both come again."""
    seen: Counter[tuple[str, str]] = Counter()
    places = {}
    for term in line.terms:
        key = (term.column, term.value)
        places[(*key, seen[key])] = term
        seen[key] += 1
    return places


def _label(column: str, value: str, how: str) -> str:
    if not column:
        return "start" if how == "sum" else "prior"
    return f"{column} = {value}" if value else column


def _product(line: Line) -> str:
    product = line.product
    return rendering.power(line.total) if product is None else rendering.ratio(product)
