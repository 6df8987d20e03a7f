"""Input with malice: forged files and hostile values, from seeds."""
