"""Clusters: rows that lie together, found without being told what they are."""
