"""Inference: standard errors, tests and summaries of generalised linear models."""
