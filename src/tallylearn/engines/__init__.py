"""Engines: where the sum over the parts is taken; the trees of additions are the same on each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from numbers import Integral
from operator import itemgetter
from typing import Generic, Protocol, TypeVar

from tallylearn.engines.ordered_sum import summed
from tallylearn.engines.part_reader import Relay
from tallylearn.errors import OptionError, asked, told
from tallylearn.runtime.cpu_count import allowing, processors
from tallylearn.runtime.worker_pool import Crew, StopFlag, check_halted, current_flag, with_flag
from tallylearn.sources.protocols import Part, Parts

MOST = 1 << 16  # threads: no machine has more processors
Item = TypeVar("Item", bound=Sized)  # a block, or what holds one
Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Engine(Protocol):
    """Whoever calls a function for every block of a source, here or elsewhere."""

    @property
    def number(self) -> int:
        """How many threads may work in this process."""
        ...

    def told(self, rows: int) -> None:
        """Rows are done: who watches is told."""
        ...

    def map(self, call: Callable[[Item], Result], source: Parts[Item]) -> Iterator[Result]:
        """The results for all blocks, in order, with only a few blocks in memory at a time."""
        ...

    def total(self, call: Callable[[Item], Result], source: Parts[Item]) -> Result | None:
        """The sum of the results: blocks within their part, then parts; None for no block."""
        ...

    def gathered(self, call: Callable[[Part[Item]], Result], source: Parts[Item]) -> Result | None:
        """The sum of the results for whole parts, which read themselves where the call is made."""
        ...


@dataclass(frozen=True)
class Threads:
    """Blocks on threads of this process; the kernels leave the interpreter free meanwhile."""

    number: int
    watch: Callable[[int], None] | None = None  # told how many rows each block had

    def map(self, call: Callable[[Item], Result], source: Parts[Item]) -> Iterator[Result]:
        return (result for _, result in self._done(call, source.parts()))

    def total(self, call: Callable[[Item], Result], source: Parts[Item]) -> Result | None:
        parts = iter(source.parts())
        first = list(islice(parts, 2))
        if len(first) > 1 and self.number > 1:
            return self._relayed(call, chain(first, parts))
        by_part = groupby(self._done(call, chain(first, parts)), itemgetter(0))
        return summed(summed(tally for _, tally in done) for _, done in by_part)

    def gathered(self, call: Callable[[Part[Item]], Result], source: Parts[Item]) -> Result | None:
        parts = Given(map(Reading, source.parts()))
        return summed(result for _, result in self._done(call, [parts], 1))

    def told(self, rows: int) -> None:
        if self.watch is not None:
            asked("watch", self.watch, rows)

    def _done(
        self, call: Callable[[Item], Result], parts: Iterable[Part[Item]], within: int | None = None
    ) -> Iterator[tuple[int, Result]]:
        """The results in order, each with the number of its part.

        ``within`` says how many threads a call may use itself, where others are made beside it.
        """
        blocks = ((at, b) for at, part in enumerate(parts) for b in part.blocks())
        first = list(islice(blocks, 2))
        work = self if self.watch is None else replace(self, watch=None)  # rows are told of once
        if len(first) < 2 or self.number == 1:
            for at, block in chain(first, blocks):
                token = _current.set(work)
                try:
                    result = call(block)
                finally:
                    _current.reset(token)
                self.told(len(block))
                yield at, result
            return
        work = replace(work, number=within or self.number)
        yield from self._pooled(call, chain(first, blocks), work)

    def _pooled(
        self, call: Callable[[Item], Result], blocks: Iterator[tuple[int, Item]], work: Engine
    ) -> Iterator[tuple[int, Result]]:
        stop = StopFlag(current_flag())
        with using(work):
            context = with_flag(stop)
        with ThreadPoolExecutor(self.number) as pool:
            waiting: deque[tuple[int, Future[Result], Item]] = deque()
            try:
                for at, block in blocks:
                    waiting.append((at, pool.submit(context.copy().run, call, block), block))
                    if len(waiting) > self.number:
                        yield self._finished(waiting)
                while waiting:
                    yield self._finished(waiting)
            finally:
                stop.set()  # where an error or Control-C ends this, calls under way end soon
                for _, future, _ in waiting:
                    future.cancel()

    def _relayed(
        self, call: Callable[[Item], Result], parts: Iterable[Part[Item]]
    ) -> Result | None:
        """The sum of blocks in many parts, of which two are read at a time."""
        relay = Relay[Item, Result](call, parts)
        crew = Crew(relay.work, range(self.number))
        try:
            with using(replace(self, watch=None)):  # rows are told of once
                crew.start(self.number)
            for rows in relay.told(self.number):
                self.told(rows)
        except BaseException:
            crew.interrupt()
            raise
        finally:
            crew.end()
        crew.results()
        return relay.total()

    def _finished(self, waiting: deque[tuple[int, Future[Result], Item]]) -> tuple[int, Result]:
        at, future, block = waiting.popleft()
        result = future.result()
        self.told(len(block))  # of a part they are known now
        return at, result


@dataclass(frozen=True)
class Given(Generic[Item]):
    """Items that are at hand, or come one by one, as a source of one part."""

    items: Iterable[Item]

    def parts(self) -> Iterator[Part[Item]]:
        yield self

    def blocks(self) -> Iterator[Item]:
        return iter(self.items)


class Reading(Generic[Item]):
    """A part that is as long as what was read of it."""

    def __init__(self, part: Part[Item]) -> None:
        self.part, self._rows = part, 0

    def __len__(self) -> int:
        return self._rows

    def blocks(self) -> Iterator[Item]:
        for block in self.part.blocks():
            self._rows += len(block)
            yield block


_current: ContextVar[Engine | None] = ContextVar("engine", default=None)
_stage: ContextVar[str] = ContextVar("stage", default="")


@contextmanager
def engine(
    threads: int | None = None, watch: Callable[[int], None] | None = None
) -> Iterator[Threads]:
    """Choose where sums are taken: ``with tl.engine(threads=1): model.fit(...)``.

    ``threads`` is the number of processors that this process may use unless said, and one where the
    process is itself one of many workers; the result is the same for any. ``watch`` is called with
    the number of rows of each block that is done; a learner that reads them in rounds says in
    ``tallylearn.engines.stage()`` which one it is.
    """
    number = processors() if threads is None else threads
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or not 1 <= number <= MOST:
        raise OptionError(
            f"engine: threads is a whole number from 1 to {MOST:,}, not {told(threads)}."
        )
    if watch is not None and not callable(watch):
        raise OptionError(f"engine: watch is called with numbers of rows, not {told(watch)}.")
    chosen = Threads(int(number), watch)
    with using(chosen):
        yield chosen


@contextmanager
def using(chosen: Engine) -> Iterator[None]:
    """An engine in force, here and in all threads that it works on."""
    token = _current.set(chosen)
    try:
        with allowing(chosen.number):
            yield
    finally:
        _current.reset(token)


@contextmanager
def during(stage: str) -> Iterator[None]:
    """Name what the rows are read for meanwhile, such as "round 3 of 10": who watches may ask."""
    token = _stage.set(stage)
    try:
        yield
    finally:
        _stage.reset(token)


def stage() -> str:
    """What the rows are read for, where that has a name."""
    return _stage.get()


def here() -> Engine:
    """The engine in force."""
    return _current.get() or Threads(processors())


def each(
    call: Callable[[Thing], Result],
    items: Iterable[Thing],
    done: Callable[[int], None] | None = None,
) -> list[Result]:
    """The results for a few large items, in order, on the threads of the engine in force.

    ``done`` is told of each. Who interrupts waits only for what has begun, and of an item that has
    items of its own, as a forest among the members of a vote, for those that have begun.
    """
    items, number = list(items), here().number
    tell = done or (lambda count: None)
    if number == 1 or len(items) < 2:
        found = list[Result]()
        for item in items:
            check_halted()
            found.append(call(item))
            tell(1)
        return found
    crew = Crew(call, items)
    try:
        crew.start(min(number, len(items)))
        for _ in items:
            if crew.failed():
                break
            tell(1)
    except BaseException:
        crew.interrupt()
        raise
    finally:
        crew.end()
    return crew.results()
