"""Bayesian updating: priors, likelihoods, posteriors and decisions."""
