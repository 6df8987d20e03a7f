"""Progress bars in a terminal (rich) or under a notebook cell (HTML)."""

from __future__ import annotations

import html
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_open: ContextVar[bool] = ContextVar("_is_open", default=False)  # whether a bar is shown


def should_show(work: float, least: float) -> bool:
    """Whether the work is long enough for a bar, and a terminal or notebook can show it."""
    return work >= least and (sys.stderr.isatty() or in_notebook())


@contextmanager
def progress_bar(total: int, what: str, shown: bool) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, or in the notebook; None if it is not ``shown``.

    Work inside of other work has no bar of its own: rich before 14.1 refuses a second one.
    """
    if not shown or _is_open.get():
        yield None
        return
    opened = _is_open.set(True)
    try:
        with _open_bar(total, what) as watch:
            yield watch
    finally:
        _is_open.reset(opened)


@contextmanager
def _open_bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
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
    """Whether a Jupyter kernel runs this process."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")


@contextmanager
def _cell_bar(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar under the cell, without widgets; it disappears when the work is done."""
    from IPython.display import HTML, display

    shown, done = display(HTML(_html_bar(0, total, what)), display_id=True), 0

    def watch(more: int) -> None:
        nonlocal done
        done += more
        shown.update(HTML(_html_bar(done, total, what)))

    try:
        yield watch
    finally:
        shown.update(HTML(""))


def _html_bar(done: int, total: int, what: str) -> str:
    return f'<progress value="{done}" max="{total}"></progress> {html.escape(what)} {done}/{total}'
