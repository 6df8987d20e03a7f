"""The doors through which learners meet their users."""

from tallylearn.doors.merging import merge
from tallylearn.doors.model import ClassificationModel, Model, RegressionModel, ScoringModel
from tallylearn.doors.onepass import OnePass
from tallylearn.doors.plain import Incremental, Plain
from tallylearn.doors.rounds import Rounds, State
from tallylearn.doors.tasks import Classifier, Predictor, Regressor

__all__ = ["ClassificationModel", "Classifier", "Incremental", "Model", "OnePass", "Plain",
           "Predictor", "RegressionModel", "Regressor", "Rounds", "ScoringModel", "State",
           "merge"]  # fmt: skip
