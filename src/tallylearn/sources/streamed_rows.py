"""Rows that pass by once are kept: in memory while they are few, in a temporary file beyond that.

Open files, URLs, readers of batches, iterators and answers of databases can be read once, and a
learner may go through its rows many times. What is kept in files goes when nobody asks for it.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any

from tallylearn.errors import (
    ColumnError,
    FileError,
    InputError,
    KindError,
    TallyError,
    quoted_list,
    short_repr,
)
from tallylearn.runtime.memory_budget import budget
from tallylearn.sources.memory.arrays import from_rows
from tallylearn.sources.memory.frames import Frame, as_frame
from tallylearn.tables import BLOCK

SHARE = 4  # of the budget: what is held of rows that pass by
READ_BYTES = 1 << 20  # bytes


class StoredRows:
    """A folder of files that goes when the last who knows of it does."""

    def __init__(self) -> None:
        with _disk_errors():
            self.folder = Path(tempfile.mkdtemp(prefix="tallylearn-"))
        self.paths: list[Path] = []
        self.handed = False  # whether rows were handed over, and no files
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def add(self, name: str) -> Path:
        """A place for one more file, which may have the name of another."""
        folder = self.folder / str(len(self.paths))
        folder.mkdir()
        self.paths.append(folder / (name or "table"))
        return self.paths[-1]

    def copy(self, file: Any, name: str) -> None:
        """Keep the bytes that an open file has left; text is kept as UTF-8."""
        with _disk_errors(), self.add(name).open("wb") as out:
            while data := _read(file, name):
                out.write(data)


def _read(file: Any, name: str) -> bytes:
    try:
        data = file.read(READ_BYTES)
        return data.encode() if isinstance(data, str) else data
    except (OSError, ValueError, TypeError) as error:
        raise FileError(
            f"{name or 'the open file'} cannot be read to its end: {error}. Open it again "
            "for reading."
        ) from None


@contextmanager
def _disk_errors() -> Iterator[None]:
    """What the disk refuses, in words that help."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            "rows that can be read only once are stored in a temporary folder, and that "
            f"failed ({error.strerror or error}). Set the environment variable TMPDIR to a "
            "folder with free space, or save the table as Parquet and pass its path."
        ) from None


def store_stream(X: Any) -> Any:
    """What can be read once, kept; anything else as it is."""
    if isinstance(X, str) and "://" in X:
        return _download(X)
    if callable(getattr(X, "read", None)) and not hasattr(X, "__arrow_c_stream__"):
        kept = StoredRows()
        kept.copy(X, _name_of(X))
        return kept
    if hasattr(X, "read_next_batch") or (not hasattr(X, "shape") and isinstance(X, Iterator)):
        return collect_pieces(X)
    return X


def collect_pieces(pieces: Iterable[Any]) -> Any:
    """Pieces of a table one after the other: a table of Arrow, or a file where it is too large."""
    import pyarrow as pa

    tables: list[Any] = []
    size, most = 0, budget() / SHARE
    rest = _tables(pieces)
    for table in rest:
        tables.append(table)
        size += table.get_total_buffer_size()
        if size > most:
            return _write_tables(chain([_join_tables(tables)], rest))
    return _join_tables(tables) if tables else pa.table({})


def _tables(pieces: Iterable[Any]) -> Iterator[Any]:
    """Every piece as a table of Arrow; rows as dicts some at a time."""
    items = iter(pieces)
    for at, first in enumerate(items):
        if isinstance(first, Mapping) and not _holds_columns(first):
            yield from_rows([first, *islice(items, BLOCK - 1)])
        elif not _is_piece(first):
            raise KindError(
                f"item {at} of the iterator is {short_repr(first, 60)}, and not a table. Pass a "
                "frame, or an iterator of frames, of Arrow batches, or of dicts as from "
                "csv.DictReader."
            )
        else:
            yield _table_of(as_frame(_join_piece(first)))


def _is_piece(item: Any) -> bool:
    """Whether an item has rows and columns."""
    if item is None or isinstance(item, str | bytes | int | float | list | tuple):
        return False
    return isinstance(item, Mapping) or len(getattr(item, "shape", (0, 0))) == 2


def _join_piece(piece: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([piece]) if isinstance(piece, pa.RecordBatch) else piece


def _holds_columns(piece: Mapping[Any, Any]) -> bool:
    return any(hasattr(value, "__len__") and not isinstance(value, str) for value in piece.values())


def _table_of(frame: Frame) -> Any:
    import pyarrow as pa

    if frame.arrow is not None:
        return frame.arrow
    return pa.table({name: frame.column(name) for name in frame.names})


def _join_tables(tables: list[Any]) -> Any:
    """The pieces in one table; numbers of two types become one, and nothing becomes anything."""
    import pyarrow as pa

    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise _type_conflict_error(tables[0], error) from None


def _write_tables(tables: Iterator[Any]) -> StoredRows:
    """All of them in a file of Arrow."""
    import pyarrow as pa

    kept, first = StoredRows(), next(tables)
    kept.handed = True
    place = str(kept.add("table.arrow"))
    with (
        _disk_errors(),
        pa.OSFile(place, "wb") as file,
        pa.ipc.new_file(file, first.schema) as writer,
    ):
        for table in chain([first], tables):
            try:
                writer.write_table(table.select(first.column_names).cast(first.schema), BLOCK)
            except (pa.ArrowInvalid, KeyError) as error:
                raise _type_conflict_error(first, error) from None
    return kept


def _type_conflict_error(first: Any, error: BaseException) -> ColumnError:
    return ColumnError(
        f"the pieces of the table have different columns: {str(error)[:200]}. The first "
        f"has {quoted_list(first.column_names)}. Write all pieces with the same columns "
        "and types, for example with CAST in a query."
    )


def _name_of(file: Any) -> str:
    name = getattr(file, "name", "")
    return Path(name).name if isinstance(name, str) else ""


def _download(url: str) -> StoredRows:
    """The files that a URL names, through fsspec."""
    try:
        import fsspec
    except ImportError:
        raise FileError(
            f"{url} is a URL, and the package that opens URLs is not installed. Install it "
            "with pip install 'fsspec[http]' for http and https, 'fsspec[s3]' for s3; or "
            "download the file."
        ) from None
    kept = StoredRows()
    try:
        for place in fsspec.open_files(url, "rb"):
            with place as file:
                kept.copy(file, PurePosixPath(place.path.split("?")[0]).name)
    except TallyError:
        raise
    except Exception as error:
        raise FileError(
            f"{url} cannot be read: {type(error).__name__}: {str(error)[:200]}. Check the address, "
            "or download it first."
        ) from None
    if not kept.paths:
        raise InputError(f"no file matches {url!r}. Check the address.")
    return kept
