"""Binary trees: questions of one number and two answers, as arrays under scikit-learn's names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from tallylearn.errors import OptionError
from tallylearn.models.trees.nodes import Nodes
from tallylearn.sources.memory.sparse_matrices import dense
from tallylearn.tables import NUMBER, Array, Block, Column, Schema


class SklearnNodes(Nodes):
    """What scikit-learn's ``tree_`` tells, of a tree whose every question is ``x <= threshold``.

    Nodes have the same numbers there and here. ``apply``, ``predict`` and ``decision_path`` take
    arrays of numbers.
    """

    n_outputs = 1

    @property
    def node_count(self) -> int:
        return len(self.parent)

    @property
    def capacity(self) -> int:
        """How many nodes there is room for: as many as there are."""
        return len(self.parent)

    @property
    def n_leaves(self) -> int:
        return len(self.leaves)

    @property
    def max_depth(self) -> int:
        return int(self.depth)

    @property
    def n_features(self) -> int:
        return len(self.columns)

    @property
    def max_n_classes(self) -> int:
        return max(len(self.classes), 1)

    @property
    def n_classes(self) -> Array:
        """(1,) how many classes there are; 1 in a regression."""
        return np.array([self.max_n_classes])

    @property
    def n_node_samples(self) -> Array:
        """(m,) the rows of every node."""
        return self.rows

    @property
    def weighted_n_node_samples(self) -> Array:
        """(m,) and their weight."""
        return self.n

    @property
    def value(self) -> Array:
        """(m, 1, k) the share of every class; (m, 1, 1) the mean or median."""
        return self.node_values[:, None, :].copy()

    @property
    def feature(self) -> Array:
        """(m,) the place of the column that is asked for; -2 at a leaf."""
        self._check_binary()
        return np.where(self.column < 0, -2, self.column)

    @property
    def children_left(self) -> Array:
        """(m,) the node of values up to the threshold; -1 at a leaf."""
        self._check_binary()
        return np.where(self.column < 0, -1, np.arange(len(self.parent)) + 1)

    @property
    def children_right(self) -> Array:
        """(m,) the node of values above the threshold; -1 at a leaf."""
        self._check_binary()
        after = np.minimum(np.arange(len(self.parent)) + 1, len(self.parent) - 1)
        return np.where(self.column < 0, -1, after + self.sizes[after])

    @property
    def missing_go_to_left(self) -> Array:
        """(m,) whether missing values go left; where none was learned, to the larger child."""
        left, right = self.children_left, self.children_right
        larger = self.rows[left] > self.rows[right]
        return np.where(self.missing >= 0, self.missing == left, larger) & (self.column >= 0)

    @abstractmethod
    def end_nodes(self, block: Block) -> Array:
        """(n,) the node where each row ends."""

    def apply(self, X: Any) -> Array:
        """(n,) the node where each row of an array ends."""
        self._check_binary()
        numbers = np.ascontiguousarray(dense(X), dtype=np.float64)
        columns = tuple(replace(column, kind=NUMBER) for column in self.columns)
        return self.end_nodes(Block(Schema(columns), numbers))

    def predict(self, X: Any) -> Array:
        """(n, k) what each row of an array is answered: the shares of the classes, or a number."""
        return np.asarray(self.value[self.apply(X), 0])

    def decision_path(self, X: Any) -> Any:
        """(n, m) a sparse matrix of the nodes that each row of an array passes."""
        return self.visited_nodes(self.apply(X))

    def visited_nodes(self, ends: Array) -> Any:
        """(n, m) a sparse matrix of ones: the nodes that rows pass on their way to their ends."""
        from scipy.sparse import csr_matrix

        until = np.concatenate([[0], np.cumsum(self.depths[ends] + 1)])
        found, node, at = np.zeros(until[-1], np.int64), ends, until[1:] - 1
        while len(node):
            found[at] = node  # from the end up: a parent has the smaller number, so rows are sorted
            on = self.parent[node] >= 0
            node, at = self.parent[node][on], at[on] - 1
        ones = np.ones(len(found), np.int64)
        return csr_matrix((ones, found, until), shape=(len(ends), len(self.parent)))

    @cached_property
    def _odd(self) -> Array:
        """The nodes that ask for categories, or that have a third branch."""
        kids = np.bincount(self.parent[1:], minlength=len(self.parent))
        coded = np.diff(self.ends, prepend=0) > 0
        return np.flatnonzero((self.column >= 0) & (coded | (kids != 2)))

    def _check_binary(self) -> None:
        if len(self._odd):
            raise not_binary(int(self._odd[0]), self.columns, self.column, self.ends)


def not_binary(node: int, columns: Sequence[Column], column: Array, ends: Array) -> OptionError:
    """The error for a question that scikit-learn's arrays have no place for."""
    name = columns[int(column[node])].name
    coded = int(ends[node]) > (int(ends[node - 1]) if node else 0)
    if coded:
        what = f"splits on the categories of {name!r}"
        remedy = "Encode the categories as numbers before fitting"
    else:
        what = f"has a branch for missing values of {name!r}"
        remedy = 'Fit with missing="side" or missing="node", or fill missing values before fitting'
    return OptionError(
        f"node {node} {what}, and scikit-learn's arrays can hold only splits x <= threshold with "
        f"two branches. {remedy}; or use parent, column, leads and node(i), which describe any "
        "tree."
    )
