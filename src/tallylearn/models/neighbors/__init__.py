"""Neighbours: rows answer as the rows do that lie near them."""
