"""Pooling: rare values that are taken together while the rows are counted, not after.

A scatter has a number for every pair of values, and an identifier of 20,000 rows has 400,000,000
pairs. Where that is more than memory holds, the values are counted in a pass of their own, and
those that are rare in the whole table share an indicator from the start: what is solved is the
same. What was taken together does not come apart again, so that such sums cannot be merged.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import SizeError
from tallylearn.estimators import OnePass
from tallylearn.estimators.fit_input import Lesson
from tallylearn.estimators.missing_targets import total
from tallylearn.estimators.passes import Passes
from tallylearn.estimators.tally_state import TallyState
from tallylearn.models.design.rare_categories import NO_RARE, Rare, rare
from tallylearn.tables import FREQUENCY, Block, Codes
from tallylearn.tallies import Bundle, Counts

PART = "pooled"  # of a tally: the rare values of every column, counted
POOLED = "values of fewer rows are pooled while they are counted"


class Pooling(OnePass):
    """Learners of pairs: where those of all values are too many, rare ones are one value."""

    counts_values: ClassVar[bool] = True
    min_samples_category: Any

    @abstractmethod
    def _paired(self, read: Lesson, few: Rare) -> TallyState:
        """The tally of a lesson, some of whose values are rare and counted as one."""

    def _tallied(self, read: Lesson) -> TallyState:
        """Which values are rare, where it has to be known, takes a pass over the rows before."""
        try:
            return self._paired(read, NO_RARE)
        except SizeError as error:
            few = self._few(read, error)
        return self._paired(read, few)

    def _few(self, read: Lesson, error: SizeError) -> Rare:
        values, _ = total(self._values, read)
        few = too_rare(values, float(self.min_samples_category)) if values else NO_RARE
        if not few.values:
            more = f" Or a larger min_samples_category: {POOLED}." if read.schema.categories else ""
            raise SizeError(f"{error}{more}") from None
        return few

    def _values(self, block: Block) -> Bundle:
        return values_of(block)

    def _learn(self, learned: TallyState, patient: bool = False) -> None:
        """A tally of pooled values is let go: it can neither be merged nor forgotten from."""
        together = PART in learned.tally
        super()._learn(learned, patient and not together)
        if together:
            self.tally_ = None


def sum_pooled(
    passes: Passes, tally_with: Callable[[Rare], Callable[[Block], Bundle]], min_rows: float
) -> Bundle:
    """The tally of all rows; if the pairs of all values do not fit memory, rare ones are pooled.

    ``tally_with(rare)`` is the call that counts a block with those values as one.
    """
    try:
        return passes.total(tally_with(NO_RARE))
    except SizeError as error:
        rare_values = too_rare(passes.total(values_of), min_rows)
        if not rare_values.values:
            more = (
                f" Or a larger min_samples_category: {POOLED}." if passes.schema.categories else ""
            )
            raise SizeError(f"{error}{more}") from None
    return passes.total(tally_with(rare_values))


def values_of(block: Block) -> Bundle:
    """How many rows have every value of every category; of weights only frequencies count."""
    weight = block.weight if block.weight_kind == FREQUENCY else None
    counts = {name: Counts.of(codes, weight=weight) for name, codes in block.codes.items()}
    return Bundle({"target": Counts.of(block.keyed(), weight=weight), PART: Bundle(counts)})


def too_rare(values: Bundle, min_rows: float) -> Rare:
    """The rare values of every category, by the counts of a whole table."""
    rows, columns = values["target"].weight, values.get(PART)
    found = {}
    for name, counts in columns.parts.items() if columns is not None else ():
        few = np.flatnonzero(rare(counts.floats(), rows, min_rows))
        found[name] = [str(counts.keys[0][at]) for at in few]
    return Rare.of(found)


def pooled(block: Block, few: Rare) -> tuple[Block, Bundle]:
    """A block whose rare values are the last of their column, and how often it has each of them."""
    codes, counts = dict(block.codes), {}
    for name, values in few.by_column.items():
        column = codes[name]
        at = column.among(values)
        counts[name] = Counts.of(Codes(values, np.where(at < 0, -1, at).astype(np.int32)))
        here = {column.values[i] for i in np.unique(column.codes[at == -2])}
        kept = tuple(sorted(here))
        place = column.among(kept)
        place = np.where((place < 0) & (at >= 0), len(kept), np.maximum(place, -1))
        codes[name] = Codes((*kept, ""), place.astype(np.int32))
    return replace(block, codes=codes), Bundle(counts)


def taken_together(tally: Bundle) -> Rare | None:
    """The rare values that a tally has under one name; None where it has all under their own."""
    counts = tally.get(PART)
    if counts is None:
        return None
    return Rare.of({name: map(str, part.keys[0]) for name, part in counts.parts.items()})
