"""Checks: how a table is read, column by column, and what somebody has to decide before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from tallylearn import engines
from tallylearn.errors import CellError, InputError, OptionError, error_context, quoted_list
from tallylearn.inspection.check_report import Check, CheckedColumn
from tallylearn.inspection.column_sums import (
    MAX_COMPARED_CATEGORIES,
    ColumnSum,
    TargetSum,
    TotalRows,
)
from tallylearn.runtime.atomic_write import whole
from tallylearn.screening.cautions import cautions
from tallylearn.screening.identifiers import identifiers
from tallylearn.screening.table_sample import SampledRows, target_part
from tallylearn.sources import DeclaredTable, Files, declared_table, read_table, with_roles
from tallylearn.sources.declarations import TRUE, Declaration
from tallylearn.sources.files.csv.cell_errors import as_code, row_to_delete
from tallylearn.sources.type_inference.column_types import InferredType
from tallylearn.tables import (
    CATEGORY,
    DATE,
    IDENTIFIER,
    NUMBER,
    TEXT,
    UNKNOWN,
    Array,
    Block,
    Codes,
)  # fmt: skip
from tallylearn.tables.string_formats import DATES, NUMBERS, TRUTHS, WORDS, StringFormat

CSV = ".csv"
WRITTEN = (".parquet", ".pq", CSV)  # the endings of files that a table is written to


def check(source: Any, connection: Any = None, **declared: Any) -> Check:
    """Check how a table is read: the kind of each column and why, missing and unusual values.

    All rows are read once, files block by block. A column that can be read in two ways is not an
    error here, but listed in ``decisions``.

    Parameters
    ----------
    source : Any
        The table, as in ``tl.table``.
    connection : Any, optional
        Where a query is run, or the name of the target, as in ``check(table, "churn")``.
    **declared : Any
        Options of ``tl.table``, such as ``target="churn"``.

    Returns
    -------
    Check
        The columns, the decisions to make, and ``schema``, which ``tl.table(schema=)`` takes.

    Examples
    --------
    >>> print(check({"paid": ["$1,200", "-", "$7"], "day": ["3/4/2024", "5/6/2024", None]}))
    a table in memory: 3 rows, 2 columns
    column  kind      missing  note
    paid    number          1  numbers written as $1,234.5; "-" means missing
    day     category        1
    to decide: day: '3/4/2024' in row 0: the day and the month cannot be
    distinguished; use tl.table(..., kinds={"day": "%d/%m/%Y"}) or tl.table(...,
    kinds={"day": "%m/%d/%Y"}).
    """
    with error_context("check"):
        read = read_table if declared_table(source) is None else _redeclare
        return _checked_table(read(source, connection, **declared))[0]


def _redeclare(table: Any, connection: Any, target: Any = None, **declared: Any) -> DeclaredTable:
    """A table that was declared before, of which a check may name the target."""
    target = connection if target is None and isinstance(connection, str) else target
    if connection is not None and connection != target:
        raise OptionError(f"{table} is already a table. Leave the connection out.")
    if declared:
        raise OptionError(f"{table} is already declared. Pass all options in one call of tl.table.")
    return with_roles(table, () if target is None else (target,), None)


def checked_files(paths: Sequence[Path], declared: Declaration) -> tuple[Check, Files]:
    """The check of files, and the files as they were found to be."""
    found, source = _checked_table(Files(paths, declared))
    return found, cast(Files, source)


def _checked_table(source: DeclaredTable) -> tuple[Check, DeclaredTable]:
    """The check of a table, and the table as it was found to be."""
    source, sums, rows, totals = _sum_columns(source)
    named = identifiers(source) if source.identifier_reasons is None else source.identifier_reasons
    columns = tuple(_check_column(source, name, sums, named.get(name)) for name in _names(source))
    targets = tuple(_checked_target(source, name, sums[name]) for name in source.declared.targets)
    schema = _schema(source, (*columns, *targets))
    care = (*totals.cautions, *_cautions(source))
    return Check(
        what=source.title,
        rows=rows,
        columns=columns,
        schema=schema,
        notes=source.remarks,
        targets=targets,
        cautions=care,
    ), source


def _cautions(source: DeclaredTable) -> tuple[str, ...]:
    """What to look at before the target is learned, where there is one and it can be read."""
    target = source.declared.target
    if target is None or not (rows := SampledRows.of(source)).n_with_target:
        return ()
    return tuple(cautions(rows, target))


def check_ending(path: Path) -> None:
    """Refuse the name of a file that a table cannot be written to."""
    if path.suffix.lower() not in WRITTEN:
        raise OptionError(
            f"{path}: the extension must be one of {quoted_list(WRITTEN)}. Rename the file."
        )


def write_table(source: Files, path: Path) -> int:
    """Write a table as it is read, block by block, whole or not at all; how many rows it has."""
    import pyarrow.csv
    import pyarrow.parquet

    check_ending(path)
    rows, writer = 0, None
    form = pyarrow.csv.CSVWriter if path.suffix.lower() == CSV else pyarrow.parquet.ParquetWriter
    with whole(path) as file:
        for table in source.typed_tables():
            writer = writer or form(file, table.schema)
            writer.write_table(table)
            rows += len(table)
        if writer is None:
            raise InputError(
                "the table has no rows, so no file is written. Pass a table with rows."
            )
        writer.close()
    return rows


def _sum_columns(source: DeclaredTable) -> tuple[DeclaredTable, dict[str, Any], int, TotalRows]:
    """The table after all rows were read, what was counted, how many there are, and of sums."""
    if (
        weight := source.inferred.get(source.declared.weight or "")
    ) is not None and weight.ambiguity:
        source.require_unambiguous()  # no row can be weighed before somebody decides
    while True:
        sums: dict[str, Any] = {name: ColumnSum() for name in source.schema.names}
        sums |= {name: TargetSum() for name in source.declared.targets}
        rows, totals = 0, TotalRows()
        try:
            for block in source.blocks():
                _count(block, sums)
                totals.look(block)
                several = isinstance(block.target, tuple)
                answers = block.target if several else (block.target,)
                for name, answer in zip(source.declared.targets, answers, strict=False):
                    sums[name].target(target_part(answer))
                rows += len(block)
                engines.current_engine().report_rows(len(block))
            for name in source.declared.identifiers:  # which blocks are without
                sums[name].missing = _gaps(source.group_labels(name))
            return source, sums, rows, totals
        except CellError as odd:
            source = source.reinfer_unchecked(odd)


def _gaps(column: Codes | Array) -> int:
    return int((column.codes < 0 if isinstance(column, Codes) else np.isnan(column)).sum())


def _count(block: Block, sums: dict[str, ColumnSum]) -> None:
    for name, at in block.schema.places.items():
        sums[name].number(block.numbers[:, at])
    for name, codes in block.codes.items():
        sums[name].missing += int((codes.codes < 0).sum())
        if len(sums[name].values) < MAX_COMPARED_CATEGORIES:
            sums[name].values.update(codes.values)
    for column in block.schema.of_kind(UNKNOWN):
        sums[column.name].missing += len(block)
    for name, text in block.text.items():
        gaps = (~text.present).sum() if hasattr(text, "present") else text.null_count
        sums[name].missing += int(gaps)


def _names(source: DeclaredTable) -> list[str]:
    """The columns that are learned from, dates whole."""
    apart = {f"{name}.{part}": name for name, parts in source.schema.parts for part in parts}
    return [*dict.fromkeys(apart.get(name, name) for name in source.schema.names)]


def _check_column(
    source: DeclaredTable, name: str, sums: Mapping[str, ColumnSum], named: str | None
) -> CheckedColumn:
    kinds = {column.name: column.kind for column in source.schema.columns}
    origins = {column.name: column.origin for column in source.schema.columns}
    parts = dict(source.schema.parts).get(name)  # all parts of a date have its gaps
    found = sums[f"{name}.{parts[0]}" if parts else name]
    judged = source.inferred.get(name)
    written = _model(source.schema.spellings.get(name) if judged is None else judged.format)
    if kinds.get(name) == CATEGORY and origins[name] == "truth":
        written = "/".join(TRUE)
    decide = _decision(name, judged)
    note = "" if judged is None or decide else judged.note(name)
    kind = kinds.get(name, DATE)
    if named is not None and not decide:
        said = f"{named}, so models do not use it. To use it: keep= or --keep {name}"
        return CheckedColumn(
            name, IDENTIFIER, "", found.missing, "; ".join(filter(None, [note, said]))
        )
    return CheckedColumn(
        name=name,
        kind=kind,
        written=written,
        missing=found.missing,
        note=note,
        decide=decide,
        consider=(*_proposals(name, found),),
    )


def _checked_target(source: DeclaredTable, name: str, found: TargetSum) -> CheckedColumn:
    """A target: its classes or its range, and how it is read where it is no label as it came."""
    judged = None if source.keeps_labels else source.inferred.get(name)
    known = source.declared.spelling(name) if judged is None else judged.format
    written = "" if source.keeps_labels else _model(known)
    kind = CATEGORY if found.values else NUMBER if found.answers else UNKNOWN
    if written and known is not None and known.kind == DATES:
        kind = DATE
    decide = _decision(name, judged)
    why = "" if judged is None else judged.note(name)
    note = (
        "the target"
        if decide
        else "; ".join(filter(None, [f"the target, {found.description}", why]))
    )
    return CheckedColumn(
        name=name,
        kind=kind,
        written=written,
        missing=found.missing,
        note=note,
        decide=decide,
        consider=(*_proposals(name, found),),
    )


def _decision(name: str, judged: InferredType | None) -> str:
    """What has to be said of a column before anybody learns from it."""
    if judged is not None and (judged.ambiguity or judged.irregular):
        ways = [*row_to_delete(name, judged.markers), f"use {judged.options(name)}"]
        return f"{judged.ambiguity or judged.reason}; {', or '.join(ways)}"
    return ""


def _model(spelling: StringFormat | None) -> str:
    """How a column is written, where it came as strings and a word for its kind does not do."""
    if spelling is not None and spelling.kind == TRUTHS:
        return "/".join(TRUE)
    if spelling is None or spelling.kind not in (NUMBERS, DATES, WORDS):
        return ""
    bare = replace(spelling, gaps=())
    return "" if bare.plain or bare == StringFormat() else str(bare)


def _proposals(name: str, found: ColumnSum) -> Iterator[str]:
    if found.calendar and found.low < found.high:
        said = f"{found.low:.0f} to {found.high:.0f} are read as numbers"
        kinds = as_code({name: "%Y%m%d"})
        yield f"{said}; use tl.table(..., kinds={kinds}) if they are days"
    for mark in found.likely:
        yield (
            f"{mark} occurs {found.marks[mark]:,} times, and the other values are between "
            f"{found.low:g} and {found.high:g}; use tl.table(..., missing={as_code([mark])}) if it "
            "means missing"
        )
    for same in found.alike[:3]:
        yield f"{' and '.join(map(repr, same))} differ only in case or spaces"
    if len(found.alike) > 3:
        yield f"{len(found.alike) - 3} more values differ only in case or spaces"


def _schema(source: DeclaredTable, columns: Sequence[CheckedColumn]) -> dict[str, Any]:
    """What ``tl.table`` has to be told to read the table so."""
    declared = source.declared
    kinds = {
        one.name: one.written or one.kind
        for one in columns
        if one.kind in (NUMBER, DATE, CATEGORY, TEXT, IDENTIFIER)
        and not one.decide  # nobody decided yet
    }
    kinds |= dict.fromkeys(declared.ignore, "ignore")
    dates = {name: [*parts] for name, parts in declared.dates.items() if parts}
    dialect = source.dialect
    found = {
        "target": declared.target,
        declared.weighs: declared.weight,
        "groups": declared.groups,
        "missing": [mark for mark in declared.missing if mark is not None],
        "kinds": kinds,
        "categories": {name: [*values] for name, values in declared.categories.items() if values},
        "dates": dates,
        "dialect": {} if dialect is None else dialect.options,
    }
    return {name: value for name, value in found.items() if value}


__all__ = ["Check", "CheckedColumn", "check", "checked_files"]
