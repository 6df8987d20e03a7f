"""Spreads: the mean and the covariance of every class, out of a scatter and its gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.models.design.columns import choose_columns, no_column
from tallylearn.models.design.filled_scatter import (
    as_floats,
    columns_of,
    fill_scatter,
    pooled_mean,
    sums_of,
)
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.pooled_categories import joint_scatter
from tallylearn.models.discriminants.fourth_moments import fourths
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Counts, Scatter
from tallylearn.tallies.weight_kinds import RowsByValue

MIN_COLUMNS_FOR_ROOT = 256  # columns from which on it pays to look whether few rows span them
ZERO = 1e-10  # a share of the largest eigenvalue that rounding alone may leave


@dataclass(frozen=True)
class ClassScatter:
    """Rows, means and scatters of the classes, every gap filled by the mean of its column."""

    rows: Array  # (k,)
    mean: Array  # (k, p)
    scatter: Array  # (k, p, p)
    design: Design
    fourth: Array = field(default_factory=lambda: np.empty((0, 0, 0)))
    # (k + 1, p, p) scatter of the squared deviations, last that of all rows; for shrinkage="auto"
    low: Array = field(default_factory=lambda: np.zeros(0))  # (k, p) digits of the means beyond

    def __post_init__(self) -> None:
        if not self.low.size:
            object.__setattr__(self, "low", np.zeros(self.mean.shape))

    @property
    def covariance(self) -> Array:
        """(k, p, p) maximum likelihood: divided by the rows."""
        return np.asarray(self.scatter / np.maximum(self.rows, 1e-300)[:, None, None])

    def total(self) -> Array:
        """(p, p) covariance of all rows around their common mean."""
        n = self.rows.sum()
        centre, rest = pooled_mean(self.rows[:, None], self.mean, self.low)
        apart = (self.mean - centre) + (self.low - rest)
        return np.asarray((self.scatter.sum(axis=0) + (apart.T * self.rows) @ apart) / n)

    def varying(self) -> ClassScatter:
        """Without the columns that are the same in every row."""
        flat = np.diag(self.total()) <= 0  # what is constant leaves nothing to round
        at = np.flatnonzero(~flat)
        if not len(at):
            raise no_column()
        names = (self.design.columns[j] for j in np.flatnonzero(flat & self.design.numeric))
        square = np.ix_(np.arange(len(self.rows)), at, at)
        design = self.design.select_columns(at, tuple(sorted(names)))
        mean, low = self.mean[:, at], self.low[:, at]
        fourth = self.fourth[:, at][:, :, at] if self.fourth.size else self.fourth
        scatter = self.scatter[square]
        return replace(self, mean=mean, low=low, scatter=scatter, design=design, fourth=fourth)


def spread_of(tally: Bundle, min_rows: float = 1) -> ClassScatter:
    """From the tally: categories without their first value, rare ones pooled, gaps filled."""
    counts: Counts = tally["target"]
    scatter = as_floats(tally.get("numbers") or Scatter.empty())
    scatter = scatter.reindex(counts.keys[0], scatter.names)
    least = 1.0 if "squares" in tally else min_rows
    few = joint_scatter(tally)
    by_value = RowsByValue.of(tally, scatter.names, sums_of(scatter), counts.weight)
    plan = choose_columns(scatter.names, *by_value, least, few=few)
    scatter, rows = columns_of(scatter, plan), counts.floats()
    found = fill_scatter(scatter, rows)
    design = plan.design(found.fill, found.gaps)
    spread = ClassScatter(rows, found.mean, found.scatter, design, low=found.low)
    if "squares" not in tally:
        return spread
    if spread.design.gaps.any():
        names = [spread.design.names[j] for j in np.flatnonzero(spread.design.gaps)]
        raise ColumnError(
            f"shrinkage='auto' accepts no missing values, and {quoted_list(names)} has some. Fill "
            "them with tl.SimpleImputer() in a tl.Pipeline, or pass shrinkage a number from 0 to 1."
        )
    return replace(spread, fourth=fourths(tally["squares"], counts.keys[0], scatter.names))


def axes(matrix: Array) -> tuple[Array, Array]:
    """The eigenvalues (p,), smallest first, and the eigenvectors, as columns.

    Of a wide matrix that few rows have spanned only as many columns are factored as there were
    rows: all of them would take minutes.
    """
    p = len(check_finite_matrix(matrix))
    if p > MIN_COLUMNS_FOR_ROOT and (root := _root(matrix, p // 4)) is not None:
        vectors, deviations, _ = np.linalg.svd(root, full_matrices=True)
        values = np.zeros(p)
        values[: len(deviations)] = deviations**2
        return values[::-1], vectors[:, ::-1]
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors


def check_finite_matrix(matrix: Array) -> Array:
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


def describe_degenerate(covariance: Array, names: Sequence[str]) -> str:
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
            said.append(f"{quoted_list(found)} {'is' if len(found) == 1 else 'are'} {verb}")
    return ", and ".join(said)
