"""Identifiers: what it costs to judge them, and to put rows aside for cautions, beside a fit.

And the most memory that judging a file of 50 columns of a million different strings takes.

Usage: bench_identifiers.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from bench_describe import lettered

import tallylearn as tl
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.fit_warnings import sample_table
from tallylearn.screening.identifiers import identifiers

N, TIMES, WIDE = 1_000_000, 5, 50
MEMORY = """
import resource, sys, tallylearn as tl
from tallylearn.screening.identifiers import identifiers
found = identifiers(tl.table(sys.argv[1]))
print(len(found), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


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
        rows = read_fit_input(read, None, None, "", "classifier")
        aside = processors(lambda rows=rows: sample_table(rows))  # type: ignore[misc]
        print(f"{what}: judging {judging:.4f}, sampling rows {aside:.4f}")
        fits = {
            "naive Bayes, of a table": lambda read=read: tl.NaiveBayes().fit(read),
            "naive Bayes, of a frame": lambda table=table: tl.NaiveBayes().fit(table, "y"),
            "tree of depth 8": lambda read=read: tl.DecisionTreeClassifier(max_depth=8).fit(read),
        }
        for name, fit in fits.items():
            seconds = processors(fit)  # type: ignore[arg-type]
            both = 100 * (judging + aside) / seconds
            print(f"  {name}: {seconds:.3f}, of which both are {both:.1f} %")
    with tempfile.TemporaryDirectory() as folder:
        memory(Path(folder) / "keys.parquet")


def memory(path: Path) -> None:
    """The most that a process of its own takes to judge a file of different strings."""
    lettered(path, N, WIDE)
    call = [sys.executable, "-c", MEMORY, str(path)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    found, peak = done.stdout.split()
    size = path.stat().st_size / 1e6
    print(f"{WIDE} columns of {N:,} different strings in a file of {size:.0f} MB:")
    print(f"  {found} are identifiers, peak {float(peak):.0f} MB")


if __name__ == "__main__":
    main()
