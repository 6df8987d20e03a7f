"""Outside columns: a table and its target as estimators of other libraries take them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tallylearn.errors import KindError
from tallylearn.estimators.estimator import Estimator
from tallylearn.estimators.fit_input import FitInput
from tallylearn.models.baselines import DummyClassifier, DummyRegressor
from tallylearn.sources.memory.sparse_matrices import is_sparse
from tallylearn.tables import Array, Codes


def check_sparse(learner: Any, X: Any) -> None:
    """Only estimators of others read a sparse matrix, and learners that look at no column."""
    blind = isinstance(learner, DummyClassifier | DummyRegressor)
    if is_sparse(X) and isinstance(learner, Estimator) and not blind:
        raise KindError(
            f"{type(learner).__name__} takes no sparse matrix. Pass tl.table(X) to "
            "make it dense, or tl.table(X, text=terms) for word counts."
        )


def columns_of(X: Any, y: Any, read: FitInput | None) -> Any:
    """The table without target, weight and groups, as it came; only ours to read, as an array."""
    if is_sparse(X):
        return X
    told = () if read is None else read.source.declared.role_columns
    polars = type(X).__module__.startswith("polars")
    if hasattr(X, "iloc") or polars:
        beside = [*dict.fromkeys(name for name in (y, *told) if isinstance(name, str))]
        return X.drop(beside) if polars else X.drop(columns=beside)
    if isinstance(X, np.ndarray | list | tuple) and not isinstance(y, str) and not told:
        return X
    source = None if read is None else read.source
    held = source is not None and source.size is not None
    if source is not None and held and len(source.schema.numbers) == len(source.schema.columns):
        return source.whole().numbers
    what = str(X) if isinstance(X, str | Path) or not held else f"a {type(X).__name__}"
    raise KindError(
        f"{what} has columns that are not numbers, and only our learners read "
        "those. For an estimator of another library, pass a frame, such as the "
        "result of pandas.read_csv."
    )


def pickable(X: Any) -> tuple[Any, Any]:
    """A sparse matrix whose rows can be picked; and as many rows of nothing, for our reader."""
    return X.tocsr(), np.zeros((X.shape[0], 1))


def target_of(truth: Any) -> Array:
    if isinstance(truth, Codes):
        return np.array(truth.values)[truth.codes]
    return np.asarray(truth)


def take_rows(X: Any, rows: Array) -> Any:
    """Some rows of a frame, an array or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, list | tuple):
        return [X[i] for i in rows]
    return X[rows]
