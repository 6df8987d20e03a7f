"""Several learners on the same folds."""
