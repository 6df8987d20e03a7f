"""The doors through which learners meet their users."""

from tallylearn.doors.onepass import OnePass, merge
from tallylearn.doors.tasks import Classifier, Predictor, Regressor

__all__ = ["Classifier", "OnePass", "Predictor", "Regressor", "merge"]
