"""Exported programs, run by the tools that they are written for: `make exports`."""
