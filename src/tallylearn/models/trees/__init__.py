"""Decision, regression and model trees: one core, thin learners."""
