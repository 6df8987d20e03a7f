"""A model tree: questions that lead to a linear model, and models above that steady it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import KindError
from tallylearn.estimators import RegressionModel
from tallylearn.estimators.estimator import constructor_call
from tallylearn.expressions import NumberTree, RegressorExpression, linear_sum
from tallylearn.models.trees.explanation import derivation
from tallylearn.models.trees.expression import tree_splits
from tallylearn.models.trees.model_trees.attributes import Attributes
from tallylearn.models.trees.model_trees.formulas import MOST_LINES, LeafFormula
from tallylearn.models.trees.tree import Tree
from tallylearn.models.trees.wording import branch_text, path_text
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import CATEGORY, DATE, Array, Block, Schema, check_shape, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Sentence, Term
from tallylearn.workings import Formula as Shown
from tallylearn.workings.equations import (
    equation_chain,
    factor,
    formula,
    number,
    signed_product,
    signed_sum,
)
from tallylearn.workings.units import format_value

MAX_TERMS = 12  # terms of a model that one formula writes out
ROUNDING = 2.0**-50  # of the sum of the absolute terms: an intercept below it is 0


@dataclass(frozen=True, eq=False)
class ModelTree(RegressionModel):
    """A tree with a linear model at every node.

    A row is answered by the model where it ends, p, and steadied on the way up (Quinlan, 1992): at
    every node above p becomes (n p + k q) / (n + k), where q is what the node's own model answers,
    n the rows of the child that p comes from, and k ``smooth``.
    """

    tree: Tree
    attributes: Attributes
    base: Array  # (m,) what a node's model says where every attribute is what fills its gaps
    coef: Array  # (m, f) and what it adds for every step away from there
    error: Array  # (m,) the root of the mean squared residual of the node's model on its rows
    smooth: float = 0.0
    guests: tuple[Any, ...] = ()  # learners in place of the models at the leaves, if any

    form: ClassVar[field_schemas.Form] = {
        "tree": field_schemas.one(Tree),
        "attributes": field_schemas.one(Attributes),
        "base": field_schemas.floats("m"),
        "coef": field_schemas.floats("m", "f"),
        "error": field_schemas.floats("m", least=0.0),
        "smooth": field_schemas.number(0.0),
        "guests": field_schemas.nothing,
    }

    def check(self, schema: Schema) -> None:
        """What a file says can be a tree with linear models of this schema's columns."""
        self.tree.check(schema)
        self.attributes.check(schema)
        if self.tree.classes or not (self.tree.counted_rows + self.smooth > 0).all():
            raise ValueError("a node has no rows, or classes")

    def __post_init__(self) -> None:
        m = len(self.tree)
        check_shape("the bases", self.base, m)
        check_shape("the errors", self.error, m)
        check_shape("the coefficients", self.coef, m, len(self.attributes))

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the categories that the tree asks for, or that a model adds up."""
        steps = (self.coef != 0).any(axis=0) & (self.attributes.step > 0)
        used = {*self.attributes.source[steps].tolist()}
        added = [column for at, column in enumerate(self.tree.columns) if at in used or self.guests]
        found = {c.name: c.values for c in added if c.kind == CATEGORY} | self.tree.category_values
        rare = self.attributes.rare.by_column
        return {
            name: tuple(dict.fromkeys((*values, *rare.get(name, ()))))
            for name, values in found.items()
        }

    @property
    def intercept(self) -> Array:
        """(m,) what a node's model says where every attribute is 0."""
        return np.asarray(self.base - (self.coef * self.attributes.fill).sum(axis=1))

    @cached_property
    def own(self) -> Array:
        """(m,) the share that a node's model has in what is answered there, after smoothing."""
        share = np.ones(len(self.tree))
        for i in range(1, len(share)):
            n = self.tree.counted_rows[i]
            share[i] = share[self.tree.parent[i]] * n / (n + self.smooth)
        return share

    @cached_property
    def ancestor_terms(self) -> tuple[Array, Array]:
        """(m,) and (m, f): what the models above a node add to it, as one model."""
        base, coef = np.zeros_like(self.base), np.zeros_like(self.coef)
        for i in range(1, len(self.tree)):
            p = self.tree.parent[i]
            part = self.own[p] - self.own[i]
            base[i] = base[p] + part * self.base[p]
            coef[i] = coef[p] + part * self.coef[p]
        return base, coef

    def predictions(self, block: Block) -> Array:
        """What each row is answered."""
        return self._answers(self.attributes.matrix(block), self.tree.end_nodes(block))

    def _answers(self, x: Array, ends: Array) -> Array:
        base, coef = self.ancestor_terms
        with np.errstate(over="ignore", invalid="ignore"):
            rest = base[ends] + (coef[ends] * (x - self.attributes.fill)).sum(axis=1)
            return np.asarray(self.own[ends] * self._predict_unsmoothed(x, ends) + rest)

    def _predict_unsmoothed(self, x: Array, ends: Array) -> Array:
        """What the model where each row ends says, before smoothing."""
        out = self.base[ends] + (self.coef[ends] * (x - self.attributes.fill)).sum(axis=1)
        for leaf, guest in zip(self.tree.leaves.tolist(), self.guests, strict=False):
            here = np.flatnonzero(ends == leaf)
            if len(here):
                out[here] = np.asarray(guest.predict(x[here]), dtype=np.float64).reshape(-1)
        return np.asarray(out)

    def evidence(self, block: Block) -> list[Evidence]:
        """The terms of a row's model, and what every node above changes: they sum to the answer."""
        x, ends = self.attributes.matrix(block), self.tree.end_nodes(block)
        answers, alone = self._answers(x, ends).tolist(), self._predict_unsmoothed(x, ends).tolist()
        return [
            Evidence(
                (
                    EvidenceLine(
                        "ŷ", (*self._terms(x[r], i, alone[r]), *self._steps(x[r], i, alone[r]))
                    ),
                ),
                answers[r],
                "sum",
                (f"path: {path_text(self.tree, i)}",),
                tuple(self._board(x[r], i, alone[r])),
            )
            for r, i in enumerate(ends.tolist())
        ]

    def _terms(self, x: Array, i: int, alone: float) -> list[Term]:
        at = np.searchsorted(self.tree.leaves, i)
        if self.guests and at < len(self.tree.leaves) and self.tree.leaves[at] == i:
            name = type(self.guests[at]).__name__
            return [Term("", name, alone, text=f"what {name} says at this leaf")]
        terms = [
            self._term(j, float(self.coef[i, j]), float(x[j]))
            for j in np.flatnonzero(self.coef[i]).tolist()
        ]
        # the intercept, and what rounding leaves where large terms cancel
        amounts = [alone, *(-term.amount for term in terms)]
        start = math.fsum(amounts)
        rounding = ROUNDING * math.fsum(map(abs, amounts))
        return [Term("", "", start if abs(start) > rounding else 0.0), *terms]

    def _term(self, j: int, coef: float, x: float) -> Term:
        text = f"{format_number(coef)} · {format_number(x)}"
        kind = self.attributes.columns[self.attributes.source[j]].kind
        dated = kind == DATE and self.attributes.step[j] == 0
        value = format_value(x, DATE) if dated else format_number(x)
        return Term(self.attributes.name(j), value, coef * x, text=text)

    def _steps(self, x: Array, i: int, p: float) -> list[Term]:
        """What the models above change, from below to the root."""
        found = []
        while i > 0 and self.smooth:
            n, node = float(self.tree.counted_rows[i]), int(self.tree.parent[i])
            q = float(self.base[node] + (self.coef[node] * (x - self.attributes.fill)).sum())
            change = self.smooth / (n + self.smooth) * (q - p)
            where = "root" if node == 0 else branch_text(self.tree, self.tree.branch(node))
            k = f"{self.smooth:g}"
            told = f"{k} / ({format_number(n)} + {k}) · ({format_number(q)} - {format_number(p)})"
            found.append(Term("smoothed", f"{where} says {format_number(q)}", change, text=told))
            i, p = node, p + change
        return found

    def _board(self, x: Array, i: int, p: float) -> list[Shown | Sentence]:
        """The model where a row ends, and the smoothing of its answer up to the root."""
        steps: list[Shown | Sentence] = [self._model_side(x, i, p)]
        while i > 0 and self.smooth:
            n, node = float(self.tree.counted_rows[i]), int(self.tree.parent[i])
            q = float(self.base[node] + (self.coef[node] * (x - self.attributes.fill)).sum())
            where = "the root" if node == 0 else f"node {node}"
            branch = f"{number(n)} training rows take this branch from {where}"
            steps.append(Sentence(f"{branch}, and its model predicts q."))
            if node or not self.guests:
                steps.append(self._model_side(x, node, q, "q"))
            after = (n * p + self.smooth * q) / (n + self.smooth)
            count, k = number(n), number(self.smooth)
            left = f"{count} · {factor(p)} + {k} · {factor(q)}"
            steps.append(formula(f"p ← ({left}) / ({count} + {k}) = {number(after)}"))
            i, p = node, after
        return steps

    def _model_side(self, x: Array, i: int, value: float, name: str = "p") -> Shown:
        """What the model of a node says of a row, as the sum of its terms."""
        terms = [term for term in self._terms(x, i, value) if term.column]
        at = np.flatnonzero(self.coef[i]).tolist()
        if len(at) > MAX_TERMS or len(terms) != len(at):
            return formula(f"{name} = {number(value)}")
        intercept = value - math.fsum(term.amount for term in terms)
        size = abs(value) + math.fsum(abs(term.amount) for term in terms)
        intercept = 0.0 if abs(intercept) <= ROUNDING * size else intercept
        products = [signed_product(float(self.coef[i, j]), float(x[j])) for j in at]
        side = signed_sum([number(intercept), *products])
        return formula(equation_chain(f"{name} = {side}", number(value)) if products else
                       f"{name} = {number(value)}")  # fmt: skip

    def formulas(self) -> list[LeafFormula]:
        """The models of the leaves, smoothed, from left to right."""
        return [self.formula(i, f"LM{at}") for at, i in enumerate(self.tree.leaves.tolist(), 1)]

    def formula(self, i: int, name: str) -> LeafFormula:
        """The model of a node, smoothed: what rows that end there are answered with."""
        above, more = self.ancestor_terms
        coef = more[i] + self.own[i] * self.coef[i]
        base = above[i] + self.own[i] * self.base[i]
        intercept = base - (coef * self.attributes.fill).sum()
        terms = [(self.attributes.name(j), float(coef[j])) for j in np.flatnonzero(coef).tolist()]
        return LeafFormula(
            i,
            name,
            path_text(self.tree, i),
            float(self.tree.n[i]),
            intercept=float(intercept),
            terms=tuple(terms),
        )

    def leaf_names(self) -> tuple[dict[int, str], dict[int, str]]:
        """The names of the leaves' models, and the models; a guest has its own name, no formula."""
        leaves = self.tree.leaves.tolist()
        if self.guests:
            return dict(zip(leaves, map(constructor_call, self.guests), strict=True)), {}
        told = {formula.node: str(formula) for formula in self.formulas()}
        return {i: f"LM{at}" for at, i in enumerate(leaves, 1)}, told

    def expression(self, schema: Schema) -> RegressorExpression:
        """The splits of the tree, and the smoothed linear model of every node."""
        if self.guests:
            raise KindError(
                "a model tree with learner= calls other estimators at its leaves, so it cannot be "
                "written as an expression. Leave learner= out."
            )
        base, coef = self.ancestor_terms
        base, coef = base + self.own * self.base, coef + self.own[:, None] * self.coef
        terms, fill = self.attributes.expressions(), self.attributes.fill.tolist()
        models = zip(base.tolist(), coef.tolist(), strict=True)
        outcomes = tuple(linear_sum(level, terms, weights, fill) for level, weights in models)
        return RegressorExpression((NumberTree(tree_splits(self.tree), outcomes),))

    def derivation(self, schema: Schema) -> Derivation:
        """Every question, the models of all nodes, and how they are put together."""
        asked, size = derivation(self.tree).steps
        models = [self._node_model_text(i) for i in range(min(len(self.tree), MOST_LINES))]
        steps: list[Any] = [asked, *map(Sentence, models)]
        if len(self.tree) > MOST_LINES:
            steps.append(Sentence(f"... models of {len(self.tree)} nodes in all."))
        if self.smooth:
            k = f"{self.smooth:g}"
            steps.append(
                Shown(
                    f"p ← (n · p + {k} · q) / (n + {k}), from the leaf to the root",
                    rf"p \leftarrow \frac{{n\,p + {k}\,q}}{{n + {k}}}",
                )
            )
        rare = self.attributes.rare.sentences("which are filled in like missing ones")
        return Derivation("Model tree", (*steps, *rare, size))

    def _node_model_text(self, i: int) -> str:
        """A node's own model, before smoothing, and how well it fits."""
        at = np.flatnonzero(self.coef[i]).tolist()
        terms = tuple((self.attributes.name(j), float(self.coef[i, j])) for j in at)
        formula = LeafFormula(i, f"q{i}", "", 0.0, intercept=float(self.intercept[i]), terms=terms)
        n, error = format_number(float(self.tree.n[i])), format_number(float(self.error[i]))
        return f"node {i}, {n} rows, error {error}: {formula}"
