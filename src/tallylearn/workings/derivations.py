"""Derivations: how a model follows from its counts, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.reporting import formatting
from tallylearn.reporting.report import Report

MOST_ROWS = 40


class Step(Report):
    """A derivation or a part of it: ``read`` makes it from plain data again."""

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        return read(found)


@dataclass(frozen=True)
class Grid(Step):
    """A step that is a table of counts or scores."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __str__(self) -> str:
        lines = formatting.aligned(row for row in self._cells() if row)
        notes = filter(None, self._notes())
        title = [self.title] if self.title else []
        return "\n".join([*map(formatting.plain, title), *lines, *map(formatting.plain, notes)])

    def to_markdown(self) -> str:
        table = formatting.markdown_table([*map(formatting.markdown, row)] for row in self._cells())
        title = f"**{formatting.markdown(self.title)}**" if self.title else ""
        notes = map(formatting.markdown, self._notes())
        return "\n\n".join(filter(None, [title, table, *notes]))

    def to_html(self) -> str:
        table = formatting.html_table(self._cells(), "grid", self.title)
        return table + formatting.html_notes(filter(None, self._notes()))

    def to_dict(self) -> dict[str, Any]:
        rows = [list(row) for row in self.rows]
        head = {"kind": "grid", "title": self.title, "header": list(self.header)}
        return head | {"rows": rows, "note": self.note}

    def _cells(self) -> list[tuple[str, ...]]:
        return [self.header, *self.rows[:MOST_ROWS]]

    def _notes(self) -> tuple[str, str]:
        left = len(self.rows) - MOST_ROWS
        return (formatting.more(left) if left > 0 else "", self.note)


@dataclass(frozen=True)
class Formula(Step):
    """A step that is an equation, written for terminals and in LaTeX."""

    text: str
    latex: str

    def __str__(self) -> str:
        return formatting.plain(self.text)

    def to_markdown(self) -> str:
        return f"$${self.latex}$$"

    def to_html(self) -> str:
        return f'<p><code class="tally-formula">{formatting.escaped(self.text)}</code></p>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "formula", "text": self.text, "latex": self.latex}


@dataclass(frozen=True)
class Sentence(Step):
    """A step that is said in words."""

    text: str

    def __str__(self) -> str:
        return formatting.plain(self.text)

    def to_markdown(self) -> str:
        return formatting.markdown(self.text)

    def to_html(self) -> str:
        return f'<p class="tally-sentence">{formatting.escaped(self.text)}</p>'

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "sentence", "text": self.text}


@dataclass(frozen=True)
class Derivation(Step):
    """How a model came out of the counts.

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
    steps: tuple[Grid | Formula | Sentence, ...]

    def __str__(self) -> str:
        title = formatting.plain(self.title)
        underlined = f"{title}\n{'=' * formatting.width(title)}"
        return "\n\n".join([underlined, *map(str, self.steps)])

    def to_markdown(self) -> str:
        steps = [step.to_markdown() for step in self.steps]
        return "\n\n".join([f"## {formatting.markdown(self.title)}", *steps])

    def to_html(self) -> str:
        title = f'<h3 class="tally-title">{formatting.escaped(self.title)}</h3>'
        steps = [step.to_html() for step in self.steps]
        return '<div class="tally-derivation">' + "\n".join([title, *steps]) + "</div>"

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "steps": [step.to_dict() for step in self.steps]}


def read(data: Mapping[str, Any]) -> Derivation | Grid | Formula | Sentence:
    """A working from its plain data: the inverse of ``to_dict``.

    >>> step = Grid("Rows", ("Play", "n"), (("No", "5"),))
    >>> read(step.to_dict()) == step
    True
    """
    if "steps" in data:
        return Derivation(data["title"], tuple(map(_step, data["steps"])))
    return _step(data)


def _step(data: Mapping[str, Any]) -> Grid | Formula | Sentence:
    if data["kind"] == "grid":
        rows = tuple(map(tuple, data["rows"]))
        return Grid(data["title"], tuple(data["header"]), rows, data["note"])
    if data["kind"] == "formula":
        return Formula(data["text"], data["latex"])
    return Sentence(data["text"])
