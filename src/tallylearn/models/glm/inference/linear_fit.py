"""What inference reads of a fitted linear model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tallylearn.models.design.matrix import Design
from tallylearn.tables import Array, Block


class FittedColumns(Protocol):
    """Location and scale of the columns of a least-squares problem, solved or not."""

    @property
    def design(self) -> Design: ...
    @property
    def mean(self) -> Array: ...  # (p,)
    @property
    def scale(self) -> Array: ...  # (p,)
    @property
    def rows(self) -> float: ...
    @property
    def whole(self) -> Array: ...  # (t,) total sums of squares


class LinearFit(FittedColumns, Protocol):
    """Coefficients of least squares and the triangle R of the columns that they were solved from.

    p columns, t targets, and a basis of r linearly independent columns; RᵀR is the matrix of the
    products of the centred columns, each divided by its scale.
    """

    @property
    def coef(self) -> Array: ...  # (t, p)
    @property
    def intercept(self) -> Array: ...  # (t,)
    @property
    def answer(self) -> Array: ...  # (t,) means of the targets
    @property
    def level(self) -> Array: ...  # (2, t) predictions at the means, as two doubles
    @property
    def low(self) -> Array: ...  # (p,) digits of the means beyond a double
    @property
    def root(self) -> Array: ...  # (p, p) R
    @property
    def basis(self) -> Array: ...  # (r,)
    @property
    def dependent(self) -> tuple[str, ...]: ...
    @property
    def centred(self) -> bool: ...
    @property
    def exact(self) -> bool: ...
    @property
    def method(self) -> str: ...
    @property
    def rest(self) -> Array: ...  # (t,) residual sums of squares
    @property
    def penalty(self) -> Array: ...  # (t,)
    @property
    def alpha(self) -> float: ...
    @property
    def certain(self) -> float: ...  # reciprocal condition number
    @property
    def log_weights(self) -> float: ...
    @property
    def n_estimated(self) -> int: ...
    @property
    def cancellation_warnings(self) -> Sequence[str]: ...
    @property
    def convergence_warnings(self) -> Sequence[str]: ...
    @property
    def r_squared(self) -> Sequence[float | None]: ...
    def predictions(self, block: Block) -> Array: ...
    def centred_rows(self, block: Block) -> Array: ...
    def residuals(self, block: Block, target: Array, t: int = 0) -> Array: ...
    def free_root(self) -> Array: ...
    def spread(self, block: Block) -> Array: ...
    @property
    def is_least_squares(self) -> bool: ...
