"""Neighbours and scalers beside scikit-learn, scipy and others that are installed, in one process.

python benchmarks/bench_neighbours.py              all of these but the last two
python benchmarks/bench_neighbours.py 3 10 50      2e5 rows, 1e4 queries, so many columns
python benchmarks/bench_neighbours.py gower        mixed rows by Gower's distance
python benchmarks/bench_neighbours.py scalers
python benchmarks/bench_neighbours.py files        examples that stay in a file: time, memory
python benchmarks/bench_neighbours.py rule         boxes beside the sieve, by columns
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
import pandas as pd
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from sklearn import neighbors, preprocessing
from timing import heading, versus

import tallylearn as tl
from tallylearn.models.neighbors.kd_tree import KDTree
from tallylearn.models.neighbors.matrix_search import MatrixSearch

RNG = np.random.default_rng(0)


def table(d: int, n: int = 200_000, queries: int = 10_000) -> tuple[Any, Any, Any]:
    """Normal rows, their classes, and rows to ask about."""
    X = RNG.normal(size=(n, d))
    return X, (X[:, 0] > 0).astype(int), RNG.normal(size=(queries, d))


def predictions(d: int) -> None:
    heading(f"Neighbours: 2e5 rows, 1e4 queries, {d} columns, k = 5, predict")
    X, y, Q = table(d)
    ours = tl.KNeighborsClassifier().fit(X, y)
    theirs = neighbors.KNeighborsClassifier(n_jobs=-1).fit(X, y)
    times = 1 if d > 3 else 5
    versus("scikit-learn", partial(ours.predict, Q), partial(theirs.predict, Q),
           1 if d == 3 else 2, times)  # fmt: skip
    for name, peer, share in peers(X, y, Q):
        versus(name, partial(ours.predict, Q), peer, share, times)


def peers(X: Any, y: Any, Q: Any) -> Iterator[tuple[str, Any, float]]:
    """What else finds neighbours, where it is installed, and how far ahead of it we should be."""
    d = X.shape[1]
    if there("sklearnex"):
        from sklearnex.neighbors import KNeighborsClassifier

        yield "intelex", partial(KNeighborsClassifier(n_jobs=-1).fit(X, y).predict, Q), 0.67
    if d <= 10:
        yield "scipy's cKDTree, its search alone", partial(cKDTree(X).query, Q, 5, workers=2), 0.67
    if d <= 10 and there("pykdtree"):
        from pykdtree.kdtree import KDTree

        yield "pykdtree, its search alone", partial(KDTree(X).query, Q, 5), 0.67
    if d == 50 and there("faiss"):
        import faiss

        index, singles = faiss.IndexFlatL2(d), Q.astype(np.float32)
        index.add(X.astype(np.float32))
        yield "faiss, flat, singles", partial(index.search, singles, 5), 1.0


def mixed() -> None:
    heading("Gower: 5e4 rows, 1e3 queries, 6 numbers and 4 categories, k = 5")
    frame = pd.DataFrame(RNG.normal(size=(51_000, 6)), columns=[*"uvwxyz"])
    for name in "abcd":
        frame[name] = RNG.choice(["red", "green", "blue", "black"], 51_000)
    rows, asked = frame[:50_000], frame[50_000:]
    model = tl.KNeighborsClassifier(metric="gower").fit(rows, RNG.integers(0, 2, 50_000))
    ours = partial(model.kneighbors, asked)
    versus("scipy's distances and NumPy's partition", ours, by_scipy(rows, asked), 2, 1)
    if there("gower"):
        import gower

        few = asked[:100], rows[:2000]  # of which it makes one table
        plain = [one.astype(dict.fromkeys("abcd", object)) for one in few]
        plain[0] = plain[0].reset_index(drop=True)

        def matrix() -> Any:
            apart = gower.gower_matrix(*plain)
            return np.argpartition(apart, 5, axis=1)

        small = tl.KNeighborsClassifier(metric="gower").fit(few[1], RNG.integers(0, 2, 2000))
        versus("2000 rows, 100 queries: gower's matrix, NumPy's partition",
               partial(small.kneighbors, few[0]), matrix, 10, 1)  # fmt: skip
    print(f"largest difference of distances: {worst(model, rows, asked):.1e}")


def by_scipy(rows: pd.DataFrame, asked: pd.DataFrame) -> Any:
    """What a user writes who has scipy: two distances, and the least of their sum."""
    numbers, codes = parts(rows, rows), parts(rows, asked)

    def nearest() -> Any:
        apart = cdist(codes[0], numbers[0], "cityblock")
        apart += 4 * cdist(codes[1], numbers[1], "hamming")
        apart /= 10
        return np.take_along_axis(apart, np.argpartition(apart, 5, axis=1)[:, :5], axis=1)

    return nearest


def parts(rows: pd.DataFrame, some: pd.DataFrame) -> tuple[Any, Any]:
    wide = rows[[*"uvwxyz"]].max() - rows[[*"uvwxyz"]].min()
    codes = {name: {v: c for c, v in enumerate(sorted(rows[name].unique()))} for name in "abcd"}
    return (some[[*"uvwxyz"]] / wide).to_numpy(), np.column_stack(
        [some[name].map(codes[name]) for name in "abcd"]
    ).astype(float)


def worst(model: Any, rows: pd.DataFrame, asked: pd.DataFrame) -> float:
    theirs = np.sort(by_scipy(rows, asked)(), axis=1)
    return float(np.abs(model.kneighbors(asked)[0] - theirs).max())


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
    heading("k-d tree beside products of matrices, 2000 queries")
    for n in (5_000, 200_000):
        for d in (4, 8, 10, 11, 12, 13, 14):
            X, _, Q = table(d, n, 2_000)
            pair = (partial(one.nearest, Q, 5) for one in (KDTree.of(X), MatrixSearch.of(X)))
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


PARTS = {
    "3": partial(predictions, 3), "10": partial(predictions, 10), "50": partial(predictions, 50),
    "gower": mixed, "scalers": scalers,
}  # fmt: skip
ALSO = {"files": files, "rule": rule}


if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        (PARTS | ALSO)[part]()
