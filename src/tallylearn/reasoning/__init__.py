"""Reasoning: probability spaces, hypotheses, version spaces."""
