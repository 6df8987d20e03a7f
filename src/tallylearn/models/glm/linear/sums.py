"""Sums for least squares: the design of a table, and how its columns and targets vary together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallylearn.models.design.columns import Chosen, References, chosen, no_column
from tallylearn.models.design.filled_scatter import (
    as_floats,
    check_finite,
    columns_of,
    filled,
    pooled_mean,
    sums_of,
    too_small,
)
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.pooled_categories import taken_together
from tallylearn.models.design.rare_categories import Rare
from tallylearn.models.glm.linear.tallied_rows import without_more
from tallylearn.tables import Array
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Triangle
from tallylearn.tallies.centred_sums import summed
from tallylearn.tallies.importance import RowsByValue
from tallylearn.tallies.pairs import GAP, Names, apart, measured

TINY = 1e-140  # squares of smaller numbers lose digits, and from 1e-162 on they are 0


@dataclass(frozen=True)
class Sums:
    """Rows, means and scatters of every fold, columns before targets; one fold where none is."""

    design: Design
    rows: Array  # (k,)
    mean: Array  # (k, p + t)
    scatter: Array  # (k, p + t, p + t)
    low: Array  # (k, p + t) digits of the means beyond a double

    @property
    def p(self) -> int:
        return len(self.design.columns)

    def check_size(self, exact: bool = False) -> None:
        """Refuse columns whose squares are nothing to a double: they would look constant.

        Exact weights do not go by these squares; what they leave of a target is a double.
        """
        each = self.scatter.diagonal(axis1=1, axis2=2)
        if each.min(initial=np.inf) >= TINY**2:
            return
        own, size = each.max(axis=0), np.abs(self.mean).max(axis=0)
        tiny = np.flatnonzero((size > 0) & (size < TINY) & (own < TINY**2))
        tiny = tiny[tiny >= self.p] if exact else tiny
        if len(tiny):
            names = [*self.design.columns, *[""] * (self.mean.shape[1] - self.p)]
            raise too_small([names[j] for j in tiny])

    def total(self) -> Sums:
        """All folds as one, by the merge of Chan, Golub and LeVeque (1983)."""
        return self if len(self.rows) == 1 else self.merged(np.ones(len(self.rows), dtype=bool))

    def without(self, fold: int) -> Sums:
        """All folds but one."""
        return self.merged(np.arange(len(self.rows)) != fold)

    def merged(self, which: Array) -> Sums:
        """Some folds as one."""
        rows, means, lows = self.rows[which], self.mean[which], self.low[which]
        n = float(rows.sum())
        mean, low = pooled_mean(rows[:, None], means, lows)
        apart = ((means - mean) + (lows - low)) * np.sqrt(rows)[:, None]
        scatter = self.scatter[which].sum(axis=0) + apart.T @ apart
        return Sums(self.design, np.array([n]), mean[None], scatter[None], low[None])


@dataclass(frozen=True)
class Spelled:
    """How names are to become columns: what a learner's options say of it."""

    min_rows: float = 1
    missing: str = "indicator"
    reference: References | None = None

    def chosen(self, names: Names, sums: Array, rows: float, few: Rare | None = None) -> Chosen:
        """The columns; gaps have none where they are only filled."""
        plan = chosen(names, sums, rows, self.min_rows, self.reference, few)
        if self.missing == "indicator":
            return plan
        kept = np.array([j for j in plan.kept if plan.names[j][1] != GAP], dtype=np.int64)
        return Chosen(plan.names, plan.pooled, kept, plan.beside, plan.base, plan.rare)

    @property
    def complete(self) -> bool:
        """Whether rows with gaps are refused."""
        return self.missing in ("refuse", "drop")


def sums_in(tally: Bundle, how: Spelled) -> Sums:
    """The sums of a tally, every gap filled, whether it has a scatter, a triangle, or both."""
    counts: Counts = tally["target"]
    triangle: Triangle | None = tally.get("triangle")
    free = how.reference is None  # of what only categories have
    if triangle is not None and "numbers" not in tally and free and triangle.plain:
        return _of_triangle(triangle, counts, how)
    scatter, rows = scatter_in(tally), counts.floats()
    scatter = scatter.over(counts.keys[0], scatter.names)
    if free and scatter.plain and scatter.count.shape[1] == 1:
        return _of_numbers(
            scatter, rows, scatter.mean[..., 0], scatter.low[..., 0], scatter.scatter, how
        )
    by_value = RowsByValue.of(tally, scatter.names, sums_of(scatter), counts.weight)
    plan = how.chosen(scatter.names, *by_value, taken_together(tally))
    found = filled(columns_of(scatter, plan), rows)
    p = len(plan.kept)
    design = plan.design(found.fill[:p], found.gaps[:p].round(9), how.complete)
    return Sums(design, rows, found.mean, found.scatter, found.low)


def _of_triangle(triangle: Triangle, counts: Counts, how: Spelled) -> Sums:
    """From a triangle of numbers without gaps: below its first row are their deviations."""
    triangle = triangle.over(counts.keys[0], triangle.names)
    root, rows = triangle.root, counts.floats()
    away = root[:, 0, 1:] / np.where(rows > 0, root[:, 0, 0], 1.0)[:, None]
    mean, low = summed(triangle.centre, away)
    inside = root[:, 1:, 1:]
    return _of_numbers(triangle, rows, mean, low, inside.swapaxes(1, 2) @ inside, how)


def _of_numbers(
    tally: Scatter | Triangle, rows: Array, mean: Array, low: Array, scatter: Array, how: Spelled
) -> Sums:
    """Of numbers without gaps all are columns, as they are, before the targets."""
    check_finite(tally.columns, scatter)
    if not (p := len(tally.values) - measured(tally.values)):
        raise no_column()
    fill = pooled_mean(rows[:, None], mean, low)[0][:p]
    names = tally.columns[:p], tally.values[:p]
    design = Design(*names, fill, np.zeros(p), (), (), complete=how.complete)
    return Sums(design, rows, mean, scatter, low)


def scatter_in(tally: Bundle) -> Scatter:
    """All that was summed, as a scatter."""
    parts = [as_floats(_joined(part)) for part in [tally.get("numbers")] if part is not None]
    if (triangle := tally.get("triangle")) is not None:
        parts.append(as_scatter(triangle))
    return sum(parts[1:], start=parts[0]) if parts else Scatter.empty()


def _joined(tally: Scatter | Products) -> Scatter | Products:
    """Powers that were counted as several summands, each as one, in floats."""
    if isinstance(tally, Scatter) or len(without_more(tally.names)) == len(tally.names):
        return tally
    near = tally.rounded()
    groups = without_more(near.names)  # whose order is the scatter's
    names = tuple(groups)
    into = np.zeros((len(names), len(near.names)))
    for at, group in enumerate(groups.values()):
        into[at, group] = 1.0
    one = [group[0] for group in groups.values()]
    count, (mean, low) = near.count, summed(into @ near.mean, into @ near.low)
    if count.shape[1] > 1:
        count, mean, low = count[:, one][:, :, one], mean[:, :, one], low[:, :, one]
    return Scatter(near.keys, *apart(names), count, mean, into @ near.scatter @ into.T, low)


def as_scatter(tally: Triangle) -> Scatter:
    """The scatter of a triangle's rows, pairs over the rows that show both columns."""
    p, place = len(tally.columns), {name: j for j, name in enumerate(tally.names)}
    gap = np.array([place.get((name, GAP), -1) for name in tally.columns], dtype=np.int64)
    gap[[value == GAP or value[:1] == "!" for value in tally.values]] = -1
    whole = tally.root.swapaxes(1, 2) @ tally.root
    one, x = whole[:, 0, 0], whole[:, 1:, 1:]
    mark = np.where(gap[None, :, None] >= 0, x[:, gap], 0.0)  # (k, gap of j, l)
    both = np.where(gap >= 0, mark[:, :, gap], 0.0)
    ones = np.where(gap >= 0, whole[:, 0, 1:][:, gap], 0.0)
    count = one[:, None, None] - ones[:, :, None] - ones[:, None, :] + both
    first = whole[:, 0, 1:, None] - mark.swapaxes(1, 2)  # sums of j where l is shown
    shown = np.where(np.abs(count) > 1e-9 * one[:, None, None], count, 0.0)
    each = np.where(shown == 0, 1, shown)
    left = np.where(shown == 0, 0.0, first / each)
    scatter = np.where(shown == 0, 0.0, x - left * left.swapaxes(1, 2) * each)
    mean, low = (np.where(shown == 0, 0.0, part) for part in summed(tally.centre[:, :, None], left))
    assert scatter.shape == (len(tally.keys), p, p)
    parts = Scatter(tally.keys, tally.columns, tally.values, shown, mean, scatter, low)
    return parts._pruned()
