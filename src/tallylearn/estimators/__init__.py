"""Base classes of estimators: what fit, predict, merge and forget do for every learner."""

from tallylearn.estimators.merging import merge
from tallylearn.estimators.model import ClassificationModel, Model, RegressionModel, ScoringModel
from tallylearn.estimators.passes import Learned, Notes, Passes
from tallylearn.estimators.predictors import Classifier, Predictor, Regressor

__all__ = [
    "ClassificationModel", "Classifier", "Learned", "Model", "Notes", "Passes", "Predictor",
    "RegressionModel", "Regressor", "ScoringModel", "merge",
]  # fmt: skip
