"""Reports: what is shown is made of plain data alone, so that a file of them shows the same."""

from __future__ import annotations

import json
from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import InputError, KindError, told
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


class Recorded(Reported):
    """A report whose numbers are rows of a table too."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The numbers as rows of a table."""

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def to_arrow(self) -> Any:
        """The numbers as an Arrow table, which pandas, polars and DuckDB take as it is."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.records())

    def to_frame(self) -> Any:
        """The numbers as a pandas frame."""
        try:
            return self.to_arrow().to_pandas()
        except ImportError:
            raise KindError(
                "to_frame gives a pandas frame, and pandas is not installed. Take to_arrow()."
            ) from None


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
