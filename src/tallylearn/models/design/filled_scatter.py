"""Scatters of filled tables: what was summed over rows with gaps, as if these had been filled.

Means and scatters are of every pair of columns where both are shown, so that what fills a gap can
be decided afterwards, when the mean is known, and no row is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tallylearn.errors import ColumnError, quoted_list
from tallylearn.models.design.columns import ColumnChoice
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array
from tallylearn.tallies import Products, Scatter
from tallylearn.tallies.centred_sums import two_sum
from tallylearn.tallies.pairs import split_names

SAME = 1e-12  # counts closer than this, relatively, are one: sums of weights are rounded


@dataclass(frozen=True)
class FilledScatter:
    """Means and scatters of every class, gaps filled by the mean of their column."""

    mean: Array  # (k, p)
    fill: Array  # (p,)
    gaps: Array  # (p,) rows that were filled
    scatter: Array  # (k, p, p)
    low: Array  # (k, p) digits of the mean beyond a double


def sums_of(scatter: Scatter) -> Array:
    """(p,) of every column over the rows that show it: of an indicator, the rows of its value."""
    own, mean = scatter.counts_and_means()
    return np.asarray((own * mean).sum(axis=0))


def columns_of(scatter: Scatter, plan: ColumnChoice) -> Scatter:
    """The columns that were chosen, rare values as one; last those beside them."""
    scatter = _pool_scatter(scatter, plan)
    at = plan.places_among(scatter.names)
    return scatter if at == [*range(len(scatter.names))] else scatter.select_columns(np.array(at))


def _pool_scatter(scatter: Scatter, plan: ColumnChoice) -> Scatter:
    """One indicator for all rare values of a column, the last of its: the sum of theirs."""
    if not plan.rare.columns:
        return scatter
    into = np.zeros((len(plan.names), len(plan.pooled)))
    into[plan.pooled, np.arange(len(plan.pooled))] = 1.0
    one = np.unique(plan.pooled, return_index=True)[1]  # gaps are those of any value
    count, mean, low = scatter.count, into @ scatter.mean, into @ scatter.low
    if count.shape[1] > 1:
        count, mean, low = count[:, one][:, :, one], mean[:, :, one], low[:, :, one]
    arrays = count, mean, into @ scatter.scatter @ into.T, low
    return Scatter(scatter.keys, *split_names(plan.names), *arrays)


def fill_scatter(scatter: Scatter, rows: Array) -> FilledScatter:
    """The scatter of the filled table, of so many rows in every class (k,).

    With d the deviation from the class's mean c and f = fill - c, the products of a pair are summed
    over rows that show both (n), one or none of the columns; where all is shown, f drops out.
    """
    check_finite(scatter.columns, scatter.scatter)
    (own, c), whole, low = scatter.counts_and_means(), rows[:, None], scatter.low
    below = low[:, :, 0] if low.shape[2] == 1 else np.diagonal(low, axis1=1, axis2=2)
    fill = pooled_mean(own, c, below)[0]
    if (np.abs(scatter.count - whole[..., None]) <= SAME * whole[..., None]).all():
        gaps = np.zeros(len(scatter.names))
        return FilledScatter(c.copy(), fill, gaps, scatter.scatter, below.copy())
    n, pair = (np.broadcast_to(p, scatter.scatter.shape) for p in (scatter.count, scatter.mean))
    own = np.broadcast_to(own, c.shape)
    own = np.where(np.abs(own - whole) <= SAME * whole, whole, own)  # sums of weights are rounded
    f = np.where(own > 0, (fill - c) - below, 0.0)
    off = np.where(n > 0, (pair - c[:, :, None]) + (low - below[:, :, None]), 0.0)
    turned, other = off.swapaxes(1, 2), f[:, None, :]
    shown = n * (off * turned - other * off - f[:, :, None] * turned)
    share = own / np.maximum(whole, 1e-300)
    unshown = f[:, :, None] * other * (n - own[:, :, None] * share[:, None, :])
    mean, rest = two_sum(c, below + (1 - share) * f)
    mean, rest = np.where(own > 0, mean, fill), np.where(own > 0, rest, 0.0)
    gaps = (whole - own).sum(axis=0)
    return FilledScatter(mean, fill, gaps, scatter.scatter + shown + unshown, rest)


def pooled_mean(rows: Array, mean: Array, low: Array | float = 0.0) -> tuple[Array, Array]:
    """(p,) of all classes, from means (k, p) over so many rows; where these agree, exactly that.

    And the digits beyond a double.
    """
    if len(mean) == 1 and np.count_nonzero(rows) == rows.size:
        return mean[0], low[0] if isinstance(low, np.ndarray) else np.full(mean.shape[1], low)
    own = np.broadcast_to(rows, mean.shape)
    base = mean[own.argmax(axis=0), np.arange(mean.shape[1])]
    return two_sum(base, (own * ((mean - base) + low)).sum(axis=0) / own.sum(axis=0))


def as_floats(tally: Scatter | Products) -> Scatter:
    """A scatter of either kind in floats."""
    if isinstance(tally, Scatter):
        return tally
    try:
        return tally.to_scatter()
    except OverflowError:
        raise too_wide(tally.columns) from None


def check_finite(columns: Sequence[str], scatter: Array) -> None:
    """Refuse sums (k, p, p) beyond a double, with their columns."""
    if not np.isfinite(scatter).all():
        wide = np.asarray(~np.isfinite(scatter).all(axis=(0, 2)))
        raise too_wide([c for c, w in zip(columns, wide, strict=True) if w])


def too_wide(columns: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"numbers in {_places(columns)} are so large, or so far apart in size, that their products "
        "overflow a double. Divide them by a constant."
    )


def too_small(columns: Sequence[str]) -> ColumnError:
    return ColumnError(
        f"numbers in {_places(columns)} are so small that their squares underflow a double. "
        "Multiply them by a constant."
    )


def _places(columns: Sequence[str]) -> str:
    """Columns by name; what was summed without one is the target."""
    named = dict.fromkeys(column for column in columns if column)
    said = [quoted_list(named)] if named else []
    return " and ".join([*said, *(["the target"] if "" in columns else [])])


@contextmanager
def solve_filled(columns: Callable[[], Iterable[str]]) -> Iterator[None]:
    """On one thread; numbers that no factorisation can hold are an error that names columns."""
    try:
        with one_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            yield
    except np.linalg.LinAlgError:
        raise too_wide(sorted(columns())) from None
