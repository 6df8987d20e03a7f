"""Distances between rows: names of metrics, formulas, and functions of pairs of rows."""

from __future__ import annotations

import numpy as np

from tallylearn.errors import ColumnError, InputError
from tallylearn.kernels import row_distances
from tallylearn.tables import Array, Schema

SQUARE_RANGE = 1e-140, 1e150  # distances whose squares, and sums of these, a double can hold
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "gower")
ALIASES = {"l1": "manhattan", "cityblock": "manhattan", "l2": "euclidean"}
FORMULAS = {
    "euclidean": "d(x, z) = sqrt(Σ (x - z)²)",
    "manhattan": "d(x, z) = Σ |x - z|",
    "chebyshev": "d(x, z) = max |x - z|",
    "minkowski": "d(x, z) = (Σ |x - z|^p)^(1/p)",
    "cosine": "d(x, z) = 1 - x · z / (|x| |z|)",
    "gower": "d(x, z) = mean over the columns that both have: |x - z| / range, or x differs from z",
}


def resolve_metric(metric: str, p: float) -> str:
    """The usual name of a metric: "l2", and "minkowski" with p=2, are "euclidean"."""
    metric = ALIASES.get(metric, metric)
    powers = {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}
    return powers.get(float(p), metric) if metric == "minkowski" else metric


def minkowski_power(metric: str, p: float) -> float:
    """The power of the Minkowski metric that this is."""
    return {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}.get(metric, p)


def pair_distances(
    points: Array, rows: Array, queries: Array, whose: Array, metric: str, p: float
) -> Array:
    """(c,) from row ``rows[c]`` of the points to query ``whose[c]``, for every c."""
    if metric == "euclidean":
        out = np.empty(len(rows))
        row_distances.euclid(points, rows, queries, whose, out)
        return out
    with np.errstate(over="ignore"):
        apart = np.abs(points[rows] - queries[whose])
        if metric == "manhattan":
            return np.asarray(apart.sum(axis=1))
        largest = apart.max(axis=1, initial=0.0)
        if metric == "chebyshev":
            return np.asarray(largest)
        # by the largest way: a power of 1e-40 is 0, and one of 1e40 infinite
        size = np.where((largest > 0) & (largest < np.inf), largest, 1.0)
        return np.asarray(size * ((apart / size[:, None]) ** p).sum(axis=1) ** (1 / p))


def distance_matrix(x: Array, z: Array, metric: str, p: float) -> Array:
    """(n, m) from every row of x to every row of z, by SciPy; not cosine nor Gower's."""
    from scipy.spatial.distance import cdist

    name = {"manhattan": "cityblock"}.get(metric, metric)
    options = {"p": p} if name == "minkowski" else {}
    return np.asarray(cdist(x, z, name, **options))


def power_of_two(largest: float) -> float:
    """The greatest power of two up to a number from 1e-300 to 1e300; 1 for any other.

    To divide by it is exact, and brings the squares of numbers up to this one within a double.
    """
    return float(2.0 ** np.floor(np.log2(largest))) if 1e-300 < largest < 1e300 else 1.0


def extreme_scale(numbers: Array) -> float:
    """The power of two that is about as large as the largest number, if that is far from 1."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if 1e-100 < largest < 1e100 or not 0 < largest < np.inf:
        return 1.0
    return float(2.0 ** np.floor(np.log2(largest)))


def check_squares(numbers: Array) -> None:
    """Rows lie neither so near nor so far apart that a double loses the squares of that."""
    if not len(numbers):
        return
    with np.errstate(over="ignore"):
        ends = (end.reduce(numbers, axis=0) for end in (np.fmax, np.fmin))
        width = float(np.fmax.reduce(np.subtract(*ends), initial=0.0))
    if not width or SQUARE_RANGE[0] < width < SQUARE_RANGE[1]:
        return
    verb = "underflows" if width < 1 else "overflows"
    raise InputError(
        f"the widest range of a column is {width:.3g}, whose square {verb} a double. Multiply the "
        "columns by a constant, or put tl.MinMaxScaler() before this estimator in a tl.Pipeline."
    )


def check_kinds(metric: str, schema: Schema) -> None:
    """Categories are compared by Gower's distance alone."""
    if metric != "gower" and schema.categories:
        name = schema.categories[0]
        raise ColumnError(
            f"column {name!r} holds categories, and metric={metric!r} compares numbers. Set "
            "metric='gower', encode it with tl.OneHotEncoder(), or leave it out with "
            f"tl.table(..., ignore=[{name!r}])."
        )


def normalise_rows(points: Array) -> Array:
    """Rows of length one; a row of zeros has no direction, and stays."""
    largest = np.abs(points).max(axis=1, initial=0.0)[:, None]
    near = points / np.where(largest > 0, largest, 1.0)  # whose squares neither vanish nor overflow
    length = np.sqrt(np.einsum("ij,ij->i", near, near))[:, None]
    return np.asarray(near / np.where(length > 0, length, 1.0))


def gower_distances(
    numbers: tuple[Array, Array], scale: Array, codes: tuple[Array, Array]
) -> Array:
    """(n, m) from every query to every example; infinite where no column is there in both."""
    (x, z), (a, b) = (tuple(map(np.ascontiguousarray, pair)) for pair in (numbers, codes))
    out = np.empty(len(x) * len(z))
    whose, rows = np.indices((len(x), len(z))).reshape(2, -1)
    row_distances.gower(z, b, x, a, scale, rows, whose, out)
    return out.reshape(len(x), len(z))
