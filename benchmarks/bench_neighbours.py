"""Neighbours and scalers beside scikit-learn and scipy, in one process.

python benchmarks/bench_neighbours.py        2e5 rows, 1e4 queries, 3, 10 and 50 columns
python benchmarks/bench_neighbours.py files  examples that stay in a Parquet file: time and memory
python benchmarks/bench_neighbours.py rule   the tree beside the sieve, by columns: where to change
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from sklearn import neighbors, preprocessing
from timing import heading, versus

import tallylearn as tl
from tallylearn.models.neighbours.neighbour_search import Tree
from tallylearn.models.neighbours.sieve import Sieve

RNG = np.random.default_rng(0)


def table(d: int, n: int = 200_000, queries: int = 10_000) -> tuple[Any, Any, Any]:
    """Normal rows, their classes, and rows to ask about."""
    X = RNG.normal(size=(n, d))
    return X, (X[:, 0] > 0).astype(int), RNG.normal(size=(queries, d))


def predictions() -> None:
    heading("Neighbours: 2e5 rows, 1e4 queries, k = 5, predict")
    for d, bar in ((3, 1), (10, 2), (50, 2)):
        X, y, Q = table(d)
        ours = tl.KNeighborsClassifier().fit(X, y)
        theirs = neighbors.KNeighborsClassifier(n_jobs=-1).fit(X, y)
        versus(f"{d} columns, beside scikit-learn", partial(ours.predict, Q),
               partial(theirs.predict, Q), bar, 1)  # fmt: skip
        for name, peer, share in peers(X, y, Q):
            versus(f"{d} columns, beside {name}", partial(ours.predict, Q), peer, share, 1)
        if d == 3:
            search = partial(cKDTree(X).query, Q, 5, workers=2)
            versus("3 columns, beside scipy's search alone", partial(ours.predict, Q), search, 0.67)


def peers(X: Any, y: Any, Q: Any) -> Iterator[tuple[str, Any, float]]:
    """What else finds neighbours, where it is installed, and how far ahead of it we should be."""
    d = X.shape[1]
    if there("sklearnex"):
        from sklearnex.neighbors import KNeighborsClassifier

        yield "intelex", partial(KNeighborsClassifier(n_jobs=-1).fit(X, y).predict, Q), 0.67
    if d == 10 and there("pykdtree"):
        from pykdtree.kdtree import KDTree

        yield "pykdtree's search alone", partial(KDTree(X).query, Q, 5), 0.67
    if d == 50 and there("faiss"):
        import faiss

        index, singles = faiss.IndexFlatL2(d), Q.astype(np.float32)
        index.add(X.astype(np.float32))
        yield "faiss, flat, singles", partial(index.search, singles, 5), 1.0


def there(name: str) -> bool:
    found = find_spec(name) is not None
    if not found:
        print(f"({name} is not installed, and left out)")
    return found


def scalers() -> None:
    heading("Scalers: 1e6 x 20")
    X = RNG.normal(size=(1_000_000, 20))
    for name in ("StandardScaler", "MinMaxScaler"):
        mine, theirs = getattr(tl, name)(), getattr(preprocessing, name)()
        for call in ("fit", "fit_transform"):
            pair = (partial(getattr(one, call), X) for one in (mine, theirs))
            versus(f"{name}.{call}", *pair, 1, 3)


def rule() -> None:
    heading("The sieve beside the tree, 2000 queries")
    for n in (5_000, 200_000):
        for d in (2, 4, 6, 7, 8, 9, 10):
            X, _, Q = table(d, n, 2_000)
            sieve, tree = Sieve.of(X), Tree(X, "euclidean", 2.0, 30)
            pair = (partial(one.nearest, Q, 5) for one in (sieve, tree))
            versus(f"{n:,} rows, {d} columns", *pair, 1, 2)


CHILD = """
import resource, sys, time
import numpy as np, tallylearn as tl
path, how = sys.argv[1:]
begun = time.perf_counter()
model = tl.KNeighborsClassifier(examples=how).fit(path, "y")
fitted = time.perf_counter()
asked = np.random.default_rng(1).normal(size=(1000, 20))
model.predict({f"x{j}": asked[:, j] for j in range(20)})
done, peak = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"fit {fitted - begun:.1f} s, 1000 rows asked {done - fitted:.1f} s, at most {peak:.0f} MB")
"""


def files() -> None:
    heading("Examples in a Parquet file of 20 columns, and the same in memory")
    with tempfile.TemporaryDirectory() as folder:
        for n in (1_000_000, 4_000_000):
            path = f"{folder}/{n}.parquet"
            _write(path, n)
            for how in ("files", "auto"):
                child = [sys.executable, "-c", CHILD, path, how]
                said = subprocess.run(child, capture_output=True, text=True, check=True).stdout
                print(f"{n:,} rows, examples={how!r}: {said}", end="")


def _write(path: str, n: int, run: int = 500_000) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [*(f"x{j}" for j in range(20)), "y"]
    schema = pa.schema([(name, pa.float64() if name != "y" else pa.string()) for name in names])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(n // run):
            x = RNG.normal(size=(run, 20))
            y = np.where(x[:, 0] > 0, "a", "b")
            writer.write_table(pa.table([*x.T, y], schema=schema), row_group_size=100_000)


if __name__ == "__main__":
    if "files" in sys.argv:
        files()
    elif "rule" in sys.argv:
        rule()
    else:
        predictions()
        scalers()
