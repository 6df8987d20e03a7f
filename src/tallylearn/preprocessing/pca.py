"""Principal component analysis: a few columns that hold most of what many differ in."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import ColumnError, InputError, quoted_list
from tallylearn.estimators.options import NONE, SEED, either, fitted, number, one_of, option, whole
from tallylearn.preprocessing.components import NOTHING, Components, Scree
from tallylearn.preprocessing.minka_dimension import estimate_dimension
from tallylearn.preprocessing.stored_transforms import check_rows
from tallylearn.preprocessing.transformer import Preprocessor, rows_of
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import DATE, NUMBER, Array, Block, Schema, check_columns
from tallylearn.tallies import Bundle, Products, Scatter
from tallylearn.workings import Derivation, Explanation

SOLVERS = ("auto", "full", "covariance_eigh", "arpack", "randomized")  # scikit-learn's, all alike
UNUSED = "For compatibility with scikit-learn: the eigenvectors are exact, and nothing is drawn."
MIN_SQUARABLE = 1e-140  # squares of smaller numbers lose digits, and from 1e-162 on they are 0
APART = 1e-6  # of an axis: less is left by rounding of one that others hold


class PCA(Preprocessor):
    """Principal component analysis of numbers and dates, in one pass over the rows.

    The components are the eigenvectors of the scatter matrix. The entry of a component with
    the largest absolute value is positive, as in scikit-learn. Missing values are replaced by the
    mean. Other columns are not changed.

    References
    ----------
    K. Pearson, On lines and planes of closest fit to systems of points in space, 1901.
    T. Minka, Automatic choice of dimensionality for PCA, NIPS 2000.

    Examples
    --------
    >>> import tallylearn as tl
    >>> model = tl.PCA(1).fit([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9]])
    >>> model.explained_variance_ratio_.round(4)
    array([0.9997])
    >>> model.transform([[2.0, 4.0]])
    array([[0.]])
    """

    transformed_kinds: ClassVar[tuple[str, ...]] = (NUMBER, DATE)
    fills: ClassVar[bool] = True
    reversible: ClassVar[bool] = True
    stored: ClassVar[tuple[type, ...]] = (Components,)
    shaping: ClassVar[tuple[str, ...]] = ("exact",)
    model_: Components = fitted()

    n_components: Any = option(
        default=None,
        kw_only=False,
        takes=either(whole(0), number(0, 1, open_low=True, open_high=True), one_of("mle"), NONE),
        doc="Number of components; None is min(rows, columns). A share between 0 and 1 is as many "
        'as explain more than it of the variance, "mle" the number by Minka\'s estimate.',
    )
    copy: bool = option(default=True, doc=UNUSED)
    whiten: bool = option(
        default=False, doc="Whether to divide every component by its standard deviation."
    )
    svd_solver: str = option(default="auto", choices=SOLVERS, doc=UNUSED)
    tol: float = option(default=0.0, low=0.0, doc=UNUSED)
    iterated_power: Any = option(default="auto", takes=either(whole(0), one_of("auto")), doc=UNUSED)
    n_oversamples: int = option(default=10, low=1, doc=UNUSED)
    power_iteration_normalizer: str = option(
        default="auto", choices=("auto", "QR", "LU", "none"), doc=UNUSED
    )
    random_state: int | None = option(default=None, takes=SEED, doc=UNUSED)
    exact: bool = option(
        default=False,
        doc="Sums without rounding: the same bits in any order of the rows, and rows can be "
        "forgotten.",
    )

    def tally(self, block: Block) -> Bundle:
        """The scatter of the columns."""
        names = tuple((name, "") for name in block.schema.numbers)
        kind = Products if self.exact else Scatter
        part: Any = kind.of(block.numbers, block.counting_keys(), names, block.weight, block.start)
        return Bundle({"target": rows_of(block), "numbers": part})

    def solve(self, tally: Bundle) -> Components:
        """The eigenvectors of the scatter, by their eigenvalues."""
        names, mean, low, scatter = _filled_scatter(tally)
        rows = float(tally["target"].weight)
        if rows < 2:
            raise InputError(
                "principal components need at least two rows, and the table has one "
                "(n_samples=1). Add rows."
            )
        with one_thread():
            values, vectors = np.linalg.eigh(scatter)
        most = min(int(np.ceil(rows)), len(names))
        variance = np.maximum(values[::-1][:most], 0.0) / (rows - 1)
        vectors_out = _complete_basis(vectors.T[::-1], values[::-1])[:most]
        largest = np.abs(vectors_out).argmax(axis=1)
        vectors_out = vectors_out * np.sign(vectors_out[np.arange(most), largest])[:, None]
        k = self._component_count(variance, rows, len(names))
        return Components(
            names=names,
            mean=mean,
            vectors=np.ascontiguousarray(vectors_out[:k]),
            variance=variance,
            rows=rows,
            white=bool(self.whiten),
            low=low,
        )

    def _component_count(self, variance: Array, rows: float, p: int) -> int:
        """How many components are kept."""
        wanted, most = self.n_components, len(variance)
        if wanted is None:
            return most
        if isinstance(wanted, str):
            return estimate_dimension(variance, rows, p)
        if isinstance(wanted, int | np.integer):
            if wanted > most:
                raise InputError(
                    f"n_components={wanted} must be between 0 and min(n_samples, n_features)="
                    f"{most}: there are {rows:g} rows and {p} columns of numbers."
                )
            return int(wanted)
        share = np.cumsum(variance) / (float(variance.sum()) or 1.0)
        return min(int(np.searchsorted(share, float(wanted), side="right")) + 1, most)

    def explain(self, X: Any) -> Explanation:
        """Show what every column adds to the components of a row."""
        with self._error_context("explain"):
            self._check_fitted()
            found = [self.model_.evidence(block) for block in self._read_blocks(X)]
        return Explanation(tuple(row for part in found for row in part))

    def _working(self, full: bool) -> Derivation:
        """With the covariances, where the tally is there to give them."""
        if self.tally_ is None:
            return super()._working(full)
        names, _, _, scatter = _filled_scatter(self.tally_)
        at = [names.index(name) for name in self.model_.names]
        return self.model_.derivation(self.schema_, scatter[np.ix_(at, at)], full)

    def scree(self) -> Scree:
        """The variance of the rows along every principal component.

        Returns
        -------
        Scree
            Variances of all components, those that are not kept included.
        """
        self._check_fitted()
        return Scree(self.model_.variance, len(self.model_.vectors))

    @property
    def components_(self) -> Array:
        """(k, p) the principal components as unit vectors, columns in the table's order."""
        self._check_fitted()
        at = [self.model_.names.index(name) for name in self.schema_.numbers]
        return np.asarray(self.model_.vectors[:, at])

    @property
    def mean_(self) -> Array:
        """(p,) the column means, in the table's order."""
        self._check_fitted()
        return self.model_.mean[[self.model_.names.index(name) for name in self.schema_.numbers]]

    @property
    def n_components_(self) -> int:
        """The number of components that are kept."""
        self._check_fitted()
        return len(self.model_.vectors)

    @property
    def explained_variance_(self) -> Array:
        """(k,) the variance along every component, divided by n − 1."""
        return self.model_.variance[: self.n_components_]

    @property
    def explained_variance_ratio_(self) -> Array:
        """(k,) each component's share of the total variance."""
        return self.model_.share[: self.n_components_]

    @property
    def singular_values_(self) -> Array:
        """(k,) the lengths of the components over all rows."""
        return np.sqrt(self.explained_variance_ * (self.model_.rows - 1))

    @property
    def noise_variance_(self) -> float:
        """The mean variance along the components that are not kept."""
        left = self.model_.variance[self.n_components_ :]
        return float(left.mean()) if len(left) else 0.0

    def _names_out(self, given: Any) -> list[str]:
        return [column.name for column in self.model_.schema(self.schema_).columns]

    def _list_counted_columns(self, tally: Bundle) -> set[str]:
        part = tally.get("numbers")
        return set() if part is None else {*map(str, part.columns)}

    def _check_tally(self, tally: Bundle, schema: Schema) -> None:
        check_rows(tally, {"numbers": Scatter | Products})
        if "numbers" in tally:
            tally["numbers"].check()
            check_columns("sums", tally["numbers"].columns, {*schema.numbers})


def _filled_scatter(tally: Bundle) -> tuple[tuple[str, ...], Array, Array, Array]:
    """Names, means (p,), their digits beyond, scatter (p, p); gaps are filled by the mean.

    A pair is summed over the rows that show both: to its products around their means come those of
    these means around the column's.
    """
    part = tally.get("numbers")
    if part is None or not part.columns:
        raise ColumnError(
            "the table has no column of numbers. Encode categories first, with tl.OneHotEncoder()."
        )
    names = tuple(map(str, part.columns))
    try:
        near: Scatter = part.to_scatter() if isinstance(part, Products) else part
    except OverflowError:
        raise _too_large(names) from None
    if not np.isfinite(near.scatter).all():
        raise _too_large(names)
    shape = near.scatter.shape[1:]
    parts = (near.count, near.mean, near.low)
    count, pair, rest = (np.broadcast_to(part[0], shape) for part in parts)
    mean, low = np.diagonal(pair).copy(), np.diagonal(rest).copy()
    away = np.where(count > 0, (pair - mean[:, None]) + (rest - low[:, None]), 0.0)
    scatter = np.asarray(near.scatter[0] + count * away * away.T)
    _check_size(names, mean, np.diagonal(scatter))
    return names, mean, low, scatter


def _check_size(names: tuple[str, ...], mean: Array, squares: Array) -> None:
    """Refuse columns whose squares are nothing to a double: they would look constant."""
    small = (np.abs(mean) > 0) & (np.abs(mean) < MIN_SQUARABLE) & (squares < MIN_SQUARABLE**2)
    if tiny := [name for name, here in zip(names, small, strict=True) if here]:
        raise ColumnError(
            f"numbers in {quoted_list(tiny)} are so small that their squares underflow a double. "
            "Multiply them by a constant."
        )


def _too_large(names: tuple[str, ...]) -> ColumnError:
    return ColumnError(
        f"numbers in {quoted_list(names)} are so large that their products overflow a double. "
        "Divide them by a constant."
    )


def _complete_basis(vectors: Array, values: Array) -> Array:
    """Unit vectors (p, p); those along which nothing varies are made from the axes, in order.

    Any would do, so that rounding alone would choose them.
    """
    p = len(values)
    found = vectors[values > p * NOTHING * max(float(values[0]), 0.0)]
    for axis in np.eye(p):
        if len(found) == p:
            break
        left = axis - (found @ axis) @ found
        left = left - (found @ left) @ found  # again: what rounding left of the others
        if (size := float(np.sqrt(left @ left))) > APART:
            found = np.vstack([found, left / size])
    return found
