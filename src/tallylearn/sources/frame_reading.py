"""Reading: a frame becomes a schema and a block, its target and weights beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallylearn.errors import ColumnError
from tallylearn.sources.category_origins import as_learned, origin_of
from tallylearn.sources.class_labels import weighing, weights
from tallylearn.sources.dates import date_part, days
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.frames import Frame
from tallylearn.sources.kinds import (
    codes,
    kind_in_words,
    kind_of,
    masked,
    numbers,
    strings,
)
from tallylearn.sources.written.judging import Hints, Judgement
from tallylearn.sources.written.plain_words import GAPS, trimmed
from tallylearn.sources.written.spelled_column import (
    check_kept,
    coded,
    judgement,
    read,
    read_leniently,
)
from tallylearn.spelling import DATES, EMPTY, NUMBERS, TRUTHS, Spelling
from tallylearn.tables import (
    CATEGORY,
    DATE,
    IDENTIFIER,
    NUMBER,
    PARTS,
    TEXT,
    Block,
    Codes,
    Column,
    Schema,
)

Array = NDArray[Any]


def judgements(
    frame: Frame, declared: Declaration, start: int = 0, only_beside: bool = False
) -> dict[str, Judgement]:
    """How the columns of strings are written; those that are ignored, or groups, say nothing."""
    aside = {*declared.ignore, declared.groups}
    names = [n for n in frame.names if not only_beside or n in declared.beside]
    asked = [n for n in names if n not in aside and (frame.told(n) or frame.written(n))]
    found = {name: j for name in asked if (j := _judged(frame, name, declared, frame.hints, start))}
    if frame.hints.decimal == "." and any(j.spelling.decimal == "," for j in found.values()):
        commas = replace(frame.hints, decimal=",")  # 1,234 is as its neighbours are
        told = {n: j.spelling for n, j in found.items()}
        for name in [n for n, one in told.items() if one.thousands == "," or one.plain]:
            found[name] = _judged(frame, name, declared, commas, start) or found[name]
    return found


def _judged(
    frame: Frame, name: str, declared: Declaration, hints: Hints, start: int
) -> Judgement | None:
    """How a column is written, where that is in question."""
    kind = NUMBER if name == declared.weight else declared.kind(name)
    if kind not in (None, NUMBER, DATE, IDENTIFIER):
        return None
    marks = _marks(frame, declared.missing)
    column = frame.column(name) if frame.told(name) else _strings(frame, name, marks)
    return judged_as(kind, declared.spelling(name), column, hints, start)


def schema_of(frame: Frame, declared: Declaration, judged: Mapping[str, Judgement]) -> Schema:
    """The columns that are learned from, some of which may have been judged by other rows too."""
    columns: list[Column] = []
    names = [name for name in frame.names if name not in declared.aside]
    for name in names:
        if parts := declared.dates.get(name):
            columns += [Column(f"{name}.{part}", PARTS[part]) for part in parts]
        else:
            columns.append(_column_of(frame, name, declared, judged))
    parts_of = tuple((name, parts) for name, parts in declared.dates.items() if parts)
    written = {**declared.spellings, **{n: j.spelling for n, j in judged.items()}}
    plain = (*_PLAIN.values(), Spelling())
    known = frozenset(names)
    spelled = {n: one for n, one in written.items() if n in known and one not in plain}
    return Schema(tuple(columns), frame.named, parts_of, declared.missing, spelled)


def _column_of(
    frame: Frame, name: str, declared: Declaration, judged: Mapping[str, Judgement]
) -> Column:
    kind = declared.kind(name)
    if kind == NUMBER or (kind is None and frame.matrix is not None):
        return Column(name, NUMBER)
    if kind == IDENTIFIER:
        return Column(name, IDENTIFIER)
    if kind is not None:
        return Column(name, kind, tuple(sorted(declared.categories.get(name, ()))), "declared")
    if frame.documents:
        return Column(name, TEXT)
    if name not in judged:
        return kind_of(name, masked(frame.column(name), declared.missing))
    return kind_in_words(
        name, lambda: _strings(frame, name, _marks(frame, declared.missing)), judged[name]
    )


def judged_as(
    kind: str | None, told: Spelling | None, column: Any, hints: Hints, start: int
) -> Judgement:
    """How a column is written: as is told, else as its cells say, of the kind that is told."""
    if told is not None:
        return Judgement(_with_gaps(told))
    found = judgement(column, hints, start)
    wanted = {NUMBER: NUMBERS, DATE: DATES}.get(kind or "")
    if wanted is None or found.doubt:
        return found
    if found.spelling.kind != wanted:
        found = Judgement(Spelling(wanted, date="%Y-%m-%d" if wanted == DATES else ""))
    return replace(found, spelling=replace(found.spelling, gaps=GAPS))


def _with_gaps(told: Spelling) -> Spelling:
    """A spelling that is told, with the words that stand for nothing among numbers and dates."""
    return replace(told, gaps=GAPS if told.kind in (NUMBERS, DATES) else ())


def _strings(frame: Frame, name: str, missing: tuple[str, ...]) -> Any:
    """A column of strings with one dictionary, made once: it is judged, and read."""
    if (name, missing) not in frame.coded:
        frame.coded[name, missing] = coded(frame.column(name), missing)
    return frame.coded[name, missing]


def _marks(frame: Frame, missing: tuple[Any, ...]) -> tuple[str, ...]:
    """The strings that stand for nothing: the usual ones, and those that are declared."""
    return (*frame.missing, *(mark for mark in missing if isinstance(mark, str)))


def beside(
    frame: Frame,
    declared: Declaration,
    start: int = 0,
    spelled: Mapping[str, Spelling] | None = None,
) -> tuple[Any, Array | None]:
    """The target as it came, one for each where there are several, and the weights."""
    targets = tuple(
        masked(told(frame, name, start, spelled or {}), declared.missing)
        for name in declared.targets
    )
    weight = None
    if name := declared.weight:
        with weighing(name):
            column = told(frame, name, start, spelled or {name: Spelling(NUMBERS)})
            column = numbers(name, masked(column, declared.missing), start)
        weight = weights(column, len(frame), f"the {declared.weighs} {name!r}", start)
    return one_or_all(targets), weight


def told(frame: Frame, name: str, start: int, spelled: Mapping[str, Spelling]) -> Any:
    """A column as it came, or read as it is known to be written."""
    data = frame.column(name)
    if name not in spelled or frame.matrix is not None or origin_of(data.type) != "text":
        return data
    column = coded(data, frame.missing)
    if frame.read and name not in frame.sure:
        check_kept(name, column, spelled[name], start, frame.where)
    return read(name, column, spelled[name], start, frame.where)


def one_or_all(targets: tuple[Any, ...]) -> Any:
    """A target alone, several as they are, None for none."""
    return targets if len(targets) > 1 else next(iter(targets), None)


def groups_of(frame: Frame, declared: Declaration) -> Codes | None:
    """The group of every row, -1 where missing."""
    if declared.groups is None:
        return None
    data = frame.column(declared.groups)
    if frame.read and frame.written(declared.groups):
        data = coded(data, frame.missing)
    return codes(masked(data, declared.missing))


def block_of(frame: Frame, schema: Schema, start: int = 0, learned: bool = False) -> Block:
    """The columns of a schema, read from a frame that has them all.

    Where the schema was learned from other rows, strings may be written otherwise here.
    """
    if frame.matrix is not None and frame.names == schema.numbers and not schema.missing:
        return Block(schema, frame.matrix, start=start)
    frame = _apart(frame, schema, start, learned)
    return Block(
        schema,
        _matrix(frame, schema, start, learned),
        {c.name: _coded(frame, c, schema, start, learned) for c in schema.of_kind(CATEGORY)},
        {c.name: _text(frame, c.name, schema) for c in schema.of_kind(TEXT)},
        start=start,
    )


def values_of(frame: Frame, name: str, kind: str, schema: Schema, start: int, learned: bool) -> Any:
    """A column as Arrow has values of its kind; strings are read as they are written."""
    data = frame.column(name)
    if not frame.written(name) and (kind == CATEGORY or origin_of(data.type) != "text"):
        return masked(data, (*schema.missing, *frame.marks))
    column = _strings(frame, name, _marks(frame, schema.missing))
    spelling = schema.spellings.get(name, _PLAIN.get(kind, Spelling()))
    if learned and spelling.kind == TRUTHS:
        spelling = Spelling()  # what was learned as a truth value says so by itself
    if learned and name in frame.said:
        found = read(name, column, _with_gaps(frame.said[name]), start, frame.where, learned)
    elif learned:
        order = "" if spelling.date.startswith("%Y") else spelling.date  # of day and month
        hints = frame.hints if frame.read else Hints(spelling.decimal, order)
        found = read_leniently(name, column, spelling, hints, start, frame.where)
    else:
        if frame.read and name not in frame.sure:
            check_kept(name, column, spelling, start, frame.where)
        found = read(name, column, spelling, start, frame.where)
    marks = (mark for mark in schema.missing if not isinstance(mark, str))
    return masked(found, (*marks, *frame.marks))


_PLAIN = {
    NUMBER: Spelling(NUMBERS), DATE: Spelling(DATES, date="%Y-%m-%d"), "unknown": Spelling(EMPTY),
}  # fmt: skip


def _coded(frame: Frame, column: Column, schema: Schema, start: int, learned: bool) -> Codes:
    data = values_of(frame, column.name, CATEGORY, schema, start, learned)
    return as_learned(column, origin_of(data.type), codes(data, column.values), start)


def _text(frame: Frame, name: str, schema: Schema) -> Any:
    if frame.written(name):
        return strings(trimmed(strings(frame.column(name)), _marks(frame, schema.missing)))
    return strings(masked(frame.column(name), schema.missing))


def _matrix(frame: Frame, schema: Schema, start: int, learned: bool) -> Array:
    """The numbers of a block: as they came where nothing has to be done."""
    names = schema.numbers
    if frame.matrix is not None:
        out = frame.matrix if names == frame.names else frame.matrix[:, frame.positions(names)]
        marks = [mark for mark in schema.missing if isinstance(mark, int | float)]
        return np.where(np.isin(out, marks), np.nan, out) if marks else out
    dates = {column.name for column in schema.of_kind(DATE)}
    out = np.empty((len(names), len(frame)))
    for j, name in enumerate(names):
        kind = DATE if name in dates else NUMBER
        data = values_of(frame, name, kind, schema, start, learned)
        if kind == DATE:
            out[j] = days(name, data)
        else:
            _check_truth(name, data)
            out[j] = numbers(name, data, start)
    return out.T


def _check_truth(name: str, data: Any) -> None:
    """A number is not a truth value, though a truth value may weigh."""
    if origin_of(data.type) == "truth" and len(data) > data.null_count:
        raise ColumnError(
            f"column {name!r} was a number when the model learned, and has truth values here "
            f"({data.drop_null()[0].as_py()}). Pass numbers, such as 1 and 0."
        )


def _apart(frame: Frame, schema: Schema, start: int, learned: bool) -> Frame:
    """With the parts of the dates as columns of their own."""
    if not schema.parts:
        return frame
    import pyarrow as pa

    apart = {f"{name}.{part}" for name, parts in schema.parts for part in parts}
    columns = {
        name: frame.column(name)
        for name in frame.names
        if name in schema.names and name not in apart
    }
    for name, parts in schema.parts:
        data = values_of(frame, name, DATE, schema, start, learned)
        columns |= {f"{name}.{part}": date_part(name, part, data) for part in parts}
    return replace(frame, names=tuple(columns), matrix=None, arrow=pa.table(columns))
