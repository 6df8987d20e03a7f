"""The same tree as text, rules, regions, a picture, a page, a graph, a program."""
