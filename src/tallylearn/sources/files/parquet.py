"""Columnar files keep a column's values together: Parquet and Arrow, checked before they are used.

A damaged file must not reach a kernel: offsets, codes of dictionaries and text are looked at in
every batch, Parquet's pages are compared with their checksums where the writer left some, and
Arrow's bytes are read, not mapped (a file that is cut short while it is mapped ends the process).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, TallyError
from tallylearn.runtime.cpu_count import thread_limit
from tallylearn.sources.arrow.batches import read_ahead, regroup
from tallylearn.sources.files.parts import columns_to_read
from tallylearn.sources.memory.frames import without_index_names
from tallylearn.tables import BLOCK, RUN

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")
BUFFER = 1 << 16  # bytes of a column that are read ahead: else all that a row group has of it


@dataclass(frozen=True)
class FileRun:
    """Row groups of a Parquet file, or record batches of an Arrow file, one after the other."""

    path: Path
    first: int = 0
    last: int | None = None  # the one behind; None: all that there are
    rows: int = 0  # in the file before them

    @property
    def start(self) -> int:
        """The position of the first row, from 0 in every file."""
        return self.rows


class ParquetRun(FileRun):
    """Row groups; strings come as dictionaries, one batch in memory at a time."""

    @classmethod
    def of(cls, path: Path) -> list[ParquetRun]:
        """A file in runs of about a million rows."""
        import pyarrow.parquet as pq

        with _read_as("Parquet", path):
            found = pq.read_metadata(path)
            rows = [found.row_group(at).num_rows for at in range(found.num_row_groups)]
        return [cls(path, *run) for run in _runs(rows)]

    @property
    def names(self) -> tuple[str, ...]:
        import pyarrow.parquet as pq

        with _read_as("Parquet", self.path):
            return tuple(without_index_names(pq.read_schema(self.path).names))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        return _blocks("Parquet", self.path, self._batches(columns, thread_limit() > 1))

    def _batches(self, columns: Sequence[str], threaded: bool) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pq.read_schema(self.path)
        strings = [field.name for field in schema if pa.types.is_string(field.type)]
        wanted = columns_to_read(self.path, without_index_names(schema.names), columns)
        with pq.ParquetFile(
            self.path, pre_buffer=False, buffer_size=BUFFER, read_dictionary=strings,
            page_checksum_verification=True,
        ) as file:  # fmt: skip
            last = file.num_row_groups if self.last is None else self.last
            for group in range(self.first, last):
                yield from file.iter_batches(BLOCK, [group], wanted, use_threads=threaded)


class ArrowRun(FileRun):
    """Record batches of an Arrow IPC file, or a whole stream."""

    @classmethod
    def of(cls, path: Path) -> list[ArrowRun]:
        """A file in runs of about a million rows; a stream, or one batch, is one run."""
        with _read_as("Arrow", path), _open_reader(path) as reader:
            if getattr(reader, "num_record_batches", 1) < 2 or not reader.schema.names:
                return [cls(path)]
        with _read_as("Arrow", path), _open_reader(path, [0]) as reader:
            batches = map(reader.get_batch, range(reader.num_record_batches))
            return [cls(path, *run) for run in _runs([len(batch) for batch in batches])]

    @property
    def names(self) -> tuple[str, ...]:
        with _read_as("Arrow", self.path), _open_reader(self.path) as reader:
            return tuple(without_index_names(reader.schema.names))

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        return _blocks("Arrow", self.path, self._batches(columns))

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        with _open_reader(self.path) as reader:
            every = tuple(reader.schema.names)
        wanted = columns_to_read(self.path, without_index_names(every), columns)
        with _open_reader(self.path, [every.index(name) for name in wanted]) as reader:
            batches: Iterable[Any] = reader
            if hasattr(reader, "num_record_batches"):
                last = reader.num_record_batches if self.last is None else self.last
                batches = map(reader.get_batch, range(self.first, last))
            for batch in batches:
                yield batch.select(wanted)


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Where runs of at least 2^20 rows begin and end, and how many rows are before them.

    >>> list(_runs([2**19, 2**19, 2**20, 7]))
    [(0, 2, 0), (2, 3, 1048576), (3, 4, 2097152)]
    """
    first = before = held = 0
    for at, more in enumerate(rows, 1):
        held += more
        if held >= RUN or at == len(rows):
            yield first, at, before
            first, before, held = at, before + held, 0


@contextmanager
def _open_reader(path: Path, columns: Sequence[int] | None = None) -> Iterator[Any]:
    """A reader of a file, or of a stream: the first has a footer, the second has none."""
    import pyarrow as pa

    options = pa.ipc.IpcReadOptions(included_fields=columns, use_threads=False)
    with pa.OSFile(str(path)) as source:
        try:
            reader = pa.ipc.open_file(source, options=options)
        except pa.ArrowInvalid:
            source.seek(0)
            reader = pa.ipc.open_stream(source, options=options)
        yield reader


def _blocks(form: str, path: Path, batches: Iterator[Any]) -> Iterator[Any]:
    """Batches, each looked at in full, as blocks; what Arrow says against them is an error."""
    tables = regroup(_validate_batches(batches))
    blocks = read_ahead(tables) if thread_limit() > 1 else tables
    while True:
        with _read_as(form, path):
            block = next(blocks, None)
        if block is None:
            return
        yield block


def _validate_batches(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        batch.validate(full=True)
        yield batch


@contextmanager
def _read_as(form: str, path: Path) -> Iterator[None]:
    """Whatever a reader says of a damaged file is one of our errors."""
    import pyarrow as pa

    try:
        yield
    except TallyError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        said = " ".join(str(error).split())[:200]
        raise FileError(
            f"{path} cannot be read as {form}: {said}. The file is damaged or has a wrong "
            "extension: copy or write it again."
        ) from None
