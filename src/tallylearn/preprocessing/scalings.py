"""Scalings: a shift and a scale for every column, from its mean and spread, or from its ends."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import InputError
from tallylearn.estimators.finite_rows import check_finite, check_scaled
from tallylearn.expressions import (
    Category,
    ClippedNumber,
    Literal,
    Number,
    NumberColumn,
    Quotient,
    Sum,
)
from tallylearn.kernels import column_scaling
from tallylearn.preprocessing.transformer import ReversibleTransform, as_numbers, with_numbers
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import BLOCK, Array, Block, Column, Schema, check_columns, field_schemas
from tallylearn.tallies import Extent
from tallylearn.workings import Derivation, Formula, Grid, Sentence
from tallylearn.workings.distance_steps import difference
from tallylearn.workings.equations import formula, number, signed_sum
from tallylearn.workings.units import value_formatter


class Scaling(ReversibleTransform):
    """A shift and a scale for every column of numbers; other columns stay as they are."""

    wide: ClassVar[bool] = True
    names: tuple[str, ...]

    @abstractmethod
    def shift(self) -> Array:
        """(p,) what becomes the base."""

    @abstractmethod
    def scale(self) -> Array:
        """(p,) what becomes one; 1 where a column is constant."""

    def base(self) -> float:
        """Where the shift goes."""
        return 0.0

    def columns(self, schema: Schema) -> list[Column]:
        return as_numbers(schema)

    def transform_block(self, block: Block) -> Block:
        at, out = self._places(block.schema), np.empty(block.numbers.shape)
        shift, width, base = self.shift()[at], self.scale()[at], self.base()

        def scale_rows(rows: slice) -> int:
            return int(column_scaling.scale(block.numbers[rows], shift, width, base, out[rows]))

        if any(
            engines.map_threads(
                scale_rows, (slice(i, i + BLOCK) for i in range(0, len(out), BLOCK))
            )
        ):
            check_finite(block)
            if not self._limits:
                check_scaled(out, block)
        return with_numbers(block, self.schema(block.schema), self._clip(out))

    def inverse_block(self, block: Block, schema: Schema) -> Block:
        at = self._places(block.schema)
        numbers = (block.numbers - self.base()) * self.scale()[at] + self.shift()[at]
        return with_numbers(block, schema, numbers)

    def to_table_units(self, name: str, value: float) -> float:
        if name not in self.names:
            return value
        j = self.names.index(name)
        return float((value - self.base()) * self.scale()[j] + self.shift()[j])

    def working_text(self, name: str, before: float, after: float) -> str:
        """(x - shift) / scale + base, with the numbers of a row."""
        if name not in self.names or before != before:
            return number(after)
        j, base = self.names.index(name), self.base()
        side = f"({difference(before, float(self.shift()[j]))}) / {number(float(self.scale()[j]))}"
        if base:
            side = signed_sum([side, number(base)])
        value = (before - float(self.shift()[j])) / float(self.scale()[j]) + base
        clipped = "" if math.isclose(value, after, rel_tol=1e-9, abs_tol=1e-12) else ", limited"
        return f"{side} = {number(value)}" + (f"{clipped} to {number(after)}" if clipped else "")

    def expressions(self, schema: Schema) -> dict[str, Number | Category]:
        """(x - shift) / scale + base."""
        shifts, scales = self.shift().tolist(), self.scale().tolist()
        return {
            name: self._expression(name, shift, scale)
            for name, shift, scale in zip(self.names, shifts, scales, strict=True)
        }

    def _expression(self, name: str, shift: float, scale: float) -> Number:
        away = Sum((NumberColumn(name), Literal(-shift)))
        return Sum((Quotient(away, Literal(scale)), Literal(self.base())))

    def check(self, schema: Schema) -> None:
        """What a file says is of all columns of numbers, each of them once."""
        check_columns("scales", self.names, {*schema.numbers})
        if len(self.names) != len(schema.numbers):
            raise ValueError("a column of numbers has no scale")

    @property
    def _limits(self) -> bool:
        """Whether numbers outside the range are moved to its ends."""
        return False

    def _clip(self, numbers: Array) -> Array:
        return numbers

    def _places(self, schema: Schema) -> list[int]:
        where = {name: j for j, name in enumerate(self.names)}
        return [where[name] for name in schema.numbers]


@dataclass(frozen=True)
class Standard(Scaling):
    """Mean and variance of every column."""

    names: tuple[str, ...]
    mean: Array  # (p,)
    variance: Array  # (p,)
    centred: bool
    scaled: bool

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "mean": field_schemas.floats("p"),
        "variance": field_schemas.floats("p", least=0.0),
        "centred": field_schemas.truth,
        "scaled": field_schemas.truth,
    }

    def shift(self) -> Array:
        return self.mean if self.centred else np.zeros_like(self.mean)

    def scale(self) -> Array:
        flat = (self.variance == 0) | (not self.scaled)
        return np.asarray(np.where(flat, 1.0, np.sqrt(self.variance)))

    def derivation(self, schema: Schema) -> Derivation:
        """Mean and standard deviation of every column."""
        pairs = zip(self.names, self.mean.tolist(), np.sqrt(self.variance).tolist(), strict=True)
        told = value_formatter(schema, digits=4)
        rows = tuple((name, told(name, mean), format_number(sigma)) for name, mean, sigma in pairs)
        return Derivation(
            "Standard scores",
            (Formula("z = (x - μ) / σ", r"z = (x - \mu) / \sigma"),
             Grid("columns", ("column", "μ", "σ"), rows),
             Sentence("A column that is constant is divided by 1.")),
        )  # fmt: skip


@dataclass(frozen=True)
class MinMax(Scaling):
    """The ends of every column, and the range that they are taken to."""

    names: tuple[str, ...]
    least: Array  # (p,)
    greatest: Array  # (p,)
    low: float
    high: float
    clip: bool

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "least": field_schemas.floats("p"),
        "greatest": field_schemas.floats("p"),
        "low": field_schemas.number(),
        "high": field_schemas.number(),
        "clip": field_schemas.truth,
    }

    def __post_init__(self) -> None:
        if (self.least > self.greatest).any() or not self.low < self.high:
            raise ValueError("a range ends before it begins")

    def shift(self) -> Array:
        return self.least

    def scale(self) -> Array:
        width = self.greatest - self.least
        return np.asarray(np.where(width == 0, 1.0, width) / (self.high - self.low))

    def base(self) -> float:
        return self.low

    @property
    def _limits(self) -> bool:
        return self.clip

    def _expression(self, name: str, shift: float, scale: float) -> Number:
        found = super()._expression(name, shift, scale)
        return ClippedNumber(found, self.low, self.high) if self.clip else found

    def _clip(self, numbers: Array) -> Array:
        return np.clip(numbers, self.low, self.high) if self.clip else numbers

    @property
    def _rule(self) -> str:
        """How a number is scaled, as a formula."""
        unit = "z = (x - min) / (max - min)"
        if (self.low, self.high) == (0.0, 1.0):
            return unit
        width = "" if self.high - self.low == 1 else f" · ({difference(self.high, self.low)})"
        return signed_sum([f"{unit}{width}", *([number(self.low)] if self.low else [])])

    def derivation(self, schema: Schema) -> Derivation:
        """The ends of every column."""
        pairs = zip(self.names, self.least.tolist(), self.greatest.tolist(), strict=True)
        told = value_formatter(schema, digits=4)
        rows = tuple((name, told(name, low), told(name, high)) for name, low, high in pairs)
        return Derivation(
            "Min-max scaling",
            (formula(self._rule),
             Grid("columns", ("column", "min", "max"), rows),
             Sentence(f"The range becomes {self.low:g} to {self.high:g}; a column that is constant "
                      f"becomes {self.low:g}.")),
        )  # fmt: skip


def check_width(extent: Extent) -> None:
    """Refuse a column whose ends are farther apart than a double can say."""
    with np.errstate(over="ignore"):
        wide = ~np.isfinite(extent.greatest - extent.least).all(axis=0)
    if wide.any():
        name = extent.columns[int(wide.argmax())]
        raise InputError(
            f"column {name!r} has a range that overflows a double. Divide it by a constant."
        )
