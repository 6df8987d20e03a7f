"""Concept learning: version spaces and candidate elimination."""
