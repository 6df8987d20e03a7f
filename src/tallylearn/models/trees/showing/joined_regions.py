"""Join regions that differ in one column only."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tallylearn.models.trees.showing.conditions import Condition
from tallylearn.models.trees.showing.regions import Region


@dataclass(frozen=True)
class Join:
    """A region, and the positions of the regions that were joined to it."""

    region: Region
    key: Hashable  # only regions of one key are joined
    places: tuple[int, ...]


def join_regions(regions: Sequence[Region], keys: Sequence[Hashable]) -> list[Join]:
    """Join regions of one key that differ in one column, until there are none.

    The regions are disjoint, and stay so. Columns are tried in the order of the splits.
    """
    pairs = enumerate(zip(regions, keys, strict=True))
    found, before = [Join(region, key, (at,)) for at, (region, key) in pairs], -1
    while len(found) != before:
        before = len(found)
        for column in dict.fromkeys(name for join in found for name in join.region):
            found = [
                join
                for group in _groups_by_column(found, column)
                for join in _join_group(group, column)
            ]
    return sorted(found, key=lambda join: join.places)


def _groups_by_column(joins: list[Join], column: str) -> Iterable[list[Join]]:
    """Groups of regions that differ in one column; a region without it is alone."""
    groups: dict[Any, list[Join]] = {}
    for at, join in enumerate(joins):
        rest = frozenset(c for name, c in join.region.items() if name != column)
        alone = -1 if column in join.region else at
        groups.setdefault((join.key, rest, alone), []).append(join)
    return groups.values()


def _join_group(group: list[Join], column: str) -> list[Join]:
    """The regions of a group, joined where the union of their conditions is one condition."""
    if len(group) == 1:
        return group
    found: list[Join] = []
    for join in sorted(group, key=lambda join: join.region[column].start):
        one: Any = found[-1].region.get(column) if found else None
        both: Condition | None = one.union(join.region[column]) if one is not None else None
        if both is None:
            found.append(join)
            continue
        region = found[-1].region | {column: both}
        kept = {name: c for name, c in region.items() if not c.is_unrestricted}
        found[-1] = Join(kept, join.key, tuple(sorted((*found[-1].places, *join.places))))
    return found
