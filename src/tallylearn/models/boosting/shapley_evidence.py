"""Explanations of boosted trees: the exact Shapley value of every column for a row.

The terms of a row are the mean raw score of the training rows and one Shapley value a column. They
add up to the raw score of the row (Lundberg et al., From local explanations to global understanding
with explainable AI for trees, 2020). ``model`` is a ``boosted_trees.BoostedTrees``; that module
calls this one, so its type is not imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tallylearn.estimators.model import choice, log_shares
from tallylearn.models.boosting.losses import EXPONENTIAL, LOGISTIC, class_scores, linked_numbers
from tallylearn.models.trees.shapley import ShapleyTrees, value_text
from tallylearn.tables import Array, Block
from tallylearn.workings import Evidence, EvidenceLine, Term
from tallylearn.workings.units import value_formatter


def shapley_trees(model: Any) -> ShapleyTrees:
    """The trees of a model; their values are what they add to the raw score."""
    inner = np.flatnonzero(model.left >= 0)
    parent = np.full(len(model.left), -1, np.int64)
    parent[model.left[inner]] = parent[model.left[inner] + 1] = inner
    weights, values = model.rows.astype(np.float64), model.values[:, None]
    return ShapleyTrees(parent, weights, values, model.split_columns, roots=model.roots)


def shapley_values(model: Any, block: Block) -> tuple[Array, Array]:
    """(outputs,) the mean raw scores, and (n, p, outputs) the Shapley values of the rows."""
    out = np.zeros((model.outputs, len(block), len(model.columns), 1))
    plan = model.steps, model.threshold, model.leads
    shapley_trees(model).add_values(model.table(block), plan, model.outputs, out)
    return model.baseline + mean_values(model), np.moveaxis(out[..., 0], 0, -1)


def mean_values(model: Any) -> Array:
    """(outputs,) the sum of the means of the trees over their training rows."""
    means = shapley_trees(model).means()[:, 0]
    return np.asarray([means[c :: model.outputs].sum() for c in range(model.outputs)])


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
