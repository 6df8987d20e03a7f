"""k-means beside scikit-learn, in one process: 1e6 rows x 20 columns, k = 10."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn import cluster
from timing import heading, versus

import tallylearn as tl

RNG = np.random.default_rng(0)


def main() -> None:
    heading("k-means: 1e6 x 20, k = 10")
    X = RNG.normal(size=(1_000_000, 20))
    X[:300_000] += 2
    X[300_000:500_000, :5] -= 3
    start = X[:10]
    ours = tl.KMeans(10, init=start, max_iter=30)
    theirs = cluster.KMeans(10, init=start, n_init=1, max_iter=30)
    versus("30 rounds from the same start", partial(ours.fit, X), partial(theirs.fit, X), 1.5, 1)
    mine, peer = tl.KMeans(10), cluster.KMeans(10, random_state=0)
    versus("k-means++, to the end", partial(mine.fit, X), partial(peer.fit, X), 1.5, 1)
    versus("predict", partial(mine.predict, X), partial(peer.predict, X), 1, 5)
    print(f"inertia: ours {mine.inertia_:.6g}, scikit-learn's {peer.inertia_:.6g}")


if __name__ == "__main__":
    main()
