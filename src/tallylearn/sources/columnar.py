"""Columnar files keep a column's values together: Parquet and Arrow, checked before they are used.

A damaged file must not reach a kernel: offsets, codes of dictionaries and text are looked at in
every batch, Parquet's pages are compared with their checksums where the writer left some, and
Arrow's bytes are read, not mapped (a file that is cut short while it is mapped ends the process).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tallylearn.errors import FileError, TallyError
from tallylearn.sources.batches import regrouped
from tallylearn.sources.frames import own
from tallylearn.tables import BLOCK

PARQUET = (".parquet", ".pq")
ARROW = (".arrow", ".feather", ".ipc")


class ParquetPart:
    """A Parquet file; strings come as dictionaries, one batch in memory at a time."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._path = path
        with _read_as("Parquet", path):
            schema = pq.read_schema(path)
            strings = [field.name for field in schema if pa.types.is_string(field.type)]
            self._file = pq.ParquetFile(
                path, pre_buffer=False, read_dictionary=strings, page_checksum_verification=True
            )
            self.names = tuple(own(schema.names))

    def blocks(self, kinds: Mapping[str, str], columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows; a row group ends one."""
        return _blocks("Parquet", self._path, self._batches(list(columns)))

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        for group in range(self._file.num_row_groups):
            yield from self._file.iter_batches(BLOCK, row_groups=[group], columns=columns)


class ArrowPart:
    """An Arrow IPC file or stream."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with _read_as("Arrow", path), _opened(path) as reader:
            self._all = tuple(reader.schema.names)
            self.names = tuple(own(self._all))

    def blocks(self, kinds: Mapping[str, str], columns: Sequence[str]) -> Iterator[Any]:
        """Tables of 65 536 rows."""
        return _blocks("Arrow", self._path, self._batches(list(columns)))

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        with _opened(self._path, [self._all.index(name) for name in columns]) as reader:
            batches: Iterable[Any] = reader
            if hasattr(reader, "num_record_batches"):
                batches = map(reader.get_batch, range(reader.num_record_batches))
            for batch in batches:
                yield batch.select(columns)


@contextmanager
def _opened(path: Path, columns: Sequence[int] | None = None) -> Iterator[Any]:
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
    blocks = regrouped(_validated(batches))
    while True:
        with _read_as(form, path):
            block = next(blocks, None)
        if block is None:
            return
        yield block


def _validated(batches: Iterator[Any]) -> Iterator[Any]:
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
            f"{path} cannot be read as {form}: {said}. It is damaged, or not what its ending says: "
            "copy or write it again."
        ) from None
