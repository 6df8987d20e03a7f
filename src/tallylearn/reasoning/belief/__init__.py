"""Hypotheses: what is believed before the evidence, and after it."""
