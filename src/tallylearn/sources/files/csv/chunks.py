"""Reading ahead: a text is cut at line ends, and its pieces are parsed on threads, in order.

A line end may stand between quotes, which only who has parsed all before it knows. So every piece
is parsed as if it began a row; where the one before turns out to end within a row, that row's bytes
and the piece are parsed again together. Few files have quotes that reach over lines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tallylearn.runtime.worker_pool import WorkerPool
from tallylearn.sources.arrow.batches import compact
from tallylearn.sources.files.csv.decoding import long_cell_error
from tallylearn.sources.files.csv.parsed_chunk import CellLayout, Chunk, Run
from tallylearn.sources.files.csv.rewriting import MAX_ROW_BYTES
from tallylearn.tables import BLOCK

RUNS_AHEAD_PER_THREAD = 4  # runs for each thread: none waits while blocks are made of what is read
Item = TypeVar("Item")
Result = TypeVar("Result")


def line_aligned_runs(path: Path, pieces: Iterable[bytes]) -> Iterator[Run]:
    """The bytes of a text, cut at line ends."""
    held: Run = []
    for piece in pieces:
        last = len(piece) - piece.endswith(b"\r")  # a line feed may follow, and ends no other line
        cut = max(piece.rfind(b"\n"), piece.rfind(b"\r", 0, last)) + 1
        if cut:
            yield [*held, memoryview(piece)[:cut]]
            held = []
        held.append(piece[cut:])
        if sum(map(len, held)) > MAX_ROW_BYTES:
            raise long_cell_error(path)
    if any(held):
        yield held


class ParsedAhead:
    """Runs of rows, parsed before they are asked for.

    Where some cell in a column of numbers or dates is none, the layout changes: the column is one
    of strings in that run and in all that follow.
    """

    def __init__(self, layout: CellLayout, threads: int) -> None:
        self._layout, self._threads = layout, threads

    def chunks(self, runs: Iterable[Run]) -> Iterator[tuple[Run, Chunk]]:
        """Every run and what it holds; only the last may have a rest that no row ends."""
        rest = b""
        for run, chunk in run_ahead(self._parse, runs, self._threads):
            if rest:
                run = [rest, *run]
            if rest or chunk.layout is not self._layout:
                chunk = self._parse(run)
            if chunk.odd:
                self._layout = self._layout.with_strings(chunk.odd)
                chunk = self._parse(run)
            rest = chunk.rest
            yield run, chunk

    def _parse(self, run: Run) -> Chunk:
        return self._layout.parse(run)


class ChunkRest(NamedTuple):
    """The rows of a run that were not handed out."""

    run: Run
    passed: int  # rows before them
    batch: Any


class BufferedRows:
    """Rows that were read, handed out in tables of 65 536."""

    def __init__(self, layout: CellLayout) -> None:
        self._layout = layout
        self._pieces: list[ChunkRest] = []
        self._waiting = 0  # rows that were not handed out
        self.rows = 0  # that were read

    def tables(self, run: Run, chunk: Chunk) -> Iterator[Any]:
        """The tables that a further chunk fills."""
        if chunk.layout is not self._layout:  # a column has one type in a table
            self._layout = chunk.layout
            self._pieces = [self._reparse(piece) for piece in self._pieces]
        self._pieces.append(ChunkRest(run, 0, chunk.batch))
        self._waiting += len(chunk.batch)
        self.rows += len(chunk.batch)
        while self._waiting >= BLOCK:
            yield self._table()
            self._waiting -= BLOCK
            at = len(chunk.batch) - self._waiting
            self._pieces = [ChunkRest(run, at, chunk.batch.slice(at))]

    def last(self) -> Iterator[Any]:
        """What is left, fewer rows than a block has."""
        if self._waiting:
            yield self._table()

    def _reparse(self, piece: ChunkRest) -> ChunkRest:
        batch = self._layout.parse(piece.run).batch
        return piece._replace(batch=batch.slice(piece.passed))

    def _table(self) -> Any:
        import pyarrow as pa

        table = pa.Table.from_batches([piece.batch for piece in self._pieces])
        return compact(table.slice(0, BLOCK))


def run_ahead(
    call: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Result]]:
    """Every item with its result, in order; a few are worked on before they are asked for."""
    items = iter(items)
    first = list(islice(items, 2))
    if threads == 1 or len(first) < 2:
        yield from ((item, call(item)) for item in chain(first, items))
        return
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    with WorkerPool(threads, name="reading") as pool:  # its end cancels what was not yet begun
        for item in chain(first, items):
            waiting.append((item, pool.submit(call, item)))
            if len(waiting) > RUNS_AHEAD_PER_THREAD * threads:
                done, future = waiting.popleft()
                yield done, pool.result(future)
        for done, future in waiting:
            yield done, pool.result(future)
