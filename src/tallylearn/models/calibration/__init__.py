"""Calibrated probabilities and tuned decision thresholds, by predictions of rows held out."""
