"""Forging: damaged tables from a seed, damaged where the format keeps what it steers by.

Of Arrow that is the flatbuffers of the messages, the footer and the integers of the buffers
(offsets, codes, run ends); of Parquet the Thrift of the footer and of the page headers; of CSV
the quotes, line ends, delimiters and encodings; of ARFF and JSON any byte; of archives and
workbooks the directory, and the XML of the sheet.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import zipfile
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

NUMBERS = (0, 1, -1, 2, 7, 8, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 2**31 - 1, -(2**31),
           2**32 - 1, 2**62, 2**63 - 1, -(2**63), -2, 1 << 40)  # fmt: skip
CELLS = ("", "1", "-1.5", "1e308", "1e309", "-0", "007", "nan", "NaN", "inf", "NA", "?", "null",
         "True", "false", "2024-05-31", "2024-02-30", "0000-00-00", "9999-12-31 23:59:60",
         "2024-05-31T12:30:00Z", "31.5.2024", "1,5", "1.234,5", "9007199254740993", "1" * 400,
         "a b c d e", "=1+1", "@x", '"', '""', '"a', "a\"b", '"a,b"', '"a\nb"', "\u2028", "\ufeff",
         "\x1b[31m", "é", "日本", "\U0001f600", "\x00", "\\", "'", " x ", "\t",
         "x" * 5000)  # fmt: skip


def forged(kind: str, seed: int) -> tuple[str, bytes]:
    """A file's ending and its bytes."""
    chance = random.Random(f"{kind} {seed}")
    if kind in TEXTS:
        return TEXTS[kind](chance)
    table = _table(chance)
    if kind == "parquet":
        data = _parquet(chance, table)
        return ".parquet", _damaged(chance, data, _parquet_places(data))
    data = _arrow(chance, table)
    return ".arrow", _damaged(chance, data, _arrow_places(data))


def _table(chance: random.Random) -> Any:
    """A table of some of the types that a column can have; the target is y."""
    n = chance.choice((1, 3, 17, 64, 200))
    columns = {name: make(n) for name, make in COLUMNS.items() if chance.random() < 0.25}
    columns |= {name: make(n) for name, make in FOREIGN.items() if chance.random() < 0.01}
    columns["y"] = pa.array([("u", "v")[i % 2] for i in range(n)])
    return pa.table(columns)


def _some(values: list[Any], kind: Any) -> Any:
    return lambda n: pa.array([values[i % len(values)] for i in range(n)], kind)


_LISTS = [[1, 2], [], None, [3]]
COLUMNS = {
    "double": _some([1.5, None, -2.0, 3.25], pa.float64()),
    "whole": _some([1, 2, None, 4], pa.int64()),
    "small": _some([1, 2, 3], pa.uint8()),
    "truth": _some([True, None, False], pa.bool_()),
    "word": _some(["red", "green", None, "blue"], pa.string()),
    "long": _some(["the quick brown fox", "jumps over the dog"], pa.large_string()),
    "view": _some(["short", "a text beyond twelve bytes", None], pa.string_view()),
    "coded": lambda n: _some(["a", "b", None, "c"], pa.string())(n).dictionary_encode(),
    "day": _some([date(2024, 5, 31), None, date(1960, 1, 1)], pa.date32()),
    "moment": _some([datetime(2024, 5, 31, 12), None, datetime(1, 1, 1)], pa.timestamp("us")),
    "clock": _some([time(12, 30), time(1), time(23, 59)], pa.time64("us")),
    "while": _some([timedelta(days=1), timedelta(5), timedelta(-1)], pa.duration("us")),
    "money": _some([Decimal("1.50"), None, Decimal(7)], pa.decimal128(10, 2)),
    "wide": _some([Decimal("1.50"), None, Decimal(7)], pa.decimal256(60, 2)),
    "nothing": lambda n: pa.nulls(n),
    "half": lambda n: _some([1.5, None], pa.float32())(n).cast(pa.float16()),
    "runs": lambda n: pa.RunEndEncodedArray.from_arrays([n], ["one"]),
}
FOREIGN = {  # types that no column can have
    "bytes": _some([b"\xff\x00", None], pa.binary()),
    "fixed": _some([b"abcd"], pa.binary(4)),
    "list": _some(_LISTS, pa.list_(pa.int32())),
    "lists": _some(_LISTS, pa.list_view(pa.int32())),
    "struct": _some([{"a": 1, "b": "x"}, None], pa.struct({"a": pa.int8(), "b": pa.string()})),
    "map": _some([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
}


def _arrow(chance: random.Random, table: Any) -> bytes:
    sink = io.BytesIO()
    make = chance.choice((pa.ipc.new_file, pa.ipc.new_file, pa.ipc.new_stream))
    squeeze = chance.choice((None, None, "lz4", "zstd"))
    size = chance.choice((10_000, max(1, len(table) // 2)))
    options = pa.ipc.IpcWriteOptions(compression=squeeze, emit_dictionary_deltas=True)
    with make(sink, table.schema, options=options) as writer:
        writer.write_table(table, size)
    return sink.getvalue()


def _parquet(chance: random.Random, table: Any) -> bytes:
    unwritten = {"runs", "lists", "view"}  # the last is written as text, by newer versions alone
    table = table.drop_columns([n for n in table.column_names if n in unwritten])
    sink = io.BytesIO()
    pq.write_table(
        table, sink, use_dictionary=chance.random() < 0.5,
        compression=chance.choice(("none", "snappy", "gzip", "zstd", "lz4")),
        write_page_checksum=chance.random() < 0.5, row_group_size=max(1, len(table) // 2),
        data_page_version=chance.choice(("1.0", "2.0")), write_statistics=chance.random() < 0.5,
    )  # fmt: skip
    return sink.getvalue()


def _arrow_places(data: bytes) -> list[int]:
    """Where messages begin, and the words of the footer."""
    starts = [at for at in range(0, len(data) - 4, 8) if data[at : at + 4] == b"\xff" * 4]
    footer = struct.unpack("<i", data[-10:-6])[0] if data.endswith(b"ARROW1") else 0
    end = len(data) - 10
    heads = [at + step for at in starts for step in range(0, 400, 4)]
    return [*heads, *range(max(0, end - footer), end, 4)]


def _parquet_places(data: bytes) -> list[int]:
    """The bytes of the footer, and those of the first page headers."""
    footer = struct.unpack("<I", data[-8:-4])[0]
    return [*range(len(data) - 8 - footer, len(data)), *range(4, 80)]


def _damaged(chance: random.Random, data: bytes, places: list[int]) -> bytes:
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 1, 3))):
        steered = [at for at in places if at < len(found)]
        if not found:
            break
        at = chance.choice(steered) if steered and chance.random() < 0.25 else None
        _damage(chance, found, chance.randrange(len(found)) if at is None else at)
    return bytes(found)


def _damage(chance: random.Random, data: bytearray, at: int) -> None:
    how = chance.choice((0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7))
    size = chance.choice((1, 2, 4, 8, 64, 500))
    if how == 0:
        data[at] ^= 1 << chance.randrange(8)
    elif how == 1:
        data[at] = chance.randrange(256)
    elif how in (2, 3):
        width = (4, 8)[how - 2]
        at -= at % width
        number = chance.choice(NUMBERS) + chance.randrange(-2, 3)
        data[at : at + width] = (number % 256**width).to_bytes(width, "little")
    elif how == 4:
        del data[at : at + chance.choice((size, len(data)))]
    elif how == 5:
        data[at:at] = data[at : at + size]
    elif how == 6:
        data[at : at + size] = bytes(len(data[at : at + size]))
    else:
        other = chance.randrange(len(data))
        data[at : at + size] = data[other : other + size]


def _csv(chance: random.Random) -> tuple[str, bytes]:
    """Rows of hostile cells, most of them as long as the header."""
    delimiter, end = chance.choice(",,;\t|"), chance.choice(("\n", "\n", "\r\n", "\r"))
    p = chance.choice((1, 2, 5, 30))
    cells = chance.sample(CELLS, chance.choice((1, 2, 4, 10)))
    rows = [[f"c{j}" for j in range(p)] + ["y"]]
    for i in range(chance.choice((0, 1, 5, 40, 300))):
        row = [chance.choice(cells) for _ in range(p)] + [("u", "v")[i % 2]]
        odd = chance.random()
        rows.append(row[: chance.randrange(p + 1)] if odd < 0.01 else row * (1 + (odd > 0.995)))
    text = end.join(delimiter.join(row) for row in rows) + chance.choice(("", end, end * 3))
    encoding = chance.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"))
    data = text.encode(encoding, "replace")
    if chance.random() < 0.3:
        data = _damaged(chance, data, list(range(min(len(data), 60))))
    if chance.random() < 0.1:
        data = _damaged(chance, gzip.compress(data, mtime=0), list(range(18)))
    return chance.choice((".csv", ".tsv", ".txt")), data


def _arff(chance: random.Random) -> tuple[str, bytes]:
    """Rows of hostile cells below a header, dense or sparse."""
    kinds = (
        "numeric",
        "string",
        "date",
        "{red, 'x y', 007}",
        "integer",
        "relational",
        "real [1,2]",
    )
    p = chance.choice((1, 3, 8))
    chosen = [chance.choice(kinds[:5]) if chance.random() < 0.98 else kinds[5] for _ in range(p)]
    head = [f"@attribute 'c {at}' {kind}" for at, kind in enumerate(chosen)]
    cells = (*chance.sample(CELLS, 4), "1", "2.5", "?", "red", "'x y'", "2024-05-31T12:30:00")
    rows = []
    for at in range(chance.choice((0, 1, 20, 200))):
        row = [chance.choice(cells) for _ in range(p)] + ["uv"[at % 2]]
        sparse = "{" + ", ".join(f"{n} {cell}" for n, cell in enumerate(row)) + "}"
        rows.append((sparse if chance.random() < 0.2 else ",".join(row)) + ",{2}" * (at % 50 == 7))
    text = "\n".join(["% made", "@relation t", *head, "@attribute y {u,v}", "@data", *rows])
    data = text.encode(chance.choice(("utf-8", "utf-8", "latin-1")), "replace")
    return ".arff", _damaged(chance, data, []) if chance.random() < 0.5 else data


def _json(chance: random.Random) -> tuple[str, bytes]:
    rows = [{"a": at, "b": chance.choice(CELLS), "y": "uv"[at % 2]} for at in range(20)]
    lines = chance.random() < 0.7
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    return ".jsonl" if lines else ".json", _damaged(chance, text.encode(), [])


def _zip(chance: random.Random) -> tuple[str, bytes]:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", "a,y\n" + "1,u\n2,v\n" * 20)
    data = packed.getvalue()
    at = data.rindex(b"PK\x01\x02")
    return ".zip", _damaged(chance, data, [*range(40), *range(at, len(data))])


def _xlsx(chance: random.Random) -> tuple[str, bytes]:
    """A workbook with its sheet damaged in it, or its archive."""
    book, packed = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["a", "b", "y"])
    for at in range(20):
        book.active.append(
            [at / 2, chance.choice(("x", None, date(2024, 5, 31), True)), "uv"[at % 2]]
        )
    book.save(packed)
    if chance.random() < 0.3:
        return ".xlsx", _damaged(chance, packed.getvalue(), [])
    out = io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            hurt = name.endswith(("sheet1.xml", "sharedStrings.xml", "styles.xml"))
            new.writestr(name, _damaged(chance, data, []) if hurt else data)
    return ".xlsx", out.getvalue()


TEXTS = {"csv": _csv, "arff": _arff, "json": _json, "zip": _zip, "xlsx": _xlsx}
