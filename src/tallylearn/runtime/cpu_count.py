"""Cores: how many threads may work at once in this process, for who reads and for who counts."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_allowed: ContextVar[int | None] = ContextVar("threads", default=None)


def threads() -> int:
    """How many threads may work: as many as the engine in force says, else one a processor."""
    return _allowed.get() or processors()


@contextmanager
def allowing(number: int) -> Iterator[None]:
    """Let so many threads work meanwhile, here and in all threads that take this context over."""
    token = _allowed.set(number)
    try:
        yield
    finally:
        _allowed.reset(token)


def processors() -> int:
    """How many processors are free for threads: those that this process may use.

    A worker of joblib, or a daemon of multiprocessing or Dask, has as many neighbours as there are
    processors: threads of its own would only stand in their way.
    """
    if _is_worker():
        return 1
    affinity = getattr(os, "sched_getaffinity", None)  # Linux: a container or taskset allows less
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _is_worker() -> bool:
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is None:
        return False
    process = multiprocessing.current_process()
    return bool(process.daemon) or "loky" in type(process).__module__.split(".")
