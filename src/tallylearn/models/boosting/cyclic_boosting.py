"""The fit of an additive model: bags of rows, curves by cyclic boosting, pairs that help.

Every bag leaves out a window of the rows, in the order of a hash of their content, and validates on
it: rounds end when its loss no longer falls. The terms of the bags are averaged. Pairs are ranked
by FAST at the mean of the curves (Lou, Caruana, Gehrke and Hooker, KDD 2013), the best ones are
boosted in the same bags, and those stay whose bags predict the validation rows better with them.

Rows are sorted by their hashes, so that no sum depends on the order of the table; a bag runs on one
thread, so that none depends on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tallylearn import engines
from tallylearn.kernels.boosting import additive_booster
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.losses import LOGISTIC, SOFTMAX, BoostingLoss
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array

SQUARED_KIND, LOGISTIC_KIND, SOFTMAX_KIND = range(3)  # of the kernel
ROUNDS_A_CALL = 64  # between two looks for an interrupt
MIN_HESSIAN = 1e-7  # of a leaf, as a share of the weight of all rows
CATEGORY_SMOOTHING = 10.0  # added to the Hessian of a category when categories are sorted
MAX_RANKED_ROWS = 100_000  # rows that FAST ranks pairs on
MAX_RANKED_COLUMNS = 100  # columns of the largest terms whose pairs FAST ranks
MIN_CELL_ROWS = 4  # mean rows of a cell of a pair: small tables have fewer bins
SWEEPS, SWEEP_TOL = 100, 1e-12  # of the purification of a pair


@dataclass(frozen=True)
class CyclicPlan:
    """The options of a fit."""

    learning_rate: float
    max_leaves: int
    max_rounds: int
    min_leaf: int
    patience: int
    tol: float
    bags: int
    inner_bags: int
    validation: int  # rows that a bag leaves out; 0: none, and all rounds run
    interaction_bins: int
    monotonic: Array  # (p,) int8


@dataclass(frozen=True)
class CodedRows:
    """The rows in the order of their hashes: the bins of every column, and the loss."""

    codes: Array  # (p, n) uint8
    cells: Array  # (p,) bins and the cell of missing values
    categorical: Array  # (p,) bool
    loss: BoostingLoss  # of numbers scaled, so that the largest is about 1
    baseline: Array  # (k,)
    inner: Array  # (b, n) uint8: how often each inner bag has a row

    @property
    def n(self) -> int:
        return int(self.codes.shape[1])

    @property
    def weights(self) -> Array:
        return self.loss.weights if len(self.loss.weights) else np.ones(self.n)


@dataclass(frozen=True)
class Terms:
    """What tables are of: columns, or pairs of them."""

    rows: Array  # (t, 6) int32, as the kernel takes them
    starts: Array  # (t + 1,) int64

    @classmethod
    def of(cls, rows: list[tuple[int, ...]]) -> Terms:
        sizes = [high * (wide if second >= 0 else 1) for _, second, high, wide, *_ in rows]
        starts = np.cumsum([0, *sizes]).astype(np.int64)
        return cls(np.array(rows, np.int32).reshape(-1, 6), starts)

    def __len__(self) -> int:
        return len(self.rows)

    def table(self, values: Array, t: int) -> Array:
        """(..., high, wide) the cells of a pair among those of all terms."""
        high, wide = self.rows[t, 2:4]
        return np.asarray(
            values[..., self.starts[t] : self.starts[t + 1]].reshape(*values.shape[:-1], high, wide)
        )

    def cell_of(self, codes: Array, t: int) -> Array:
        """(n,) the cell of every row in a term, counted from that of the first term."""
        first, second, _, wide = self.rows[t, :4].tolist()
        at = codes[first].astype(np.int64)
        return np.asarray(self.starts[t] + (at * wide + codes[second] if second >= 0 else at))

    def weights(self, codes: Array, weights: Array) -> Array:
        """(cells,) the weight of the rows of every cell."""
        out = np.zeros(int(self.starts[-1]))
        for t in range(len(self)):
            out += np.bincount(self.cell_of(codes, t), weights, minlength=len(out))
        return out


@dataclass(frozen=True)
class BoostedBags:
    """The terms of all bags, and how their boosting ended."""

    tables: Array  # (bags, k, cells)
    rounds: Array  # (bags,)
    losses: Array  # (bags, 2): of the validation rows, at the start and at the best round


@dataclass(frozen=True)
class AdditiveFit:
    """Curves and pairs of all bags."""

    curves: Array  # (bags, k, cells of columns)
    curve_weights: Array  # (cells of columns,)
    intercepts: Array  # (bags, k)
    groups: Array  # (cells of columns,) the row or column of a pair that a cell belongs to
    pairs: list[tuple[int, int]]
    pair_tables: Array  # (bags, k, cells of pairs)
    pair_weights: Array
    rounds: Array  # (bags, 2): of curves and of pairs
    losses: Array  # (bags, 3): at the start, of the curves, with the pairs; none without validation


def coded_rows(
    table: BinnedColumns, loss: BoostingLoss, hashes: Array, inner_bags: int
) -> CodedRows:
    """The rows in the order of their hashes, with classes spread evenly over that order."""
    order = np.argsort(hashes, kind="stable")
    if len(loss.weights):
        order = np.lexsort((loss.weights, hashes))
    baseline = loss.baseline()
    if loss.n_classes:
        labels = loss.labels[order]
        place = np.empty(len(order))
        for c in range(loss.n_classes):
            own = np.flatnonzero(labels == c)
            place[own] = (np.arange(len(own)) + 0.5) / max(len(own), 1)
        order = order[np.argsort(place, kind="stable")]
    width = table.codes.shape[2]
    codes = np.empty((len(table.bins), len(order)), np.uint8)
    for j in range(len(codes)):
        codes[j] = table.codes[j // width, :, j % width][order]
    inner = np.zeros((inner_bags, len(order)), np.uint8)
    for b in range(inner_bags):  # bootstrap counts of a large table are Poisson
        seeds = hashes[order] ^ np.uint64((b + 1) * 0x9E3779B97F4A7C15 & (2**64 - 1))
        inner[b] = _poisson(seeds)
    return CodedRows(
        codes, table.bins + 1, table.categorical > 0, loss.at(order), baseline, inner=inner
    )


def _poisson(seeds: Array) -> Array:
    """(n,) Poisson counts of mean 1, from numbers that look random."""
    z = seeds * np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(31)
    z *= np.uint64(0x94D049BB133111EB)
    uniform = (z >> np.uint64(11)).astype(np.float64) / 2.0**53
    reached = np.cumsum([math.exp(-1) / math.factorial(i) for i in range(12)])
    return np.searchsorted(reached, uniform).astype(np.uint8)


def fit_additive(
    rows: CodedRows,
    plan: CyclicPlan,
    wanted: list[tuple[int, int]] | int,
    done: Callable[[int], None] | None = None,
) -> AdditiveFit:
    """Boost the curves of all bags, then their pairs.

    ``wanted`` are the pairs, or how many of those that FAST ranks first.
    """
    columns = Terms.of(
        [
            (j, -1, int(rows.cells[j]), 0, int(rows.categorical[j]), int(plan.monotonic[j]))
            for j in range(len(rows.codes))
        ]
    )
    start = np.repeat(rows.baseline[:, None], rows.n, axis=1)
    curves = _boost(rows, plan, rows.codes, columns, raw=lambda b: start, done=done)
    weights = columns.weights(rows.codes, rows.weights)
    spread = _spread(columns, curves.tables.mean(axis=0), weights)
    found = _without_pairs(rows, columns, curves, weights)
    if (isinstance(wanted, int) and wanted < 1) or not wanted:
        return _centred(found, columns)
    groups = pair_groups(rows, columns, curves.tables.mean(axis=0), weights, plan)
    coarse = np.stack([groups[columns.starts[j] + rows.codes[j]] for j in range(len(rows.codes))])
    coarse = np.ascontiguousarray(coarse, dtype=np.uint8)
    sizes = _group_sizes(columns, groups)

    def pair_terms(pairs: list[tuple[int, int]]) -> Terms:
        return Terms.of([(a, b, sizes[a], sizes[b], 0, 0) for a, b in pairs])

    raws = [start + _sums(columns, rows.codes, table) for table in curves.tables]
    if isinstance(wanted, int):
        mean = start + _sums(columns, rows.codes, curves.tables.mean(axis=0))
        ranked = _ranked_pairs(rows, plan, coarse, pair_terms, mean, spread=spread)
        wanted = ranked[:wanted]
    if not wanted:
        return _centred(found, columns)
    pairs = pair_terms(wanted)
    boosted = _boost(rows, plan, coarse, pairs, raw=lambda b: raws[b], done=done)
    kept = list(range(len(wanted)))
    if plan.validation:
        kept = _helpful(rows, plan, coarse, pairs, boosted=boosted, raws=raws)
    if not kept:
        return _centred(found, columns)
    final = pair_terms([wanted[t] for t in kept])
    cells = np.concatenate([np.arange(pairs.starts[t], pairs.starts[t + 1]) for t in kept])
    losses = found.losses
    if plan.validation:
        losses = np.column_stack([losses[:, :2], boosted.losses[:, 1]])
    return _centred(
        _purified(
            replace(
                found, groups=groups, pairs=[wanted[t] for t in kept],
                pair_tables=boosted.tables[:, :, cells],
                pair_weights=final.weights(coarse, rows.weights),
                rounds=np.column_stack([curves.rounds, boosted.rounds]), losses=losses,
            ), columns, final,
        ), columns,
    )  # fmt: skip


def _without_pairs(
    rows: CodedRows, columns: Terms, curves: BoostedBags, weights: Array
) -> AdditiveFit:
    bags = len(curves.tables)
    return AdditiveFit(
        curves=curves.tables, curve_weights=weights,
        intercepts=np.repeat(rows.baseline[None], bags, axis=0),
        groups=np.zeros(int(columns.starts[-1]), np.int64), pairs=[],
        pair_tables=np.zeros((bags, len(rows.baseline), 0)), pair_weights=np.zeros(0),
        rounds=np.column_stack([curves.rounds, 0 * curves.rounds]),
        losses=np.column_stack([curves.losses, curves.losses[:, 1:]]),
    )  # fmt: skip


def windows(n: int, bags: int, size: int) -> list[Array]:
    """For every bag the rows from, to, and whether they train: a window of others validates."""
    found = []
    for b in range(bags):
        start = b * n // bags
        end = start + size
        if end <= n:
            parts = [(0, start, 1), (start, end, 0), (end, n, 1)]
        else:
            parts = [(0, end - n, 0), (end - n, start, 1), (start, n, 0)]
        found.append(np.array([part for part in parts if part[1] > part[0]], np.int64))
    return [part.reshape(-1, 3) for part in found]


def _boost(
    rows: CodedRows,
    plan: CyclicPlan,
    codes: Array,
    terms: Terms,
    raw: Callable[[int], Array],
    done: Callable[[int], None] | None = None,
) -> BoostedBags:
    """Boost the terms of every bag, each on one thread."""
    segments = windows(rows.n, plan.bags, plan.validation)

    def one(b: int) -> tuple[Array, int, tuple[float, float]]:
        booster = _booster(rows, plan, codes, terms, raw=raw(b), segments=segments[b])
        left = plan.max_rounds
        while left > 0:
            check_halted()
            if booster.run(min(left, ROUNDS_A_CALL)):
                break
            left -= ROUNDS_A_CALL
        if done is not None:
            done(1)
        losses = np.asarray(booster.losses)
        best = booster.best_round if plan.validation else booster.n_rounds
        return np.array(booster.best), best, (float(losses[0]), float(losses[booster.best_round]))

    found = engines.map_threads(one, range(plan.bags))
    return BoostedBags(
        np.stack([tables for tables, _, _ in found]),
        np.array([rounds for _, rounds, _ in found], np.int64),
        np.array([losses for _, _, losses in found])
        if plan.validation
        else np.zeros((plan.bags, 2)),
    )


def _booster(
    rows: CodedRows, plan: CyclicPlan, codes: Array, terms: Terms, raw: Array, segments: Array
) -> additive_booster.AdditiveBooster:
    loss = rows.loss
    kind = {LOGISTIC: LOGISTIC_KIND, SOFTMAX: SOFTMAX_KIND}.get(loss.link, SQUARED_KIND)
    unit = float(rows.weights.mean())  # the scale of the weights changes nothing
    options = {
        "loss": kind, "rate": plan.learning_rate, "max_leaves": plan.max_leaves,
        "min_leaf": plan.min_leaf, "min_hessian": MIN_HESSIAN * unit * rows.n,
        "smoothing": CATEGORY_SMOOTHING * unit, "patience": plan.patience, "tol": plan.tol,
    }  # fmt: skip
    labels = np.ascontiguousarray(loss.labels, dtype=np.int32)
    parts = (np.ascontiguousarray(loss.y), labels, loss.weights, rows.inner)
    return additive_booster.AdditiveBooster(
        codes, (terms.rows, terms.starts), parts, segments, raw, options
    )


def _sums(terms: Terms, codes: Array, tables: Array) -> Array:
    """(k, n) the sums of the terms for every row, from tables (k, cells)."""
    out = np.zeros((len(tables), codes.shape[1]))
    for t in range(len(terms)):
        out += tables[:, terms.cell_of(codes, t)]
    return out


def _spread(columns: Terms, tables: Array, weights: Array) -> Array:
    """(p,) the mean distance of every term from its mean."""
    out = []
    for j in range(len(columns)):
        at = slice(columns.starts[j], columns.starts[j + 1])
        w = weights[at]
        middle = (tables[:, at] @ w / w.sum())[:, None]
        out.append(float((np.abs(tables[:, at] - middle) @ w / w.sum()).mean()))
    return np.array(out)


def pair_groups(
    rows: CodedRows, columns: Terms, tables: Array, weights: Array, plan: CyclicPlan
) -> Array:
    """(cells,) the group of every cell for pairs: few, of about equal weight; missing values last.

    Categories are grouped in the order of their curve; of several classes, of the steepest one.
    """
    most = max(min(plan.interaction_bins, math.isqrt(rows.n // MIN_CELL_ROWS)), 2)
    out = np.zeros(len(weights), np.int64)
    for j in range(len(columns)):
        first, end = int(columns.starts[j]), int(columns.starts[j + 1]) - 1
        bins = end - first
        order = np.arange(bins)
        if rows.categorical[j]:
            curve = tables[np.argmax(np.ptp(tables[:, first:end], axis=1)), first:end]
            order = np.lexsort((order, curve))
        w = weights[first:end][order]
        if bins > most:
            middle = np.cumsum(w) - w / 2
            number = np.minimum((middle * most / max(w.sum(), 1e-300)).astype(np.int64), most - 1)
            number = np.unique(number, return_inverse=True)[1]
        else:
            number = np.arange(bins)
        out[first + order] = number
        out[end] = number[-1] + 1 if bins else 0
    return out


def _group_sizes(columns: Terms, groups: Array) -> list[int]:
    ends = columns.starts[1:] - 1
    return [int(groups[end]) + 1 for end in ends]


def _ranked_pairs(
    rows: CodedRows,
    plan: CyclicPlan,
    coarse: Array,
    pair_terms: Callable[[list[tuple[int, int]]], Terms],
    raw: Array,
    spread: Array,
) -> list[tuple[int, int]]:
    """The pairs by how much they lower the loss at the curves, the largest first (FAST)."""
    free = [j for j in range(len(coarse)) if not plan.monotonic[j] and coarse[j].any()]
    free = sorted(sorted(free, key=lambda j: (-spread[j], j))[:MAX_RANKED_COLUMNS])
    pairs = list(combinations(free, 2))
    at = slice(0, min(rows.n, MAX_RANKED_ROWS))
    few = replace(
        rows, codes=rows.codes[:, at], loss=rows.loss.at(np.arange(at.stop)),
        inner=np.zeros((0, at.stop), np.uint8),
    )  # fmt: skip
    g, h = gradients(few.loss, raw[:, at])
    codes, segments = np.ascontiguousarray(coarse[:, at]), np.array([[0, at.stop, 1]], np.int64)

    def gain(pair: tuple[int, int]) -> float:
        check_halted()
        term = pair_terms([pair])
        booster = _booster(few, plan, codes, term, raw=raw[:, at], segments=segments)
        return float(booster.gain(0, g, h))

    gains = dict(zip(pairs, engines.map_threads(gain, pairs), strict=True))
    return sorted((pair for pair in pairs if gains[pair] > 0), key=lambda pair: -gains[pair])


def gradients(loss: BoostingLoss, raw: Array) -> tuple[Array, Array]:
    """(k, n) gradients and Hessians of all outputs."""
    raw, every = np.ascontiguousarray(raw), slice(0, raw.shape[1])
    g, h = np.empty(raw.shape), np.empty(raw.shape)
    shares = np.empty(raw.shape)
    if loss.link == SOFTMAX:
        loss.probabilities(raw, shares, every)
    for c in range(len(raw)):
        loss.gradients(raw, shares, c, every, g[c], h[c])
    return g, h


def _helpful(
    rows: CodedRows,
    plan: CyclicPlan,
    coarse: Array,
    pairs: Terms,
    boosted: BoostedBags,
    raws: list[Array],
) -> list[int]:
    """The pairs that predict the validation rows better, all together and one by one.

    Together they must lower the loss by more than its standard error over the bags; a pair stays if
    the loss without it is larger.
    """
    gain = boosted.losses[:, 0] - boosted.losses[:, 1]
    error = gain.std(ddof=1) / math.sqrt(len(gain)) if len(gain) > 1 else 0.0
    if not gain.mean() > error:
        return []
    worse = np.zeros(len(pairs))
    for table, raw, parts in zip(
        boosted.tables, raws, windows(rows.n, plan.bags, plan.validation), strict=True
    ):
        at = np.concatenate([np.arange(a, b) for a, b, trained in parts.tolist() if not trained])
        own, loss = coarse[:, at], rows.loss.at(at)
        whole = raw[:, at] + _sums(pairs, own, table)
        best = _mean_loss(loss, whole)
        for t in range(len(pairs)):
            worse[t] += _mean_loss(loss, whole - table[:, pairs.cell_of(own, t)]) - best
    return [t for t in range(len(pairs)) if worse[t] > 0]


def _mean_loss(loss: BoostingLoss, raw: Array) -> float:
    return loss.mean_loss(np.ascontiguousarray(raw))


def _purified(found: AdditiveFit, columns: Terms, pairs: Terms) -> AdditiveFit:
    """Move what a pair says of one column alone to the curve of that column.

    Afterwards the weighted mean of every row and of every column of a pair's table is 0 (Lengerich
    et al., Purifying interaction effects with the functional ANOVA, AISTATS 2020).
    """
    curves, tables = found.curves.copy(), found.pair_tables.copy()
    for t, (a, b) in enumerate(found.pairs):
        at = slice(pairs.starts[t], pairs.starts[t + 1])
        table = pairs.table(tables, t).copy()
        w = pairs.table(found.pair_weights, t)
        of_rows, of_columns = w.sum(axis=1), w.sum(axis=0)
        rows, cols = np.zeros(table.shape[:-1]), np.zeros((*table.shape[:-2], table.shape[-1]))
        for _ in range(SWEEPS):
            down = np.where(
                of_rows > 0, (table * w).sum(axis=-1) / np.maximum(of_rows, 1e-300), 0.0
            )
            table -= down[..., None]
            along = np.where(
                of_columns > 0, (table * w).sum(axis=-2) / np.maximum(of_columns, 1e-300), 0.0
            )
            table -= along[..., None, :]
            rows += down
            cols += along
            if max(np.abs(down).max(), np.abs(along).max()) <= SWEEP_TOL:
                break
        tables[..., at] = table.reshape(*table.shape[:2], -1)
        for j, moved in ((a, rows), (b, cols)):
            own = slice(columns.starts[j], columns.starts[j + 1])
            curves[..., own] += moved[..., found.groups[own]]
    return replace(found, curves=curves, pair_tables=tables)


def _centred(found: AdditiveFit, columns: Terms) -> AdditiveFit:
    """Curves of mean 0 over the training rows; of several classes, also over the classes."""
    curves, intercepts = found.curves.copy(), found.intercepts.copy()
    pairs = found.pair_tables
    if curves.shape[1] > 1:
        pairs = pairs - pairs.mean(axis=1, keepdims=True)
        curves -= curves.mean(axis=1, keepdims=True)
        intercepts -= intercepts.mean(axis=1, keepdims=True)
    for j in range(len(columns)):
        at = slice(columns.starts[j], columns.starts[j + 1])
        w = found.curve_weights[at]
        middle = curves[:, :, at] @ w / w.sum()
        curves[:, :, at] -= middle[:, :, None]
        intercepts += middle
    return replace(found, curves=curves, intercepts=intercepts, pair_tables=pairs)
