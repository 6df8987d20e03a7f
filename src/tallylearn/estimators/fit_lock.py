"""A lock for every estimator: threads that fit the same one do so one after the other.

Learning reads what was learned, adds to it and puts it back: two threads at once would each put
back their own sum, and the rows of one would be lost. The locks are kept beside the estimators, not
in them, so that an estimator is pickled and cloned as ever.
"""

from __future__ import annotations

import os
import threading
from typing import Any
from weakref import WeakKeyDictionary

from tallylearn.errors import ErrorContext

_locks: WeakKeyDictionary[Any, threading.RLock] = WeakKeyDictionary()
_register = threading.Lock()


def fit_lock(estimator: Any) -> threading.RLock:
    """A lock: within it no other thread teaches this estimator."""
    with _register:
        return _locks.setdefault(estimator, threading.RLock())


class FitLock(ErrorContext):
    """A lock for one thread at a time; errors raised inside begin with the class name."""

    def __init__(self, estimator: Any) -> None:
        super().__init__(type(estimator).__name__)
        self.lock = fit_lock(estimator)

    def __enter__(self) -> None:
        self.lock.acquire()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.lock.release()
        super().__exit__(kind, error, trace)


def _forked() -> None:
    """A forked process has one thread: whoever held a lock is not in it."""
    global _register
    _register = threading.Lock()
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
