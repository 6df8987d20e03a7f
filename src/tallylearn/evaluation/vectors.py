"""Vector targets: the mean vector, the baseline of learners that answer with several numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tallylearn.tables import Array


class MeanVector:
    """The mean of the targets, for every row."""

    _estimator_type = "regressor"

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> Self:
        self.mean = np.average(y, axis=0, weights=sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        return np.tile(self.mean, (n, 1))
