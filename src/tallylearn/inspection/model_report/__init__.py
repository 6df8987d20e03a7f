"""The report of a model: score, cautions, what-if, errors and columns on one page."""
