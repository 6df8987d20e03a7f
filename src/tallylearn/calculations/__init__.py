"""Small calculations of machine learning that show their working.

Each function returns a `Calculation`: a number with the steps that lead to it, or a table of them.
"""
