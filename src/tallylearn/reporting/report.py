"""Reports: plain data, shown as text, Markdown, HTML or JSON, and written to a file."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallylearn.errors import FileError, InputError, KindError, as_path, short_repr
from tallylearn.reporting.page import html_page
from tallylearn.runtime.atomic_write import write_whole

if TYPE_CHECKING:
    from rich.text import Text

FILE_ENDINGS = (".html", ".json", ".md", ".txt")


class Report(ABC):
    """Base of everything that is printed: all forms are a function of ``to_dict()``.

    A subclass has ``to_dict`` and ``_layout``, which turns that plain data into another report,
    usually a ``Derivation`` or a ``Grid``; these override ``__str__``, ``to_markdown`` and
    ``to_html`` themselves. ``report_of(json.load(file))`` shows what a file holds.
    """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; complete where the other forms are truncated."""

    @staticmethod
    def _layout(found: dict[str, Any]) -> Report:
        """The tables and sentences of this report, from plain data."""
        raise NotImplementedError

    @classmethod
    def report_of(cls, data: dict[str, Any]) -> Report:
        """Make a report from the data that ``to_dict`` gave, or that a JSON file holds.

        Parameters
        ----------
        data : dict
            The plain data of a report of this class.

        Returns
        -------
        Report
            The tables and sentences of the report.
        """
        with suppress(Exception):  # whatever there may be in the place of the data
            if isinstance(data, dict):  # an endless iterator would be looked through
                return cls._layout(data)
        raise InputError(
            f"{cls.__name__}.report_of: {short_repr(data)} is not the data of such "
            "a report. Pass the result of to_dict()."
        )

    def report(self) -> Report:
        """The tables and sentences of this report.

        Returns
        -------
        Report
            Usually a ``Derivation`` or a ``Grid``.
        """
        return self._layout(self.to_dict())

    def __str__(self) -> str:
        return str(self.report())

    def __repr__(self) -> str:
        return str(self)

    def __init_subclass__(cls, **options: Any) -> None:
        """A dataclass keeps the repr that it inherits: the printed text, and no dump of fields."""
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):
            cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def to_markdown(self) -> str:
        """The report as GitHub Markdown, with formulas in LaTeX.

        Returns
        -------
        str
            Markdown.
        """
        return self.report().to_markdown()

    def to_html(self) -> str:
        """The report as a fragment of HTML.

        Returns
        -------
        str
            HTML that needs no other file.
        """
        return self.report().to_html()

    def to_json(self) -> str:
        """The data of ``to_dict()`` as JSON.

        Returns
        -------
        str
            JSON, indented.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the report to a file, completely or not at all.

        Parameters
        ----------
        path : str or Path
            The file. Its name ends in .html, .json, .md or .txt, which decides the format.
        """
        ending = check_ending(path)
        if ending == ".html":
            title = getattr(self.report(), "title", "") or type(self).__name__
            text = html_page(title, self.to_html())
        elif ending == ".json":
            text = self.to_json()
        else:
            text = self.to_markdown() if ending == ".md" else str(self)
        write_whole(path, (text + "\n").encode())

    def _repr_html_(self) -> str:
        return self.to_html()

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(str(self))


class TableReport(Report):
    """A report that also gives its numbers as rows of a table."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """The numbers as rows of a table."""

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
                "to_frame: pandas is not installed. Install pandas, or use to_arrow()."
            ) from None


@dataclass(frozen=True)
class ReportLayout(Report):
    """A report with a text or an HTML form of its own; the other forms are those of ``body``.

    >>> from tallylearn.workings import Grid
    >>> print(ReportLayout(Grid("Removals", ("node", "why"), ()), text="nothing was removed"))
    nothing was removed
    """

    body: Report
    text: str | None = None
    draw: Callable[[], str] | None = None  # the HTML, with charts; drawn only when asked for
    data: dict[str, Any] | None = None  # if the body does not hold all of it

    @property
    def title(self) -> str:
        return getattr(self.body, "title", "")

    def report(self) -> Report:
        return self

    def __str__(self) -> str:
        return str(self.body) if self.text is None else self.text

    def to_markdown(self) -> str:
        return self.body.to_markdown()

    def to_html(self) -> str:
        return self.body.to_html() if self.draw is None else self.draw()

    def to_dict(self) -> dict[str, Any]:
        return self.body.to_dict() if self.data is None else self.data


def check_ending(path: str | Path) -> str:
    """The ending of a file's name, which decides the form that is written."""
    ending = as_path(path).suffix.lower()
    if ending not in FILE_ENDINGS:
        raise FileError(
            f"save: the file name {str(path)!r} has no known ending. Use one of "
            f"{', '.join(FILE_ENDINGS)}."
        )
    return ending
