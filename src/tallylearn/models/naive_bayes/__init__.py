"""Naive Bayes: every column votes for a class, independently of the others."""
