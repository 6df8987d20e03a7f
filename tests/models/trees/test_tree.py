"""The tree itself: walking it, cutting it back, and keeping it in a file."""

from __future__ import annotations

import numpy as np
import pytest

from tallylearn.models.trees.node import LEAF, MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Block, Codes, Column, Schema

NAN = np.nan
SCHEMA = Schema((Column("x", "number"), Column("c", "category"), Column("z", "number")))


def tree() -> Tree:
    """0: x <= 2 ? (1: c = a, b, missing) : (5: z present ?) missing: 8."""
    columns = (SCHEMA.columns[0], Column("c", "category", ("a", "b", "d")), SCHEMA.columns[2])
    whole = np.array
    return Tree(
        columns, ("no", "yes"), "entropy",
        parent=whole([-1, 0, 1, 1, 1, 0, 5, 5, 0]),
        test=whole([THRESHOLD, MULTIWAY, LEAF, LEAF, LEAF, PRESENCE, LEAF, LEAF, LEAF]),
        column=whole([0, 1, -1, -1, -1, 2, -1, -1, -1]),
        threshold=whole([2.0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN]),
        missing=whole([8, 4, -1, -1, -1, 7, -1, -1, -1]),
        ends=whole([0, 2, 2, 2, 2, 2, 2, 2, 2]), codes=whole([0, 1]), leads=whole([2, 3]),
        counts=whole([[4, 6], [3, 3], [3, 0], [0, 2], [0, 1], [1, 2], [1, 0], [0, 2], [0, 1.0]]),
        n=whole([10, 6, 3, 2, 1, 3, 1, 2, 1.0]), rows=whole([10, 6, 3, 2, 1, 3, 1, 2, 1]),
        impurity=np.zeros(9), gain=whole([0.2, 0.3, 0, 0, 0, 0.1, 0, 0, 0]),
        answer=whole([1, 0, 0, 1, 1, 1, 0, 1, 1.0]),
        tie_ends=whole([0, 2, 2, 2, 2, 2, 2, 2, 2]), tie_columns=whole([1, 0]),
        tie_thresholds=whole([NAN, 1.5]),
    )  # fmt: skip


def rows(x: list[float], c: list[str | None], z: list[float]) -> Block:
    return Block(SCHEMA, np.array([x, z]).T, {"c": Codes.of(c)})


def test_rows_end_where_their_answers_lead() -> None:
    block = rows(
        [1, 1, 1, 1, 1, 3, 3, NAN],
        ["a", "b", None, "d", "zebra", "a", None, "a"],
        [0, *[NAN] * 5, 7, 0],
    )
    assert tree().end_nodes(block).tolist() == [2, 3, 4, 1, 1, 7, 6, 8]
    assert tree().path(block[:1]) == (0, 1, 2)


def test_a_node_tells_all_about_itself() -> None:
    found = tree().node(1)
    assert [str(branch) for branch in found.branches] == ["c = a", "c = b", "c missing"]
    assert found.absent == ("d",)
    assert found.answer == "no"
    assert [name for name, _ in found.tied] == ["c", "x"]
    assert [str(branch) for branch in tree().branches(0)] == ["x <= 2", "x > 2", "x missing"]
    assert str(tree().branch(6)) == "z present"
    assert tree().children(0) == (1, 5, 8)
    assert tree().leaves.tolist() == [2, 3, 4, 6, 7, 8]
    assert tree().depth == 2


def test_pruning_returns_another_tree_and_renumbers() -> None:
    less = tree().without([5])
    assert less.parent.tolist() == [-1, 0, 1, 1, 1, 0, 0]
    assert less.missing.tolist() == [6, 4, -1, -1, -1, -1, -1]
    block = rows([3, NAN, 1], ["a", "a", "b"], [1, 1, 1])
    assert less.end_nodes(block).tolist() == [5, 6, 3]
    stump = tree().without([1])
    assert stump.codes.size == 0
    assert stump.ties(1) == ()
    assert tree().without([0, 1]).test.tolist() == [LEAF]
    assert len(tree()) == 9


def test_a_tree_that_leads_astray_is_refused() -> None:
    from dataclasses import replace

    for damage in (
        {"parent": np.array([-1, 0, 1, 1, 1, 0, 6, 5, 0])},
        {"missing": np.array([99, 4, -1, -1, -1, 7, -1, -1, -1])},
        {"leads": np.array([2, 5])},
        {"test": np.array([SUBSET, MULTIWAY, LEAF, LEAF, LEAF, PRESENCE, LEAF, LEAF, LEAF])},
        {"column": np.array([0, 1, -1, -1, -1, 9, -1, -1, -1])},
    ):
        with pytest.raises(ValueError, match="no tree"):
            replace(tree(), **damage)
