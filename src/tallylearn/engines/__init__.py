"""Engines: where calls over a table run. The sums are the same on each, to the last bit.

A source has parts (a file, a partition, a frame), and a part has blocks of rows. `Engine.map` and
`Engine.total` call a function for every block, `Engine.total_parts` for every part, and
`Engine.each` for items that are no rows, such as the trees of a forest. A total is two fixed binary
trees of additions (`ordered_sum`): blocks within their part, and then parts.

`ThreadEngine` runs calls on threads of this process. An engine that sends them elsewhere needs
calls and parts that pickle; its workers read their parts themselves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice
from numbers import Integral
from operator import itemgetter
from typing import Generic, Protocol, TypeVar

from tallylearn.engines.ordered_sum import pairwise_sum
from tallylearn.engines.part_reader import PartReader
from tallylearn.errors import OptionError, call_user_function, short_repr
from tallylearn.runtime import worker_pool
from tallylearn.runtime.cpu_count import available_cpus, limit_threads
from tallylearn.runtime.worker_pool import StopFlag, WorkerPool, current_flag, with_flag
from tallylearn.sources.protocols import Part, Parts

MAX_THREADS = 1 << 16  # no machine has more processors
Item = TypeVar("Item", bound=Sized)  # a block, or what holds one
Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs calls over the blocks and parts of a source, and over items, here or elsewhere."""

    @property
    def n_threads(self) -> int:
        """How many threads may work in this process."""
        ...

    def report_rows(self, n_rows: int) -> None:
        """Report to ``watch`` that so many rows are done."""
        ...

    def map(self, call: Callable[[Item], Result], source: Parts[Item]) -> Iterator[Result]:
        """The results for all blocks, in order, with only a few blocks in memory at a time."""
        ...

    def total(self, call: Callable[[Item], Result], source: Parts[Item]) -> Result | None:
        """The sum of the results, blocks within their part, then parts; None if there is none."""
        ...

    def total_parts(
        self, call: Callable[[Part[Item]], Result], source: Parts[Item]
    ) -> Result | None:
        """The sum of the results for whole parts; the call reads the part it is given."""
        ...

    def each(
        self,
        call: Callable[[Thing], Result],
        items: Iterable[Thing],
        done: Callable[[int], None] | None = None,
    ) -> list[Result]:
        """The results for a few large items, in order; ``done(1)`` follows each.

        The call returns its result and changes nothing else, so that it can run elsewhere. Of
        several errors the first item's is raised. For calls that write into arrays of this process,
        use `map_threads`.
        """
        ...


@dataclass(frozen=True)
class ThreadEngine:
    """Calls on threads of this process; the kernels release the interpreter lock meanwhile."""

    n_threads: int
    watch: Callable[[int], None] | None = None  # called with the number of rows of every block

    def map(self, call: Callable[[Item], Result], source: Parts[Item]) -> Iterator[Result]:
        return (result for _, result in self._results(call, source.parts()))

    def total(self, call: Callable[[Item], Result], source: Parts[Item]) -> Result | None:
        parts = iter(source.parts())
        first = list(islice(parts, 2))
        if len(first) > 1 and self.n_threads > 1:
            return self._total_of_parts_read_together(call, chain(first, parts))
        by_part = groupby(self._results(call, chain(first, parts)), itemgetter(0))
        return pairwise_sum(pairwise_sum(tally for _, tally in done) for _, done in by_part)

    def total_parts(
        self, call: Callable[[Part[Item]], Result], source: Parts[Item]
    ) -> Result | None:
        parts = SinglePart(map(CountedPart, source.parts()))
        return pairwise_sum(result for _, result in self._results(call, [parts], 1))

    def each(
        self,
        call: Callable[[Thing], Result],
        items: Iterable[Thing],
        done: Callable[[int], None] | None = None,
    ) -> list[Result]:
        return worker_pool.map_threads(call, list(items), self.n_threads, done)

    def report_rows(self, n_rows: int) -> None:
        if self.watch is not None:
            call_user_function("watch", self.watch, n_rows)

    def _results(
        self,
        call: Callable[[Item], Result],
        parts: Iterable[Part[Item]],
        threads_per_call: int | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """The results in order, each with the number of its part.

        A call may use ``threads_per_call`` threads itself if others run at the same time.
        """
        blocks = ((at, b) for at, part in enumerate(parts) for b in part.blocks())
        first = list(islice(blocks, 2))
        inner = self if self.watch is None else replace(self, watch=None)  # rows are reported once
        if len(first) < 2 or self.n_threads == 1:
            for at, block in chain(first, blocks):
                token = _current.set(inner)
                try:
                    result = call(block)
                finally:
                    _current.reset(token)
                self.report_rows(len(block))
                yield at, result
            return
        inner = replace(inner, n_threads=threads_per_call or self.n_threads)
        yield from self._pool_results(call, chain(first, blocks), inner)

    def _pool_results(
        self, call: Callable[[Item], Result], blocks: Iterator[tuple[int, Item]], inner: Engine
    ) -> Iterator[tuple[int, Result]]:
        """The results in order, by a thread pool with a queue of few blocks."""
        stop = StopFlag(current_flag())
        with use_engine(inner):
            context = with_flag(stop)
        with WorkerPool(self.n_threads, stop) as pool:
            waiting: deque[tuple[int, Future[Result], Item]] = deque()

            def next_result() -> tuple[int, Result]:
                at, future, block = waiting.popleft()
                result = pool.result(future)
                self.report_rows(len(block))  # of a CountedPart they are known now
                return at, result

            try:
                for at, block in blocks:
                    waiting.append((at, pool.submit(context.copy().run, call, block), block))
                    if len(waiting) > self.n_threads:
                        yield next_result()
                while waiting:
                    yield next_result()
            finally:
                stop.set()  # if an error or Control-C ends this, running calls end soon

    def _total_of_parts_read_together(
        self, call: Callable[[Item], Result], parts: Iterable[Part[Item]]
    ) -> Result | None:
        """The sum of blocks in many parts, of which two are read at a time."""
        reader, stop = PartReader[Item, Result](call, parts), StopFlag(current_flag())
        with use_engine(replace(self, watch=None)):  # rows are reported once
            context = with_flag(stop)
        with WorkerPool(self.n_threads, stop) as pool:
            try:
                for _ in range(self.n_threads):
                    pool.submit(context.copy().run, reader.work)
                for n_rows in reader.rows_done(self.n_threads):
                    self.report_rows(n_rows)
            except BaseException:
                stop.set()
                raise
        return reader.total()


@dataclass(frozen=True)
class SinglePart(Generic[Item]):
    """Items in memory, or that come one by one, as a source of one part."""

    items: Iterable[Item]

    def parts(self) -> Iterator[Part[Item]]:
        yield self

    def blocks(self) -> Iterator[Item]:
        return iter(self.items)


class CountedPart(Generic[Item]):
    """A part that counts its rows as they are read; its length is their number so far."""

    def __init__(self, part: Part[Item]) -> None:
        self.part, self._n_rows = part, 0

    def __len__(self) -> int:
        return self._n_rows

    def blocks(self) -> Iterator[Item]:
        for block in self.part.blocks():
            self._n_rows += len(block)
            yield block


_current: ContextVar[Engine | None] = ContextVar("engine", default=None)
_stage: ContextVar[str] = ContextVar("stage", default="")


@contextmanager
def engine(
    threads: int | None = None, watch: Callable[[int], None] | None = None
) -> Iterator[ThreadEngine]:
    """Set the number of threads, or follow the progress, of all work in a ``with`` block.

    Parameters
    ----------
    threads : int, optional
        The number of threads. The default is the number of processors that this process may use,
        and 1 in a worker of joblib, multiprocessing or Dask. Results do not depend on it.
    watch : callable, optional
        A function that is called with the number of rows of each finished block. In it,
        ``tallylearn.engines.stage()`` names the current pass, such as "round 3 of 10".

    Yields
    ------
    ThreadEngine
        The engine in force in the block.

    Examples
    --------
    >>> import tallylearn as tl
    >>> counted = []
    >>> with tl.engine(threads=1, watch=counted.append):
    ...     model = tl.NaiveBayes().fit(tl.example("tennis"))
    >>> counted
    [14]
    """
    number = available_cpus() if threads is None else threads
    whole = isinstance(number, Integral) and not isinstance(number, bool)
    if not whole or not 1 <= number <= MAX_THREADS:
        raise OptionError(
            f"engine: threads is a whole number from 1 to {MAX_THREADS:,}, not "
            f"{short_repr(threads)}."
        )
    if watch is not None and not callable(watch):
        raise OptionError(f"engine: watch is called with numbers of rows, not {short_repr(watch)}.")
    chosen = ThreadEngine(int(number), watch)
    with use_engine(chosen):
        yield chosen


@contextmanager
def use_engine(chosen: Engine) -> Iterator[None]:
    """Put an engine in force, here and in all threads that it works on."""
    token = _current.set(chosen)
    try:
        with limit_threads(chosen.n_threads):
            yield
    finally:
        _current.reset(token)


def current_engine() -> Engine:
    """The engine in force."""
    return _current.get() or ThreadEngine(available_cpus())


def map_threads(
    call: Callable[[Thing], Result],
    items: Iterable[Thing],
    done: Callable[[int], None] | None = None,
) -> list[Result]:
    """``[call(item) for item in items]`` on as many threads as the engine in force allows here.

    For calls that write into shared arrays, and for small ones: on every engine they run in this
    process. `Engine.each` is for those that may run elsewhere.
    """
    return worker_pool.map_threads(call, list(items), current_engine().n_threads, done)


@contextmanager
def report_stage(stage: str) -> Iterator[None]:
    """Name what the rows are read for meanwhile, such as "round 3 of 10", for ``watch``."""
    token = _stage.set(stage)
    try:
        yield
    finally:
        _stage.reset(token)


def stage() -> str:
    """What the rows are read for, if that has a name."""
    return _stage.get()
