"""Joins: regions that differ in one column only are one region."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import Region


@dataclass(frozen=True)
class Join:
    """A region, and the places of the regions that it is made of."""

    region: Region
    key: Hashable  # only regions of one key are joined
    places: tuple[int, ...]


def joined(regions: Sequence[Region], keys: Sequence[Hashable]) -> list[Join]:
    """Join until no two regions of a key touch that differ in one column; first places first.

    The regions are disjoint, and stay so. Of several ways to join, columns asked first come first.
    """
    pairs = enumerate(zip(regions, keys, strict=True))
    found, before = [Join(region, key, (at,)) for at, (region, key) in pairs], -1
    while len(found) != before:
        before = len(found)
        for column in dict.fromkeys(name for join in found for name in join.region):
            found = [join for group in _alike(found, column) for join in _merged(group, column)]
    return sorted(found, key=lambda join: join.places)


def _alike(joins: list[Join], column: str) -> Iterable[list[Join]]:
    """Those that differ in nothing but what they ask of a column; one that does not ask, alone."""
    groups: dict[Any, list[Join]] = {}
    for at, join in enumerate(joins):
        rest = frozenset(c for name, c in join.region.items() if name != column)
        alone = -1 if column in join.region else at
        groups.setdefault((join.key, rest, alone), []).append(join)
    return groups.values()


def _merged(group: list[Join], column: str) -> list[Join]:
    """The regions of a group, joined where their ranges touch or their categories add up."""
    if len(group) == 1:
        return group
    found: list[Join] = []
    for join in sorted(group, key=lambda join: join.region[column].start):
        one: Any = found[-1].region.get(column) if found else None
        both: Condition | None = one.joined(join.region[column]) if one is not None else None
        if both is None:
            found.append(join)
            continue
        region = found[-1].region | {column: both}
        kept = {name: c for name, c in region.items() if not c.free}
        found[-1] = Join(kept, join.key, tuple(sorted((*found[-1].places, *join.places))))
    return found
