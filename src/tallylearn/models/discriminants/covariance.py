"""Spreads: the mean and the covariance of every class, out of a scatter and its gaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tallylearn.blas import one_thread
from tallylearn.errors import ColumnError, listed
from tallylearn.models.design_matrix import POOLED, Design
from tallylearn.models.discriminants.fourth_moments import fourths
from tallylearn.models.discriminants.pooling import taken_together
from tallylearn.models.rare_values import Rare, rare
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Counts, Products, Scatter
from tallylearn.tallies.pairs import apart

SAME = 1e-12  # counts closer than this, relatively, are one: sums of weights are rounded
ROUNDING = 32 * np.finfo(np.float64).eps  # of a mean: a deviation below it is none
WIDE = 256  # columns from which on it pays to look whether few rows span them
ZERO = 1e-10  # a share of the largest eigenvalue that rounding alone may leave


@dataclass(frozen=True)
class Spread:
    """Rows, means and scatters of the classes, every gap filled by the mean of its column."""

    rows: Array  # (k,)
    mean: Array  # (k, p)
    scatter: Array  # (k, p, p)
    design: Design
    fourth: Array = field(default_factory=lambda: np.empty((0, 0, 0)))
    # (k + 1, p, p) scatter of the squared deviations, last that of all rows; for shrinkage="auto"

    @property
    def covariance(self) -> Array:
        """(k, p, p) maximum likelihood: divided by the rows."""
        return np.asarray(self.scatter / np.maximum(self.rows, 1e-300)[:, None, None])

    def total(self) -> Array:
        """(p, p) covariance of all rows around their common mean."""
        n = self.rows.sum()
        apart = self.mean - self.rows @ self.mean / n
        return np.asarray((self.scatter.sum(axis=0) + (apart.T * self.rows) @ apart) / n)

    def varying(self) -> Spread:
        """Without the columns that are the same in every row."""
        level = np.abs(self.mean).max(axis=0)
        flat = np.diag(self.total()) <= (ROUNDING * level) ** 2
        at = np.flatnonzero(~flat)
        if not len(at):
            raise _no_column()
        names = (self.design.columns[j] for j in np.flatnonzero(flat) if not self.design.values[j])
        square = np.ix_(np.arange(len(self.rows)), at, at)
        design = self.design.picked(at, tuple(sorted(names)))
        return replace(self, mean=self.mean[:, at], scatter=self.scatter[square], design=design)


def spread_of(tally: Bundle, min_rows: float = 1) -> Spread:
    """From the tally: categories without their first value, rare ones pooled, gaps filled."""
    counts: Counts = tally["target"]
    scatter = _as_floats(tally.get("numbers") or Scatter.empty())
    scatter = scatter.over(counts.keys[0], scatter.names)
    few = taken_together(tally)
    if not few.values and "squares" not in tally:
        few = _rare(scatter, counts.weight, min_rows)
    scatter = _pooled(scatter, few)
    based = {name: value for name, value in reversed(scatter.names) if value}
    kept = [j for j, (name, value) in enumerate(scatter.names) if based.get(name) != value]
    if not kept:
        raise _no_column()
    scatter = scatter.picked(np.array(kept, dtype=np.int64))
    rows = counts.floats()
    _check_finite(scatter)
    mean, fill, gaps, filled = _filled(scatter, rows)
    first = {name: values[0] for name, values in few.by_column.items()}
    base = {name: first[name] if based[name] == POOLED else based[name][1:] for name in based}
    base = dict(sorted(base.items()))
    design = Design(
        scatter.columns, scatter.values, fill, gaps, tuple(base), tuple(base.values()), few
    )
    spread = Spread(rows, mean, _settled(filled, mean, rows), design)
    if "squares" not in tally:
        return spread
    if spread.design.gaps.any():
        raise ColumnError(
            "shrinkage='auto' needs a table without gaps. Fill them, or give a number from 0 to 1."
        )
    return replace(spread, fourth=fourths(tally["squares"], counts.keys[0], scatter.names))


def _no_column() -> ColumnError:
    return ColumnError(
        "no column varies: there is nothing to learn from. Add numbers or categories that do."
    )


def _rare(scatter: Scatter, rows: float, min_rows: float) -> Rare:
    """The values of categories that too few rows have, by the sums of their indicators."""
    shape = scatter.scatter.shape
    count, mean = (np.broadcast_to(part, shape) for part in (scatter.count, scatter.mean))
    sums = (np.diagonal(count, axis1=1, axis2=2) * np.diagonal(mean, axis1=1, axis2=2)).sum(axis=0)
    counted: dict[str, dict[str, float]] = {}
    for (name, value), weight in zip(scatter.names, sums.tolist(), strict=True):
        if value:
            counted.setdefault(name, {})[value[1:]] = round(weight, 6)
    few = {name: rare(np.array([*of.values()]), rows, min_rows) for name, of in counted.items()}
    return Rare.of({name: np.array([*of])[few[name]].tolist() for name, of in counted.items()})


def _pooled(scatter: Scatter, few: Rare) -> Scatter:
    """One indicator for all rare values of a column, the last of its: the sum of theirs."""
    if not few.columns:
        return scatter
    pooled = {*zip(few.columns, few.values, strict=True)}
    named = [
        (name, POOLED if (name, value[1:]) in pooled else value) for name, value in scatter.names
    ]
    names = sorted({*named}, key=lambda pair: (pair[0], pair[1] == POOLED, pair[1]))
    place = {pair: at for at, pair in enumerate(names)}
    at = np.array([place[pair] for pair in named])
    into = np.zeros((len(names), len(named)))
    into[at, np.arange(len(named))] = 1.0
    one = np.unique(at, return_index=True)[1]  # gaps are those of any value
    count, mean = scatter.count, into @ scatter.mean
    if count.shape[1] > 1:
        count, mean = count[:, one][:, :, one], mean[:, :, one]
    arrays = count, mean, into @ scatter.scatter @ into.T
    return Scatter(scatter.keys, *apart(tuple(names)), *arrays)


def _settled(scatter: Array, mean: Array, rows: Array) -> Array:
    """Without what rounding leaves of a column that is constant within a class.

    Gaps and weights are filled and weighed in floats: a column of 123.456 keeps a variance of 1e-29
    then, and would be blown up to one like the others.
    """
    variance = np.diagonal(scatter, axis1=1, axis2=2) / np.maximum(rows, 1e-300)[:, None]
    flat = variance <= (ROUNDING * mean) ** 2
    return np.where(flat[:, :, None] | flat[:, None, :], 0.0, scatter)


def _as_floats(tally: Scatter | Products) -> Scatter:
    if isinstance(tally, Scatter):
        return tally
    try:
        return tally.rounded()
    except OverflowError:
        raise too_wide(tally.columns) from None


def _check_finite(scatter: Scatter) -> None:
    wide = np.asarray(~np.isfinite(scatter.scatter).all(axis=(0, 2)))
    if wide.any():
        raise too_wide([c for c, w in zip(scatter.columns, wide, strict=True) if w])


def too_wide(columns: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"numbers in {listed(dict.fromkeys(columns))} are so large, or so far apart in size, that "
        "their products are beyond a double. Rescale them."
    )


def _filled(scatter: Scatter, rows: Array) -> tuple[Array, Array, Array, Array]:
    """Means (k, p), what fills (p,), gaps (p,) and scatters (k, p, p) of the filled table.

    With d the deviation from the class's mean c and f = fill - c, the products of a pair are summed
    over rows that show both (n), one or none of the columns; where all is shown, f drops out.
    """
    shape = scatter.scatter.shape
    n, pair = (np.broadcast_to(part, shape) for part in (scatter.count, scatter.mean))
    own, c = (np.diagonal(part, axis1=1, axis2=2) for part in (n, pair))
    fill = (own * c).sum(axis=0) / own.sum(axis=0)
    whole = rows[:, None]
    if np.allclose(n, whole[..., None], rtol=SAME, atol=0):
        return c.copy(), fill, np.zeros(shape[1]), scatter.scatter
    f = np.where(own > 0, fill - c, 0.0)
    off = np.where(n > 0, pair - c[:, :, None], 0.0)
    turned, other = off.swapaxes(1, 2), f[:, None, :]
    shown = n * (off * turned - other * off - f[:, :, None] * turned)
    share = own / np.maximum(whole, 1e-300)
    unshown = f[:, :, None] * other * (n - own[:, :, None] * share[:, None, :])
    mean = np.where(own > 0, c + (1 - share) * f, fill)
    return mean, fill, (whole - own).sum(axis=0), scatter.scatter + shown + unshown


def axes(matrix: Array) -> tuple[Array, Array]:
    """The eigenvalues (p,), smallest first, and the eigenvectors, as columns.

    Of a wide matrix that few rows have spanned only as many columns are factored as there were
    rows: all of them would take minutes.
    """
    p = len(finite(matrix))
    if p > WIDE and (root := _root(matrix, p // 4)) is not None:
        vectors, deviations, _ = np.linalg.svd(root, full_matrices=True)
        values = np.zeros(p)
        values[: len(deviations)] = deviations**2
        return values[::-1], vectors[:, ::-1]
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors


def finite(matrix: Array) -> Array:
    """The matrix, if LAPACK can take it: with a NaN some routines print, and some never end."""
    if not np.isfinite(matrix).all():
        raise np.linalg.LinAlgError("a number is beyond a double")
    return matrix


def _root(matrix: Array, most: int) -> Array | None:
    """(p, r) with root rootᵀ = matrix, by Cholesky's way; None where r would be above ``most``."""
    left = np.diag(matrix).copy()
    least = len(matrix) * np.finfo(np.float64).eps * left.max(initial=0)
    out = np.zeros((len(matrix), most))
    for r in range(most):
        j = int(left.argmax())
        if left[j] <= least:
            return out[:, :r]
        out[:, r] = (matrix[:, j] - out[:, :r] @ out[j, :r]) / np.sqrt(left[j])
        left -= out[:, r] ** 2
        left[j] = 0.0
    return None


@contextmanager
def solving(names: Iterable[str]) -> Iterator[None]:
    """On one thread; numbers that no factorisation can hold are an error that names columns."""
    try:
        with one_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            yield
    except np.linalg.LinAlgError:
        raise too_wide(sorted(names)) from None


def degenerate(covariance: Array, names: Sequence[str]) -> str:
    """Which columns are constant, and which are sums of others; "" where none is."""
    deviation = np.sqrt(np.diag(covariance).clip(0))
    constant = deviation <= 0
    scale = np.where(constant, 1.0, deviation)
    scaled = covariance / scale / scale[:, None]
    if not np.isfinite(scaled).all():  # beyond a double: rounding has no say
        return ""
    values, vectors = axes(scaled)
    null = vectors[:, values <= ZERO * max(values.max(initial=0), 1e-300)]
    mixed = (np.abs(null).max(axis=1, initial=0) > 1e-6) & ~constant
    said = []
    for which, verb in ((constant, "constant"), (mixed, "collinear")):
        found = [name for name, is_so in zip(names, which, strict=True) if is_so]
        if found:
            said.append(f"{listed(found)} {'is' if len(found) == 1 else 'are'} {verb}")
    return ", and ".join(said)
