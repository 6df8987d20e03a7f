"""Describing: a Parquet file beside what polars and pandas say of it, and its memory.

`python bench_describe.py` takes 1e7 rows of ten numbers and a category, in a temporary folder;
`python bench_describe.py 1e6` takes fewer. Both peers read the file and give `describe` and the
correlations of Pearson. Ours gives these, from exact sums, and distinct values, histograms and the
correlations of Spearman too; the second table asks the peers for all of that. Times are the best of
runs that alternate, once as the clock has them and once as the processors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

MEMORY = """
import json, sys
import tallylearn as tl
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line)
before = peak()
found = tl.describe(sys.argv[1])
print(json.dumps([before, peak(), found.rows]))
"""
Times = dict[str, tuple[float, float]]


def written(path: Path, rows: int) -> None:
    """Seven columns of measurements, two of whole numbers, one that is skewed, one of words."""
    rng, writer = np.random.default_rng(0), None
    for start in range(0, rows, 1 << 20):
        n = min(1 << 20, rows - start)
        columns = {f"x{j}": rng.normal(size=n) for j in range(6)}
        columns["x6"] = columns["x0"] + rng.normal(size=n)
        columns["skewed"] = np.exp(rng.normal(size=n))
        columns["many"] = rng.integers(0, 100_000, n)
        columns["few"] = rng.integers(0, 100, n)
        words = pa.DictionaryArray.from_arrays(
            rng.integers(0, 20, n).astype(np.int32), [f"value {v}" for v in range(20)]
        )
        table = pa.table({**columns, "word": words.cast(pa.string())})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def identified(path: Path, rows: int, columns: int) -> None:
    """Columns of different values only."""
    rng = np.random.default_rng(0)
    pq.write_table(pa.table({f"id{j}": rng.permutation(rows) for j in range(columns)}), path)


def lettered(path: Path, rows: int, columns: int) -> None:
    """The same as strings, written in groups of rows as other programs do."""
    writer = None
    for start in range(0, rows, 100_000):
        texts = pa.array(range(start, min(start + 100_000, rows)), pa.int64()).cast(pa.string())
        table = pa.table(
            {f"key{j}": pc.binary_join_element_wise("key", texts, "-") for j in range(columns)}
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def ours(path: Path) -> Callable[[], object]:
    import tallylearn as tl

    return lambda: tl.describe(path)


def with_polars(path: Path, everything: bool) -> Callable[[], object]:
    import polars as pl

    def call() -> None:
        frame = pl.read_parquet(path)
        numbers = frame.select(pl.selectors.numeric())
        frame.describe()
        numbers.corr()
        if everything:
            frame.select(pl.all().n_unique())
            numbers.select(pl.all().rank()).corr()
            for name in frame.columns:
                frame[name].value_counts(sort=True).head(5)

    return call


def with_pandas(path: Path, everything: bool) -> Callable[[], object]:
    import pandas as pd

    def call() -> None:
        frame = pd.read_parquet(path)
        frame.describe()
        frame.corr(numeric_only=True)
        if everything:
            frame.nunique()
            frame.corr("spearman", numeric_only=True)
            for name in frame:
                frame[name].value_counts().head(5)

    return call


def timed(calls: dict[str, Callable[[], object]], repeat: int) -> Times:
    """The shortest of several runs of each, by the clock and by the processors."""
    best = dict.fromkeys(calls, (float("inf"), float("inf")))
    for _ in range(repeat):
        for name, call in calls.items():
            clock, worked = time.perf_counter(), time.process_time()
            call()
            run = time.perf_counter() - clock, time.process_time() - worked
            best[name] = min(best[name][0], run[0]), min(best[name][1], run[1])
    return best


def shown(title: str, times: Times) -> None:
    first = times["ours"]
    print(f"\n{title}\n{'':<10} {'clock':>9} {'ratio':>7} {'processors':>12} {'ratio':>7}")
    for name, (clock, worked) in times.items():
        print(f"{name:<10} {clock:>7.2f} s {clock / first[0]:>6.2f}x {worked:>10.2f} s "
              f"{worked / first[1]:>6.2f}x")  # fmt: skip


def memory(title: str, path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    before, peak, rows = json.loads(done.stdout)
    print(f"{title}: {rows:,} rows of {path.stat().st_size / 1e6:.0f} MB, peak {peak:.0f} MB, "
          f"{peak - before:.0f} MB of it to describe them")  # fmt: skip


def main() -> None:
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        written(path, rows)
        for everything, what in (
            (False, "describe and corr"),
            (True, "and all else that ours has"),
        ):
            calls = {
                "ours": ours(path), "polars": with_polars(path, everything),
                "pandas": with_pandas(path, everything),
            }  # fmt: skip
            title = f"{rows:,} rows × 11 columns of Parquet, {cores} cores: {what}"
            shown(title, timed(calls, 1 if everything else 3))
        print()
        memory("memory", path)
        unique = Path(folder) / "unique.parquet"
        identified(unique, min(rows, 1_000_000), 50)
        memory("50 columns of different values", unique)
        lettered(unique, min(rows, 1_000_000), 50)
        memory("50 columns of different strings", unique)


if __name__ == "__main__":
    main()
