"""A worker reads forged files one after another; it may die, and whoever started it sees that.

    python -m tests.hostile.worker KIND FIRST STOP JOURNAL

The journal gets a line before every file (its seed) and one for whatever is not an error of ours.
"""

from __future__ import annotations

import faulthandler
import resource
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import tallylearn as tl
from tallylearn.errors import TallyError
from tests.hostile.forging import forged

MEMORY = 6 << 30  # bytes of addresses: the budget of 4 GiB, and what Arrow sets aside; where
# an allocation of its own fails, a thread of Arrow may wait for itself when the process ends
SECONDS = 30


def outcome(path: Path) -> str:
    """Read the file, learn from it, predict it: how that ends."""
    try:
        source = tl.table(path, target="y")
        rows = sum(len(block) for block in source.blocks())
        tl.NaiveBayes().fit(source).predict(path)
    except TallyError:
        return "refused"
    return f"read {rows > 0}"


def main(kind: str, first: int, stop: int, journal: Path) -> None:
    """Every seed in turn."""
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, journal.open("a", buffering=1) as notes:
        for seed in range(first, stop):
            notes.write(f"{seed}\n")
            ending, data = forged(kind, seed)
            path = Path(folder) / f"forged{ending}"
            path.write_bytes(data)
            signal.alarm(SECONDS)
            try:
                found = outcome(path)
            except Exception as error:
                found = "foreign"
                notes.write(f"! {seed} {type(error).__name__}: {str(error)[:200]!r}\n")
            signal.alarm(0)
            path.unlink()
            counts[found] = counts.get(found, 0) + 1
        notes.write(f"= {counts}\n")


if __name__ == "__main__":
    given: list[Any] = sys.argv[1:]
    main(given[0], int(given[1]), int(given[2]), Path(given[3]))
