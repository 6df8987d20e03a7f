"""Cautions: what to look at in a table before learning from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tallylearn.identifiers import why_apart
from tallylearn.leaks import Leaks, sum_leak
from tallylearn.tables import IDENTIFIER, TEXT, Array, Codes
from tallylearn.viewed_rows import CLASSES, EACH, Rows, as_codes, brief, counts, cut, missing

LARGEST = 0.9  # share of the largest class from which accuracy says little
REPEATED = 0.05  # share of the rows that come more than once


def cautions(rows: Rows, target: str, learner: Any = None) -> Iterator[str]:
    """What to look at before a learner is trusted, a sentence each."""
    yield from _mismatch(rows, target, learner)
    for name, reason in rows.identifiers.items():
        used = ", and is learned from" if name in rows.columns else ""
        yield f"{name} only tells the rows apart{used}: {reason}"
    if rows.identifiers and not rows.columns and {*rows.schema.names} <= {*rows.identifiers}:
        yield (
            "no other column is there, and none is learned from: "
            f"tl.table(..., keep=[{next(iter(rows.identifiers))!r}]) takes one all the same"
        )
    yield from _idle(rows)
    if rows.target is None:
        return
    if rows.classes is not None:
        if reason := why_apart(rows.target):  # of measures that differ there is much to foresee
            yield f"{target} only tells the rows apart, and no column can foresee it: {reason}"
        yield from _shares(rows.classes, target)
        yield from _contradictions(rows, rows.classes, target)
    elif rows.different == 1:
        yield _constant(as_codes(np.asarray(rows.target)), target)
    yield from _duplicates(rows)
    told, leaks = [*rows.identifiers], Leaks.among(rows)
    for name in rows.columns:
        if reason := leaks.of(name):
            yield f"{name} gives {target} away: {reason}"
            told.append(name)
    if rows.classes is None:
        yield from sum_leak(rows, target, told)


def _idle(rows: Rows) -> Iterator[str]:
    """Columns that show no value, or one alone."""
    for column in rows.schema.columns:
        if column.kind in (TEXT, IDENTIFIER) or not len(rows):
            continue
        n, alike = _shown(rows.columns[column.name]) if column.name in rows.columns else (0, False)
        if not n:
            yield f"{column.name} has no value in {rows.all} {len(rows):,} rows"
        elif alike and n > 1:
            which = f"{rows.all} {n:,} rows"
            if n < len(rows):
                which = f"the {n:,} rows of {len(rows):,} that show one"
            yield f"{column.name} has the same value in {which}"


def _shown(column: Codes | Array) -> tuple[int, bool]:
    """How many rows show a value, and whether it is one alone."""
    x = (column.codes if isinstance(column, Codes) else column)[~missing(column)]
    return len(x), len(x) > 0 and bool(x.min() == x.max())


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
    without = {name: int(missing(column).sum()) for name, column in rows.columns.items()}
    if some := [f"{name} ({n:,})" for name, n in without.items() if 0 < n < len(rows)]:
        yield f"values are missing in {cut(some)}"
    if rows.target is not None and (n := int(missing(rows.target).sum())):
        yield f"{target} is missing in {n:,} of {len(rows):,} rows, which are left out"


def _shares(classes: Codes, target: str) -> Iterator[str]:
    """Classes that are too large, too small or alone."""
    found = counts(classes)
    n, top = int(found.sum()), int(found.argmax()) if len(found) else 0
    if len(found) == 1:
        yield _constant(classes, target)
        return
    if n and found[top] >= LARGEST * n:
        yield (
            f"{found[top]:,} of {n:,} rows are {brief(classes.values[top])}: accuracy alone says "
            "little; look at precision and recall"
        )
    if small := [f"{brief(classes.values[c])} ({found[c]})" for c in np.flatnonzero(found < EACH)]:
        yield f"few rows of {cut(small)}"


def _constant(answers: Codes, target: str) -> str:
    n = int(counts(answers).sum())
    return f"{target} is {brief(answers.values[0])} in all {n:,} rows: there is nothing to learn"


def _duplicates(rows: Rows) -> Iterator[str]:
    """Measured rows that come again, target and all; rows of categories alone often do."""
    if not rows.measures or (alike := _alike(rows)).max(initial=-1) == len(rows) - 1:
        return
    target = rows.target if isinstance(rows.target, Codes) else as_codes(np.asarray(rows.target))
    group = alike * (len(target.values) + 1) + target.codes
    _, times = np.unique(group, return_counts=True)
    again = int(times[times > 1].sum())
    if again >= REPEATED * len(rows):
        yield (
            f"{again:,} of {len(rows):,} rows come more than once: what is tested may have been "
            "learned"
        )


def _contradictions(rows: Rows, classes: Codes, target: str) -> Iterator[str]:
    """Rows that are equal in every column, identifiers aside, while their classes differ."""
    if (alike := _alike(rows)).max(initial=-1) == len(rows) - 1:
        return  # every row is another
    known = np.flatnonzero(classes.codes >= 0)
    group, label, places = alike[known], classes.codes[known], rows.places[known]
    _, first, at = np.unique(group, return_index=True, return_inverse=True)
    differs = label != label[first][at]
    if not differs.any():
        return
    other = int(differs.argmax())
    pairs, n = np.unique(group * len(classes.values) + label, return_counts=True)
    best = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // len(classes.values), n)
    aside = f" but for {cut([*rows.identifiers])}" if rows.identifiers else ""
    yield (
        f"rows {places[first[at[other]]]} and {places[other]} are equal{aside}, and their "
        f"{target} differs: no more than {best.sum():,} of {len(known):,} can be answered right"
    )


def _alike(rows: Rows) -> Array:
    """A number for every row, the same for equal rows."""
    group, names = np.arange(len(rows)), {*rows.columns}
    if names | {*rows.identifiers} < {*rows.schema.names} or names <= {*rows.identifiers}:
        return group  # with text or an empty column, rows that look alike may differ
    return rows.equal
