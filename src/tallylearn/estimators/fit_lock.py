"""A lock for every estimator: threads that fit the same one do so one after the other.

To add rows is to read a tally, add to it and store the sum. Two threads at once would each store
their own sum, and the rows of one would be lost.
"""

from __future__ import annotations

import os
import threading
from typing import Any

from tallylearn.errors import ErrorContext
from tallylearn.runtime.blas_threads import end_scope, start_scope


class FitLock:
    """The lock of one estimator; a copy or a pickle of it is a new lock."""

    __slots__ = ("lock", "process")

    def __init__(self) -> None:
        self.lock, self.process = threading.RLock(), os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        return FitLock, ()

    def __enter__(self) -> None:
        if self.process != os.getpid():  # a forked process lacks the thread that held the lock
            self.__init__()  # type: ignore[misc]
        self.lock.acquire()

    def __exit__(self, *error: object) -> None:
        self.lock.release()


def fit_lock(estimator: Any) -> FitLock:
    """The lock of an estimator: within it no other thread changes the estimator."""
    attributes = vars(estimator)
    lock: FitLock | None = attributes.get("_fit_lock")
    return attributes.setdefault("_fit_lock", FitLock()) if lock is None else lock


class FitContext(ErrorContext):
    """The lock of an estimator, with errors that begin with ``Class.method: ``.

    BLAS has one thread from the first product in it to its end, in place of one hold a product.
    """

    def __init__(self, estimator: Any, method: str) -> None:
        super().__init__(f"{type(estimator).__name__}.{method}")
        self.lock = fit_lock(estimator)

    def __enter__(self) -> None:
        self.lock.__enter__()
        start_scope()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        end_scope()
        self.lock.__exit__()
        super().__exit__(kind, error, trace)
