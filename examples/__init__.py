"""Programs that use tallylearn."""
