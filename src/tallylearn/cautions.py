"""Cautions: what to look at in a table before learning from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.identifiers import why_apart
from tallylearn.tables import Array, Codes
from tallylearn.viewed_rows import CLASSES, EACH, Rows, as_codes, brief, counts, cut

LARGEST = 0.9  # share of the largest class from which accuracy says little
RUNS = 0.04  # of the changes of class that chance would make: one stray row in a hundred
REPEATED = 0.05  # share of the rows that come more than once
EXACT = 1e-9  # standard deviations: a sum is met to this, and no weight below it counts


def cautions(rows: Rows, target: str, learner: Any = None) -> Iterator[str]:
    """What to look at before a learner is trusted, a sentence each."""
    yield from _mismatch(rows, target, learner)
    for name, reason in rows.identifiers.items():
        used = ", and is learned from" if name in rows.columns else ""
        yield f"{name} only tells the rows apart{used}: {reason}"
    for name, found in rows.coded.items():
        n = counts(found)
        if (n > 0).sum() == 1 < n.sum():
            yield f"{name} has the same value in {rows.all} {n.sum():,} rows"
    if rows.target is None:
        return
    if reason := why_apart(rows.target):
        yield f"{target} only tells the rows apart, and no column can foresee it: {reason}"
    if rows.classes is not None:
        yield from _shares(rows.classes, target)
        yield from _contradictions(rows, rows.classes, target)
    yield from _duplicates(rows)
    answers = rows.classes or as_codes(np.asarray(rows.target, dtype=np.float64))
    told = [*rows.identifiers]
    for name in rows.columns:
        if reason := _leak(rows, name, answers):
            yield f"{name} gives {target} away: {reason}"
            told.append(name)
    if rows.classes is None:
        yield from _sum_leak(rows, target, told)


def _mismatch(rows: Rows, target: str, learner: Any) -> Iterator[str]:
    """Whether a learner answers with what the target is not."""
    answer, who = getattr(learner, "task", None), type(learner).__name__
    if answer == "regressor" and isinstance(rows.target, Codes):
        yield f"{who} answers with numbers, and {target} holds words"
    if answer == "classifier" and rows.measured:
        yield f"{who} answers with classes, and {target} is measured"
    elif answer == "classifier" and rows.named is None and rows.different > CLASSES:
        yield (
            f"{who} answers with classes, and {target} has {rows.different:,} different numbers: "
            "each is a class of its own. A regressor takes them as measures"
        )


def gaps(rows: Rows, target: str) -> Iterator[str]:
    """Where values are missing, a sentence each."""
    missing = {name: int((found.codes < 0).sum()) for name, found in rows.coded.items()}
    if some := [f"{name} ({n:,})" for name, n in missing.items() if n]:
        yield f"values are missing in {cut(some)}"
    if rows.target is not None:
        gaps = rows.target.codes < 0 if isinstance(rows.target, Codes) else np.isnan(rows.target)
        if n := int(gaps.sum()):
            yield f"{target} is missing in {n:,} of {len(gaps):,} rows, which are left out"


def _shares(classes: Codes, target: str) -> Iterator[str]:
    """Classes that are too large, too small or alone."""
    found = counts(classes)
    n, top = int(found.sum()), int(found.argmax()) if len(found) else 0
    if len(found) == 1:
        yield f"{target} is {brief(classes.values[0])} in all {n:,} rows: there is nothing to learn"
        return
    if n and found[top] >= LARGEST * n:
        yield (
            f"{found[top]:,} of {n:,} rows are {brief(classes.values[top])}: accuracy alone says "
            "little; look at precision and recall"
        )
    if small := [f"{brief(classes.values[c])} ({found[c]})" for c in np.flatnonzero(found < EACH)]:
        yield f"few rows of {cut(small)}"


def _leak(rows: Rows, name: str, answers: Codes) -> str:
    """Why a column knows the target by itself; empty where it does not."""
    column, found = rows.columns[name], rows.coded[name]
    both = (found.codes >= 0) & (answers.codes >= 0)
    x, y = found.codes[both], answers.codes[both]
    n, m, k = len(x), np.count_nonzero(np.bincount(x)), np.count_nonzero(np.bincount(y))
    if n < 2 * EACH or m < 2 or k < 2:
        return ""
    last = np.empty(len(found.values), dtype=np.int64)
    last[x] = y
    if 2 * m <= n and (last[x] == y).all():
        how = "one to one" if m == k else f"its {m:,} values have one answer each"
        return f"{how}, on {rows.all} {n:,} rows"
    if isinstance(column, Codes):
        return ""
    if rows.classes is not None:
        return _apart(column[both], y, f"{rows.all} {n:,}")
    with np.errstate(all="ignore"):  # infinite numbers make no line
        pair = np.array([column[both], np.asarray(rows.target)[both]])
        r = float(np.corrcoef(pair / np.abs(pair).max(axis=1, keepdims=True))[0, 1])
    return f"a straight line, on {rows.all} {n:,} rows" if 0 <= 1 - abs(r) < 1e-12 else ""


def _sum_leak(rows: Rows, target: str, told: Sequence[str]) -> Iterator[str]:
    """Columns of numbers of which the target is a weighted sum, such as the parts of a total."""
    named = {n: c for n, c in rows.columns.items() if n not in told and not isinstance(c, Codes)}
    names, table = [*named], np.column_stack([np.asarray(rows.target), *named.values()])
    with np.errstate(all="ignore"):  # numbers beyond the doubles make no sum
        table = table[np.isfinite(table).all(axis=1)]
        spread = table.std(axis=0) if len(table) else np.zeros(len(names) + 1)
        moving = np.isfinite(spread) & (spread > 0)
        if len(table) < 2 * max(EACH, len(names)) or not moving[0]:
            return
        y, *x = ((table - table.mean(axis=0))[:, moving] / spread[moving]).T
    if not x or not np.isfinite([y, *x]).all():
        return
    weights = np.linalg.lstsq(np.array(x).T, y, rcond=None)[0]
    if np.abs(weights @ x - y).max() < EXACT:
        used = np.array(names)[moving[1:]][np.abs(weights) > EXACT]
        seen = f"{rows.all} {len(y):,} rows"
        yield f"{cut(used)} give {target} away together: a weighted sum, on {seen}"


def _apart(x: Array, y: Array, seen: str) -> str:
    """Whether the classes lie side by side in a column of numbers, or in a few runs each."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    other = y[1:] != y[:-1]
    if (other & (x[1:] == x[:-1])).any():  # a value of two classes
        return ""
    n, changes = np.bincount(y), int(other.sum())
    n = n[n > 0]
    if changes == len(n) - 1 and n.min() >= EACH:
        return f"thresholds tell the classes apart, on {seen} rows"
    by_chance = len(y) - (n / len(y)) @ n
    if changes <= RUNS * by_chance:
        return f"along it the class changes {changes} times only, on {seen} rows"
    return ""


def _duplicates(rows: Rows) -> Iterator[str]:
    """Measured rows that come again, target and all; rows of categories alone often do."""
    measured = (x for x in rows.columns.values() if not isinstance(x, Codes))
    if not any(len(as_codes(x).values) > CLASSES for x in measured):
        return
    target = rows.target if isinstance(rows.target, Codes) else as_codes(np.asarray(rows.target))
    group = _alike(rows) * (len(target.values) + 1) + target.codes
    _, times = np.unique(group, return_counts=True)
    again = int(times[times > 1].sum())
    if again >= REPEATED * len(rows):
        yield (
            f"{again:,} of {len(rows):,} rows come more than once: what is tested may have been "
            "learned"
        )


def _contradictions(rows: Rows, classes: Codes, target: str) -> Iterator[str]:
    """Rows that are equal in every column, identifiers aside, while their classes differ."""
    known = np.flatnonzero(classes.codes >= 0)
    group, label, places = _alike(rows)[known], classes.codes[known], rows.places[known]
    first = dict(zip(group[::-1].tolist(), range(len(known) - 1, -1, -1), strict=True))
    other = next((i for i, g in enumerate(group.tolist()) if label[i] != label[first[g]]), None)
    if other is None:
        return
    pairs, n = np.unique(group * len(classes.values) + label, return_counts=True)
    best = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // len(classes.values), n)
    aside = f" but for {cut([*rows.identifiers])}" if rows.identifiers else ""
    yield (
        f"rows {places[first[int(group[other])]]} and {places[other]} are equal{aside}, and their "
        f"{target} differs: no more than {best.sum():,} of {len(known):,} can be answered right"
    )


def _alike(rows: Rows) -> Array:
    """A number for every row, the same for equal rows."""
    group, names = np.arange(len(rows)), {*rows.columns}
    if names | {*rows.identifiers} < {*rows.schema.names} or names <= {*rows.identifiers}:
        return group  # with text or an empty column, rows that look alike may differ
    group = np.zeros(len(rows), dtype=np.int64)
    for name in names - {*rows.identifiers}:
        found = rows.coded[name]
        group = np.unique(group * (len(found.values) + 1) + found.codes, return_inverse=True)[1]
        if group.max() == len(group) - 1:
            break
    return group
