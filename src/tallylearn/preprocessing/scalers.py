"""Scalers: columns of numbers on one scale, so that no unit outweighs another."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.estimators.options import Allowed, fitted, option
from tallylearn.preprocessing.preprocessing_working import mean_steps, range_steps, with_steps
from tallylearn.preprocessing.scalings import MinMax, Standard, check_width
from tallylearn.preprocessing.stored_transforms import check_rows
from tallylearn.preprocessing.transformer import Preprocessor, rows_of
from tallylearn.tables import DATE, NUMBER, Array, Block, Schema, check_columns
from tallylearn.tallies import Bundle, Extent, Moments
from tallylearn.tallies.variance_checks import check_spread
from tallylearn.workings import Derivation


class Scaler(Preprocessor):
    """Base of the scalers."""

    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE)
    reversible: ClassVar[bool] = True
    model_: Any = fitted()

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Scale every row; the result is always a copy, as in scikit-learn."""
        return super().transform(X)

    @property
    def n_samples_seen_(self) -> Any:
        """The number of training rows, by their weights."""
        rows = self._stored_tally()["target"].weight
        return int(rows) if rows == int(rows) else float(rows)

    def _stored_tally(self) -> Bundle:
        self._check_fitted()
        if self.tally_ is None:
            raise InputError(
                f"{type(self).__name__}.n_samples_seen_: the model was saved without its tally, "
                "so the number of rows is not known. Save it with tally=True."
            )
        found: Bundle = self.tally_
        return found

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        part = tally.get("numbers")
        return set() if part is None else {*map(str, part.columns)}

    def _in_table_order(self, values: Array) -> Array:
        """Numbers of the columns in the table's order; NaN where a column has no numbers."""
        out = np.full(len(self.schema_.names), np.nan)
        for name, value in zip(self.model_.names, values, strict=True):
            out[self.schema_.names.index(name)] = value
        return out

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"numbers": Moments | Extent})
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("sums", tally["numbers"].columns, {*schema.numbers})


class StandardScaler(Scaler):
    """Standard scores: every column of numbers has mean 0 and standard deviation 1.

    Missing numbers are left out of the sums, and stay missing. A constant column is divided by 1.
    Other columns are not changed; dates become numbers.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.StandardScaler().fit_transform([[1.0], [3.0]])
    array([[-1.],
           [ 1.]])
    >>> tl.StandardScaler(ddof=1).fit_transform([[1.0], [2.0], [3.0]]).ravel()
    array([-1.,  0.,  1.])
    """

    stored: ClassVar[tuple[type, ...]] = (Standard,)

    copy: bool = option(
        default=True, doc="For compatibility with scikit-learn: no table is ever changed."
    )
    with_mean: bool = option(default=True, doc="Whether to subtract the mean.")
    with_std: bool = option(default=True, doc="Whether to divide by the standard deviation.")
    ddof: int = option(
        default=0,
        low=0,
        high=1,
        doc="The standard deviation divides by n - ddof: 0 as in scikit-learn, 1 estimates that of "
        "the population.",
    )

    def tally(self, block: Block) -> Bundle:
        """The moments of every column."""
        names = block.schema.numbers
        moments = Moments.of(block.numbers, block.counting_keys(), names, block.weight, block.start)
        return Bundle({"target": rows_of(block), "numbers": moments})

    def solve(self, tally: Bundle) -> Standard:
        """Means and variances."""
        moments = tally.get("numbers") or Moments.empty()
        variance, count = moments.variance.reshape(-1), moments.count.floats().reshape(-1)
        if self.ddof:
            variance = variance * np.where(count > 1, count / np.maximum(count - 1, 1e-300), 1.0)
        if not np.isfinite(variance).all():
            raise InputError(
                "the variance of a column overflows a double. Divide the column by a constant."
            )
        if self.with_std:
            check_spread(moments)
        flags = bool(self.with_mean), bool(self.with_std)
        return Standard(
            tuple(map(str, moments.columns)), moments.mean.reshape(-1), variance, *flags
        )

    def _working(self, full: bool) -> Derivation:
        """With the sums behind the means and deviations, where the tally has them."""
        work = super()._working(full)
        moments = None if self.tally_ is None else self.tally_.get("numbers")
        if moments is None:
            return work
        return with_steps(work, mean_steps(moments, self.schema_, int(self.ddof), full))

    @property
    def n_samples_seen_(self) -> Any:
        """The number of training rows, by their weights; (p,) by column if values are missing."""
        moments = self._stored_tally().get("numbers") or Moments.empty()
        counts = np.nan_to_num(self._in_table_order(moments.count.floats().reshape(-1)))
        if (counts == (rows := super().n_samples_seen_)).all():
            return rows
        return counts.astype(np.int64) if (counts == np.round(counts)).all() else counts

    @property
    def mean_(self) -> Array | None:
        """(p,) the means, in the table's order; None if neither mean nor scale is used."""
        self._check_fitted()
        used = self.model_.centred or self.model_.scaled
        return self._in_table_order(self.model_.mean) if used else None

    @property
    def var_(self) -> Array | None:
        """(p,) the variances, in the table's order; None without scaling."""
        self._check_fitted()
        return self._in_table_order(self.model_.variance) if self.model_.scaled else None

    @property
    def scale_(self) -> Array | None:
        """(p,) the divisors, in the table's order; None without scaling."""
        self._check_fitted()
        return self._in_table_order(self.model_.scale()) if self.model_.scaled else None


def _is_range(given: Any) -> bool:
    try:
        low, high = map(float, given)
    except (TypeError, ValueError, OverflowError):
        return False
    return low < high and bool(np.isfinite(high - low))


RANGE = Allowed(
    ("a pair of numbers such as (0, 1), the minimum smaller than the maximum",), _is_range
)


class MinMaxScaler(Scaler):
    """Min-max scaling: every column of numbers runs from 0 to 1.

    Missing numbers stay missing. A constant column becomes the lower bound. Other columns are not
    changed; dates become numbers. ``forget`` is refused, because a minimum cannot be subtracted:
    fit again.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.MinMaxScaler().fit_transform([[1.0], [3.0], [2.0]]).ravel()
    array([0. , 1. , 0.5])
    """

    stored: ClassVar[tuple[type, ...]] = (MinMax,)

    feature_range: Any = option(
        default=(0, 1),
        kw_only=False,
        takes=RANGE,
        doc="Lower and upper end of the scaled columns.",
    )
    copy: bool = option(
        default=True, doc="For compatibility with scikit-learn: no table is ever changed."
    )
    clip: bool = option(default=False, doc="Whether to clip later rows to the range.")

    def tally(self, block: Block) -> Bundle:
        """The minimum and maximum of every column; infinite values are an error."""
        extent = Extent.of(block.numbers, block.counting_keys(), block.schema.numbers)
        if np.isinf(extent.least).any() or np.isinf(extent.greatest).any():
            check_finite(block)
        return Bundle({"target": rows_of(block), "numbers": extent})

    def solve(self, tally: Bundle) -> MinMax:
        """The minimum and maximum of each column, and the target range."""
        extent = tally.get("numbers") or Extent.empty()
        least, greatest = extent.least.reshape(-1), extent.greatest.reshape(-1)
        check_width(extent)
        low, high = map(float, self.feature_range)
        names = tuple(map(str, extent.columns))
        return MinMax(
            names=names, least=least, greatest=greatest, low=low, high=high, clip=bool(self.clip)
        )

    def _working(self, full: bool) -> Derivation:
        """With the range of every column."""
        model = self.model_
        pairs = zip(model.least.tolist(), model.greatest.tolist(), strict=True)
        ends = dict(zip(model.names, pairs, strict=True))
        return with_steps(super()._working(full), range_steps(ends, self.schema_, full))

    @property
    def data_min_(self) -> Array:
        """(p,) the minima, in the table's order."""
        self._check_fitted()
        return self._in_table_order(self.model_.least)

    @property
    def data_max_(self) -> Array:
        """(p,) the maxima, in the table's order."""
        self._check_fitted()
        return self._in_table_order(self.model_.greatest)

    @property
    def data_range_(self) -> Array:
        """(p,) the ranges, in the table's order."""
        return np.asarray(self.data_max_ - self.data_min_)

    @property
    def scale_(self) -> Array:
        """(p,) the factors, in the table's order."""
        self._check_fitted()
        return self._in_table_order(1 / self.model_.scale())

    @property
    def min_(self) -> Array:
        """(p,) the offsets that are added after scaling, in the table's order."""
        return np.asarray(self.model_.low - self.data_min_ * self.scale_)
