"""Gaussian classes: linear and quadratic discriminant analysis."""
