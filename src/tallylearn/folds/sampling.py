"""Sampling: some rows stand for all, and the columns say how well they do.

The chance of a sample that misleads falls with its size. For every column the sample is compared
with the table it was drawn from: a mean in standard errors, shares of values by chi-square, both
less what is certain because the table is finite. What few rows do by chance is no difference.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any

import numpy as np

from tallylearn.errors import (
    ColumnError,
    InputError,
    OptionError,
    did_you_mean,
    error_context,
    quoted_list,
    short_repr,
)
from tallylearn.folds.fold_checks import check_length
from tallylearn.folds.rows import column_codes
from tallylearn.sources import DeclaredTable, open_table
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.files.path_lists import file_list
from tallylearn.statistics.multiple_comparisons import holm
from tallylearn.tables import Array, Block, Codes

LEVEL = 0.05  # of all columns together
WIDTH = 80  # of the verdict in print
SHARES_WIDTH = 22  # of the shares that a column shows, and at least one


@dataclass(frozen=True)
class ColumnCheck:
    """A column of the table beside that of the sample, and how probable such a difference is."""

    name: str
    whole: str
    sample: str
    p_value: float


@dataclass(frozen=True, repr=False)
class Sample:
    """Rows that were drawn, and how they compare with all."""

    rows: Array  # their numbers, in order; a number comes twice where it was drawn twice
    size: int  # rows of the table
    how: str
    columns: tuple[ColumnCheck, ...]
    table: Any = field(repr=False, compare=False)  # the rows, in the kind of table they came in

    @property
    def left(self) -> Array:
        """The rows that were not drawn: of a bootstrap, those out of the bag."""
        return np.setdiff1d(np.arange(self.size), self.rows)

    @property
    def different(self) -> tuple[str, ...]:
        """The columns that differ by more than chance allows, all columns together (Holm)."""
        found = holm([column.p_value for column in self.columns])
        return tuple(c.name for c, p in zip(self.columns, found, strict=True) if p < LEVEL)

    @property
    def representative(self) -> bool:
        """Whether no column differs by more than chance allows."""
        return not self.different

    def __str__(self) -> str:
        rows = [("column", "table", "sample", "p")]
        rows += [(c.name, c.whole, c.sample, f"{c.p_value:.3f}") for c in self.columns]
        widths = [max(len(row[j]) for row in rows) for j in range(4)]
        lines = [
            "  ".join(f"{cell:{'<' if j == 0 else '>'}{widths[j]}}" for j, cell in enumerate(row))
            for row in rows
        ]
        verdict = "No column differs from the table by more than chance allows."
        if self.different:
            verdict = (
                f"Not representative: {quoted_list(self.different)} differ from the table by more "
                "than chance allows. Draw again with by=, or take more rows."
            )
        title = f"{len(self.rows):,} of {self.size:,} rows, {self.how}"
        return "\n".join([title, *lines, textwrap.fill(verdict, WIDTH)])

    __repr__ = __str__


def sample(
    X: Any, n: Any = None, *, by: Any = None, bootstrap: bool = False, seed: int = 0
) -> Sample:
    """Draw a random sample of rows and test whether it represents the table.

    Parameters
    ----------
    X : table
        Any table that ``fit`` accepts and that fits into memory.
    n : int or float, optional
        The number of rows, or their share of the table. Required unless `bootstrap` is true; a
        bootstrap then draws as many rows as the table has.
    by : str or array-like, optional
        The name of a categorical column, or one value a row. Each value gets its share of the
        sample (stratified sampling); the seed decides which values get the places left by rounding.
    bootstrap : bool, default False
        Whether to draw with replacement.
    seed : int, default 0
        The seed of the random numbers.

    Returns
    -------
    Sample
        The drawn rows as a table of the same kind (``table``) and as row numbers (``rows``), and
        a comparison of each column with the whole table. ``print`` shows it.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": range(10), "kind": ["a"] * 8 + ["b"] * 2})
    >>> print(sample(table, 5, by="kind"))
    5 of 10 rows, stratified by kind
    column         table        sample      p
    x                4.5           4.6  0.917
    kind    a 0.8, b 0.2  a 0.8, b 0.2  1.000
    No column differs from the table by more than chance allows.
    """
    with error_context("sample"):
        source = open_table(X, Declaration()).load_if_small()
        if source.size is None:
            raise InputError(
                "the file is larger than memory, so it cannot be sampled. Read a part of it."
            )
        block = source.whole()
        rng = np.random.default_rng(_seed(seed))
        if not isinstance(bootstrap, bool | np.bool_):
            raise OptionError(f"bootstrap is {short_repr(bootstrap)}. Give True or False.")
        if bootstrap and by is not None:
            raise OptionError(
                "a bootstrap sample is not stratified, and by is given. Leave out by or bootstrap."
            )
        number = _number(n, len(block), bootstrap)
        if bootstrap:
            rows, how = rng.integers(0, len(block), number), "bootstrap"
        elif by is None:
            rows, how = rng.choice(len(block), number, replace=False), "simple"
        else:
            name = f" by {by}" if isinstance(by, str) else ""
            rows, how = _sample_strata(_strata(source, by), number, rng), f"stratified{name}"
        rows = np.sort(rows)
        certain = 1.0 if bootstrap else 1 - number / len(block)
        return Sample(
            rows, len(block), how, tuple(_checks(block, rows, certain)), _take_rows(X, rows)
        )


def _number(n: Any, rows: int, bootstrap: bool) -> int:
    if not rows:
        raise InputError("the table has no rows. Pass a table with rows.")
    if n is None and bootstrap:
        return rows
    if isinstance(n, float) and 0 < n < 1:
        return max(1, round(n * rows))
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if not whole or n < 1 or (n > rows and not bootstrap):
        raise OptionError(
            f"n is {short_repr(n)}. Give a number of rows from 1 to {rows}, or a "
            "share between 0 and 1, such as 0.1."
        )
    return int(n)


def _seed(seed: Any) -> int:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise OptionError(f"seed is {short_repr(seed)}. Give a whole number from 0 up.")
    return int(seed)


def _strata(source: DeclaredTable, by: Any) -> Array:
    """(n,) the stratum of every row: a column's values, or those that are given; -1 for a gap."""
    if not isinstance(by, str):
        found = column_codes(by).codes
        check_length("by", len(found), len(source))
        return found
    if by not in source.names:
        raise ColumnError(
            f"by is {by!r}, which is not a column of the table."
            f"{did_you_mean(by, source.names) or f' Choose from {quoted_list(source.names)}.'}"
        )
    strata = source.group_labels(by)
    return strata.codes if isinstance(strata, Codes) else np.unique(strata, return_inverse=True)[1]


def _sample_strata(codes: Array, n: int, rng: np.random.Generator) -> Array:
    """Every value gets its share of the rows."""
    each = _apportion(np.bincount(codes + 1), n, rng)  # gaps are a stratum too
    places = [np.flatnonzero(codes + 1 == c) for c in range(len(each))]
    drawn = [rng.choice(at, k, replace=False) for at, k in zip(places, each, strict=True) if k]
    return np.concatenate(drawn)


def _apportion(counts: Array, n: int, rng: np.random.Generator) -> Array:
    """Shares of n in whole numbers: what is left goes to the largest rests, by lot among equals."""
    each, rest = np.divmod(n * counts, counts.sum())
    if left := n - int(each.sum()):
        each[np.lexsort((rng.random(len(rest)), -rest))[:left]] += 1
    return np.asarray(each)


def _checks(block: Block, rows: Array, certain: float) -> list[ColumnCheck]:
    found = {
        name: _of_numbers(name, block.numbers[:, j], rows, certain)
        for name, j in block.schema.places.items()
    }
    found |= {name: _of_codes(name, codes, rows, certain) for name, codes in block.codes.items()}
    return [found[name] for name in block.schema.names if name in found]


def _of_numbers(name: str, x: Array, rows: Array, certain: float) -> ColumnCheck:
    from scipy.special import ndtr

    every, some = x[~np.isnan(x)], x[rows][~np.isnan(x[rows])]
    if not len(some):
        return ColumnCheck(name, "" if not len(every) else f"{every.mean():.4g}", "", 1.0)
    spread = float(every.std(ddof=1)) if len(every) > 1 else 0.0
    error = spread * sqrt(certain / len(some))
    apart = abs(float(some.mean() - every.mean()))
    z = apart / error if error > 0 else 0.0 if apart <= 1e-12 * abs(every.mean()) else inf
    whole, drawn = (f"{part.mean():.4g}" for part in (every, some))
    return ColumnCheck(name, whole, drawn, float(2 * ndtr(-z)))


def _of_codes(name: str, codes: Codes, rows: Array, certain: float) -> ColumnCheck:
    from scipy.special import chdtrc

    k = len(codes.values)
    whole = np.bincount(codes.codes[codes.codes >= 0], minlength=k)
    seen = codes.codes[rows]
    some = np.bincount(seen[seen >= 0], minlength=k)
    there = whole > 0
    expected = some.sum() * whole / max(int(whole.sum()), 1)
    if not some.sum() or there.sum() < 2 or not certain:
        return ColumnCheck(name, _shares(codes, whole), _shares(codes, some), 1.0)
    chi2 = float(((some - expected)[there] ** 2 / expected[there]).sum()) / certain
    p = float(chdtrc(int(there.sum()) - 1, chi2))
    return ColumnCheck(name, _shares(codes, whole), _shares(codes, some), p)


def _shares(codes: Codes, counts: Array) -> str:
    total = max(int(counts.sum()), 1)
    order = np.argsort(-counts, kind="stable")[:3].tolist()
    listed = [f"{codes.values[c]} {counts[c] / total:.3g}" for c in order]
    while len(listed) > 1 and len(", ".join(listed)) > SHARES_WIDTH:
        listed.pop()
    return ", ".join(listed) + (", ..." if len(codes.values) > len(listed) else "")


def _take_rows(X: Any, rows: Array) -> Any:
    """Some rows in the kind of table that they came in."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple) and file_list(X) is None:
        return [X[i] for i in rows.tolist()]
    if isinstance(X, Mapping):
        return {name: _take_rows(column, rows) for name, column in X.items()}
    if hasattr(X, "take") and type(X).__module__.startswith("pyarrow"):
        return X.take(rows)
    if hasattr(X, "__getitem__") and not isinstance(X, str | list | tuple):
        return X[rows]
    return open_table(X, Declaration()).load_if_small()[rows]
