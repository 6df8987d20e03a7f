"""C4.5 beside our own CART, absolute error and prediction beside scikit-learn, in CPU seconds.

Usage: bench_c45.py [part ...], parts as in PARTS.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from timing import heading

import tallylearn as tl

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
Call = Callable[[], Any]


def spent(call: Call, runs: int = 3) -> float:
    """The least CPU time of several runs."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def raced(title: str, peer: str, ours: Call, theirs: Call, most: float, runs: int = 3) -> None:
    """Our time over the peer's, and whether it is at most the bar."""
    ours()
    theirs()
    mine, other = spent(ours, runs), spent(theirs, runs)
    mine = min(mine, spent(ours, 1))
    mark = "met" if mine <= most * other else "MISSED"
    print(
        f"{title:<40} {peer:<20} {mine * 1e3:9.2f} ms {other * 1e3:9.2f} ms"
        f" {mine / other:6.2f}x   at most {most:g}x {mark}",
        flush=True,
    )


def limited(title: str, call: Call, most: float) -> None:
    """Our time against a bar in seconds."""
    call()
    mine = spent(call, 5)
    mark = "met" if mine <= most else "MISSED"
    print(f"{title:<61} {mine * 1e3:9.2f} ms   at most {most * 1e3:g} ms {mark}", flush=True)


def growing() -> None:
    heading("C45 over CART(criterion='entropy'), 100 000 x 20, CPU time")
    draw = np.random.default_rng(1)
    X, y = make_classification(
        100_000, 20, n_informative=8, n_redundant=2, flip_y=0.05, random_state=0
    )
    cart = tl.CART(criterion="entropy")
    for name in ("no gaps", "5 % gaps"):
        raced(f"C45, {name}", "our CART", lambda: tl.C45().fit(X, y), lambda: cart.fit(X, y), 5, 2)
        X[draw.random(X.shape) < 0.05] = np.nan
    coarse = np.round(draw.normal(size=(100_000, 20)), 1)
    noisy = (coarse[:, 0] + coarse[:, 1] * coarse[:, 2] > 0) ^ (draw.random(len(coarse)) < 0.25)
    raced(
        "C45, few values, a quarter noise", "our CART", lambda: tl.C45().fit(coarse, noisy),
        lambda: cart.fit(coarse, noisy), 5, 2,
    )  # fmt: skip


def medians() -> None:
    heading("absolute error, CPU time")
    draw = np.random.default_rng(0)
    X = draw.normal(size=(20_000, 10))
    y = X[:, 0] * 2 + np.sin(X[:, 1] * 3) + draw.normal(size=len(X)) * 0.3
    weight = draw.random(len(X))
    for n, depth in ((20_000, 4), (20_000, 8), (20_000, None), (5_000, None)):
        options: dict[str, Any] = {"criterion": "absolute_error", "max_depth": depth}
        ours, peer = tl.DecisionTreeRegressor(**options), DecisionTreeRegressor(**options)
        for name, w in (("", None), (", weights", weight[:n])):
            part = X[:n], y[:n], w
            raced(
                f"{n} x 10, depth {depth or 'full'}{name}", "scikit-learn",
                lambda ours=ours, part=part: ours.fit(part[0], part[1], sample_weight=part[2]),
                lambda peer=peer, part=part: peer.fit(part[0], part[1], sample_weight=part[2]),
                1, 2,
            )  # fmt: skip


def predicting() -> None:
    heading("prediction, CPU time")
    for n, p in ((100_000, 30), (100_000, 5), (20_000, 10)):
        X, y = make_classification(
            n, p, n_informative=p - 1, n_redundant=0, flip_y=0.05, random_state=0
        )
        ours, peer = tl.CART().fit(X, y), DecisionTreeClassifier().fit(X, y)
        raced(
            f"full depth, {n} x {p}", "scikit-learn", lambda ours=ours, X=X: ours.predict(X),
            lambda peer=peer, X=X: peer.predict(X), 1, 7,
        )  # fmt: skip
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(200_000, 5)), draw.integers(0, 2, 200_000)
    ours, peer = tl.CART().fit(X, y), DecisionTreeClassifier().fit(X, y)
    raced(
        f"one row, {len(ours.tree_):,} nodes", "scikit-learn", lambda: ours.predict(X[:1]),
        lambda: peer.predict(X[:1]), 1, 20,
    )  # fmt: skip
    names = pd.DataFrame(
        {f"c{j}": [f"v{i}" for i in draw.integers(0, 1000, 20_000)] for j in range(5)}
    )
    for model in (tl.CART(), tl.ID3(), tl.C45()):
        model.fit(names, draw.integers(0, 2, 20_000))
        limited(
            f"one row, 1,000 categories, {len(model.tree_):,} nodes",
            lambda model=model: model.predict(names[:1]), 1e-3,
        )  # fmt: skip


def showing() -> None:
    heading("gains, ties and pruning curves, CPU time")
    adult = pd.read_csv(SHARED / "adult_train.csv.gz", na_values="?")
    tree = tl.CART(max_depth=3).fit(adult, "income")
    limited("gains(0) of Adult", lambda: tree.gains(0, adult, "income"), 1.0)
    for n in (2_000, 4_000):
        x, y = np.arange(float(n)), np.arange(n) % 2
        chain = tl.CART().fit(np.c_[x, x], y)
        limited(f"ties() of a chain of depth {n:,}", chain.ties, 1.0)
        limited(
            f"pruning_curve of a chain of depth {n:,}",
            lambda chain=chain, x=x, y=y: chain.pruning_curve(np.c_[x, x], y), 1.0,
        )  # fmt: skip


PARTS: dict[str, Callable[[], None]] = {
    "growing": growing,
    "medians": medians,
    "predicting": predicting,
    "showing": showing,
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
