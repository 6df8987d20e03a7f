"""Where rows come from: frames, arrays, files; handed out in blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tallylearn.errors import OptionError, speaking
from tallylearn.sources.declarations import Declaration, declaration
from tallylearn.sources.files import Files, found
from tallylearn.sources.matrices import counted, is_sparse
from tallylearn.sources.memory import Table
from tallylearn.tables import Schema

Source = Table | Files


def table(
    source: Any,
    *,
    target: str | None = None,
    weight: str | None = None,
    groups: str | None = None,
    categories: Sequence[str] | Mapping[str, Sequence[Any]] = (),
    text: Sequence[str] = (),
    dates: Sequence[str] | Mapping[str, Sequence[str]] = (),
    missing: Any = (),
    ignore: Sequence[str] = (),
    dialect: Mapping[str, Any] | None = None,
    classes: Sequence[Any] = (),
) -> Source:
    """Declare what a table is: the one place for everything that cannot be seen from the data.

    ``source`` is a frame (pandas, polars, Arrow, DuckDB), an array, a list of rows, or the path
    or glob of CSV, Parquet or Arrow files; or a sparse matrix of counts of words, whose columns
    are the terms ``text``: that is one column of text.

    - ``target``, ``weight``, ``groups``: columns' names; rows of a group stay together when the
      table is split.
    - ``categories``: columns to read as categories, or a dict with all their values.
    - ``text``: columns to read as text. ``ignore``: columns to leave out.
    - ``dates``: columns to read as dates (a number of days), or a dict with the parts to take:
      year and day as numbers; month, weekday and hour as categories.
    - ``missing``: values that stand for nothing, beside the empty ones.
    - ``classes``: all classes that the target may have, those that no row has among them.
    - ``dialect``: of a CSV file, where the guess is wrong: delimiter, decimal, encoding, header,
      missing.

    >>> table([{"size": 3, "zip": 10115}, {"size": 5, "zip": 20095}], categories=["zip"])
    Table(2 rows: size (number), zip (category))
    """
    with speaking("table"):
        declared = declaration(
            target=target, weight=weight, groups=groups, categories=categories, text=text,
            dates=dates, missing=missing, ignore=ignore, dialect=dialect,
            classes=classes,
        )  # fmt: skip
        if is_sparse(source) and declared.text:
            return counted(source, declared)
        return opened(source, declared)


def opened(source: Any, declared: Declaration, schema: Schema | None = None) -> Source:
    """A source for anything that is a table; with a schema, read as the schema says."""
    if isinstance(source, Table | Files):
        if declared != Declaration():
            raise OptionError(f"{source} is declared already. Declare everything in one call.")
        return source
    if isinstance(source, str | Path):
        return Files(found(source), declared, schema)
    if declared.dialect:
        raise OptionError("a dialect goes with a CSV file, and this table is in memory.")
    return Table.of(source, declared, schema)


def aimed(source: Source, target: str | None, weight: str | None) -> Source:
    """The same source with the target and the weight that a call names."""
    declared = source.declared
    for option, now, new in (
        ("target", declared.target, target),
        ("weight", declared.weight, weight),
    ):
        if now and new and now != new:
            raise OptionError(
                f"the table declares the {option} {now!r}, and the call says {new!r}."
            )
    if target in (None, declared.target) and weight in (None, declared.weight):
        return source
    return source.aimed(target or declared.target, weight or declared.weight)


__all__ = ["Files", "Source", "Table", "aimed", "opened", "table"]
