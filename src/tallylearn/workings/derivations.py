"""Derivations: how a model follows from its data, as tables, formulas and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.reporting import formatting
from tallylearn.reporting.report import Report
from tallylearn.workings.typesetting import latex, mathml

CELL_STYLE = "text-align:left;border:0;padding:.15em .3em"  # of an equation in a table
MAX_TABLE_ROWS = 40  # rows that are printed; to_dict() has all


class DerivationStep(Report):
    """A derivation or a part of one; ``read_derivation`` is the inverse of ``to_dict``."""

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        return read_derivation(found)


@dataclass(frozen=True)
class Grid(DerivationStep):
    """A table of text cells with a header; the first column is the row label."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __str__(self) -> str:
        blocks = formatting.column_blocks(formatting.shorten_cells(filter(None, self._cells())))
        table = "\n\n".join("\n".join(lines) for lines in blocks)
        title, *notes = (
            formatting.wrap_text(formatting.printable_text(text))
            for text in (self.title, *self._notes())
        )
        return "\n".join(filter(None, [title, table, *notes]))

    def to_markdown(self) -> str:
        table = formatting.markdown_table(
            [*map(formatting.escape_markdown, row)] for row in self._cells()
        )
        title = f"**{formatting.escape_markdown(self.title)}**" if self.title else ""
        notes = map(formatting.escape_markdown, self._notes())
        return "\n\n".join(filter(None, [title, table, *notes]))

    def to_html(self) -> str:
        table = formatting.html_table(self._cells(), "grid", self.title)
        return table + formatting.html_notes(filter(None, self._notes()))

    def to_dict(self) -> dict[str, Any]:
        rows = [list(row) for row in self.rows]
        head = {"kind": "grid", "title": self.title, "header": list(self.header)}
        return head | {"rows": rows, "note": self.note}

    def _cells(self) -> list[tuple[str, ...]]:
        return [self.header, *self.rows[:MAX_TABLE_ROWS]]

    def _notes(self) -> tuple[str, str]:
        left = len(self.rows) - MAX_TABLE_ROWS
        return (formatting.more_note(left) if left > 0 else "", self.note)


@dataclass(frozen=True)
class Formula(DerivationStep):
    """An equation: text for terminals and for the MathML of a page, LaTeX for Markdown."""

    text: str
    latex: str

    def __str__(self) -> str:
        return formatting.wrap_equation(formatting.printable_text(self.text))

    def to_markdown(self) -> str:
        return f"$${self.latex}$$"

    def to_html(self) -> str:
        return f'<p class="tally-formula">{mathml(self.text)}</p>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "formula", "text": self.text, "latex": self.latex}


@dataclass(frozen=True)
class Sentence(DerivationStep):
    """A sentence."""

    text: str

    def __str__(self) -> str:
        return formatting.wrap_text(formatting.printable_text(self.text))

    def to_markdown(self) -> str:
        return formatting.escape_markdown(self.text)

    def to_html(self) -> str:
        return f'<p class="tally-sentence">{formatting.escape_html(self.text)}</p>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "sentence", "text": self.text}


@dataclass(frozen=True)
class Heading(Sentence):
    """A heading between the steps of a derivation."""

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text}\n{'-' * max(map(formatting.text_width, text.splitlines()), default=0)}"

    def to_markdown(self) -> str:
        return f"### {formatting.escape_markdown(self.text)}"

    def to_html(self) -> str:
        return f'<h4 class="tally-heading">{formatting.escape_html(self.text)}</h4>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "heading", "text": self.text}


@dataclass(frozen=True)
class Equations(DerivationStep):
    """Equations below each other, aligned at their equals signs.

    >>> print(Equations(("f(x) = 1 + 2 = 3", "g(x, y) = 10 + 2 = 12")))
    f(x)    = 1 + 2  = 3
    g(x, y) = 10 + 2 = 12
    """

    equations: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(formatting.align_equations(map(formatting.printable_text, self.equations)))

    def to_markdown(self) -> str:
        lines = []
        for text in self.equations:
            left, *sides = map(latex, self.sides(text))
            lines.append(f"{left} &= {' &&= '.join(sides)}" if sides else left)
        body = r" \cr ".join(lines)  # Markdown makes one backslash of two
        return rf"$$\begin{{aligned}} {body} \end{{aligned}}$$"

    def to_html(self) -> str:
        rows = []
        for text in self.equations:
            left, *sides = self.sides(text)
            cells = [mathml(left), *(mathml(f"= {side}") for side in sides)]
            tags = [f'<td style="{CELL_STYLE}">{cell}</td>' for cell in cells]
            rows.append(f"<tr>{''.join(tags)}</tr>")
        return f'<table class="tally-equations">{"".join(rows)}</table>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "equations", "equations": [*self.equations]}

    @staticmethod
    def sides(text: str) -> list[str]:
        """The sides of an equation; "<=" and "A = a" inside brackets divide nothing."""
        return formatting.equation_sides(text)


@dataclass(frozen=True)
class Listing(DerivationStep):
    """Lines of text that are shown as they are, such as a tree or rules."""

    text: str

    def __str__(self) -> str:
        return "\n".join(map(formatting.printable_text, self.text.split("\n")))

    def to_markdown(self) -> str:
        return f"```text\n{self}\n```"

    def to_html(self) -> str:
        lines = "\n".join(map(formatting.escape_html, self.text.split("\n")))
        return f'<pre class="tally-listing">{lines}</pre>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "listing", "text": self.text}


Step = Grid | Formula | Sentence | Equations | Listing


@dataclass(frozen=True)
class Derivation(DerivationStep):
    """A titled sequence of steps.

    >>> counts = Grid("Rows by class", ("Play", "n"), (("No", "5"), ("Yes", "9")))
    >>> print(Derivation("Priors", (counts, Formula("P(c) = n / N", r"P(c) = \\frac{n}{N}"))))
    Priors
    ======
    <BLANKLINE>
    Rows by class
    Play  n
    No    5
    Yes   9
    <BLANKLINE>
    P(c) = n / N
    """

    title: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        title = formatting.wrap_text(formatting.printable_text(self.title))
        longest = max(map(formatting.text_width, title.splitlines()), default=0)
        underlined = f"{title}\n{'=' * longest}"
        return "\n\n".join([underlined, *map(str, self.steps)])

    def to_markdown(self) -> str:
        steps = [step.to_markdown() for step in self.steps]
        return "\n\n".join([f"## {formatting.escape_markdown(self.title)}", *steps])

    def to_html(self) -> str:
        title = f'<h3 class="tally-title">{formatting.escape_html(self.title)}</h3>'
        steps = [step.to_html() for step in self.steps]
        return '<div class="tally-derivation">' + "\n".join([title, *steps]) + "</div>"

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "steps": [step.to_dict() for step in self.steps]}


def read_derivation(data: Mapping[str, Any]) -> Derivation | Step:
    """A derivation, or a step of one, from its plain data: the inverse of ``to_dict``.

    >>> step = Grid("Rows", ("Play", "n"), (("No", "5"),))
    >>> read_derivation(step.to_dict()) == step
    True
    """
    if "steps" in data:
        return Derivation(data["title"], read_parts(data["steps"]))
    return _step(data)


def read_parts(data: Iterable[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The steps of a derivation from their plain data."""
    return tuple(map(_step, data))


def _step(data: Mapping[str, Any]) -> Step:
    if data["kind"] == "grid":
        rows = tuple(map(tuple, data["rows"]))
        return Grid(data["title"], tuple(data["header"]), rows, data["note"])
    if data["kind"] == "formula":
        return Formula(data["text"], data["latex"])
    if data["kind"] == "equations":
        return Equations(tuple(data["equations"]))
    if data["kind"] == "listing":
        return Listing(data["text"])
    return Heading(data["text"]) if data["kind"] == "heading" else Sentence(data["text"])
