"""The learners, one family a file."""
