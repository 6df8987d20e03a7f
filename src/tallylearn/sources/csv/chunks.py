"""Reading ahead: a text is cut at line ends, and its pieces are parsed on threads, in order.

A line end may stand between quotes, which only who has parsed all before it knows. So every piece
is parsed as if it began a row; where the one before turns out to end within a row, that row's bytes
and the piece are parsed again together. Few files have quotes that reach over lines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

from tallylearn.sources.csv.decoding import LONGEST, too_long
from tallylearn.sources.csv.parsed_chunk import Chunk, Run

Item = TypeVar("Item")
Result = TypeVar("Result")


def runs(path: Path, take: Callable[[int], bytes], first: bytes, size: int) -> Iterator[Run]:
    """The bytes that are taken, behind the first ones, cut at line ends."""
    held = [first]
    while piece := take(size):
        cut = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
        if cut:
            yield [*held, memoryview(piece)[:cut]]
            held = []
        held.append(piece[cut:])
        if sum(map(len, held)) > LONGEST:
            raise too_long(path)
    if any(held):
        yield [*held]


def parsed(runs: Iterable[Run], parse: Callable[[Run], Chunk], threads: int) -> Iterator[Chunk]:
    """The chunks of a text; only the last may have a rest that no row ends."""
    rest = b""
    for run, chunk in ahead(parse, runs, threads):
        if rest:
            chunk = parse([rest, *run])
        rest = chunk.rest
        yield chunk


def ahead(
    call: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> Iterator[tuple[Item, Result]]:
    """Every item with its result, in order; a few are worked on before they are asked for."""
    items = iter(items)
    first = list(islice(items, 2))
    if threads == 1 or len(first) < 2:
        yield from ((item, call(item)) for item in chain(first, items))
        return
    waiting: deque[tuple[Item, Future[Result]]] = deque()
    with ThreadPoolExecutor(threads, "reading") as pool:
        try:
            for item in chain(first, items):
                waiting.append((item, pool.submit(call, item)))
                if len(waiting) > threads:
                    done, future = waiting.popleft()
                    yield done, future.result()
            for done, future in waiting:
                yield done, future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
