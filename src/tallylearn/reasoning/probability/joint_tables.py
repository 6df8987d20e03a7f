"""Joint and conditional tables from data: relative frequencies of combinations of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, InputError, KindError, quoted_list, short_repr
from tallylearn.reasoning.names import MAX_LISTED, is_among, list_items
from tallylearn.reasoning.probabilities import Number
from tallylearn.reasoning.probability.bayes_nets import Network
from tallylearn.sources import open_table
from tallylearn.sources.columns.class_labels import labels
from tallylearn.sources.declarations import Declaration
from tallylearn.tables import Block, Codes
from tallylearn.tallies import Counts


def count_rows(table: Any, columns: Sequence[str] | None) -> tuple[tuple[str, ...], Counts]:
    """The columns, and the counts of the rows by their values in all of them."""
    source = open_table(table, Declaration())
    target = source.declared.target
    there = (*source.schema.names, *([target] if target else []))
    columns = (columns,) if isinstance(columns, str) else columns
    names = there if columns is None else list_items(columns, "the column")
    if unknown := [name for name in names if not is_among(name, there)]:
        raise ColumnError(
            f"the table has no column {short_repr(unknown[0])}. Choose from {quoted_list(there)}."
        )
    if not names:
        raise InputError(f"columns is empty. Choose from {quoted_list(there)}.")
    tally = sum((_count(block, names, target) for block in source.blocks()), Counts.empty())
    if not tally:
        raise InputError("the table has no rows. Pass a table with rows.")
    if len(tally.keys[0]) > MAX_LISTED:
        raise InputError(
            f"the table has {len(tally.keys[0]):,} different rows, and the limit is "
            f"{MAX_LISTED:,}. Choose fewer columns with columns=[...]."
        )
    return names, tally


def hypothesis_column(table: Any, column: Any) -> str:
    """The column whose values are hypotheses: named, or the target of the table."""
    found = open_table(table, Declaration()).declared.target if column is None else column
    if not isinstance(found, str):
        raise KindError(
            f"column is {short_repr(found)}. Give the name of the column with the "
            "hypotheses, such as 'PlayTennis'."
        )
    return found


def row_shares(tally: Counts) -> dict[Any, Fraction]:
    """Every combination's share of the rows."""
    counts = [Fraction(count) for count in tally.floats().tolist()]
    whole = sum(counts, Fraction(0))
    return {key: count / whole for key, count in zip(tally.keys[0], counts, strict=True)}


def conditional_tables(P: Callable[..., Number], network: Network) -> dict[str, dict[Any, Any]]:
    """P(variable | parents) of every variable of a network, for every case of its parents."""
    tables: dict[str, dict[Any, Any]] = {}
    for name, above in network.parents.items():
        rows = {}
        for case in product(*(network.values[parent] for parent in above)):
            condition = dict(zip(above, case, strict=True)) or None
            row = {v: P({name: v}, given=condition) for v in network.values[name]}
            rows[case[0] if len(case) == 1 else case] = row
        tables[name] = rows if above else rows[()]
    return tables


def _count(block: Block, names: Sequence[str], target: str | None) -> Counts:
    coded = [_code_columns(block, name, target) for name in names]
    for name, column in zip(names, coded, strict=True):
        if (gaps := np.flatnonzero(column.codes < 0)).size:
            raise ColumnError(
                f"column {name!r} has a missing value in row "
                f"{block.start + int(gaps[0])}. Drop the row, or leave the column out "
                "with columns=[...]."
            )
    together = np.stack([column.codes for column in coded], axis=1)
    rows, codes = np.unique(together, axis=0, return_inverse=True)
    keys = [tuple(c.values[i] for c, i in zip(coded, row, strict=True)) for row in rows.tolist()]
    return Counts.of(Codes(tuple(keys), codes.ravel().astype(np.int32)), weight=block.weight)


def _code_columns(block: Block, name: str, target: str | None) -> Codes:
    if name == target:
        return labels(block.target, block.start)
    if name in block.codes:
        codes = block.codes[name]
        if next(c for c in block.schema.columns if c.name == name).origin == "truth":
            return Codes(tuple(value == "True" for value in codes.values), codes.codes)
        return codes
    if name not in block.schema.numbers:
        raise KindError(
            f"column {name!r} is text, which has too many different values for a "
            "joint table. Leave it out with columns=[...], or declare it as a "
            f"category with tl.table(..., categories=[{name!r}])."
        )
    numbers = block.numbers[:, block.schema.numbers.index(name)]
    values, at = np.unique(numbers, return_inverse=True)
    found = [int(value) if value.is_integer() else value for value in values.tolist()]
    return Codes(tuple(found), np.where(np.isnan(numbers), -1, at.ravel()).astype(np.int32))
