"""Inspection: describe a table, check it, and say what problem it poses."""
