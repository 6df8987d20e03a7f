"""The result of a small calculation: its value, and the steps that lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tallylearn.errors import ColumnError, InputError, KindError, quoted_list, short_repr
from tallylearn.reasoning.answers import Answer, NumericAnswer, WorkStep
from tallylearn.sources import DeclaredTable
from tallylearn.sources import table as read_table
from tallylearn.tables import Array, Codes
from tallylearn.workings import Derivation
from tallylearn.workings.equations import equation_chain as equation_chain
from tallylearn.workings.equations import formula as formula
from tallylearn.workings.equations import number as number
from tallylearn.workings.equations import signed_sum as signed_sum


@dataclass(frozen=True, eq=False, repr=False)
class Calculation(NumericAnswer):
    """A number that knows how it was calculated.

    It calculates as a float does, and prints its working.

    Attributes
    ----------
    value : float or Fraction
        The result.

    Examples
    --------
    >>> import tallylearn as tl
    >>> found = tl.gini([9, 5])
    >>> round(float(found), 4)
    0.4592
    >>> print(found)
    Gini impurity
    =============
    <BLANKLINE>
    Gini([9, 5]) = 1 - (9/14)² - (5/14)² = 1 - 0.4133 - 0.1276 = 0.4592
    """

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class TableOfResults(Answer):
    """Several numbers of one calculation, by name, with their working."""

    def __getitem__(self, name: Any) -> Any:
        try:
            return self.value[name]
        except Exception:
            raise InputError(
                f"there is no result named {short_repr(name)}. There are {quoted_list(self.value)}."
            ) from None

    def __iter__(self) -> Any:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return str(self)


def calculation(value: float | Fraction, title: str, *steps: WorkStep) -> Calculation:
    """A number with its steps."""
    return Calculation(value, Derivation(title, steps))


def table_of_results(value: dict[Any, Any], title: str, *steps: WorkStep) -> TableOfResults:
    """Numbers by name, with their steps."""
    return TableOfResults(value, Derivation(title, steps))


def numbers(values: Any, who: str, what: str, least: int = 1) -> Array:
    """A one-dimensional array of finite numbers."""
    try:
        found = np.asarray(
            [float(one) for one in values] if not isinstance(values, np.ndarray) else values,
            dtype=np.float64,
        )
    except Exception:
        raise KindError(
            f"{who}: {what} is {short_repr(values, 80)}. Give a list of numbers."
        ) from None
    if found.ndim != 1 or len(found) < least:
        raise InputError(
            f"{who}: {what} has the shape {found.shape}. Give a list of at least {least} numbers."
        )
    if not np.isfinite(found).all():
        at = int(np.flatnonzero(~np.isfinite(found))[0])
        raise InputError(f"{who}: {what} has {found[at]} at position {at}. Give finite numbers.")
    return found


def read_columns(
    table: Any, attribute: str, target: str | None, who: str
) -> tuple[str, Codes | Array, str, Codes | Array]:
    """An attribute and the target of a table, with their names."""
    source = read_table(table).load()
    if target is None:
        if len(source.declared.targets) != 1:
            raise InputError(
                f"{who}: the table declares no target. Name it: "
                f"{who}(table, {short_repr(attribute)}, 'target')."
            )
        target = source.declared.targets[0]
    plain = source.without_roles(targets=bool(source.declared.targets))
    return (
        attribute,
        _column(plain, attribute, who),
        target,
        _column(plain, target, who),
    )


def _column(source: DeclaredTable, name: Any, who: str) -> Codes | Array:
    if not isinstance(name, str) or name not in source.names:
        raise ColumnError(
            f"{who}: the table has no column {short_repr(name)}. It has "
            f"{quoted_list(source.names)}."
        )
    return source.column_values(name)
