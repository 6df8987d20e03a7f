"""Surveys of columns: what a table must be asked once before it is turned into numbers.

Sums of the numbers fill gaps, counts of the values choose indicators, and the spread of some rows
says how long a step along a column is. All of it adds up over blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.estimators.finite_rows import check_finite
from tallylearn.models.design.columns import References, design_columns
from tallylearn.models.design.matrix import Design
from tallylearn.tables import Array, Block
from tallylearn.tallies import Bundle, Counts
from tallylearn.tallies.pairs import GAP, Names
from tallylearn.tallies.weight_kinds import RowsByValue

LOST = 1e-305  # in the place of squares that are below a double: such a column varies, too
LOOKED_AT = 4096  # rows of a block whose spread is measured


@dataclass(frozen=True)
class ColumnSums:
    """Of every column of numbers its sum over the rows that show it, and the spread of some rows.

    Spreads are scales of steps and nothing else: they need not be those of all rows.
    """

    names: tuple[str, ...]  # (p,) in the order of the table
    rows: Array  # (1,) the weight of all
    shown: Array  # (p,) the weight of the rows that show the column
    total: Array  # (p,)
    seen: Array  # (p,) rows of the sample that show it
    mean: Array  # (p,) over the sample
    squares: Array  # (p,) of the deviations from that mean
    whole: bool = True  # whether every row shows every column
    columns: tuple[str, ...] = ()  # all of the table, in its order
    dropped: int = 0  # rows that were left out for a gap

    nothing = False  # a part of a bundle that is always there
    weighted: ClassVar[tuple[str, ...]] = ("rows", "shown", "total")  # scale with the weights

    @classmethod
    def of(cls, block: Block) -> ColumnSums:
        x, weight = block.numbers, block.weight
        w = np.ones(len(x)) if weight is None else weight
        rows = np.array([w.sum()])
        shown, whole = np.full(x.shape[1], rows[0]), True
        with np.errstate(over="ignore", invalid="ignore"):  # whoever solves refuses infinite sums
            total = _sum_columns(x, weight)
            if not np.isfinite(total).all():
                check_finite(block)
                here = ~np.isnan(x)
                whole = bool(here.all())
                total, shown = (
                    _sum_columns(np.where(here, x, 0.0), weight),
                    _sum_columns(here, weight),
                )
            spread, columns = _spread(x), block.schema.names
            return cls(block.schema.numbers, rows, shown, total, *spread, whole, columns)

    def __bool__(self) -> bool:
        return bool(self.rows[0] > 0)

    def __add__(self, other: ColumnSums) -> ColumnSums:
        seen = self.seen + other.seen
        with np.errstate(over="ignore", invalid="ignore"):
            share = other.seen / np.maximum(seen, 1)
            apart = other.mean - self.mean
            return ColumnSums(
                names=self.names,
                rows=self.rows + other.rows,
                shown=self.shown + other.shown,
                total=self.total + other.total,
                seen=seen,
                mean=self.mean + share * apart,
                squares=self.squares + other.squares + self.seen * share * apart**2,
                whole=self.whole and other.whole,
                columns=self.columns,
                dropped=self.dropped + other.dropped,
            )

    def spread(self) -> tuple[Array, Array]:
        """(p,) means and standard deviations of the sample; 1 where it does not vary."""
        deviation = np.sqrt(self.squares / np.maximum(self.seen, 1))
        return self.mean, np.where(deviation > 0, deviation, 1.0)


def _sum_columns(x: Array, weight: Array | None) -> Array:
    """(p,) without BLAS, whose sums differ by processor: gaps are filled by these."""
    total = x.sum(axis=0) if weight is None else (x * weight[:, None]).sum(axis=0)
    return np.asarray(total, dtype=np.float64)


def _spread(x: Array) -> tuple[Array, Array, Array]:
    some = x[:: -(-len(x) // LOOKED_AT)] if len(x) > LOOKED_AT else x
    here = ~np.isnan(some)
    seen = here.sum(axis=0)
    if not len(some):
        return seen, np.zeros(x.shape[1]), np.zeros(x.shape[1])
    base = np.where(seen > 0, some[here.argmax(axis=0), np.arange(some.shape[1])], 0.0)
    mean = base + np.where(here, some - base, 0.0).sum(axis=0) / np.maximum(seen, 1)
    off = np.where(here, some - mean, 0.0)
    squares = np.einsum("ij,ij->j", off, off)
    return seen, mean, np.where((squares == 0) & off.any(axis=0), LOST, squares)


def survey_columns(block: Block, dropped: int = 0) -> dict[str, Any]:
    """What the columns of a block say, so many of whose rows were left out: parts of a bundle."""
    values = {
        name: Counts.of(replace(codes, declared=()), weight=block.weight)
        for name, codes in block.codes.items()
    }
    numbers = replace(ColumnSums.of(block), dropped=dropped)
    return {"numbers": numbers, "categories": Bundle(values)}


def design_of(
    survey: Bundle, *, missing: str, min_rows: float, reference: References | None
) -> Design:
    """The design that the columns become, numbers first, in the order of the table."""
    sums: ColumnSums = survey["numbers"]
    rows = float(sums.rows[0])
    found: dict[tuple[str, str], tuple[float, float]] = {}  # name -> sum, rows that show it
    for name, total, shown in zip(sums.names, sums.total, sums.shown, strict=True):
        if shown > 0:
            found[name, ""] = float(total), float(shown)
            found |= _gap(name, float(shown), rows, missing)
    columns = survey.get("categories")
    for name, counts in () if columns is None else columns.parts.items():
        each = counts.floats()
        for value, count in zip(counts.keys[0], each, strict=True):
            found[name, f"={value}"] = float(count), rows
        found |= _gap(name, float(each.sum()), rows, missing)
    names: Names = tuple(found)
    numbers = np.array([*found.values()]).reshape(-1, 2)
    design = design_columns(
        names, numbers[:, 0], numbers[:, 1], rows, min_rows=min_rows, missing=missing,
        reference=reference, by_value=RowsByValue.of(survey, names, numbers[:, 0], rows),
    )  # fmt: skip
    return replace(_in_order(design, sums.names), dropped=sums.dropped)


def _gap(
    name: str, shown: float, rows: float, missing: str
) -> dict[tuple[str, str], tuple[float, float]]:
    """The indicator of a column's gaps, where it has any and they are to have one."""
    some = missing == "indicator" and shown < rows * (1 - 1e-12)  # sums of weights are rounded
    return {(name, GAP): (rows - shown, rows)} if some else {}


def _in_order(design: Design, numbers: tuple[str, ...]) -> Design:
    """Numbers in the order of the table come first: its rows need not be moved then."""
    place = {name: at for at, name in enumerate(numbers)}
    keys = [
        (0, place[name]) if is_number else (1, at)
        for at, (name, is_number) in enumerate(zip(design.columns, design.numeric, strict=True))
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return replace(
        design,
        columns=tuple(design.columns[j] for j in order),
        values=tuple(design.values[j] for j in order),
        fill=design.fill[order],
        gaps=design.gaps[order],
    )
