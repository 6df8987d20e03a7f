"""Identifiers: what it costs to judge them, and to put rows aside for cautions, beside a fit.

Usage: bench_identifiers.py
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import tallylearn as tl
from tallylearn.doors.fit_cautions import put_aside
from tallylearn.doors.intake import lesson
from tallylearn.identifiers import identifiers

N, TIMES = 1_000_000, 5


def processors(call: Callable[[], object]) -> float:
    """Seconds of all processors, the best of several."""
    found = []
    for _ in range(TIMES):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """A million rows with an identifier of numbers and one of strings; then without."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {f"x{j}": rng.normal(size=N) for j in range(10)}
        | {f"i{j}": rng.integers(0, 1000, N) for j in range(8)}
        | {"c": rng.choice(list("abcdef"), N), "y": rng.choice(["u", "v"], N)}
    )
    named = frame.assign(no=rng.permutation(N), key=[f"k{at}" for at in range(N)])
    print(f"n = {N:,}, p = 19 (and 2 identifiers), {os.cpu_count()} cores, seconds of processors")
    for what, table in (("with identifiers", named), ("without", frame)):
        read = tl.table(table, target="y")
        judging = processors(lambda read=read: identifiers(read))  # type: ignore[misc]
        rows = lesson(read, None, None, "", "classifier")
        model = tl.NaiveBayes()
        aside = processors(lambda rows=rows, model=model: put_aside(model, rows))  # type: ignore[misc]
        print(f"{what}: judging {judging:.4f}, putting rows aside {aside:.4f}")
        fits = {
            "naive Bayes, of a table": lambda read=read: tl.NaiveBayes().fit(read),
            "naive Bayes, of a frame": lambda table=table: tl.NaiveBayes().fit(table, "y"),
            "tree of depth 8": lambda read=read: tl.DecisionTreeClassifier(max_depth=8).fit(read),
        }
        for name, fit in fits.items():
            seconds = processors(fit)  # type: ignore[arg-type]
            both = 100 * (judging + aside) / seconds
            print(f"  {name}: {seconds:.3f}, of which both are {both:.1f} %")


if __name__ == "__main__":
    main()
