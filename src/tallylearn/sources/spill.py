"""A spill: what was parsed from text once is kept as it was read, for all passes that follow.

Every block becomes a file of its own in a temporary folder that nobody else may enter (0700), so
that no file is open while others work on its rows, and the folder goes whatever happens meanwhile.
The files are Python's own (pickle): they are read by who wrote them, and by nobody else.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tallylearn.errors import FileError
from tallylearn.sources.protocols import Part, Parts
from tallylearn.tables import Block

WRITTEN = "written"  # the file that says how many blocks there are, once all of them are
REMEDY = (
    "Set the environment variable TMPDIR to a folder with room for about as much as the table "
    "takes as text, or save the table as Parquet, which is read again in every pass."
)


@dataclass(frozen=True)
class SpilledPart:
    """A part that keeps its blocks when it is read first, and takes them from there afterwards.

    Where its folder is not, as on a machine elsewhere, it reads itself anew in every pass.
    """

    part: Part[Block]
    folder: Path

    def blocks(self) -> Iterator[Block]:
        written = self.folder / WRITTEN
        if written.exists():
            return self._kept(int(written.read_text()))
        return self._keeping() if self.folder.parent.is_dir() else self.part.blocks()

    def _keeping(self) -> Iterator[Block]:
        number = 0
        with _telling(self.folder):
            self.folder.mkdir(exist_ok=True)
        for block in self.part.blocks():
            with _telling(self.folder), open(self._place(number), "wb") as file:
                pickle.dump(block, file, pickle.HIGHEST_PROTOCOL)
            number += 1
            yield block
        with _telling(self.folder):
            (self.folder / WRITTEN).write_text(str(number))

    def _kept(self, size: int) -> Iterator[Block]:
        for number in range(size):
            with _telling(self.folder), open(self._place(number), "rb") as file:
                block: Block = pickle.load(file)
            yield block

    def _place(self, number: int) -> Path:
        return self.folder / f"{number}.block"


@dataclass(frozen=True)
class Spill:
    """Rows that are parsed in the first pass only."""

    source: Parts[Block]
    folder: Path

    def parts(self) -> Iterator[SpilledPart]:
        for number, part in enumerate(self.source.parts()):
            yield SpilledPart(part, self.folder / str(number))


@contextmanager
def spilled(source: Parts[Block]) -> Iterator[Spill]:
    """The same rows, parsed in the first pass only; what is kept of them goes at the end."""
    with _telling(None):
        folder = TemporaryDirectory(prefix="tallylearn-")
    with folder as name:
        yield Spill(source, Path(name))


@contextmanager
def _telling(folder: Path | None) -> Iterator[None]:
    """What the disk refuses, in words that help."""
    try:
        yield
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        where = "a temporary folder" if folder is None else f"the temporary folder {folder.parent}"
        said = getattr(error, "strerror", None) or str(error)
        raise FileError(
            f"the rows of a text file are kept in {where} between the passes, and that failed "
            f"({said}). {REMEDY}"
        ) from error
