"""A worker: forges the files of some seeds, and says which of them broke what.

    python -m tests.forging FIRST LAST

Every file has seconds and memory of its own; what is printed is one line of JSON for every fault,
and one at the end. The seed of the file that is being looked at stands in the file SEED, so that
whoever started the worker knows what killed it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from types import FrameType
from typing import Any

from tests.forging.bases import made
from tests.forging.calls import exercised
from tests.forging.edits import forged, opened
from tests.tables import mixed_table

SECONDS = 10
MEMORY = 3 << 30  # bytes, all in all


def swallowed(told: Any) -> None:
    """A kernel cannot raise where it has no room for an exception: that is a fault too."""
    fault = {"seed": "see SEED", "error": repr(told.exc_value), "where": [repr(told.object)]}
    print(json.dumps(fault), flush=True)


class Endless(BaseException):
    """A file that took too long."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise Endless


def run(first: int, last: int, folder: Path) -> tuple[int, int]:
    """Forge, load and ask; (files, those that loaded)."""
    bases = [(name, data, opened(data)) for name, data in made(mixed_table(), folder)]
    path, loaded = folder / "forged.tally", 0
    told = os.open(folder / "SEED", os.O_CREAT | os.O_WRONLY)
    for seed in range(first, last):
        rng = random.Random(seed)
        name, data, file = bases[rng.randrange(len(bases))]
        os.pwrite(told, f"{seed:20d}".encode(), 0)
        try:
            path.write_bytes(forged(file, data, rng))
        except (ValueError, TypeError, OverflowError, KeyError):  # a page that JSON cannot hold
            continue
        signal.alarm(SECONDS)
        try:
            loaded += exercised(path, rng)
        except (Exception, Endless) as error:
            lines = traceback.format_exc().splitlines()
            where = [line.strip() for line in lines if "tallylearn" in line][-3:]
            fault = {"seed": seed, "base": name, "error": repr(error)[:300], "where": where}
            print(json.dumps(fault), flush=True)
        finally:
            signal.alarm(0)
    return last - first, loaded


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _stop)
    sys.unraisablehook = swallowed
    first, last = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as found:
        folder = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(found)
        files, loaded = run(first, last, folder)
    print(json.dumps({"files": files, "loaded": loaded}))


if __name__ == "__main__":
    main()
