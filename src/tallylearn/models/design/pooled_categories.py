"""Rare categories pooled while rows are tallied, where memory does not hold all pairs of values.

A scatter matrix has an entry for every pair of values: a category with 20,000 values has
400,000,000. Where that is more than memory holds, the values are counted in a pass of their own,
and those that are rare in the whole table share one indicator from the start. The model is the same
as with pooling after the sums. A pooled tally cannot be merged or forgotten from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from tallylearn.errors import SizeError
from tallylearn.estimators.passes import Passes
from tallylearn.models.design.rare_categories import NO_RARE, RareValues, rare
from tallylearn.tables import FREQUENCY, Block, Codes
from tallylearn.tallies import Bundle, Counts

Tally = TypeVar("Tally")
PART = "pooled"  # of a tally: the rare values of every column, counted
POOLED = "values of fewer rows are pooled while they are counted"


def sum_pooled(
    passes: Passes, tally_with: Callable[[RareValues], Callable[[Block], Bundle]], min_rows: float
) -> Bundle:
    """The tally of all rows; if the pairs of all values do not fit memory, rare ones are pooled.

    ``tally_with(rare)`` is the call that counts a block with those values as one.
    """
    return tally_within_memory(
        lambda rare_values: passes.total(tally_with(rare_values)),
        lambda error: rare_or_raise(passes.total(values_of), min_rows, error),
    )


def tally_within_memory(
    tally_pairs: Callable[[RareValues], Tally], find_rare: Callable[[SizeError], RareValues]
) -> Tally:
    """The tally of all pairs of values; where memory does not hold it, with rare values pooled.

    Which values are rare takes a pass over the rows of its own.
    """
    try:
        return tally_pairs(NO_RARE)
    except SizeError as error:
        rare = find_rare(error)
    return tally_pairs(rare)


def rare_or_raise(values: Bundle | None, min_rows: float, error: SizeError) -> RareValues:
    """The rare values of a table that is too wide; the error, where there are none to pool."""
    rare = too_rare(values, min_rows) if values else NO_RARE
    if not rare.values:
        has_categories = values is not None and PART in values
        more = f" Or a larger min_samples_category: {POOLED}." if has_categories else ""
        raise SizeError(f"{error}{more}") from None
    return rare


def values_of(block: Block) -> Bundle:
    """How many rows have every value of every category; of weights only frequencies count."""
    weight = block.weight if block.weight_kind == FREQUENCY else None
    counts = {name: Counts.of(codes, weight=weight) for name, codes in block.codes.items()}
    return Bundle({"target": Counts.of(block.counting_keys(), weight=weight), PART: Bundle(counts)})


def too_rare(values: Bundle, min_rows: float) -> RareValues:
    """The rare values of every category, by the counts of a whole table."""
    rows, columns = values["target"].weight, values.get(PART)
    found = {}
    for name, counts in columns.parts.items() if columns is not None else ():
        few = np.flatnonzero(rare(counts.floats(), rows, min_rows))
        found[name] = [str(counts.keys[0][at]) for at in few]
    return RareValues.of(found)


def pool_rare_values(block: Block, few: RareValues) -> tuple[Block, Bundle]:
    """A block whose rare values are the last of their column, and how often it has each of them."""
    codes, counts = dict(block.codes), {}
    for name, values in few.by_column.items():
        column = codes[name]
        at = column.recode(values)
        counts[name] = Counts.of(Codes(values, np.where(at < 0, -1, at).astype(np.int32)))
        here = {column.values[i] for i in np.unique(column.codes[at == -2])}
        kept = tuple(sorted(here))
        place = column.recode(kept)
        place = np.where((place < 0) & (at >= 0), len(kept), np.maximum(place, -1))
        codes[name] = Codes((*kept, ""), place.astype(np.int32))
    return replace(block, codes=codes), Bundle(counts)


def joint_scatter(tally: Bundle) -> RareValues | None:
    """The rare values that a tally has under one name; None where it has all under their own."""
    counts = tally.get(PART)
    if counts is None:
        return None
    return RareValues.of({name: map(str, part.keys[0]) for name, part in counts.parts.items()})
