"""Screening: identifiers, leakage, and other warnings about a table."""
