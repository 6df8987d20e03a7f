"""Finite probability spaces, random variables and Bayes nets."""
