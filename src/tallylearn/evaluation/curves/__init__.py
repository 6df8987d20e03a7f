"""Training and test error along the number of rows, or an option."""
