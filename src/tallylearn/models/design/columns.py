"""Which columns of numbers a table becomes: values of categories, rare ones, references, gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, OptionError, quoted_list, short_repr
from tallylearn.estimators.option_values import by_label
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.rare_categories import NO_RARE, RareValues, rare
from tallylearn.models.design.terms import POOLED, is_category_code
from tallylearn.sources.memory.arrays import is_missing
from tallylearn.tables import Array, Block
from tallylearn.tallies.pairs import GAP, Names, in_order, of_numbers, split_names

MISSING = ("indicator", "mean", "refuse", "drop")  # what becomes of gaps
References = Mapping[str, Any]  # a value of every column


def encoded_names(block: Block, gaps: Iterable[str] = (), pooled: Iterable[str] = ()) -> Names:
    """The names that a block has as numbers: an indicator for every value that it knows.

    And one of its gaps for some columns. Of the columns in ``pooled`` the last value is that of all
    rare ones.
    """
    numbers = [(name, "") for name in block.schema.numbers]
    values = [(name, f"={v}") for name, column in block.codes.items() for v in column.values]
    last = {name: at for at, (name, _) in enumerate(values)}
    for name in pooled:
        values[last[name]] = (name, POOLED)
    return (*numbers, *values, *((name, GAP) for name in gaps))


def encode_block(block: Block, gaps: Mapping[str, Array] | None = None) -> Array:
    """A block as numbers for a tally, in the order of its spelling."""
    if not block.codes and not gaps:
        return block.numbers
    parts = [block.numbers]
    for column in block.codes.values():
        ones = (column.codes[:, None] == np.arange(len(column.values))).astype(np.float64)
        ones[column.codes < 0] = np.nan
        parts.append(ones)
    parts += [where[:, None].astype(np.float64) for where in (gaps or {}).values()]
    return np.hstack(parts)


@dataclass(frozen=True)
class ColumnChoice:
    """The columns of a design among the names that were counted."""

    names: Names  # (q,) all, with rare values as one, the last of their column
    pooled: Array  # (p,) where every counted name went
    kept: Array  # which of the names are columns: references are not
    beside: Array  # which are measured beside the columns
    base: dict[str, str]
    rare: RareValues

    def places_among(self, names: Names) -> list[int]:
        """Where the columns stand among names, and after them what is beside them."""
        place = {name: at for at, name in enumerate(names)}
        return [place[self.names[j]] for j in (*self.kept.tolist(), *self.beside.tolist())]

    def design(self, fill: Array, gaps: Array, complete: bool = False) -> Design:
        """The design, with what fills its columns (p,) and how often."""
        names = split_names(tuple(self.names[j] for j in self.kept.tolist()))
        based = tuple(self.base), tuple(self.base.values())
        return Design(*names, fill, gaps, *based, self.rare, complete=complete)


def choose_columns(
    names: Names, sums: Array, rows: float, min_rows: float = 1,
    reference: References | None = None, few: RareValues | None = None,
) -> ColumnChoice:  # fmt: skip
    """Of every category all values but the reference; those of few rows together.

    ``sums`` (p,) of the indicators are the rows of a value; ``few`` are the values that were
    taken together while rows were counted.
    """
    if reference is None and of_numbers(split_names(names)[1]):
        return _numbers_alone(names)
    few = _find_rare_values(names, sums, rows, min_rows) if few is None else few
    pooled, named, whole = {*zip(few.columns, few.values, strict=True)}, names, sorted({*names})
    if pooled:
        named = tuple((n, POOLED if (n, value[1:]) in pooled else value) for n, value in names)
        whole = sorted({*named}, key=lambda pair: (pair[0], pair[1] == POOLED, pair[1]))
    place = {pair: at for at, pair in enumerate(whole)}
    based = {name: value for name, value in reversed(whole) if is_category_code(value)}
    based |= _requested_references(_by_name(reference), based, {*whole}, few)
    real = {name for name, value in whole if value != GAP}
    kept = [
        j
        for j, (name, value) in enumerate(whole)
        if based.get(name) != value and (value != GAP or name in real) and value[:1] != "!"
    ]
    beside = [j for j, (_, value) in enumerate(whole) if value[:1] == "!"]
    if not kept:
        raise no_column()
    first = {name: values[0] for name, values in few.by_column.items()}
    base = {name: first[name] if based[name] == POOLED else based[name][1:] for name in based}
    at = np.array([place[pair] for pair in named], dtype=np.int64)
    order, other = (np.array(some, dtype=np.int64) for some in (kept, beside))
    return ColumnChoice(
        names=tuple(whole),
        pooled=at,
        kept=order,
        beside=other,
        base=dict(sorted(base.items())),
        rare=few,
    )


def _numbers_alone(names: Names) -> ColumnChoice:
    """All columns, where none is of a category and none has gaps."""
    whole = in_order({*names})
    place = {pair: at for at, pair in enumerate(whole)}
    p = sum(value[:1] != "!" for _, value in whole)
    if not p:
        raise no_column()
    every = np.arange(len(whole))
    return ColumnChoice(
        names=whole,
        pooled=np.array([place[n] for n in names]),
        kept=every[:p],
        beside=every[p:],
        base={},
        rare=NO_RARE,
    )


def design_columns(
    names: Names, sums: Array, shown: Array, rows: float, *, min_rows: float = 1,
    missing: str = "indicator", reference: References | None = None,
    by_value: tuple[Array, float] | None = None,
) -> Design:  # fmt: skip
    """The design of a table whose names were summed, each over the rows that show it (p,).

    ``by_value`` are the rows of every name and all rows, where ``sums`` and ``rows`` are weights.

    That a value is never shown by some blocks does no harm: its column is, where any of its values.
    """
    plan = choose_columns(names, *(by_value or (sums, rows)), min_rows, reference)
    total = np.zeros(len(plan.names))
    np.add.at(total, plan.pooled, sums)
    columns: dict[str, float] = {}
    for (name, value), each in zip(plan.names, total, strict=True):
        if is_category_code(value):
            columns[name] = columns.get(name, 0.0) + float(each)
    known = dict(zip(names, shown, strict=True))
    there = np.array([
        rows if value == GAP else columns[name] if is_category_code(value) else known[name, value]
        for name, value in plan.names
    ])  # fmt: skip
    fill, gaps = total / np.maximum(there, 1e-300), rows - there
    at = plan.kept
    return plan.design(fill[at], gaps[at].clip(0), missing in ("refuse", "drop"))


def no_column() -> ColumnError:
    """Nothing is left that differs between rows."""
    return ColumnError(
        "no column varies, so there is nothing to learn from. Add a column with several values."
    )


def _find_rare_values(names: Names, sums: Array, rows: float, min_rows: float) -> RareValues:
    """The values of categories that too few rows have, by the sums of their indicators."""
    counted: dict[str, dict[str, float]] = {}
    for (name, value), weight in zip(names, sums.tolist(), strict=True):
        if is_category_code(value):
            counted.setdefault(name, {})[value[1:]] = round(weight, 6)
    few = {name: rare(np.array([*of.values()]), rows, min_rows) for name, of in counted.items()}
    return RareValues.of(
        {name: np.array([*of])[few[name]].tolist() for name, of in counted.items()}
    )


def _requested_references(
    reference: References, based: Mapping[str, str], names: set[tuple[str, str]], few: RareValues
) -> dict[str, str]:
    """The references that were asked for, as values of the names."""
    found: dict[str, str] = {}
    for name, value in reference.items():
        if name not in based:
            raise OptionError(
                f"reference names {name!r}, which is not a categorical column. The categorical "
                f"columns are {quoted_list(sorted(based)) or 'none'}."
            )
        if value in few.by_column.get(name, ()):
            found[name] = POOLED
        elif (name, f"={value}") in names:
            found[name] = f"={value}"
        else:
            known = [v[1:] for n, v in sorted(names) if n == name and v.startswith("=")]
            raise OptionError(
                f"reference has {value!r} for column {name!r}, whose values are "
                f"{quoted_list(known)}. Use one of them."
            )
    return found


def _by_name(reference: Any) -> dict[str, str]:
    """The references by their names among the values: True is "True", and 20095.0 is "20095"."""
    given = by_label(reference)
    return {} if given is None else {name: _level_name(value) for name, value in given.items()}


def _level_name(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value) if whole else value)


def check_references(given: Any) -> None:
    """What an option says: values by column, or None."""
    given = by_label(given)
    pairs = given.items() if isinstance(given, Mapping) else () if given is None else [(given, 0)]
    for name, value in pairs:
        known = isinstance(value, str | Real | np.bool_) and not is_missing(value)
        if not isinstance(name, str) or not known or not isinstance(given, Mapping):
            raise OptionError(
                f"reference={short_repr(given)} is not a dict of reference values by column. Pass "
                "one, such as {'colour': 'red'}."
            )
