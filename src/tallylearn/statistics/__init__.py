"""Statistics: confidence intervals, significance tests, multiple comparisons, resampling."""
