"""Learners trained on some rows and asked about the others."""
