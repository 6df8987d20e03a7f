"""Sizes of workbooks: how much memory a workbook takes, estimated before it is read.

The reader of workbooks (calamine) makes room for the rectangle around all filled cells of a sheet,
and copies a shared string into every cell that shows it. A file of two kilobytes can so ask for
more memory than any machine has, and the process would end. Here the parts of a workbook are
unpacked piece by piece, nothing of them is held, and the estimate is compared with the budget.

References: ECMA-376 part 1, 18.3.1 (worksheets) and 18.4 (shared strings); [MS-XLSB] 2.1.4
(records); OpenDocument 1.3 part 3, 9.1 (rows and cells that are repeated).
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import normpath
from typing import BinaryIO
from xml.etree.ElementTree import ParseError, fromstring

import numpy as np

from tallylearn.errors import TallyError
from tallylearn.runtime.memory_budget import budget, check_memory
from tallylearn.sources.files.compression import DAMAGE, damaged_file_error, zip_archive

CELL = 64  # bytes of a cell in the rectangle: 24 in the reader, the rest in lists of Python
COPIES = 2  # of every string: one in the reader, one in Python
MIN_CELL_BYTES = len(b'<c t="s"><v>0</v></c>')  # bytes of a cell that shows a shared string
READ_BYTES = 1 << 20  # bytes unpacked at a time
_REMEDY = (
    "Delete what lies far from the table (in a spreadsheet, Ctrl+End goes to the last cell), or "
    "save the sheet as CSV, which is read in blocks."
)
_PLAIN = bytes.maketrans(b"\t\n\r'", b'   "')  # one way to write blanks and quotes in a tag
_FAR = re.compile(rb' r="([A-Za-z]{2,8}\d{1,9}|[A-Za-z]\d{6,9})')  # right of Z, or below 99 999
_ODD = re.compile(rb'<c(?! r="[A-Za-z])[ />]')  # a cell that does not begin with where it is
_PREFIXED = b":c ", b":c>", b":c/"
_TAG = re.compile(rb"<(?:[^\s<>/]+:)?(row|c)(?=[\s/>])([^>]*?)(/?)>")
_ATTRIBUTE = re.compile(rb' r *= *"([A-Za-z]{0,8})(\d{1,9})')
_STRING = re.compile(rb"<(?:[^\s<>/]+:)?si[\s/>]")
_SHARED = re.compile(rb' t *= *"s"[^>]*>[^<]*<(?:[^\s<>/]+:)?v>(\d{1,9})')
_FORMULA = re.compile(
    rb"<(?:\w+:)?c( [^>]*)>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ODS = re.compile(
    rb"<table:(?:table(?=[\s>])|(table-row|table-cell|covered-table-cell)(?=[\s/>])([^>]*?)(/?)>)"
)
_REPEATED = re.compile(rb'table:number-(?:rows|columns)-repeated *= *"(\d{1,9})')


@dataclass
class PartSize:
    """What a part of a workbook (a file in its archive) holds."""

    size: int = 0  # bytes, unpacked
    cells: int = 0  # of the rectangle around the filled cells
    longest: int = 0  # bytes of a shared string
    shared: int = 0  # cells that show a shared string, at most
    uncached: dict[int, int] = field(default_factory=dict)  # column -> row of the first formula
    # that has no value, both from 0


def check_size(path: Path, file: BinaryIO) -> dict[str, PartSize]:
    """Refuse a workbook that would take more memory than the budget; the sizes of its parts.

    ``file`` is a zip archive (.xlsx, .xlsb, .ods), and is left at its beginning.
    """
    found: dict[str, PartSize] = {}
    with zip_archive(path, file) as archive:
        declared = sum(one.file_size for one in archive.infolist())
        _ask(path, COPIES * declared, f"{declared:,} bytes of text")
        unpacked = 0
        for one in archive.infolist():
            pieces = _pieces(path, archive, one, unpacked)
            found[one.filename] = _part_size(one.filename, pieces)
            unpacked += found[one.filename].size
        if COPIES * (unpacked + _shared_text(found)) + CELL * _cells(found) > budget():
            exact = {name: _measure_exactly(path, archive, name) for name in found}
            cells, text = _cells(exact), _exact_text(path, archive, found)
            _ask(path, CELL * cells, f"the {cells:,} cells between its first and its last one")
            _ask(path, COPIES * text, f"{text:,} bytes of text in its cells")
            _ask(path, COPIES * (unpacked + text) + CELL * cells, "its cells and their text")
    file.seek(0)
    return found


def _cells(found: dict[str, PartSize]) -> int:
    return sum(part.cells for part in found.values())


def _shared_text(found: dict[str, PartSize]) -> int:
    """The bytes of shared strings in cells, at most."""
    longest = max((part.longest for part in found.values()), default=0)
    return longest * (1 + sum(part.shared for part in found.values()))


def _ask(path: Path, size: float, what: str) -> None:
    check_memory(size, f"{path}: {what}", _REMEDY)


def _pieces(
    path: Path, archive: zipfile.ZipFile, one: zipfile.ZipInfo, before: int = 0
) -> Iterator[bytes]:
    """The bytes of a part, unpacked, to the end of what is packed.

    The directory may claim fewer, with a checksum of those: Python's zipfile would stop there.
    """
    size, true = before, copy(one)
    true.file_size, true.CRC = 1 << 62, None  # type: ignore[assignment]
    try:
        with archive.open(true) as part:
            while piece := part.read(READ_BYTES):
                size += len(piece)
                _ask(path, COPIES * size, f"more than {size - len(piece):,} bytes of text")
                yield piece
    except (*DAMAGE, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, TallyError):
            raise
        raise damaged_file_error(path, error) from None


def _whole_tags(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that end before a tag begins, blanks and quotes written one way.

    A cell is kept in one piece with its value: it ends before ``<c`` or ``<row``, where there is
    one in the piece.
    """
    held = b""
    for piece in pieces:
        held += piece.translate(_PLAIN)
        cut = max(held.rfind(b"<c "), held.rfind(b"<row"), held.rfind(b"<si"))
        cut = cut if cut > 0 else held.rfind(b"<")
        if cut > 0:
            yield held[:cut]
            held = held[cut:]
        elif len(held) > READ_BYTES:  # text alone: only its length counts
            yield held
            held = b""
    if held:
        yield held


def _part_size(name: str, pieces: Iterator[bytes]) -> PartSize:
    """Bounds that are quick to find; above the budget, ``_measure_exactly`` counts."""
    found = PartSize()
    if name.endswith(".bin"):
        data = b"".join(pieces)
        found.size = len(data)
        found.cells, found.longest, found.shared = _records(data)
        return found
    if name == "content.xml":
        return _ods(_whole_tags(pieces))
    rows, columns, at, some, sure = 99_999, 26, 0, False, True
    last: int | None = None  # where a shared string began
    for data in _whole_tags(pieces):
        if b"<si" in data or b":si" in data:
            for match in _STRING.finditer(data):
                here = at + match.start()
                found.longest = max(found.longest, 0 if last is None else here - last)
                last = here
        for far in _FAR.findall(data):
            letters = far.rstrip(b"0123456789")
            columns = max(columns, _column(letters))
            rows = max(rows, int(far[len(letters) :]))
        some = some or b"<c " in data
        sure = sure and not _ODD.search(data) and not any(one in data for one in _PREFIXED)
        if b"<f" in data or b":f" in data:
            _find_uncached(data, found)
        at += len(data)
    if last is not None:
        found.longest = max(found.longest, at - last)
    found.size, found.shared = at, at // MIN_CELL_BYTES
    found.cells = rows * columns * some if sure else 1 << 62
    return found


def _find_uncached(data: bytes, found: PartSize) -> None:
    """The cells of formulas that were never computed, so that no value stands beside them."""
    for match in _FORMULA.finditer(data):
        ref = _ATTRIBUTE.search(match[1])
        if ref and ref[1] and b't="str"' not in match[1]:  # an empty string is a value
            found.uncached.setdefault(_column(ref[1]) - 1, int(ref[2]) - 1)


def _measure_exactly(path: Path, archive: zipfile.ZipFile, name: str) -> PartSize:
    """The rectangle around the cells that are filled, each found by its tag."""
    pieces = _pieces(path, archive, archive.getinfo(name))
    if name.endswith(".bin") or name == "content.xml":
        return _part_size(name, pieces)
    row = column = bottom = right = 0
    for data in _whole_tags(pieces):
        for tag in _TAG.finditer(data):
            ref = _ATTRIBUTE.search(tag[2])
            if tag[1] == b"row":
                row, column = int(ref[2]) if ref else row + 1, 0
                continue
            column = _column(ref[1]) if ref and ref[1] else column + 1
            row = int(ref[2]) if ref and ref[1] else row
            if not tag[3]:  # one that is closed at once has a format and no value
                bottom, right = max(bottom, row), max(right, column)
    return PartSize(cells=bottom * right)  # rows and columns before the first are filled up, too


def _exact_text(path: Path, archive: zipfile.ZipFile, found: dict[str, PartSize]) -> int:
    """The bytes of shared strings, each as often as a cell shows it."""
    starts: list[int] = []
    text = 0
    for name, part in found.items():
        if not part.longest or name.endswith(".bin"):
            text += part.longest * part.shared
            continue
        at = 0
        for data in _whole_tags(_pieces(path, archive, archive.getinfo(name))):
            starts += [at + match.start() for match in _STRING.finditer(data)]
            at += len(data)
        starts.append(at)
    lengths = np.diff(np.array(starts, dtype=np.int64))
    for name, part in found.items():
        if not part.shared or name.endswith(".bin"):
            continue
        for data in _whole_tags(_pieces(path, archive, archive.getinfo(name))):
            places = np.array([int(one) for one in _SHARED.findall(data)], dtype=np.int64)
            text += int(lengths[places[places < len(lengths)]].sum())
    return text


def _column(letters: bytes) -> int:
    """The number of a column, from 1: A, B, ..., Z, AA.

    >>> _column(b"A"), _column(b"AA"), _column(b"XFD")
    (1, 27, 16384)
    """
    number = 0
    for letter in letters[:8].upper():
        number = 26 * number + letter - 64
    return number


def _records(data: bytes) -> tuple[int, int, int]:
    """Of a binary part: the cells of the rectangle, the longest string, cells that show one."""
    at, end = 0, len(data)
    row = rows = columns = longest = shared = 0
    while at < end:
        kind, at = _varint(data, at, 2)
        size, at = _varint(data, at, 4)
        if kind == 0:  # BrtRowHdr
            row = int.from_bytes(data[at : at + 4], "little")
        elif kind <= 11:  # BrtCellBlank to BrtFmlaError
            rows, shared = max(rows, row + 1), shared + (kind == 7)
            columns = max(columns, 1 + int.from_bytes(data[at : at + 4], "little"))
        elif kind == 19:  # BrtSSTItem
            longest = max(longest, size)
        at += size
    return rows * columns, longest, shared


def _varint(data: bytes, at: int, most: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends."""
    number = 0
    for step in range(most):
        byte = data[at] if at < len(data) else 0
        number, at = number | (byte & 0x7F) << 7 * step, at + 1
        if byte < 0x80:
            break
    return number, at


def _ods(pieces: Iterator[bytes]) -> PartSize:
    """The cells of an OpenDocument sheet; rows and cells that repeat are written once."""
    found = PartSize()
    rows = repeat = column = last = width = bottom = 0
    for data in pieces:
        found.size += len(data)
        for tag in _ODS.finditer(data):
            times = int(one[1]) if tag[2] and (one := _REPEATED.search(tag[2])) else 1
            if tag[1] is None:  # another sheet
                found.cells += bottom * width
                rows = repeat = column = last = width = bottom = 0
            elif tag[1] == b"table-row":
                rows += repeat
                repeat, column, last = times, 0, 0
            else:
                column += times
                if not tag[3]:
                    last = column
                    width, bottom = max(width, last), rows + repeat
    found.cells += bottom * width
    return found


def part_of_sheet(path: Path, file: BinaryIO, name: str) -> str:
    """The part of an .xlsx file that a sheet stands in, by its name; empty if it is not found."""
    with zip_archive(path, file) as archive:
        try:
            sheets = fromstring(archive.read("xl/workbook.xml"))
            links = fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        except (*DAMAGE, KeyError, ParseError, NotImplementedError, RuntimeError):
            return ""  # the reader says what is wrong with it
    file.seek(0)
    targets = {one.get("Id"): one.get("Target", "") for one in links}
    for sheet in sheets.iter():
        if sheet.tag.endswith("}sheet") and sheet.get("name") == name:
            link = next((value for key, value in sheet.items() if key.endswith("}id")), "")
            target = targets.get(link, "")
            return target[1:] if target.startswith("/") else normpath(f"xl/{target}")
    return ""


__all__ = ["PartSize", "check_size", "part_of_sheet"]
