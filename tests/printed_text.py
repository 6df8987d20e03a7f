"""The text of a printed result, without its line breaks."""

from __future__ import annotations


def unwrapped(result: object) -> str:
    """The printed text in one line, as results are wrapped at 80 columns.

    >>> unwrapped("one\\nline")
    'one line'
    """
    return " ".join(str(result).split())
