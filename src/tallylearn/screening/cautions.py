"""Cautions: what to look at in a table before learning from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tallylearn.screening.column_scores import ColumnScores
from tallylearn.screening.identifiers import (
    counting_direction,
    is_measured,
    looks_measured,
    unique_values,
)
from tallylearn.screening.leakage import Leaks, near_leaks, sum_leak
from tallylearn.screening.table_sample import (
    MAX_NAMED_CLASSES,
    MIN_CLASS_ROWS,
    SampledRows,
    as_codes,
    brief,
    counts,
    is_missing,
    shorten_names,
)
from tallylearn.tables import DATE, IDENTIFIER, TEXT, Array, Codes, Schema

LARGEST = 0.9  # share of the largest class from which accuracy says little
REPEATED = 0.05  # share of the rows that are duplicates
_DIGITS = re.compile(r"(\d+)", re.ASCII)


def cautions(
    rows: SampledRows, target: str, learner: Any = None, in_order: bool = False
) -> Iterator[str]:
    """What to look at before a learner is trusted, a sentence each.

    ``in_order``: the rows are tested in their order, so that none needs to be said to have one.
    """
    yield from _check_task(rows, target, learner)
    scores = None if rows.target is None else ColumnScores.of(rows)
    yield from _identifier_cautions(rows, target, scores)
    yield from _check_empty_columns(rows)
    yield from _check_unread_strings(rows)
    if scores is None:
        yield from () if in_order else _counter_cautions(rows, target, None, ()).values()
        return
    if rows.classes is not None:
        if reason := unique_values(rows.classes):
            yield f"{target} is a class of its own in nearly every row: {reason}"
        yield from _check_class_sizes(rows.classes, target)
        yield from _check_contradictions(rows, rows.classes, target)
    elif rows.different == 1:
        yield _describe_constant(as_codes(np.asarray(rows.target)), target)
    yield from _check_duplicates(rows)
    told, leaks = [*rows.identifiers], Leaks.of_rows(rows)
    for name in rows.columns:
        if reason := leaks.of(name):
            yield f"{name} gives {target} away: {reason}"
            told.append(name)
    counters = {} if in_order else _counter_cautions(rows, target, scores, told)
    yield from counters.values()
    if rows.classes is None:
        yield from sum_leak(rows, target, told)
    yield from near_leaks(scores, target, {*told, *counters})


def _identifier_cautions(
    rows: SampledRows, target: str, scores: ColumnScores | None
) -> Iterator[str]:
    """Columns of unique strings: whether they are learned from, and tell the target."""
    for name, reason in rows.identifiers.items():
        if name in rows.columns:
            yield f"{name} identifies the rows, and is used as a feature: {reason}"
            continue
        more, values = "", rows.left_out.get(name)
        if isinstance(values, Codes) and scores is not None:
            score = scores.by_order(natural_order(values))
            more = "" if score is None else _explain_identifier(name, target, scores, score, values)
        yield f"{name} is not used: {reason}{more}"
    if rows.identifiers and not rows.columns and {*rows.schema.names} <= {*rows.identifiers}:
        yield (
            "no other column is there, and none is used: "
            f"tl.table(..., keep=[{next(iter(rows.identifiers))!r}]) takes one all the same"
        )


def _explain_identifier(
    name: str, target: str, scores: ColumnScores, score: float, values: Codes
) -> str:
    """That an identifier tells the target, and how to learn from it."""
    found = f"{scores.metric} {score:.3f}, baseline {scores.baseline:.3f}"
    digits = all(str(value).isdigit() for value in values.values)
    how = f"tl.table(..., keep=[{name!r}]) learns from it as categories"
    if digits and any(int(float(value)) != int(value) for value in values.values):
        how = f"tl.table(..., categories=[{name!r}]) learns from it as categories, fewer digits "
        how += "as numbers"
    elif digits:
        how += f", kinds={{{name!r}: 'number'}} as numbers"
    else:
        how += ", a column made of a part of it as what it holds"
    return f". But rows that are close in its order have similar {target} ({found}): {how}"


def natural_order(column: Codes) -> Array:
    """(n,) the rank of every row's string, numbers in it by their size; NaN where missing."""
    keys = [
        [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in _DIGITS.split(str(v))]
        for v in column.values
    ]
    rank = np.empty(len(keys) + 1)
    rank[-1] = np.nan
    rank[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return np.asarray(rank[column.codes])


def _counter_cautions(
    rows: SampledRows, target: str, scores: ColumnScores | None, leaking: Sequence[str]
) -> dict[str, str]:
    """Numbers and dates that count the rows, each with what to do about it."""
    parts = {f"{name}.{part}" for name, parts in rows.schema.parts for part in parts}
    dates = {column.name for column in rows.schema.of_kind(DATE)}
    found = {}
    for name, x in rows.columns.items():
        if isinstance(x, Codes) or name in parts:
            continue
        if direction := counting_direction(x, name in dates):
            score = None if scores is None or name in leaking else scores.by_order(x)
            told = "" if score is None or scores is None else (
                f", and predicts {target} ({scores.metric} {score:.3f} by it alone, "
                f"baseline {scores.baseline:.3f})"
            )  # fmt: skip
            said = _counter_text(name, x, direction, name in dates)
            found[name] = f"{said}{told}: {_choose_remedy(name, name in dates, bool(told))}"
    return found


def _counter_text(name: str, x: Array, direction: str, date: bool) -> str:
    ends = float(np.nanmin(x)), float(np.nanmax(x))
    first, last = (_format_end(end, date) for end in (ends[::-1] if direction == "down" else ends))
    how = f"counts {direction} with the rows"
    if direction == "any":
        how = "numbers the rows in another order"
    return f"{name} {how}, from {first} to {last}, and is used as a feature"


def _choose_remedy(name: str, date: bool, tells: bool) -> str:
    """What to do about a column that counts the rows."""
    forward = f"evaluate with cv=tl.Folds.forward(5, order={name!r})"
    if date:
        return forward
    left = f"if it is a row number, leave it out with tl.table(..., ignore=[{name!r}])"
    return f"{left}; if it is a time, {forward}" if tells else left


def _format_end(value: float, date: bool) -> str:
    if date:
        return str(np.datetime64(int(np.floor(value)), "D"))
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:g}"


def _check_unread_strings(rows: SampledRows) -> Iterator[str]:
    """Strings that look like numbers or dates, all different, and are read as categories."""
    for name, column in rows.columns.items():
        if not isinstance(column, Codes) or name in rows.identifiers or not unique_values(column):
            continue
        if looks_measured(column.values):
            first = next(filter(is_measured, column.values))
            yield (
                f"{name} has strings such as {brief(first)!r}, which look like numbers "
                "or dates, and is used as categories, nearly all different: pass numbers "
                "or dates"
            )


def dates_of(schema: Schema) -> list[str]:
    """The columns that are dates, learned from whole or in parts."""
    return [*(c.name for c in schema.of_kind(DATE)), *(name for name, _ in schema.parts)]


def check_out_of_bag_dates(schema: Schema, learner: Any) -> tuple[str, ...]:
    """Rows with dates, which out-of-bag scores predict from later ones."""
    dates = dates_of(schema) if getattr(learner, "bootstrap", False) else []
    if not dates:
        return ()
    return (
        f"the rows have dates ({', '.join(dates)}), and an out-of-bag score predicts rows from "
        f"later ones: evaluate with cv=tl.Folds.forward(5, order={dates[0]!r}), which tests on "
        "later rows alone",
    )


def _check_empty_columns(rows: SampledRows) -> Iterator[str]:
    """Columns that show no value, or one alone."""
    for column in rows.schema.columns:
        if column.kind in (TEXT, IDENTIFIER) or not len(rows):
            continue
        n, alike = (
            _count_values(rows.columns[column.name]) if column.name in rows.columns else (0, False)
        )
        if not n:
            yield f"{column.name} has no value in {rows.all} {len(rows):,} rows"
        elif alike and n > 1:
            which = f"{rows.all} {n:,} rows"
            if n < len(rows):
                which = f"the {n:,} rows of {len(rows):,} that show one"
            yield f"{column.name} has the same value in {which}"


def _count_values(column: Codes | Array) -> tuple[int, bool]:
    """How many rows show a value, and whether it is one alone."""
    x = (column.codes if isinstance(column, Codes) else column)[~is_missing(column)]
    return len(x), len(x) > 0 and bool(x.min() == x.max())


def _check_task(rows: SampledRows, target: str, learner: Any) -> Iterator[str]:
    """Whether a learner answers with what the target is not."""
    answer, who = getattr(learner, "task", None), type(learner).__name__
    if answer == "regressor" and isinstance(rows.target, Codes):
        yield f"{who} answers with numbers, and {target} holds words"
    if answer == "classifier" and rows.has_fractional_target:
        yield f"{who} answers with classes, and {target} is measured"
    elif (
        answer == "classifier"
        and rows.target_classes is None
        and rows.different > MAX_NAMED_CLASSES
    ):
        yield (
            f"{who} answers with classes, and {target} has {rows.different:,} different numbers: "
            "each is a class of its own. A regressor takes them as measures"
        )


def gaps(rows: SampledRows, target: str) -> Iterator[str]:
    """Where values are missing, a sentence each."""
    without = {name: int(is_missing(column).sum()) for name, column in rows.columns.items()}
    if some := [f"{name} ({n:,})" for name, n in without.items() if 0 < n < len(rows)]:
        yield f"values are missing in {shorten_names(some)}"
    if rows.target is not None and (n := int(is_missing(rows.target).sum())):
        yield f"{target} is missing in {n:,} of {len(rows):,} rows, which are left out"


def _check_class_sizes(classes: Codes, target: str) -> Iterator[str]:
    """Classes that are too large, too small or alone."""
    found = counts(classes)
    n, top = int(found.sum()), int(found.argmax()) if len(found) else 0
    if len(found) == 1:
        yield _describe_constant(classes, target)
        return
    if n and found[top] >= LARGEST * n:
        yield (
            f"{found[top]:,} of {n:,} rows are {brief(classes.values[top])}: accuracy alone says "
            "little; look at precision and recall"
        )
    if small := [
        f"{brief(classes.values[c])} ({found[c]})" for c in np.flatnonzero(found < MIN_CLASS_ROWS)
    ]:
        yield f"few rows of {shorten_names(small)}"


def _describe_constant(answers: Codes, target: str) -> str:
    n = int(counts(answers).sum())
    return f"{target} is {brief(answers.values[0])} in all {n:,} rows: there is nothing to learn"


def _check_duplicates(rows: SampledRows) -> Iterator[str]:
    """Measured rows that come again, target and all; rows of categories alone often do."""
    if not rows.measures or (alike := _group_equal_rows(rows)).max(initial=-1) == len(rows) - 1:
        return
    target = rows.target if isinstance(rows.target, Codes) else as_codes(np.asarray(rows.target))
    group = alike * (len(target.values) + 1) + target.codes
    _, times = np.unique(group, return_counts=True)
    again = int(times[times > 1].sum())
    if again >= REPEATED * len(rows):
        yield (
            f"{again:,} of {len(rows):,} rows are duplicates: a test row may equal a training row"
        )


def _check_contradictions(rows: SampledRows, classes: Codes, target: str) -> Iterator[str]:
    """Rows that are equal in every column, identifiers aside, while their classes differ."""
    if (alike := _group_equal_rows(rows)).max(initial=-1) == len(rows) - 1:
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
    aside = f" but for {shorten_names([*rows.identifiers])}" if rows.identifiers else ""
    yield (
        f"rows {places[first[at[other]]]} and {places[other]} are equal{aside}, and their "
        f"{target} differs: no more than {best.sum():,} of {len(known):,} can be predicted "
        "correctly"
    )


def _group_equal_rows(rows: SampledRows) -> Array:
    """A number for every row, the same for equal rows."""
    group, names = np.arange(len(rows)), {*rows.columns}
    if names | {*rows.identifiers} < {*rows.schema.names} or names <= {*rows.identifiers}:
        return group  # with text or an empty column, rows that look alike may differ
    return rows.equal
