"""Progress: who waits for a long file sees how far it is read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 1.0  # seconds without a bar
SAMPLE = 1 << 20  # bytes


class Progress:
    """Counts the rows of the blocks that are done, and draws a bar when that takes long."""

    def __init__(
        self,
        paths: Sequence[Path],
        console: Any = None,
        patience: float = PATIENCE,
        passes: int = 1,
    ) -> None:
        self.rows = 0
        self._paths, self._console, self._patience = paths, console, patience
        self._passes = passes
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, rows: int) -> None:
        self.rows += rows
        if self._bar is None and self._lasts():
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.rows)

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

        text = TextColumn("{task.completed:,.0f} rows")
        console = self._console or Console(stderr=True)
        self._bar = Bar(BarColumn(), text, TimeElapsedColumn(), console=console, transient=True)
        rows = expected(self._paths)
        self._task = self._bar.add_task("", total=None if rows is None else self._passes * rows)
        self._bar.start()


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
    with open(path, "rb") as file:
        sample = file.read(SAMPLE)
    lines = sample.count(b"\n")
    packed = sample.startswith(b"\x1f\x8b")
    return None if packed or not lines else path.stat().st_size * lines / len(sample)
