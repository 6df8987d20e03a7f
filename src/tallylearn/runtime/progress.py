"""Progress bars: who waits sees how much is done, and how long the rest will take."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def lasting(work: float, least: float) -> bool:
    """Whether somebody watches, and there is enough to wait for."""
    return work >= least and (sys.stderr.isatty() or in_notebook())


@contextmanager
def bar(total: int, what: str, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, or in the notebook; nothing where it is not to be shown."""
    if not shown:
        yield None
        return
    if in_notebook():
        with _cell_bar(total, what) as watch:
            yield watch
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


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs us: it has a display of its own for every cell."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


@contextmanager
def _cell_bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar under the cell, without widgets; it goes when the work is done."""
    from IPython.display import HTML, display

    shown, done = display(HTML(_drawn(0, total, what)), display_id=True), 0

    def watch(more: int) -> None:
        nonlocal done
        done += more
        shown.update(HTML(_drawn(done, total, what)))

    try:
        yield watch
    finally:
        shown.update(HTML(""))


def _drawn(done: int, total: int, what: str) -> str:
    return f'<progress value="{done}" max="{total}"></progress> {html.escape(what)} {done}/{total}'
