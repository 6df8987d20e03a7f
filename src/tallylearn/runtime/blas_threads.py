"""Hold BLAS to one thread, so that results have the same bits on any number of processors.

A BLAS library splits a product among as many threads as there are processors, and the place of the
split decides how the sum is rounded. The engines have threads of their own in its place.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple


class _ThreadState(threading.local):
    """What the running thread holds."""

    depth = 0  # nested `one_thread` blocks
    scopes = 0  # nested scopes, at whose end a hold ends
    holds = False  # whether it is one of the threads that hold BLAS


class _Libraries(NamedTuple):
    """The loaded BLAS libraries, as controllers of threadpoolctl."""

    per_process: list[Any]  # a limit set by any thread is that of all
    per_thread: list[Any]  # OpenMP: each thread has a limit of its own
    clear: Callable[..., None] | None  # lets another thread control OpenBLAS


class _ProcessHolds:
    """How many threads of the process hold BLAS, and the limits that the first of them found."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n_threads = 0
        self.libraries = _Libraries([], [], None)
        self.limits: list[int] = []  # of the libraries per process, then per thread


_thread, _process = _ThreadState(), _ProcessHolds()


class _OneThread:
    """Context manager behind `one_thread`; it has no state, so one instance serves every hold."""

    def __enter__(self) -> None:
        if not _thread.holds:
            _hold()
            _thread.holds = True
        _thread.depth += 1

    def __exit__(self, *error: object) -> None:
        _thread.depth -= 1
        if _thread.scopes == 0:
            _release_if_unused()


_one_thread = _OneThread()


def one_thread() -> _OneThread:
    """Limit BLAS to one thread within a ``with`` block.

    Threads may hold it at the same time, and nested. The last one to leave restores the limits.
    """
    return _one_thread


def start_scope() -> None:
    """Keep a hold that begins from now on until `end_scope`.

    Setting the limits takes 7 microseconds, and a fit of 2 milliseconds holds BLAS 16 times.
    """
    _thread.scopes += 1


def end_scope() -> None:
    """End a scope, and the hold that was kept for it; a hold around the scope goes on."""
    _thread.scopes -= 1
    _release_if_unused()


def _release_if_unused() -> None:
    if _thread.holds and _thread.depth == 0:
        _thread.holds = False
        _release()


def _hold() -> None:
    with _process.lock:
        if _process.n_threads == 0:
            _process.libraries = libraries = _find_libraries("scipy.linalg" in sys.modules)
            controllers = libraries.per_process + libraries.per_thread
            _process.limits = [one.get_num_threads() for one in controllers]
            _set_limits(libraries, [1] * len(libraries.per_process))
        _process.n_threads += 1
        for controller in _process.libraries.per_thread:
            controller.set_num_threads(1)


def _release() -> None:
    with _process.lock:
        _process.n_threads -= 1
        libraries, limits = _process.libraries, _process.limits
        if _process.n_threads == 0:
            _set_limits(libraries, limits)
        for controller, limit in zip(
            libraries.per_thread, limits[len(libraries.per_process) :], strict=True
        ):
            controller.set_num_threads(limit)


def _set_limits(libraries: _Libraries, limits: list[int]) -> None:
    """Set the limits of the libraries that have one for the process.

    In threadpoolctl 3.8 the first thread that sets a limit of OpenBLAS controls it, and calls of
    other threads have no effect. Clearing the controlling thread before and after lets every thread
    that holds BLAS set it, one after the other, under our lock.
    https://github.com/joblib/threadpoolctl#openblas-with-pthreadswindows-and-the-controlling-thread
    """
    if libraries.clear is not None:
        libraries.clear(force=True)
    for controller, limit in zip(libraries.per_process, limits, strict=False):
        controller.set_num_threads(limit)
    if libraries.clear is not None:
        libraries.clear(force=True)


@cache
def _find_libraries(scipy: bool) -> _Libraries:  # searched once without SciPy, and once with it
    """NumPy's BLAS, and SciPy's once that is loaded."""
    from threadpoolctl import ThreadpoolController

    return _libraries_of(ThreadpoolController().select(user_api="blas").lib_controllers)


def _libraries_of(controllers: list[Any]) -> _Libraries:
    found = _Libraries([], [], None)
    for one in controllers:
        is_openmp = getattr(one, "threading_layer", "") == "openmp"
        (found.per_thread if is_openmp else found.per_process).append(one)
        clear = getattr(one, "clear_controlling_thread", None)  # of the class, for all of its kind
        found = found._replace(clear=clear or found.clear)
    return found


def _reset_after_fork() -> None:
    """A forked process has one thread: the others that held BLAS, or the lock, are not in it."""
    _process.lock = threading.Lock()
    _process.n_threads = int(_thread.holds)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
