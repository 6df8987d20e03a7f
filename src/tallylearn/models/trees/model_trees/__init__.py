"""Trees whose leaves are linear models (M5)."""
