"""Random forests: trees on random rows and columns, and their vote."""
