"""Routing: the kernel, the parts of rows and the codes of growing send a row the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.models.trees import routing
from tallylearn.models.trees.node import MULTIWAY, PRESENCE, SUBSET, THRESHOLD
from tallylearn.models.trees.tree import Tree
from tallylearn.tables import Block

COLUMNS = ["length", "colour", "shape"]
SPLITS = ("subset", "multiway")


def fitted(frame: pd.DataFrame, **options: Any) -> tuple[Tree, Block]:
    """A tree of half of the rows, and all rows, some with a category that it never saw."""
    frame = frame[[*COLUMNS, "heavy2"]]
    learner = tl.DecisionTreeClassifier(**options).fit(frame[frame["colour"] != "blue"], "heavy2")
    return learner.model_, learner._read(frame, "heavy2", None)


def values(block: Block, row: int) -> dict[str, Any]:
    """One row in words; None is missing."""
    found: dict[str, Any] = {}
    for name, codes in block.codes.items():
        found[name] = codes[[row]].items()[0]
    for name, at in block.schema.places.items():
        x = float(block.numbers[row, at])
        found[name] = None if np.isnan(x) else x
    return found


def holds(branch: Any, x: Any) -> bool:
    """Whether an answer is that of a value, by the words of the branch."""
    if branch.relation in ("missing", "present"):
        return (x is None) == (branch.relation == "missing")
    if x is None:
        return False
    if branch.relation in ("<=", ">"):
        return (x <= branch.values[0]) == (branch.relation == "<=")
    return x in branch.values


def walked(tree: Tree, row: dict[str, Any]) -> int:
    """The node where a row ends, from answer to answer."""
    at = 0
    while tree.branches(at):
        x = row[tree.branches(at)[0].column]
        on = [branch.node for branch in tree.branches(at) if holds(branch, x)]
        if x is None and not on and tree.missing[at] >= 0:
            on = [int(tree.missing[at])]
        if not on:
            return at
        at = on[0]
    return at


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("missing", ["branch", "node", "global"])
def test_the_kernel_goes_from_answer_to_answer(
    mixed: pd.DataFrame, split: str, missing: str
) -> None:
    tree, block = fitted(mixed, category_split=split, missing=missing, max_depth=4)
    expected = [walked(tree, values(block, row)) for row in range(len(block))]
    assert len(tree) > 5
    assert routing.ends(tree, block).tolist() == expected
    [(rows, part, nodes)] = routing.parts(tree, block)
    assert (rows.tolist(), nodes.tolist()) == ([*range(len(block))], expected)
    assert (part == 1).all()


@pytest.mark.parametrize("split", SPLITS)
def test_the_parts_of_a_row_are_one_row_and_tell_what_the_kernel_tells(
    mixed: pd.DataFrame, split: str
) -> None:
    tree, block = fitted(mixed, category_split=split, missing="fractional", max_depth=4)
    whole, told = np.zeros(len(block)), np.zeros((len(block), len(tree.classes)))
    ended = np.zeros(len(block), dtype=int)
    for rows, part, nodes in routing.parts(tree, block):
        whole[rows] += part
        told[rows] += part[:, None] * tree.node_values[nodes]
        ended[rows] += 1
    assert whole == pytest.approx(np.ones(len(block)))
    assert told == pytest.approx(routing.shares(tree, block))
    single = routing.single_ends(tree, block)
    assert ((single == -1) == (ended > 1)).all()
    assert 0 < (single == -1).sum() < len(block)


def test_codes_go_where_their_values_go() -> None:
    codes, none = np.array([0, 3, 1, 4, 2], dtype=np.int32), np.zeros(0, np.int64)
    gap, nowhere = routing.GAP, routing.NOWHERE

    def to(test: int, cut: int = -1, known: Any = none, groups: Any = none) -> list[int]:
        found: list[int] = routing.branch_of_codes(codes, 4, test, cut, known, groups).tolist()
        return found

    assert to(THRESHOLD, cut=1) == [0, 1, 0, gap, 1]
    assert to(PRESENCE, cut=3) == [0, 0, 0, gap, 0]
    assert to(SUBSET, known=np.array([0, 1, 3]), groups=np.array([0, 1, 1])) == [
        0, 1, 1, gap, nowhere
    ]  # fmt: skip
    assert to(MULTIWAY, known=np.arange(4), groups=np.arange(4)) == [0, 3, 1, gap, 2]
