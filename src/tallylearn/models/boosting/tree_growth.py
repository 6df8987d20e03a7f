"""One tree of boosting: packed gradients, a tree grown from them, the values of its leaves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tallylearn import engines
from tallylearn.kernels.boosting import leafwise_grower, loss_gradients
from tallylearn.models.boosting.binned_columns import BinnedColumns
from tallylearn.models.boosting.losses import BoostingLoss, weighted_quantile
from tallylearn.tables import Array

SLICE = 1 << 16  # rows whose gradients a thread computes at a time
MIN_PARALLEL_CELLS = 1 << 21  # rows times columns of a node: below it, waking threads costs more
MAX_HISTOGRAM_BYTES = 1 << 28  # of all nodes; beyond, histograms are counted again
MIN_SLOTS = 4
MIN_ONE_WORD_ROWS = 50_000  # so many hide the rounding to 12 bits; fewer need no speed
START, END, LEFT, COLUMN, CUT, MISSING_LEFT = 0, 1, 3, 5, 6, 7  # see leafwise_grower.pxd
VALUE, GAIN, LOWER, UPPER = range(4)
COUNT = 2


class GradientPacking(NamedTuple):
    """How gradients, Hessians and counts share words of 64 bits; see leafwise_grower.

    The fields of a word hold the sums of a chunk: 14 + 24 + 26 bits, or 15 + 49.
    """

    words: int
    chunk: int  # rows
    count_bits: int
    hessian_bits: int  # 0: the Hessian is the count, or has a word of its own
    g_levels: int
    h_levels: int


ONE_WORD = GradientPacking(
    words=1,
    chunk=1 << 13,
    count_bits=14,
    hessian_bits=24,
    g_levels=(1 << 12) - 1,
    h_levels=(1 << 11) - 1,
)  # of log loss
CONSTANT_HESSIAN = GradientPacking(
    words=1, chunk=1 << 14, count_bits=15, hessian_bits=0, g_levels=1 << 33, h_levels=1
)
TWO_WORDS = GradientPacking(
    words=2, chunk=1 << 14, count_bits=15, hessian_bits=0, g_levels=1 << 33, h_levels=1 << 33
)


@dataclass(frozen=True)
class GrowthPlan:
    """The options that shape a tree."""

    learning_rate: float
    max_leaves: int
    min_leaf: int
    max_depth: int
    max_features: int
    l2: float
    monotonic: Array  # (p,) int8
    groups: Array  # (q, p) uint8: columns that may interact; no rows: all may


@dataclass(frozen=True)
class GrownTree:
    """A tree as the kernel leaves it, and the values of its nodes times the learning rate."""

    nodes: Array  # (m, 10) int64
    goes_left: Array  # (m, 256) uint8
    values: Array  # (m,)
    gains: Array  # (m,)
    rows: Array  # (m,) int64


class TreeGrower:
    """Grows trees on the same rows, one after the other, in the same memory."""

    def __init__(
        self, table: BinnedColumns, loss: BoostingLoss, plan: GrowthPlan, hashes: Array
    ) -> None:
        self.table, self.loss, self.plan, self.hashes = table, loss, plan, hashes
        n, p = table.codes.shape[1], len(table.bins)
        self.packing = TWO_WORDS
        if loss.constant_hessian:
            self.packing = CONSTANT_HESSIAN
        elif loss.bounded and n >= MIN_ONE_WORD_ROWS:
            self.packing = ONE_WORD
        slots = min(plan.max_leaves + 3, MAX_HISTOGRAM_BYTES // (max(p, 1) * 256 * 24))
        columns = (table.categorical, table.bins, plan.monotonic, plan.groups)
        options = {
            "max_leaves": plan.max_leaves, "min_leaf": plan.min_leaf, "max_depth": plan.max_depth,
            "max_features": plan.max_features, "l2": plan.l2, "min_hessian": 1e-3,
        }  # fmt: skip
        self._kernel = leafwise_grower.LeafwiseGrower(
            table.codes, columns, options, max(int(slots), MIN_SLOTS)
        )
        self._g, self._h = np.empty(n), np.empty(n)
        self._packed = np.empty((n, self.packing.words), np.int64)

    def grow(
        self, raw: Array, shares: Array, output: int, salt: int, threads: int = 1
    ) -> GrownTree:
        """Grow a tree from the gradients at the raw scores, and add its values to them."""
        n = len(self._g)
        slices = [slice(i, min(i + SLICE, n)) for i in range(0, n, SLICE)]
        each: Callable[..., list[Any]] = engines.map_threads if threads > 1 else _one_by_one
        g, h = self._g, self._h
        each(lambda rows: self.loss.gradients(raw, shares, output, rows, g, h), slices)
        g_scale, h_scale = self._scales()
        bits = self.packing.count_bits, self.packing.hessian_bits

        def pack(rows: slice) -> Array:
            out = self._packed[rows]
            loss_gradients.pack(
                g[rows], h[rows], self.hashes[rows], salt, (g_scale, h_scale), bits, out
            )
            return self._totals(out)

        totals = np.sum(each(pack, slices), axis=0)
        self._kernel.begin(
            self._packed, (self.packing.chunk, *bits), (1 / g_scale, 1 / h_scale), totals, salt
        )
        self._grow_nodes(threads)
        return self._with_values(raw[output], each)

    def _scales(self) -> tuple[float, float]:
        """What 1 of gradients and Hessians is in levels: powers of two but for bounded losses."""
        packing = self.packing
        if packing.hessian_bits:
            return float(packing.g_levels), 4.0 * packing.h_levels
        found = []
        for numbers, levels in ((self._g, packing.g_levels), (self._h, packing.h_levels)):
            top = 0.0 if levels == 1 else float(np.abs(numbers).max())
            power = math.floor(math.log2(levels / top)) if top > 0 else 0
            found.append(math.ldexp(1.0, min(power, 1000)))
        return found[0], found[1]

    def _totals(self, packed: Array) -> Array:
        """(3,) gradient, Hessian and count of packed rows."""
        count_bits, hessian_bits = self.packing.count_bits, self.packing.hessian_bits
        word, n = packed[:, 0], len(packed)
        gradient = int((word >> (count_bits + hessian_bits)).sum())
        if self.packing.words == 2:
            hessian = int(packed[:, 1].sum())
        elif hessian_bits:
            hessian = int(((word >> count_bits) & ((1 << hessian_bits) - 1)).sum())
        else:
            hessian = n
        return np.array([gradient, hessian, n], np.int64)

    def _grow_nodes(self, threads: int) -> None:
        """The whole tree; large nodes are partitioned and counted on several threads."""
        kernel, tiles = self._kernel, self.table.codes.shape[0]
        parts = min(threads, 32)
        lanes = min(threads, tiles)
        endless = np.iinfo(np.int64).max
        large = MIN_PARALLEL_CELLS // max(len(self.table.bins), 1) if threads > 1 else endless
        while kernel.grow(large):
            if kernel.partitioned():
                engines.map_threads(
                    lambda k: kernel.survey(k * tiles // lanes, (k + 1) * tiles // lanes),
                    range(lanes),
                )
                kernel.settle()
            else:
                engines.map_threads(lambda k: kernel.partition(k, parts), range(parts))
                kernel.join(parts)
                engines.map_threads(lambda k: kernel.copy(k, parts), range(parts))
                kernel.close_partition()

    def _with_values(self, raw: Array, each: Callable[..., list[Any]]) -> GrownTree:
        """The tree with the values of its leaves, which are added to the raw scores of its rows."""
        kernel, m = self._kernel, self._kernel.n_nodes
        nodes, reals = np.array(kernel.nodes[:m]), np.array(kernel.reals[:m])
        order, values = np.asarray(kernel.order), reals[:, VALUE].copy()
        rate, q = self.plan.learning_rate, self.loss.leaf_quantile
        before = raw.copy() if q is not None else raw

        def finish(leaf: int) -> None:
            rows = order[nodes[leaf, START] : nodes[leaf, END]]
            values[leaf] = np.clip(
                self._leaf_value(leaf, rows, before, float(values[leaf])),
                reals[leaf, LOWER], reals[leaf, UPPER],
            )  # fmt: skip
            loss_gradients.add_to_rows(rows, rate * float(values[leaf]), raw)

        each(finish, np.flatnonzero(nodes[:, LEFT] < 0).tolist())
        counts = np.array(kernel.sums[:m])[:, COUNT]
        gains = np.where(nodes[:, LEFT] >= 0, reals[:, GAIN], 0.0)
        return GrownTree(nodes, np.array(kernel.goes_left[:m]), rate * values, gains, counts)

    def _leaf_value(self, leaf: int, rows: Array, raw: Array, newton: float) -> float:
        """The Newton step of a leaf, or a quantile of its residuals.

        Where gradients were rounded to few bits, they are summed again with all of theirs.
        """
        q = self.loss.leaf_quantile
        if q is not None:
            weights = self.loss.weights[rows] if len(self.loss.weights) else self.loss.weights
            return weighted_quantile(self.loss.y[rows] - raw[rows], weights, q)
        if not self.packing.hessian_bits:
            return newton
        scale = math.ldexp(1.0, 61 - len(self._g).bit_length())
        g, h = loss_gradients.sums_of_leaf(rows, self._g, self._h, scale, scale)
        return float(-(g / scale) / (h / scale + self.plan.l2 + 1e-15))


def _one_by_one(call: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [call(item) for item in items]
