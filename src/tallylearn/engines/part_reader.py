"""Relays: two parts are read at a time, and whoever reads a block works on it.

To read rows often takes longer than to sum them up, and one part is read from its beginning to its
end. So whoever is free reads on where nobody does, in the first part that has more, and hands the
part over while it works on what it read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextvars import copy_context
from queue import SimpleQueue
from threading import Condition
from typing import Generic, TypeVar

from tallylearn.engines.ordered_sum import OrderedSum
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.sources.protocols import Part

Item = TypeVar("Item", bound=Sized)
Result = TypeVar("Result")
AT_ONCE = 2  # parts: more would hold more rows in memory


class Opened(Generic[Item, Result]):
    """A part that is read block by block, on one thread at a time, and the sum of its blocks."""

    def __init__(self, place: int, part: Part[Item]) -> None:
        self.place, self.part = place, part
        self.taken = False  # by somebody who reads
        self.ended = False
        self.read = 0  # blocks
        self.sum = OrderedSum[Result]()
        self._context = copy_context()  # all of it is read in one
        self._blocks: Iterator[Item] | None = None

    def next(self) -> Item | None:
        """The next block, None behind the last."""
        return self._context.run(self._next)

    def _next(self) -> Item | None:
        if self._blocks is None:
            self._blocks = iter(self.part.blocks())
        return next(self._blocks, None)


class Relay(Generic[Item, Result]):
    """The sum of a call for all blocks of many parts, by any number of threads in ``work``.

    Blocks are added within their part, and then parts. Of several errors the first block's is
    raised: where one is met, parts before it are read on, and no others.
    """

    def __init__(self, call: Callable[[Item], Result], parts: Iterable[Part[Item]]) -> None:
        self._call, self._parts = call, iter(parts)
        self._begun = 0  # parts
        self._open: list[Opened[Item, Result]] = []
        self._sum = OrderedSum[Result]()
        self._errors: dict[tuple[int, int], BaseException] = {}  # by part and block
        self._change = Condition()
        self._told: SimpleQueue[int | None] = SimpleQueue()

    def told(self, number: int) -> Iterator[int]:
        """The rows of every block that is done, until so many threads have ended."""
        while number:
            if (rows := self._told.get()) is None:
                number -= 1
            else:
                yield rows

    def total(self) -> Result | None:
        """The sum of all; None where there is no block."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return self._sum.total()

    def work(self, _: int = 0) -> None:
        """Read and work until no block is left."""
        try:
            while (part := self._free()) is not None:
                if (block := self._read(part)) is not None:
                    self._worked(part, *block)
                self._settle(part)
        finally:
            self._told.put(None)

    def _free(self) -> Opened[Item, Result] | None:
        """A part that nobody reads, taken; None where all are read."""
        with self._change:
            while True:
                check_halted()
                part = next((part for part in self._open if not part.taken), None)
                part = part or self._begin()
                if part is not None or not self._open:
                    break
                self._change.wait()
            if part is not None:
                part.taken = True
            return part

    def _begin(self) -> Opened[Item, Result] | None:
        """The next part, where there is room for one."""
        if self._errors or len(self._open) >= AT_ONCE:
            return None
        try:
            part = next(self._parts, None)
        except BaseException as error:
            self._errors[self._begun, 0] = error
            return None
        if part is None:
            return None
        self._open.append(Opened(self._begun, part))
        self._begun += 1
        return self._open[-1]

    def _read(self, part: Opened[Item, Result]) -> tuple[int, Item] | None:
        """The number and the rows of the next block; others may read on from there."""
        block, number = None, part.read
        try:
            block = part.next()
        except BaseException as error:
            self._fail(part, number, error)
        with self._change:
            part.taken, part.ended = False, block is None
            part.read += not part.ended
            if part.ended and part in self._open:
                self._open.remove(part)
            self._change.notify_all()
        return None if block is None else (number, block)

    def _worked(self, part: Opened[Item, Result], number: int, block: Item) -> None:
        try:
            part.sum.put(number, copy_context().run(self._call, block))
        except BaseException as error:
            self._fail(part, number, error)
        self._told.put(len(block))

    def _fail(self, part: Opened[Item, Result], number: int, error: BaseException) -> None:
        """Read no part from this one on: what comes later is not raised."""
        with self._change:
            self._errors[part.place, number] = error
            self._open = [other for other in self._open if other.place < part.place]
            self._change.notify_all()

    def _settle(self, part: Opened[Item, Result]) -> None:
        """Add a part of which all blocks are added, once."""
        with self._change:
            done = part.ended and part.sum.added == part.read
            if done:
                part.read = -1
        if done:
            self._sum.put(part.place, part.sum.total())
