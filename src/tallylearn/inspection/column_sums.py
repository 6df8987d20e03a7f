"""Sums of columns: what is counted of each while the rows of a table pass by."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tallylearn.screening.table_sample import (
    SampledRows,
    as_codes,
    counts,
    describe_classes,
    is_missing,
    name_classes,
)
from tallylearn.sources.files.csv.cell_errors import is_total
from tallylearn.tables import Array, Block, Codes, Start, row_number
from tallylearn.workings import format_number

SENTINELS = (-9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
TWICE = 2  # times that a number comes before it can be called a mark
MAX_COMPARED_CATEGORIES = 100_000  # categories that are compared with each other
FOOT = 3  # rows at the end of a table, among which sums stand
MIN_TOTAL_ROWS = (
    3  # rows that have a word for sums, where their numbers do not show that they are sums
)
SUM_TOLERANCE = 1e-6  # relative, by which a sum may differ from the numbers as they are written
_MEAN = re.compile(
    r"average|mean|durchschnitt|mittelwert|moyenne|promedio", re.IGNORECASE
).fullmatch  # words that are categories as often as means


@dataclass
class ColumnSum:
    """What is counted of a column while its rows pass by."""

    missing: int = 0
    values: set[str] = field(default_factory=set)  # of categories, up to 100 000
    marks: Counter[int] = field(default_factory=Counter)  # numbers that often stand for nothing
    low: float = np.inf  # of the other numbers
    high: float = -np.inf
    calendar: bool = True  # whether all other numbers may be days such as 20241231

    def number(self, x: Array) -> None:
        """Count a block of numbers."""
        gaps = np.isnan(x)
        self.missing += int(gaps.sum())
        marked = np.isin(x, SENTINELS)
        self.marks.update(x[marked].astype(int).tolist())
        if len(rest := x[~gaps & ~marked]):
            self.low = min(self.low, float(rest.min()))  # NumPy's own warn where they overflow
            self.high = max(self.high, float(rest.max()))
            self.calendar = self.calendar and _calendar(rest)

    @property
    def likely(self) -> list[int]:
        """Repeated numbers, farther from all others than those lie apart."""
        far = self.high - self.low
        return sorted(
            m for m, n in self.marks.items() if n >= TWICE and self._distance_beyond(m) > far >= 0
        )

    def _distance_beyond(self, mark: int) -> float:
        return max(self.low - mark, mark - self.high)

    @property
    def alike(self) -> list[tuple[str, ...]]:
        """Categories that differ only in letters or blanks."""
        found: dict[str, list[str]] = {}
        for value in sorted(self.values):
            found.setdefault(" ".join(value.casefold().split()), []).append(value)
        return [(*same,) for same in found.values() if len(same) > 1]


def _calendar(x: Array) -> bool:
    """Whether all numbers are years of 1900 to 2099, months and days, one behind the other."""
    if x.min() < 19000101 or x.max() > 20991231:
        return False
    month, day = x // 100 % 100, x % 100
    return bool(((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (x % 1 == 0)).all())


@dataclass
class TargetSum(ColumnSum):
    """The same of a target, and how many rows have each of its values, up to 100 000."""

    answers: Counter[Any] = field(default_factory=Counter)

    def target(self, answers: Codes | Array) -> None:
        """Count a block of a target."""
        if isinstance(answers, Codes):
            self.missing += int((answers.codes < 0).sum())
            self.values.update(answers.values)
        else:
            self.number(answers)
            answers = as_codes(answers)
        if len(self.answers) < MAX_COMPARED_CATEGORIES:
            rows = counts(answers).tolist()
            self.answers.update(dict(zip(answers.values, rows, strict=True)))

    @property
    def description(self) -> str:
        """Its classes and their rows, or the range of its numbers."""
        found = {value: rows for value, rows in sorted(self.answers.items()) if rows}
        if not found:
            return "no row has one"
        if self.values or name_classes([*found], sum(found.values())):
            return describe_classes(found)
        ends = [*self.marks, *((self.low, self.high) if self.low <= self.high else ())]
        return f"numbers from {format_number(min(ends))} to {format_number(max(ends))}"


@dataclass
class TotalRows:
    """Rows that sum other rows up, as spreadsheets have them: below groups of rows, and at the end.

    A word for sums or means where a category stands makes a row suspect. It is one of these where
    its numbers are the sum or the mean of the rows since the last such row, or of all rows before;
    among the last rows, where footnotes may follow, a word for sums that few rows have will do.
    """

    found: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # column, word -> rows
    proved: dict[tuple[str, str], list[int]] = field(
        default_factory=dict
    )  # the numbers say so, too
    last: int = 0  # the number of the last row
    _since: Any = 0.0  # sums of the columns of numbers over the rows since the last such row
    _all: Any = 0.0  # and over all rows that are none
    _rows: tuple[int, int] = (0, 0)  # how many these are

    @classmethod
    def of_rows(cls, rows: SampledRows) -> TotalRows:
        """Of rows that are learned from, those that have a target; the last of a sample is none."""
        target = np.zeros(len(rows)) if rows.target is None else rows.target
        kept = np.flatnonzero(~is_missing(target))
        found, columns = cls(), {name: column[kept] for name, column in rows.columns.items()}
        named = {name: column for name, column in columns.items() if isinstance(column, Codes)}
        numbers = [column for column in columns.values() if not isinstance(column, Codes)]
        if named and len(kept):
            found._look(named, np.array(numbers).reshape(-1, len(kept)).T, rows.places[kept])
        found.last = found.last if rows.whole else sys.maxsize
        return found

    def look(self, block: Block) -> None:
        """Look at a block."""
        self._look(block.codes, block.numbers, block.start)

    def _look(self, codes: Mapping[str, Codes], numbers: Array, start: Start) -> None:
        suspect: dict[int, list[tuple[str, str]]] = {}
        for name, column in codes.items():
            for at, word in enumerate(column.values):
                if isinstance(word, str) and is_total(word):
                    for row in np.flatnonzero(column.codes == at).tolist():
                        suspect.setdefault(row, []).append((name, word))
        begin = 0
        for row in sorted(suspect):
            self._add(numbers[begin:row])
            sums = self._sums_up(numbers[row])
            number = row_number(start, row)
            for word in suspect[row]:
                self.found.setdefault(word, []).append(number)
                if sums:
                    self.proved.setdefault(word, []).append(number)
            if sums:
                self._since, self._rows = 0.0, (0, self._rows[1])
            else:
                self._add(numbers[row : row + 1])
            begin = row + 1
        self._add(numbers[begin:])
        self.last = row_number(start, len(numbers) - 1)

    def _add(self, numbers: Array) -> None:
        sums = np.nansum(numbers, axis=0)
        self._since, self._all = self._since + sums, self._all + sums
        self._rows = self._rows[0] + len(numbers), self._rows[1] + len(numbers)

    def _sums_up(self, row: Array) -> bool:
        """Whether a row's numbers are the sums, or the means, of several rows before."""
        for sums, rows in ((self._since, self._rows[0]), (self._all, self._rows[1])):
            with np.errstate(invalid="ignore"):
                near = [
                    np.isclose(row, one, rtol=SUM_TOLERANCE, atol=0)
                    for one in (sums, sums / rows)
                    if rows > 1
                ]
            if any(bool((one & (row != 0)).any()) for one in near):
                return True
        return False

    @property
    def cautions(self) -> list[str]:
        """A sentence for every word: rows that are sums by their numbers, or by their place."""
        said = []
        for (name, word), rows in self.found.items():
            sums = self.proved.get((name, word), [])
            foot = (
                rows[-1] > self.last - FOOT
                and len(rows) <= MIN_TOTAL_ROWS
                and not _MEAN(word.strip(" :*=Σ"))
            )
            if foot and rows[-1] not in sums:
                sums = [*sums, rows[-1]]
            if sums:
                rest = [row for row in rows if row != sums[-1]]
                said.append(
                    f"row {sums[-1]:,} seems to sum up other rows, and would be learned as one of "
                    f"them: {name} is {word!r} there{_also(rest)}. Delete it from the table"
                )
        return said


def _also(rows: list[int]) -> str:
    return f", as in {len(rows):,} row{'s' * (len(rows) > 1)} before" if rows else ""
