"""Neighbour models: examples with their answers, and how the nearest of them are put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tallylearn.estimators import ClassificationModel, RegressionModel
from tallylearn.estimators.model import Model, choice, tie_rule
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    NeighborMean,
    NeighborVotes,
    RegressorExpression,
)
from tallylearn.models.neighbors.examples import Examples
from tallylearn.models.neighbors.examples_in_files import ExamplesInFiles
from tallylearn.models.neighbors.neighbour_expression import (
    check_expressible,
    distance_expression,
    example_rows,
)
from tallylearn.models.neighbors.neighbour_working import (
    NeighbourSteps,
    Step,
    mean_formula,
    share_formulas,
)
from tallylearn.models.neighbors.votes import Weigh, votes
from tallylearn.tables import Array, Block, Schema, field_schemas
from tallylearn.tallies import Nearest
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Term, format_number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS


class NeighbourModel(Model):
    """What both models have in common: the neighbours of a row, wherever the examples are."""

    examples: Any
    target: Array

    @property
    def category_values(self) -> dict[str, tuple[str, ...]]:
        """The values of categories that some example has."""
        found: dict[str, tuple[str, ...]] = self.examples.category_values
        return found

    def with_neighbours(self, block: Block, contents: bool = False) -> tuple[Self, Nearest]:
        """A model with the examples that are near, and whose neighbours they are."""
        if isinstance(self.examples, ExamplesInFiles):
            return self.holding(self.examples.search(block, contents=contents))
        return self, self.examples.search(block)

    def holding(self, found: Nearest) -> tuple[Self, Nearest]:
        """The same of neighbours that were found before."""
        if not isinstance(self.examples, ExamplesInFiles):
            return self, found
        examples, target, found = self.examples.load_neighbours(found)
        return replace(self, examples=examples, target=target), found  # type: ignore[type-var]

    def distance_steps(self, block: Block, found: Nearest, i: int, weight: Array) -> list[Step]:
        """The distances of a row to its neighbours, and their votes."""
        near = found.of_query(i)
        examples: Examples = self.examples
        working = NeighbourSteps(examples, block, i, found.rows[near], found.distances[near])
        steps = [*working.steps()]
        if examples.weights in ("distance", "inverse_square"):
            steps += working.weights(weight[near], examples.weights)
        return steps


@dataclass(frozen=True)
class NeighbourClassModel(NeighbourModel, ClassificationModel):
    """Examples with their classes: the neighbours of a row vote."""

    classes: tuple[Any, ...]
    examples: Examples | ExamplesInFiles
    target: Array  # (m,) int64, places among the classes
    weigh: Weigh | None = None  # a function of distances, which no file holds

    form: ClassVar[field_schemas.Form] = {
        "classes": field_schemas.keys("k", least=1),
        "examples": field_schemas.one(Examples),
        "target": field_schemas.integers("m", least=0),
        "weigh": field_schemas.nothing,
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.examples.check(schema)
        if len(self.target) != len(self.examples) or (self.target >= len(self.classes)).any():
            raise ValueError("the examples have other classes than there are")

    def shares(self, block: Block) -> Array:
        model, found = self.with_neighbours(block)
        return model.vote_shares(found)

    def vote_shares(self, found: Nearest) -> Array:
        """(n, k) the share of the votes that every class gets."""
        weight = votes(found, self.examples.weights, self.weigh)
        k = len(self.classes)
        cell = found.queries * k + self.target[found.rows]
        counts = np.bincount(cell, weight, minlength=len(found) * k).reshape(len(found), k)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def predict_classes(self, block: Block) -> Array:
        return self.classes_and_probabilities(block)[0]

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return choice(shares), shares

    def evidence(self, block: Block) -> list[Evidence]:
        """Every neighbour with its vote, under the class that it votes for."""
        model, found = self.with_neighbours(block, contents=True)
        weight, shares = votes(found, self.examples.weights, self.weigh), model.vote_shares(found)
        best = choice(shares)
        return [
            Evidence(
                model._lines(block.schema, found, i, weight, shares[i]),
                self.classes[best[i]],
                "votes",
                working=model._working(block, found, i, weight),
                terms_shown=True,
            )
            for i in range(len(block))
        ]

    def _working(self, block: Block, found: Nearest, i: int, weight: Array) -> tuple[Step, ...]:
        if i >= MAX_EXPLAINED_ROWS:
            return ()
        near, votes = found.of_query(i), weight[found.of_query(i)]
        labels = self.target[found.rows[near]]
        shares = share_formulas(self.classes, labels, votes)
        return (*self.distance_steps(block, found, i, weight), *shares)

    def _lines(
        self, schema: Schema, found: Nearest, i: int, weight: Array, shares: Array
    ) -> tuple[EvidenceLine, ...]:
        terms: dict[int, list[Term]] = {}
        for at in range(found.of_query(i).start, found.of_query(i).stop):
            term = neighbour(self.examples, schema, found, at, float(weight[at]))
            terms.setdefault(int(self.target[found.rows[at]]), []).append(term)
        return tuple(
            EvidenceLine(self.classes[c], tuple(terms[c]), float(shares[c])) for c in sorted(terms)
        )

    def expression(self, schema: Schema) -> ClassifierExpression:
        """The votes of the nearest examples."""
        check_expressible(self.examples, self.weigh)
        assert isinstance(self.examples, Examples)
        votes = NeighborVotes(
            distance_expression(self.examples),
            example_rows(self.examples),
            labels=tuple(self.target.tolist()),
            classes=len(self.classes),
            k=self.examples.k,
            weights=self.examples.weights,
            ties=self.examples.ties,
        )
        return ClassifierExpression(self.classes, Argmax(votes, tie_rule()), votes)

    def derivation(self, schema: Schema) -> Derivation:
        """The rule."""
        return self.examples.derivation("the class that most votes go to,", schema)


@dataclass(frozen=True)
class NeighbourMeanModel(NeighbourModel, RegressionModel):
    """Examples with their numbers: the neighbours of a row are averaged."""

    examples: Examples | ExamplesInFiles
    target: Array  # (m,)
    weigh: Weigh | None = None

    form: ClassVar[field_schemas.Form] = {
        "examples": field_schemas.one(Examples),
        "target": field_schemas.floats("m"),
        "weigh": field_schemas.nothing,
    }

    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema."""
        self.examples.check(schema)
        if len(self.target) != len(self.examples):
            raise ValueError("the examples have other targets than there are")

    def predictions(self, block: Block) -> Array:
        model, found = self.with_neighbours(block)
        return model.mean_targets(found)

    def mean_targets(self, found: Nearest) -> Array:
        """(n,) the mean of the neighbours' numbers, by their votes."""
        parts = self._parts(found) * self.target[found.rows]
        return np.bincount(found.queries, parts, minlength=len(found))

    def _parts(self, found: Nearest) -> Array:
        """(m,) the share of every neighbour in the answer."""
        weight = votes(found, self.examples.weights, self.weigh)
        whole = np.bincount(found.queries, weight, minlength=len(found))
        return np.asarray(weight / whole[found.queries])

    def evidence(self, block: Block) -> list[Evidence]:
        """Every neighbour with what it adds to the answer."""
        model, found = self.with_neighbours(block, contents=True)
        parts, answers = model._parts(found), model.mean_targets(found)
        weight = votes(found, self.examples.weights, self.weigh)
        return [
            Evidence((EvidenceLine("ŷ", model._terms(block.schema, found, i, parts)),),
                     float(answers[i]), "sum", working=model._working(block, found, i, weight),
                     terms_shown=True)
            for i in range(len(block))
        ]  # fmt: skip

    def _working(self, block: Block, found: Nearest, i: int, weight: Array) -> tuple[Step, ...]:
        if i >= MAX_EXPLAINED_ROWS:
            return ()
        near = found.of_query(i)
        mean = mean_formula(weight[near], self.target[found.rows[near]])
        return (*self.distance_steps(block, found, i, weight), mean)

    def _terms(self, schema: Schema, found: Nearest, i: int, parts: Array) -> tuple[Term, ...]:
        amounts = parts * self.target[found.rows]
        return tuple(
            neighbour(self.examples, schema, found, at, float(amounts[at]))
            for at in range(found.of_query(i).start, found.of_query(i).stop)
        )

    def expression(self, schema: Schema) -> RegressorExpression:
        """The mean of the nearest examples."""
        check_expressible(self.examples, self.weigh)
        assert isinstance(self.examples, Examples)
        mean = NeighborMean(
            distance_expression(self.examples),
            example_rows(self.examples),
            targets=tuple(self.target.tolist()),
            k=self.examples.k,
            weights=self.examples.weights,
            ties=self.examples.ties,
        )
        return RegressorExpression((mean,))

    def derivation(self, schema: Schema) -> Derivation:
        """The rule."""
        return self.examples.derivation("the mean", schema)


def neighbour(examples: Any, schema: Schema, found: Nearest, at: int, amount: float) -> Term:
    """A neighbour by the number of its row, how far it is, and what it holds."""
    place, distance = int(found.rows[at]), found.distances[at]
    return Term(f"row {examples.rows[place]}", format_number(distance), amount,
                text=examples.describe_row(place, schema), sign="at")  # fmt: skip
