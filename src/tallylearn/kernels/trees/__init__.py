"""Growing trees, an idea a file: a ``.py`` has the algorithm, its ``.pxd`` the types.

Compiled files call each other without Python through the ``.pxd``; uncompiled they are plain
Python, and import each other as such. From rows to a tree:

    settings           the options, the columns, and what a row adds to the counts
    code_sums          a column at a node: the counts of each code
    missing_values     where missing values stand among them
    impurity           Gini, entropy, variance, Poisson deviance of a node and of its branches
    split_search       the best split of a column, from its counts; the rules of C4.5
    random_thresholds  a random split in its place
    split_test         the test of a node, and the child of every code
    choice             the best split of all columns, and its ties
    rows               what ways to keep rows have in common: counting and partitioning them
    histograms         rows counted by code, for few codes
    sorted_lists       rows sorted by code, partitioned and never sorted again (partition)
    item_lists         the same of rows in parts (item_parts), where values are missing
    bagged_rows        a bootstrap sample; random_split_rows: with random splits
    few_rows           the same of a small node, sorted
    inherited_rows     the same of nodes that consider every column; short_lists: of small ones
    record             the nodes that were grown, and those that wait
    random_numbers     what is drawn, from the seed and the place of a node
    grower             a tree, depth first
    best_split         the same search from counts alone: for forests, files and clusters
    tree_shap          Shapley values of a row, for trees that have grown

and two trees that are searched in ways of their own, and share the rest:

    running_medians, median_search, median_grower    by absolute error
    c45_search, c45_grower                           C4.5 with its usual options, faster
"""
