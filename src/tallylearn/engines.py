"""Engines: where the sum over the blocks is taken; the tree of additions is the same on each."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from tallylearn.errors import OptionError, asked, told

MOST = 1 << 16  # threads: no machine has more processors
Item = TypeVar("Item", bound=Sized)  # a block, or what holds one
Thing = TypeVar("Thing")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Threads:
    """Blocks on threads of this process; the kernels leave the interpreter free meanwhile."""

    number: int
    watch: Callable[[int], None] | None = None  # told how many rows each block had

    def map(self, call: Callable[[Item], Result], blocks: Iterable[Item]) -> Iterator[Result]:
        """The results in order, with only a few blocks in memory at a time."""
        blocks = iter(blocks)
        first, second = next(blocks, None), next(blocks, None)
        if first is None:
            return
        if second is None or self.number == 1:
            for block in chain((first,), () if second is None else (second,), blocks):
                yield self._told(call(block), block)
            return
        yield from self._pooled(call, first, second, blocks)

    def _pooled(
        self, call: Callable[[Item], Result], first: Item, second: Item, rest: Iterator[Item]
    ) -> Iterator[Result]:
        with ThreadPoolExecutor(self.number) as pool:
            waiting: deque[tuple[Future[Result], Item]] = deque()
            try:
                for block in (first, second):
                    waiting.append((pool.submit(call, block), block))
                for block in rest:
                    waiting.append((pool.submit(call, block), block))
                    if len(waiting) > self.number:
                        done, of = waiting.popleft()
                        yield self._told(done.result(), of)
                while waiting:
                    done, of = waiting.popleft()
                    yield self._told(done.result(), of)
            finally:
                for future, _ in waiting:
                    future.cancel()

    def _told(self, result: Result, block: Sized) -> Result:
        if self.watch is not None:
            asked("watch", self.watch, len(block))
        return result


_current: ContextVar[Threads | None] = ContextVar("engine", default=None)


@contextmanager
def engine(
    threads: int | None = None, watch: Callable[[int], None] | None = None
) -> Iterator[Threads]:
    """Choose where sums are taken: ``with tl.engine(threads=1): model.fit(...)``.

    ``threads`` is the number of processors that this process may use unless said, and one where the
    process is itself one of many workers; the result is the same for any. ``watch`` is called with
    the number of rows of each block that is done.
    """
    number = processors() if threads is None else threads
    if not isinstance(number, int) or not 1 <= number <= MOST:
        raise OptionError(
            f"engine: threads is a whole number from 1 to {MOST:,}, not {told(threads)}."
        )
    if watch is not None and not callable(watch):
        raise OptionError(f"engine: watch is called with numbers of rows, not {told(watch)}.")
    token = _current.set(Threads(number, watch))
    try:
        yield Threads(number, watch)
    finally:
        _current.reset(token)


def here() -> Threads:
    """The engine in force."""
    return _current.get() or Threads(processors())


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


def each(call: Callable[[Thing], Result], items: Iterable[Thing]) -> list[Result]:
    """The results for a few large items, in order, on the threads of the engine in force."""
    items, number = list(items), here().number
    if number == 1 or len(items) < 2:
        return [call(item) for item in items]
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(call, items))


class Sum:
    """A sum of tallies as they come, added as a fixed binary tree: large ones are added rarely.

    >>> found = Sum()
    >>> for number in (1, 2, 3):
    ...     found.add(number)
    >>> found.total()
    6
    """

    def __init__(self) -> None:
        self._stack: list[tuple[int, Any]] = []  # the size of a subtree, and its sum

    def add(self, tally: Any) -> None:
        """One summand more."""
        size = 1
        while self._stack and self._stack[-1][0] == size:
            before, left = self._stack.pop()
            tally, size = left + tally, before + size
        self._stack.append((size, tally))

    def total(self) -> Any:
        """The sum so far; None where nothing was added."""
        result = None
        for _, left in reversed(self._stack):
            result = left if result is None else left + result
        return result


def total(call: Callable[[Item], Any], blocks: Iterable[Item]) -> Any:
    """The sum of the tallies of all blocks, added as a fixed binary tree; None for no block."""
    found = Sum()
    for tally in here().map(call, blocks):
        found.add(tally)
    return found.total()
