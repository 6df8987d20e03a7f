"""BLAS on one thread: a sum that is cut elsewhere is rounded elsewhere.

A library for matrices shares a product out among as many threads as there are processors, and where
it cuts depends on their number. Held to one thread it gives the same bits on any number of them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple


class _Library(NamedTuple):
    """How to ask a library for the number of its threads, and how to change it."""

    number: Callable[[], int]
    change: Callable[[int], object]
    openmp: bool  # which keeps a number for every thread that asks


class _Hold(threading.local):
    """How often this thread holds BLAS."""

    depth = 0


class _Holders:
    """How many threads of the process hold BLAS, and what they found: the last one restores it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0
        self.libraries: list[_Library] = []
        self.before: list[int] = []


_mine, _all = _Hold(), _Holders()


class _Held:
    """Within it BLAS has one thread; a class, for it is entered several times in every fit."""

    def __enter__(self) -> None:
        if _mine.depth == 0:
            _take()
        _mine.depth += 1

    def __exit__(self, *error: object) -> None:
        _mine.depth -= 1
        if _mine.depth == 0:
            _let_go()


_held = _Held()


def one_thread() -> _Held:
    """Hold BLAS to one thread, until the last of all who hold it lets go."""
    return _held


def _take() -> None:
    with _all.lock:
        if _all.number == 0:
            _all.libraries = _libraries()
            _all.before = [library.number() for library in _all.libraries]
        _all.number += 1
        for library in _all.libraries:  # by every thread: OpenMP keeps a number for each
            library.change(1)


def _let_go() -> None:
    with _all.lock:
        _all.number -= 1
        for library, before in zip(_all.libraries, _all.before, strict=True):
            if _all.number == 0 or library.openmp:
                library.change(before)


def _libraries() -> list[_Library]:
    """The libraries behind NumPy, and behind SciPy once it is loaded."""
    return _loaded("scipy.linalg" in sys.modules)


@cache
def _loaded(scipy: bool) -> list[_Library]:  # looked for once without SciPy, and once with it
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").lib_controllers
    return [_library(controller) for controller in found]


def _library(controller: Any) -> _Library:
    """OpenBLAS is asked itself: threadpoolctl looks its functions up by name in every call."""
    openmp = getattr(controller, "threading_layer", "") == "openmp"
    symbol = getattr(controller, "_get_symbol", lambda name: None)
    change = None if openmp else symbol("openblas_set_num_threads")
    number = None if openmp else symbol("openblas_get_num_threads")
    if number is None or change is None:
        return _Library(controller.get_num_threads, partial(_change, controller), openmp)
    return _Library(number, change, openmp)


def _change(controller: Any, number: int) -> None:
    """Change the number of threads, from whichever thread this is.

    threadpoolctl 3.8 obeys only the thread that was the first to ask, and does not say so; what it
    calls for that one takes any.
    """
    if (real := getattr(controller, "_real_set_num_threads", None)) is not None:
        real(number)
        return
    free = getattr(controller, "clear_controlling_thread", None)
    if free is not None:
        free(force=True)
    controller.set_num_threads(number)
    if free is not None:
        free(force=True)


def _forked() -> None:
    """A forked process has one thread: the others that held BLAS, or the lock, are not in it."""
    _all.lock = threading.Lock()
    _all.number = min(_mine.depth, 1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
