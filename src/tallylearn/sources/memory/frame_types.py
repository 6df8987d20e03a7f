"""Judging: what the columns of a frame are, by their types, their strings, and what is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tallylearn.sources.columns.category_types import origin_of
from tallylearn.sources.columns.kinds import is_numeric_type, kind_of, kind_of_strings, mask_missing
from tallylearn.sources.declarations import Declaration
from tallylearn.sources.memory.frames import Frame
from tallylearn.sources.type_inference.column_types import FormatHints, InferredType
from tallylearn.sources.type_inference.missing_markers import GAPS
from tallylearn.sources.type_inference.string_column import encode_strings, infer_string_column
from tallylearn.tables import CATEGORY, DATE, IDENTIFIER, NUMBER, PARTS, TEXT, Column, Schema
from tallylearn.tables.string_formats import DATES, EMPTY, NUMBERS, StringFormat

PLAINLY = {
    NUMBER: StringFormat(NUMBERS),
    DATE: StringFormat(DATES, date="%Y-%m-%d"),
    "unknown": StringFormat(EMPTY),
}


def infer_column_types(
    frame: Frame, declared: Declaration, start: int = 0, only_beside: bool = False
) -> dict[str, InferredType]:
    """How the columns of strings are written; those that are ignored, or groups, say nothing."""
    if frame.matrix is not None:
        return {}
    aside = {*declared.ignore, declared.groups}
    names = [n for n in frame.names if not only_beside or n in declared.role_columns]
    asked = [
        n for n in names if n not in aside and (frame.is_parsed_number(n) or frame.is_string(n))
    ]
    found = {
        name: j for name in asked if (j := _infer_column(frame, name, declared, frame.hints, start))
    }
    if frame.hints.decimal == "." and any(j.format.decimal == "," for j in found.values()):
        commas = replace(frame.hints, decimal=",")  # 1,234 is as its neighbours are
        told = {n: j.format for n, j in found.items()}
        for name in [n for n, one in told.items() if one.thousands == "," or one.plain]:
            found[name] = _infer_column(frame, name, declared, commas, start) or found[name]
    return found


def check_types(frame: Frame, declared: Declaration) -> None:
    """Columns that have a type are not declared to be what they cannot become."""
    for name in declared.described_columns:
        if name not in declared.ignore and not frame.is_string(name):
            data = frame.column(name)
            if data.null_count < len(data):
                declared.check_type(name, origin_of(data.type))


def _infer_column(
    frame: Frame, name: str, declared: Declaration, hints: FormatHints, start: int
) -> InferredType | None:
    """How a column is written, where that is in question."""
    kind = NUMBER if name == declared.weight else declared.kind(name)
    if kind not in (None, NUMBER, DATE, IDENTIFIER):
        return None
    marks = marks_of(frame, declared.missing)
    column = frame.column(name) if frame.is_parsed_number(name) else strings_of(frame, name, marks)
    return infer_as_kind(kind, declared.spelling(name), column, hints, start)


def schema_of(frame: Frame, declared: Declaration, judged: Mapping[str, InferredType]) -> Schema:
    """The columns that are learned from, some of which may have been judged by other rows too."""
    columns: list[Column] = []
    aside = declared.non_features
    names = [name for name in frame.names if name not in aside]
    for name in names:
        if parts := declared.dates.get(name):
            columns += [Column(f"{name}.{part}", PARTS[part]) for part in parts]
        else:
            columns.append(_column_of(frame, name, declared, judged))
    parts_of = tuple((name, parts) for name, parts in declared.dates.items() if parts)
    written = {**declared.spellings, **{n: j.format for n, j in judged.items()}}
    plain = (*PLAINLY.values(), StringFormat())
    known = frozenset(names)
    spelled = {n: one for n, one in written.items() if n in known and one not in plain}
    return Schema(tuple(columns), frame.named, parts_of, declared.missing, spelled)


@lru_cache(maxsize=8)
def schema_of_numbers(names: tuple[str, ...], named: bool) -> Schema:
    """The schema of numbers of which nothing is said; one for all arrays of as many columns."""
    return Schema(tuple(Column(name, NUMBER) for name in names), named)


def long_integers(frame: Frame, schema: Schema) -> tuple[str, ...]:
    """The columns of integers that are read as names, for no double holds them."""
    typed = (c.name for c in schema.of_kind(CATEGORY) if c.origin == "number")
    return tuple(name for name in typed if is_numeric_type(frame.column(name).type))


def _column_of(
    frame: Frame, name: str, declared: Declaration, judged: Mapping[str, InferredType]
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
        return kind_of(name, mask_missing(frame.column(name), declared.missing))
    return kind_of_strings(
        name, lambda: strings_of(frame, name, marks_of(frame, declared.missing)), judged[name]
    )


def infer_as_kind(
    kind: str | None, told: StringFormat | None, column: Any, hints: FormatHints, start: int
) -> InferredType:
    """How a column is written: as is told, else as its cells say, of the kind that is told."""
    if told is not None:
        return InferredType(with_gaps(told))
    found = infer_string_column(column, hints, start)
    wanted = {NUMBER: NUMBERS, DATE: DATES}.get(kind or "")
    models = [
        one for one in map(StringFormat.of_model, found.remedies) if one and one.kind == wanted
    ]
    if len(models) == 1:  # the kind settles it: no code, no day of a month
        return InferredType(with_gaps(models[0]), f"{kind}s written as {models[0]}")
    if wanted is None or (found.ambiguity and models):
        return found
    if found.format.kind != wanted:
        found = InferredType(StringFormat(wanted, date="%Y-%m-%d" if wanted == DATES else ""))
    return replace(found, format=replace(found.format, gaps=GAPS))


def strings_of(frame: Frame, name: str, missing: tuple[str, ...]) -> Any:
    """A column of strings with one dictionary, made once: it is judged, and read."""
    if (name, missing) not in frame.encoded_columns:
        frame.encoded_columns[name, missing] = encode_strings(frame.column(name), missing)
    return frame.encoded_columns[name, missing]


def marks_of(frame: Frame, missing: tuple[Any, ...]) -> tuple[str, ...]:
    """The strings that stand for nothing: the usual ones, and those that are declared."""
    return (*frame.missing, *(mark for mark in missing if isinstance(mark, str)))


def with_gaps(told: StringFormat) -> StringFormat:
    """A spelling that is told, with the words that stand for nothing among numbers and dates."""
    return replace(told, gaps=GAPS if told.kind in (NUMBERS, DATES) else ())
