"""C4.5's small print: what a gain ratio must have before it counts, and where a number is cut.

- Each side of a cut has a tenth of the node's mean class, 25 rows at most, or ``min_samples_leaf``
  rows, where those are more than the tenth.
- A column of numbers has many cuts to choose from, and pays log2(cuts) / n of its gain for it.
- A ratio counts where the gain is at least the mean gain, less a thousandth; columns with nearly as
  many categories as rows (three for ten) are left out of the mean.
- A threshold is a number that occurs: the largest of the table that is not above the middle.
- Numbers that follow each other at a node are told apart where more than 1e-5 lies between them: so
  does Weka's J48, whose trees these are.

J. R. Quinlan, Improved use of continuous attributes in C4.5, Journal of Artificial Intelligence
Research 4, 1996; release 8 of C4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tallylearn.models.trees.growing.coded_columns import Scale
from tallylearn.models.trees.growing.impurity import impurity_of, weights_of
from tallylearn.models.trees.growing.node_target import Target
from tallylearn.models.trees.growing.plan import TreePlan
from tallylearn.models.trees.growing.split_search import (
    TIED,
    CandidateSplit,
    CodeTable,
    row_counts,
    split_of,
)
from tallylearn.models.trees.node import THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

MAX_SIDE_ROWS = 25.0  # rows that a side of a cut must have, however large the node is
MEAN_GAIN_MARGIN = 1e-3  # below the mean gain
CROWDED = 0.3  # categories a row
NEGLIGIBLE_GAIN = 1e-6  # a gain or a ratio that is none
DISTINCT = 1e-5  # numbers that are no further apart are not told apart


def cuts(
    at: int, table: CodeTable, reach: Array, total: Array, plan: TreePlan, target: Target
) -> list[CandidateSplit]:
    """The best cuts of a column of numbers: one, or several that are tied."""
    left = np.cumsum(table.lines, axis=0)
    weight, known = weights_of(left, target), float(weights_of(left[-1:], target).sum())
    rows = row_counts(left, plan, target)
    least = min_rows_per_side(float(rows[-1]), len(target.classes), plan) - NEGLIGIBLE_GAIN
    apart = table.codes[1:] >= reach[table.codes[:-1]]
    fair = np.flatnonzero(apart & (rows[:-1] >= least) & (rows[-1] - rows[:-1] >= least))
    if not len(fair):
        return []
    impurity = impurity_of(plan.criterion, target)
    sides = np.stack([left[fair], left[-1] - left[fair]], axis=1)
    after = (weights_of(sides, target) * impurity(sides)).sum(axis=1)
    best, all_ = fair[after <= after.min() + TIED * known], float(weights_of(total, target))
    fine = float(np.log2(len(fair))) / float(row_counts(total, plan, target))
    gained = known * float(impurity(left[-1])) - float(after.min())
    if gained <= all_ * fine:  # as most columns far down
        return []
    found = (
        split_of(
            at,
            table,
            (np.arange(len(weight)) > r).astype(np.int64),
            total=total,
            plan=plan,
            target=target,
        )
        for r in best
    )
    fined = (replace(q, gain=q.gain - fine) for q in found if q.gain > NEGLIGIBLE_GAIN)
    return [q for q in fined if q.gain > NEGLIGIBLE_GAIN]


def min_rows_per_side(known: float, classes: int, plan: TreePlan) -> float:
    """The rows that each side of a cut of so many known rows must have."""
    tenth = 0.1 * known / classes
    return (
        float(plan.min_leaf)
        if tenth <= plan.min_leaf + NEGLIGIBLE_GAIN
        else min(tenth, MAX_SIDE_ROWS)
    )


def reach_of(scale: Scale) -> Array:
    """(v,) for every code of a number the first that is told apart from it; of a category none."""
    return np.searchsorted(scale.low, scale.high + DISTINCT, side="right").astype(np.int32)


def score_gain_ratios(
    found: list[list[CandidateSplit]], columns: Sequence[Scale], rows: int, plan: TreePlan
) -> list[list[CandidateSplit]]:
    """Every question with its gain ratio; -1 where that does not count."""
    best = [
        max(q.gain for q in column)
        for column, left_out in zip(found, exclude_from_mean(columns, rows), strict=True)
        if column and not left_out
    ]
    mean = sum(best) / len(best) - MEAN_GAIN_MARGIN if best else np.inf
    return [[replace(q, score=_ratio(q, mean)) for q in column] for column in found]


def exclude_from_mean(columns: Sequence[Scale], rows: int) -> Array:
    """Columns whose gain does not count in the mean; none where that would leave none."""
    found = np.array([not c.number and c.width >= CROWDED * rows for c in columns])
    return found if not found.all() else ~found


def _ratio(q: CandidateSplit, mean: float) -> float:
    return q.ratio if q.gain >= mean and q.ratio > NEGLIGIBLE_GAIN else -1.0


def snap_thresholds(tree: Tree, columns: Sequence[Scale]) -> Tree:
    """The tree with thresholds that occur in the table."""
    threshold = tree.threshold.copy()
    for i in np.flatnonzero(tree.test == THRESHOLD).tolist():
        threshold[i] = largest_below(columns[tree.column[i]].high, threshold[i])
    tied = tree.tie_thresholds.copy()
    for t in np.flatnonzero(~np.isnan(tied)).tolist():
        tied[t] = largest_below(columns[tree.tie_columns[t]].high, tied[t])
    return replace(tree, threshold=threshold, tie_thresholds=tied)


def largest_below(values: Array, x: float) -> float:
    """The largest of the sorted values that is not above x."""
    return float(values[np.searchsorted(values, x, side="right") - 1])
