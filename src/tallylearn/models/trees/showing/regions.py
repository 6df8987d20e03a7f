"""Regions: which rows come to a node, told by one condition a column.

A path may ask a column many times; the answers meet in one range of numbers or one set of
categories. Two nodes share a row if and only if their conditions meet in every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

from tallylearn.models.trees import routing
from tallylearn.models.trees.node import LEAF, MULTIWAY, SUBSET, THRESHOLD
from tallylearn.models.trees.showing.conditions import Among, Condition, Span
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Column

Region = dict[str, Condition]  # by column; a column without a condition is not there


def met(region: Region, condition: Condition) -> Region | None:
    """The part of a region where a condition holds; None where there is none."""
    before = region.get(condition.column)
    found: Any = condition if before is None else before & condition  # type: ignore[operator]
    if found.empty:
        return None
    if found.free:
        return {name: one for name, one in region.items() if name != condition.column}
    return region | {condition.column: found}


def answers(tree: Tree, i: int) -> dict[int, Condition]:
    """What a row must hold to go from a node to each of its children."""
    test, kids, gap = int(tree.test[i]), tree.children(i), int(tree.gap_nodes[i])
    unseen = bool(tree.missing[i] < 0)
    if test == LEAF:
        return {}
    column = tree.columns[tree.column[i]]
    if test in (MULTIWAY, SUBSET):
        codes, leads = tree.led(i)
        found: dict[int, set[str]] = {kid: set() for kid in kids}
        for code, kid in zip(codes.tolist(), leads.tolist(), strict=True):
            found[kid].add(column.values[code])
        if (other := tree.other(i)) >= 0:  # all but what leads elsewhere
            found[other] = {value for kid in kids if kid != other for value in found[kid]}
        return {
            kid: Among(column.name, frozenset(values), kid == other, kid == gap, unseen)
            for kid, values in found.items()
        }
    cut = float(tree.threshold[i]) if test == THRESHOLD else inf
    ends = ((-inf, cut), (cut, inf))[: 2 if test == THRESHOLD else 1]
    spans = [*ends, *[(inf, -inf)] * (len(kids) - len(ends))]
    return {
        kid: Span(column.name, low, high, kid == gap, column.kind, unseen)
        for kid, (low, high) in zip(kids, spans, strict=True)
    }


def stop(tree: Tree, i: int) -> Condition | None:
    """What a row holds that ends at a node although the node asks; None where all go on.

    Where rows with gaps go down every branch, in parts, they do not end.
    """
    column: Column = tree.columns[tree.column[i]]
    missing = routing.gap_ends(tree, i)
    if tree.test[i] in (MULTIWAY, SUBSET):
        if tree.other(i) >= 0:
            return Among(column.name, missing=missing) if missing else None
        known = frozenset(column.values[code] for code in tree.led(i)[0].tolist())
        return Among(column.name, known, others=True, missing=missing)
    if tree.test[i] == LEAF or not missing:
        return None
    return Span(column.name, inf, -inf, True, column.kind)


def regions_of(
    tree: Tree, leaf: Array | None = None, nodes: Sequence[int] | None = None
) -> list[Region | None]:
    """The region of every node; None for a node that no row can come to, or below a leaf.

    Of some ``nodes`` only, that hold the parent of each.
    """
    leaf = tree.test == LEAF if leaf is None else leaf
    found: list[Region | None] = [{}] + [None] * (len(tree) - 1)
    for i in range(len(tree)) if nodes is None else nodes:
        here = found[i]
        if here is not None and not leaf[i]:
            for kid, condition in answers(tree, i).items():
                found[kid] = met(here, condition)
    return found


def stops_of(tree: Tree, found: list[Region | None]) -> list[tuple[int, Region]]:
    """The nodes that ask and where rows may end nevertheless, and which rows do."""
    out = []
    for i, region in enumerate(found):
        condition = stop(tree, i) if region is not None else None
        if condition is not None and (rest := met(region or {}, condition)) is not None:
            out.append((i, rest))
    return out


def sentence(conditions: Iterable[Condition], between: str = " AND ") -> str:
    """Conditions in one line; what is joined by "or" in brackets, where others stand beside it."""
    found = [*map(str, conditions)]
    if len(found) > 1:
        found = [f"({text})" if text.endswith(" or missing") else text for text in found]
    return between.join(found)
