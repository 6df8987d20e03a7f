"""Voting: several learners of one table answer together."""
