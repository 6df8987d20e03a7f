"""What a column is read as: numbers, categories, dates, text, the target or weights."""
