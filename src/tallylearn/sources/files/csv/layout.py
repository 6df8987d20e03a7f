"""Layout: what stands above the rows of a text, between their cells and around them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from tallylearn.errors import InputError, quoted_list
from tallylearn.sources.files.csv.decoding import MAX_COLUMNS, blank, records
from tallylearn.sources.files.csv.rewriting import Rewriting
from tallylearn.sources.files.headers import (
    GAPS,
    Rows,
    find_doubtful_names,
    has_header,
    is_value,
    notes_on,
    over_numbers,
    titles,
)

_SEPARATOR = re.compile(r"sep=(.)[\"\s]*$", re.IGNORECASE)
_APOSTROPHES = re.compile(
    r"(?:^|[,;\t|])[ ]*('(?:[^'\r\n]|'')*'?)[ ]*(?=[,;\t|\r\n]|\Z)", re.MULTILINE
)
_RULE = re.compile(r"(?::?[-=]{2,}:?)?")
_YEAR = re.compile(r"(19|20)\d\d")
_UNSAID = frozenset({"-", "--", ".", "none", "nil", "missing", "unknown", "n/a", "na", "#n/a"})
_WHOLE = re.compile(r"\d{4}-\d\d-\d\d \S+|[+-]?\d{1,3}(?: \d{3})+")  # one value with a space in it


@dataclass(frozen=True)
class SampleTable:
    """The rows of a sample, the line that each begins at, and the lines above the first."""

    rows: Rows
    lines: Sequence[int]
    skip: int = 0
    names: tuple[str, ...] = ()  # where they stand in a line that is skipped
    notes: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()  # of columns of fixed width, but the last


def rewrite_sample(text: str, rewriting: Rewriting) -> str:
    """A sample as it is parsed."""
    rest = iter([text.encode("utf-8", "surrogatepass"), b""])
    pieces = rewriting.pieces(lambda _: next(rest, b"")) if rewriting else iter([])
    return b"".join(pieces).decode("utf-8", "surrogatepass") if rewriting else text


def separator(text: str) -> tuple[str, int]:
    """The delimiter that a line such as sep=; names, first or below comments; and which it is."""
    below = enumerate(text.splitlines()[comment_lines(text) :], comment_lines(text) + 1)
    at, line = next((pair for pair in below if pair[1].strip()), (0, ""))
    found = _SEPARATOR.fullmatch(line.strip().strip('"') or "-")
    return (found[1], at) if found else ("", 0)


def comment_lines(text: str) -> int:
    """How many lines at the beginning start with #; empty lines among them count."""
    lines, last = text.splitlines(), 0
    for at, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            last = at
        elif line.strip():
            break
    return last if last < len(lines) else 0


def quote_of(text: str) -> str:
    """An apostrophe, where cells begin and end with one, and no cell has a quotation mark."""
    cells: list[str] = _APOSTROPHES.findall(text) if '"' not in text else []
    if cells == [] and not any(mark in text for mark in ',;\t|"'):
        cells = re.findall(r"(?<!\S)'[^'\r\n]*'?(?!\S)", text)
    closed = [cell for cell in cells if len(cell) > 1 and cell.endswith("'")]
    return "'" if len(closed) > 1 and len(closed) == len(cells) == text.count("'") / 2 else '"'


def is_space_delimited(text: str, quote: str) -> bool:
    """Whether spaces are delimiters: equally many words in all lines, and numbers in a column."""
    lines = [line.strip() for line in text.splitlines()[:200]]
    cut = rewrite_sample("\n".join(lines), Rewriting(spaces=True, quote=quote))
    rows = [row for row in records(cut.splitlines(), " ", quote) if not blank(row)]
    if len(rows) < 2 or all(_WHOLE.fullmatch(line) for line in lines[1:] if line):
        return False
    ((width, times),) = Counter(map(len, rows[1:])).most_common(1)
    if width < 2 or times < len(rows) - 1 or len(rows[0]) not in (width, width - 1):
        return False
    return any(all(is_value(row[at]) for row in rows[1:]) for at in range(width))


def has_quoted_lines(text: str) -> bool:
    """Whether whole lines stand in quotes, "a,b" for a and b: all of them have equally many cells.

    Some spreadsheets write what they take for one column so.
    """
    lines = [line.strip() for line in text.splitlines()[:200] if line.strip()]
    inner = [line[1:-1] for line in lines if len(line) > 1 and line[0] == line[-1] == '"']
    if len(lines) < 2 or len(inner) < len(lines):
        return False
    if any('"' in line.replace('""', "") for line in inner):
        return False
    rows = [line.replace('""', '"') for line in inner]
    for delimiter in ",;\t|":
        widths = {len(row) for row in records(rows, delimiter)}
        if len(widths) == 1 and widths != {1}:
            return True
    return False


def fixed_widths(text: str) -> tuple[int, ...]:
    """The widths of all columns but the last, where blanks align them; empty where they do not.

    Between two columns there is a place that is blank in all lines. Some column is one of numbers,
    and every column has a name, if there is a row of names: inner blanks that agree divide nothing.
    """
    lines = [line.rstrip() for line in text.splitlines()[:200] if line.strip()]
    if len(lines) < 3 or "\t" in text:
        return ()
    width = max(map(len, lines))
    filled = [any(line[at : at + 1].strip() for line in lines) for at in range(width)]
    starts = [at for at in range(width) if filled[at] and not (at and filled[at - 1])]
    rows = _slice_lines(lines, starts)
    if has_header(rows):
        starts = [at for n, at in enumerate(starts) if rows[0][n] or not n]  # of names of rows
        rows = _slice_lines(lines, starts)[1:]
    else:
        starts = _column_starts(lines, starts, filled)
        rows = _slice_lines(lines, starts)
    numeric = (all(is_value(row[at]) for row in rows) for at in range(len(starts)))
    most = all(2 * sum(bool(row[at]) for row in rows) > len(rows) for at in range(len(starts)))
    if len(starts) < 2 or not most or not any(numeric):
        return ()
    return tuple(b - a for a, b in pairwise([0, *starts[1:]]))


def is_short(text: str) -> bool:
    """Whether the first line has fewer words than the second one."""
    first, second = [line.split() for line in text.splitlines() if line.strip()][:2]
    return len(first) < len(second)


def _column_starts(
    lines: Sequence[str], starts: Sequence[int], filled: Sequence[bool]
) -> list[int]:
    """The places where columns start, without names: one blank between words divides nothing."""
    rows = _slice_lines(lines, starts)
    numbers = [all(is_value(row[at]) for row in rows) for at in range(len(starts))]
    return [
        start
        for at, start in enumerate(starts)
        if not at or numbers[at] or numbers[at - 1] or not filled[start - 2]
    ]


def _slice_lines(lines: Sequence[str], starts: Sequence[int]) -> list[list[str]]:
    ends = [*starts[1:], max(map(len, lines))]
    first = [0, *starts[1:]]
    return [[line[a:b].strip() for a, b in zip(first, ends, strict=True)] for line in lines]


def below_two_rows_of_names(path: Path, table: SampleTable) -> SampleTable:
    """The table below two rows of names, of which the upper one may stand over several columns.

    ``Sales,,Cost`` over ``2019,2020,2019`` names ``Sales 2019``, ``Sales 2020``, ``Cost 2019``.
    Where only words over numbers tell a second row of names, or units, that is asked.
    """
    if len(table.rows) < 4 or len({len(row) for row in table.rows}) > 1:
        return table
    upper, lower = ([cell.strip() for cell in row] for row in table.rows[:2])
    if not _names_numbers(upper, lower, table.rows):
        return table
    repeated = len({*filter(None, upper)}) < len([*filter(None, upper)])
    several = sum(map(bool, upper)) > 1
    if several and ("" in lower or ((repeated or "" in upper) and len({*lower}) < len(lower))):
        spread = list(upper)
        for at in range(1, len(spread)):
            if not spread[at] and lower[at] and lower[at - 1]:
                spread[at] = spread[at - 1]
        names = tuple(f"{a} {b}".strip() for a, b in zip(spread, lower, strict=True))
        first = table.skip + table.lines[0] + 1
        note = f"the names were read from lines {first} and {table.skip + table.lines[1] + 1}"
        if all(map(_RULE.fullmatch, lower)):  # | --- | --- |, as Markdown has it
            names, note = tuple(upper), f"line {table.skip + table.lines[1] + 1} is a rule left out"
        lines = [line - table.lines[2] for line in table.lines[2:]]
        skip = table.skip + table.lines[2]
        return SampleTable(
            rows=table.rows[2:],
            lines=lines,
            skip=skip,
            names=names,
            notes=(*table.notes, note),
            widths=table.widths,
        )
    if "" in lower:
        return table
    at = table.skip + table.lines[1]
    units = "" if "" in upper else (
        f'if they are units, leave them out with dialect={{"skip": {table.skip + table.lines[2]}, '
        f'"header": {json.dumps(upper, ensure_ascii=False)}}}; '
    )  # fmt: skip
    raise InputError(
        f"{path}: line {at + 1} has words above columns of numbers "
        f"({','.join(lower)[:60]!r}). If they are the names of the columns, use "
        f'dialect={{"skip": {at}}}; {units}if they are a row, use dialect={{"header": '
        "True}."
    )


def _names_numbers(upper: Sequence[str], lower: Sequence[str], rows: Rows) -> bool:
    """Whether all that the second row has over columns of numbers are names, and of two at least.

    Years are names where no year stands below, as they are in a first row.
    """
    body = rows[2:]
    columns = [[row[at].strip() for row in body if row[at].strip() not in GAPS]
               for at in range(len(lower))]  # fmt: skip
    numeric = [at for at, cells in enumerate(columns) if cells and all(map(is_value, cells))]
    over = [at for at in numeric if lower[at]]
    if not over or any(lower[at] in GAPS or lower[at].lower() in _UNSAID for at in over):
        return False
    if len(over) < 2 and lower[0]:
        return False
    values = [lower[at] for at in over if is_value(lower[at])]
    below = {cell for at in over for cell in columns[at]}
    if values and not (all(map(_YEAR.fullmatch, values)) and not any(map(_YEAR.fullmatch, below))):
        return False
    if any(is_value(lower[at]) for at in range(len(lower)) if at not in over):
        return False
    above = [cell for cell in upper if is_value(cell)]
    named = all(lower[at] for at in numeric if at and not upper[at])
    return named and all(map(_YEAR.fullmatch, above))


def check_last_row(path: Path, table: SampleTable) -> None:
    """Ask about a last row that has a text alone, in a column of numbers: it may be a note."""
    width, last = len(table.rows[0]), [cell.strip() for cell in table.rows[-1]]
    filled = [at for at, cell in enumerate(last) if cell]
    if width < 2 or len(table.rows) < 4 or len(last) != width or len(filled) != 1:
        return
    (at,) = filled
    others = [row[at].strip() for row in table.rows[1:-1] if at < len(row) and row[at].strip()]
    if is_value(last[at]) or last[at] in GAPS or not (others and all(map(is_value, others))):
        return
    raise InputError(
        f"{path}: the last row has only {last[at][:60]!r}, in a column of numbers. If "
        'it is a note below the table, use dialect={"footer": 1}; if it is a row, '
        'use dialect={"footer": 0}.'
    )


def without_titles(path: Path, table: SampleTable, guessed: bool) -> SampleTable:
    """The table without the titles above it; ``guessed``: whether the header is not given."""
    width = _width(table.rows)
    above = titles(table.rows, width)
    if not above or above == len(table.rows):
        return table
    rest = table.rows[above:]
    skip = table.skip + table.lines[above]
    if guessed and not has_header(rest):
        full = len(table.rows[0]) == width
        row = 'say dialect={"skip": 0}' if full else f"give it {width} cells"
        raise InputError(
            f"{path}: line {table.skip + table.lines[0] + 1} has fewer cells than the "
            f"{width} of most rows, and no header follows it "
            f'({",".join(table.rows[0])[:60]!r}). If it is a title, use dialect={{"skip": '
            f"{skip}}}; if it is a row, {row}."
        )
    said = f"{skip} line{'s' * (skip > 1)} above the table left out ({_first_cell(table.rows[0])})"
    lines = [line - table.lines[above] for line in table.lines[above:]]
    return SampleTable(
        rows=rest,
        lines=lines,
        skip=skip,
        names=table.names,
        notes=(*table.notes, said),
        widths=table.widths,
    )


def below_marks(
    path: Path, table: SampleTable, above: Rows, marked: int, said: bool
) -> SampleTable:
    """The table below lines that begin with #, the last of which may have the names."""
    last = [cell.strip() for cell in above[-1]]
    last[0] = last[0].lstrip("# ")
    skip = table.skip + marked
    note = f"{marked} line{'s' * (marked > 1)} above the table left out ({_first_cell(above[0])})"
    below = replace(table, skip=skip, notes=(*table.notes, note))
    if said or len(last) != _width(table.rows) or len(last) < 2 or over_numbers(table.rows):
        return below
    if any(map(is_value, last)) or has_header(table.rows):
        raise InputError(
            f"{path}: line {skip} begins with # and has as many cells as the rows "
            f'({",".join(above[-1])[:60]!r}). If it is a comment, use dialect={{"skip": '
            f'{skip}}}; if it is the header or a row, {{"skip": {skip - 1}}}.'
        )
    told = (*table.notes, f"the names were read from line {skip}, which begins with #")
    return replace(below, names=tuple(last), notes=told)


def below_short_names(table: SampleTable) -> SampleTable:
    """The table below a header with one name fewer than the rows have cells.

    R writes names of rows without one over them; other programs end their rows with a delimiter.
    """
    first, rest = table.rows[0], table.rows[1:]
    width = len(first) + 1
    odd = any(len(row) != width for row in rest) or any(map(is_value, first)) or "" in first
    if width < 3 or len(rest) < 2 or odd:
        return table
    names, told = tuple(cell.strip() for cell in first), "one name fewer than the rows have cells"
    if not any(row[-1].strip() for row in rest):
        names, where = (*names, ""), "every row ends with a delimiter"
    elif len({row[0] for row in rest}) == len(rest):
        names, where = ("", *names), "the first column has none"
    else:
        return table
    lines = [line - table.lines[1] for line in table.lines[1:]]
    notes = (*table.notes, f"the header has {told}: {where}")
    return SampleTable(
        rows=rest,
        lines=lines,
        skip=table.skip + table.lines[1],
        names=names,
        notes=notes,
        widths=table.widths,
    )


def _width(rows: Rows) -> int:
    """How many cells most rows have."""
    return Counter(map(len, rows)).most_common(1)[0][0]


def check_header(path: Path, rows: Rows) -> None:
    """Refuse a guessed header whose names come twice and are values too."""
    if twice := find_doubtful_names(rows):
        raise InputError(
            f"{path}: the first row has {quoted_list(twice)} more than once, and it is also "
            'a value in the rows below. Use dialect={"header": False} if the first row '
            'has values, or dialect={"header": True} if it has the names of the columns.'
        )


def notes_of(table: SampleTable, header: bool) -> tuple[str, ...]:
    """All notes on a table: what was skipped, and what its names are like."""
    first = list(table.rows[0])
    if not header or len(first) > MAX_COLUMNS:  # which is an error, told by who reads the rows
        return table.notes
    values = [cell.strip() for cell in first if is_value(cell)]
    odd = [f"the first row is read as names, {quoted_list(values)} among them"] if values else []
    return (*table.notes, *odd, *notes_on(first, table.rows[1:]), *_headings(table))


def _headings(table: SampleTable) -> list[str]:
    """What to say where the names stand in the second row, below headings of several columns."""
    first, *rest = table.rows
    if len(rest) < 2 or all(map(str.strip, first)) or not all(map(str.strip, rest[0])):
        return []
    below = [is_value(cell) for cell in rest[1]]
    if any(map(is_value, rest[0])) or sum(below) < 2:
        return []
    above = table.skip + table.lines[1]
    return [f"line {above + 1} seems to have the names, below headings: say --skip {above} if so"]


def _first_cell(row: Sequence[str]) -> str:
    return repr(next((cell.strip() for cell in row if cell.strip()), "")[:60])
