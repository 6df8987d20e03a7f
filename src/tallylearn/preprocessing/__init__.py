"""Preprocessing: scalers, encoders, imputers, discretizer, PCA, and pipelines of them."""
