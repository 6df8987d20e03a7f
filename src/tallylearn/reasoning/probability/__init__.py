"""Outcomes, events, random variables and Bayes nets."""
