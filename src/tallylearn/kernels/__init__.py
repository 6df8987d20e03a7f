"""Loops on arrays: plain Python files, compiled ahead of time by Cython."""
