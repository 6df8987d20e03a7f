"""Linear classifiers: the class with the largest weighted sum of the columns.

Two classes share one sum, which is above zero for the second. With more classes, each class has a
sum of its own, and the largest wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tallylearn.estimators import ScoringModel
from tallylearn.estimators.finite_rows import check_representable
from tallylearn.estimators.model import log_shares, tie_rule
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    Literal,
    Number,
    Softmax,
    TieRule,
    VectorOf,
    linear_sum,
)
from tallylearn.models.design.expression import design_expressions
from tallylearn.models.design.matrix import Design
from tallylearn.runtime.blas_threads import one_thread
from tallylearn.tables import Array, Block, Schema, check_shape
from tallylearn.workings import Evidence, EvidenceLine, Grid, Term, format_number
from tallylearn.workings.terms import intercept_name


class LinearClassifierModel(ScoringModel):
    """Weights and a constant for the second of two classes, or for every one of more."""

    classes: tuple[Any, ...]
    design: Design
    weights: Array  # (m, p), m = 1 for two classes
    bias: Array  # (m,)
    how = "softmax"  # what the scores are, see Evidence

    @property
    def category_values(self) -> Mapping[str, tuple[str, ...]]:
        """The values that every column of categories was seen with."""
        return self.design.category_values

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.design.check(schema)
        if len(self.classes) < 2:
            raise ValueError("the model has fewer than two classes")

    def __post_init__(self) -> None:
        m = 1 if len(self.classes) == 2 else len(self.classes)
        check_shape("the weights", self.weights, m, self.width)
        check_shape("the constants", self.bias, m)

    @property
    def width(self) -> int:
        """How many weights a class has."""
        return len(self.design.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """(p,) of the weights."""
        return self.design.names

    def order(self, schema: Schema) -> Array:
        """The weights in the order of the table."""
        return self.design.order(schema)

    def activations(self, block: Block) -> Array:
        """(n, m) the weighted sums."""
        return np.concatenate([self._linear_scores(part) for part in self.design.pieces(block)])

    def _linear_scores(self, block: Block) -> Array:
        weights = self.weights[:, : len(self.design.columns)]
        with one_thread(), np.errstate(invalid="ignore", over="ignore"):
            out = self.design.product(block, weights)
            if not np.isfinite(out).all():  # a gap or an infinity shows in the sums
                out = self.design.filled_matrix(block) @ weights.T
            out = out + self.bias
        return check_representable(np.asarray(out), block, "score of the classes")

    def scores(self, block: Block) -> Array:
        """(n, k) of every class; of two, the first has 0."""
        found = self.activations(block)
        if len(self.classes) > 2:
            return found
        return np.hstack([np.zeros_like(found), found])

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The weighted sums; of two classes, the first has a score of 0."""
        return self._expression()

    def _expression(self, ties: TieRule | None = None) -> ClassifierExpression:
        scores = VectorOf(tuple(self._score_expressions()))
        choice = Argmax(scores, tie_rule() if ties is None else ties)
        return ClassifierExpression(self.classes, choice, Softmax(scores))

    def _score_expressions(self) -> Iterator[Number]:
        if len(self.classes) == 2:
            yield Literal(0.0)
        terms = design_expressions(self.design)
        zero = [0.0] * len(terms)
        for bias, weights in zip(self.bias.tolist(), self.weights.tolist(), strict=True):
            yield linear_sum(bias, terms, weights, zero)

    def evidence(self, block: Block) -> list[Evidence]:
        """Every column's summand in every score."""
        scores = self.scores(block)
        chosen, shares = self.choose(scores), np.exp(log_shares(scores))
        shares = shares if self.how == "softmax" else np.full(shares.shape, np.nan)
        x, groups = self.design.filled_matrix(block), self.design.groups(block.schema)
        return [
            Evidence(tuple(
                EvidenceLine(name, self._terms(block, i, x[i], c, groups), _share(shares[i, c]))
                for c, name in enumerate(self.classes)
            ), self.classes[chosen[i]], self.how, self._notes(block, i))
            for i in range(len(block))
        ]  # fmt: skip

    def _notes(self, block: Block, i: int) -> tuple[str, ...]:
        """What else is to be said of a row."""
        return ()

    def _origin(self) -> tuple[Array, Array]:
        """(m,) the constants of the terms, and (p,) where the columns are when these are left."""
        return self.bias, np.zeros(len(self.design.columns))

    def _terms(
        self, block: Block, i: int, x: Array, c: int, groups: dict[str, list[int]],
        start: tuple[Array, Array] | None = None,
    ) -> tuple[Term, ...]:  # fmt: skip
        """The constant and the terms of a class, from ``start``, or else from ``_origin()``."""
        at = c - 1 if len(self.classes) == 2 else c
        if at < 0:  # of two classes the first is compared with
            return (Term("", "", 0.0),)
        level, centre = self._origin() if start is None else start
        amounts = self.weights[at, : len(x)] * (x - centre)
        return (
            Term("", "", float(level[at])),
            *self.design.evidence_terms(block, i, groups, amounts),
        )

    def grid(self, schema: Schema, title: str, constant: bool = True) -> Grid:
        """The weights, a row for every column, the constant last where there is one."""
        heads = self.classes[1:] if len(self.classes) == 2 else self.classes
        rows = [
            (self.names[j], *(format_number(float(w)) for w in self.weights[:, j]))
            for j in self.order(schema).tolist()
        ]
        name = intercept_name(self.names)
        rows += [(name, *(format_number(float(b)) for b in self.bias))] if constant else []
        return Grid(title, ("", *map(str, heads)), tuple(rows))


def _share(share: float) -> float | None:
    return None if np.isnan(share) else float(share)
