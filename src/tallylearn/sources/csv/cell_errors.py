"""Complaints: what is wrong with a cell or a line, said with row, value and remedy."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

from tallylearn.errors import ColumnError, InputError
from tallylearn.sources.csv.decoding import ENCODINGS, blank, records, text_of, too_long
from tallylearn.sources.csv.dialect import Dialect

SHOWN = 60  # characters of a value
_VALUE = re.compile(r"\d[\d.,:/ -]*\d")  # 4/4/2017, 1,234.5: no mark of a gap


def too_large(name: object, value: object, row: int, where: str = "") -> ColumnError:
    """An integer that a double would round."""
    column = quoted([name])
    return ColumnError(
        f"{where}column {name!r} has {value} in row {row}, an integer that a double cannot hold. "
        f"If it is an identifier, declare categories={column}, or leave it out with "
        f"ignore={column}."
    )


def not_a_number(name: str, text: str, row: int, where: str = "") -> ColumnError:
    """Text in a column of numbers."""
    return _unlike(f"{where}column {name!r} has text", name, text, row)


def not_a_date(name: str, text: str, row: int, where: str = "") -> ColumnError:
    """Something else in a column of dates."""
    return _unlike(f"{where}column {name!r} has something else than an ISO date", name, text, row)


def not_a_truth(name: str, text: str, row: int, where: str = "") -> ColumnError:
    """Another word in a column of truth values."""
    return _unlike(f"{where}column {name!r} has something else than a truth value", name, text, row)


def number_as_text(name: str, text: str, row: int) -> ColumnError:
    """Text that reads as a number, in a column that was learned as numbers."""
    return ColumnError(
        f"column {name!r} has its numbers as text here ({text[:SHOWN]!r} in row {row}), and was "
        "one of numbers when the model learned. Convert the column to numbers."
    )


def _unlike(what: str, name: str, text: str, row: int) -> ColumnError:
    if _VALUE.search(text):
        return ColumnError(
            f"{what} in row {row} ({text[:SHOWN]!r}), which is a value and not a gap. Write it as "
            "the others are, such as 2026-11-15 for a date and 1234.5 for a number; or declare "
            f"the column with categories={quoted([name])}, or leave it out with "
            f"ignore={quoted([name])}."
        )
    return ColumnError(
        f"{what} in row {row} ({text[:SHOWN]!r}). Mark it as missing with "
        f"missing={quoted(text[:SHOWN].strip())}, declare the column with "
        f"categories={quoted([name])}, or ignore it."
    )


def not_empty(name: str, text: str, row: int, where: str = "") -> ColumnError:
    """A value in a column that had none."""
    return ColumnError(
        f"{where}column {name!r} has a value in row {row} ({text[:SHOWN]!r}) where none "
        f"was expected. Declare the column, with categories={quoted([name])} for instance, or "
        "ignore it."
    )


def not_utf8(name: str, value: bytes, row: int, where: str = "") -> ColumnError:
    """Bytes of another encoding."""
    return ColumnError(
        f"{where}column {name!r} has bytes in row {row} that are not UTF-8 ({value[:SHOWN]!r}). "
        f"{ENCODINGS}"
    )


def ragged(path: Path, row: Any, number: int, dialect: Dialect) -> InputError:
    """A row with too few or too many cells; ``row`` is Arrow's."""
    if dialect.quote and row.text.count(dialect.quote) % 2:
        return unclosed(path, number, dialect.quote)
    remedy = f"Mend the row; a cell that contains {dialect.delimiter!r} needs quotes around it."
    if (mark := row.text.lstrip()[:1]) and mark in "#%;!":
        remedy = f'If such lines are comments, say dialect={{"comment": "{mark}"}}.'
    return InputError(
        f"{path}: row {number} has another number of cells than the first row: expected "
        f"{row.expected_columns}, found {row.actual_columns} ({row.text[:SHOWN]!r}). {remedy}"
    )


def check_quotes(path: Path, dialect: Dialect) -> None:
    """Refuse a quote that is open to the end of the file."""
    row = 1 - dialect.header
    with text_of(path, dialect.encoding, rewriting=dialect.rewriting) as lines:
        rows, line = records(lines, dialect.delimiter, dialect.quote, strict=True), 0
        try:
            for cells in rows:
                row, line = row + (not blank(cells)), rows.line_num
        except csv.Error as error:
            # Text behind a closing quote is an error to a strict reader, but none to Arrow.
            if "larger than" in str(error) and rows.line_num <= line + 1:
                raise too_long(path) from None
            if "expected after" not in str(error):
                raise unclosed(path, row, dialect.quote) from None


def unclosed(path: Path, row: int, quote: str = '"') -> InputError:
    where = f"row {row}" if row else "the header"
    return InputError(
        f"{path}: {where} opens a quote that is not closed. Close it; a quote inside a quoted "
        f"cell is written twice ({2 * quote}). "
        'If quotes mean nothing here, say dialect={"quote": ""}.'
    )


def quoted(value: object) -> str:
    """A value as it is written in a call."""
    return json.dumps(value, ensure_ascii=False)
