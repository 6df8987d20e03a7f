"""From a coded table to a tree: what is counted, what is asked, which rows go where."""
