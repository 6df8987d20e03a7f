"""Progress bars: who waits on a terminal sees how much is done, and how long the rest will take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def lasting(work: float, least: float) -> bool:
    """Whether somebody watches on a terminal, and there is enough to wait for."""
    return work >= least and sys.stderr.isatty()


@contextmanager
def bar(total: int, what: str, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error; nothing where it is not to be shown."""
    if not shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    console = Console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)
