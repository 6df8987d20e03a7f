"""Choosing a model for a table: candidates on the same folds, and an honest score of the choice."""
