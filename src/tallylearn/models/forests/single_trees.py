"""The trees of a forest as estimators of their own, grown again when they are used.

A forest keeps what prediction needs, and no counts. The bootstrap sample of a tree, and what its
nodes draw at random, follow from its number, so the same tree grows from the same table any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from tallylearn.errors import is_one_of, item_at
from tallylearn.estimators import Learned, Notes
from tallylearn.models.forests.bootstrap import ROWS, BootstrapSamples
from tallylearn.models.forests.packed_trees import Trees
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

SUBSAMPLE = "balanced_subsample"  # a value of class_weight that single trees do not have


class LazyTrees(Sequence[Any]):
    """A sequence of trees; each is made anew whenever it is indexed."""

    def __init__(self, n_trees: int, make: Callable[[int], Any]) -> None:
        self._places, self._make = range(n_trees), make

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: Any) -> Any:
        places = item_at(self._places, at, "trees")
        return [*map(self._make, places)] if isinstance(at, slice) else self._make(places)

    def __repr__(self) -> str:
        return f"{len(self)} trees, each grown again when it is used"


def make_tree(kind: type, options: dict[str, Any]) -> Any:
    """A single tree that is not fitted, with those options of a forest that it has."""
    known = {name: options[name] for name in kind().get_params(deep=False) if name in options}
    if is_one_of(known.get("class_weight"), (SUBSAMPLE,)):
        known["class_weight"] = "balanced"
    return kind(**known | {"keep_rows": False})


def wrap_tree(learner: Any, forest: Any, tree: Tree) -> Any:
    """A single tree that is fitted: it gets the model, and what its forest was fitted to."""
    notes = Notes(forest.unanswered_)
    learner._store(Learned(tree, None, notes, forest.schema_), forest._call_style())
    return learner


def sampled_rows(bags: BootstrapSamples, tree: int) -> Array:
    """The rows of a tree's bootstrap sample, in order, each as often as it was drawn."""
    bag = bags.entries(tree)
    rows = bag & ROWS
    often = (bag >> 32) & 255
    if bags.counts_as_weights:
        often = bags.times(tree)[rows]
    return np.repeat(rows, often)


def visited_nodes(trees: Trees, ends: Array) -> tuple[Any, Array]:
    """(n, m) the nodes of all trees that rows pass, sparse; and where each tree begins."""
    from scipy.sparse import csr_matrix, hstack

    found = []
    for t, (root, end) in enumerate(zip(trees.roots.tolist(), trees.ends.tolist(), strict=True)):
        leaves, at = np.unique(ends[:, t], return_inverse=True)
        paths = [[node - root for node in trees.path_to(root, root + leaf)] for leaf in leaves]
        places = [node for path in paths for node in path]
        until = np.cumsum([0, *map(len, paths)])
        given = np.ones(len(places), np.int64), np.array(places, np.int64), until
        found.append(csr_matrix(given, shape=(len(paths), end - root))[at.ravel()])
    return hstack(found, format="csr"), np.append(trees.roots, len(trees.node_values))
