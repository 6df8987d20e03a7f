"""Checkers: a program that learns to play by playing against itself."""
