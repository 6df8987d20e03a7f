"""Crews: threads that take items in order, until there are none or somebody says to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context, ContextVar, copy_context
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")


class StopFlag:
    """Tells threads to stop, and so the threads that these started: a flag has a parent."""

    def __init__(self, parent: StopFlag | None = None) -> None:
        self._event, self._parent = Event(), parent

    def set(self) -> None:
        self._event.set()

    def is_set(self) -> bool:
        return self._event.is_set() or (self._parent is not None and self._parent.is_set())


_flag: ContextVar[StopFlag | None] = ContextVar("stop flag", default=None)  # of this thread's work


def current_flag() -> StopFlag | None:
    """The flag that the work of this thread obeys; None in a thread that works for itself."""
    return _flag.get()


def with_flag(flag: StopFlag) -> Context:
    """A copy of this context, in which work obeys the flag."""
    context = copy_context()
    context.run(_flag.set, flag)
    return context


def check_halted() -> None:
    """Raise KeyboardInterrupt if the work that this thread belongs to was told to stop.

    Only the main thread receives Control-C. Loops that may run longer than a second in another
    thread call this between two steps.
    """
    flag = _flag.get()
    if flag is not None and flag.is_set():
        raise KeyboardInterrupt


class Crew(Generic[Thing, Result]):
    """A call for every item, on some threads; an item may have a crew of its own.

    Of several errors the first item's is raised, whatever the number of threads: so an error stops
    the items after it, and lets those before it finish. Control-C stops all of them. Nothing is
    handed to a pool: an interruption in the middle of that may leave its locks behind.
    """

    def __init__(self, call: Callable[[Thing], Result], items: Sequence[Thing]) -> None:
        self._call, self._items = call, items
        self._stop, self._ended = StopFlag(current_flag()), Event()
        self._next, self._lock = iter(range(len(items))), Lock()
        self._told: SimpleQueue[int] = SimpleQueue()
        self._flags: dict[int, StopFlag] = {}  # of the items that have begun
        self._found: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}
        self._threads: list[Thread] = []

    def start(self, number: int) -> None:
        """As many threads, each with what is in force here."""
        for _ in range(number):
            context = copy_context()
            self._threads.append(Thread(target=context.run, args=(self._work,), daemon=True))
            self._threads[-1].start()

    def failed(self) -> bool:
        """Wait for an item; whether it ended in an error."""
        return self._told.get() in self._errors

    def interrupt(self) -> None:
        """Tell all items that have begun to stop: nobody wants their results."""
        self._stop.set()

    def end(self) -> None:
        """Begin no more items, and wait for those that have begun."""
        self._ended.set()
        for thread in self._threads:
            if thread.ident is not None:  # else somebody interrupted before it started
                thread.join()

    def results(self) -> list[Result]:
        """Of all items, in order; of several errors the first item's, for any number of threads."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._found[place] for place in range(len(self._items))]

    def _work(self) -> None:
        while not self._ended.is_set():
            with self._lock:
                place = next(self._next, None)
            if place is None:
                return
            self._flags[place] = flag = StopFlag(self._stop)
            _flag.set(flag)
            try:
                check_halted()
                self._found[place] = self._call(self._items[place])
            except BaseException as error:
                self._fail(place, error)
            del self._flags[place]
            self._told.put(place)

    def _fail(self, place: int, error: BaseException) -> None:
        self._errors[place] = error
        if isinstance(error, KeyboardInterrupt) and not self._flags[place].is_set():
            self.interrupt()  # it was not told to stop: somebody wants all of this to end
        for other, flag in [*self._flags.items()]:
            if other > place:
                flag.set()
