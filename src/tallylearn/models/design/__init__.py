"""Design matrices: a table as numbers, categories as indicators, missing values filled."""
