"""Headers: a row of names above rows of values, told from them by what stands below.

Titles stand above the names: rows with few cells filled, over a table that has more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from tallylearn.errors import quoted_list

GAPS = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"})
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")
_YEAR = re.compile(r"(19|20)\d\d")

Rows = Sequence[Sequence[str]]


def is_value(cell: str) -> bool:
    """Whether this is a number or a date, which few columns have for a name."""
    cell = cell.strip()
    if not cell or cell[0] not in "+-.,0123456789":
        return False
    return bool(_NUMBER.fullmatch(cell) or _DATE.fullmatch(cell))


def has_header(rows: Rows) -> bool:
    """Whether the first row names the columns.

    Words do, unless a number or a date is among them. Years one after the other do where no year
    stands below; and numbers do beside words under which there is nothing but numbers.

    >>> has_header([["a", "b"], ["1", "x"]]), has_header([["1", "x"], ["2", "y"]])
    (True, False)
    >>> has_header([["region", "2019", "2020"], ["north", "1.5", "3"]])
    True
    """
    values = [at for at, cell in enumerate(rows[0]) if is_value(cell)]
    return not values or _years(rows, values) or _over_numbers(rows, values)


def _years(rows: Rows, places: Sequence[int]) -> bool:
    cells = [rows[0][at].strip() for at in places]
    if len(rows) < 2 or len(cells) < 2 or not all(_YEAR.fullmatch(cell) for cell in cells):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(cells)}
    below = [cell for at in places for cell in _cells_below(rows, at)]
    even = len(steps) == 1 and (len(cells) > 2 or steps <= {1, -1})
    return even and 0 not in steps and not any(_YEAR.fullmatch(cell) for cell in below)


def _over_numbers(rows: Rows, values: Sequence[int]) -> bool:
    """Two words or more, all that is below them numbers; and no number that is over words."""
    if len(rows) < 3 or any(not is_value(cell) for at in values for cell in _cells_below(rows, at)):
        return False
    words = [at for at, cell in enumerate(rows[0]) if at not in values and cell.strip() not in GAPS]
    columns = [_cells_below(rows, at) for at in words]
    return sum(bool(column) and all(map(is_value, column)) for column in columns) > 1


def over_numbers(rows: Rows) -> bool:
    """Whether the first row has words only, and some column nothing but values below its word."""
    columns = (_cells_below(rows, at) for at in range(len(rows[0])))
    return not any(map(is_value, rows[0])) and any(c and all(map(is_value, c)) for c in columns)


def _cells_below(rows: Rows, at: int) -> list[str]:
    """The filled cells of a column under the first row."""
    cells = (row[at].strip() for row in rows[1:] if at < len(row))
    return [cell for cell in cells if cell not in GAPS]


def titles(rows: Rows, width: int) -> int:
    """How many rows stand above a table of some width: few cells are filled, one with words.

    >>> titles([["Sales of 2024", ""], ["name", "sum"], ["x", "1"]], 2)
    1
    """
    at = 0
    while at < len(rows) and width > 1 and _is_title(rows[at], rows[at + 1 :], width):
        at += 1
    several = [n for n, row in enumerate(rows[:at]) if sum(bool(cell.strip()) for cell in row) > 1]
    return at if not several or over_numbers(rows[at:]) else several[0]


def _is_title(row: Sequence[str], below: Rows, width: int) -> bool:
    filled = [cell for cell in row if cell.strip()]
    few = len(filled) == 1 or 2 * len(filled) < width
    if not below or not few or (filled and all(map(is_value, filled))):
        return False
    if not filled or (row[0].strip() and (width > 2 or len(row) < width)):
        return True
    if len(filled) == width - 1 and not row[0].strip():  # names over rows that have names, too
        return False
    if row[0].strip():  # of two columns one may have no name: numbers tell the names above them
        return over_numbers(below)
    names = [cell for cell in below[0] if cell.strip()]  # a lone name in the middle is a name
    return len(names) == width and has_header(below)


def find_doubtful_names(rows: Rows) -> list[str]:
    """The names that a header has twice and its columns have as values: it may be no header."""
    twice = [name for name, times in _times(rows[0]).items() if times > 1 and name]
    columns = {
        name: [at for at, cell in enumerate(rows[0]) if cell.strip() == name] for name in twice
    }
    return [name for name in twice if any(name in _cells_below(rows, at) for at in columns[name])]


def are_names(header: Any) -> bool:
    """Whether these are names for columns, each of them once."""
    if isinstance(header, str) or not isinstance(header, Sequence):
        return False
    names = [one for one in header if isinstance(one, str) and one.strip()]
    return len({*names}) == len(header) > 0


def column_names(cells: Iterable[str]) -> tuple[str, ...]:
    """A name for every column, each of them once: x0 for one without, a_2 for the second a.

    >>> column_names(["a", "", "a", "x1"])
    ('a', 'x1_', 'a_2', 'x1')
    """
    bare = [cell.strip() for cell in cells]
    taken, numbers, found = {*bare}, Counter[str](), list[str]()
    for at, name in enumerate(bare):
        numbers[name] += 1
        new = name or f"x{at}"
        while (numbers[name] > 1 or not name) and new in taken:
            new = f"{name}_{numbers[name]}" if name else f"{new}_"
            numbers[name] += new in taken and bool(name)
        taken.add(new)
        found.append(new)
    return tuple(found)


def notes_on(cells: Sequence[str], rows: Rows = ()) -> list[str]:
    """What is worth a word about the names of a table, and about the first rows under them."""
    names, found = column_names(cells), []
    if twice := [name for name, times in _times(cells).items() if times > 1 and name]:
        later = [new for old, new in zip(cells, names, strict=True) if old.strip() not in ("", new)]
        found.append(
            f"the header has {quoted_list(twice)} more than once: read as {quoted_list(later)} too"
        )
    bare = [name for old, name in zip(cells, names, strict=True) if not old.strip()]
    if bare and not cells[0].strip() and _counts(rows):
        found.append(
            "the first column has no name and counts the rows, as an index of pandas or R does: "
            f"{bare[0]}; --ignore {bare[0]} leaves it out"
        )
        bare = bare[1:]
    if bare:
        one = "one column has" if len(bare) == 1 else f"{len(bare)} columns have"
        found.append(f"{one} no name: {quoted_list(bare)}")
    return found


def _counts(rows: Rows) -> bool:
    """Whether the first column of these rows counts them, from 0 or 1."""
    first = [row[0].strip() for row in rows if row]
    return len(first) > 1 and any(
        first == [str(at) for at in range(start, start + len(first))] for start in (0, 1)
    )


def _times(cells: Iterable[str]) -> Counter[str]:
    return Counter(cell.strip() for cell in cells)
