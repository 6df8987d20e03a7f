"""What changed between two tables: columns, values, distributions and gaps, each with a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import nan, sqrt
from typing import Any

import numpy as np

from tallylearn.inspection.description.changes_text import changes_html, changes_sheet
from tallylearn.inspection.description.described_columns import Described
from tallylearn.reporting.formatting import plain_data
from tallylearn.reporting.report import ReportLayout, TableReport
from tallylearn.statistics.multiple_comparisons import benjamini_hochberg, holm
from tallylearn.tables import DATE, Array

MIN_EXPECTED_ROWS = 5.0  # rows that are expected in a cell; values of fewer are taken together
MAX_NAMED_VALUES = 10  # values that are new, or gone, and named


@dataclass(frozen=True)
class Change:
    """One test of one column: what was compared, how far apart both tables are, and p."""

    column: str
    test: str  # "Kolmogorov-Smirnov", "chi-squared", or "missing"
    statistic: float
    p: float
    before: float = nan  # the median, or the share of gaps
    after: float = nan
    holm: float = nan  # p, adjusted for all tests: one false find is as rare as in one test
    q: float = nan  # p, adjusted so that of the finds this share is false
    dates: bool = False  # whether the medians are days since 1970


@dataclass(frozen=True, repr=False)
class Changes(TableReport):
    """What changed from one table to another; the smallest p first."""

    before: str
    after: str
    rows: tuple[int, int]
    changes: tuple[Change, ...]
    new_columns: tuple[str, ...]
    gone_columns: tuple[str, ...]
    kinds: Mapping[str, tuple[str, str]]  # columns of another kind
    values: Mapping[str, Mapping[str, Any]]  # column -> new and gone values, and how many

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)

    def significant(self, level: float = 0.05) -> tuple[Change, ...]:
        """The changes whose p, adjusted by Holm, is below the level."""
        return tuple(change for change in self.changes if change.holm < level)

    def records(self) -> list[dict[str, Any]]:
        return [vars(change).copy() for change in self.changes]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        found: dict[str, Any] = plain_data({**vars(self), "changes": self.records()})
        return found

    @staticmethod
    def _layout(found: dict[str, Any]) -> ReportLayout:
        return ReportLayout(changes_sheet(found), draw=partial(changes_html, found), data=found)


@dataclass(frozen=True)
class Side:
    """What a comparison asks of a described table."""

    what: str
    rows: int
    weight: float
    columns: tuple[Described, ...]
    precision: float = 1.0  # rows of equal weight that are as precise as a row


def compare_tables(a: Side, b: Side) -> Changes:
    """From one table to another."""
    ours, theirs = ({c.name: c for c in one.columns} for one in (a, b))
    both = [name for name in ours if name in theirs]
    kinds = {n: (ours[n].kind, theirs[n].kind) for n in both if ours[n].kind != theirs[n].kind}
    tests: list[Change] = []
    for name in both:
        tests += _tests(ours[name], theirs[name], name in kinds, (a, b))
    p = [one.p for one in tests]
    adjusted = zip(tests, holm(p), benjamini_hochberg(p), strict=True)
    told = [replace(one, holm=h, q=q) for one, h, q in adjusted]
    told.sort(key=lambda one: (np.isnan(one.p), one.p))
    values = {n: _values(ours[n], theirs[n]) for n in both}
    return Changes(
        before=a.what, after=b.what, rows=(a.rows, b.rows), changes=tuple(told),
        new_columns=tuple(name for name in theirs if name not in ours),
        gone_columns=tuple(name for name in ours if name not in theirs),
        kinds=kinds, values={name: found for name, found in values.items() if found},
    )  # fmt: skip


def _tests(a: Described, b: Described, other: bool, sides: tuple[Side, Side]) -> Iterator[Change]:
    n, each = [side.weight for side in sides], np.array([[side.precision] for side in sides])
    if not other and a.points is not None and b.points is not None:
        d, p = kolmogorov_smirnov(a, b, *each[:, 0].tolist())
        medians = a.figures["median"], b.figures["median"]
        yield Change(a.name, "Kolmogorov-Smirnov", d, p, *medians, dates=a.kind == DATE)
    elif not other and a.counts is not None and b.counts is not None:
        both = sorted({*a.counts, *b.counts})
        table = np.array([[side.get(v, 0.0) for v in both] for side in (a.counts, b.counts)])
        yield Change(a.name, "chi-squared", *chi_squared(table * each))
    if a.missing or b.missing:
        gaps = np.array([[a.missing, n[0] - a.missing], [b.missing, n[1] - b.missing]])
        before, after = (
            m / n if n else nan for m, n in zip((a.missing, b.missing), n, strict=True)
        )
        yield Change(a.name, "missing", *chi_squared(gaps * each, pooled=False), before, after)


def kolmogorov_smirnov(
    a: Described, b: Described, ours_worth: float = 1.0, theirs_worth: float = 1.0
) -> tuple[float, float]:
    """The largest distance between two shares of rows up to a number, and its chance.

    p is that of Kolmogorov's distribution, which many rows approach; with ties, and where the
    numbers are in the buckets of a sketch, it is no smaller than the truth. N. Smirnov, Annals of
    Mathematical Statistics 19, 1948.
    """
    from scipy.special import kolmogorov

    assert a.points is not None
    assert b.points is not None
    n, m = a.points.total * ours_worth, b.points.total * theirs_worth
    if not n or not m:
        return nan, nan
    ours, theirs = a.points, b.points
    if ours.sketched or theirs.sketched:
        pairs = [one.in_buckets().points() for one in (ours, theirs)]
    else:
        pairs = [(one.values, one.counts) for one in (ours, theirs)]
    every = np.union1d(pairs[0][0], pairs[1][0])
    shares = [_up_to(values, counts, every) for values, counts in pairs]
    d = float(np.abs(shares[0] - shares[1]).max())
    return d, float(kolmogorov(sqrt(n * m / (n + m)) * d))


def _up_to(values: Array, counts: Array, every: Array) -> Array:
    ends = np.append(0.0, np.cumsum(counts))
    return np.asarray(ends[np.searchsorted(values, every, side="right")] / ends[-1])


def chi_squared(table: Array, pooled: bool = True) -> tuple[float, float]:
    """Pearson's chi-squared of two rows of counts, and its chance; NaN where nothing can differ.

    Values of which fewer than five rows are expected in a table are taken together.
    """
    from scipy.special import chdtrc

    total = table.sum()
    if not total or not table.sum(axis=1).all():
        return nan, nan
    if pooled:
        least = table.sum(axis=0) * table.sum(axis=1).min() / total
        rare = least < MIN_EXPECTED_ROWS
        if rare.sum() > 1:
            table = np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2:
        return nan, nan
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    chi = float(((table - expected) ** 2 / expected).sum())
    return chi, float(chdtrc(table.shape[1] - 1, chi))


def _values(a: Described, b: Described) -> dict[str, Any]:
    """Values that are in one table alone."""
    if a.counts is None or b.counts is None:
        return {}
    new, gone = (
        [v for v in one if v not in two]
        for one, two in ((b.counts, a.counts), (a.counts, b.counts))
    )
    if not new and not gone:
        return {}
    return {
        "new": new[:MAX_NAMED_VALUES],
        "new_number": len(new),
        "gone": gone[:MAX_NAMED_VALUES],
        "gone_number": len(gone),
    }
