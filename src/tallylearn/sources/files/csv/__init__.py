"""Delimited text: the dialect sniffed, the bytes decoded, the cells parsed, the faults told."""
