"""Sufficient statistics of least squares: rows, means and cross-products of columns and targets.

A block of rows is tallied as a scatter matrix, as the triangle R of a QR factorisation, or exactly
(``tally_products``); for cross-validation separately for every fold. ``fold_moments`` turns a tally
into the design matrix's columns with rows, means and scatter of every fold, with missing values
filled by the mean, rare categories pooled and reference categories dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.engines.ordered_sum import pairwise_sum
from tallylearn.folds.hashing import STEP, splitmix64
from tallylearn.models.design.columns import (
    ColumnChoice,
    References,
    choose_columns,
    encode_block,
    encoded_names,
    no_column,
)
from tallylearn.models.design.filled_scatter import (
    as_floats,
    check_finite,
    columns_of,
    fill_scatter,
    pooled_mean,
    sums_of,
    too_small,
)
from tallylearn.models.design.matrix import ROOM, Design
from tallylearn.models.design.missing_values import find_missing, select_learnable
from tallylearn.models.design.pooled_categories import PART, joint_scatter, pool_rare_values
from tallylearn.models.design.powers import append_powers, group_summands
from tallylearn.models.design.rare_categories import RareValues
from tallylearn.tables import BLOCK, WIDE_BLOCK_NUMBERS, Array, Block, Codes
from tallylearn.tallies import Bundle, Counts, Products, Scatter, Triangle
from tallylearn.tallies.centred_sums import two_sum
from tallylearn.tallies.pairs import GAP, Names, count_measured, split_names
from tallylearn.tallies.weight_kinds import RowsByValue

# Rows of a broad block from a file that one task tallies: blocks in memory have that size.
ROWS_PER_TASK = BLOCK // 4
# Squares of smaller numbers are subnormal and lose digits; from 1e-162 on they are 0.
MIN_MAGNITUDE = 1e-140

RowsByFold = tuple[Block, Codes]  # rows, and what each is counted by
TallyKind = type[Scatter] | type[Products] | type[Triangle]


def tally_products(
    block: Block, kind: TallyKind, degree: int, *, missing: str, folds: int, few: RareValues
) -> Bundle:
    """The products of a block, whose rare values are one; folds are dealt by what rows hold."""
    block = select_learnable(block, missing)
    rows = block, assign_folds(block, folds)
    if not few.values:
        return _tally_in_pieces(rows, kind, degree, ())
    block, counts = pool_rare_values(block, few)
    tally = _tally_in_pieces((block, rows[1]), kind, degree, tuple(few.by_column))
    return Bundle({**tally.parts, PART: counts})


def _tally_in_pieces(
    rows: RowsByFold, kind: TallyKind, degree: int, together: tuple[str, ...]
) -> Bundle:
    """Of a wide table a few rows at a time, or shared out on threads."""
    block, by = rows
    width = len(block.schema.numbers) * degree + sum(len(c.values) for c in block.codes.values())
    most = max(1, ROOM // max(1, width))
    count = partial(_tally_rows, kind=kind, degree=degree, together=together)
    if (block.codes or degree > 1) and len(block) > most:
        pieces = (slice(at, at + most) for at in range(0, len(block), most))
        found = (count((block[piece], by[piece])) for piece in pieces)
        return sum(found, start=Bundle())
    if width >= WIDE_BLOCK_NUMBERS and len(block) > ROWS_PER_TASK:
        pieces = (slice(at, at + ROWS_PER_TASK) for at in range(0, len(block), ROWS_PER_TASK))
        shares = [(block[piece], by[piece]) for piece in pieces]
        return pairwise_sum(engines.map_threads(count, shares)) or Bundle()
    return count(rows)


def _tally_rows(
    rows: RowsByFold, kind: TallyKind, degree: int, together: tuple[str, ...]
) -> Bundle:
    block, by = rows
    part: Any = None
    if issubclass(kind, Scatter) and degree == 1 and not (block.codes or block.text):
        part = _complete_scatter(block, by)
    if part is None:
        part = _tally_with_missing(rows, kind, degree, together)
    name = "triangle" if kind is Triangle else "numbers"
    return Bundle({"target": Counts.of(by, weight=block.weight), name: part})


def _complete_scatter(block: Block, by: Codes) -> Scatter | None:
    """The scatter of numbers without gaps; None where there may be one.

    Their sums tell: to look at the numbers before takes as long as to move them to their centre.
    """
    y = targets_of(block)
    names = _with_target_names(encoded_names(block), y)
    found = Scatter.complete(block.numbers, by, names, block.weight, beside=y)
    return found if np.isfinite(found.mean).all() else None


def _tally_with_missing(
    rows: RowsByFold, kind: TallyKind, degree: int, together: tuple[str, ...]
) -> Any:
    """The products, with an indicator of the gaps for every column that has some."""
    block, by = rows
    gaps, y, exactly = find_missing(block), targets_of(block), issubclass(kind, Products)
    named = encoded_names(block, gaps, together)
    names, x = append_powers(block, named, encode_block(block, gaps), degree, exactly)
    names = _with_target_names(names, y)
    if issubclass(kind, Products):
        return kind.of(np.hstack([x, y]), by, names, block.weight, block.start)
    return kind.of(x, by, names, block.weight, block.start, beside=y)


def _with_target_names(names: Names, y: Array) -> Names:
    return (*names, *(("", f"!{t}") for t in range(y.shape[1])))


def targets_of(block: Block) -> Array:
    """(n, t) the targets of a block, side by side."""
    if not isinstance(block.target, tuple):
        return np.asarray(block.target, dtype=np.float64)[:, None]
    return np.column_stack([np.asarray(y, dtype=np.float64) for y in block.target])


def assign_folds(block: Block, folds: int) -> Codes:
    """What the rows are counted by: one key for all, or a fold that what they hold decides.

    So a row is in the same fold in any order, and rows that are alike are in one; rows of a group
    stay together.
    """
    if folds == 1:
        return block.counting_keys()
    if block.group is not None:
        names = np.array([hash_text(str(value)) for value in block.group.values], dtype=np.uint64)
        number = names[block.group.codes]
    else:
        number = _hash_rows(block)
    part = (splitmix64(0, number) % np.uint64(folds)).astype(np.int32)
    return block.counting_keys(Codes(tuple(range(folds)), part))


def hash_text(text: str) -> int:
    """A number of 64 bits for a text, the same everywhere."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8).astype(np.uint64)
    return (
        int(splitmix64(1, np.cumsum(data * splitmix64(2, np.arange(len(data)))))[-1])
        if len(data)
        else 0
    )


def _hash_rows(block: Block) -> Array:
    """(n,) a number for what every row holds: numbers, categories and targets."""
    with np.errstate(over="ignore"):
        out = np.zeros(len(block), dtype=np.uint64)
        for column in (*block.numbers.T, *targets_of(block).T):
            bits = (column + 0.0).view(np.uint64)  # -0.0 is 0.0
            out = out * STEP + (bits ^ (bits >> np.uint64(29)))
        for codes in block.codes.values():
            named = np.array([hash_text(str(v)) for v in codes.values] + [0], dtype=np.uint64)
            out = out * STEP + named[codes.codes]
    return out


@dataclass(frozen=True)
class FoldMoments:
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
        if each.min(initial=np.inf) >= MIN_MAGNITUDE**2:
            return
        own, size = each.max(axis=0), np.abs(self.mean).max(axis=0)
        tiny = np.flatnonzero((size > 0) & (size < MIN_MAGNITUDE) & (own < MIN_MAGNITUDE**2))
        tiny = tiny[tiny >= self.p] if exact else tiny
        if len(tiny):
            names = [*self.design.columns, *[""] * (self.mean.shape[1] - self.p)]
            raise too_small([names[j] for j in tiny])

    def total(self) -> FoldMoments:
        """All folds as one, by the merge of Chan, Golub and LeVeque (1983)."""
        return self if len(self.rows) == 1 else self.merge(np.ones(len(self.rows), dtype=bool))

    def leave_out(self, fold: int) -> FoldMoments:
        """All folds but one."""
        return self.merge(np.arange(len(self.rows)) != fold)

    def merge(self, which: Array) -> FoldMoments:
        """Some folds as one."""
        rows, means, lows = self.rows[which], self.mean[which], self.low[which]
        n = float(rows.sum())
        mean, low = pooled_mean(rows[:, None], means, lows)
        apart = ((means - mean) + (lows - low)) * np.sqrt(rows)[:, None]
        scatter = self.scatter[which].sum(axis=0) + apart.T @ apart
        return FoldMoments(self.design, np.array([n]), mean[None], scatter[None], low[None])


@dataclass(frozen=True)
class DesignOptions:
    """How names are to become columns: what a learner's options say of it."""

    min_rows: float = 1
    missing: str = "indicator"
    reference: References | None = None

    def choose_columns(
        self, names: Names, sums: Array, rows: float, few: RareValues | None = None
    ) -> ColumnChoice:
        """The columns; gaps have none where they are only filled."""
        plan = choose_columns(
            names, sums, rows=rows, min_rows=self.min_rows, reference=self.reference, few=few
        )
        if self.missing == "indicator":
            return plan
        kept = np.array([j for j in plan.kept if plan.names[j][1] != GAP], dtype=np.int64)
        return ColumnChoice(
            names=plan.names,
            pooled=plan.pooled,
            kept=kept,
            beside=plan.beside,
            base=plan.base,
            rare=plan.rare,
        )

    @property
    def complete(self) -> bool:
        """Whether rows with gaps are refused."""
        return self.missing in ("refuse", "drop")


def fold_moments(tally: Bundle, how: DesignOptions) -> FoldMoments:
    """The sums of a tally, every gap filled, whether it has a scatter, a triangle, or both."""
    counts: Counts = tally["target"]
    triangle: Triangle | None = tally.get("triangle")
    free = how.reference is None  # of what only categories have
    if triangle is not None and "numbers" not in tally and free and triangle.plain:
        return _moments_of_triangle(triangle, counts, how)
    scatter, rows = scatter_of_tally(tally), counts.floats()
    scatter = scatter.reindex(counts.keys[0], scatter.names)
    if free and scatter.plain and scatter.count.shape[1] == 1:
        return _moments_of_numbers(
            scatter,
            rows,
            mean=scatter.mean[..., 0],
            low=scatter.low[..., 0],
            scatter=scatter.scatter,
            how=how,
        )
    by_value = RowsByValue.of(tally, scatter.names, sums_of(scatter), counts.weight)
    plan = how.choose_columns(scatter.names, *by_value, joint_scatter(tally))
    found = fill_scatter(columns_of(scatter, plan), rows)
    p = len(plan.kept)
    design = plan.design(found.fill[:p], found.gaps[:p].round(9), how.complete)
    return FoldMoments(design, rows, found.mean, found.scatter, found.low)


def _moments_of_triangle(triangle: Triangle, counts: Counts, how: DesignOptions) -> FoldMoments:
    """From a triangle of numbers without gaps: below its first row are their deviations."""
    triangle = triangle.reindex(counts.keys[0], triangle.names)
    root, rows = triangle.root, counts.floats()
    away = root[:, 0, 1:] / np.where(rows > 0, root[:, 0, 0], 1.0)[:, None]
    mean, low = two_sum(triangle.centre, away)
    inside = root[:, 1:, 1:]
    return _moments_of_numbers(
        triangle, rows, mean=mean, low=low, scatter=inside.swapaxes(1, 2) @ inside, how=how
    )


def _moments_of_numbers(
    tally: Scatter | Triangle,
    rows: Array,
    mean: Array,
    low: Array,
    scatter: Array,
    how: DesignOptions,
) -> FoldMoments:
    """Of numbers without gaps all are columns, as they are, before the targets."""
    check_finite(tally.columns, scatter)
    if not (p := len(tally.values) - count_measured(tally.values)):
        raise no_column()
    fill = pooled_mean(rows[:, None], mean, low)[0][:p]
    names = tally.columns[:p], tally.values[:p]
    design = Design(*names, fill, np.zeros(p), (), (), complete=how.complete)
    return FoldMoments(design, rows, mean, scatter, low)


def scatter_of_tally(tally: Bundle) -> Scatter:
    """All that was summed, as a scatter."""
    parts = [as_floats(_join_summands(part)) for part in [tally.get("numbers")] if part is not None]
    if (triangle := tally.get("triangle")) is not None:
        parts.append(scatter_of_triangle(triangle))
    return sum(parts[1:], start=parts[0]) if parts else Scatter.empty()


def _join_summands(tally: Scatter | Products) -> Scatter | Products:
    """Powers that were counted as several summands, each as one, in floats."""
    if isinstance(tally, Scatter) or len(group_summands(tally.names)) == len(tally.names):
        return tally
    near = tally.to_scatter()
    groups = group_summands(near.names)  # whose order is the scatter's
    names = tuple(groups)
    into = np.zeros((len(names), len(near.names)))
    for at, group in enumerate(groups.values()):
        into[at, group] = 1.0
    one = [group[0] for group in groups.values()]
    count, (mean, low) = near.count, two_sum(into @ near.mean, into @ near.low)
    if count.shape[1] > 1:
        count, mean, low = count[:, one][:, :, one], mean[:, :, one], low[:, :, one]
    scatter = into @ near.scatter @ into.T
    return Scatter(near.keys, *split_names(names), count=count, mean=mean, scatter=scatter, low=low)


def scatter_of_triangle(tally: Triangle) -> Scatter:
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
    mean, low = (
        np.where(shown == 0, 0.0, part) for part in two_sum(tally.centre[:, :, None], left)
    )
    assert scatter.shape == (len(tally.keys), p, p)
    parts = Scatter(
        keys=tally.keys,
        columns=tally.columns,
        values=tally.values,
        count=shown,
        mean=mean,
        scatter=scatter,
        low=low,
    )
    return parts._prune()
