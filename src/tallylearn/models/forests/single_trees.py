"""Single trees: each tree of a forest as a learner of its own, grown again when it is asked for.

A forest keeps what answering needs, and no counts. Which rows a tree has seen and what its nodes
drew follow from its number, so that the same tree grows from the same table at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from tallylearn.errors import is_one_of, item_at
from tallylearn.estimators import Learned, Notes
from tallylearn.models.forests.bootstrap import ROWS, Bags
from tallylearn.models.forests.packed_trees import Trees
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Array

SUBSAMPLE = "balanced_subsample"  # which is of bags: a tree alone knows "balanced"


class LazyTrees(Sequence[Any]):
    """Items that are made when they are asked for, each time anew."""

    def __init__(self, number: int, made: Callable[[int], Any]) -> None:
        self._places, self._made = range(number), made

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: Any) -> Any:
        places = item_at(self._places, at, "trees")
        return [*map(self._made, places)] if isinstance(at, slice) else self._made(places)

    def __repr__(self) -> str:
        return f"{len(self)} trees, each grown again when it is asked for"


def unfitted(kind: type, options: dict[str, Any]) -> Any:
    """A learner of single trees, with those options of a forest that it knows."""
    known = {name: options[name] for name in kind().get_params(deep=False) if name in options}
    if is_one_of(known.get("class_weight"), (SUBSAMPLE,)):
        known["class_weight"] = "balanced"
    return kind(**known | {"keep_rows": False})


def alone(learner: Any, forest: Any, tree: Tree) -> Any:
    """A learner of single trees that has grown a tree of a forest."""
    notes = Notes(forest.unanswered_)
    learner._store(Learned(tree, None, notes, forest.schema_), forest._call_style())
    return learner


def drawn(bags: Bags, tree: int) -> Array:
    """The rows of a tree's bag, in order, each as often as it is in."""
    bag = bags.entries(tree)
    rows = bag & ROWS
    often = (bag >> 32) & 255
    if bags.counts_as_weights:
        often = bags.times(tree)[rows]
    return np.repeat(rows, often)


def passed(trees: Trees, ends: Array) -> tuple[Any, Array]:
    """(n, m) the nodes of all trees that rows pass, sparse; and where each tree begins."""
    from scipy.sparse import csr_matrix, hstack

    found = []
    for t, (root, end) in enumerate(zip(trees.roots.tolist(), trees.ends.tolist(), strict=True)):
        leaves, at = np.unique(ends[:, t], return_inverse=True)
        paths = [[node - root for node in trees.above(root, root + leaf)] for leaf in leaves]
        places = [node for path in paths for node in path]
        until = np.cumsum([0, *map(len, paths)])
        given = np.ones(len(places), np.int64), np.array(places, np.int64), until
        found.append(csr_matrix(given, shape=(len(paths), end - root))[at.ravel()])
    return hstack(found, format="csr"), np.append(trees.roots, len(trees.told))
