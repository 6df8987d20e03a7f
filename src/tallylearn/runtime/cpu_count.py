"""How many threads may work at the same time in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_limit: ContextVar[int | None] = ContextVar("threads", default=None)


def thread_limit() -> int:
    """How many threads may work: as many as the engine in force allows, else one a processor."""
    return _limit.get() or available_cpus()


@contextmanager
def limit_threads(number: int) -> Iterator[None]:
    """Allow so many threads within a ``with`` block, and in all threads that copy its context."""
    token = _limit.set(number)
    try:
        yield
    finally:
        _limit.reset(token)


def available_cpus() -> int:
    """How many processors this process may use; 1 in a worker of joblib, multiprocessing or Dask.

    There are as many workers as processors: threads of their own would compete for them.
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
