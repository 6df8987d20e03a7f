"""Arrow's buffers, types, batches and datasets."""
