"""Where two trees disagree: region by region, and split by split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tallylearn.models.trees.node import LEAF, MULTIWAY
from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.joined_regions import join_regions
from tallylearn.models.trees.showing.regions import (
    Region,
    branch_conditions,
    intersect,
    regions_of,
    sentence,
    stop_condition,
    stop_regions,
)
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import format_number

MEAN_TOLERANCE = 1e-9  # means that differ by less than this share of the larger one are equal


@dataclass(frozen=True)
class Disagreement:
    """A region where two trees predict differently."""

    conditions: tuple[Condition, ...]
    first: Any
    second: Any
    known: bool  # whether both have a leaf for such rows; else a value is missing or new

    def __str__(self) -> str:
        return sentence(self.conditions) or "everywhere"


@dataclass(frozen=True)
class Fork:
    """The first node on a path where two trees differ."""

    path: str
    first: str  # the split or the prediction of the first tree there
    second: str


def differs(a: Any, b: Any) -> bool:
    """Whether two predictions differ; means beyond rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) > MEAN_TOLERANCE * max(abs(a), abs(b))
    return bool(a != b)


def find_disagreements(
    first: Tree, second: Tree, limit: int
) -> tuple[tuple[Disagreement, ...], bool]:
    """The regions where two trees predict differently, and whether all were compared.

    Every region of the first tree is sent down the second; at most ``limit`` intersections are
    compared.
    """
    found, keys, compared = [], [], 0
    for region, a, b, known in islice(_intersections(first, second), limit):
        compared += 1
        if differs(a, b):
            found.append(region)
            keys.append((a, b, known))
    out = []
    for join in join_regions(found, keys):
        a, b, known = keys[join.places[0]]
        out.append(Disagreement(tuple(join.region.values()), a, b, known))
    out.sort(key=lambda one: not one.known)
    return tuple(out), compared < limit


def _intersections(first: Tree, second: Tree) -> Iterator[tuple[Region, Any, Any, bool]]:
    """Intersections of regions of both trees, both predictions, and whether both are leaves."""
    regions = regions_of(first)
    leaves = [(i, r) for i, r in enumerate(regions) if first.test[i] == LEAF and r is not None]
    for i, region in (*leaves, *stop_regions(first, regions)):
        for part, j in _send_down(second, region):
            known = bool(first.test[i] == LEAF and second.test[j] == LEAF)
            known = known and not any(condition.never_seen for condition in part.values())
            yield part, first.prediction_of(i), second.prediction_of(j), known


def _send_down(tree: Tree, region: Region) -> Iterator[tuple[Region, int]]:
    """The parts of a region, and the node of a tree that each reaches."""
    stack = [(region, 0)]
    while stack:
        here, i = stack.pop()
        if tree.test[i] == LEAF:
            yield here, i
            continue
        ends = stop_condition(tree, i)
        if ends is not None and (rest := intersect(here, ends)) is not None:
            yield rest, i
        for kid, condition in reversed(branch_conditions(tree, i).items()):
            if (part := intersect(here, condition)) is not None:
                stack.append((part, kid))


def find_forks(first: Tree, second: Tree) -> tuple[Fork, ...]:
    """On every path that two trees share, the first node where they differ."""
    found = []
    stack: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while stack:
        i, j, path = stack.pop()
        pairs = _common_branches(first, i, second, j)
        if pairs is not None:
            stack += [(a, b, (*path, text)) for a, b, text in reversed(pairs)]
        elif (
            first.test[i] != LEAF
            or second.test[j] != LEAF
            or first.prediction_of(i) != second.prediction_of(j)
        ):
            here = " AND ".join(path) or "root"
            found.append(Fork(here, node_action(first, i), node_action(second, j)))
    return tuple(found)


def _common_branches(
    first: Tree, i: int, second: Tree, j: int
) -> list[tuple[int, int, str]] | None:
    """The children of two nodes with the same split, side by side; None for other splits."""
    one, two = branch_conditions(first, i), branch_conditions(second, j)
    if not one or not two:
        return None
    by_condition = {condition: kid for kid, condition in two.items()}
    both = [(a, by_condition[c], str(c)) for a, c in one.items() if c in by_condition]
    same = len(both) == len(one) == len(two)
    ways = first.test[i] == MULTIWAY == second.test[j]
    named = {c.column for c in (*one.values(), *two.values())}
    return both if same or (ways and len(named) == 1) else None


def node_action(tree: Tree, i: int) -> str:
    """The split or the prediction of a node, as text."""
    if tree.test[i] == LEAF:
        said = tree.prediction_of(i)
        return f"predicts {format_number(said) if not tree.classes else said}"
    branch = tree.branches(i)[0]
    test = branch.column if tree.test[i] == MULTIWAY else str(branch)
    return f"splits on {test}, gain {format_number(float(tree.gain[i]))}"
