"""Identifiers: columns of unique strings, from which no learner can generalise to another row.

Only strings are identifiers. Numbers and dates that are all different are often measures or times,
so they are never left out: ``counting_direction`` finds those that count the rows, for a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.errors import CellError
from tallylearn.sources import DeclaredTable
from tallylearn.sources.columns.kinds import (
    MIN_NAMES_WITH_REPEATS,
    MIN_UNIQUE_NAMES,
    MIN_UNIQUE_SHARE,
    all_but_different,
)
from tallylearn.tables import CATEGORY, Array, Block, Codes
from tallylearn.tallies.bundles import Bundle
from tallylearn.tallies.distinct import Distinct

HALF = 0.5  # of the first block's values: where more come again, no other block is read
AT_ONCE = 10  # columns of files: a block holds each of its strings by name, some 60 bytes
SAMPLE = 200  # values of a column that are matched against the patterns below
DENSE = 0.8  # of the whole numbers between the least and the greatest: the rows are numbered

_CURRENCY = (
    r"(?:[$€£¥₹₽₩₺₴₦฿]|[A-Z]{1,2}\$|kr\.?|zł|Kč|Ft|Rs\.?|Fr\.?|"
    r"(?:USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|BRL|MXN|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|ZAR))"
)
_UNIT = (
    r"(?:%|‰|°\s?[CFK]?|[µμnmckM]?g|lbs?|oz|st|[µμnmck]?m|in|ft|yd|mi|miles?|[mcd]?l|L|gal|"
    r"[µμnm]?s|secs?|mins?|h|hrs?|hours?|d|days?|wks?|weeks?|months?|mo|yrs?|years?|"
    r"[kKMG]?Hz|[kKMG]?Wh?|hp|k?V|m?A|[kKMGT]i?B|[hk]?Pa|bar|psi|K|C|F|k?J|k?cal|mph|kmh|rpm|ppm|"
    r"ha|[mck]?m[²³23]|sq\.? ?(?:ft|m|mi)|t|tons?|k|M|B|bn|mn|mio|thousand|million|billion)"
)
_NUMBER = r"(?:\d+(?:[.,' \u00a0\u202f]\d{2,3})*(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_AMOUNT = re.compile(
    rf"[<>~≈±]?\s*[-+(−]?\s*(?:{_CURRENCY}\s?)?[-+−]?{_NUMBER}\s?"
    rf"(?:{_CURRENCY}|{_UNIT})?(?:\s?(?:/|per )\s?{_UNIT})?\s?\)?"
)
_MONTH = (
    r"(?:jan(?:uary|uar|vier|eiro)?|feb(?:ruary|ruar|rero|braio)?|f[eé]v(?:rier|ereiro)?|"
    r"mar(?:ch|s|zo|ço)?|märz|apr(?:il|ile)?|avr(?:il)?|abr(?:il)?|may|mai|mayo|maio|maggio|"
    r"june?|juni|juin|junio|junho|giugno|july?|juli|juillet|julio|julho|luglio|"
    r"aug(?:ust)?|août|ago(?:sto)?|sept?(?:ember|embre|iembre)?|settembre|setembro|"
    r"o[ck]t(?:ober|obre|ubre)?|ottobre|outubro|nov(?:ember|embre|iembre|embro)?|"
    r"d[eé][cz](?:ember|embre|embro)?|dic(?:iembre|embre)?|ene(?:ro)?|gennaio)\.?"
)
_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}(?:\1\d{1,2})?(?:[T ].*)?|\d{1,2}[-/.]\d{4}"  # 2024-01-31, 2024-01
    r"|\d{1,2}([-/.])\d{1,2}\2(?:\d\d|\d{4})(?:[T ].*)?"  # 31.1.2024
    r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?"  # 23:59:59
    r"|\d{4}[- ]?[qwh]\d{1,2}|[qwh]\d{1,2}[-/ ]\d{4}"  # 2024-Q1, 2024-W05
    rf"|{_MONTH}[-./, ']*(?:\d\d|\d{{4}})|\d{{4}}[- ]?{_MONTH}|\d{{1,2}}/\d\d"  # Jan-24, 1/86
    rf"|(?:[^\W\d]+\.?,?\s+)?\d{{1,2}}\.?[-/ ]?(?:de\s)?{_MONTH}[-/, ]*(?:de\s)?\d{{2,4}}(?: .*)?"
    rf"|(?:[^\W\d]+\.?,?\s+)?{_MONTH}\s\d{{1,2}},?\s\d{{4}}(?: .*)?",
    re.IGNORECASE,
)
_CODE = re.compile(r"0\d+|\d{16,}")  # digits that name something: 00721, a card's number


def find_identifiers(source: DeclaredTable) -> DeclaredTable:
    """The same rows, in whose schema such columns are identifiers; declared columns never are."""
    if source.identifier_reasons is not None:
        return source
    try:
        return source.with_identifiers(identifiers(source))
    except CellError as odd:
        return find_identifiers(source.reinfer(odd))


def identifiers(source: DeclaredTable) -> dict[str, str]:
    """The columns of unique strings, each with the reason why it is an identifier.

    >>> import tallylearn as tl
    >>> identifiers(tl.table({"name": list("abcdefghijkl"), "no": [*range(12)]}))
    {'name': 'all of its 12 values are different'}
    """
    names = _candidates(source)
    if not names:
        return {}
    first, alone = source.first_block()
    names = tuple(
        name for name in names if _may_be(first.codes[name], name in source.long_integers)
    )
    found = {name: DistinctCounts.in_memory(first.codes[name]) for name in names}
    if not alone:
        found = _count_distinct_in_files(source, names) if names else {}
    return {name: why for name in found if (why := _reason(found[name]))}


def read_before(
    source: DeclaredTable, whole: Block | None, tallied: Mapping[str, DistinctCounts]
) -> dict[str, str]:
    """The same for a caller that has read all rows: ``whole``, or the tallies of their values."""
    names = _candidates(source)
    if whole is not None:
        return {
            name: why
            for name in names
            if _may_be(whole.codes[name], name in source.long_integers)
            and (why := _reason(DistinctCounts.in_memory(whole.codes[name])))
        }
    first, _ = source.first_block()
    return {
        name: why
        for name in names
        if name in tallied
        and _may_be(first.codes[name], name in source.long_integers)
        and (why := _reason(tallied[name]))
    }


def _candidates(source: DeclaredTable) -> tuple[str, ...]:
    """The categories that nobody declared; the parts of a date and truth values are none."""
    schema = source.schema
    names = [c.name for c in schema.of_kind(CATEGORY) if c.origin != "truth"]
    if not names:
        return ()
    parts = {f"{name}.{part}" for name, parts in schema.parts for part in parts}
    doubtful = {
        name for name, found in source.inferred.items() if found.ambiguity
    }  # numbers, perhaps
    others = {*source.declared.feature_columns, *parts, *doubtful}
    return tuple(name for name in names if name not in others)


def _may_be(column: Codes, long: bool) -> bool:
    """Whether the first rows leave it open; ``long``: integers that no double holds are names."""
    if len(column.values) < HALF * int(np.count_nonzero(column.codes >= 0)):
        return False
    return long or not looks_measured(column.values)


def looks_measured(values: Sequence[Any]) -> bool:
    """Whether most of some strings are numbers, amounts, dates or numbers with a unit.

    >>> looks_measured(["12 kg", "7.5 kg", "n/a"]), looks_measured(["K12", "K7", "K75"])
    (True, False)
    """
    step = max(len(values) // SAMPLE, 1)
    some = values[::step]
    return 2 * sum(map(is_measured, some)) > len(some)


def is_measured(value: Any) -> bool:
    """Whether a string is a number, an amount, a date or a number with a unit, and no code."""
    text = str(value).strip()
    if _CODE.fullmatch(text):
        return False
    return bool(_AMOUNT.fullmatch(text) or _DATE.fullmatch(text))


def unique_values(column: Codes) -> str:
    """Why a column in memory is an identifier; empty where it is none."""
    return _reason(DistinctCounts.in_memory(column))


def _count_distinct_in_files(
    source: DeclaredTable, names: tuple[str, ...]
) -> dict[str, DistinctCounts]:
    """The different values of some columns, which are read alone, in all rows of files."""
    found: dict[str, DistinctCounts] = {}
    for at in range(0, len(names), AT_ONCE):
        some = names[at : at + AT_ONCE]
        columns = (column for column in source.schema.columns if column.name in some)
        narrow = source.without_target().with_columns(source.schema.of_columns(columns))
        total = engines.current_engine().total(_Names(some), narrow) or Bundle()
        found |= {name: DistinctCounts.of(total.get(name) or Distinct.empty()) for name in some}
    return found


@dataclass(frozen=True)
class _Names:
    """The different values of some columns of a block."""

    names: tuple[str, ...]

    def __call__(self, block: Block) -> Bundle:
        return Bundle({name: Distinct.of(block.codes[name]) for name in self.names})


@dataclass(frozen=True)
class DistinctCounts:
    """How many rows show a value, and how many values there are."""

    present: int
    different: int
    again: bool  # whether a value comes twice
    exact: bool = True

    @classmethod
    def of(cls, found: Distinct) -> DistinctCounts:
        """From the tally of a column."""
        return cls(found.present, found.count, bool(found.repeats), found.exact)

    @classmethod
    def in_memory(cls, column: Codes) -> DistinctCounts:
        """From all rows of a column, without a hash."""
        codes = column.codes
        times = np.bincount(codes[codes >= 0] if (codes < 0).any() else codes)
        n, different = int(times.sum()), int(np.count_nonzero(times))
        return cls(n, different, different < n)


def _reason(found: DistinctCounts) -> str:
    """Why a column of so many different values is an identifier; empty where it is none."""
    if found.present < MIN_UNIQUE_NAMES:
        return ""
    if not found.again:
        return f"all of its {found.present:,} values are different"
    if all_but_different(found.present, found.different):
        about = "" if found.exact else "about "
        return f"{about}{found.different:,} of its {found.present:,} values are different"
    return ""


def counting_direction(x: Array, date: bool = False) -> str:
    """How numbers count the rows: "up" or "down" along them, "any" in another order, or "".

    Along the rows nearly all steps go one way, and the numbers are whole, dates, or equally far
    apart; a sorted measure is not. In another order nearly every whole number between the least
    and the greatest comes once.

    >>> counting_direction(np.arange(100.0)), counting_direction(np.sort(np.random.rand(100)))
    ('up', '')
    """
    x = x[~np.isnan(x)] if np.isnan(x).any() else x
    n = len(x)
    if n < MIN_UNIQUE_NAMES or not np.isfinite(x).all():
        return ""
    steps = np.diff(x)
    up, down = (int(np.count_nonzero(side)) for side in (steps > 0, steps < 0))
    whole = bool((x % 1 == 0).all())
    # hours that begin again every day go up in 23 of 24 steps, and count no rows
    if max(up, down) >= MIN_UNIQUE_SHARE * len(steps) and len(np.unique(x)) >= MIN_UNIQUE_SHARE * n:
        step = np.median(steps)
        near = np.abs(steps - step) <= 1e-6 * abs(step)
        if whole or date or np.count_nonzero(near) >= MIN_UNIQUE_SHARE * len(steps):
            return "up" if up > down else "down"
    if not whole or date or n < MIN_NAMES_WITH_REPEATS or x.max() - x.min() + 1 > n / DENSE:
        return ""
    return "any" if len(np.unique(x)) >= MIN_UNIQUE_SHARE * n else ""
