"""JSON: an object a line (JSON lines), or one list of objects; a key is a column.

All keys and their types are looked for in one pass before the rows are read: a key may come late.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from tallylearn.errors import ColumnError, FileError, InputError, TallyError, short_repr
from tallylearn.sources.arrow.batches import regroup
from tallylearn.sources.files.compression import DAMAGE, damaged_file_error, open_file, whole
from tallylearn.sources.files.parts import columns_to_read

ENDINGS = (".jsonl", ".ndjson", ".json")
CHUNK = 1 << 23  # bytes of whole lines
MAX_LINE_BYTES = 1 << 24  # bytes of one line
OBJECT_SIZE_FACTOR = 10  # times the bytes of a list of objects: what its objects take in Python


@dataclass(frozen=True)
class Key:
    """What stands behind a key: its type, and the line where another type came."""

    kind: Any  # of Arrow
    line: int = 0
    value: Any = None


_NULL = re.compile(rb"(?:^|[\r\n])[ \t]*null[ \t]*(?:[\r\n]|$)")


class JsonFile:
    """One JSON file, its keys looked for once."""

    start: ClassVar[int] = 1

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return JsonFile, (self.path,)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._keys)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        wanted = columns_to_read(self.path, self.names, columns)
        for name in wanted:
            self._check(name)
        return regroup(self._batches(wanted))

    def _batches(self, names: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.json as arrow

        schema = pa.schema([(name, self._keys[name].kind) for name in names])
        options = arrow.ParseOptions(schema, unexpected_field_behavior="ignore")
        for before, chunk in _chunks(self.path):
            try:
                table = _parse_chunk(chunk, options)
            except pa.ArrowInvalid as error:
                raise InputError(
                    f"{self.path}: a row after line {before} cannot be read: {str(error)[:200]}. "
                    "Look for a duplicate key, a number that is too large, or broken UTF-8."
                ) from None
            yield from table.select(names).to_batches()

    def _check(self, name: str) -> None:
        """Refuse a column that is none, with the line where it is not."""
        import pyarrow as pa

        key = self._keys[name]
        if pa.types.is_nested(key.kind) and not key.line:
            line, value = self._first_nested(name)
            raise ColumnError(
                f"{self.path}: {name!r} has several values in line {line} "
                f"({short_repr(value, 60)}), and a cell can have only one. Split them, as "
                f'pandas.json_normalize does, or leave the column out with ignore=["{name}"].'
            )
        if key.line:
            raise ColumnError(
                f"{self.path}: {name!r} has another type in line {key.line} "
                f"({short_repr(key.value, 60)}) than before ({key.kind}). Use one type in all "
                f'lines, or leave the column out with ignore=["{name}"].'
            )

    def _first_nested(self, name: str) -> tuple[int, Any]:
        """The first line with an object or a list behind a key, and that."""
        for before, chunk in _chunks(self.path):
            for line, text in enumerate(chunk.splitlines(), before + 1):
                try:
                    value = json.loads(text)[name]
                except (ValueError, LookupError, TypeError):
                    continue
                if isinstance(value, dict | list):
                    return line, value
        return 1, "{...}"

    @cached_property
    def _keys(self) -> dict[str, Key]:
        import pyarrow as pa

        found: dict[str, Key] = {}
        for before, chunk in _chunks(self.path):
            try:
                schema = _parse_chunk(chunk).schema
            except pa.ArrowInvalid:
                _search(self.path, chunk, before, found)
                continue
            for name, kind in zip(schema.names, schema.types, strict=True):
                kind = pa.string() if pa.types.is_timestamp(kind) else kind
                both = _common_type(found[name].kind, kind) if name in found else kind
                if both is None:
                    _search(self.path, chunk, before, found)
                else:
                    found.setdefault(name, Key(both))
                    found[name] = Key(both, found[name].line, found[name].value)
        if not found:
            raise FileError(
                f'{self.path}: no line has a key. Write each row as an object: {{"a": 1}}.'
            )
        return found


def _parse_chunk(chunk: bytes, options: Any = None) -> Any:
    """What Arrow reads; null in the place of a row is left to who looks at lines: Arrow crashes."""
    import pyarrow as pa
    import pyarrow.json as arrow

    if _NULL.search(chunk):
        raise pa.ArrowInvalid("a line is null")
    reading = arrow.ReadOptions(use_threads=False, block_size=len(chunk) + 1)
    return arrow.read_json(io.BytesIO(chunk), reading, options)


def _common_type(one: Any, other: Any) -> Any:
    """The type of values of both types; None where there is none."""
    import pyarrow as pa

    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    numbers = {pa.int64(), pa.float64()}
    return pa.float64() if {one, other} <= numbers else None


def _search(path: Path, chunk: bytes, before: int, found: dict[str, Key]) -> None:
    """Look at a chunk line by line: which keys it has, and where the first odd value stands."""
    for line, text in enumerate(chunk.splitlines(), before + 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{path}: line {line} is not JSON ({error}). Write one object per line, such as "
                '{"a": 1}; or one list of objects in the whole file.'
            ) from None
        if not isinstance(row, dict):
            raise InputError(
                f"{path}: line {line} is {short_repr(row, 60)}, and a row must be an object "
                'such as {"a": 1}. Name the values.'
            )
        for name, value in row.items():
            kind = _kind(value)
            known = found.setdefault(name, Key(kind))
            both = _common_type(known.kind, kind)
            if both is None:
                found[name] = known if known.line else Key(known.kind, line, value)
            else:
                found[name] = Key(both, known.line, known.value)


def _kind(value: Any) -> Any:
    import pyarrow as pa

    if isinstance(value, dict):
        return pa.struct([])
    if isinstance(value, list):
        return pa.list_(pa.null())
    kinds = {bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string()}
    return kinds.get(type(value), pa.null())


def _chunks(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, some megabytes at a time, and how many lines are before them."""
    with open_file(path) as file:
        try:
            start = file.read(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip()
            file.seek(0)
            if start.startswith(b"["):
                data = whole(
                    path, file, OBJECT_SIZE_FACTOR, "Write it as JSON lines, an object a line."
                )
                _check_utf8(path, data, 0)
                yield 0, _lines_of_list(path, data)
                return
            before = 0
            while lines := file.readlines(CHUNK):
                if max(map(len, lines)) > MAX_LINE_BYTES:
                    raise InputError(
                        f"{path}: a line is longer than {MAX_LINE_BYTES:,} bytes. Write one "
                        "row per line, or save the table as Parquet."
                    )
                chunk = b"".join(lines)
                _check_utf8(path, chunk, before)
                yield before, chunk.removeprefix(b"\xef\xbb\xbf")
                before += len(lines)
        except DAMAGE as error:
            if isinstance(error, TallyError):
                raise
            raise damaged_file_error(path, error) from None


def _check_utf8(path: Path, data: bytes, before: int) -> None:
    """Refuse bytes of another encoding: Arrow's parser lets them pass, and its functions do not."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = before + 1 + data.count(b"\n", 0, error.start)
        own = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "latin-1"
        raise InputError(
            f"{path}: line {line} has the byte 0x{data[error.start]:02x}, which is not UTF-8, and "
            "JSON is UTF-8. Write the file again in that encoding; in Python: "
            f'Path("new.jsonl").write_text(Path("old.jsonl").read_text("{own}"), "utf-8").'
        ) from None


def _lines_of_list(path: Path, data: bytes) -> bytes:
    """One list of objects as lines; a row's number is its line's."""
    try:
        rows = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FileError(
            f"{path} is not JSON ({str(error)[:100]}). Write a list of objects, or one "
            "object per line."
        ) from None
    return b"\n".join(json.dumps(row).encode() for row in rows)
