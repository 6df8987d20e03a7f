"""Forests beside their peers: seconds, those of all cores together, peak memory and accuracy.

Every figure is of a fresh process, which makes the table, warms up on a small one, and tells what
fitting took and added to its peak. All peers draw as many columns a node as ours. Those that are
not there (scikit-learn-intelex, LightGBM, XGBoost, YDF, R's ranger) are left out. ranger (Debian:
r-cran-ranger) gets the rows by file and measures itself; treelite answers for scikit-learn's trees.
A bar is met where ours is so many times as fast and no less accurate, by half a point. Seconds of
the processor tell who is ahead where other work is on the cores, too.

Usage: bench_forests.py [--scale 1.0] [--repeat 3] [--peers NAME ...] [--workloads NAME ...], as in
PEERS and WORKLOADS; ours is always there.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

Call = Callable[[], Any]
PEERS = {
    "tallylearn": "tallylearn", "scikit-learn": "sklearn", "intelex": "sklearnex",
    "YDF": "ydf", "LightGBM rf": "lightgbm", "XGBoost rf": "xgboost", "ranger": "ranger",
    "treelite": "treelite",
}  # fmt: skip
SLACK = 0.005  # of accuracy
POOL = 1024  # megabytes of LightGBM's histograms: it keeps one for every leaf there may be
SHORT, MANY = 0.5, 20  # seconds: what takes no longer is done more often, up to so many times
BAGGED = 0.632  # rows that a bag of as many draws holds


@dataclass(frozen=True)
class Workload:
    """A table, and a forest of it."""

    table: Callable[[float], tuple[Any, Any]]
    trees: int = 100
    depth: int | None = None
    classes: bool = True
    task: str = "fit"  # or "predict", "one row"
    bar: float = 1.0  # times scikit-learn; others are to be behind
    numeric: bool = True


def numbers(n: int, p: int) -> Callable[[float], tuple[Any, Any]]:
    def made(scale: float) -> tuple[Any, Any]:
        from sklearn.datasets import make_classification

        size = max(int(n * scale), 1_000)
        return make_classification(size, p, n_informative=10, flip_y=0.05, random_state=0)  # type: ignore[no-any-return]

    return made


def measures(scale: float) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(max(int(100_000 * scale), 1_000), 30))
    return X, 3 * X[:, 0] + X[:, 1] * X[:, 2] + np.sin(X[:, 3]) + rng.normal(size=len(X))


def adult(rows: int | None) -> Callable[[float], tuple[Any, Any]]:
    def made(scale: float) -> tuple[Any, Any]:
        from bench_trees import SHARED, adult_like

        frame = pd.read_csv(SHARED / "adult_train.csv.gz", na_values="?")
        if rows:  # copies of a row of Adult stay together: they are no other rows
            drawn = frame.sample(max(int(rows * scale), 1_000), replace=True, random_state=0)
            frame = adult_like(len(drawn)).set_index(drawn.index)
        else:
            frame = frame[: max(int(len(frame) * scale), 1_000)]
        return frame.drop(columns="income"), (frame["income"] == ">50K").astype(int)

    return made


def iris(scale: float) -> tuple[Any, Any]:
    from sklearn.datasets import load_iris

    found: Any = load_iris(return_X_y=True, as_frame=True)
    return found[0], found[1].rename("kind")


def titanic(scale: float) -> tuple[Any, Any]:
    from bench_trees import SHARED

    frame = pd.read_csv(SHARED / "titanic.csv").drop(columns=["name", "ticket", "cabin"])
    return frame.drop(columns="survived"), frame["survived"]


WORKLOADS = {
    "1e5 x 30": Workload(numbers(100_000, 30), bar=5),
    "1e6 x 20": Workload(numbers(1_000_000, 20), trees=20, depth=12, bar=5),
    "adult": Workload(adult(None)),
    "adult-like": Workload(adult(500_000)),
    "regression": Workload(measures, classes=False, bar=5),
    "predict": Workload(numbers(100_000, 30), depth=16, task="predict"),
    "one row": Workload(numbers(20_000, 30), task="one row"),
    "iris": Workload(iris),
    "titanic": Workload(titanic),
    "iris predict": Workload(iris, task="predict"),
    "titanic predict": Workload(titanic, task="predict", numeric=False),
}


def learner(peer: str, work: Workload, shape: tuple[int, int], words: bool) -> Any:
    """An estimator with ``fit`` and ``predict``, from the frame as it comes."""
    n, p = shape
    kind = "Classifier" if work.classes else "Regressor"
    share = max(1, int(math.sqrt(p))) / p if work.classes else 1.0
    given = {"n_estimators": work.trees, "random_state": 0, "n_jobs": -1}
    if peer == "tallylearn":
        import tallylearn as tl

        made = getattr(tl, f"RandomForest{kind}")
        return made(work.trees, max_depth=work.depth, keep_rows=False)
    if peer in ("scikit-learn", "intelex"):
        module = importlib.import_module(f"{PEERS[peer]}.ensemble")
        forest = getattr(module, f"RandomForest{kind}")(max_depth=work.depth, **given)
        from bench_trees import pipeline

        return pipeline(forest) if words else forest
    if peer == "treelite":
        from sklearn.ensemble import RandomForestClassifier

        return Treelite(RandomForestClassifier(max_depth=work.depth, **given))
    if peer == "LightGBM rf":
        import lightgbm

        return getattr(lightgbm, f"LGBM{kind}")(
            boosting_type="rf", bagging_freq=1, bagging_fraction=BAGGED, min_child_samples=1,
            num_leaves=min(2 ** (work.depth or 17) - 1, n), max_depth=work.depth or -1, verbose=-1,
            feature_fraction_bynode=share, histogram_pool_size=POOL, **given,
        )  # fmt: skip
    if peer == "XGBoost rf":
        import xgboost

        return getattr(xgboost, f"XGBRF{kind}")(
            max_depth=work.depth or 0, subsample=BAGGED, colsample_bynode=share, min_child_weight=0,
            tree_method="hist", enable_categorical=words, **given,
        )  # fmt: skip
    return Ydf(work)


class Ydf:
    """YDF's forest, behind ``fit`` and ``predict``."""

    def __init__(self, work: Workload) -> None:
        import ydf

        ydf.verbose(0)
        self.classes = work.classes
        task = ydf.Task.CLASSIFICATION if work.classes else ydf.Task.REGRESSION
        self.learner = ydf.RandomForestLearner(
            label="y", task=task, num_trees=work.trees, max_depth=work.depth or -1, min_examples=1,
            compute_oob_performances=False, num_candidate_attributes=0 if work.classes else -1,
        )  # fmt: skip

    def _rows(self, X: Any) -> dict[str, Any]:
        if isinstance(X, pd.DataFrame):
            words = [name for name in X if X[name].dtype.kind not in "iufb"]
            X = X.assign(**{name: X[name].fillna("").astype(str) for name in words})
            return {name: X[name].to_numpy(object if name in words else None) for name in X}
        return {f"x{j}": X[:, j] for j in range(X.shape[1])}

    def fit(self, X: Any, y: Any) -> Ydf:
        self.model = self.learner.train(self._rows(X) | {"y": np.asarray(y)})
        return self

    def predict(self, X: Any) -> Any:
        said = self.model.predict(self._rows(X))
        if not self.classes:
            return said
        return said.argmax(axis=1) if said.ndim == 2 else (said > 0.5).astype(int)


class Treelite:
    """scikit-learn's forest, answered by treelite."""

    def __init__(self, forest: Any) -> None:
        self.forest = forest

    def fit(self, X: Any, y: Any) -> Treelite:
        import treelite

        self.model = treelite.sklearn.import_model(self.forest.fit(np.asarray(X), y))
        return self

    def predict(self, X: Any) -> Any:
        import treelite

        said = treelite.gtil.predict(self.model, np.asarray(X), nthread=-1)
        return said.reshape(len(X), -1).argmax(axis=1)


def prepared(peer: str, X: Any) -> Any:
    """Categories for those that take no strings; their coding counts."""
    if peer not in ("LightGBM rf", "XGBoost rf") or not isinstance(X, pd.DataFrame):
        return X
    words = [name for name in X if X[name].dtype.kind not in "iufb"]
    return X.astype(dict.fromkeys(words, "category"))


def parted(X: Any) -> tuple[Any, int]:
    """The rows in a random order, and how many are learned from: of one name all, or none."""
    order, cut = np.random.default_rng(1).permutation(len(X)), len(X) * 4 // 5
    if not isinstance(X, pd.DataFrame) or X.index.is_unique:
        return order, cut
    names = np.asarray(X.index)[order]
    left = np.random.default_rng(2).random(names.max() + 1)[names] >= 0.8
    return np.append(order[~left], order[left]), int((~left).sum())


def by_ranger(work: Workload, rows: list[Any], truth: list[Any], repeat: int) -> dict[str, float]:
    """The same by R: see ``ranger_forests.R``."""
    p = rows[0].shape[1]
    mtry = max(1, int(math.sqrt(p))) if work.classes else p
    with tempfile.TemporaryDirectory() as folder:
        for part, X, y in zip(("train", "test"), rows, truth, strict=True):
            np.savetxt(f"{folder}/{part}.y", y, "%.17g")
            if isinstance(X, pd.DataFrame):
                X.to_csv(f"{folder}/{part}.csv", index=False)
            else:
                np.asfortranarray(X).T.tofile(f"{folder}/{part}.bin")
                np.savetxt(f"{folder}/{part}.shape", X.shape, "%d")
        asked = [folder, work.trees, work.depth or 0, int(work.classes), work.task, repeat, mtry]
        script = str(Path(__file__).with_name("ranger_forests.R"))
        ran = subprocess.run(
            ["Rscript", script, *map(str, asked)], capture_output=True, text=True, check=False
        )
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def measured(peer: str, name: str, scale: float, repeat: int) -> dict[str, float]:
    """Seconds, megabytes beyond the table, and accuracy or R2 on other rows."""
    work = WORKLOADS[name]
    X, y = work.table(scale)
    words = isinstance(X, pd.DataFrame) and any(X[c].dtype.kind not in "iufb" for c in X)
    order, cut = parted(X)
    rows = [X.iloc[at] if isinstance(X, pd.DataFrame) else X[at] for at in np.split(order, [cut])]
    truth = [np.asarray(y)[at] for at in np.split(order, [cut])]
    if peer == "ranger":
        return by_ranger(work, rows, truth, repeat)
    known = prepared(peer, X)
    few = known.iloc[:200] if isinstance(X, pd.DataFrame) else known[:200]
    forest = learner(peer, work, X.shape, words)
    learner(peer, work, few.shape, words).fit(few, np.asarray(y)[:200])
    before, times, busy = peak(), list[float](), list[float]()

    def fitted() -> Any:
        return forest.fit(prepared(peer, rows[0]), truth[0])

    call: Call = fitted
    other = prepared(peer, X).iloc[order[cut:]] if words else rows[1]
    if work.task != "fit":
        fitted()
        asked = known[:1] if work.task == "one row" else known
        call = lambda: forest.predict(asked)  # noqa: E731
    while len(times) < repeat or (sum(times) < SHORT and len(times) < MANY):
        start, worked = time.perf_counter(), time.process_time()
        call()
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - worked)
    said = np.asarray(forest.predict(other))
    right = float(np.mean(said == truth[1]))
    if not work.classes:
        right = 1 - float(np.mean((said - truth[1]) ** 2) / np.var(truth[1]))
    return {"seconds": min(times), "cpu": min(busy), "peak": peak() - before, "right": right}


def present(peer: str) -> bool:
    if peer != "ranger":
        return importlib.util.find_spec(PEERS[peer]) is not None
    asked = ["Rscript", "-e", "library(ranger)"]
    return shutil.which("Rscript") is not None and subprocess.call(asked) == 0


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def raced(name: str, peers: list[str], scale: float, repeat: int) -> None:
    """A line a peer, ours first."""
    work = WORKLOADS[name]
    told = {key: value for key, value in asdict(work).items() if key not in ("table", "numeric")}
    print(f"\n{name}  ({', '.join(f'{key} {value}' for key, value in told.items())})")
    ours: dict[str, float] = {}
    for peer in ("tallylearn", *(peer for peer in peers if peer != "tallylearn")):
        if peer == "treelite" and (work.task == "fit" or not work.numeric):
            continue
        if not present(peer):
            print(f"  {peer:<14} absent")
            continue
        asked = [sys.executable, __file__, "--worker", peer, "--scale", str(scale)]
        asked += ["--repeat", str(repeat), "--workloads", name]
        ran = subprocess.run(asked, capture_output=True, text=True, check=False)
        if ran.returncode:
            print(f"  {peer:<14} failed: {ran.stderr.strip().splitlines()[-1][:90]}")
            continue
        found = json.loads(ran.stdout.splitlines()[-1])
        ours = ours or found
        ratio = found["seconds"] / ours["seconds"]
        bar = work.bar if peer == "scikit-learn" else 1.0
        good = ratio >= bar and ours["right"] >= found["right"] - SLACK
        mark = "" if peer == "tallylearn" else f"bar {bar:g}x {'met' if good else 'MISSED'}"
        print(
            f"  {peer:<14} {found['seconds']:10.5f} s {ratio:8.2f}x {found['cpu']:10.5f} s"
            f" {found['cpu'] / ours['cpu']:8.2f}x {found['peak']:6.0f} MB {found['right']:8.4f}"
            f"  {mark}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workloads", nargs="+", choices=[*WORKLOADS], default=[*WORKLOADS])
    parser.add_argument("--peers", nargs="+", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--worker", choices=[*PEERS])
    asked = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent))
    for name in asked.workloads:
        if asked.worker:
            print(json.dumps(measured(asked.worker, name, asked.scale, asked.repeat)))
        else:
            raced(name, asked.peers, asked.scale, asked.repeat)


if __name__ == "__main__":
    main()
