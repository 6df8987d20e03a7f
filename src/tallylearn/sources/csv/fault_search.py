"""Faults: the cell that Arrow stumbled over, found by reading the file again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tallylearn.errors import ColumnError, InputError
from tallylearn.sources.csv import cell_errors, cells
from tallylearn.sources.csv.decoding import too_long
from tallylearn.sources.csv.parser import Parser
from tallylearn.tables import BLOCK

DIGITS = 16  # of 2**53
_LONG_INTEGER = rf"^[+-]?\d{{{DIGITS},400}}$"


def fault(parser: Parser, message: str, kinds: Mapping[str, str]) -> InputError:
    """What is wrong, with the row and the value."""
    import pyarrow as pa

    if "straddling" in message:
        cell_errors.check_quotes(parser.path, parser.dialect)
        return too_long(parser.path)
    marks = parser.dialect.missing, parser.dialect.decimal
    try:
        for at, table in enumerate(parser.tables(dict.fromkeys(kinds, "bytes"))):
            bad = {name: cells.first_bad(table[name], kinds[name], *marks) for name in kinds}
            if found := [(row, name) for name, row in bad.items() if row is not None]:
                row, name = min(found)
                value = table[name][row].as_py()
                return _wrong(parser, name, kinds[name], at * BLOCK + row + 1, value)
    except pa.ArrowInvalid as error:
        message = str(error)
    return InputError(f"{parser.path}: {message}.")


def _wrong(parser: Parser, name: str, kind: str, row: int, value: bytes) -> ColumnError:
    where = f"{parser.path}: "
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return cell_errors.not_utf8(name, value, row, where)
    if kind == "unknown":
        return cell_errors.not_empty(name, text, row, where)
    say = cell_errors.not_a_number if kind == "number" else cell_errors.not_a_date
    return say(name, text, row, where)


def huge(column: Any) -> bool:
    """Whether some number is so large that its neighbours are no longer all integers."""
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return ends["max"] is not None and max(-ends["min"], ends["max"]) >= 2.0**53


def check_integers(parser: Parser, names: Sequence[str]) -> None:
    """Look in the text of the numbers for an integer that a double cannot hold."""
    for at, table in enumerate(parser.tables(dict.fromkeys(names, "string"))):
        for name in names:
            check_long(parser, name, table[name].chunk(0), at * BLOCK + 1)


def check_long(parser: Parser, name: str, column: Any, start: int) -> None:
    """The same in one block of texts."""
    import pyarrow.compute as pc

    values = cells.trimmed(column.dictionary, parser.dialect.missing)
    if (pc.max(pc.binary_length(values)).as_py() or 0) < DIGITS:  # a glance, where most end
        return
    for text in values.filter(pc.match_substring_regex(values, _LONG_INTEGER)).to_pylist():
        if int(text) != float(text):
            row = start + pc.index(values.take(column.indices), text).as_py()
            raise cell_errors.too_large(name, text, row, f"{parser.path}: ")
