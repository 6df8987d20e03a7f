"""Reports: what is shown is made of plain data alone, so that a file of them shows the same."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import InputError, told
from tallylearn.workings.derivations import read
from tallylearn.workings.rendering import Shown


class Reported(Shown):
    """What is shown by a report. A subclass has ``to_dict``, and ``_told`` where that is no
    working's own: text, Markdown and HTML follow."""

    @staticmethod
    def _told(found: dict[str, Any]) -> Shown:
        """The report, from plain data."""
        return read(found)

    @classmethod
    def report_of(cls, data: dict[str, Any]) -> Shown:
        """The report again, from what ``to_dict`` gave, or a file of it."""
        with suppress(Exception):  # whatever there may be in the place of the data
            if isinstance(data, dict):  # an endless iterator would be looked through
                return cls._told(data)
        raise InputError(
            f"{cls.__name__}: {told(data)} is no data of its report. Pass what to_dict() gives."
        )

    def report(self) -> Shown:
        """What is to be read, in tables and sentences."""
        return self._told(self.to_dict())

    def __str__(self) -> str:
        return str(self.report())

    def to_markdown(self) -> str:
        return self.report().to_markdown()

    def to_html(self) -> str:
        return self.report().to_html()


@dataclass(frozen=True)
class Worded(Shown):
    """A working that a terminal shows in other words.

    >>> from tallylearn.workings import Grid
    >>> print(Worded("nothing was removed", Grid("Removals", ("node", "why"), ())))
    nothing was removed
    """

    text: str
    sheet: Shown

    def __str__(self) -> str:
        return self.text

    def to_markdown(self) -> str:
        return self.sheet.to_markdown()

    def to_html(self) -> str:
        return self.sheet.to_html()

    def to_dict(self) -> dict[str, Any]:
        return self.sheet.to_dict()
