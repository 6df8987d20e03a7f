"""Logistic regression: the log-odds of the classes are sums over the columns."""
