"""Nearest centroids: every class is represented by its mean, or by exemplars."""
