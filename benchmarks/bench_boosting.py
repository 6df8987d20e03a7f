"""Boosted trees beside their peers: seconds, seconds of all cores together, and the score.

Every learner grows the same number of trees of at most as many leaves, with 255 bins, a learning
rate of 0.1 and no early stopping. Runs alternate, and the shortest of several counts. Peers that
are not installed (LightGBM, XGBoost, CatBoost) are left out, and named.

Usage: bench_boosting.py [--scale 1.0] [--repeat 3] [--peers NAME ...] [--workloads NAME ...]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tallylearn as tl

TREES, LEAVES = 100, 31
MODULES = {
    "tallylearn": "tallylearn", "scikit-learn": "sklearn", "LightGBM": "lightgbm",
    "LightGBM quantised": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost",
}  # fmt: skip
SEVERAL = 100  # calls of the prediction of one row


@dataclass(frozen=True)
class Workload:
    """A table, and what is timed on it."""

    table: Callable[[int], tuple[Any, Any]]
    rows: int
    trees: int = TREES
    task: str = "fit"  # or "predict", "one row"


def numbers(columns: int, classes: int = 2) -> Callable[[int], tuple[Any, Any]]:
    def made(rows: int) -> tuple[Any, Any]:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(rows, columns))
        score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + rng.normal(size=rows)
        edges = np.quantile(score, np.arange(1, classes) / classes)
        return X, np.searchsorted(edges, score)

    return made


def adult(rows: int) -> tuple[Any, Any]:
    from bench_trees import adult_like

    frame = adult_like(rows)
    words = frame.select_dtypes(exclude="number").columns.drop("income", errors="ignore")
    frame = frame.astype(dict.fromkeys(words, "category"))
    return frame.drop(columns="income"), (frame["income"].astype(str) == ">50K").astype(int)


WORKLOADS = {
    "1e6 x 20": Workload(numbers(20), 1_000_000),
    "1e5 x 50": Workload(numbers(50), 100_000),
    "adult-like": Workload(adult, 500_000),
    "10 classes": Workload(numbers(30, classes=10), 200_000),
    "predict": Workload(numbers(20), 1_000_000, task="predict"),
    "one row": Workload(numbers(20), 50_000, task="one row"),
}


def learner(peer: str, trees: int, X: Any) -> Any:
    """An estimator with ``fit`` and ``predict``."""
    if peer in ("tallylearn", "scikit-learn"):
        if peer == "tallylearn":
            return tl.HistGradientBoostingClassifier(
                max_iter=trees, max_leaf_nodes=LEAVES, early_stopping=False
            )
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=trees, max_leaf_nodes=LEAVES, early_stopping=False,
            categorical_features="from_dtype",
        )  # fmt: skip
    if peer.startswith("LightGBM"):
        from lightgbm import LGBMClassifier

        return LGBMClassifier(
            n_estimators=trees, num_leaves=LEAVES, learning_rate=0.1, min_child_samples=20,
            n_jobs=os.cpu_count(), verbose=-1, use_quantized_grad=peer.endswith("quantised"),
        )  # fmt: skip
    if peer == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(
            n_estimators=trees, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide",
            tree_method="hist", max_bin=255, learning_rate=0.1, n_jobs=os.cpu_count(),
            enable_categorical=True,
        )  # fmt: skip
    from catboost import CatBoostClassifier

    words = [] if isinstance(X, np.ndarray) else [*X.select_dtypes("category").columns]
    return CatBoostClassifier(
        iterations=trees, max_leaves=LEAVES, grow_policy="Lossguide", learning_rate=0.1,
        border_count=254, thread_count=os.cpu_count(), cat_features=words, verbose=False,
        allow_writing_files=False,
    )  # fmt: skip


def prepared(peer: str, X: Any) -> Any:
    """The table as a peer takes it: CatBoost refuses missing categories."""
    if peer != "CatBoost" or isinstance(X, np.ndarray):
        return X
    words = X.select_dtypes("category").columns
    return X.assign(**{name: X[name].astype(object).fillna("missing") for name in words})


def measure(work: Workload, peers: list[str], scale: float, repeat: int) -> None:
    rows = max(int(work.rows * scale), 1_000)
    X, y = work.table(rows)
    fresh, truth = work.table(rows + 1)[0][:20_000], work.table(rows + 1)[1][:20_000]
    best: dict[str, tuple[float, float]] = {}
    score: dict[str, float] = {}
    for at in range(repeat):
        for peer in peers:
            table = prepared(peer, X)
            model = learner(peer, work.trees, table)
            call: Callable[[], Any] = lambda model=model, table=table: model.fit(table, y)  # noqa: E731
            n = 1
            if work.task != "fit":
                model.fit(table[:50_000], y[:50_000])
                some = table if work.task == "predict" else table[:1]
                n = 1 if work.task == "predict" else SEVERAL
                call = lambda model=model, some=some: model.predict_proba(some)  # noqa: E731
                call()
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(n):
                call()
            took = (time.perf_counter() - wall) / n, (time.process_time() - cpu) / n
            best[peer] = min(best.get(peer, took), took)
            if at == 0:
                said = np.asarray(model.predict(prepared(peer, fresh))).ravel()
                score[peer] = float(np.mean(said == np.asarray(truth)))
    ours = best["tallylearn"]
    for peer, (wall, cpu) in best.items():
        print(f"{peer:<20} {_seconds(wall):>9} {_seconds(cpu):>9} {wall / ours[0]:7.2f}x "
              f"{cpu / ours[1]:7.2f}x {100 * score[peer]:9.2f}", flush=True)  # fmt: skip


def _seconds(value: float) -> str:
    return f"{value * 1e6:.0f} us" if value < 1e-3 else f"{value:.3f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peers", nargs="*", default=[*MODULES], choices=[*MODULES])
    parser.add_argument("--workloads", nargs="*", default=[*WORKLOADS], choices=[*WORKLOADS])
    chosen = parser.parse_args()
    peers = [one for one in MODULES if one == "tallylearn" or one in chosen.peers]
    missing = [one for one in peers if importlib.util.find_spec(MODULES[one]) is None]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}")
    peers = [one for one in peers if one not in missing]
    print(f"boosted trees  ({os.cpu_count()} cores, Python {platform.python_version()})")
    for name in chosen.workloads:
        work = WORKLOADS[name]
        print(f"\n{name}: {work.task}, {work.trees} trees of {LEAVES} leaves")
        print(f"{'':<20} {'wall':>9} {'CPU':>9} {'wall':>8} {'CPU':>8} {'accuracy':>9}")
        measure(work, peers, chosen.scale, chosen.repeat)


if __name__ == "__main__":
    main()
