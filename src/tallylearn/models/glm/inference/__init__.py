"""Inference for generalised linear models: standard errors, tests, diagnostics, intervals."""
