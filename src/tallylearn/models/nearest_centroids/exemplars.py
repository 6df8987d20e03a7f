"""Exemplars: rows, made up or real, that stand for the rows of a class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.model import ROUNDING_TOLERANCE
from tallylearn.folds.hashing import splitmix64
from tallylearn.models.clustering.lloyd import lloyd_in_memory
from tallylearn.models.clustering.nearest_centres import CodedPoints, NearestCentre
from tallylearn.models.clustering.seeding import plus_plus
from tallylearn.models.nearest_centroids.mixed_space import Space, mode
from tallylearn.models.neighbors.distances import minkowski_power
from tallylearn.tables import Array, Block, field_schemas, row_number

KINDS = ("mean", "median", "geometric_mean", "geometric_median", "medoid")
TRIED = (1, 2, 3, 4, 5, 6, 8, 10)  # exemplars a class, where validation chooses
FOLDS = 5
N_STARTS = 5  # of k-means, of which the one with the least inertia counts
FAR = 2.0**20  # times the largest coordinate of an exemplar: rows beyond compare differences
STEEPEST = 100.0  # power of Minkowski's distance whose differences are computed without rounding
TILE = 1024  # rows of a class whose distances to all others are in memory at a time


@dataclass(frozen=True)
class Exemplars:
    """Points, the class that each stands for, and how distances to them are measured."""

    points: Array  # (m, w) numbers, then codes; NaN where all rows of a class have a gap
    labels: Array  # (m,) int64, places among the classes
    space: Space
    kind: str
    spread: float  # the mean squared distance of the rows to the nearest of their class
    rows: int = 0  # that they were found among; 0 in files that do not tell

    form: ClassVar[field_schemas.Form] = {
        "points": field_schemas.floats("m", "w", gaps=True),
        "labels": field_schemas.integers("m", least=0),
        "space": field_schemas.one(Space),
        "kind": field_schemas.text(*KINDS),
        "spread": field_schemas.number(least=0.0),
        "rows": field_schemas.count(),
    }

    def check(self, classes: int, columns: int) -> None:
        """What a file says stands for every class, in all columns."""
        self.space.check(columns)
        if self.points.shape[1] != self.space.width or {*self.labels.tolist()} != {*range(classes)}:
            raise ValueError("a class has no exemplar, or one of other columns")
        codes = self.points[:, columns:]
        there = codes[~np.isnan(codes)]
        if (there < 0).any() or (there != np.floor(there)).any():
            raise ValueError("an exemplar has a category that is none")
        if (self.space.metric != "gower" and np.isnan(self.points).any()) or any(
            np.nanmax(codes[:, j], initial=-1) >= len(values)
            for j, values in enumerate(self.space.values)
        ):
            raise ValueError("an exemplar has gaps, or a category that is none")

    def nearest(self, x: Array, classes: int) -> tuple[Array, Array]:
        """(n, k) the distance to the nearest exemplar of every class, and which one that is."""
        apart = self.space.distances(x, self.points)
        least, which = np.empty((len(x), classes)), np.empty((len(x), classes), dtype=np.int64)
        for c in range(classes):
            at = np.flatnonzero(self.labels == c)
            which[:, c] = at[apart[:, at].argmin(axis=1)]
            least[:, c] = apart[np.arange(len(x)), which[:, c]]
        return least, which

    def relative(self, x: Array, least: Array) -> Array:
        """(n, k) the distances to the classes, ``least`` of ``nearest``, less that of the best.

        Classes whose distances differ by rounding alone are tied: both have 0.
        """
        found, size = least.copy(), least.min(axis=1)
        rows = self._find_far_rows(x)
        if len(rows):
            excess = _excess(x[rows], self.points, minkowski_power(self.space.metric, self.space.p))
            of_class = [excess[:, self.labels == c].min(axis=1) for c in range(least.shape[1])]
            found[rows] = np.column_stack(of_class)
            size[rows] = np.abs(found[rows]).max(axis=1)
        out = found - found.min(axis=1, keepdims=True)
        out[out <= ROUNDING_TOLERANCE * size[:, None]] = 0.0
        return np.asarray(out)

    def _find_far_rows(self, x: Array) -> Array:
        """The rows from which the exemplars differ in distance by little more than rounding."""
        straight = self.space.metric in ("euclidean", "manhattan", "chebyshev")
        if not straight and not (self.space.metric == "minkowski" and self.space.p <= STEEPEST):
            return np.empty(0, dtype=np.int64)
        most = FAR * float(np.abs(self.points).max(initial=0.0))
        return np.flatnonzero(np.abs(x).max(axis=1, initial=0.0) > most)


def _excess(x: Array, points: Array, p: float) -> Array:
    """(n, m) how much longer x - z is than x, of rows x (n, w) and points z (m, w) nearer to 0.

    With u = |x| / max |x| and t = (|x - z| - |x|) / max |x|, the power sum of x - z is that of u
    and Σ ((u + t)^p - u^p), in which nothing large cancels: u^p (exp(p log(1 + t / u)) - 1).
    """
    out = np.empty((len(x), len(points)))
    size = np.abs(x).max(axis=1, keepdims=True)
    u = np.abs(x) / size
    for m, z in enumerate(points):
        # |x - z| - |x|: z or -z beyond both, and 2x - z between 0 and z
        longer = np.sign(-z) * (2 * np.clip(x, np.minimum(z, 0.0), np.maximum(z, 0.0)) - z)
        if np.isinf(p):
            out[:, m] = ((np.abs(x) - size) + longer).max(axis=1)
            continue
        t = longer / size
        small = np.abs(t) < 0.5 * u
        ratio = np.where(small, t / np.where(small, u, 1.0), 0.0)
        whole = np.abs(x - z) / size
        terms = np.where(small, u**p * np.expm1(p * np.log1p(ratio)), whole**p - u**p)
        start = (u**p).sum(axis=1)
        grown = np.expm1(np.log1p(terms.sum(axis=1) / start) / p)
        out[:, m] = size[:, 0] * (start ** (1 / p) * grown)
    return out


def choose_exemplars(
    x: Array, y: Array, k: int, number: int | str, space: Space, kind: str
) -> Exemplars:
    """Exemplars of rows (n, w) whose classes (n,) are places among k; "cv" tries how many."""
    if isinstance(number, str):
        number = _by_validation(x, y, k, space, kind)
    points, labels = [], []
    for c in range(k):
        found = _of_class(x[y == c], number, space, kind)
        points.append(found)
        labels += [c] * len(found)
    out = Exemplars(np.vstack(points), np.array(labels, dtype=np.int64), space, kind, 0.0)
    own = out.nearest(x, k)[0][np.arange(len(x)), y]
    own = own[np.isfinite(own)]  # a row may have no column in common with what stands for it
    spread = float(np.mean(own**2)) if len(own) else 0.0
    return replace(out, spread=spread, rows=len(x))


def check_different(
    x: Array, y: Array, classes: tuple[Any, ...], number: int | str, space: Space
) -> None:
    """Every class has as many different rows as exemplars are asked for; "cv" takes what is."""
    if isinstance(number, str) or number == 1:
        return
    for c, name in enumerate(classes):
        different = len(np.unique(space.coordinates(x[y == c]), axis=0))
        if different < number:
            seen = f"{different} distinct row{'s' * (different != 1)}"
            raise InputError(
                f"class {name!r} has {seen}, fewer than centroids_per_class={number}. Use "
                f"{different} or fewer, or 'cv', which allows each class at most its distinct rows."
            )


def _by_validation(x: Array, y: Array, k: int, space: Space, kind: str) -> int:
    """The number that is right most often on rows that were left out; the least of several."""
    fold = (splitmix64(0, np.arange(len(x))) % np.uint64(FOLDS)).astype(np.int64)
    right = []
    for number in TRIED:
        hits = 0
        for f in range(FOLDS):
            train, test = fold != f, fold == f
            if len({*y[train].tolist()}) < k or not test.any():
                continue
            found = choose_exemplars(x[train], y[train], k=k, number=number, space=space, kind=kind)
            hits += int((found.nearest(x[test], k)[0].argmin(axis=1) == y[test]).sum())
        right.append(hits)
    return TRIED[int(np.argmax(right))]


def _of_class(x: Array, number: int, space: Space, kind: str) -> Array:
    """(m, w) one exemplar for every cluster of the rows of a class."""
    placed = space.coordinates(x) if number > 1 else x[:0]
    different = len(np.unique(placed, axis=0))
    if different <= 1:
        return exemplar(x, space, kind)[None]
    return np.vstack(
        [exemplar(x[own], space, kind) for own in _clusters(placed, number, different)]
    )


def _clusters(x: Array, number: int, different: int) -> list[Array]:
    """The rows of every cluster by k-means, as numbers of rows."""
    points = CodedPoints(np.ascontiguousarray(x - x.mean(axis=0)), np.zeros(x.shape[1]))
    rng, weight, k = np.random.default_rng(0), np.ones(len(x)), min(number, different)
    starts = [plus_plus(points.x, weight, k, rng) for _ in range(N_STARTS)]
    ends = [lloyd_in_memory(points, weight, start) for start in starts]
    centres, _ = min(ends, key=lambda end: end[1])
    labels, _ = NearestCentre.labels(points, centres)
    return [at for c in range(len(centres)) if len(at := np.flatnonzero(labels == c))]


def exemplar(x: Array, space: Space, kind: str) -> Array:
    """(w,) what stands for rows (n, w): of a category the value that most of them have."""
    if kind == "medoid":
        sums = np.concatenate([
            space.distances(x[at : at + TILE], x).sum(axis=1) for at in range(0, len(x), TILE)
        ])  # fmt: skip
        return np.asarray(x[int(sums.argmin())])
    p = len(space.scale)
    modes = [mode(codes) for codes in x[:, p:].T]
    return np.concatenate([_centre(x[:, :p], kind), modes])


def _centre(x: Array, kind: str) -> Array:
    """(p,) of numbers; gaps are left out, and a column of nothing else stays a gap."""
    if kind == "geometric_median":
        return geometric_median(x)
    centre: Any = {"median": np.median, "mean": np.mean, "geometric_mean": np.mean}[kind]
    seen = np.log(x) if kind == "geometric_mean" else x
    if np.isnan(seen).any():
        columns = [column[~np.isnan(column)] for column in seen.T]
        found = np.array([centre(one) if len(one) else np.nan for one in columns])
    else:
        found = centre(seen, axis=0)
    return np.asarray(np.exp(found) if kind == "geometric_mean" else found)


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


def check_positive(x: Array, columns: tuple[str, ...], block: Block) -> None:
    """A geometric mean is of numbers above 0."""
    if (odd := x <= 0).any():
        row, j = (int(at[0]) for at in np.nonzero(odd))
        raise InputError(
            f"column {columns[j]!r} is {x[row, j]:g} in row {row_number(block.start, row)}, and a "
            "geometric mean needs positive numbers. Use exemplar='mean' or 'geometric_median'."
        )
