"""Times side by side: the best of several runs, each peer in turn, in one process."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable


def best(call: Callable[[], object], repeat: int = 5, least: float = 0.0) -> float:
    """The shortest of several runs, in seconds; at least ``least`` seconds are spent on it."""
    times: list[float] = []
    gc.collect()
    while len(times) < repeat or sum(times) < least:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def versus(
    title: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    bar: float,
    repeat: int = 5,
) -> float:
    """Print both times, their ratio and the bar; runs alternate so that load hits both."""
    least = 0.2
    for warm in (ours, theirs):
        warm()
    mine = best(ours, repeat, least)
    other = best(theirs, repeat, least)
    mine = min(mine, best(ours, repeat, least))
    ratio = other / mine
    mark = "met" if ratio >= bar else "MISSED"
    print(f"{title:<58} {_short(mine):>9} {_short(other):>9} {ratio:7.1f}x   bar {bar:g}x {mark}")
    return ratio


def heading(title: str) -> None:
    """What is compared, and on what machine."""
    print(f"\n{title}  ({os.cpu_count()} cores, Python {platform.python_version()})")
    print(f"{'workload':<58} {'ours':>9} {'peer':>9} {'ratio':>8}")


def _short(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
