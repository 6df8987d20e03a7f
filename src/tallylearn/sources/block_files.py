"""A block of rows as a file: its arrays lie there as in memory, and are mapped instead of read.

The files are Python's own (pickle, with its arrays behind it): they are read by who wrote them, and
by nobody else. Rows that are mapped are written over in memory alone.
"""

from __future__ import annotations

import os
import pickle
from mmap import ACCESS_COPY, mmap
from pathlib import Path
from struct import calcsize, pack, unpack_from

from tallylearn.tables import Block

ALIGNED = 64  # bytes: where an array begins
PARTS = "<q"  # their number, before the size of each


def write_block(block: Block, path: Path) -> None:
    """Write a block: sizes, then all but the arrays, then each of these."""
    arrays: list[pickle.PickleBuffer] = []
    head = pickle.dumps(block, protocol=5, buffer_callback=arrays.append)
    parts = [memoryview(head), *(array.raw() for array in arrays)]
    with open(path, "wb") as file:
        file.write(pack(PARTS, len(parts)))
        file.write(pack(f"<{len(parts)}q", *(part.nbytes for part in parts)))
        for part in parts:
            file.write(bytes(-file.tell() % ALIGNED))
            file.write(part)


def read_block(path: Path) -> Block:
    """The block of a file; a file that is cut short is a ValueError."""
    with open(path, "rb") as file:
        # where a mapped file cannot be removed (Windows) it is read, so that its folder goes
        whole = mmap(file.fileno(), 0, access=ACCESS_COPY) if os.name == "posix" else file.read()
    bits, parts = memoryview(whole), []
    for start, size in _places(bits):
        parts.append(bits[start : start + size])
    block: Block = pickle.loads(parts[0], buffers=parts[1:])
    return block


def _places(bits: memoryview) -> list[tuple[int, int]]:
    """Where each part begins, and its size."""
    if len(bits) < calcsize(PARTS):
        raise ValueError("a file of rows has no beginning")
    number = unpack_from(PARTS, bits)[0]
    end = calcsize(PARTS) * (1 + number)
    if not 0 < number <= len(bits) // calcsize(PARTS) - 1:
        raise ValueError("a file of rows has another beginning than was written")
    found = []
    for size in unpack_from(f"<{number}q", bits, calcsize(PARTS)):
        start = end + -end % ALIGNED
        end = start + size
        found.append((start, size))
    if end > len(bits):
        raise ValueError("a file of rows is cut short")
    return found
