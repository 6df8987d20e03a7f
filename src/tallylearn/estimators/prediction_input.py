"""Asking: rows that come after learning, read as the learned ones were, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from tallylearn import engines
from tallylearn.errors import speaking
from tallylearn.estimators.fit_input import rows
from tallylearn.estimators.sklearn_shell import Estimator
from tallylearn.sources import Declared
from tallylearn.sources.memory.table import check_size
from tallylearn.tables import Array, Block

Answer = TypeVar("Answer", Array, Block)


def _row_of_frame(X: Any, names: Sequence[str]) -> Any:
    """A row of a frame, a pandas Series labelled by the columns, as a dict; all else as it is."""
    if getattr(X, "ndim", 0) != 1 or not hasattr(X, "to_dict") or not hasattr(X, "index"):
        return X
    labels = {*X.index} if X.index.is_unique else set()  # numbers, of a column
    return X.to_dict() if labels & {*names} else X


class Asked(Estimator):
    """Whatever is asked about rows once it has learned."""

    def _blocks(self, X: Any) -> Iterator[Block]:
        return self._rows(X).blocks()

    def _rows(self, X: Any) -> Declared:
        X = _row_of_frame(X, self.schema_.names)
        return rows(self._table(X), self.schema_, self._by_name, type(self).__name__)

    def _mapped(self, X: Any, call: Callable[[Block], Array]) -> Array:
        return np.concatenate(self._each(X, call))

    def _each(self, X: Any, call: Callable[[Block], Answer]) -> list[Answer]:
        """What a call makes of every block; some row there is."""
        self._check_fitted()
        with speaking(type(self).__name__):
            parts = list(engines.current_engine().map(call, self._rows(X)))
            if not parts or not sum(map(len, parts)):
                check_size(0, self.n_features_in_)
        return parts
