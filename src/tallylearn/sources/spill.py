"""A spill: what was read once is kept as it was read, for all passes that follow.

Every block becomes a file of its own in a temporary folder that nobody else may enter (0700), which
goes whatever happens meanwhile: rows of a file that is mapped stay after the file is gone.

Text must be kept: who parses it again in every pass does nothing else. What is decoded, from
Parquet for instance, is kept while there is room: the budget of memory, for what the system cannot
hold in its own is read no faster than it is decoded, and half of what is free on the disk. Rows for
which there is none, or which are gone, are decoded again: they are the same.
"""

from __future__ import annotations

import os
import pickle
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from struct import calcsize, pack, unpack_from
from tempfile import TemporaryDirectory
from typing import Any

from tallylearn.errors import FileError
from tallylearn.runtime.cpu_count import thread_limit
from tallylearn.runtime.memory_budget import budget
from tallylearn.runtime.worker_pool import WorkerPool
from tallylearn.sources.protocols import Part, Parts
from tallylearn.tables import Block

ARRAY_ALIGNMENT = 64  # bytes, a cache line: mapped arrays begin at a multiple of it
SIZE_FORMAT = "<q"  # of the number of parts, and of the size of each, in a file of a block

WRITTEN = "written"  # the file that says how many blocks there are, once all of them are
REMEDY = (
    "Set the environment variable TMPDIR to a folder with about as much free space "
    "as the text file takes, or save the table as Parquet."
)


@dataclass(frozen=True)
class SpilledPart:
    """A part that keeps its blocks when it is read first, and takes them from there afterwards.

    Where its folder is not, as on a machine elsewhere, it reads itself anew in every pass.
    """

    part: Part[Block]
    folder: Path
    least: float | None = None  # bytes that stay free on the disk; None: all blocks must be kept
    pool: WorkerPool | None = None  # who writes them meanwhile, in this process alone

    def __reduce__(self) -> tuple[Any, ...]:
        return SpilledPart, (self.part, self.folder, self.least)

    def blocks(self) -> Iterator[Block]:
        if (self.folder / WRITTEN).exists():
            size = self._size()
            return self._read_blocks(size) if size else self.part.blocks()
        return self._write_and_yield() if self.folder.parent.is_dir() else self.part.blocks()

    def _write_and_yield(self) -> Iterator[Block]:
        number, whole, most = 0, True, 0 if self.pool is None else thread_limit()
        waiting: deque[Callable[[], bool]] = deque()
        for number, block in enumerate(self.part.blocks(), 1):
            if whole:
                waiting.append(self._submit_write(block, number - 1))
            if len(waiting) > most:
                whole = waiting.popleft()() and whole
            yield block
        self._end(number if all([whole, *(kept() for kept in waiting)]) else 0)

    def _submit_write(self, block: Block, number: int) -> Callable[[], bool]:
        """Have a block written; the answer waits, and says whether it was."""
        if self.pool is not None:
            return partial(self.pool.result, self.pool.submit(self._write, block, number))
        kept = self._write(block, number)
        return lambda: kept

    def _end(self, size: int) -> None:
        """Say how many blocks are kept: all, or none, and the room that some took is free again."""
        if not size:
            shutil.rmtree(self.folder, ignore_errors=True)
        with self._disk_errors():
            self.folder.mkdir(exist_ok=True)
            (self.folder / WRITTEN).write_text(str(size))

    def _write(self, block: Block, number: int) -> bool:
        """Write a block, and say whether that was done."""
        with self._disk_errors():
            self.folder.mkdir(exist_ok=True)
            if self.least is None or shutil.disk_usage(self.folder).free >= self.least:
                write_block(block, self._place(number))
                return True
        return False

    def _read_blocks(self, size: int) -> Iterator[Block]:
        for number in range(size):
            block = self._read_block(number)
            if block is None:
                yield from islice(self.part.blocks(), number, None)
                return
            yield block

    def _read_block(self, number: int) -> Block | None:
        """A block that was kept; None where it is gone, and the part can be read again."""
        with self._disk_errors():
            return read_block(self._place(number))
        return None

    def _size(self) -> int:
        """How many blocks are kept."""
        with self._disk_errors():
            return int((self.folder / WRITTEN).read_text())
        return 0

    def _place(self, number: int) -> Path:
        return self.folder / f"{number}.block"

    def _disk_errors(self) -> AbstractContextManager[None]:
        return _disk_errors(self.folder.parent, self.least is None)


@dataclass(frozen=True)
class Spill:
    """Rows that are read from their source in the first pass only, or most of them."""

    source: Parts[Block]
    folder: Path
    least: float | None = None
    pool: WorkerPool | None = None

    def parts(self) -> Iterator[SpilledPart]:
        for number, part in enumerate(self.source.parts()):
            yield SpilledPart(part, self.folder / str(number), self.least, self.pool)


@contextmanager
def spill_to_disk(source: Parts[Block], must: bool = True) -> Iterator[Parts[Block]]:
    """The same rows, kept in the first pass; where they ``must`` not be, while there is room.

    What is kept of them goes at the end.
    """
    folder = _folder(must)
    if folder is None:
        yield source
        return
    with folder as name:
        if must or thread_limit() == 1:
            yield Spill(source, Path(name), None if must else _bytes_left_free(name))
            return
        least = _bytes_left_free(name)
        with WorkerPool(thread_limit(), name="spill") as pool:  # ends before the folder goes
            yield Spill(source, Path(name), least, pool)


def _folder(must: bool) -> TemporaryDirectory[str] | None:
    with _disk_errors(None, must):
        return TemporaryDirectory(prefix="tallylearn-", ignore_cleanup_errors=not must)
    return None


def _bytes_left_free(folder: str) -> float:
    """The bytes of a disk that are left to others."""
    free = shutil.disk_usage(folder).free
    return free - min(free / 2, budget())


@contextmanager
def _disk_errors(folder: Path | None, must: bool) -> Iterator[None]:
    """What the disk refuses, in words that help; not a word where nothing depends on it."""
    try:
        yield
    except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        if not must:
            return
        where = "a temporary folder" if folder is None else f"the temporary folder {folder}"
        said = getattr(error, "strerror", None) or str(error)
        raise FileError(
            f"the rows of a text file are stored in {where} between passes, and that failed "
            f"({said}). {REMEDY}"
        ) from error


def write_block(block: Block, path: Path) -> None:
    """Write a block: sizes, then all but the arrays, then each of these."""
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(block, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(head), *(array.raw() for array in arrays)]
    with open(path, "wb") as file:
        file.write(pack(SIZE_FORMAT, len(parts)))
        file.write(pack(f"<{len(parts)}q", *(part.nbytes for part in parts)))
        for part in parts:
            file.write(bytes(-file.tell() % ARRAY_ALIGNMENT))
            file.write(part)


def read_block(path: Path) -> Block:
    """The block of a file; a file that is cut short is a ValueError."""
    with open(path, "rb") as file:
        # where a mapped file cannot be removed (Windows) it is read, so that its folder goes
        whole = mmap(file.fileno(), 0, access=ACCESS_COPY) if os.name == "posix" else file.read()
    bits, parts = memoryview(whole), []
    for start, size in _places(bits):
        parts.append(bits[start : start + size])
    block: Block = pickle.loads(parts[0], buffers=parts[1:])
    return block


def _places(bits: memoryview) -> list[tuple[int, int]]:
    """Where each part begins, and its size."""
    if len(bits) < calcsize(SIZE_FORMAT):
        raise ValueError("a file of rows has no header")
    number = unpack_from(SIZE_FORMAT, bits)[0]
    end = calcsize(SIZE_FORMAT) * (1 + number)
    if not 0 < number <= len(bits) // calcsize(SIZE_FORMAT) - 1:
        raise ValueError("a file of rows has another header than was written")
    found = []
    for size in unpack_from(f"<{number}q", bits, calcsize(SIZE_FORMAT)):
        start = end + -end % ARRAY_ALIGNMENT
        end = start + size
        found.append((start, size))
    if end > len(bits):
        raise ValueError("a file of rows is cut short")
    return found
