"""Exemplars: rows, made up or real, that stand for the rows of a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn import forms
from tallylearn.errors import InputError
from tallylearn.folds.hashing import hashed
from tallylearn.models.clusters.lloyd import Lloyd, Points, labelled, run
from tallylearn.models.clusters.seeding import plus_plus
from tallylearn.models.neighbours.distances import directions
from tallylearn.tables import Array

METRICS = ("euclidean", "manhattan", "chebyshev", "cosine")
KINDS = ("mean", "median", "geometric_mean", "geometric_median", "medoid")
TRIED = (1, 2, 3, 4, 5, 6, 8, 10)  # exemplars a class, where validation chooses
FOLDS = 5
TILE = 1024  # rows of a class whose distances to all others are in memory at a time


@dataclass(frozen=True)
class Exemplars:
    """Points, the class that each stands for, and how distances to them are measured."""

    points: Array  # (m, p)
    labels: Array  # (m,) int64, places among the classes
    metric: str
    kind: str
    spread: float  # the mean squared distance of the rows to the nearest of their class
    rows: int = 0  # that they were found among; 0 in files that do not tell

    form: ClassVar[forms.Form] = {
        "points": forms.floats("m", "p"),
        "labels": forms.integers("m", least=0),
        "metric": forms.text(*METRICS),
        "kind": forms.text(*KINDS),
        "spread": forms.number(least=0.0),
        "rows": forms.count(),
    }

    def check(self, classes: int, columns: int) -> None:
        """What a file says stands for every class, in all columns."""
        if self.points.shape[1] != columns or {*self.labels.tolist()} != {*range(classes)}:
            raise ValueError("a class has no exemplar, or one of other columns")

    def apart(self, x: Array) -> Array:
        """(n, m) the distances of rows to all exemplars."""
        return distances(x, self.points, self.metric)

    def nearest(self, x: Array, classes: int) -> tuple[Array, Array]:
        """(n, k) the distance to the nearest exemplar of every class, and which one that is."""
        apart = self.apart(x)
        least, which = np.empty((len(x), classes)), np.empty((len(x), classes), dtype=np.int64)
        for c in range(classes):
            at = np.flatnonzero(self.labels == c)
            which[:, c] = at[apart[:, at].argmin(axis=1)]
            least[:, c] = apart[np.arange(len(x)), which[:, c]]
        return least, which


def chosen(x: Array, y: Array, k: int, number: int | str, metric: str, kind: str) -> Exemplars:
    """Exemplars of rows (n, p) whose classes (n,) are places among k; "cv" tries how many."""
    if isinstance(number, str):
        number = _by_validation(x, y, k, metric, kind)
    points, labels = [], []
    for c in range(k):
        found = _of_class(x[y == c], number, metric, kind)
        points.append(found)
        labels += [c] * len(found)
    every, which = np.vstack(points), np.array(labels, dtype=np.int64)
    out = Exemplars(every, which, metric, kind, 0.0)
    own = out.nearest(x, k)[0][np.arange(len(x)), y]
    return Exemplars(every, which, metric, kind, float(np.mean(own**2)), len(x))


def _by_validation(x: Array, y: Array, k: int, metric: str, kind: str) -> int:
    """The number that is right most often on rows that were left out; the least of several."""
    fold = (hashed(0, np.arange(len(x))) % np.uint64(FOLDS)).astype(np.int64)
    right = []
    for number in TRIED:
        hits = 0
        for f in range(FOLDS):
            train, test = fold != f, fold == f
            if len({*y[train].tolist()}) < k or not test.any():
                continue
            found = chosen(x[train], y[train], k, number, metric, kind)
            hits += int((found.nearest(x[test], k)[0].argmin(axis=1) == y[test]).sum())
        right.append(hits)
    return TRIED[int(np.argmax(right))]


def _of_class(x: Array, number: int, metric: str, kind: str) -> Array:
    """(m, p) one exemplar for every cluster of the rows of a class."""
    different = len(np.unique(x, axis=0)) if number > 1 else 1
    if different == 1:
        return exemplar(x, metric, kind)[None]
    return np.vstack([exemplar(x[own], metric, kind) for own in _clusters(x, number, different)])


def _clusters(x: Array, number: int, different: int) -> list[Array]:
    """The rows of every cluster by k-means, as numbers of rows."""
    points = Points.of(np.ascontiguousarray(x - x.mean(axis=0)), None)
    rng = np.random.default_rng(0)
    ends = [
        run(points, Lloyd.bare(plus_plus(points, min(number, different), rng))) for _ in range(5)
    ]
    best = min(ends, key=lambda end: end.inertia)
    labels = labelled(points.x, best.centres)[0]
    return [at for c in range(len(best.centres)) if len(at := np.flatnonzero(labels == c))]


def exemplar(x: Array, metric: str, kind: str) -> Array:
    """(p,) what stands for rows (n, p)."""
    if kind == "mean":
        return np.asarray(x.mean(axis=0))
    if kind == "median":
        return np.asarray(np.median(x, axis=0))
    if kind == "geometric_mean":
        return np.asarray(np.exp(np.log(x).mean(axis=0)))
    if kind == "geometric_median":
        return geometric_median(x)
    sums = np.concatenate([
        distances(x[at : at + TILE], x, metric).sum(axis=1) for at in range(0, len(x), TILE)
    ])  # fmt: skip
    return np.asarray(x[int(sums.argmin())])


def geometric_median(x: Array) -> Array:
    """The point whose distances to all rows have the least sum.

    Weiszfeld's steps, which may not stop at a row that is not it: Y. Vardi and C.-H. Zhang, The
    multivariate L1-median and associated data depth, PNAS 97, 2000.

    >>> geometric_median(np.array([[0.0, 0], [4, 0], [4, 3], [0, 3]])).tolist()
    [2.0, 1.5]
    """
    at = x.mean(axis=0)
    size = float(np.abs(x - at).max())
    for _ in range(1000):
        apart = x - at
        length = np.sqrt(np.einsum("ij,ij->i", apart, apart))
        off = length > 1e-14 * size
        if not off.any():
            return np.asarray(at)
        weight = 1 / length[off]
        pull = weight @ apart[off]
        here = int((~off).sum())
        force = float(np.sqrt(pull @ pull))
        if force <= here:
            return np.asarray(at)
        step = (1 - here / force) * pull / weight.sum()
        at = at + step
        if np.abs(step).max() <= 1e-13 * size:
            break
    return np.asarray(at)


def distances(x: Array, z: Array, metric: str) -> Array:
    """(n, m) from every row of x to every row of z."""
    from scipy.spatial.distance import cdist

    if metric == "cosine":
        return np.asarray(0.5 * cdist(directions(x), directions(z), "sqeuclidean"))
    names = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}
    return np.asarray(cdist(x, z, names[metric]))


def check_positive(x: Array, columns: tuple[str, ...]) -> None:
    """A geometric mean is of numbers above 0."""
    if (odd := x <= 0).any():
        row, j = (int(at[0]) for at in np.nonzero(odd))
        raise InputError(
            f"column {columns[j]!r} has {x[row, j]:g} in row {row}, and a geometric mean is of "
            "numbers above 0. Take exemplar='mean' or 'geometric_median'."
        )
