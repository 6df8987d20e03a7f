"""Growing trees, an idea a file: a ``.py`` has the algorithm, its ``.pxd`` the types.

Compiled files call each other without Python through the ``.pxd``; uncompiled they are plain
Python, and import each other as such. From rows to a tree:

    settings       what is asked for: Settings; the columns; what a row amounts to
    lines          a column at a node: a line for each code
    gaps           where what is missing stands in them
    impurity       how mixed a line is: the one gini, entropy and variance
    counting       from rows to lines: what every way to keep rows has in common
    histograms     counts by code, which add up; few codes, many nodes
    sorted_lists   rows sorted by code, which are parted and never sorted again
    split_search   the best question of a column, from its lines
    choice         the best of the columns, its ties, and where every code goes
    partition      the child of every row, and lists parted by it
    record         what was grown, and what waits
    grower         a tree, depth first
    medians, median_grower    by absolute error
    c45_search, c45_grower    C4.5, with rows in parts
"""
