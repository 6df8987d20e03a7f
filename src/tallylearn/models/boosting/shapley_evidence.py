"""Explanations of boosted trees: the exact Shapley value of every column for a row.

The terms of a row are the mean raw score of the training rows and one Shapley value a column. They
add up to the raw score of the row (Lundberg et al., From local explanations to global understanding
with explainable AI for trees, 2020). ``model`` is a ``boosted_trees.BoostedTrees``; that module
calls this one, so its type is not imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn import engines
from tallylearn.estimators.model import choice, log_shares
from tallylearn.kernels.boosting import tree_shap
from tallylearn.models.boosting.losses import EXPONENTIAL, LOGISTIC, class_scores, linked_numbers
from tallylearn.models.forests.tree_votes import value_text
from tallylearn.runtime.worker_pool import check_halted
from tallylearn.tables import Array, Block
from tallylearn.workings import Evidence, EvidenceLine, Term
from tallylearn.workings.units import value_formatter

RUN = 64  # rows that a thread explains at a time


def shapley_values(model: Any, block: Block) -> tuple[Array, Array]:
    """(outputs,) the mean raw scores, and (n, p, outputs) the Shapley values of the rows."""
    numbers, categories = model.table(block)
    p, k = len(model.columns), model.outputs
    out = np.zeros((k, len(block), p))
    plan = model.steps, model.threshold, model.leads
    depths = tree_depths(model)
    places = (int(depths.max()) + 2) * (int(depths.max()) + 3)
    arrays = model.left, model.rows, model.values, model.split_columns

    def explain(at: slice) -> None:
        room = np.empty(places, np.int64), np.empty((places, 3))
        for t, root in enumerate(model.roots.tolist()):
            check_halted()
            tree = (*arrays, root, int(depths[t]))
            tree_shap.add_values(numbers[at], categories[at], plan, tree, room, out[t % k, at])

    engines.map_threads(explain, [slice(i, i + RUN) for i in range(0, len(block), RUN)])
    return model.baseline + mean_values(model), np.moveaxis(out, 0, -1)


def tree_depths(model: Any) -> Array:
    """(t,) the depth of every tree."""
    depth = np.zeros(len(model.values), np.int64)
    for at in np.flatnonzero(model.left >= 0).tolist():  # children come after their parents
        depth[model.left[at] : model.left[at] + 2] = depth[at] + 1
    return np.asarray(np.maximum.reduceat(depth, model.roots))


def mean_values(model: Any) -> Array:
    """(outputs,) the sum of the means of the trees over their training rows."""
    leaf = model.left < 0
    whole = np.repeat(model.rows[model.roots], model.ends - model.roots)
    parts = np.where(leaf, model.values * (model.rows / whole), 0.0)
    of_tree = np.add.reduceat(parts, model.roots)
    return np.asarray([of_tree[c :: model.outputs].sum() for c in range(model.outputs)])


def shapley_evidence(model: Any, block: Block) -> list[Evidence]:
    """For every row the mean raw score, and what each column adds."""
    start, values = shapley_values(model, block)
    raw = model.raw_scores(block)
    return [
        _explain_row(model, block, i, start=start, values=values[i], raw=raw[i : i + 1])
        for i in range(len(block))
    ]


def _explain_row(
    model: Any, block: Block, row: int, start: Array, values: Array, raw: Array
) -> Evidence:
    names = [column.name for column in model.columns]
    used = [j for j in range(len(names)) if values[j].any()]
    used.sort(key=lambda j: -float(np.abs(values[j]).max()))
    formatter = value_formatter(block.schema, digits=4)
    shown = {j: value_text(block, model.columns[j], row, formatter) for j in used}

    def terms(c: int) -> tuple[Term, ...]:
        moved = (Term(names[j], shown[j], float(values[j, c])) for j in used)
        return Term("", "mean score", float(start[c])), *moved

    if model.classes:
        scores = class_scores(model.link, raw)
        shares, chosen = np.exp(log_shares(scores))[0], int(choice(scores)[0])
        outcomes: list[tuple[Any, tuple[Term, ...]]] = (
            [(name, terms(c)) for c, name in enumerate(model.classes)]
            if model.link != LOGISTIC
            else [(model.classes[0], ()), (model.classes[1], terms(0))]
        )
        lines = tuple(
            EvidenceLine(name, of, float(share))
            for (name, of), share in zip(outcomes, shares, strict=True)
        )
        return Evidence(lines, model.classes[chosen], "softmax")
    predicted = float(linked_numbers(model.link, raw)[0])
    how = "product" if model.link == EXPONENTIAL else "sum"
    return Evidence((EvidenceLine("ŷ", terms(0)),), predicted, how)
