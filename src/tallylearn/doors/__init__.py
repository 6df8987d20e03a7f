"""The doors through which learners meet their users."""

from tallylearn.doors.onepass import OnePass, merge
from tallylearn.doors.plain import Incremental, Plain
from tallylearn.doors.tasks import Classifier, Predictor, Regressor

__all__ = ["Classifier", "Incremental", "OnePass", "Plain", "Predictor", "Regressor", "merge"]
