"""Progress: a bar on a terminal while folds are fitted one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tallylearn.doors.onepass import OnePass


@contextmanager
def watching(
    estimator: Any, exam: Any, rounds: list[Any], wanted: bool | None
) -> Iterator[Callable[[int], None] | None]:
    """Told of every fold that is done; on a terminal, unless a learner needs one pass only."""
    total = sum(len(place.tested) if hasattr(place, "tested") else len(place) for place in rounds)
    shown = sys.stderr.isatty() and not isinstance(estimator, OnePass) and total > 1
    with bar(total, type(estimator).__name__, shown if wanted is None else wanted) as watch:
        yield watch


@contextmanager
def watching_all(
    estimators: Sequence[Any], folds: int, wanted: bool | None
) -> Iterator[Callable[[int], None] | None]:
    """Told of every fold of every estimator; on a terminal, unless all need one pass only."""
    total = folds * len(estimators)
    slow = not all(isinstance(estimator, OnePass) for estimator in estimators)
    shown = sys.stderr.isatty() and slow and total > 1
    with bar(total, f"{len(estimators)} learners", shown if wanted is None else wanted) as watch:
        yield watch


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
