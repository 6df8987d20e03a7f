"""Pictures of fitted models: decision regions, densities, regression lines, descent paths."""
