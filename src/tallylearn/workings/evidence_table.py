"""The explanation of a row as a table: a row for every outcome, a column for every term."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from tallylearn.reporting import formatting
from tallylearn.reporting.formatting import number_of
from tallylearn.reporting.report import Report
from tallylearn.workings.derivations import Formula, read_derivation
from tallylearn.workings.reasons import ReasonSentences

MAX_FACTORS_IN_LINE = 8  # products of more factors are printed as a table with names
MAX_SUMMANDS_IN_LINE = 3  # sums of more terms need the names of the terms
MAX_EXPLAINED_ROWS = 20  # rows that are printed; to_dict() has all
Data = Mapping[str, Any]  # an explanation, a line of it, or a term, as plain data


@dataclass(frozen=True)
class EvidenceTable(Report):
    """A row for every outcome, a column for every term that counts."""

    data: dict[str, Any]
    lines: Sequence[Data]
    sums: bool  # else the terms are multiplied
    heads: tuple[str, ...]  # (places,)
    terms: tuple[tuple[Data | None, ...], ...]  # (outcomes, places)

    @classmethod
    def of(cls, found: dict[str, Any]) -> EvidenceTable:
        """The table of ``Evidence.to_dict()``."""
        how, lines = found["how"], found["lines"]
        sums = how != "product"
        lines = lines if how == "sum" else sorted(lines, key=_descending_share)
        rows = [_terms_by_column(line) for line in lines]
        kept = [{at: term for at, term in row.items() if not term["skipped"]} for row in rows]
        # Skipped terms keep the order of the others, and go when no outcome has use for them.
        known = dict.fromkeys(place for row in rows for place in row)
        places = [place for place in known if any(place in row for row in kept)]
        heads = tuple(label or _constant_label(sums) for label, _, _ in places)
        terms = tuple(tuple(map(row.get, places)) for row in kept)
        return cls(found, lines, sums, heads, terms)

    @staticmethod
    def _layout(found: dict[str, Any]) -> EvidenceTable:
        return EvidenceTable.of(found)

    @property
    def terms_shown(self) -> bool:
        """Whether the terms are printed, or the notes and a working in their place."""
        return bool(self.data.get("terms_shown", "working" not in self.data))

    def steps(self, name: str) -> list[Report]:
        """The steps of the preparation or of the working."""
        return [*map(read_derivation, self.data.get(name, ()))]

    def __str__(self) -> str:
        notes = map(formatting.printable_text, self.remarks())
        if not self.terms_shown:
            text = "\n".join(map(formatting.wrap_text, notes))
        else:
            lines = [] if self.is_long else self.text()
            if not lines or max(map(formatting.text_width, lines)) > formatting.TEXT_WIDTH:
                lines = list(
                    itertools.chain(*formatting.column_blocks(self.term_columns(str, str)))
                )
            text = "\n".join([*lines, *map(formatting.wrap_text, notes)])
        parts = self._with_steps(text, str)
        formulas = {str(step) for step in self.steps("working") if isinstance(step, Formula)}
        single = [part in formulas and "\n" not in part for part in parts]
        ends = ["\n" if a and b else "\n\n" for a, b in itertools.pairwise(single)]
        return "".join(itertools.chain(*zip(parts, [*ends, ""], strict=True)))

    def to_markdown(self) -> str:
        notes = "\n".join(f"- {formatting.escape_markdown(remark)}" for remark in self.remarks())
        table = ""
        if self.terms_shown:
            cells = partial(self.cells, formatting.escape_markdown, _latex_cell)
            table = formatting.markdown_table(cells() if self.is_long else self.formulas())
        terms = "\n\n".join(filter(None, [table, notes]))
        return "\n\n".join(self._with_steps(terms, lambda step: step.to_markdown()))

    def to_html(self) -> str:
        shown, notes = self.terms_shown, formatting.html_notes(self.remarks())
        table = formatting.html_table(self.cells(str, str), "evidence") if shown else ""
        parts = self._with_steps(table + notes, lambda step: step.to_html())
        return f'<div class="tally-working">{"".join(parts)}</div>'

    def _with_steps(self, terms: str, show: Callable[[Report], str]) -> list[str]:
        """The reasons, the preparation, the terms, and the working."""
        before, after = (map(show, self.steps(name)) for name in ("preparation", "working"))
        why = [show(ReasonSentences(found))] if (found := self.data.get("reasons")) else []
        return [*filter(None, [*why, *before, terms, *after])]

    def to_dict(self) -> dict[str, Any]:
        return self.data

    @property
    def is_long(self) -> bool:
        named = self.sums and self.data["how"] != "votes"  # whose notes name every voter
        return len(self.heads) > (MAX_SUMMANDS_IN_LINE if named else MAX_FACTORS_IN_LINE)

    def names(self, blank: str = "") -> list[str]:
        """The outcomes; in a sum the chosen one is marked, for the smallest may have won."""
        outcomes = [line["outcome"] for line in self.lines]
        chosen = [self.sums and outcome == self.data["chosen"] for outcome in outcomes]
        marks = ["→ " if mark else blank if any(chosen) else "" for mark in chosen]
        return [mark + str(outcome) for mark, outcome in zip(marks, outcomes, strict=True)]

    def results(self) -> list[str]:
        """What the terms of every outcome come to."""
        totals = [number_of(line["total"]) for line in self.lines]
        return (
            [*map(formatting.format_number, totals)] if self.sums else [*map(_product, self.lines)]
        )

    def shares(self) -> list[str]:
        """Shares in per cent; none at all when no outcome has one."""
        shares = [line["share"] for line in self.lines]
        if all(share is None for share in shares):
            return []
        return ["" if share is None else f"{100 * share:.1f} %" for share in shares]

    def term_text(self, term: Data | None) -> str:
        """A term as it stands in a table; nothing for an absent one."""
        if term is None:
            return ""
        amount = number_of(term["amount"])
        return (
            formatting.format_number(amount)
            if self.sums
            else term["factor"] or formatting.format_exp(amount)
        )

    def cells(self, name: Callable[[str], str], number: Callable[[str], str]) -> list[list[str]]:
        """A table with a row for every outcome; for every term where there are many."""
        columns = self.term_columns(name, number)
        return columns if self.is_long else [list(row) for row in zip(*columns, strict=True)]

    def term_columns(
        self, name: Callable[[str], str], number: Callable[[str], str]
    ) -> list[list[str]]:
        """The outcomes, their terms, what these come to, and the shares."""
        columns = [["", *map(name, self.names())]]
        for head, terms in zip(self.heads, zip(*self.terms, strict=True), strict=True):
            columns.append([name(head), *(t and number(t) for t in map(self.term_text, terms))])
        columns.append(["total" if self.sums else "product", *map(number, self.results())])
        if shares := self.shares():
            columns.append(["share", *shares])
        return columns

    def chain(self, terms: Sequence[Data | None]) -> formatting.Chain:
        """The terms of one outcome with the signs between them."""
        if self.sums:
            return formatting.sum_chain(
                None if t is None else number_of(t["amount"]) for t in terms
            )
        return formatting.product_chain(map(self.term_text, terms))

    def text(self) -> list[str]:
        """One line for every outcome: the terms, what they come to, the share."""
        names = [formatting.printable_text(name) for name in self.names(blank="  ")]
        parts = zip(
            formatting.pad_texts(names, left=True),
            formatting.align_chains([self.chain(terms) for terms in self.terms]),
            formatting.pad_texts(self.results()),
            formatting.pad_texts(self.shares() or [""] * len(names)),
            strict=True,
        )
        return [f"{name}  {chain} = {end}   {share}".rstrip() for name, chain, end, share in parts]

    def formulas(self) -> list[list[str]]:
        """One formula for every outcome, as the rows of a Markdown table."""
        shares = self.shares()
        table = [["outcome", "total" if self.sums else "product", *(["share"] if shares else [])]]
        parts = zip(self.names(), self.terms, self.results(), strict=True)
        for place, (name, terms, result) in enumerate(parts):
            chain = formatting.latex_chain(self.chain(terms))
            formula = f"${chain} = {formatting.latex_number(result)}$"
            table.append([formatting.escape_markdown(name), formula, *shares[place : place + 1]])
        return table

    def remarks(self) -> list[str]:
        """What is to be said about terms, once if true of every outcome; and about all."""
        if not self.terms_shown:
            return [*self.data["notes"]]
        about: dict[str, dict[str, None]] = {}
        for line in self.lines:
            for said in (said for term in line["terms"] for said in self.term_notes(term)):
                about.setdefault(said, {})[str(line["outcome"])] = None
        # of two classes a linear model's first is compared with: it has a start of 0 alone
        more = sum([term["label"] for term in line["terms"]] != [""] for line in self.lines)
        everywhere = more or len(self.lines)
        terms = [
            said if len(outcomes) == everywhere else f"{', '.join(outcomes)}, {said}"
            for said, outcomes in about.items()
        ]
        return [*terms, *self.data["notes"]]

    def term_notes(self, term: Data) -> list[str]:
        """How a factor came about, where there is room for it, and its note."""
        label = term["label"] or _constant_label(self.sums)
        text = "" if term["factor"] or self.is_long else term["text"]
        return [f"{label}: {words}" for words in (text, term["note"]) if words]


@dataclass(frozen=True)
class EvidenceTables(Report):
    """The tables of several rows, and how many more rows there are."""

    data: dict[str, Any]
    tables: tuple[EvidenceTable, ...]  # of the rows that are shown

    @classmethod
    def of(cls, found: dict[str, Any]) -> EvidenceTables:
        """The tables of ``Explanation.to_dict()``."""
        return cls(found, tuple(map(EvidenceTable.of, found["rows"][:MAX_EXPLAINED_ROWS])))

    @staticmethod
    def _layout(found: dict[str, Any]) -> EvidenceTables:
        return EvidenceTables.of(found)

    def __str__(self) -> str:
        return "\n\n".join(self._parts(str, "{}"))

    def to_markdown(self) -> str:
        return "\n\n".join(self._parts(EvidenceTable.to_markdown, "### {}"))

    def to_html(self) -> str:
        parts = self._parts(EvidenceTable.to_html, '<h4 class="tally-row">{}</h4>', "<p>{}</p>")
        return '<div class="tally-explanation">' + "\n".join(parts) + "</div>"

    def to_dict(self) -> dict[str, Any]:
        return self.data

    def _parts(
        self, show: Callable[[EvidenceTable], str], heading: str, ending: str = "{}"
    ) -> Iterator[str]:
        for number, table in enumerate(self.tables, start=1):
            if len(self.tables) > 1:
                yield heading.format(f"Row {number}")
            yield show(table)
        if left := len(self.data["rows"]) - len(self.tables):
            yield ending.format(formatting.more_note(left))


def _descending_share(line: Data) -> float:
    return math.inf if line["share"] is None else -line["share"]


def _terms_by_column(line: Data) -> dict[tuple[str, str, int], Data]:
    """The terms by label and value, and by number where both come again."""
    seen: Counter[tuple[str, str]] = Counter()
    places = {}
    for term in line["terms"]:
        key = (term["label"], term["value"])
        places[(*key, seen[key])] = term
        seen[key] += 1
    return places


def _constant_label(sums: bool) -> str:
    return "start" if sums else "prior"


def _product(line: Data) -> str:
    """The exact product as one cares to read it; plain data have many more of its digits."""
    if line["product"] is None:
        return formatting.format_exp(number_of(line["total"]))
    exact = line["product"].replace("/", "").isdigit()
    return formatting.format_fraction(Fraction(line["product"])) if exact else line["product"]


def _latex_cell(number: str) -> str:
    return f"${formatting.latex_number(number)}$"
