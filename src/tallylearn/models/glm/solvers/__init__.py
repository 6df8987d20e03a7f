"""Solvers of generalised linear models, one algorithm a file; each owns its loop."""
