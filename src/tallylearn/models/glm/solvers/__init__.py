"""Solvers: each function owns its loop and minimises an objective over the rows of a table."""
