"""Linear models: a weighted sum of the columns, by least squares, with penalties and subsets."""
