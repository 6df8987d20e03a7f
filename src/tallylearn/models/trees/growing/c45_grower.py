"""Parcels: C4.5's tree of a table, grown by ``kernels.portioning``, rows in parts where need be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn.kernels.portioning import Portioner
from tallylearn.models.trees.growing import gaps
from tallylearn.models.trees.growing.coded_columns import Coded
from tallylearn.models.trees.growing.gain_ratio import crowded, reach_of
from tallylearn.models.trees.growing.grower import tree_of
from tallylearn.models.trees.growing.growing_tree import Space
from tallylearn.models.trees.growing.impurity import times_log2
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import Plan
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array


def parcelled(table: Coded, target: Target, plan: Plan) -> Tree:
    """The tree of a table, whose lists are used up."""
    grower, items = _planted(table, target, plan), _Items.of(table, target)
    space = Space.of(1000, len(table.scales), target.width)
    grower.hold(*items.arrays)
    grower.put(*space.arrays)
    grower.begin(len(target))
    while full := grower.grow():
        if full < 5:
            space = space.with_more(full)
            grower.put(*space.arrays)
        else:
            items = items.with_more(full, grower.wanted())
            grower.hold(*items.arrays)
    return tree_of(space.cut(*grower.counted()), table.scales, target, plan)


def by_kernel(plan: Plan, table: Coded) -> bool:
    """Whether the kernel grows such a tree."""
    multiway = plan.category_split == "multiway" or all(c.number for c in table.scales)
    return gaps.in_parts(plan.missing) and plan.tie == "first" and multiway


def _planted(table: Coded, target: Target, plan: Plan) -> Portioner:
    scales, n, k = table.scales, len(target), len(target.classes)
    reach = [reach_of(scale) for scale in scales]
    columns = (
        np.array([scale.number for scale in scales], np.int64),
        np.array([scale.width for scale in scales], np.int64),
        crowded(scales, n).astype(np.int64), np.concatenate(reach),
        np.cumsum([0, *map(len, reach)], dtype=np.int64), times_log2(n + 1),
    )  # fmt: skip
    settings = (
        plan.max_depth, float(plan.min_split), float(plan.min_leaf), plan.min_weight,
        plan.min_decrease, target.total, 2.0**-target.power,
    )  # fmt: skip
    most = max([2, *(scale.width for scale in scales if not scale.number)])
    work = (
        np.zeros(k, np.int64), np.zeros((2, k), np.int64), np.zeros((2, k)),
        np.zeros((most, k + 4), np.int64), np.zeros(most, np.int64),
        np.zeros((len(scales), 2)), np.zeros(len(scales), np.int64), np.zeros(3),
    )  # fmt: skip
    return Portioner(columns, settings, work)


@dataclass(frozen=True)
class _Items:
    """Rows and parts of rows, and room to work on them."""

    arrays: tuple[Any, ...]  # lists, units, labels, room, share: see kernels.portioning

    @classmethod
    def of(cls, table: Coded, target: Target) -> _Items:
        room, share = _room(len(target)), np.zeros(len(target), np.int32)
        return cls((table.entries, target.units.copy(), target.labels.copy(), room, share))

    def with_more(self, full: int, need: int) -> _Items:
        """Room for more parts (6), or items."""
        lists, units, labels, room, share = self.arrays
        if full == 6:
            return _Items((lists, units, labels, room, np.zeros(2 * need, np.int32)))
        size = need + need // 4
        wide = [_wider(array, size) for array in (lists, units, labels)]
        return _Items((*wide, _room(size), share))


def _room(size: int) -> tuple[Array, ...]:
    kinds = (np.int32, np.int32, np.int64, np.int32, np.float64)
    return tuple(np.zeros(size, kind) for kind in kinds)


def _wider(array: Array, size: int) -> Array:
    out = np.zeros((*array.shape[:-1], size), array.dtype)
    out[..., : array.shape[-1]] = array
    return out
