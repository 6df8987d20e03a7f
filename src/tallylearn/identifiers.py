"""Identifiers: a column that tells every row from all others says nothing about the next row.

It is judged by how many different values it has, whatever the order of the rows: strings of which
nearly all are different, and whole numbers of which none comes twice though they lie so close
together that chance would have repeated some, as it repeats birthdays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tallylearn import engines
from tallylearn.errors import CellError
from tallylearn.sources import Declared
from tallylearn.sources.kinds import FEW, MANY, all_but_different
from tallylearn.tables import CATEGORY, NUMBER, Array, Block, Codes
from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.distinct import Distinct

HALF = 0.5  # of the first block's values: where more come again, no other block is asked
PAIRS = 10  # of equal numbers: where chance would give more and there is none, they are names
YEARS = 1500, 2200  # whole numbers that are years are measured, though each comes once
SPARSE = 16  # times the rows: whole numbers that lie wider apart are told by their hashes
AT_ONCE = 10  # columns of files: a block holds each of its strings by name, some 60 bytes
HEAD = 256  # rows that most columns of numbers are told apart by


def identified(source: Declared) -> Declared:
    """The same rows, in whose schema such columns are identifiers; declared columns never are."""
    if source.named is not None:
        return source
    try:
        return source.naming(identifiers(source))
    except CellError as odd:
        return identified(source.amended(odd))


def identifiers(source: Declared) -> dict[str, str]:
    """The columns that only tell the rows apart, each with the reason.

    >>> import tallylearn as tl
    >>> identifiers(tl.table({"name": list("abcdefghijkl"), "size": [1.5, 2] * 6}))
    {'name': 'all of its 12 values are different'}
    """
    kinds = _open(source)
    if not kinds:
        return {}
    first, alone = source.beginning()
    found = _in_memory(first, kinds)
    if not alone:
        names = tuple(name for name in found if _stays(kinds[name], found[name]))
        found = _everywhere(source, names) if names else {}
    return {name: why for name in found if (why := _reason(kinds[name], found[name]))}


def read_before(
    source: Declared, whole: Block | None, tallied: Mapping[str, Different]
) -> dict[str, str]:
    """The same by who has read all rows: they are at hand, or the values of their columns."""
    kinds = _open(source)
    found = tallied if whole is None else _in_memory(whole, kinds)
    named = {name: kinds[name] for name in kinds if name in found}
    return {name: why for name in named if (why := _reason(kinds[name], found[name]))}


def _open(source: Declared) -> dict[str, str]:
    """The columns that may be identifiers, with their kinds: of no other does anybody say so."""
    schema = source.schema
    kinds = {c.name: c.kind for c in schema.of_kind(NUMBER, CATEGORY) if c.origin != "truth"}
    apart = {f"{name}.{part}" for name, parts in schema.parts for part in parts}
    asked = {name for name, found in source.judged.items() if found.doubt}  # numbers, perhaps
    beside = {*source.declared.kept, *apart, *asked}
    return {n: kind for n, kind in kinds.items() if n not in beside}


def _in_memory(block: Block, kinds: Mapping[str, str]) -> dict[str, Different]:
    return {name: _seen(_column(block, name)) for name in kinds if _may(block, name)}


def why_apart(column: Codes | Array) -> str:
    """Why a column in memory only tells the rows apart; empty where it does not."""
    return _reason(CATEGORY if isinstance(column, Codes) else NUMBER, _seen(column))


def _everywhere(source: Declared, names: tuple[str, ...]) -> dict[str, Different]:
    """The different values of some columns, which are read alone, in all rows of files."""
    found: dict[str, Different] = {}
    for at in range(0, len(names), AT_ONCE):
        some = names[at : at + AT_ONCE]
        columns = (column for column in source.schema.columns if column.name in some)
        narrow = source.untargeted().narrowed(source.schema.of_columns(columns))
        total = engines.here().total(_Names(some), narrow) or Bundle()
        found |= {name: Different.of(total.get(name) or Distinct.empty()) for name in some}
    return found


@dataclass(frozen=True)
class _Names:
    """The different values of some columns of a block."""

    names: tuple[str, ...]

    def __call__(self, block: Block) -> Bundle:
        return Bundle({name: Distinct.of(_column(block, name)) for name in self.names})


def _column(block: Block, name: str) -> Codes | Array:
    if name in block.codes:
        return block.codes[name]
    return np.ascontiguousarray(block.numbers[:, block.schema.places[name]])


@dataclass(frozen=True)
class Different:
    """How many rows show a value, how many values there are, and what numbers they are."""

    present: int
    different: int
    again: bool  # whether a value comes twice
    exact: bool = True
    whole: bool = False
    least: float = 0.0
    greatest: float = 0.0

    @classmethod
    def of(cls, found: Distinct) -> Different:
        """From the tally of a column."""
        ends = found.least, found.greatest
        again = bool(found.repeats)
        return cls(found.present, found.count, again, found.exact, found.whole, *ends)


def _seen(x: Codes | Array) -> Different:
    """The values of a column that is in memory whole, most often without a hash."""
    if isinstance(x, Codes):
        times = np.bincount(x.codes[x.codes >= 0] if (x.codes < 0).any() else x.codes)
        n, different = int(times.sum()), int(np.count_nonzero(times))
        return Different(n, different, different < n)
    x = x[~np.isnan(x)] if np.isnan(x).any() else x
    least, greatest = (float(x.min()), float(x.max())) if len(x) else (0.0, -1.0)
    if not greatest - least < SPARSE * len(x):  # nor where one is infinite
        return Different.of(Distinct.of(x))
    from_least = x - least
    at = from_least.astype(np.int64)
    there = np.zeros(int(greatest - least) + 1, dtype=bool)
    there[at] = True
    different, whole = int(np.count_nonzero(there)), bool((at == from_least).all())
    return Different(len(x), different, different < len(x), True, whole, least, greatest)


def _may(block: Block, name: str) -> bool:
    """Whether the first rows leave it open: where a number is repeated or broken, they do not."""
    if name in block.codes:
        known = block.codes[name]
        return len(known.values) >= HALF * int(np.count_nonzero(known.codes >= 0))
    head = block.numbers[:HEAD, block.schema.places[name]]
    head = head[~np.isnan(head)]
    whole = np.isfinite(head).all() and (head % 1 == 0).all()
    return bool(whole and len(np.unique(head)) == len(head))


def _stays(kind: str, first: Different) -> bool:
    """Whether the first block leaves it open: a number that comes twice is none, whatever comes."""
    return first.different >= HALF * first.present if kind == CATEGORY else not first.again


def _reason(kind: str, found: Different) -> str:
    """Why a column of so many different values is an identifier; empty where it is none."""
    if found.present < FEW:
        return ""
    if kind == NUMBER:
        return _numbered(found)
    if not found.again:
        return f"all of its {found.present:,} values are different"
    if all_but_different(found.present, found.different):
        about = "" if found.exact else "about "
        return f"{about}{found.different:,} of its {found.present:,} values are different"
    return ""


def _numbered(found: Different) -> str:
    if not found.whole or found.again:
        return ""
    n, least, greatest = found.present, found.least, found.greatest
    span = greatest - least + 1
    pairs = n * (n - 1) / 2 / span  # the chance that none is repeated is below exp(-pairs)
    years = YEARS[0] <= least and greatest <= YEARS[1]
    if n < MANY or pairs < PAIRS or years:
        return ""
    if n == span:
        return f"it counts the rows, from {least:.0f} to {greatest:.0f}"
    return f"its {n:,} whole numbers between {least:.0f} and {greatest:.0f} are all different"
