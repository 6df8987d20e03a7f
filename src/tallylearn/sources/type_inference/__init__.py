"""Written values: strings that stand for numbers, dates, truth values, gaps or words."""
