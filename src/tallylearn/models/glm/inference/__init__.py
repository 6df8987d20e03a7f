"""Inference for linear models: standard errors, tests, diagnostics, intervals."""
