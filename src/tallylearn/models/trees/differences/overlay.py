"""Overlays: two trees laid on each other, region by region and question by question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tallylearn.models.trees.node import LEAF, MULTIWAY
from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.joined_regions import joined
from tallylearn.models.trees.showing.regions import (
    Region,
    answers,
    met,
    regions_of,
    sentence,
    stop,
    stops_of,
)
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.formatting import format_number

MEAN_TOLERANCE = 1e-9  # means that differ by less than this share of the larger one are equal


@dataclass(frozen=True)
class Dissent:
    """Where two trees answer differently."""

    conditions: tuple[Condition, ...]
    first: Any
    second: Any
    known: bool  # whether leaves of both trees know such rows; else a value is missing or new

    def __str__(self) -> str:
        return sentence(self.conditions) or "everywhere"


@dataclass(frozen=True)
class Fork:
    """The first node on a path where two trees do different things."""

    path: str
    first: str  # what the first tree asks or answers there
    second: str


def differs(a: Any, b: Any) -> bool:
    """Whether two answers differ; means beyond rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) > MEAN_TOLERANCE * max(abs(a), abs(b))
    return bool(a != b)


def overlaid(first: Tree, second: Tree, limit: int) -> tuple[tuple[Dissent, ...], bool]:
    """The regions where two trees answer differently, and whether all were looked at.

    Every region of the first tree is sent down the second; at most ``limit`` meetings are looked
    at.
    """
    found, keys, looked = [], [], 0
    for region, a, b, known in islice(_meetings(first, second), limit):
        looked += 1
        if differs(a, b):
            found.append(region)
            keys.append((a, b, known))
    out = []
    for join in joined(found, keys):
        a, b, known = keys[join.places[0]]
        out.append(Dissent(tuple(join.region.values()), a, b, known))
    out.sort(key=lambda one: not one.known)
    return tuple(out), looked < limit


def _meetings(first: Tree, second: Tree) -> Iterator[tuple[Region, Any, Any, bool]]:
    """Every region that a node of each tree takes, both answers, and whether both are leaves."""
    regions = regions_of(first)
    leaves = [(i, r) for i, r in enumerate(regions) if first.test[i] == LEAF and r is not None]
    for i, region in (*leaves, *stops_of(first, regions)):
        for part, j in _sent(second, region):
            known = bool(first.test[i] == LEAF and second.test[j] == LEAF)
            known = known and not any(condition.strange for condition in part.values())
            yield part, first.said(i), second.said(j), known


def _sent(tree: Tree, region: Region) -> Iterator[tuple[Region, int]]:
    """The parts of a region, and the node of a tree where each ends."""
    stack = [(region, 0)]
    while stack:
        here, i = stack.pop()
        if tree.test[i] == LEAF:
            yield here, i
            continue
        ends = stop(tree, i)
        if ends is not None and (rest := met(here, ends)) is not None:
            yield rest, i
        for kid, condition in reversed(answers(tree, i).items()):
            if (part := met(here, condition)) is not None:
                stack.append((part, kid))


def forks(first: Tree, second: Tree) -> tuple[Fork, ...]:
    """Where two trees part: on every path that they share, the first node they differ at."""
    found = []
    stack: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]
    while stack:
        i, j, path = stack.pop()
        pairs = _paired(first, i, second, j)
        if pairs is not None:
            stack += [(a, b, (*path, text)) for a, b, text in reversed(pairs)]
        elif first.test[i] != LEAF or second.test[j] != LEAF or first.said(i) != second.said(j):
            here = " AND ".join(path) or "root"
            found.append(Fork(here, does(first, i), does(second, j)))
    return tuple(found)


def _paired(first: Tree, i: int, second: Tree, j: int) -> list[tuple[int, int, str]] | None:
    """The children of two nodes that ask the same, side by side; None if they do not."""
    one, two = answers(first, i), answers(second, j)
    if not one or not two:
        return None
    by_condition = {condition: kid for kid, condition in two.items()}
    both = [(a, by_condition[c], str(c)) for a, c in one.items() if c in by_condition]
    same = len(both) == len(one) == len(two)
    ways = first.test[i] == MULTIWAY == second.test[j]
    named = {c.column for c in (*one.values(), *two.values())}
    return both if same or (ways and len(named) == 1) else None


def does(tree: Tree, i: int) -> str:
    """What a tree does at a node, in words."""
    if tree.test[i] == LEAF:
        said = tree.said(i)
        return f"answers {format_number(said) if not tree.classes else said}"
    branch = tree.branches(i)[0]
    question = branch.column if tree.test[i] == MULTIWAY else str(branch)
    return f"asks {question}, gain {format_number(float(tree.gain[i]))}"
