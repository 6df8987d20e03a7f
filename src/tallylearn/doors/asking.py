"""Asking: rows that come after learning, read as the learned ones were, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from tallylearn import engines
from tallylearn.doors.intake import rows
from tallylearn.doors.shell import Estimator
from tallylearn.errors import speaking
from tallylearn.sources import Declared
from tallylearn.sources.memory_table import check_size
from tallylearn.tables import Array, Block

Answer = TypeVar("Answer", Array, Block)


class Asked(Estimator):
    """Whatever is asked about rows once it has learned."""

    def _blocks(self, X: Any) -> Iterator[Block]:
        return self._rows(X).blocks()

    def _rows(self, X: Any) -> Declared:
        return rows(self._table(X), self.schema_, self._by_name, type(self).__name__)

    def _mapped(self, X: Any, call: Callable[[Block], Array]) -> Array:
        return np.concatenate(self._each(X, call))

    def _each(self, X: Any, call: Callable[[Block], Answer]) -> list[Answer]:
        """What a call makes of every block; some row there is."""
        self._check_fitted()
        with speaking(type(self).__name__):
            parts = list(engines.here().map(call, self._rows(X)))
            if not parts or not sum(map(len, parts)):
                check_size(0, self.n_features_in_)
        return parts
