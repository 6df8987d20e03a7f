"""What a tree would be better without."""
