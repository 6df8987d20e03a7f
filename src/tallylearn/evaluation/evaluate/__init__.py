"""One learner: how good it is on rows that it has not seen."""
