"""Generalised linear models: linear, logistic, perceptron, least mean squares."""
