"""The report of a check: what every column is, what to decide, what to consider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, as_path, error_context
from tallylearn.reporting.formatting import (
    TEXT_WIDTH,
    pad_texts,
    plain_data,
    printable_text,
    text_width,
    wrap_beside,
    wrap_text,
)
from tallylearn.reporting.report import Report, ReportLayout
from tallylearn.runtime.atomic_write import write_whole
from tallylearn.sources.schema_files import toml_of
from tallylearn.workings import Derivation, Grid, Sentence

HEADER = ("column", "kind", "missing", "note")
MIN_NOTE_WIDTH = 30  # columns; in less, the notes stand below the table


@dataclass(frozen=True)
class CheckedColumn:
    """One column: what it is, why where that needs a word, and what is left to say."""

    name: str
    kind: str
    written: str  # a model of it, where it came as strings
    missing: int
    note: str = ""
    decide: str = ""  # what has to be said before anybody learns from it
    consider: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check(Report):
    """The result of ``tl.check``: how a table is read.

    Attributes
    ----------
    what : str
        The source, as text.
    rows : int
        Number of rows.
    columns : tuple of Checked
        The columns, each with its kind and the reason.
    schema : dict
        The declaration that ``tl.table(schema=)`` takes.
    notes : tuple of str
        Notes about the whole table.
    targets : tuple of Checked
        The targets, if they are declared.
    cautions : tuple of str
        Warnings about predicting the target.
    """

    what: str
    rows: int
    columns: tuple[CheckedColumn, ...]
    schema: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # of the table as a whole
    targets: tuple[CheckedColumn, ...] = ()
    cautions: tuple[str, ...] = ()  # what to look at before anybody learns the target

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions to make before the table can be used, such as the order of day and month."""
        every = (*self.columns, *self.targets)
        return tuple(f"{one.name}: {one.decide}" for one in every if one.decide)

    def to_dict(self) -> dict[str, Any]:
        """The check as plain data."""
        columns, targets = ([vars(one) for one in some] for some in (self.columns, self.targets))
        found: dict[str, Any] = plain_data(
            {"what": self.what, "rows": self.rows, "columns": columns, "targets": targets,
             "decisions": self.decisions, "schema": dict(self.schema), "notes": self.notes,
             "cautions": self.cautions}
        )  # fmt: skip
        return found

    def write_schema(self, path: str | Path, *, force: bool = False) -> None:
        """Write the schema as TOML, to be edited and passed to ``tl.table(schema=)``.

        Parameters
        ----------
        path : str or Path
            The file.
        force : bool, default False
            Whether to overwrite an existing file, which may have been edited.
        """
        with error_context("check"):
            if not force and as_path(path).exists():
                raise FileError(
                    f"{path} already exists. Choose another file, or overwrite it with force=True."
                )
            heading = f"How tallylearn reads {self.what}.\nEdit it; --schema and tl.table follow."
            write_whole(as_path(path), toml_of(self.schema, heading).encode())

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        return ReportLayout(_sheet(found), text=_text(found))


def _text(found: Mapping[str, Any]) -> str:
    """A check from its plain data: a table of the columns, and paragraphs of at most 80 columns."""
    *columns, notes = zip(HEADER, *_cells(found), strict=True)
    even = [
        pad_texts([*map(printable_text, cells)], left=at != 2) for at, cells in enumerate(columns)
    ]
    labels = ["  ".join(row) + "  " for row in zip(*even, strict=True)]
    below: list[str] = []
    if TEXT_WIDTH - text_width(labels[0]) < MIN_NOTE_WIDTH:
        names = columns[0]
        below = [f"{name}: {note}." for name, note in zip(names, notes, strict=True) if note][1:]
        notes = ("",) * len(notes)
    table = [wrap_beside(*row) for row in zip(labels, map(printable_text, notes), strict=True)]
    said = [printable_text(text) for text in (*below, *_remarks(found))]
    paragraphs = map(wrap_text, (_title(found), *found["notes"]))
    return "\n".join([*paragraphs, *table, *map(wrap_text, said)])


def _sheet(found: Mapping[str, Any]) -> Derivation:
    said = tuple(map(Sentence, [*found["notes"], *_remarks(found)]))
    return Derivation(_title(found), (Grid("", HEADER, tuple(_cells(found))), *said))


def _title(found: Mapping[str, Any]) -> str:
    rows, columns = found["rows"], len(found["columns"])
    said = f"{rows:,} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
    return f"{found['what']}: {said}{' and the target' if found['targets'] else ''}"


def _cells(found: Mapping[str, Any]) -> list[tuple[str, ...]]:
    every = [*found["columns"], *found["targets"]]
    return [(c["name"], c["kind"], f"{c['missing']:,}", c["note"]) for c in every]


def _remarks(found: Mapping[str, Any]) -> list[str]:
    """What is to be decided, and what to be considered."""
    said = [f"to decide: {words}." for words in found["decisions"]]
    said += [f"warning: {words}." for words in found.get("cautions", ())]
    return said + [
        f"to consider: {one['name']}: {words}."
        for one in [*found["columns"], *found["targets"]]
        for words in one["consider"]
    ]
