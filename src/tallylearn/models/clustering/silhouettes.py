"""Silhouettes: how much nearer a row lies to its own cluster than to the next.

s = (b - a) / max(a, b), with a the mean distance to the other rows of its cluster, and b the least
of its mean distances to the rows of another; 0 for a row that is a cluster alone. P. Rousseeuw,
Silhouettes: a graphical aid to the interpretation and validation of cluster analysis, 1987.
"""

from __future__ import annotations

import numpy as np

from tallylearn.errors import InputError
from tallylearn.tables import Array

TILE = 1024  # rows whose distances to all others are in memory at a time


def silhouettes(points: Array, labels: Array) -> Array:
    """(n,) of points (n, p) and the clusters that they are in."""
    from scipy.spatial.distance import cdist

    found, own = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        raise InputError(
            "all rows are in one cluster, and silhouettes compare at least two clusters. Use "
            "n_clusters=2 or more."
        )
    sizes = np.bincount(own)
    which = np.eye(len(found))[own]  # (n, k)
    out = np.zeros(len(points))
    for at in range(0, len(points), TILE):
        rows = np.arange(at, min(at + TILE, len(points)))
        sums = cdist(points[rows], points) @ which
        mine, others = own[rows], np.maximum(sizes[own[rows]] - 1, 1)
        inside = sums[np.arange(len(rows)), mine] / others
        means = sums / sizes
        means[np.arange(len(rows)), mine] = np.inf
        outside = means.min(axis=1)
        apart = np.maximum(inside, outside)
        some = (sizes[mine] > 1) & (apart > 0)
        out[rows[some]] = (outside - inside)[some] / apart[some]
    return out
