"""Trees beside their peers: large tables of numbers, strings with gaps, files, and small tables.

LightGBM, XGBoost and YDF are raced where they can be imported.
Usage: bench_trees.py [part ...], parts as in PARTS.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import best, heading

import tallylearn as tl

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
Call = Callable[[], Any]


def raced(title: str, ours: Call, bars: dict[str, tuple[Call, float]], runs: int = 1) -> None:
    """Our best of three, each peer's best of ``runs``, and whether the bar is met."""
    mine = best(ours, 3)
    for name, (call, bar) in bars.items():
        other = best(call, runs)
        mine = min(mine, best(ours, 1))
        mark = "met" if other / mine >= bar else "MISSED"
        print(
            f"{title:<34} {name:<22} {mine:8.4f} s {other:8.4f} s {other / mine:7.1f}x"
            f"   bar {bar:g}x {mark}",
            flush=True,
        )


def one_tree(depth: int | None) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=1, max_depth=depth, max_leaf_nodes=None, min_samples_leaf=1, early_stopping=False
    )


def lightgbm(X: Any, y: Any, depth: int) -> dict[str, tuple[Call, float]]:
    if importlib.util.find_spec("lightgbm") is None:
        return {}
    from lightgbm import LGBMClassifier

    leaves = 2**depth
    peer = LGBMClassifier(
        n_estimators=1, max_depth=depth, num_leaves=leaves, min_child_samples=1, verbose=-1
    )
    return {"LightGBM, one tree": (lambda: peer.fit(X, y), 1)}


def boosters(X: Any, y: Any, depth: int | None) -> dict[str, tuple[Call, float]]:
    """XGBoost's and YDF's single trees, on tables of numbers."""
    found: dict[str, tuple[Call, float]] = {}
    if importlib.util.find_spec("xgboost") is not None and depth:
        from xgboost import XGBClassifier

        one = XGBClassifier(n_estimators=1, max_depth=depth, tree_method="hist", max_bin=255)
        found["XGBoost hist, one tree"] = (lambda: one.fit(X, y), 1)
    if importlib.util.find_spec("ydf") is not None:
        import ydf

        ydf.verbose(0)
        rows = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
        cart = ydf.CartLearner(label="y", max_depth=depth or -1, validation_ratio=0.0)
        found["YDF CART"] = (lambda: cart.train(rows), 1)
    return found


def numbers(n: int, p: int, depths: tuple[int | None, ...]) -> None:
    X, y = make_classification(n, p, n_informative=10, flip_y=0.05, random_state=0)
    heading(f"trees: n = {n:,}, p = {p}, two classes")
    for depth in depths:
        title = "full depth" if depth is None else f"depth {depth}"
        peer = DecisionTreeClassifier(max_depth=depth)
        hist = one_tree(depth)
        theirs = best(lambda peer=peer: peer.fit(X, y), 1)  # once: it is long
        for bins in (255, None):
            tree = tl.DecisionTreeClassifier(max_depth=depth, bins=bins)
            name = f"{title}, {'bins=255' if bins else 'exact'}"
            mine = best(lambda tree=tree: tree.fit(X, y), 3)
            bar = 15 if bins and depth else 8
            mark = "met" if theirs / mine >= bar else "MISSED"
            print(
                f"{name:<34} {'scikit-learn':<22} {mine:8.4f} s {theirs:8.4f} s "
                f"{theirs / mine:7.1f}x   bar {bar:g}x {mark}",
                flush=True,
            )
            bars: dict[str, tuple[Call, float]] = {
                "HistGradientBoosting": (lambda hist=hist: hist.fit(X, y), 1)
            }
            bars |= (lightgbm(X, y, depth) if depth else {}) | boosters(X, y, depth)
            if bins is None and depth:  # histograms are no exact thresholds: shown, without a bar
                bars |= {peer: (call, 0) for peer, (call, _) in bars.items() if "YDF" not in peer}
            raced(name, lambda tree=tree: tree.fit(X, y), bars)
        raced(
            f"predict, {title}", lambda tree=tree: tree.predict(X),
            {"scikit-learn": (lambda peer=peer: peer.predict(X), 1)}, 3,
        )  # fmt: skip


def measures(n: int = 1_000_000, p: int = 20, depth: int = 8) -> None:
    """Regression: bins beside histograms of others, exact thresholds beside scikit-learn's."""
    X, y = measured(n, p)
    heading(f"regression trees: n = {n:,}, p = {p}, depth {depth}")
    hist = HistGradientBoostingRegressor(
        max_iter=1, max_depth=depth, max_leaf_nodes=None, min_samples_leaf=1, early_stopping=False
    )
    bars: dict[str, tuple[Call, float]] = {"HistGradientBoosting": (lambda: hist.fit(X, y), 1)}
    if importlib.util.find_spec("lightgbm") is not None:
        from lightgbm import LGBMRegressor

        light = LGBMRegressor(
            n_estimators=1, max_depth=depth, num_leaves=2**depth, min_child_samples=1, verbose=-1
        )
        bars["LightGBM, one tree"] = (lambda: light.fit(X, y), 1)
    tree = tl.DecisionTreeRegressor(max_depth=depth, bins=255)
    raced("bins=255", lambda: tree.fit(X, y), bars, 3)
    exact, peer = tl.DecisionTreeRegressor(max_depth=depth), DecisionTreeRegressor(max_depth=depth)
    raced("exact", lambda: exact.fit(X, y), {"scikit-learn": (lambda: peer.fit(X, y), 8)})


def measured(n: int, p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, X[:, :5] @ rng.normal(size=5) + np.sin(3 * X[:, 5]) + rng.normal(size=n)


def classes(n: int = 20_000, p: int = 10, k: int = 1000) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, p)), rng.integers(0, k, n)
    X[:, 0] += y / 100
    X[:, 1] += y % 37 / 5
    heading(f"trees of many classes: n = {n:,}, p = {p}, {k:,} classes")
    for depth in (8, None):
        tree, peer = (
            tl.DecisionTreeClassifier(max_depth=depth),
            DecisionTreeClassifier(max_depth=depth),
        )
        raced(
            "full depth" if depth is None else f"depth {depth}",
            lambda tree=tree: tree.fit(X, y),
            {"scikit-learn": (lambda peer=peer: peer.fit(X, y), 1)},
        )


def adult_like(n: int = 500_000) -> pd.DataFrame:
    """Strings, numbers and gaps, drawn from Adult's rows with fresh noise."""
    frame = pd.read_csv(SHARED / "adult_train.csv.gz", na_values="?")
    rng = np.random.default_rng(0)
    out = frame.sample(n, replace=True, random_state=0).reset_index(drop=True)
    out["fnlwgt"] = (out["fnlwgt"] * rng.uniform(0.9, 1.1, n)).round()
    for name in out.columns[:-1]:
        gap = rng.random(n) < 0.05
        out[name] = out[name].astype(float if out[name].dtype.kind in "if" else object).mask(gap)
    return out


def pipeline(tree: Any) -> Any:
    words = make_pipeline(
        SimpleImputer(strategy="most_frequent"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    )
    coder = make_column_transformer(
        (words, make_column_selector(dtype_include=object)), remainder="passthrough"
    )
    return make_pipeline(coder, tree)


def strings() -> None:
    frame = adult_like()
    X, y = frame.drop(columns="income"), frame["income"]
    heading("Adult-like: 500 000 rows, strings and gaps, frame to tree")
    tree = tl.DecisionTreeClassifier(max_depth=8)
    peer, hist = pipeline(DecisionTreeClassifier(max_depth=8)), pipeline(one_tree(8))
    bars: dict[str, tuple[Call, float]] = {
        "scikit-learn pipeline": (lambda: peer.fit(X, y), 1),
        "HistGB pipeline": (lambda: hist.fit(X, y), 1),
    }
    category = X.astype(dict.fromkeys(X.select_dtypes(object), "category"))
    raced("depth 8", lambda: tree.fit(X, y), bars)
    light = lightgbm(category, y == ">50K", 8)
    raced("depth 8, category columns", lambda: tree.fit(category, y), light, 3)
    whole = tl.DecisionTreeClassifier()
    full = pipeline(DecisionTreeClassifier())
    raced(
        "full depth",
        lambda: whole.fit(X, y),
        {"scikit-learn pipeline": (lambda: full.fit(X, y), 1)},
    )


def files() -> None:
    frame = adult_like(1_000_000)
    heading("csv of 1 000 000 mixed rows to tree, depth 8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        frame.to_csv(path, index=False)
        tree = tl.DecisionTreeClassifier(max_depth=8)
        peer = pipeline(DecisionTreeClassifier(max_depth=8))

        def theirs() -> Any:
            read = pd.read_csv(path)
            return peer.fit(read.drop(columns="income"), read["income"])

        def by_polars() -> Any:
            import polars as pl

            read = pl.read_csv(path).to_pandas()
            words = read.select_dtypes(["object", "string"]).columns.drop("income")
            X = read.drop(columns="income").astype(dict.fromkeys(words, "category"))
            ((fit, _),) = lightgbm(X, read["income"] == ">50K", 8).values()
            return fit()

        bars: dict[str, tuple[Call, float]] = {"pandas + scikit-learn": (theirs, 1)}
        if importlib.util.find_spec("lightgbm") is not None:
            bars["polars + LightGBM"] = (by_polars, 1)
        raced("csv to tree", lambda: tree.fit(path, "income"), bars)


def small() -> None:
    heading("small tables, as they come")
    X, y = load_iris(return_X_y=True)
    tables = [("iris", pd.DataFrame(X, columns=list("abcd")), pd.Series(y))]
    titanic = pd.read_csv(SHARED / "titanic.csv").drop(columns=["name", "ticket", "cabin"])
    adult = pd.read_csv(SHARED / "adult_train.csv.gz", na_values="?")
    for name, frame, target in (("titanic", titanic, "survived"), ("adult", adult, "income")):
        tables.append((name, frame.drop(columns=target), frame[target]))
    for name, X, y in tables:
        _small(name, X, y)


def _small(name: str, X: Any, y: Any) -> None:
    tree, peer = tl.DecisionTreeClassifier(), pipeline(DecisionTreeClassifier())
    theirs: dict[str, tuple[Call, float]] = {"scikit-learn pipeline": (lambda: peer.fit(X, y), 1)}
    raced(f"{name} fit", lambda: tree.fit(X, y), theirs, 5)
    theirs = {"scikit-learn pipeline": (lambda: peer.predict(X), 1)}
    raced(f"{name} predict", lambda: tree.predict(X), theirs, 5)


def growth() -> None:
    """The cost over rows and columns: n log n in rows, linear in columns."""
    heading("how the cost of a full exact tree grows (ours; seconds, and over n p log2 n in ns)")
    for n, p in ((10_000, 20), (100_000, 20), (1_000_000, 20), (100_000, 10), (100_000, 40)):
        X, y = make_classification(n, p, n_informative=5, flip_y=0.05, random_state=0)
        tree = tl.DecisionTreeClassifier()
        seconds = best(lambda tree=tree, X=X, y=y: tree.fit(X, y), 3)
        each = seconds / (n * p * np.log2(n)) * 1e9
        print(f"n = {n:>9,}, p = {p:>2}   {seconds:8.4f} s   {each:6.2f} ns", flush=True)


PARTS: dict[str, Callable[[], None]] = {
    "deep": lambda: numbers(100_000, 30, (8, None)),
    "large": lambda: numbers(1_000_000, 20, (8,)),
    "full": lambda: numbers(1_000_000, 20, (None,)),
    "measures": measures,
    "classes": classes,
    "strings": strings,
    "files": files,
    "small": small,
    "growth": growth,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
