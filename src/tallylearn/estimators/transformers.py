"""Base class of estimators with ``transform``, and the containers that it returns."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np

from tallylearn.errors import ColumnError, OptionError, quoted_list
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.output_containers import library
from tallylearn.sources.memory.arrays import array_of
from tallylearn.tables import Array, Block

CONTAINERS = ("default", "pandas", "polars")


class Transformer(Estimator):
    """An estimator with ``transform``: rows become other numbers."""

    def transform(self, X: Any) -> Any:
        """Transform every row.

        Parameters
        ----------
        X : table
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray, pandas.DataFrame or polars.DataFrame
            The new columns, in the container that ``set_output`` sets.
        """
        return self._to_container(self._map_rows(X, self._transform_array, "transform"), X)

    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fit to a table and transform it: ``fit(X, y).transform(X)``.

        Parameters
        ----------
        X : table
            The training rows.
        y : array-like or str, optional
            The target, for transformers that use one.
        **options : Any
            Other arguments of ``fit``, such as ``sample_weight``.

        Returns
        -------
        ndarray or data frame
            The new columns, as ``transform`` returns them.
        """
        fit = getattr(self, "fit")  # noqa: B009  the base class beside it has it
        return fit(X, y, **options).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that ``transform`` makes.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns. Must equal ``feature_names_in_`` if that exists.

        Returns
        -------
        ndarray of str objects
            One name per new column.
        """
        self._check_fitted()
        known = getattr(self, "feature_names_in_", None)
        if input_features is not None and known is not None:
            if not np.array_equal(array_of(input_features).astype(object), known):
                raise ColumnError(
                    f"{type(self).__name__}.get_feature_names_out: the fitted columns are "
                    f"{quoted_list(known)}. "
                    "input_features is not equal to feature_names_in_."
                )
        elif input_features is not None and len(input_features) != self.n_features_in_:
            raise ColumnError(
                f"{type(self).__name__}.get_feature_names_out: {self.n_features_in_} columns were "
                "fitted. "
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(input_features)}."
            )
        return np.array(self._names_out(input_features), dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose the container that ``transform`` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            The container; "default" is a NumPy array. None changes nothing.

        Returns
        -------
        Self
            The estimator.
        """
        if transform is None:
            return self
        if transform not in CONTAINERS:
            raise OptionError(
                f"{type(self).__name__}.set_output: transform is {transform!r}. Pass one of "
                f"{quoted_list(CONTAINERS)}."
            )
        self._sklearn_output_config = {"transform": transform}  # the name that its clone copies
        return self

    def _transform_array(self, block: Block) -> Array:
        raise NotImplementedError

    def _n_columns_out(self) -> int:
        raise NotImplementedError

    def _names_out(self, given: Any) -> list[str]:
        name = type(self).__name__.lower()
        return [f"{name}{at}" for at in range(self._n_columns_out())]

    def _add_tags(self, tags: Any) -> None:
        from sklearn.utils import TransformerTags

        tags.transformer_tags = TransformerTags()

    def _output_container(self) -> str | None:
        """The container set by `set_output` or scikit-learn's configuration; None: neither."""
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None and "sklearn" in sys.modules:
            default = sys.modules["sklearn"].get_config()["transform_output"]
            wanted = None if default == "default" else default
        return wanted

    def _to_container(self, array: Array, X: Any) -> Any:
        wanted = self._output_container()
        if wanted == "pandas":
            pd = library(wanted)
            index = X.index if isinstance(X, pd.DataFrame) else None
            return pd.DataFrame(array, columns=self.get_feature_names_out(), index=index)
        if wanted == "polars":
            names = self.get_feature_names_out()
            return library(wanted).DataFrame(array, schema=list(names), orient="row")
        return array
