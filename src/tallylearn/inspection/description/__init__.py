"""Describing: every column of a table in numbers and small charts, and what changed since."""

from tallylearn.inspection.description.descriptions import Description, describe

__all__ = ["Description", "describe"]
