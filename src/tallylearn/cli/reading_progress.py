"""A progress bar while a long file is read."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

SECONDS_BEFORE_BAR = 1.0
SAMPLE_BYTES = 1 << 20


class Progress:
    """Count the rows that are read, and draw a bar when that takes long.

    A learner with several stages has a bar for each, under its name.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        console: Any = None,
        patience: float = SECONDS_BEFORE_BAR,
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

        self._start_stage(stage())
        self.rows += rows
        if self._bar is None and self._is_slow():
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.rows)

    def _start_stage(self, stage: str) -> None:
        """Start counting again in a new stage."""
        if stage == self._stage:
            return
        self._stage, self.rows = stage, 0
        if self._bar is not None:
            self._bar.reset(self._task, description=stage, total=self._total())

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _is_slow(self) -> bool:
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
        """The expected rows: of all passes, or of the stage."""
        rows = self._expected
        return None if rows is None else rows * (1 if self._stage else self._passes)

    @cached_property
    def _expected(self) -> float | None:
        return estimate_rows(self._paths)


@contextmanager
def show_progress(
    paths: Sequence[Path],
    threads: int | None = None,
    patience: float = SECONDS_BEFORE_BAR,
    passes: int = 1,
) -> Iterator[Progress]:
    """Work on threads with a progress bar."""
    from tallylearn.engines import engine

    progress = Progress(paths, patience=patience, passes=passes)
    try:
        with engine(threads, progress):
            yield progress
    finally:
        progress.close()


def estimate_rows(paths: Sequence[Path]) -> float | None:
    """About how many rows there are; None if that needs a full read."""
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
        sample = file.read(SAMPLE_BYTES)
    lines = sample.count(b"\n")
    text = lines and b"\0" not in sample
    return path.stat().st_size * lines / len(sample) if text else None
