"""Gradient boosting: trees that each correct the sum of those before it."""
