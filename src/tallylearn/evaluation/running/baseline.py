"""Baselines: the answer without looking at the row, which a learner has to beat."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tallylearn.evaluation.running.dataset import Dataset
from tallylearn.models.baselines import DummyClassifier, DummyRegressor
from tallylearn.tables import Array

BASELINES = {"classifier": "majority", "regressor": "mean"}  # what the baseline predicts


class MeanVector:
    """The mean of targets that are vectors, for every row."""

    _estimator_type = "regressor"

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> Self:
        self.mean = np.average(y, axis=0, weights=sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        return np.tile(self.mean, (n, 1))


def baseline(dataset: Dataset) -> Any:
    """The answer without looking at the row."""
    if dataset.task == "classifier":
        return DummyClassifier()
    return MeanVector() if dataset.read is None else DummyRegressor()
