"""Scalers: columns of numbers on one scale, so that no unit outweighs another."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, told
from tallylearn.estimators.finite_rows import check_finite
from tallylearn.preprocessing.scalings import MinMax, Standard, check_width
from tallylearn.preprocessing.stored_transforms import check_rows
from tallylearn.preprocessing.transformer import Undoable, rows_of
from tallylearn.tables import DATE, NUMBER, Array, Block, Schema, check_columns
from tallylearn.tallies import Bundle, Extent, Moments
from tallylearn.tallies.spread_check import check_spread


class Scaler(Undoable):
    """What both scalers have in common."""

    turns: ClassVar[tuple[str, ...]] = (NUMBER, DATE)
    copy: bool
    model_: Any

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """The table in its new columns; a copy, whatever ``copy`` says, as scikit-learn has it."""
        return super().transform(X)

    @property
    def n_samples_seen_(self) -> Any:
        """How many rows there were, by their weights."""
        rows = self._seen()["target"].weight
        return int(rows) if rows == int(rows) else float(rows)

    def _seen(self) -> Bundle:
        self._check_fitted()
        if self.tally_ is None:
            raise InputError(
                f"{type(self).__name__}: the model was saved without its tally, and does not know "
                "how many rows there were. Save it with its tally."
            )
        found: Bundle = self.tally_
        return found

    def _counted(self, tally: Bundle) -> set[str]:
        part = tally.get("numbers")
        return set() if part is None else {*map(str, part.columns)}

    def _placed(self, values: Array) -> Array:
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
    Other columns pass as they are; dates become numbers.

    Parameters
    ----------
    copy : for scikit-learn's sake; the table is never changed.
    with_mean, with_std : whether the mean is taken away, and the standard deviation divided by.
    ddof : 0, and the standard deviation is that of the rows (divided by n, as in scikit-learn);
        1, and it is that of the population they were drawn from (n - 1).

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

    def __init__(
        self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True, ddof: int = 0
    ) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std
        self.ddof = ddof

    def tally(self, block: Block) -> Bundle:
        """The moments of every column."""
        names = block.schema.numbers
        moments = Moments.of(block.numbers, block.keyed(), names, block.weight, block.start)
        return Bundle({"target": rows_of(block), "numbers": moments})

    def solve(self, tally: Bundle) -> Standard:
        """Means and variances."""
        moments = tally.get("numbers") or Moments.empty()
        variance, count = moments.variance.reshape(-1), moments.count.floats().reshape(-1)
        if self.ddof:
            variance = variance * np.where(count > 1, count / np.maximum(count - 1, 1e-300), 1.0)
        if not np.isfinite(variance).all():
            raise InputError("a variance is beyond a double. Rescale the column.")
        if self.with_std:
            check_spread(moments)
        flags = bool(self.with_mean), bool(self.with_std)
        return Standard(
            tuple(map(str, moments.columns)), moments.mean.reshape(-1), variance, *flags
        )

    def _check_options(self) -> None:
        self._check_truth("copy", "with_mean", "with_std")
        whole = isinstance(self.ddof, int | np.integer) and not isinstance(self.ddof, bool)
        if not whole or self.ddof not in (0, 1):
            raise OptionError(f"ddof is 0 (divide by n) or 1 (by n - 1), not {told(self.ddof)}.")

    @property
    def n_samples_seen_(self) -> Any:
        """How many rows there were, by their weights; (p,) by column, where some have gaps."""
        moments = self._seen().get("numbers") or Moments.empty()
        counts = np.nan_to_num(self._placed(moments.count.floats().reshape(-1)))
        if (counts == (rows := super().n_samples_seen_)).all():
            return rows
        return counts.astype(np.int64) if (counts == np.round(counts)).all() else counts

    @property
    def mean_(self) -> Array | None:
        """(p,) the means, in the table's order; None where nothing is taken away or divided by."""
        self._check_fitted()
        used = self.model_.centred or self.model_.scaled
        return self._placed(self.model_.mean) if used else None

    @property
    def var_(self) -> Array | None:
        """(p,) the variances, in the table's order; None where nothing is divided by them."""
        self._check_fitted()
        return self._placed(self.model_.variance) if self.model_.scaled else None

    @property
    def scale_(self) -> Array | None:
        """(p,) what is divided by, in the table's order; None where nothing is."""
        self._check_fitted()
        return self._placed(self.model_.scale()) if self.model_.scaled else None


class MinMaxScaler(Scaler):
    """Min-max scaling: every column of numbers runs from 0 to 1.

    Missing numbers stay missing. A constant column becomes the lower end. Other columns pass as
    they are; dates become numbers. The ends cannot forget: fit again.

    Parameters
    ----------
    feature_range : the ends that the columns get.
    copy : for scikit-learn's sake; the table is never changed.
    clip : whether later rows beyond the ends are taken to the ends.

    Examples
    --------
    >>> import tallylearn as tl
    >>> tl.MinMaxScaler().fit_transform([[1.0], [3.0], [2.0]]).ravel()
    array([0. , 1. , 0.5])
    """

    stored: ClassVar[tuple[type, ...]] = (MinMax,)

    def __init__(
        self, feature_range: Any = (0, 1), *, copy: bool = True, clip: bool = False
    ) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip

    def tally(self, block: Block) -> Bundle:
        """The ends of every column; an infinity would be one."""
        extent = Extent.of(block.numbers, block.keyed(), block.schema.numbers)
        if np.isinf(extent.least).any() or np.isinf(extent.greatest).any():
            check_finite(block)
        return Bundle({"target": rows_of(block), "numbers": extent})

    def solve(self, tally: Bundle) -> MinMax:
        """The ends, and the range they are taken to."""
        extent = tally.get("numbers") or Extent.empty()
        least, greatest = extent.least.reshape(-1), extent.greatest.reshape(-1)
        check_width(extent)
        low, high = map(float, self.feature_range)
        names = tuple(map(str, extent.columns))
        return MinMax(names, least, greatest, low, high, bool(self.clip))

    def _check_options(self) -> None:
        self._check_truth("copy", "clip")
        try:
            low, high = map(float, self.feature_range)
        except (TypeError, ValueError, OverflowError):
            low = high = np.nan
        if not low < high or not np.isfinite(high - low):
            raise OptionError(
                f"feature_range is a pair such as (0, 1), not {told(self.feature_range)}. Minimum "
                "of desired feature range must be smaller than maximum."
            )

    @property
    def data_min_(self) -> Array:
        """(p,) the least values, in the table's order."""
        self._check_fitted()
        return self._placed(self.model_.least)

    @property
    def data_max_(self) -> Array:
        """(p,) the greatest values, in the table's order."""
        self._check_fitted()
        return self._placed(self.model_.greatest)

    @property
    def data_range_(self) -> Array:
        """(p,) the widths, in the table's order."""
        return np.asarray(self.data_max_ - self.data_min_)

    @property
    def scale_(self) -> Array:
        """(p,) what is multiplied by, in the table's order."""
        self._check_fitted()
        return self._placed(1 / self.model_.scale())

    @property
    def min_(self) -> Array:
        """(p,) what is added after that, in the table's order."""
        return np.asarray(self.model_.low - self.data_min_ * self.scale_)
