"""The growth of a tree step by step: at each node the working of the split, and the tree so far."""

from __future__ import annotations

import numpy as np

from tallylearn.models.trees.explanation import condition_text
from tallylearn.models.trees.growing.node_rows import NodeRows
from tallylearn.models.trees.node import LEAF
from tallylearn.models.trees.showing import svg, tree_text
from tallylearn.models.trees.showing.excerpts import Excerpt
from tallylearn.models.trees.showing.tree_working import node_steps
from tallylearn.models.trees.tree import Tree
from tallylearn.reporting.charts import Plot
from tallylearn.tables import Array
from tallylearn.workings import Sentence
from tallylearn.workings.step_sequence import AlgorithmStep, StepSequence

MAX_SPLITS = 60  # of a tree that is told step by step


def tree_steps(tree: Tree, table: NodeRows, title: str) -> StepSequence:
    """The splits of a tree in the order in which a recursive algorithm makes them."""
    inner = np.flatnonzero(tree.test != LEAF)  # nodes are in pre-order
    shown = inner[:MAX_SPLITS].tolist()
    start = _tree_after(tree, inner, 0)
    rows = int(tree.counted_rows[0])
    steps = [
        AlgorithmStep(
            f"Start: all {rows} training rows in one node",
            _numbers(start),
            (Sentence(f"Without a split, the prediction is {tree.prediction_of(0)}."),),
            _drawing(start),
        )
    ]
    for at, node in enumerate(shown, 1):
        part = _tree_after(tree, inner, at)
        name = tree.columns[tree.column[node]].name
        where = f"the node {condition_text(tree, node)}" if node else "the root"
        parts = node_steps(tree, node, table)
        numbers = {"node": node, "split": name, "gain": float(tree.gain[node])}
        steps.append(AlgorithmStep(f"Split {where} on {name}", numbers | _numbers(part),
                                   tuple(parts), _drawing(part)))  # fmt: skip
    if len(inner) > MAX_SPLITS:
        left = len(inner) - MAX_SPLITS
        steps.append(AlgorithmStep(f"The other {left} splits", _numbers(tree), (),
                                   _drawing(tree)))  # fmt: skip
    return StepSequence(title, tuple(steps))


def _tree_after(tree: Tree, inner: Array, splits: int) -> Tree:
    """The tree after so many splits."""
    return tree.without(inner[splits:].tolist()) if splits < len(inner) else tree


def _numbers(tree: Tree) -> dict[str, object]:
    n = len(tree)
    text = "\n".join(tree_text.text_lines(Excerpt.of(tree, n, n, tree.depth)))
    return {"nodes": n, "leaves": len(tree.leaves), "tree": text}


def _drawing(tree: Tree) -> Plot:
    return svg.draw_tree(Excerpt.of(tree, svg.MAX_NODES, svg.MAX_BRANCHES))
