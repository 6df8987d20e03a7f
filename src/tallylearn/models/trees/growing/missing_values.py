"""Missing values: where a row without a value goes while a tree grows, under each of six rules.

- "side": missing values go down the branch that they fit best, or down one of their own where
  nothing splits better than whether there is a value.
- "branch": they go down a branch of their own. It needs as many rows as any other child; where
  they are fewer, they go down the branch that they fit best.
- "node": they count as the most common value of the node's rows, of numbers the median.
- "class": as the most common value of those rows that have the row's class.
- "global": as the most common value of the table, filled in before the tree grows.
- "fractional": down every branch, in parts as large as the branches are (Quinlan, 1993).

Everybody who counts, searches or sends rows asks here. Where the gaps of rows to predict go is
written in the tree by then: ``Nodes.missing`` and ``Nodes.fractional``, which ``routing`` reads.
Where no row of a node had a missing value, they go down the larger of two branches; of a split with
one branch a category they have none, and the node answers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.models.trees.growing.coded_columns import CodedColumns
from tallylearn.tables import Array

RULES = ("side", "branch", "node", "class", "global", "fractional")
IN_KERNELS = {"branch": 0, "node": 1, "class": 2, "global": 3, "side": 4, "fractional": 5}


def in_parts(rule: str) -> bool:
    """Whether a row with a gap goes down every branch."""
    return rule == "fractional"


def own_branch(rule: str) -> bool:
    """Whether missing values go down a branch of their own, if they are enough."""
    return rule == "branch"


def by_fit(rule: str) -> bool:
    """Whether missing values may go down the branch that they fit best."""
    return rule in ("side", "branch")


def is_filled_at_nodes(rule: str) -> bool:
    """Whether gaps count as what is common among the rows of the node."""
    return rule in ("node", "class")


def is_filled_before_growing(rule: str) -> bool:
    """Whether gaps are filled in before the tree grows."""
    return rule == "global"


def same_in_prediction(rule: str) -> bool:
    """Whether rows learned from go the way of rows to predict, whose class is not known."""
    return rule != "class"


def most_common(weight: Array, number: bool) -> int:
    """The place of the median of a number, or of the most frequent category, by their weights."""
    if not number:
        return int(weight.argmax())
    total = np.cumsum(weight)
    return int(np.searchsorted(2 * total, total[-1]))


def fills(rule: str, lines: Array, number: bool, classes: int) -> Array:
    """(k or 1,) the line (v, q) of a column that its gaps count in, by the class of the row."""
    known = lines[:, :classes].sum(axis=1) if classes else lines[:, 0]
    found = np.full(max(classes, 1), most_common(known, number))
    if rule == "class":
        for c in range(classes):
            if lines[:, c].any():
                found[c] = most_common(lines[:, c], number)
    return found


def fill_table(rule: str, table: CodedColumns, weight: Array) -> tuple[CodedColumns, Array]:
    """The table with its gaps filled, and those values' codes; as it is where they are not."""
    if not is_filled_before_growing(rule):
        return table, np.zeros(0, np.int64)
    codes_of = np.zeros(len(table.scales), dtype=np.int64)
    table = replace(table, lists=table.lists.copy(), grid=table.grid.copy())
    for j, scale in enumerate(table.scales):
        codes = table.codes(j)
        gap = codes == scale.width
        if not gap.all():
            sums = np.bincount(codes[~gap], weight[~gap], minlength=scale.width)
            codes_of[j] = most_common(sums, scale.number)
            codes[gap] = codes_of[j]
            table.with_codes(j, codes)
    return table, codes_of


def check_of_measures(rule: str) -> None:
    """A regression has no classes to fill gaps by."""
    if rule == "class":
        raise OptionError(
            'missing="class" fills in the values of rows of the same class, and a regression has '
            'no classes. Use missing="node".'
        )


def check_of_classes(rule: str, weight: Array | None, min_rows: Any) -> None:
    """Rows that the class fills in are not counted beside their weights."""
    if weight is not None and rule == "class" and min_rows not in (1, 0):
        raise OptionError(
            'missing="class" with row weights does not support min_samples_leaf. Use '
            "min_weight_fraction_leaf."
        )
