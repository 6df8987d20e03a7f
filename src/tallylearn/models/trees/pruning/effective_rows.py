"""Effective numbers of rows: how many rows of equal weight tell as much as weighted ones.

A test of a split and a confidence limit of an error rate depend on the size of the sample. Sample
weights, importances and class weights say how much a row counts, not how many rows there are. A
node whose rows have the weights w_i tells as much as

    n = (sum w_i)^2 / sum w_i^2

rows of equal weight: never more than it has, and exactly as many where all weigh the same. With the
shares of the classes by weight and this number of rows, chi-square keeps its level where weights
have nothing to do with the classes, and limits of rates have the width that they should. Parts of
rows (C4.5) count as parts: f_i w_i and f_i w_i^2 are summed. Frequencies are numbers of rows: where
nothing else weighs, n is their sum.

L. Kish, Survey Sampling, 1965, section 11.7. J. N. K. Rao, A. J. Scott, The analysis of categorical
data from complex sample surveys, JASA 76, 1981. E. L. Korn, B. I. Graubard, Confidence intervals
for proportions with small expected number of positive counts estimated from survey data, Survey
Methodology 24, 1998.
"""

from __future__ import annotations

import numpy as np

from tallylearn.models.trees import routing
from tallylearn.models.trees.pruning.branch_costs import sum_over_subtrees
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array, Block


def effective_rows(tree: Tree, block: Block, frequency: Array, weight: Array) -> Array:
    """(m,) the effective number of rows at every node of the tree that grew from a block.

    ``frequency`` (n,): how many rows each row stands for; ``weight`` (n,): what it weighs in all.
    A node that no row reaches, since its class filled in its missing values, has the rows that it
    was grown from.
    """
    each = weight / np.where(frequency > 0, frequency, 1.0)
    found = np.zeros((len(tree), 2))
    for rows, part, node in routing.parts(tree, block):
        np.add.at(found[:, 0], node, part * weight[rows])
        np.add.at(found[:, 1], node, part * weight[rows] * each[rows])
    sums, squares = (sum_over_subtrees(tree, column) for column in found.T)
    some = squares > 0
    return np.where(some, sums**2 / np.where(some, squares, 1.0), tree.rows)
