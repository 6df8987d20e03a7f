"""How good a model is: predictions beside the truth, summed up as a tally, solved into scores."""
