"""Gauges: which columns are worth a closer look at a node, as C4.5 chooses.

Every column is gauged by a kernel; only the best, and what is tied with it, is then worked out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallylearn.kernels import gauging
from tallylearn.models.trees.ratios import NEAR, NOTHING, crowded
from tallylearn.tables import Array

if TYPE_CHECKING:
    from tallylearn.models.trees.portions import Rows, Share

CLOSE = 1e-6  # of the best ratio: far more than rounding, and settled afterwards


def promising(table: Rows, share: Share) -> list[int]:
    """The columns whose gain ratio is the best, or nearly."""
    gauged = _gauged(table, share)
    known, before, after, ways, below = gauged.T
    number = np.array([scale.number for scale in table.columns])
    every = float(share.units.sum()) * 2.0**-table.target.power
    gain = (before - after) / every
    gain[number] -= np.log2(np.maximum(ways, 1))[number] / every
    possible = np.where(number, (ways > 0) & (gain > NOTHING), ways > 1)
    fair = possible & ~crowded(table.columns, len(table.target))
    mean = float(gain[fair].mean()) - NEAR if fair.any() else np.inf
    parts = np.where(number, _xlogx(below) + _xlogx(known - below), below)
    information = (_xlogx(np.array(every)) - parts - _xlogx(np.maximum(every - known, 0))) / every
    ratio = np.where(information > NOTHING, gain / np.where(information > 0, information, 1), 0.0)
    counts = possible & (gain >= mean - 1e-12) & (ratio > NOTHING / 2)
    if not counts.any():
        return []
    return np.flatnonzero(counts & (ratio >= ratio[counts].max() - CLOSE)).tolist()


def _gauged(table: Rows, share: Share) -> Array:
    """(p, 5) see ``kernels.gauging``."""
    target, rows = table.target, share.rows
    labels, weights = target.labels[rows], share.units * 2.0**-target.power
    out, least = np.empty((len(table.columns), 5)), float(table.plan.min_leaf)
    for j, scale in enumerate(table.columns):
        codes = table.codes[j][rows]
        if scale.number:
            room, order = np.zeros((2, len(target.classes))), np.argsort(codes, kind="stable")
            gauging.gauge_cuts(codes, order, labels, weights, scale.width, least, room, out[j])
        else:
            room = np.empty((scale.width + 1, len(target.classes)))
            gauging.gauge_groups(codes, labels, weights, scale.width, least - 1e-6, room, out[j])
    return out


def _xlogx(x: Array) -> Array:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
