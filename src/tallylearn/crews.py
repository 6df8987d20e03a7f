"""Crews: threads that take items in order, until there are none or somebody says to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Result = TypeVar("Result")
NOBODY = Event()  # that is never set
_halt: ContextVar[Event] = ContextVar("halt", default=NOBODY)  # of the crew that one works for


def check_halted() -> None:
    """Whoever interrupted the crew that this thread works for interrupts it, too."""
    if _halt.get().is_set():
        raise KeyboardInterrupt


class Crew(Generic[Thing, Result]):
    """A call for every item, on some threads; an item may have a crew of its own.

    Nothing is handed to a pool: an interruption in the middle of that may leave its locks behind.
    """

    def __init__(self, call: Callable[[Thing], Result], items: Sequence[Thing]) -> None:
        self._call, self._items = call, items
        self._outer, self._stop = _halt.get(), Event()
        self._next, self._lock = iter(range(len(items))), Lock()
        self._told: SimpleQueue[int] = SimpleQueue()
        self._found: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}
        self._threads: list[Thread] = []

    def start(self, number: int) -> None:
        """As many threads, each with what is in force here."""
        for _ in range(number):
            context = copy_context()
            context.run(_halt.set, self._stop)
            self._threads.append(Thread(target=context.run, args=(self._work,), daemon=True))
            self._threads[-1].start()

    def failed(self) -> bool:
        """Wait for an item; whether it ended in an error."""
        return self._told.get() in self._errors

    def end(self) -> None:
        """Begin no more items, and wait for those that have begun."""
        self._stop.set()
        for thread in self._threads:
            if thread.ident is not None:  # else somebody interrupted before it started
                thread.join()

    def results(self) -> list[Result]:
        """Of all items, in order; of several errors the first item's, for any number of threads."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._found[place] for place in range(len(self._items))]

    def _work(self) -> None:
        while not self._stop.is_set():
            with self._lock:
                place = next(self._next, None)
            if place is None:
                return
            try:
                if self._outer.is_set():
                    raise KeyboardInterrupt
                self._found[place] = self._call(self._items[place])
            except BaseException as error:
                self._errors[place] = error
            self._told.put(place)
