"""Factors: what one column says about the class, P(x | c), from counts or moments."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from tallylearn.errors import ColumnError, OptionError
from tallylearn.estimators.finite_rows import check_finite as check_finite
from tallylearn.kernels import evidence_sums
from tallylearn.models.naive_bayes.class_priors import LONGEST
from tallylearn.models.naive_bayes.class_spreads import Smoothing, too_wide, varying
from tallylearn.models.naive_bayes.far_rows import relative_densities
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import (
    DATE,
    NUMBER,
    UNKNOWN,
    Array,
    Block,
    Codes,
    Schema,
    check_last_axes,
    field_schemas,
)
from tallylearn.tallies import Counts, Moments
from tallylearn.tallies.keys import Keys, union
from tallylearn.workings import Grid, Term
from tallylearn.workings.units import format_value, model_value_formatter

TILE = 64  # rows that are scored together
MIN_VARIANCE = np.finfo(np.float64).tiny  # a smaller variance has no inverse
SKIPPED = "never seen, no smoothing: skipped"


@dataclass(frozen=True)
class Categories:
    """One column of categories: P(x | c) = (count + extra) / (present + whole)."""

    name: str
    values: tuple[str, ...]
    count: Array  # (..., k, v)
    present: Array  # (..., k) rows of the class where the column is present
    extra: Array  # (v + 1,) added to each value's count; the last is for a value never seen
    whole: float  # the sum of what is added

    form: ClassVar[field_schemas.Form] = {
        "name": field_schemas.text(),
        "values": field_schemas.names("v"),
        "count": field_schemas.floats("k", "v", least=0.0),
        "present": field_schemas.floats("k", least=0.0),
        "extra": field_schemas.floats("v+1", least=0.0),
        "whole": field_schemas.number(0.0),
    }

    def check(self) -> None:
        """What a file says can be: counts that sum to what is present, and shares of something."""
        below = self.present + self.whole
        if not (np.isfinite(below) & (below > 0)).all():
            raise ValueError(f"column {self.name!r} has shares of nothing")
        whole = float(self.extra[:-1].sum())
        if not np.allclose(self.count.sum(axis=1), self.present) or not np.isclose(
            whole, self.whole
        ):
            raise ValueError(f"the counts of column {self.name!r} do not add up")

    def __post_init__(self) -> None:
        check_last_axes(self.name, self.count, *self.present.shape[-1:], len(self.values))
        check_last_axes(self.name, self.extra, len(self.values) + 1)

    @classmethod
    def of(
        cls, name: str, counts: Counts, classes: Keys, extra: dict[str, float] | float
    ) -> Categories:
        """From counts; ``extra`` is Laplace's alpha, or m * p for each value."""
        values = counts.keys[1]
        if isinstance(extra, dict):
            values = union(values, tuple(sorted(extra)))
            if odd := [value for value in values if value not in extra]:
                raise OptionError(
                    f"p has no probability for {odd[0]!r} in column {name!r}. Add it to "
                    f"p[{name!r}]."
                )
            added = np.array([*(extra[str(value)] for value in values), 0.0])
            whole = float(sum(extra.values()))
        else:
            # Beside an infinite strength the counts are nothing: the limit is 1 / |X|.
            added = np.full(len(values) + 1, 1.0 if extra == np.inf else extra)
            whole = float(added[0]) * len(values)
        count = counts.reindex(classes, values).floats() * (extra != np.inf)
        present = count.sum(axis=-1)
        pooled = count.sum(axis=-2, keepdims=True)  # for a class that never shows the column
        count = np.where(present[..., None] + whole > 0, count, pooled)
        return cls(
            name=name,
            values=tuple(map(str, values)),
            count=count,
            present=count.sum(axis=-1),
            extra=added,
            whole=whole,
        )

    @cached_property
    def _place(self) -> dict[str, int]:
        return {value: at for at, value in enumerate(self.values)}

    @cached_property
    def log(self) -> Array:
        """(..., k, v + 1); 0 for a value never seen where nothing is added: that is skipped."""
        unseen = np.zeros((*self.count.shape[:-1], 1))
        share = (np.concatenate([self.count, unseen], axis=-1) + self.extra) / (
            self.present[..., None] + self.whole
        )
        with np.errstate(divide="ignore"):
            log = np.log(share)
        if self.extra[-1] == 0:
            log[..., -1] = 0.0
        return log

    def add(self, codes: Codes, out: Array) -> None:
        """Add this column's evidence to out (n, k)."""
        evidence_sums.look_up(codes.recode(self.values), np.ascontiguousarray(self.log.T), out)

    def term(self, value: str | None, c: int) -> Term | None:
        """The factor of one value in one class; None where the value is missing."""
        if value is None:
            return None
        at = self._place.get(value, len(self.values))
        if at == len(self.values) and self.extra[-1] == 0:
            return Term(self.name, value, 0.0, note=SKIPPED)
        seen = self.count[c, at] if at < len(self.values) else 0.0
        above = fraction(seen) + fraction(self.extra[at])
        below = fraction(self.present[c]) + fraction(self.whole)
        return fraction_term(self.name, value, float(self.log[c, at]), above, below)

    def grid(self, classes: tuple[str, ...]) -> Grid:
        """The estimates as fractions of counts."""
        rows = tuple(
            (value, *(factor_text(self.term(value, c)) for c in range(len(classes))))
            for value in self.values
        )
        return Grid(f"P({self.name} | class)", ("value", *classes), rows)


@dataclass(frozen=True)
class Gaussians:
    """The columns of numbers: P(x | c) is the normal density with the class's mean and variance."""

    names: tuple[str, ...]
    mean: Array  # (..., k, p)
    variance: Array  # (..., k, p), smoothing included
    low: Array = field(default_factory=lambda: np.zeros(0))  # as mean: its digits beyond a double

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("p"),
        "mean": field_schemas.floats("k", "p"),
        "variance": field_schemas.floats("k", "p", least=float(MIN_VARIANCE)),
        "low": field_schemas.floats("k", "p"),
    }

    def __post_init__(self) -> None:
        if not self.low.size:  # a file from before they were kept
            object.__setattr__(self, "low", np.zeros(self.mean.shape))
        check_last_axes("the digits of the means", self.low, *self.mean.shape)
        check_last_axes("the means", self.mean, *self.variance.shape)
        check_last_axes("the variances", self.variance, len(self.names))

    @classmethod
    def of(
        cls, moments: Moments, classes: Keys, smoothing: Smoothing, alone: bool = False
    ) -> Gaussians | None:
        """From moments; a class that never shows a column takes those of all classes.

        A column that is the same in every row says nothing, and is passed over; None where all are,
        unless they are ``alone``.
        """
        moments = varying(moments.reindex(classes, moments.columns), alone)
        if not moments.columns:
            return None
        pooled = moments.pool()
        try:
            mean, variance, wide = moments.mean, moments.variance, pooled.variance
        except OverflowError:
            raise too_wide(moments) from None
        seen, centre = moments.count.nonzero(), pooled.mean
        low = moments.mean_low(mean, variance)
        if not seen.all():
            mean = np.where(seen, mean, centre)
            low = np.where(seen, low, pooled.mean_low(centre, wide))
        variance = smoothing(np.where(seen, variance, wide), wide)
        if not (variance >= MIN_VARIANCE).all():
            at = tuple(np.argwhere(~(variance >= MIN_VARIANCE))[0])
            if not wide.any():
                raise ColumnError(
                    f"column {moments.columns[at[-1]]!r} is the same in every row (variance 0, as "
                    "with n_samples = 1), and no other column varies, so there is nothing to "
                    "learn from. Add a column with several values."
                )
            raise ColumnError(
                f"column {moments.columns[at[-1]]!r} is constant in class {classes[at[-2]]!r} "
                "(variance 0, as with n_samples = 1): a normal density needs a variance above "
                "0. Raise var_smoothing, or drop the column."
            )
        return cls(tuple(map(str, moments.columns)), mean, variance, low)

    def add(self, block: Block, prior: Array, out: Array) -> None:
        """Add these columns' evidence to out (n, k), which holds the prior."""
        check_finite(block)
        mean, low, scale, normal = self._block_parameters(block.schema)
        out += normal.sum(axis=1)
        work = np.empty((mean.shape[1] + 1, TILE))
        evidence_sums.gaussian(block.numbers, mean, low, scale, work, out)
        if len(rows := np.flatnonzero(np.isnan(out[:, 0]))):
            some = np.tile(prior, (len(rows), 1))
            evidence_sums.gaussian_present(block.numbers, mean, low, scale, normal, rows, some)
            out[rows] = some

    def add_relative(self, block: Block, out: Array) -> None:
        """Add the same to out (n, k) up to a number of each row, which no share depends on.

        For rows so far away that the difference between the classes is lost in rounding.
        """
        mean, low, scale, normal = self._block_parameters(block.schema)
        shown = ~np.isnan(block.numbers)
        out += shown @ normal.T
        out += relative_densities(block, mean, low, scale)

    def _block_parameters(self, schema: Schema) -> tuple[Array, Array, Array, Array]:
        """Mean, its low digits, 1 / deviation and log density at the mean, in a block's order."""
        at = [schema.numbers.index(name) for name in self.names]
        shape = (len(self.mean), len(schema.numbers))
        mean, low, scale, normal = (np.zeros(shape) for _ in range(4))
        mean[:, at], low[:, at] = self.mean, self.low
        scale[:, at] = 1 / np.sqrt(self.variance)
        normal[:, at] = -0.5 * (np.log(2 * np.pi) + np.log(self.variance))
        return mean, low, scale, normal

    def grid(self, classes: tuple[str, ...], schema: Schema) -> Grid:
        """The centres and spreads."""
        spread, told = np.sqrt(self.variance), model_value_formatter(schema)
        order = sorted(range(len(self.names)), key=lambda j: schema.names.index(self.names[j]))
        rows = tuple(
            (
                self.names[j],
                *(
                    f"{told(self.names[j], float(self.mean[c, j]))} ± {spread[c, j]:.6g}"
                    for c in range(len(classes))
                ),
            )
            for j in order
        )
        return Grid("mean ± standard deviation", ("column", *classes), rows)

    def term(self, j: int, x: float, c: int, schema: Schema) -> Term | None:
        """The density of one number in one class; None where it is missing."""
        if np.isnan(x):
            return None
        mean, variance = float(self.mean[c, j]), float(self.variance[c, j])
        away = ((x - mean) - float(self.low[c, j])) / variance**0.5
        log = -0.5 * (np.log(2 * np.pi) + np.log(variance) + away * away)
        name, told = self.names[j], model_value_formatter(schema, digits=4)
        text = f"N({told(name, x)}; {told(name, mean)}, {format_value(variance**0.5, digits=4)}²)"
        return Term(name, model_value_formatter(schema)(name, x), float(log), text=text)


def fraction_term(column: str, value: str, log: float, above: Fraction, below: Fraction) -> Term:
    """A factor that is a fraction of counts."""
    if 1000 % above.denominator or 1000 % below.denominator:  # thirds: 7/30, not 2.333/10
        share = above / below
        above, below = Fraction(share.numerator), Fraction(share.denominator)
    if below > LONGEST:
        return Term(column, value, log)
    return Term(column, value, log, above, below)


def factor_text(term: Term | None) -> str:
    """A factor as it stands in a table."""
    if term is None or term.above is None or term.below is None:
        return ""
    if term.above.denominator == term.below.denominator == 1:
        return f"{term.above}/{term.below}"
    return f"{format_number(float(term.above))}/{format_number(float(term.below))}"


def fraction(number: float) -> Fraction:
    """As it is written: 0.1 is one tenth; a third stays a third; a tiny number is itself."""
    near = Fraction(str(float(number))).limit_denominator(10**9)
    return near if number == 0 or abs(near / Fraction(number) - 1) < 1e-9 else Fraction(number)


def in_table_order(values: Array, names: tuple[str, ...], schema: Schema, k: int = 0) -> Array:
    """(k, p) numbers of the columns ``names``, in the table's order; NaN where there are none."""
    out = np.full((len(values) or k, len(schema.names)), np.nan)
    for j, name in enumerate(names):
        out[:, schema.names.index(name)] = values[:, j]
    kinds = [column.kind in (NUMBER, DATE, UNKNOWN) for column in schema.columns]
    return out[:, kinds]
