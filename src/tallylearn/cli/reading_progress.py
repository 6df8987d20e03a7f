"""Progress: who waits for a long file sees how far it is read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

PATIENCE = 1.0  # seconds without a bar
SAMPLE = 1 << 20  # bytes


class Progress:
    """Counts the rows of the blocks that are done, and draws a bar when that takes long.

    A learner that goes through the rows in rounds has a bar for each, under its name.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        console: Any = None,
        patience: float = PATIENCE,
        passes: int = 1,
    ) -> None:
        self.rows = 0
        self._paths, self._console, self._patience = paths, console, patience
        self._passes, self._stage = passes, ""
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, rows: int) -> None:
        from tallylearn.engines import stage

        self._turn(stage())
        self.rows += rows
        if self._bar is None and self._lasts():
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.rows)

    def _turn(self, stage: str) -> None:
        """In a new round the rows are counted anew."""
        if stage == self._stage:
            return
        self._stage, self.rows = stage, 0
        if self._bar is not None:
            self._bar.reset(self._task, description=stage, total=self._total())

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()

    def _lasts(self) -> bool:
        wanted = self._console is not None or sys.stderr.isatty()
        return wanted and time.monotonic() - self._started >= self._patience

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        stage, text = TextColumn("{task.description}"), TextColumn("{task.completed:,.0f} rows")
        console = self._console or Console(stderr=True)
        columns = stage, BarColumn(), text, TimeElapsedColumn()
        self._bar = Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task(self._stage, total=self._total())
        self._bar.start()

    def _total(self) -> float | None:
        """The rows to come: of all passes, or of the round."""
        rows = self._expected
        return None if rows is None else rows * (1 if self._stage else self._passes)

    @cached_property
    def _expected(self) -> float | None:
        return expected(self._paths)


@contextmanager
def watched(
    paths: Sequence[Path], threads: int | None = None, patience: float = PATIENCE, passes: int = 1
) -> Iterator[Progress]:
    """Work on threads, the rows counted as they are done, in every pass over them."""
    from tallylearn.engines import engine

    progress = Progress(paths, patience=patience, passes=passes)
    try:
        with engine(threads, progress):
            yield progress
    finally:
        progress.close()


def expected(paths: Sequence[Path]) -> float | None:
    """About how many rows there are; none where that cannot be told without reading them."""
    counts = [_rows(path) for path in paths]
    return None if None in counts else sum(count for count in counts if count is not None)


def _rows(path: Path) -> float | None:
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        return int(pq.read_metadata(path).num_rows)
    from tallylearn.sources.files.compression import is_packed

    if is_packed(path):
        return None
    with open(path, "rb") as file:
        sample = file.read(SAMPLE)
    lines = sample.count(b"\n")
    text = lines and b"\0" not in sample
    return path.stat().st_size * lines / len(sample) if text else None
