"""Sum up the blocks of many parts, of which two are read at a time.

Reading rows often takes longer than summing them up, and one part is read from its beginning to its
end by one thread at a time. So every worker alternates: it reads the next block of the first part
that no other worker reads, releases the part, and works on its block.
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
MAX_OPEN_PARTS = 2  # read at the same time: more would hold more rows in memory


class OpenPart(Generic[Item, Result]):
    """A part that is read block by block, by one worker at a time, and the sum of its blocks."""

    def __init__(self, place: int, part: Part[Item]) -> None:
        self.place, self.part = place, part
        self.taken = False  # by a worker that reads
        self.ended = False
        self.n_read = 0  # blocks
        self.sum = OrderedSum[Result]()
        self._context = copy_context()  # of the reader, whichever worker calls it
        self._blocks: Iterator[Item] | None = None

    def next(self) -> Item | None:
        """The next block; None after the last."""
        return self._context.run(self._next)

    def _next(self) -> Item | None:
        if self._blocks is None:
            self._blocks = iter(self.part.blocks())
        return next(self._blocks, None)


class PartReader(Generic[Item, Result]):
    """The sum of a call over all blocks of many parts, by any number of workers in `work`.

    Blocks are summed within their part, and then parts. Of several errors the first block's is
    raised: after an error, earlier parts are read to their end, and later ones are not.
    """

    def __init__(self, call: Callable[[Item], Result], parts: Iterable[Part[Item]]) -> None:
        self._call, self._parts = call, iter(parts)
        self._n_opened = 0  # parts
        self._open: list[OpenPart[Item, Result]] = []
        self._sum = OrderedSum[Result]()
        self._errors: dict[tuple[int, int], BaseException] = {}  # by part and block
        self._change = Condition()
        self._rows: SimpleQueue[int | None] = SimpleQueue()  # of each block; None: a worker ended

    def rows_done(self, n_workers: int) -> Iterator[int]:
        """The number of rows of every block that is done, until all workers have ended."""
        while n_workers:
            if (rows := self._rows.get()) is None:
                n_workers -= 1
            else:
                yield rows

    def total(self) -> Result | None:
        """The sum of all parts; None if there is no block."""
        if self._errors:
            raise self._errors[min(self._errors)]
        return self._sum.total()

    def work(self) -> None:
        """Read and sum up blocks until none is left: what every worker runs."""
        try:
            while (part := self._take_part()) is not None:
                if (block := self._read_block(part)) is not None:
                    self._sum_block(part, *block)
                self._finish(part)
        finally:
            self._rows.put(None)

    def _take_part(self) -> OpenPart[Item, Result] | None:
        """Take the first part that no worker reads; None after the last."""
        with self._change:
            while True:
                check_halted()
                part = next((part for part in self._open if not part.taken), None)
                part = part or self._open_next()
                if part is not None or not self._open:
                    break
                self._change.wait()
            if part is not None:
                part.taken = True
            return part

    def _open_next(self) -> OpenPart[Item, Result] | None:
        """Open the next part, if fewer than `MAX_OPEN_PARTS` are open."""
        if self._errors or len(self._open) >= MAX_OPEN_PARTS:
            return None
        try:
            part = next(self._parts, None)
        except BaseException as error:
            self._errors[self._n_opened, 0] = error
            return None
        if part is None:
            return None
        self._open.append(OpenPart(self._n_opened, part))
        self._n_opened += 1
        return self._open[-1]

    def _read_block(self, part: OpenPart[Item, Result]) -> tuple[int, Item] | None:
        """The number and the rows of the next block; then release the part."""
        block, number = None, part.n_read
        try:
            block = part.next()
        except BaseException as error:
            self._fail(part, number, error)
        with self._change:
            part.taken, part.ended = False, block is None
            part.n_read += not part.ended
            if part.ended and part in self._open:
                self._open.remove(part)
            self._change.notify_all()
        return None if block is None else (number, block)

    def _sum_block(self, part: OpenPart[Item, Result], number: int, block: Item) -> None:
        try:
            part.sum.put(number, copy_context().run(self._call, block))
        except BaseException as error:
            self._fail(part, number, error)
        self._rows.put(len(block))

    def _fail(self, part: OpenPart[Item, Result], number: int, error: BaseException) -> None:
        """Keep an error, and close this part and all later ones: their errors are not raised."""
        with self._change:
            self._errors[part.place, number] = error
            self._open = [other for other in self._open if other.place < part.place]
            self._change.notify_all()

    def _finish(self, part: OpenPart[Item, Result]) -> None:
        """Add the sum of a part, once, after its last block."""
        with self._change:
            done = part.ended and part.sum.added == part.n_read
            if done:
                part.n_read = -1
        if done:
            self._sum.put(part.place, part.sum.total())
