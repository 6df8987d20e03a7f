"""Describing: every column of a table in numbers and small charts, and what changed since."""

from tallylearn.describing.describe_table import describe
from tallylearn.describing.description_report import Description

__all__ = ["Description", "describe"]
