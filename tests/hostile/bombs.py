"""Bombs: small files that ask for more memory than any machine has.

python -m tests.hostile.bombs NAME PATH reads one under a limit of memory, and prints what came.
"""

from __future__ import annotations

import gzip
import resource
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

import tallylearn as tl
from tallylearn.errors import TallyError

MEMORY = 3 << 30  # bytes of addresses, most of which libraries set aside
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
MEGABYTE = b"a" * (1 << 20)
LONG = (b"<si><t>", *[MEGABYTE] * 1536, b"</t></si>")
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
    'content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r" Type="{OFFICE}/'
    'officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="S" sheetId="1" r:id="s"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="s" '
    f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" '
    f'Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
}
FIRST = b'<row r="1"><c r="A1"><v>1</v></c></row>'


def xlsx(path: Path, rows: Iterable[bytes], strings: Iterable[bytes] = ()) -> None:
    """A workbook of one sheet, its XML as it is given."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        for name, tag, inner, pieces in (
            ("xl/sharedStrings.xml", "sst", "", strings),
            ("xl/worksheets/sheet1.xml", "worksheet", "sheetData", rows),
        ):
            open_, close = (f"<{inner}>", f"</{inner}>") if inner else ("", "")
            with archive.open(name, "w") as part:
                part.write(f'<{tag} xmlns="{MAIN}">{open_}'.encode())
                for piece in pieces:
                    part.write(piece)
                part.write(f"{close}</{tag}>".encode())


def ods(path: Path, rows: str) -> None:
    """An OpenDocument sheet, its rows as they are given."""
    spaces = "".join(
        f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"'
        for one in ("office", "table", "text")
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            f"<office:document-content{spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="S">{rows}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        )


def lying(path: Path) -> None:
    """A long string, of which the directory of the archive says that it has 100 bytes."""
    xlsx(path, [b'<row r="1"><c r="A1" t="s"><v>0</v></c></row>'], LONG)
    with zipfile.ZipFile(path) as archive:
        about = archive.getinfo("xl/sharedStrings.xml")
        with archive.open(about) as part:
            first = zlib.crc32(part.read(100))
    data = path.read_bytes()
    for true, false in ((about.file_size, 100), (about.CRC, first)):
        at = data.rindex(true.to_bytes(4, "little"))  # in the directory, behind all parts
        data = data[:at] + false.to_bytes(4, "little") + data[at + 4 :]
    path.write_bytes(data)


def shared(path: Path) -> None:
    """A string of 100 kB that 200 000 cells show."""
    row = '<row r="{0}"><c r="A{0}" t="s"><v>0</v></c></row>'
    rows = (row.format(at).encode() for at in range(1, 200_001))
    xlsx(path, rows, [b"<si><t>" + MEGABYTE[:100_000] + b"</t></si>"])


FAR = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
PREFIXED = f'<x:row r="9" xmlns:x="{MAIN}"><x:c r="XFD1048576"><x:v>1</x:v></x:c></x:row>'.encode()
CELL = '<table:table-cell office:value-type="float" office:value="1"{0}><text:p>1</text:p>'
BOMBS: dict[str, Callable[[Path], None]] = {
    "far.xlsx": lambda path: xlsx(path, [FIRST, FAR]),
    "spaced.xlsx": lambda path: xlsx(path, [FIRST, FAR.replace(b' r="XFD1048576"',
                                                               b"\nr =\t'XFD1048576'")]),
    "counted.xlsx": lambda path: xlsx(path, [
        FIRST, b'<row r="1048576">' + b"<c/>" * 16_383 + b"<c><v>1</v></c></row>"]),
    "prefixed.xlsx": lambda path: xlsx(path, [FIRST, PREFIXED]),
    "wide.xlsx": lambda path: xlsx(path, [
        b'<row r="1">' + b"<c><v>1</v></c>" * 16_384 + b"</row>",
        b'<row r="100000"><c r="A100000"><v>1</v></c></row>']),
    "string.xlsx": lambda path: xlsx(
        path, [b'<row r="1"><c r="A1" t="s"><v>0</v></c></row>'], LONG),
    "inline.xlsx": lambda path: xlsx(path, [
        b'<row r="1"><c r="A1" t="inlineStr"><is><t>', *LONG[1:-1], b"</t></is></c></row>"]),
    "lying.xlsx": lying,
    "shared.xlsx": shared,
    "repeated.ods": lambda path: ods(path, (
        '<table:table-row table:number-rows-repeated="1048576">'
        + CELL.format(' table:number-columns-repeated="16384"')
        + "</table:table-cell></table:table-row>")),
    "packed.xlsx.gz": lambda path: path.write_bytes(
        gzip.compress(b"PK\3\4", 1) + gzip.compress(MEGABYTE * 64, 1) * 24) and None,
    "list.json.gz": lambda path: path.write_bytes(
        gzip.compress(b'[{"a": "', 1) + gzip.compress(MEGABYTE * 64, 1) * 24) and None,
}  # fmt: skip


def main(path: Path) -> None:
    """Read a file, and say how that ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    try:
        print(f"read {sum(len(block) for block in tl.table(path).blocks())} rows")
    except TallyError as error:
        print(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
