"""Run tasks on a thread pool: results in order, the first task's error, Control-C at once.

`map_threads` is `concurrent.futures.ThreadPoolExecutor.map` with three differences:

- Of several errors the first item's is raised, whatever the number of threads. An error stops the
  tasks of later items, and lets those of earlier items finish.
- Control-C stops all tasks. Only the main thread receives it, so tasks obey a `StopFlag`: loops
  that may run longer than a second call `check_halted`. A task may run tasks of its own, whose
  flags have its flag as their parent.
- Every task runs in a copy of the caller's context: the engine in force there is in force here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextvars import Context, ContextVar, copy_context
from threading import Event
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


class StopFlag:
    """Tells tasks to stop, and the tasks that these started: a flag has a parent."""

    def __init__(self, parent: StopFlag | None = None) -> None:
        self._event, self._parent = Event(), parent

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set() or (self._parent is not None and self._parent.is_set())


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
    with ThreadPoolExecutor(min(n_threads, len(items))) as pool:
        try:
            for future in as_completed(tasks.submit(pool)):
                if not future.cancelled() and future.exception() is None and done is not None:
                    done(1)
        except BaseException:  # Control-C here, or an error of `done`
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
        for flag in self._flags[place + 1 :]:
            flag.set()
        for future in self._futures[place + 1 :]:
            future.cancel()

    def results(self) -> list[Result]:
        """The results of all tasks in order, or the error of the first item that has one."""
        for future in self._futures:
            try:
                future.result()
            except CancelledError:
                continue  # by the error of another one
        return [future.result() for future in self._futures]
