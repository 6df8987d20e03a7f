"""Cautions: what to look at in a table before learning from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tallylearn.description import first, telling
from tallylearn.sources import Files, Source
from tallylearn.sources.columns import codes, numeric
from tallylearn.sources.measures import numbers_of
from tallylearn.tables import BLOCK, Array, Block, Codes, Schema

CLASSES = 10  # whole numbers: more different ones are measured, not named
EACH = 5  # rows of a class: of fewer nothing can be learned, or tested
LARGEST = 0.9  # share of the largest class from which accuracy says little
MOST, LONGEST = 6, 30  # names in one sentence, and signs in one name


@dataclass(frozen=True)
class Rows:
    """Rows column by column: all of a table in memory, of files the first 65 536."""

    schema: Schema
    places: Array  # (n,) the numbers of the rows in their table
    columns: dict[str, Codes | Array]  # (n,) codes, or numbers; text is left out
    target: Codes | Array | None
    identifiers: dict[str, str]
    whole: bool  # whether these are all rows
    answer: str | None = None  # classifier or regressor, where a learner says so

    @classmethod
    def of(cls, source: Source, y: Array | None = None, answer: str | None = None) -> Rows:
        """Read the rows once; ``y`` is a target that is no column."""
        blocks = list(first(source) if isinstance(source, Files) else source.blocks())
        schema, columns = source.schema, {}
        for name in (*schema.places, *schema.categories) if blocks else ():
            columns[name] = _column(blocks, name)
        places = [np.arange(block.start, block.start + len(block)) for block in blocks]
        target = None
        if y is not None or source.declared.target:
            target = _target([b.target for b in blocks] if y is None else [y])
        whole = not isinstance(source, Files) or sum(map(len, blocks)) < BLOCK
        numbers = np.concatenate([np.arange(0), *places])
        return cls(schema, numbers, columns, target, telling(blocks), whole, answer)

    def __len__(self) -> int:
        return len(self.places)

    def without(self, names: Collection[str]) -> Rows:
        """The same rows without some columns."""
        kept = tuple(column for column in self.schema.columns if column.name not in names)
        return replace(
            self,
            schema=replace(self.schema, columns=kept),
            columns={name: x for name, x in self.columns.items() if name not in names},
            identifiers={name: why for name, why in self.identifiers.items() if name not in names},
        )

    @cached_property
    def answered(self) -> int:
        """How many rows have a target."""
        if isinstance(self.target, Codes):
            return int((self.target.codes >= 0).sum())
        return 0 if self.target is None else int(np.isfinite(self.target).sum())

    @cached_property
    def classes(self) -> Codes | None:
        """The target as classes: words, truth values, or a few whole numbers."""
        if self.target is None or isinstance(self.target, Codes):
            return self.target
        found = as_codes(self.target)
        if self.answer is not None:
            return found if self.answer == "classifier" else None
        k, n = len(found.values), int((found.codes >= 0).sum())
        whole = all(float(value).is_integer() for value in found.values)
        return found if whole and k <= CLASSES and (k <= 2 or EACH * k <= n) else None

    @property
    def measured(self) -> bool:
        """Whether the target is a number with a fraction in some row."""
        target = self.target
        return isinstance(target, np.ndarray) and bool((target % 1 > 0).any())

    @cached_property
    def coded(self) -> dict[str, Codes]:
        """Every column by its values."""
        columns = self.columns.items()
        return {name: x if isinstance(x, Codes) else as_codes(x) for name, x in columns}


def as_codes(numbers: Array) -> Codes:
    """Numbers by their values; NaN is missing."""
    present = ~np.isnan(numbers)
    values, at = np.unique(numbers[present], return_inverse=True)
    found = np.full(len(numbers), -1, dtype=np.int64)
    found[present] = at
    return Codes(tuple(int(x) if x.is_integer() else x for x in values.tolist()), found)


def cut(names: Sequence[str]) -> str:
    """Names in one line: a, b, c and 4 more."""
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return ", ".join(names[:MOST]) + more


def brief(value: Any) -> str:
    """A value that does not fill a line."""
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def counts(classes: Codes) -> Array:
    """Rows of every class."""
    return np.bincount(classes.codes[classes.codes >= 0], minlength=len(classes.values))


def cautions(rows: Rows, target: str) -> Iterator[str]:
    """What to look at, a sentence each."""
    for name, reason in rows.identifiers.items():
        yield f"{name} only tells the rows apart: {reason}"
    yield from _gaps(rows, target)
    for name, found in rows.coded.items():
        n = counts(found)
        if (n > 0).sum() == 1 < n.sum():
            yield f"{name} has the same value in all {n.sum():,} rows"
    if rows.target is None:
        return
    if rows.classes is not None:
        yield from _shares(rows.classes, target)
        yield from _contradictions(rows, rows.classes, target)
    answers = rows.classes or as_codes(np.asarray(rows.target, dtype=np.float64))
    for name in rows.columns:
        if name not in rows.identifiers and (reason := _leak(rows, name, answers)):
            yield f"{name} gives {target} away: {reason}"


def _gaps(rows: Rows, target: str) -> Iterator[str]:
    missing = {name: int((found.codes < 0).sum()) for name, found in rows.coded.items()}
    if some := [f"{name} ({n:,})" for name, n in missing.items() if n]:
        yield f"values are missing in {cut(some)}"
    if rows.target is not None:
        gaps = rows.target.codes < 0 if isinstance(rows.target, Codes) else np.isnan(rows.target)
        if n := int(gaps.sum()):
            yield f"{target} is missing in {n:,} rows, which cannot be learned from"


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
        return f"{how}, on all {n:,} rows"
    if isinstance(column, Codes):
        return ""
    if rows.classes is not None:
        return _apart(column[both], y, n)
    with np.errstate(all="ignore"):  # infinite or huge numbers make no line
        r = float(np.corrcoef(column[both], np.asarray(rows.target)[both])[0, 1])
    return f"a straight line, on all {n:,} rows" if 1 - abs(r) < 1e-12 else ""


def _apart(x: Array, y: Array, n: int) -> str:
    """Whether the classes lie side by side in a column of numbers."""
    sizes = np.bincount(y)
    spans = sorted((x[y == c].min(), x[y == c].max()) for c in np.flatnonzero(sizes))
    beside = all(one[1] < two[0] for one, two in pairwise(spans))
    if not beside or sizes[sizes > 0].min() < EACH:
        return ""
    return f"thresholds tell the classes apart, on all {n:,} rows"


def _contradictions(rows: Rows, classes: Codes, target: str) -> Iterator[str]:
    """Rows that are equal in every column while their classes differ."""
    if len(rows.columns) < len(rows.schema.columns) or not rows.columns:
        return  # with text or an empty column, rows that look alike may differ
    group = np.zeros(len(rows), dtype=np.int64)
    for found in rows.coded.values():
        group = np.unique(group * (len(found.values) + 1) + found.codes, return_inverse=True)[1]
        if group.max() == len(group) - 1:
            return
    at = np.flatnonzero(classes.codes >= 0)
    group, label, places = group[at], classes.codes[at], rows.places[at]
    first_of = dict(zip(group[::-1].tolist(), range(len(at) - 1, -1, -1), strict=True))
    other = next((i for i, g in enumerate(group.tolist()) if label[i] != label[first_of[g]]), None)
    if other is not None:
        pairs, n = np.unique(group * len(classes.values) + label, return_counts=True)
        best = np.zeros(int(group.max()) + 1, dtype=np.int64)
        np.maximum.at(best, pairs // len(classes.values), n)
        yield (
            f"rows {places[first_of[int(group[other])]]} and {places[other]} are equal, and their "
            f"{target} differs: no more than {best.sum() / len(at):.3f} can be answered right"
        )


def _column(blocks: Sequence[Block], name: str) -> Codes | Array:
    if name in blocks[0].codes:
        return _joined([block.codes[name] for block in blocks])
    at = blocks[0].schema.places[name]
    return np.concatenate([block.numbers[:, at] for block in blocks])


def _joined(parts: Sequence[Codes]) -> Codes:
    """Codes of several blocks over one list of values."""
    values = tuple(sorted({value for part in parts for value in part.values}))
    return Codes(values, np.concatenate([part.among(values) for part in parts]))


def _target(parts: Sequence[Any]) -> Codes | Array:
    """The target as it came, gaps and all."""
    read = [_part(part) for part in parts]
    if coded := [part for part in read if isinstance(part, Codes)]:
        return _joined(coded)
    return np.concatenate([np.empty(0), *(part for part in read if not isinstance(part, Codes))])


def _part(target: Any) -> Codes | Array:
    if isinstance(target, Codes):
        return target
    if not hasattr(target, "null_count"):
        return (
            Codes.of([*map(str, target)])
            if target.dtype.kind in "OUb"
            else target.astype(np.float64)
        )
    import pyarrow.types as is_

    kind = target.type.value_type if is_.is_dictionary(target.type) else target.type
    if numeric(kind) and not is_.is_boolean(kind):
        return np.asarray(numbers_of(target.cast(kind)), dtype=np.float64)
    return codes(target)
