"""Files larger than memory: 2 GB of CSV, and the same rows as Parquet; memory, and bits."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

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


if __name__ == "__main__":
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as name:
        csv, parquet, rows = written(Path(name), megabytes)
        heading(f"naive Bayes from files: {rows:,} rows, 8 numbers, 6 categories")
        bits = run(MEMORY, parquet)
        for path in (csv, parquet):
            took, peak, digest = run(RUN, path)  # type: ignore[misc]
            same = "the same bits as in memory" if digest == bits else "OTHER BITS"
            size = path.stat().st_size / 1e9
            line = f"{path.suffix[1:]:<8} {size:5.2f} GB  {took:6.1f} s"
            print(f"{line}  peak {peak:4.0f} MB (bar 500)  {same}")
