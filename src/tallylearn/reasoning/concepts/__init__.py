"""Version spaces: all hypotheses that agree with the examples."""
