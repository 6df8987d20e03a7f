"""Checks of schemas: may a learner use these columns, and can two tables be merged?"""

from __future__ import annotations

from dataclasses import replace

from tallylearn.errors import ColumnError, MergeError, quoted_list
from tallylearn.sources.columns.schema_matching import a
from tallylearn.tables import CATEGORY, IDENTIFIER, TEXT, UNKNOWN, Column, Schema


def check_schema(schema: Schema, kinds: tuple[str, ...], who: str) -> Schema:
    """The schema, if the learner takes every kind of column in it."""
    if kinds and schema.columns and len(schema.identifiers) == len(schema.columns):
        which = "it" if len(schema.names) == 1 else "one"
        raise ColumnError(
            f"all columns are identifiers ({quoted_list(schema.names)}): nearly all their values "
            f"are distinct. Use {which} anyway with tl.table(..., keep=[{schema.names[0]!r}])."
        )
    if not kinds or schema.kinds <= (known := {*kinds, UNKNOWN, IDENTIFIER}):
        return schema
    for column in schema.columns:
        if column.kind not in known:
            remedy = f"leave it out with tl.table(..., ignore=[{column.name!r}])"
            if column.kind == TEXT and CATEGORY in kinds:
                remedy = f"declare categories=[{column.name!r}], or {remedy}"
                remedy += "; NaiveBayes and LogisticRegression take text"
            raise ColumnError(
                f"column {column.name!r} holds {_plural((column.kind,))}, and {who} takes "
                f"{_plural(kinds)}. To go on, {remedy}."
            )
    return schema


def merge_schemas(first: Schema, other: Schema) -> Schema:
    """One schema for two tables; a column that is all missing takes the other's kind."""
    if {*first.names} != {*other.names} or (not first.named and first.names != other.names):
        odd = sorted({*first.names} ^ {*other.names})
        raise MergeError(
            f"the models were fitted to different columns: only one has {quoted_list(odd)}. Fit "
            "them to the same columns."
        )
    theirs = {column.name: column for column in other.columns}
    columns = tuple(_match_column(column, theirs[column.name]) for column in first.columns)
    if first.parts != other.parts or first.missing != other.missing:
        raise MergeError(
            "the tables declare dates or missing values differently. Declare them alike with "
            "tl.table(...), and fit again."
        )
    _check_units(first, other)
    return replace(first, columns=columns, named=first.named and other.named)


def _check_units(first: Schema, other: Schema) -> None:
    """Raise a MergeError for two units, such as dollars and euros; no unit agrees with any."""
    for name in {*first.spellings} & {*other.spellings}:
        mine, theirs = first.spellings[name], other.spellings[name]
        if mine.unit and theirs.unit and mine.unit != theirs.unit:
            raise MergeError(
                f"column {name!r} is written as {mine} in one table and as {theirs} in the other. "
                "Convert the values, and fit again."
            )


def _match_column(mine: Column, theirs: Column) -> Column:
    if UNKNOWN in (mine.kind, theirs.kind):
        return theirs if mine.kind == UNKNOWN else mine
    if mine.kind != theirs.kind and IDENTIFIER in (mine.kind, theirs.kind):
        raise MergeError(
            f"column {mine.name!r} is an identifier in one model and not in the other. Declare it "
            f"alike in both tables, with keep=[{mine.name!r}] or "
            f"kinds={{{mine.name!r}: 'identifier'}}, and fit again."
        )
    if mine.kind != theirs.kind:
        raise MergeError(
            f"column {mine.name!r} is {a(mine.kind)} in one model and {a(theirs.kind)} in the "
            "other. Declare it alike in both tables, for example with "
            f"categories=[{mine.name!r}], and fit again."
        )
    if mine.values != theirs.values:
        one, other = (quoted_list(column.values) or "none" for column in (mine, theirs))
        raise MergeError(
            f"column {mine.name!r} declares the values {one} in one model and {other} in the "
            "other. Declare it alike in both tables, and fit again."
        )
    return mine if mine.origin == theirs.origin else replace(mine, origin="declared")


def _plural(kinds: tuple[str, ...]) -> str:
    words = {"number": "numbers", "category": "categories", "text": "text", "date": "dates"}
    return ", ".join(words[kind] for kind in kinds)
