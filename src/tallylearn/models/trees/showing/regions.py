"""Regions: the rows that reach a node, as one condition per column.

A path may split on a column several times; the branches intersect in one range of numbers or one
set of categories. Two nodes share a row if and only if their conditions intersect in every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

from tallylearn.models.trees import routing
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.showing.conditions import CategorySet, Condition, NumberRange
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Column

Region = dict[str, Condition]  # by column; a column without a condition is not there


def intersect(region: Region, condition: Condition) -> Region | None:
    """The part of a region where a condition holds; None where it is empty."""
    before = region.get(condition.column)
    found: Any = condition if before is None else before & condition  # type: ignore[operator]
    if found.empty:
        return None
    if found.is_unrestricted:
        return {name: one for name, one in region.items() if name != condition.column}
    return region | {condition.column: found}


def branch_conditions(tree: Tree, i: int) -> dict[int, Condition]:
    """The condition by which a row goes from a node to each of its children."""
    test, kids, gap = int(tree.test[i]), tree.children(i), int(tree.gap_nodes[i])
    unseen = bool(tree.missing[i] < 0)
    if test == LEAF:
        return {}
    column = tree.columns[tree.column[i]]
    if test in (MULTIWAY, SUBSET):
        codes, leads = tree.category_leads(i)
        found: dict[int, set[str]] = {kid: set() for kid in kids}
        for code, kid in zip(codes.tolist(), leads.tolist(), strict=True):
            found[kid].add(column.values[code])
        if (other := tree.other(i)) >= 0:  # all but what leads elsewhere
            found[other] = {value for kid in kids if kid != other for value in found[kid]}
        return {
            kid: CategorySet(column.name, frozenset(values), kid == other, kid == gap, unseen)
            for kid, values in found.items()
        }
    cut = float(tree.threshold[i]) if test == THRESHOLD else inf
    ends = ((-inf, cut), (cut, inf))[: 2 if test == THRESHOLD else 1]
    spans = [*ends, *[(inf, -inf)] * (len(kids) - len(ends))]
    return {
        kid: NumberRange(
            column.name, low, high, missing=kid == gap, kind=column.kind, unseen=unseen
        )
        for kid, (low, high) in zip(kids, spans, strict=True)
    }


def stop_condition(tree: Tree, i: int) -> Condition | None:
    """The condition of rows that stop at an inner node; None where all rows go on.

    Where rows with missing values go down every branch, in parts, they do not stop.
    """
    column: Column = tree.columns[tree.column[i]]
    missing = routing.gap_ends(tree, i)
    if tree.test[i] in (MULTIWAY, SUBSET):
        if tree.other(i) >= 0:
            return CategorySet(column.name, missing=missing) if missing else None
        known = frozenset(column.values[code] for code in tree.category_leads(i)[0].tolist())
        return CategorySet(column.name, known, others=True, missing=missing)
    if tree.test[i] == LEAF or not missing:
        return None
    return NumberRange(column.name, inf, -inf, True, column.kind)


def regions_of(
    tree: Tree, leaf: Array | None = None, nodes: Sequence[int] | None = None
) -> list[Region | None]:
    """The region of every node; None for a node that no row can reach, or below a leaf.

    ``nodes``: only these, with the parents of all of them.
    """
    leaf = tree.test == LEAF if leaf is None else leaf
    found: list[Region | None] = [{}] + [None] * (len(tree) - 1)
    for i in range(len(tree)) if nodes is None else nodes:
        here = found[i]
        if here is not None and not leaf[i]:
            for kid, condition in branch_conditions(tree, i).items():
                found[kid] = intersect(here, condition)
    return found


def stop_regions(tree: Tree, found: list[Region | None]) -> list[tuple[int, Region]]:
    """The inner nodes where rows may stop, and the regions of these rows."""
    out = []
    for i, region in enumerate(found):
        condition = stop_condition(tree, i) if region is not None else None
        if condition is not None and (rest := intersect(region or {}, condition)) is not None:
            out.append((i, rest))
    return out


def sentence(conditions: Iterable[Condition], between: str = " AND ") -> str:
    """Conditions in one line; one with "or" is in brackets beside others."""
    found = [*map(str, conditions)]
    if len(found) > 1:
        found = [f"({text})" if text.endswith(" or missing") else text for text in found]
    return between.join(found)
