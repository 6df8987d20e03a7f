"""Files: CSV read beside polars, and to a tree beside LightGBM; tables larger than memory.

`python bench_files.py` runs all parts; `read`, `check`, `tree` and `memory` run one. Times are the
best of several runs that alternate with the peer's, once as the clock has them and once as the
processors.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from timing import heading

RUN = """
import json, resource, sys, time
import tallylearn as tl
from tallylearn import modelfile
start = time.perf_counter()
model = tl.NaiveBayes().fit(sys.argv[1], "y")
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, peak, modelfile.digests(model)[1]]))
"""
READ = """
import json, sys
import tallylearn as tl
rows = sum(len(block) for block in tl.table(sys.argv[1]).blocks())
lines = open("/proc/self/status").read().splitlines()  # getrusage counts what the parent had, too
print(json.dumps([rows, next(int(line.split()[1]) / 1024 for line in lines if "VmHWM" in line)]))
"""
MEMORY = """
import json, sys
import pyarrow.parquet as pq, tallylearn as tl
from tallylearn import modelfile
model = tl.NaiveBayes().fit(pq.read_table(sys.argv[1]), "y")
print(json.dumps(modelfile.digests(model)[1]))
"""


def written(folder: Path, megabytes: int) -> tuple[Path, Path, int]:
    """Mixed rows, as CSV and as Parquet."""
    csv, parquet = folder / "rows.csv", folder / "rows.parquet"
    rng = np.random.default_rng(0)
    chunk, rows = 250_000, 0
    with open(csv, "wb") as sink:
        writers = None
        while sink.tell() < megabytes * 1_000_000:
            columns = {f"n{j}": rng.normal(size=chunk).round(6) for j in range(8)}
            for j in range(6):
                columns[f"c{j}"] = rng.choice([f"value {v}" for v in range(20)], chunk)
            columns["y"] = rng.choice(["no", "yes"], chunk)
            table = pa.table(columns)
            if writers is None:
                writers = (
                    pa.csv.CSVWriter(sink, table.schema),
                    pa.parquet.ParquetWriter(parquet, table.schema),
                )
            for writer in writers:
                writer.write_table(table)
            rows += chunk
        for writer in writers or ():
            writer.close()
    return csv, parquet, rows


def run(code: str, path: Path) -> object:
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def clean(path: Path, rows: int) -> Path:
    """Six numbers, two categories, a date and a target that depends on some of them."""
    rng, days = np.random.default_rng(0), np.datetime64("2011-01-26") + np.arange(3650)
    with open(path, "wb") as sink:
        writer = None
        for start in range(0, rows, 250_000):
            n = min(250_000, rows - start)
            columns: dict[str, Any] = {f"n{j}": rng.normal(size=n).round(6) for j in range(4)}
            columns |= {"i0": rng.integers(0, 100_000, n), "i1": rng.integers(0, 100, n)}
            for j in range(2):
                columns[f"c{j}"] = rng.choice([f"value {v}" for v in range(20)], n)
            columns["day"] = rng.choice(days, n)
            noise = columns["n0"] + columns["n1"] * columns["n2"] + rng.normal(size=n)
            columns["y"] = np.where(noise + (columns["i1"] > 50) > 0.5, "yes", "no")
            table = pa.table(columns)
            writer = writer or pa.csv.CSVWriter(sink, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
    return path


def raced(
    title: str, ours: Callable[[], Any], theirs: Callable[[], Any], bar: float, times: int
) -> None:
    """The best of several runs, which alternate, of both clocks; a bar of 0 is none."""
    best = np.full((2, 2), np.inf)
    for _ in range(times):
        for who, call in enumerate((ours, theirs)):
            start = time.perf_counter(), time.process_time()
            call()
            took = time.perf_counter() - start[0], time.process_time() - start[1]
            best[who] = np.minimum(best[who], took)
    for name, (mine, other) in zip(("clock", "processors"), best.T, strict=True):
        mark = "met" if other >= bar * mine else "MISSED"
        head, told = f"{title}, {name}", f"   bar {bar:.2f}x {mark}" if bar else ""
        print(f"{head:<58} {mine:7.2f} s {other:7.2f} s {other / mine:7.2f}x{told}")


def reading(folder: Path) -> None:
    """All columns, in our blocks as a fit sees them, beside all columns in polars' memory."""
    import polars as pl

    import tallylearn as tl

    heading("csv of 6 numbers, 2 categories, a date, a word: to blocks, beside polars.read_csv")
    peaks = []
    for rows, bar, times in ((100_000, 0, 7), (1_000_000, 1 / 1.3, 7), (10_000_000, 1 / 1.3, 3)):
        path = clean(folder / "clean.csv", rows)
        raced(
            f"{rows:,} rows x 10",
            lambda path=path: sum(len(block) for block in tl.table(path).blocks()),
            lambda path=path: pl.read_csv(path, try_parse_dates=True),
            bar,
            times,
        )
        peaks.append(run(READ, path)[1])  # type: ignore[index]
    told = ", ".join(f"{peak:.0f} MB" for peak in peaks)
    print(f"peak of memory with 1e5, 1e6 and 1e7 rows: {told}")


def checking(folder: Path) -> None:
    """How a table is read, told of every column, beside reading it."""
    import tallylearn as tl

    path = clean(folder / "clean.csv", 1_000_000)
    heading("tl.check of a csv of 1,000,000 rows x 10, beside reading its blocks")
    raced(
        "check",
        lambda: tl.check(path),
        lambda: sum(len(block) for block in tl.table(path).blocks()),
        0.5,
        5,
    )


def tree(folder: Path) -> None:
    """A tree of depth 8 beside LightGBM's, which sees 255 bins of every column."""
    import lightgbm
    import polars as pl

    import tallylearn as tl

    path, words = clean(folder / "clean.csv", 1_000_000), ["c0", "c1", "y"]

    def theirs() -> Any:
        read = pl.read_csv(path, try_parse_dates=True).with_columns(
            pl.col(words).cast(pl.Categorical).to_physical(), pl.col("day").to_physical()
        )
        X, y = read.drop("y").cast(pl.Float64).to_numpy(), read["y"].to_numpy()
        told = {"objective": "binary", "max_depth": 8, "num_leaves": 256, "verbosity": -1}
        data = lightgbm.Dataset(X, y, categorical_feature=[6, 7], params={"verbosity": -1})
        return lightgbm.train(told, data, 1)

    heading("csv of 1,000,000 rows x 10 to a tree of depth 8, beside polars + LightGBM")
    for bins, bar in ((255, 1), (None, 0)):  # histograms are no exact thresholds: without a bar
        ours = tl.DecisionTreeClassifier(max_depth=8, bins=bins)
        name = f"bins={bins}" if bins else "exact thresholds"
        raced(name, lambda ours=ours: ours.fit(path, "y"), theirs, bar, 5)


def memory(folder: Path, megabytes: int = 2000) -> None:
    csv, parquet, rows = written(folder, megabytes)
    heading(f"naive Bayes from files: {rows:,} rows, 8 numbers, 6 categories")
    bits = run(MEMORY, parquet)
    for path in (csv, parquet):
        took, peak, digest = run(RUN, path)  # type: ignore[misc]
        same = "the same bits as in memory" if digest == bits else "OTHER BITS"
        size = path.stat().st_size / 1e9
        line = f"{path.suffix[1:]:<8} {size:5.2f} GB  {took:6.1f} s"
        print(f"{line}  peak {peak:4.0f} MB (bar 500)  {same}")


PARTS: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "read": (reading, ("polars",)),
    "check": (checking, ()),
    "tree": (tree, ("polars", "lightgbm")),
    "memory": (memory, ()),
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        call, peers = PARTS[part]
        if absent := [peer for peer in peers if importlib.util.find_spec(peer) is None]:
            print(f"\n{part}: {', '.join(absent)} is not installed")
            continue
        with tempfile.TemporaryDirectory() as name:
            call(Path(name))
