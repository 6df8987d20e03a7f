"""Packed files: gzip, bzip2, xz, zstd and lz4 hold one file, a zip archive any number of them.

A member of an archive has a path of its own, ``archive.zip/member.csv``, and is read as a file is.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO, cast

from tallylearn.errors import FileError, TallyError, quoted_list
from tallylearn.runtime.memory_budget import check_memory

ZIP = b"PK\x03\x04"
READ_BYTES = 1 << 24  # bytes that are read at once
START = 4096  # bytes that tell what a file is
DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError)
# What the standard library raises for a zip directory that is damaged or of a later version.
_BAD_DIRECTORY = (*DAMAGE, NotImplementedError, ValueError, IndexError, struct.error)
_ASIDE = ("__MACOSX/", "thumbs.db", ".ds_store")


class UnpackedStream(io.RawIOBase):
    """The bytes in a packed file; to go back to its beginning is to unpack it again."""

    def __init__(self, packed: BinaryIO, unpack: Callable[[BinaryIO], BinaryIO]) -> None:
        self._packed, self._unpack = packed, unpack
        self._stream, self._at = unpack(packed), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        if (place, whence) == (0, 0) and self._at:
            self._packed.seek(0)
            self._stream, self._at = self._unpack(self._packed), 0
        elif (place, whence) not in ((0, 0), (0, 1)):
            raise io.UnsupportedOperation("a packed file is read from its beginning")
        return self._at

    def close(self) -> None:
        super().close()
        if "_packed" in vars(self):
            self._packed.close()


class _BorrowedFile:
    """A file that Arrow reads and does not close with the stream that it makes of it."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.read = file.read

    def close(self) -> None:
        pass


def _arrow(codec: str) -> Callable[[BinaryIO], BinaryIO]:
    def unpack(packed: BinaryIO) -> BinaryIO:
        import pyarrow as pa

        stream = pa.CompressedInputStream(pa.PythonFile(_BorrowedFile(packed), "r"), codec)
        return cast(BinaryIO, stream)

    return unpack


UNPACKING: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda packed: cast(BinaryIO, gzip.GzipFile(fileobj=packed)),
    b"BZh": lambda packed: cast(BinaryIO, bz2.BZ2File(packed)),
    b"\xfd7zXZ\x00": lambda packed: cast(BinaryIO, lzma.LZMAFile(packed)),  # noqa: SIM115
    b"\x28\xb5\x2f\xfd": _arrow("zstd"),
    b"\x04\x22\x4d\x18": _arrow("lz4"),
}
ENDINGS = (".gz", ".bz2", ".xz", ".zst", ".lz4")


def open_file(path: Path) -> BinaryIO:
    """A file open for reading, unpacked where it is packed."""
    try:
        file = _open_plain(path)
        start = file.peek(6)
        for magic, unpack in UNPACKING.items():
            if start.startswith(magic):
                return cast(
                    BinaryIO, io.BufferedReader(UnpackedStream(cast(BinaryIO, file), unpack))
                )
        return cast(BinaryIO, file)
    except FileNotFoundError:
        raise FileError(f"{path}: the file does not exist. Check the path.") from None
    except IsADirectoryError:
        raise FileError(
            f"{path} is a folder. Pass a file, or a glob such as 'folder/*.csv'."
        ) from None
    except TallyError:
        raise
    except (*_BAD_DIRECTORY, RuntimeError) as error:
        raise FileError(
            f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}. Check "
            "its permissions."
        ) from None


def start_of(path: Path, file: BinaryIO | None = None) -> bytes:
    """The first bytes of a file, unpacked, which tell what it is; it may be open already."""
    with open_file(path) if file is None else nullcontext(file) as stream:
        try:
            return stream.read(START)
        except DAMAGE as error:
            raise damaged_file_error(path, error) from None


def open_unpacked(path: Path) -> BinaryIO:
    """The same bytes in memory, for readers that go forth and back; a plain file as it is."""
    with open_file(path) as file:
        if isinstance(file, io.BufferedReader) and isinstance(file.raw, io.FileIO):
            return open(path, "rb")
        return io.BytesIO(whole(path, file, 4, "Unpack the file first."))


def whole(path: Path, file: BinaryIO, times: int, remedy: str) -> bytes:
    """All bytes of a file; refused where ``times`` as many are more than the budget.

    What is packed may be a thousand times as large as its file.
    """
    pieces, size = [], 0
    try:
        while piece := file.read(READ_BYTES):
            pieces.append(piece)
            size += len(piece)
            check_memory(times * size, f"{path}: to read {size:,} bytes at once", remedy)
    except DAMAGE as error:
        if isinstance(error, TallyError):
            raise
        raise damaged_file_error(path, error) from None
    return b"".join(pieces)


def is_packed(path: Path) -> bool:
    """Whether a file is in an archive, or packed by itself."""
    if container(path) != path:
        return True
    with open_file(path) as file:
        return isinstance(getattr(file, "raw", None), UnpackedStream)


def damaged_file_error(path: Path, error: BaseException) -> FileError:
    return FileError(f"{path}: the file is damaged or cut short ({error}). Copy it again.")


def inner_suffix(path: Path) -> str:
    """The ending that says what is in a file: .csv for people.csv.gz.

    >>> [inner_suffix(Path(f"people{end}")) for end in (".CSV.gz", ".csv", ".zst")]
    ['.csv', '.csv', '']
    """
    ending = path.suffix.lower()
    return Path(path.stem).suffix.lower() if ending in ENDINGS else ending


def container(path: Path) -> Path:
    """The file on the disk that a path leads into: itself, or the archive that it is in."""
    if path.exists():
        return path
    return next((parent for parent in path.parents if parent.is_file()), path)


def stamp(path: Path) -> tuple[int, int] | None:
    """What tells a file from what it was before: its size and the time of its last change."""
    try:
        found = container(path).stat()
    except (AttributeError, OSError):  # no file of this machine
        return None
    return found.st_size, found.st_mtime_ns


def changed_file_error(path: Path, when: str = "while it was read") -> FileError:
    return FileError(
        f"{path} changed {when}. Read it again when no program writes to it, or read a copy."
    )


def members(archive: Path, pattern: str = "*") -> list[Path]:
    """The files in a zip archive, sorted, as paths; without what a system puts beside them."""
    with zip_archive(archive, archive) as file:
        names = [one.filename for one in file.infolist() if one.filename[-1:] not in ("", "/")]
    own = [name for name in names if not name.lower().endswith(_ASIDE[1:])]
    own = [name for name in own if not name.startswith(_ASIDE[0])]
    return [archive / name for name in sorted(own) if fnmatchcase(name, pattern)]


@contextmanager
def zip_archive(path: Path, file: Path | BinaryIO) -> Iterator[zipfile.ZipFile]:
    """A zip archive open for reading; what its directory says wrong is an error of ours."""
    try:
        archive = zipfile.ZipFile(file)
    except NotImplementedError as error:
        raise FileError(
            f"{path} has an unknown compression ({error}). Extract it with the program that "
            "made it, and pass the extracted file; or copy it again if it is damaged."
        ) from None
    except _BAD_DIRECTORY as error:
        raise damaged_file_error(path, error) from None
    with archive:
        yield archive


def only_member(archive: Path) -> Path:
    """The file in an archive of one; for more, an error that says how to name one."""
    found = members(archive)
    if len(found) == 1:
        return found[0]
    if not found:
        raise FileError(f"{archive}: the archive is empty. Add a file to it.")
    names = [one.relative_to(archive).as_posix() for one in found]
    raise FileError(
        f"{archive} holds {len(found)} files: {quoted_list(names)}. Pass one of them, "
        f"as in '{archive.name}/{names[0]}', or several with the same columns, as in "
        f"'{archive.name}/*.csv'."
    )


def _open_plain(path: Path) -> io.BufferedReader:
    """The bytes as they are, of a file or of a member of an archive."""
    archive = container(path)
    if archive == path or not zipfile.is_zipfile(archive):
        return open(path, "rb")
    name = path.relative_to(archive).as_posix()
    with zip_archive(archive, archive) as file:
        if name not in file.namelist():
            raise FileNotFoundError(path)
        if file.getinfo(name).flag_bits & 1:
            raise FileError(
                f"{path} needs a password. Extract the archive first, and pass the extracted file."
            )
    return io.BufferedReader(
        UnpackedStream(open(archive, "rb"), lambda packed: _member(packed, name))
    )


def _member(packed: BinaryIO, name: str) -> BinaryIO:
    return cast(BinaryIO, zipfile.ZipFile(packed).open(name))
