"""Logistic regression and the perceptron beside their peers, each at the objective that it reached.

Usage: bench_logistic.py [share [row ...]]: rows of the table at a share of their size, such as
0.01; all of them, or those named: binary, classes, text, file, perceptron, small. Peers that are
not installed (scikit-learn-intelex, glum, mlpack) are left out.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn import linear_model as peer
from sklearn.exceptions import ConvergenceWarning
from timing import heading, versus

import tallylearn as tl
from tallylearn.engines import stage

DATA = Path(__file__).parents[2] / "shared" / "data"


def drawn(n: int, p: int, k: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which columns tell the classes, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, k)) / 2 + rng.gumbel(size=(n, k))
    return X, scores.argmax(axis=1)


def documents(n: int, size: int, words: int = 100) -> tuple[sparse.csr_array, np.ndarray]:
    """Counts of words, the r-th most frequent with share 1 / r; some of them tell the class."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, size + 1)
    lengths = rng.poisson(words, n)
    ids = rng.choice(size, lengths.sum(), p=share / share.sum())
    rows = np.repeat(np.arange(n), lengths)
    X = sparse.csr_array((np.ones(len(ids)), (rows, ids)), shape=(n, size))
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # liblinear's
    scores = X @ (rng.normal(size=size) * (rng.random(size) < 0.1)) / 2
    return X, (scores + rng.logistic(size=n) > 0).astype(np.int64)


def objective(model: Any, X: Any, y: np.ndarray) -> float:
    """The sum of the losses and half the squared weights: what all minimise with C = 1."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        return float(np.logaddexp(0, np.where(y == 1, -1, 1) * scores[:, 0]).sum()
                     + 0.5 * (model.coef_**2).sum())  # fmt: skip
    top = scores.max(axis=1)
    total = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    losses = total - scores[np.arange(len(y)), y]
    return float(losses.sum() + 0.5 * (model.coef_**2).sum())


def peers(n: int, k: int, p: int) -> dict[str, Callable[[], Any]]:
    """Those who solve the same problem (liblinear's has a penalty on the constant too)."""
    found: dict[str, Callable[[], Any]] = {
        "lbfgs": lambda: peer.LogisticRegression(max_iter=1000 if p <= 1000 else 100),
    }
    if n * (k * p) ** 2 > 2e10:
        print("newton-cholesky is left out: its curvature of so many weights takes minutes")
    else:
        found["newton-cholesky"] = lambda: peer.LogisticRegression(solver="newton-cholesky")
    if p > 1000:
        found["newton-cg"] = lambda: peer.LogisticRegression(solver="newton-cg")
    if k == 2:
        found["liblinear"] = lambda: peer.LogisticRegression(solver="liblinear")
    if find_spec("sklearnex") and p <= 1000:
        from sklearnex.linear_model import LogisticRegression

        found["intelex"] = lambda: LogisticRegression(max_iter=1000)
    return found


def race(title: str, X: Any, y: np.ndarray, table: Any = None, repeat: int = 1) -> None:
    """Our fit beside everybody's, and by how much each objective is above the least of all."""
    k, n = len(np.unique(y)), len(y)
    heading(f"logistic regression, {title}: n = {n:,}, p = {X.shape[1]:,}, classes {k}")
    ours = tl.LogisticRegression()
    ends: dict[str, float] = {}
    for name, make in peers(n, k, X.shape[1]).items():
        theirs = make()
        versus(f"fit / {name}", lambda: ours.fit(X if table is None else table, y),
               lambda theirs=theirs: theirs.fit(X, y), 1, repeat)  # fmt: skip
        ends[name] = objective(theirs, X, y)
    if find_spec("glum") and k == 2 and table is None:
        ends["glum"] = _glum(ours, X, y, repeat)
    ends["ours"] = objective(ours, X, y)
    least = min(ends.values())
    told = ", ".join(f"{name} {(end - least) / least:.1e}" for name, end in ends.items())
    print(f"objective {least:.10g}; relatively above it: {told}")


def _glum(ours: Any, X: np.ndarray, y: np.ndarray, repeat: int) -> float:
    from glum import GeneralizedLinearRegressor

    # its loss is a mean, and its penalty therefore that of all rows divided by their number
    theirs = GeneralizedLinearRegressor(family="binomial", alpha=1 / len(y), l1_ratio=0)
    versus("fit / glum", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 1, repeat)
    theirs.coef_ = np.atleast_2d(theirs.coef_)
    return objective(theirs, X, y)


def binary(share: float) -> None:
    race("two classes", *drawn(int(1_000_000 * share), 30))


def classes(share: float) -> None:
    race("ten classes", *drawn(int(200_000 * share), 50, 10))


def text(share: float) -> None:
    size = int(50_000 * share) + 100
    X, y = documents(int(100_000 * share), size)
    terms = [f"w{at:06d}" for at in range(size)]  # sorted, so that weights are in this order
    race("text", X, y, tl.table(X, text=terms))


def file(share: float, columns: int = 20) -> None:
    """From a Parquet file, in a process of its own, beside the same rows in memory.

    Each is the best of three in its process: the first one waits for memory that the machine has
    not given out before, which is no work of anybody here (rows that are kept are in its cache).
    """
    n = int(10_000_000 * share)
    print(f"\nlogistic regression from Parquet: n = {n:,}, p = {columns}, best of 3")
    passes: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        for what in ("write", "file", "memory", "scikit-learn"):
            command = [sys.executable, __file__, "--alone", what, path, str(n), str(columns)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(done.stdout, end="", flush=True)
            if what in ("file", "memory"):
                passes[what] = float(done.stdout.split("passes of")[1].split()[0])
    ratio = passes["file"] / passes["memory"]
    mark = "met" if ratio <= 2 else "MISSED"
    print(f"a pass over the file takes {ratio:.2f} times one over memory   bar 2x {mark}")


def alone(what: str, path: str, n: int, columns: int) -> None:
    """Fits of the file's rows: seconds a pass of the fastest, and the peak of memory."""
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

    if what == "write":
        with pq.ParquetWriter(path, _piece(0, 1, columns).schema) as writer:
            for start in range(0, n, 1 << 18):
                writer.write_table(_piece(start, min(1 << 18, n - start), columns))
        return
    given: tuple[Any, Any] = (path, "y")
    if what != "file":
        frame = pl.read_parquet(path)
        given = frame.drop("y").to_numpy(), frame["y"].to_numpy()
        del frame
    pa.default_memory_pool().release_unused()
    fit = _theirs if what == "scikit-learn" else _ours
    wall, told, coefficients = min((fit(*given, n) for _ in range(3)), key=lambda found: found[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what:<14} {wall:7.2f} s, {told}, peak {peak:5.2f} GB, first weights "
          f"{np.array2string(coefficients[0, :3], precision=9)}")  # fmt: skip


def _theirs(X: Any, y: Any, n: int) -> tuple[float, str, np.ndarray]:
    start = time.perf_counter()
    model = peer.LogisticRegression().fit(X, y)
    wall, passes = time.perf_counter() - start, int(model.n_iter_[0])
    return wall, f"{passes} passes of {wall / passes:6.3f} s", model.coef_


def _ours(X: Any, y: Any, n: int) -> tuple[float, str, np.ndarray]:
    """A pass is one over all rows; those in memory are not read to be prepared."""
    rows: list[int] = []
    times: list[float] = []

    def watch(more: int) -> None:
        if stage() != "preparation":
            rows.append(more)
            times.append(time.perf_counter())

    start = time.perf_counter()
    with tl.engine(watch=watch):
        model = tl.LogisticRegression().fit(X, y)
    wall, passes = time.perf_counter() - start, round(sum(rows) / n)
    first = times[int(np.searchsorted(np.cumsum(rows), n))]
    others = (times[-1] - first) / (passes - 1)
    told = f"the first {first - start:.2f} s, others {others:.3f} s"
    return wall, f"{passes} passes of {wall / passes:6.3f} s, {told}", model.coef_


def _piece(start: int, rows: int, columns: int) -> Any:
    import pyarrow as pa

    rng = np.random.default_rng(start)
    X = rng.normal(size=(rows, columns))
    y = X @ np.linspace(-1, 1, columns) + rng.logistic(size=rows) > 0
    return pa.table({**{f"x{j:02d}": X[:, j] for j in range(columns)}, "y": y.astype(np.int64)})


def perceptron(share: float) -> None:
    X, y = drawn(int(1_000_000 * share), 30)
    heading(f"perceptron, 5 passes in order: n = {len(y):,}, p = 30")
    ours = tl.Perceptron(max_iter=5, shuffle=False, zero="mistake")
    theirs = peer.Perceptron(max_iter=5, shuffle=False, tol=None)
    versus("fit / scikit-learn", lambda: ours.fit(X, y), lambda: theirs.fit(X, y), 1, 2)
    assert np.allclose(ours.coef_, theirs.coef_)
    if find_spec("mlpack"):
        from mlpack import perceptron as walked

        labels = y.astype(np.uint64)
        versus("fit / mlpack", lambda: ours.fit(X, y),
               lambda: walked(training=X, labels=labels, max_iterations=5), 1, 2)  # fmt: skip


def small(share: float) -> None:
    """Tables of teaching, where what surrounds the sums is all there is."""
    heading("diabetes, iris and adult; peer scikit-learn")
    X, y = datasets.load_diabetes(return_X_y=True)
    for name in ("LinearRegression", "Ridge", "Lasso"):
        ours, theirs = getattr(tl, name)(), getattr(peer, name)()
        versus(f"diabetes, {name}", lambda o=ours: o.fit(X, y), lambda t=theirs: t.fit(X, y), 1)
    X, y = datasets.load_iris(return_X_y=True)
    for name, told in (
        ("LogisticRegression", {"max_iter": 1000}),
        ("Perceptron", {"max_iter": 100}),
    ):
        ours, theirs = getattr(tl, name)(**told), getattr(peer, name)(**told)
        if name == "Perceptron":
            theirs.set_params(tol=None)  # as many passes as ours, which end with a clean one
        versus(f"iris, {name}", lambda o=ours: o.fit(X, y), lambda t=theirs: t.fit(X, y), 1)
    if DATA.is_dir():
        adult()


def adult() -> None:
    """A raw frame, beside the pipeline that turns it into numbers."""
    import pandas as pd
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = pd.read_csv(DATA / "adult_train.csv.gz", na_values="?")
    X, y = frame.drop(columns="income"), frame["income"]
    numbers = make_column_selector(dtype_include="number")
    others = make_column_selector(dtype_exclude="number")
    turned = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
        (OneHotEncoder(handle_unknown="ignore"), others),
    )
    theirs = make_pipeline(turned, peer.LogisticRegression(max_iter=1000))
    ours = tl.LogisticRegression()
    versus("adult, frame to model / pipeline", lambda: ours.fit(frame, "income"),
           lambda: theirs.fit(X, y), 1, 2)  # fmt: skip


ROWS = {"binary": binary, "classes": classes, "text": text, "file": file,
        "perceptron": perceptron, "small": small}  # fmt: skip

if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", ConvergenceWarning)  # the objectives say how far peers came
    warnings.filterwarnings("ignore", module="glum|sklearnex|daal4py|onedal|mlpack|tabmat")
    if sys.argv[1:2] == ["--alone"]:
        alone(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        for row in sys.argv[2:] or ROWS:
            ROWS[row](float(sys.argv[1]) if sys.argv[1:] else 1.0)
