"""Workbooks: a sheet of Excel or OpenDocument is a table once its header is found.

- **The sheet** is the only visible one with cells, or the one that is named.
- **The table** is what is left without empty rows and columns, and without titles above it.
- **Merged cells** below the header have their value in every row and column that they cover.
- **A column** keeps the type of its cells: numbers, truth values, dates, times, text. One that has
  several is text, as the sheet shows it (5 and not 5.0). Cells with an error are empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from tallylearn.errors import (
    ColumnError,
    FileError,
    InputError,
    OptionError,
    TallyError,
    quoted_list,
)
from tallylearn.sources.files.compression import ZIP, open_unpacked
from tallylearn.sources.files.excel_sizes import check_size, part_of_sheet
from tallylearn.sources.files.headers import (
    are_names,
    column_names,
    has_header,
    is_value,
    notes_on,
    titles,
)
from tallylearn.sources.files.parts import columns_to_read
from tallylearn.tables import BLOCK, plain

ENDINGS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
OPTIONS = ("sheet", "skip", "footer", "header", "missing")
MAX_SNIFFED_ROWS = 200  # rows that tell where the table begins and ends
MAX_NOTES = 20  # rows below a table that may be notes


@dataclass(frozen=True)
class SheetDialect:
    """How a sheet is read."""

    sheet: str
    skip: int = 0  # rows above the table
    header: bool = True
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    footer: int = 0  # rows below the table, empty ones not counted

    @property
    def options(self) -> dict[str, Any]:
        """As ``dialect=`` takes it."""
        header = [*self.names] or self.header
        skip = {"skip": self.skip} if self.skip else {}
        footer = {"footer": self.footer} if self.footer else {}
        return {"sheet": self.sheet, "header": header, **skip, **footer}

    @property
    def first_line(self) -> int:
        """The row of the sheet with the first values; the header is a row of its own."""
        return self.skip + int(self.header) + 1

    def __str__(self) -> str:
        rows = f", {self.skip} row{'s' * (self.skip > 1)} skipped" if self.skip else ""
        rows += f", {self.footer} below it left out" if self.footer else ""
        header = "given names" if self.names else "a header" if self.header else "no header"
        return f"the sheet {self.sheet!r}{rows}, with {header}"


class UncachedFormula(str):
    """A cell whose formula was never computed: the file has no value for it."""

    cell: str  # such as B2


class Workbook:
    """One sheet of a workbook; it is read once, and not sent along when it is sent elsewhere."""

    @property
    def start(self) -> int:
        """The row of the sheet with the first values."""
        return self.dialect.first_line

    def __init__(self, path: Path, options: Mapping[str, Any], missing: Sequence[str]) -> None:
        self.path, self.options, self.missing = path, _check_options(options), frozenset(missing)

    def __reduce__(self) -> Any:
        return Workbook, (self.path, self.options, tuple(self.missing))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._contents[1].column_names)

    @property
    def dialect(self) -> SheetDialect:
        return self._contents[0]

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        wanted = columns_to_read(self.path, self.names, columns)
        for name in wanted:
            self._check_computed(name)
        table = self._contents[1].select(wanted)
        return (table.slice(at, BLOCK).combine_chunks() for at in range(0, len(table), BLOCK))

    @cached_property
    def _contents(self) -> tuple[SheetDialect, Any, dict[str, str]]:
        """How the sheet is read, its rows, and in which columns a formula was not computed."""
        import pyarrow as pa

        name, rows, merged, uncached = _cells(self.path, self.options.get("sheet"))
        _mark(rows, uncached)
        sheet, cells, rows = _locate_table(self.path, name, rows, merged, self.options)
        columns, names = [], column_names(cells)
        odd: dict[str, str] = {}
        for at in range(len(cells)):
            column = [row[at] for row in rows]
            marks = [cell for cell in column if type(cell) is UncachedFormula] if uncached else []
            if marks:
                odd[names[at]] = marks[0].cell
            columns.append(_column(self._without_marks(column)))
        return sheet, pa.table(columns, names=list(names)), odd

    def _check_computed(self, name: str) -> None:
        """Refuse a column of formulas without values, which would all be missing."""
        if (cell := self._contents[2].get(name)) is not None:
            raise ColumnError(
                f"{self.path}: column {name!r} has a formula in cell {cell} without a computed "
                "value. Open the file in a spreadsheet program and save it, or leave the "
                f'column out with ignore=["{name}"].'
            )

    def _without_marks(self, column: list[Any]) -> list[Any]:
        """Cells, with None where one stands for nothing."""
        if str in {*map(type, column)}:
            texts = {cell: cell.strip() for cell in column if type(cell) is str}
            bare = {cell: None if text in self.missing else text for cell, text in texts.items()}
            column = [bare[cell] if type(cell) is str else cell for cell in column]
        if not self._marks:
            return column
        return [None if type(c) is not bool and plain(c) in self._marks else c for c in column]

    @cached_property
    def _marks(self) -> frozenset[str]:
        """The marks that are numbers: few tables have any, and cells are spelled out for them."""
        return frozenset(mark for mark in self.missing if is_value(mark))


def _check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as given, each of them possible."""
    said = {key: value for key, value in options.items() if value is not None}
    skip, sheet, header = said.get("skip", 0), said.get("sheet", ""), said.get("header", True)
    if isinstance(skip, bool) or not isinstance(skip, int) or skip < 0:
        raise OptionError(f"dialect: skip must be a number of rows, 0 or more, not {skip!r}.")
    footer = said.get("footer", 0)
    if isinstance(footer, bool) or not isinstance(footer, int) or footer < 0:
        raise OptionError(f"dialect: footer must be a number of rows, 0 or more, not {footer!r}.")
    if isinstance(sheet, bool) or not isinstance(sheet, str | int):
        raise OptionError(f"dialect: sheet must be a name or a number, 1 or more, not {sheet!r}.")
    if not isinstance(header, bool) and not are_names(header):
        raise OptionError(
            f"dialect: header must be True or False, or the names of all columns, not {header!r}."
        )
    return said


def _cells(path: Path, wanted: Any) -> tuple[str, list[list[Any]], list[Any], dict[int, int]]:
    """The name of a sheet, its rows, its merged cells, and formulas that were not computed."""
    calamine = _calamine(path)
    try:
        with open_unpacked(path) as file:
            sizes = check_size(path, file) if file.read(len(ZIP)) == ZIP else {}
            file.seek(0)
            book = calamine.CalamineWorkbook.from_filelike(file)
            sheet = _choose_sheet(path, book, wanted)
            rows = sheet.to_python(skip_empty_area=False)
            uncached: dict[int, int] = {}
            if any(part.uncached for part in sizes.values()):
                part = sizes.get(part_of_sheet(path, file, sheet.name))
                uncached = {} if part is None else part.uncached
            return sheet.name, rows, sheet.merged_cell_ranges or [], uncached
    except calamine.PasswordError:
        raise password_error(path) from None
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, TallyError):
            raise
        said = " ".join(str(error).split())[:200]
        raise FileError(
            f"{path} cannot be read as a workbook: {said}. Open it in a spreadsheet "
            "program, and save it again as .xlsx or CSV."
        ) from None


def _mark(rows: list[list[Any]], uncached: Mapping[int, int]) -> None:
    """Put a mark where a formula has no value, one in every column that has such."""
    for column, row in uncached.items():
        width = max(column + 1, len(rows[0]) if rows else 0)
        rows += [[""] * width for _ in range(row + 1 - len(rows))]
        for one in rows if len(rows[0]) < width else ():
            one += [""] * (width - len(one))
        mark = rows[row][column] = UncachedFormula("=")
        mark.cell = _reference(row, column)


def _reference(row: int, column: int) -> str:
    """A cell as a spreadsheet names it.

    >>> _reference(1, 0), _reference(9, 27)
    ('A2', 'AB10')
    """
    letters, rest = "", column + 1
    while rest:
        rest, at = divmod(rest - 1, 26)
        letters = chr(65 + at) + letters
    return f"{letters}{row + 1}"


def password_error(path: Path) -> FileError:
    return FileError(
        f"{path} is a workbook with a password. Open it, and save it without one "
        "(in Excel: File, Info, Protect Workbook, Encrypt with Password, leave it empty)."
    )


def _calamine(path: Path) -> Any:
    try:
        import python_calamine
    except ImportError:
        raise FileError(
            f"{path} is a workbook, and the package that reads it is not installed. Install "
            "it with pip install 'tallylearn[excel]', or save the sheet as CSV."
        ) from None
    return python_calamine


def _choose_sheet(path: Path, book: Any, wanted: Any) -> Any:
    """The sheet that is asked for, or the only one with cells that is not hidden."""
    names: list[str] = [*book.sheet_names]
    if wanted is not None:
        if wanted in names:
            return book.get_sheet_by_name(wanted)
        if str(wanted).isdecimal() and 0 < int(wanted) <= len(names):
            return book.get_sheet_by_name(names[int(wanted) - 1])
        raise OptionError(
            f"{path} has no sheet {wanted!r}. Choose one of its sheets, numbered from 1: "
            f"{quoted_list(names)}."
        )
    seen = [str(one.name) for one in book.sheets_metadata if str(one.visible).endswith("Visible")]
    sheets = {name: book.get_sheet_by_name(name) for name in seen}
    filled = [name for name, sheet in sheets.items() if sheet.height]
    if len(filled) == 1:
        return sheets[filled[0]]
    if not filled:
        raise FileError(
            f"{path}: all sheets are empty ({quoted_list(names)}). Write a table into one."
        )
    raise InputError(
        f"{path} has {len(filled)} sheets with cells: {quoted_list(filled)}. Choose "
        f'one, as in dialect={{"sheet": "{filled[0]}"}}.'
    )


def _locate_table(
    path: Path, name: str, rows: list[list[Any]], merged: list[Any], options: Mapping[str, Any]
) -> tuple[SheetDialect, list[str], list[list[Any]]]:
    """How the sheet is read, the cells that name its columns, and the rows below them."""
    skip, header = options.get("skip"), options.get("header")
    guessed = skip is None and header in (None, True)
    at = _count_rows_above(rows) if guessed else skip or 0
    spread, filled = _fill_merged_names(path, rows, at, merged)
    if options.get("footer") is None and "header" not in options:
        _check_notes_below(path, name, spread)
    footer = options.get("footer") or 0
    rest = _drop_empty(_without_last(spread, footer))
    if not rest:
        raise FileError(f"{path}: the sheet {name!r} is empty. Write a table into it.")
    shown = [[format_cell(cell) for cell in row] for row in rest[:MAX_SNIFFED_ROWS]]
    header = has_header(shown) if header is None else header
    names = () if isinstance(header, bool) else tuple(header)
    cells = list(names) or (shown[0] if header else [""] * len(shown[0]))
    if len(cells) != len(shown[0]):
        raise OptionError(
            f"{path}: {len(names)} names are given, and the sheet {name!r} has "
            f"{len(shown[0])} columns. Name every column."
        )
    above = guessed and any(cell != "" for row in rows[:at] for cell in row)
    notes = [f"{at} row{'s' * (at > 1)} above the table left out"] if above else []
    notes += notes_on(cells, shown[1:]) if header is True else []
    notes += [f"{filled} merged cells below the header: every row has their value"] * (filled > 1)
    notes += ["a merged cell below the header: every row has its value"] * (filled == 1)
    sheet = SheetDialect(
        sheet=name, skip=at, header=header is True, names=names, notes=tuple(notes), footer=footer
    )
    return sheet, cells, rest[1:] if header is True else rest


def _without_last(rows: Sequence[list[Any]], footer: int) -> Sequence[list[Any]]:
    """The rows without the last ones that have a cell."""
    filled = [at for at, row in enumerate(rows) if row.count("") < len(row)]
    return rows[: filled[-footer]] if 0 < footer < len(filled) else rows if not footer else []


def _check_notes_below(path: Path, name: str, rows: Sequence[list[Any]]) -> None:
    """Ask about last rows of one cell each that may be notes below the table.

    They may be where an empty row stands above them, or the cell is text in a column of numbers.
    """
    filled = [at for at, row in enumerate(rows) if row.count("") < len(row)]
    alone = [len(rows[at]) - rows[at].count("") == 1 for at in filled]
    notes = next((n for n, one in enumerate(reversed(alone)) if not one), len(alone))
    body = filled[1 : len(filled) - notes][-MAX_SNIFFED_ROWS:]
    if not 0 < notes <= MAX_NOTES or len(body) < 2:
        return
    first = filled[-notes]
    cells = [(j, cell) for j, cell in enumerate(rows[first]) if cell != ""]
    ((column, cell),) = cells
    above = [rows[at][column] for at in body if rows[at][column] != ""]
    apart = first > filled[-notes - 1] + 1
    odd = (
        bool(above)
        and not is_value(format_cell(cell))
        and all(is_value(format_cell(c)) for c in above)
    )
    if isinstance(cell, UncachedFormula) or not (odd or (apart and isinstance(cell, str))):
        return
    many = f"the last {notes} rows have one cell each" if notes > 1 else "the last row has one cell"
    they, note, row = (
        ("they are", "notes", "they are rows") if notes > 1 else ("it is", "a note", "it is a row")
    )
    raise InputError(
        f"{path}: {many} in the sheet {name!r} ({format_cell(cell)[:60]!r}). If {they} "
        f'{note} below the table, use dialect={{"footer": {notes}}}; if {row}, use '
        'dialect={"footer": 0}.'
    )


def _count_rows_above(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows stand above the table: empty ones do not count as rows of it."""
    first = [[format_cell(cell) for cell in row] for row in rows[:MAX_SNIFFED_ROWS]]
    filled = [at for at, row in enumerate(first) if any(row)]
    some = [first[at] for at in filled]
    widths = [sum(map(bool, row)) for row in some]
    width = max(widths, default=0)
    left = min((row.index(next(filter(None, row))) for row in some), default=0)
    above = titles([row[left:] for row in some], width)
    return filled[above] if above < len(filled) else 0


def _drop_empty(rows: Sequence[list[Any]]) -> list[list[Any]]:
    """Without the rows and columns that have no cell filled."""
    kept = [row for row in rows if row.count("") < len(row)]
    width = len(kept[0]) if kept else 0
    used = [at for at in range(width) if any(row[at] != "" for row in kept)]
    return kept if len(used) == width else [[row[at] for at in used] for row in kept]


def _fill_merged_names(
    path: Path, rows: Sequence[Sequence[Any]], at: int, merged: Sequence[Any]
) -> tuple[list[list[Any]], int]:
    """The rows from the first on, and how many merged cells below the names were filled in.

    A name that is merged over columns is the name of each. Names in the row below belong to it:
    sales over 2019 and 2020 is 'sales 2019', 'sales 2020'.
    """
    rest = [[*row] for row in rows[at:]]
    top = at + next((n for n, row in enumerate(rest) if any(cell != "" for cell in row)), 0)
    wide = [(left, right) for (first, left), (_, right) in merged if first == top and right > left]
    filled = _fill_merged(path, rest, at, top, merged)
    if not wide or len(rest) < 2:
        return rest, filled
    upper, lower = rest[top - at], rest[top - at + 1]
    for left, right in wide:
        upper[left : right + 1] = [upper[left]] * (right + 1 - left)
    below = [
        [format_cell(cell) for cell in row]
        for row in _drop_empty(rest[top - at + 1 :])[:MAX_SNIFFED_ROWS]
    ]
    if not below or not has_header(below):
        return rest, filled
    pairs = zip(map(format_cell, upper), map(format_cell, lower), strict=True)
    rest[top - at : top - at + 2] = [[" ".join(filter(None, pair)) for pair in pairs]]
    return rest, filled


def _fill_merged(
    path: Path, rest: list[list[Any]], at: int, top: int, merged: Sequence[Any]
) -> int:
    """Give the value of a merged cell below the names to all that it covers; how many there are.

    One that covers the whole width of the table is a heading amid the rows, and refused.
    """
    used = [j for j in range(len(rest[0]) if rest else 0) if any(row[j] != "" for row in rest)]
    filled = 0
    for (first, left), (last, right) in merged:
        if first <= top or first - at >= len(rest) or rest[first - at][left] == "":
            continue
        value = rest[first - at][left]
        if len(used) > 1 and left <= used[0] and right >= used[-1]:
            raise InputError(
                f"{path}: the cells {_reference(first, left)} to {_reference(last, right)} are "
                f"merged across all columns ({format_cell(value)[:60]!r}), between rows. If this "
                "is a heading of the rows below, write it into a column of its own, and delete "
                "the row."
            )
        for row in rest[first - at : last + 1 - at]:
            row[left : right + 1] = [value] * len(row[left : right + 1])
        filled += 1
    return filled


def format_cell(cell: Any) -> str:
    """A cell as the sheet shows it: 5 and not 5.0.

    >>> format_cell(5.0), format_cell(True), format_cell(date(2024, 5, 31)), format_cell(" a ")
    ('5', 'True', '2024-05-31', 'a')
    """
    return cell.strip() if isinstance(cell, str) else plain(cell)


_TYPES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((bool,), "bool"),
    ((int, float), "double"),
    ((date, datetime), "timestamp[us]"),
    ((time,), "time64[us]"),
    ((timedelta,), "duration[us]"),
    ((str,), "string"),
)


def _column(cells: list[Any]) -> Any:
    """Cells as one Arrow array: in their own type if it is one, else as text."""
    import pyarrow as pa

    types = {type(cell) for cell in cells} - {type(None)}
    if not types:
        return pa.nulls(len(cells))
    for several, name in _TYPES:
        if types <= {*several}:
            kind = pa.duration("us") if name == "duration[us]" else pa.type_for_alias(name)
            return pa.array([_instant(cell) for cell in cells] if date in several else cells, kind)
    return pa.array([None if cell is None else format_cell(cell) for cell in cells], pa.string())


def _instant(cell: Any) -> Any:
    """A day as the moment that it begins."""
    return datetime(cell.year, cell.month, cell.day) if type(cell) is date else cell
