"""Which options do best."""
