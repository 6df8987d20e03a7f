"""How good a model is: its answers beside the truth, summed up as a tally, solved into scores."""
