"""Evidence: a prediction is a sum of evidence, and its explanation is the summands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, overload

from tallylearn.errors import picked
from tallylearn.workings import rendering
from tallylearn.workings.rendering import Shown
from tallylearn.workings.sheets import Sheet
from tallylearn.workings.terms import Line

MOST_ROWS = 20


@dataclass(frozen=True)
class Evidence(Shown):
    """Why the prediction for one row came out so: a ``product`` of factors or a ``sum`` of terms.

    Of sums the smallest wins, as of distances; with ``softmax`` the largest, and the shares are
    exp(total), normalised.

    >>> import math
    >>> from fractions import Fraction
    >>> from tallylearn.workings import Term
    >>> prior = Term("", "", math.log(9 / 14), Fraction(9), Fraction(14))
    >>> sunny = Term("Outlook", "Sunny", math.log(2 / 9), Fraction(2), Fraction(9))
    >>> print(Evidence((Line("Yes", (prior, sunny), 0.4),), "Yes", "product"))
    Yes  9/14 · 2/9 = 1/7   40.0 %
    """

    lines: tuple[Line, ...]
    chosen: object
    how: str  # "product", "sum" or "softmax"
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        sheet = self._sheet()
        lines = rendering.aligned(sheet.cells(str, str)) if sheet.long else sheet.text()
        return "\n".join([*lines, *map(rendering.plain, self._remarks(sheet))])

    def to_markdown(self) -> str:
        sheet = self._sheet()
        rows = sheet.cells(rendering.markdown, _formula) if sheet.long else sheet.formulas()
        notes = "\n".join(f"- {rendering.markdown(remark)}" for remark in self._remarks(sheet))
        return "\n\n".join(filter(None, [rendering.markdown_table(rows), notes]))

    def to_html(self) -> str:
        sheet = self._sheet()
        table = rendering.html_table(sheet.cells(str, str), "evidence")
        return (
            f'<div class="tally-working">{table}{rendering.html_notes(self._remarks(sheet))}</div>'
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "chosen": rendering.plain_data(self.chosen),
            "how": self.how,
            "lines": [line.to_dict() for line in self.lines],
            "notes": list(self.notes),
        }

    def _sheet(self) -> Sheet:
        return Sheet.of(self.lines, self.chosen, self.how)

    def _remarks(self, sheet: Sheet) -> list[str]:
        return [*sheet.remarks(), *self.notes]


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
        found: Any = picked(self.rows, place, "rows")
        return Explanation(found) if isinstance(place, slice) else found

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


def _formula(number: str) -> str:
    return f"${rendering.latex(number)}$"
