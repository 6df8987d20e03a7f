"""Where rows come from: frames, arrays, files; handed out in blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tallylearn.errors import OptionError, error_context, is_one_of, quoted_list, short_repr
from tallylearn.sources.arrow.datasets import ArrowDataset, is_dataset
from tallylearn.sources.databases import check_query, fetch_rows
from tallylearn.sources.declarations import Declaration, declaration
from tallylearn.sources.files.path_lists import FileList, as_source
from tallylearn.sources.files.paths import find_files
from tallylearn.sources.files.table import Files, StoredTable
from tallylearn.sources.memory.sparse_matrices import fill_zeros, is_sparse, table_of_counts
from tallylearn.sources.memory.table import Table
from tallylearn.sources.protocols import DeclaredTable, Part, Parts, Source, declared_table
from tallylearn.sources.streamed_rows import StoredRows, collect_pieces
from tallylearn.tables import Schema


def table(
    source: Any,
    connection: Any = None,
    *,
    target: str | None = None,
    weight: str | None = None,
    importance: str | None = None,
    groups: str | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[Any]] = (),
    text: Sequence[str] = (),
    dates: Sequence[str] | Mapping[str, Sequence[str]] = (),
    missing: Any = (),
    ignore: Sequence[str] = (),
    dialect: Mapping[str, Any] | None = None,
    classes: Sequence[Any] = (),
    kinds: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    schema: str | Path | Mapping[str, Any] | None = None,
    gaps: str = "keep",
) -> DeclaredTable:
    """Declare a table: its target and weights, and how its columns are read.

    This is the one place for everything that cannot be inferred from the data. The result is
    accepted wherever a table is. Its ``notes`` list how columns were read.

    Parameters
    ----------
    source : frame, array, list, path, query or iterator
        A frame (pandas, polars, Arrow, DuckDB), an array, or a list of rows. The path, glob or URL
        of files, or a list of paths (CSV, Excel, JSON, Parquet, Arrow, ARFF, SAS, Stata, SPSS,
        compressed or not), or an open file. A dataset of Arrow, or an iterator of frames, batches
        or dicts. A query for ``connection``. A sparse matrix of numbers, or of word counts with its
        terms in ``text``: the latter is one column of text.
    connection : ADBC, DuckDB or DB-API connection, or str, optional
        Where the query is run. A str is the target: ``table(frame, "churn")``.
    target : str, optional
        The column to predict.
    weight : str, optional
        A column of frequencies: a row of weight 2 counts as two rows.
    importance : str, optional
        Instead of ``weight``, a column of relative weights, such as survey weights or inverse
        propensities. Only their ratios matter: they are scaled to sum to the number of rows with a
        weight above zero. ``sample_weight`` of ``fit`` is a third kind, scikit-learn's.
    groups : str, optional
        A column. Rows of a group stay together when the table is split.
    categories : sequence of str, or dict, optional
        Columns to read as categories, or a dict with all their values.
    text : sequence of str, optional
        Columns to read as text.
    dates : sequence of str, or dict, optional
        Columns to read as dates (a number of days), or a dict with the parts to extract: year and
        day as numbers; month, weekday and hour as categories.
    missing : value or sequence of values, optional
        Values that mean missing, in addition to empty ones.
    ignore : sequence of str, optional
        Columns to leave out.
    dialect : dict, optional
        The format of a CSV file or a workbook, where the guess is wrong: delimiter, decimal,
        encoding, quote, comment; skip and footer (lines above and below the table), widths (of
        fixed-width columns), header (True, False, or all names), missing; sheet.
    classes : sequence, optional
        All classes of the target, including those that no row has.
    kinds : dict, optional
        The kind of a column: number, category, text, date, identifier or ignore. Or the format of
        its strings, by an example: "1.234,5" or "$1,234.5" for numbers, "%d/%m/%Y" for dates,
        "No/Yes" or "False/True" for two values.
    keep : sequence of str, optional
        Columns to use although they look like identifiers: nearly all of their values are different
        strings, and by default no learner uses them.
    schema : str, Path or dict, optional
        All of these options in a TOML file, or a dict, such as ``tl.check`` gives.
    gaps : {"keep", "drop"}, default "keep"
        "keep" leaves rows with missing values to the learners. "drop" removes them, which reads a
        file into memory; ``notes`` says how many were removed.

    Returns
    -------
    DeclaredTable
        The table, in memory or in files.

    Examples
    --------
    >>> table([{"size": 3, "zip": 10115}, {"size": 5, "zip": 20095}], categories=["zip"])
    Table(2 rows: size (number), zip (category))
    """
    with error_context("table"):
        if not is_one_of(gaps, ("keep", "drop")):
            raise OptionError(f"gaps={short_repr(gaps)} is not an option. Use 'keep' or 'drop'.")
        found = read_table(
            source, target=target, weight=weight, importance=importance, groups=groups,
            categories=categories, text=text, dates=dates, missing=missing, ignore=ignore,
            dialect=dialect, classes=classes, kinds=kinds, keep=keep, schema=schema,
            connection=connection,
        ).require_unambiguous()  # fmt: skip
        return found.without_gaps() if gaps == "drop" else found


def read_table(source: Any, connection: Any = None, **given: Any) -> DeclaredTable:
    """A table as it is declared, though some column of it may be read in two ways."""
    if isinstance(connection, str):  # no connection is text: it is a target
        if given.get("target") is not None:
            raise OptionError(
                f"two targets are given, {connection!r} and {given['target']!r}. Pass one of them."
            )
        connection, given = None, {**given, "target": connection}
    declared = declaration(**given)
    if connection is not None:
        source = collect_pieces(fetch_rows(source, connection))
    if is_sparse(source):
        if declared.text:
            return table_of_counts(source, declared)
        source = fill_zeros(source)
    return open_unchecked(source, declared)


def open_table(source: Any, declared: Declaration, schema: Schema | None = None) -> DeclaredTable:
    """A source for anything that is a table; with a schema, read as the schema says."""
    return open_unchecked(source, declared, schema).require_unambiguous()


def open_unchecked(
    source: Any, declared: Declaration, schema: Schema | None = None
) -> DeclaredTable:
    """The same, though some column may be read in two ways."""
    if (known := declared_table(source)) is not None:
        if declared != Declaration():
            raise OptionError(
                f"{source} is already declared. Pass all options in one call of tl.table."
            )
        return known
    check_query(source)
    source = as_source(source)
    if isinstance(source, StoredRows):
        files = (StoredTable if source.handed else Files)(source.paths, declared, schema)
        files.kept = source
        return files
    if is_dataset(source):
        return ArrowDataset(ArrowDataset.scans(source), declared, schema)
    if isinstance(source, FileList):
        return Files(source.paths, declared, schema)
    if isinstance(source, str | Path):
        return Files(find_files(source), declared, schema)
    if declared.dialect_for(()):
        raise OptionError(
            "dialect= is for CSV files, and this table is in memory. Leave it out. Use "
            "missing= for missing values, and kinds= for how dates are written."
        )
    return Table.of(source, declared, schema)


def is_out_of_memory(X: Any) -> bool:
    """Whether the rows of a table are not in memory, once those that pass by are kept."""
    return isinstance(X, str | Path | StoredRows | FileList) or is_dataset(X)


def with_roles(
    source: DeclaredTable, targets: tuple[str, ...], weight: str | None, groups: str | None = None
) -> DeclaredTable:
    """The same source with the targets, the weight and the groups that a call names."""
    declared = source.declared
    if declared.targets and targets and declared.targets != targets:
        raise OptionError(
            f"the table declares the target {quoted_list(declared.targets)}, and the call "
            f"names {quoted_list(targets)}. Name one of them."
        )
    if declared.weight and weight and declared.weight != weight:
        raise OptionError(
            f"the table declares the {declared.weighs} {declared.weight!r}, and the call "
            f"names {weight!r}. Name one of them."
        )
    found = targets or declared.targets, weight or declared.weight, groups or declared.groups
    if found == (declared.targets, declared.weight, declared.groups):
        return source
    return source.with_roles(*found)


__all__ = [
    "DeclaredTable",
    "Files",
    "Part",
    "Parts",
    "Source",
    "Table",
    "as_source",
    "declared_table",
    "is_out_of_memory",
    "open_table",
    "read_table",
    "table",
    "with_roles",
]  # fmt: skip
