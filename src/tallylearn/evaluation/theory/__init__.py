"""Populations whose probabilities are known: true error, bias and variance."""
