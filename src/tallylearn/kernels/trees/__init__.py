"""Growing trees, an idea a file: a ``.py`` has the algorithm, its ``.pxd`` the types.

Compiled files call each other without Python through the ``.pxd``; uncompiled they are plain
Python, and import each other as such. From rows to a tree:

    settings       what is asked for, the columns, and what a row amounts to
    lines, gaps    a column at a node: a line for each code; where what is missing stands
    impurity       how mixed rows are: the one gini, entropy and variance
    split_search   the best question of a column, from its lines
    drawn_cuts     a question by chance, in its place
    question       what a node asks, and where every code goes
    choice         the best question of all columns, and its ties
    rows           what ways to keep rows have in common: counting them, and sending them on
    histograms     rows counted by code: few codes; counts that add up
    bagged_rows    some rows, some of them more than once; drawn_rows: their cuts are drawn
    few_rows       the same of a small node, put in order
    inherited_rows the same of nodes that look at every column; short_lists: of small ones
    sorted_lists   rows sorted by code, parted and never sorted again; partition does it
    record         what was grown, and what waits; chance: what is drawn
    grower         a tree, depth first
    best_split     the same search from counts alone: for forests, files and clusters

and two trees that are searched in ways of their own, and share the rest:

    medians, median_search, median_grower    by absolute error
    c45_search, c45_grower                   C4.5, with rows in parts
"""
