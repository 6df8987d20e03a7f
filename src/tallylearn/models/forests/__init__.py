"""Forests: many trees, each grown from rows and columns that chance chose, and their vote."""
