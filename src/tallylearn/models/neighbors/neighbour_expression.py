"""Distances to examples as expressions: how rows are compared, and the examples as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tallylearn.errors import KindError
from tallylearn.expressions import (
    CategoryColumn,
    DistanceMetric,
    Literal,
    Number,
    NumberColumn,
    Quotient,
    Sum,
)
from tallylearn.models.neighbors.examples import Examples
from tallylearn.models.neighbors.votes import Weigh
from tallylearn.tables import Array

Row = tuple[float | str | None, ...]  # numbers, then categories; None where missing


def distance_expression(examples: Examples) -> DistanceMetric:
    """How a row is compared with the examples: numbers shifted and scaled, then the metric."""
    gower = examples.metric == "gower"  # which scales the differences
    numbers = [
        NumberColumn(name) if gower else scale_operand(NumberColumn(name), shift, scale)
        for name, shift, scale in zip(
            examples.columns, examples.shift.tolist(), examples.scale.tolist(), strict=True
        )
    ]
    return DistanceMetric(
        examples.metric,
        tuple(numbers),
        tuple(map(CategoryColumn, examples.categories)),
        known=examples.values,
        scale=tuple(examples.scale.tolist()) if gower else (),
        p=float(examples.p),
    )


def example_rows(examples: Examples) -> tuple[Row, ...]:
    """The examples as the distance compares them."""
    numbers = examples.itself()[0]
    return plain_rows(numbers, examples.codes, examples.values)


def plain_rows(numbers: Array, codes: Array, values: Sequence[Sequence[str]]) -> tuple[Row, ...]:
    """Numbers (m, p) and codes (m, c) as rows; NaN and codes below 0 are missing."""
    return tuple(
        (
            *(None if x != x else x for x in row),
            *(None if not c >= 0 else known[int(c)] for c, known in zip(code, values, strict=True)),
        )
        for row, code in zip(numbers.tolist(), codes.tolist(), strict=True)
    )


def scale_operand(operand: Number, shift: float, scale: float) -> Number:
    """(x - shift) / scale."""
    moved = Sum((operand, Literal(-shift))) if shift else operand
    return Quotient(moved, Literal(scale)) if scale != 1 else moved


def check_expressible(examples: Any, weigh: Weigh | None) -> None:
    """Examples in files, and functions of distances, cannot be written down."""
    if not isinstance(examples, Examples):
        raise KindError(
            "the training rows are in files, and an expression needs them in the model. Fit with "
            "examples='memory'."
        )
    if weigh is not None:
        raise KindError(
            "weights= is a Python function, which cannot be written as an expression. Fit with "
            "weights='uniform', 'distance' or 'inverse_square'."
        )
