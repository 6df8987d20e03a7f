"""Complaints: what is wrong with a cell or a line, said with row, value and remedy."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any

from tallylearn.errors import CellError, ColumnError, InputError, TallyError
from tallylearn.sources.files.csv.decoding import (
    ENCODINGS,
    blank,
    long_cell_error,
    records,
    text_of,
)
from tallylearn.sources.files.csv.dialect import Dialect, sniff
from tallylearn.tables.string_formats import (
    BOUND,
    DATES,
    EMPTY,
    NUMBERS,
    TRUTHS,
    WORDS,
    StringFormat,
)

CELL_WIDTH = 60  # characters of a value
MAX_SHOWN_VALUES = 3  # values
NUMBER_OF = {2: "two", 3: "three"}
READING = {  # what a model reads of values of several numbers
    "first": "read its first number", "second": "read its second number",
    "ratio": "read the first number divided by the second",
    "midpoint": "read the middle of each range",
}  # fmt: skip
MAX_TITLE_LINES = 50  # lines at most that stand above a table
MAX_NOTE_LINES = 50  # lines at most that stand below one
MAX_TRIED_ROWS = 1000  # by which a remedy is tried
VALUE_NAMES = {
    WORDS: "answer",
    NUMBERS: "number",
    DATES: "date",
    TRUTHS: "truth value",
    EMPTY: "missing value",
}
_TOTAL = re.compile(
    r"(.+ )?(sub-?|sous-)?total(s|e|en)?( .+)?|(.+ )?(zwischen|gesamt|end)?summen?( .+)?|sum|somme|"
    r"(.+ )?gesamt(ergebnis)?|insgesamt|ensemble|suma|soma|totaal|summa|average|mean|durchschnitt|"
    r"mittelwert|moyenne|promedio",
    re.IGNORECASE,
)
_VALUE = re.compile(r"\d[\d.,:/ -]*\d")  # 4/4/2017, 1,234.5: no mark of a gap


def is_total(word: str) -> bool:
    """Whether a word stands in rows that sum other rows up, or are their means."""
    return _TOTAL.fullmatch(word.strip(" :*=Σ")) is not None


def large_integer_error(name: object, value: object, row: int, where: str = "") -> ColumnError:
    """An integer that a double would round."""
    column = as_code([name])
    return ColumnError(
        f"{where}column {name!r} has {value} in row {row}, an integer that a double cannot hold. "
        f'If it is an identifier, use kinds={{{column[1:-1]}: "identifier"}}; to use it as a '
        f"category, categories={column}; or leave it out with ignore={column}."
    )


def cell_error(
    spelling: StringFormat, better: str, name: str, text: str, row: int, where: str, learned: bool
) -> CellError:
    """A cell that is not written as the column is; ``better``: how all of its cells are, if known.

    What a model has ``learned`` as numbers cannot be categories when it is asked.
    """
    what = VALUE_NAMES[spelling.kind]
    cell = f"{where}column {name!r} has a value that is not a {what} in row {row}"
    cell += f" ({text[:CELL_WIDTH]!r})"
    missing = f"missing={as_code(text[:CELL_WIDTH].strip())}"
    told = f"give the format of the column with kinds={as_code({name: better or 'category'})}"
    left = f"leave it out with ignore={as_code([name])}"
    if not _VALUE.search(text):
        rest = "or correct it" if learned else (
            f"declare the column with categories={as_code([name])}, or ignore it"
        )  # fmt: skip
        error = CellError(f"{cell}. Mark it as missing with {missing}, {rest}.")
    else:
        how = f"{cell}, which is not a missing value, and the column is read as {spelling}"
        ways = [
            "write it so",
            *([told] if better or not learned else []),
            *([left] * (not learned)),
        ]
        ways += [f"if it means missing, {missing}"] if learned else []
        said = ", or ".join(ways)
        error = CellError(f"{how}. {said[0].upper()}{said[1:]}.")
    error.cell = cell
    return error


def unknown_answer_error(
    name: str, words: Sequence[str], found: Sequence[str], row: int, where: str
) -> CellError:
    """Values that are none of the answers that a column is said to have."""
    shown = ", ".join(repr(text[:CELL_WIDTH]) for text in found[:MAX_SHOWN_VALUES])
    more = f" and {len(found) - MAX_SHOWN_VALUES} more" if len(found) > MAX_SHOWN_VALUES else ""
    error = CellError(
        f"{where}column {name!r} should have only {' and '.join(map(repr, words))}, and "
        f"has {shown}{more}, first in row {row}. Use "
        f"kinds={as_code({name: 'category'})}; or, if that means missing, "
        f"missing={as_code(found[0])}."
    )
    error.column = name
    return error


def ambiguous_column_error(
    name: str, doubt: str, models: Sequence[str], where: str = ""
) -> ColumnError:
    """A column whose cells leave two readings open, of which somebody has to name one."""
    *first, last = (f"kinds={as_code({name: model})}" for model in models)
    every = f", or dialect={as_code({'date_format': models[0]})} for all columns"
    number = NUMBER_OF.get(len(models), len(models))
    return ColumnError(
        f"{where}column {name!r} can be read in {number} ways: {doubt}. Use "
        f"{', '.join(first)} or {last}{every if where and '%' in models[0] else ''}"
    )


def row_to_delete(name: str, marks: Sequence[str]) -> list[str]:
    """What to do about a cell of a row that may be none: the header again, or a sum of others."""
    if name in marks:
        return [f"delete the row of {name!r} if it repeats the header"]
    total = next(filter(is_total, marks), "")
    return [f"delete the row of {total!r} if it sums up others"] if total else []


def irregular_column_error(
    name: str, why: str, marks: Sequence[str], kinds: Sequence[str], aside: bool, where: str = ""
) -> ColumnError:
    """A column of numbers or dates in which some cells are none, or are written otherwise."""
    few = as_code(marks[0] if len(marks) == 1 else [*marks])
    ways = [f"mark {'it' if len(marks) == 1 else 'them'} as missing with missing={few}"]
    ways = ways if marks else []
    for kind in kinds:
        model = StringFormat.of_model(kind)
        how = "categories" if model is None else f"{VALUE_NAMES[model.kind]}s"
        reading = READING.get(kind, f"read the column as {how}")
        if model is not None and model.compound == BOUND:
            reading = "read each bound as its number"
        ways.append(f"{reading} with kinds={as_code({name: kind})}")
    ways += [] if aside else [f"leave it out with ignore={as_code([name])}"]
    ways = [*row_to_delete(name, marks), *ways]
    said = ", or ".join(ways)
    return ColumnError(f"{where}column {name!r}: {why}. {said[0].upper()}{said[1:]}.")


def unit_error(
    name: str, learned: StringFormat, here: StringFormat, cell: str, where: str
) -> ColumnError:
    """Numbers in another unit than those that a model has learned."""
    return ColumnError(
        f"{where}column {name!r} was written as {learned} when the model was fitted, "
        f"and {cell} {'has another unit' if learned.unit else 'has a unit'}. Convert "
        f"the values; if they mean the same, use kinds={as_code({name: str(here)})}."
    )


def utf8_error(name: str, value: bytes, row: int, where: str = "") -> ColumnError:
    """Bytes of another encoding."""
    return ColumnError(
        f"{where}column {name!r} has bytes in row {row} that are not UTF-8 "
        f"({value[:CELL_WIDTH]!r}). {ENCODINGS}"
    )


def ragged_row_error(path: Path, row: Any, number: int, dialect: Dialect) -> InputError:
    """A row with too few or too many cells; ``row`` is Arrow's."""
    if dialect.quote and row.text.count(dialect.quote) % 2:
        return unclosed_quote_error(path, number, dialect.quote)
    remedy = f"Correct the row. A cell that contains {dialect.delimiter!r} needs quotes around it."
    short = row.actual_columns < row.expected_columns
    if (mark := row.text.lstrip()[:1]) and mark in "#%;!*":
        remedy = f'If such lines are comments, use dialect={{"comment": "{mark}"}}.'
    elif short and (below := _lines_below(path, row, dialect)):
        lines = f"the last {below} lines are" if below > 1 else "the last line is"
        notes = "notes" if below > 1 else "a note"
        remedy = f'If {lines} {notes} below the table, use dialect={{"footer": {below}}}.'
    elif not short and (above := _lines_above(path, row, dialect)):
        remedy += f' If the lines above it are titles, use dialect={{"skip": {above}}}.'
    return InputError(
        f"{path}: row {number} has another number of cells than the first row: expected "
        f"{row.expected_columns}, found {row.actual_columns} "
        f"({row.text[:CELL_WIDTH]!r}). {remedy}"
    )


def _lines_above(path: Path, row: Any, dialect: Dialect) -> int:
    """How many lines stand above a row, where few do, as titles are few; 0 if skipping fails."""
    with text_of(path, dialect.encoding) as lines:
        first = [line.rstrip("\r\n") for line in islice(lines, dialect.skip + MAX_TITLE_LINES)]
    above = next((at for at, line in enumerate(first) if line == row.text), 0)
    if above <= dialect.skip:
        return 0
    try:
        found = sniff(path, {"skip": above, "encoding": dialect.encoding})
        with text_of(path, found.encoding, rewriting=found.rewriting) as lines:
            rows = islice(records(lines, found.delimiter, found.quote), MAX_TRIED_ROWS)
            widths = {len(cells) for cells in rows if not blank(cells)}
    except (TallyError, csv.Error, UnicodeDecodeError):
        return 0
    return above if widths == {row.actual_columns} else 0


def _lines_below(path: Path, row: Any, dialect: Dialect) -> int:
    """How many lines there are from a row on, where all are notes: few, and of fewer cells."""
    with text_of(path, dialect.encoding, rewriting=dialect.rewriting) as lines:
        rest = dropwhile(lambda line: line.rstrip("\r\n") != row.text, lines)
        last = [line for line in islice(rest, MAX_NOTE_LINES + 1) if line.strip()]
    cells = [*records(last, dialect.delimiter, dialect.quote)]
    fewer = all(len(one) < row.expected_columns for one in cells)
    return len(last) if fewer and len(cells) == len(last) <= MAX_NOTE_LINES else 0


def check_quotes(path: Path, dialect: Dialect) -> None:
    """Refuse a quote that is open to the end of the file."""
    row, width = 1 - dialect.header, 0
    with text_of(path, dialect.encoding, rewriting=dialect.rewriting) as lines:
        rows, line = records(lines, dialect.delimiter, dialect.quote, strict=True), 0
        try:
            for cells in rows:
                width = width or (0 if blank(cells) else len(cells))
                row += width == 1 or not blank(cells)  # of one column an empty line is a row
                line = rows.line_num
        except csv.Error as error:
            # Text behind a closing quote is an error to a strict reader, but none to Arrow.
            if "larger than" in str(error) and rows.line_num <= line + 1:
                raise long_cell_error(path) from None
            if "expected after" not in str(error):
                line = row + dialect.first_line - 1 if row else 0
                raise unclosed_quote_error(path, line, dialect.quote) from None


def unclosed_quote_error(path: Path, row: int, quote: str = '"') -> InputError:
    where = f"row {row}" if row else "the header"
    return InputError(
        f"{path}: {where} opens a quote that is not closed. Close it; inside a quoted "
        f"cell, write a quote twice ({2 * quote}). If the file does not use quotes, use "
        'dialect={"quote": ""}.'
    )


def as_code(value: object) -> str:
    """A value as it is written in a call."""
    return json.dumps(value, ensure_ascii=False)
