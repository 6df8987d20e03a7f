"""Run tasks on a thread pool: results in order, the first task's error, Control-C at once.

`map_threads` is `concurrent.futures.ThreadPoolExecutor.map` with three differences:

- Of several errors the first item's is raised, whatever the number of threads. An error stops the
  tasks of later items, and lets those of earlier items finish.
- Control-C stops all tasks. Only the main thread receives it, so tasks obey a `StopFlag`: loops
  that may run longer than a second call `check_halted`. A task may run tasks of its own, whose
  flags have its flag as their parent.
- Every task runs in a copy of the caller's context: the engine in force there is in force here.

The executor of the standard library is not safe under Control-C: a KeyboardInterrupt between the
acquisition of one of its locks and the body of the ``with`` statement leaves the lock held, and the
workers wait for it forever (https://github.com/python/cpython/issues/74174). So the main thread
calls an executor only inside `delay_interrupt`, and other modules use `WorkerPool`.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, Generic, Self, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


class StopFlag:
    """Tells tasks to stop, and the tasks that these started: a flag has a parent.

    It has no lock, so that a signal handler may set it.
    """

    def __init__(self, parent: StopFlag | None = None) -> None:
        self._stopped, self._parent = False, parent

    def set(self) -> None:
        self._stopped = True

    def is_set(self) -> bool:
        return self._stopped or (self._parent is not None and self._parent.is_set())


_flag: ContextVar[StopFlag | None] = ContextVar("stop flag", default=None)  # of this thread's task


def current_flag() -> StopFlag | None:
    """The flag that the task of this thread obeys; None in a thread that has no task."""
    return _flag.get()


def with_flag(flag: StopFlag) -> Context:
    """A copy of this context, in which work obeys the flag."""
    context = copy_context()
    context.run(_flag.set, flag)
    return context


def check_halted() -> None:
    """Raise KeyboardInterrupt if the task of this thread was told to stop.

    Only the main thread receives Control-C. Loops that may run longer than a second in another
    thread call this between two steps.
    """
    flag = _flag.get()
    if flag is not None and flag.is_set():
        raise KeyboardInterrupt


@contextmanager
def delay_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at Control-C, and raise KeyboardInterrupt only when the block has ended.

    A second Control-C does not wait. ``stop`` must not acquire a lock: this thread may hold it.
    """
    previous = signal.getsignal(signal.SIGINT) if current_thread() is main_thread() else None
    if not callable(previous):  # another thread, or Control-C is ignored: nothing can be raised
        yield
        return
    received: FrameType | None = None
    n_received = 0

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal received, n_received
        received, n_received = frame, n_received + 1
        stop()
        if n_received > 1:
            previous(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
        if n_received:
            previous(signal.SIGINT, received)


class WorkerPool:
    """A thread pool that Control-C cannot leave with a lock held; close it with ``with``.

    At Control-C the flag is set, and KeyboardInterrupt is raised when the current step is done:
    the tasks obey the flag.
    """

    def __init__(self, n_threads: int, stop: StopFlag | None = None, name: str = "") -> None:
        self._executor = ThreadPoolExecutor(n_threads, name)
        self._stop = StopFlag() if stop is None else stop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with delay_interrupt(self._stop.set):
            self._executor.shutdown(cancel_futures=True)

    def submit(self, call: Callable[..., Result], *args: Any) -> Future[Result]:
        """Run ``call(*args)`` on a thread of the pool."""
        with delay_interrupt(self._stop.set):
            return self._executor.submit(call, *args)

    def result(self, future: Future[Result]) -> Result:
        """Wait for the result of a call, or raise its error."""
        with delay_interrupt(self._stop.set):
            return future.result()


def map_threads(
    call: Callable[[Thing], Result],
    items: Sequence[Thing],
    n_threads: int,
    done: Callable[[int], None] | None = None,
) -> list[Result]:
    """``[call(item) for item in items]`` on a thread pool; ``done(1)`` follows every task.

    One thread, or one item, needs no pool: the caller's thread does the work.
    """
    if n_threads == 1 or len(items) < 2:
        results = list[Result]()
        for item in items:
            check_halted()
            results.append(call(item))
            if done is not None:
                done(1)
        return results
    tasks = _Tasks(call, items)
    with (
        delay_interrupt(tasks.set_flags),
        ThreadPoolExecutor(min(n_threads, len(items))) as pool,
    ):
        try:
            for future in as_completed(tasks.submit(pool)):
                if not future.cancelled() and future.exception() is None and done is not None:
                    done(1)
        except BaseException:  # of `done`, or a second Control-C
            tasks.stop_after(-1)
            raise
    return tasks.results()


class _Tasks(Generic[Thing, Result]):
    """A call for every item, each with a flag and a future."""

    def __init__(self, call: Callable[[Thing], Result], items: Sequence[Thing]) -> None:
        self._call, self._items = call, items
        parent = current_flag()
        self._flags = [StopFlag(parent) for _ in items]
        self._futures = list[Future[Result]]()

    def submit(self, pool: ThreadPoolExecutor) -> list[Future[Result]]:
        for place, flag in enumerate(self._flags):
            self._futures.append(pool.submit(with_flag(flag).run, self._run, place))
        return self._futures

    def _run(self, place: int) -> Result:
        try:
            check_halted()
            return self._call(self._items[place])
        except BaseException as error:
            interrupted = isinstance(error, KeyboardInterrupt) and not self._flags[place].is_set()
            self.stop_after(-1 if interrupted else place)
            raise

    def stop_after(self, place: int) -> None:
        """Stop the tasks of later items: those that run end soon, others do not begin."""
        self.set_flags(place + 1)
        for future in self._futures[place + 1 :]:
            future.cancel()

    def set_flags(self, first: int = 0) -> None:
        """Set the flags of the tasks from the first on."""
        for flag in self._flags[first:]:
            flag.set()

    def results(self) -> list[Result]:
        """The results of all tasks in order, or the error of the first item that has one."""
        for future in self._futures:
            try:
                future.result()
            except CancelledError:
                continue  # by the error of another one
        return [future.result() for future in self._futures]
