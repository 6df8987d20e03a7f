"""Tables in memory: arrays, data frames and sparse matrices."""
