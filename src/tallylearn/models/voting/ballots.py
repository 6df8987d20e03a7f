"""Ballots: what fitted members say of a row, weighed and added up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import KindError
from tallylearn.estimators import ClassificationModel, RegressionModel
from tallylearn.estimators.estimator import Estimator, constructor_call
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    Literal,
    ModelExpression,
    OneHot,
    Product,
    RegressorExpression,
    SelectedEntries,
    Sum,
    TieRule,
    Vector,
    WeightedMean,
)
from tallylearn.models.trees.least_loss import UNDEFINED, answer_of
from tallylearn.models.voting import members
from tallylearn.reporting.formatting import format_number
from tallylearn.tables import UNKNOWN, Array, Block, Schema, field_schemas
from tallylearn.workings import Derivation, Evidence, EvidenceLine, Formula, Grid, Term
from tallylearn.workings.equations import equation_chain, formula, number
from tallylearn.workings.evidence_table import MAX_EXPLAINED_ROWS
from tallylearn.workings.weighted_sums import MAX_SHOWN_TERMS, weighted_sum

NO_LOSS = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Ballots(ClassificationModel, RegressionModel):
    """Fitted members, and how their answers count."""

    form: ClassVar[field_schemas.Form] = {
        "names": field_schemas.names("m"),
        "models": field_schemas.many(field_schemas.one(Estimator), "m"),
        "weights": field_schemas.floats("m", least=0.0),
        "rows": field_schemas.count(),
        "classes": field_schemas.keys("k"),
        "voting": field_schemas.text("hard", "soft"),
        "tie": field_schemas.text("first", UNDEFINED),
    }
    names: tuple[str, ...]
    models: tuple[Any, ...]
    weights: Array  # (members,) their sum is 1
    rows: int  # that they learned from
    classes: tuple[Any, ...] = ()  # () of numbers
    voting: str = "hard"
    tie: str = "first"

    def votes(self, block: Block) -> Array:
        """(members, n, k) what every member gives each class; of numbers (members, n, 1)."""
        named = [*zip(self.names, self.models, strict=True)]
        if not self.classes:
            return np.stack([members.member_predictions(*one, block)[:, None] for one in named])
        if self.voting == "soft":
            return np.stack(
                [members.member_probabilities(*one, block, self.classes) for one in named]
            )
        k = len(self.classes)
        said = [members.member_votes(*one, block, self.classes) for one in named]
        return np.stack([members.one_hot(at, k) for at in said])

    def shares(self, block: Block) -> Array:
        """(n, k) the share of the votes, or the mean of the probabilities."""
        return self._weighted_sum(self.votes(block))

    def _weighted_sum(self, votes: Array) -> Array:
        return np.asarray(np.tensordot(self.weights, votes, axes=1))

    def predictions(self, block: Block) -> Array:
        """(n,) the mean of the members' answers."""
        return np.ascontiguousarray(self.shares(block)[:, 0])

    def predict_classes(self, block: Block) -> Array:
        """(n,) the class of most votes; of tied ones the first, or -1 where that is undefined."""
        return self.decide(self.shares(block))

    def decide(self, shares: Array) -> Array:
        counts = np.round(shares, 12)  # thirds that add up in another order are tied all the same
        return np.asarray(answer_of(counts, NO_LOSS, self.tie), dtype=np.int64)

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        shares = self.shares(block)
        return self.decide(shares), shares

    def evidence(self, block: Block) -> list[Evidence]:
        """What every member adds to every class, or to the number."""
        given = self.votes(block)
        votes, added = given * self.weights[:, None, None], self._weighted_sum(given)
        said = self.decide(added) if self.classes else added[:, 0]
        found = [self._of_row(votes[:, i], said[i], added[i]) for i in range(len(block))]
        return [
            replace(row, working=self._working(given[:, i], added[i]), terms_shown=True)
            if i < MAX_EXPLAINED_ROWS
            else row
            for i, row in enumerate(found)
        ]

    def _working(self, given: Array, added: Array) -> tuple[Grid | Formula, ...]:
        """The vote of every member, and the weighted mean of the votes."""
        hard = bool(self.classes) and self.voting == "hard"
        columns = [*map(str, self.classes)] if self.classes else ["prediction"]
        rows = []
        for name, weight, vote in zip(self.names, self.weights.tolist(), given, strict=True):
            told = [*map(number, vote.tolist())]
            if hard:
                told = [str(self.classes[c]) for c in np.flatnonzero(vote)] or ["no class"]
            rows.append((name, number(weight), *told))
        title = "probabilities of the members" if self.classes else "predictions of the members"
        grid = Grid(
            "votes of the members" if hard else title,
            ("member", "weight", *(["vote"] if hard else columns)), tuple(rows),
        )  # fmt: skip
        if len(self.names) > MAX_SHOWN_TERMS:
            return (grid,)
        formulas = []
        for c, value in enumerate(added.tolist()[:MAX_SHOWN_TERMS]):
            pairs = [*zip(self.weights.tolist(), given[:, c].tolist(), strict=True)]
            left = f"share({columns[c]})" if hard else f"P({columns[c]})"
            side = weighted_sum(None, pairs)
            formulas.append(
                formula(equation_chain(left if self.classes else "ŷ", side, number(value)))
            )
        return (grid, *formulas)

    def _of_row(self, votes: Array, said: Any, added: Array) -> Evidence:
        def line(c: int, outcome: Any, share: float | None) -> EvidenceLine:
            terms = [Term(n, "", float(v[c])) for n, v in zip(self.names, votes, strict=True)]
            return EvidenceLine(outcome, tuple(terms), share)

        if not self.classes:
            return Evidence((line(0, "ŷ", None),), float(said), "sum")
        lines = tuple(line(c, name, float(added[c])) for c, name in enumerate(self.classes))
        chosen = UNDEFINED if said < 0 else self.classes[int(said)]
        return Evidence(lines, chosen, "votes")

    def expression(self, schema: Schema) -> ModelExpression:
        """The weighted mean of the members' numbers, probabilities or votes."""
        weights = tuple(self.weights.tolist())
        found = [self._member(*pair) for pair in zip(self.names, self.models, strict=True)]
        if not self.classes:
            numbers = [one.values[0] for one in found if isinstance(one, RegressorExpression)]
            parts = [Product((Literal(w), one)) for w, one in zip(weights, numbers, strict=True)]
            return RegressorExpression((Sum(tuple(parts)),))
        votes = [self._votes(one) for one in found if isinstance(one, ClassifierExpression)]
        shares = WeightedMean(tuple(votes), weights)
        ties = TieRule(absolute=1e-12, choose=self.tie)
        return ClassifierExpression(self.classes, Argmax(shares, ties), shares)

    def _member(self, name: str, model: Any) -> ModelExpression:
        if not isinstance(model, Estimator):
            raise KindError(
                f"the member {name!r} is {constructor_call(model)}, which cannot be written as an "
                "expression. Leave it out."
            )
        found: ModelExpression = model.model_.expression(model.schema_)
        return found

    def _votes(self, member: ClassifierExpression) -> Vector:
        """What a member gives every class of the vote: it may know fewer."""
        known, vote = list(member.classes), member.probabilities
        if self.voting == "hard":
            vote = OneHot(member.choice, len(known))
        places = [known.index(name) if name in known else -1 for name in self.classes]
        return vote if member.classes == self.classes else SelectedEntries(vote, tuple(places))

    def derivation(self, schema: Schema) -> Derivation:
        """The members and their weights."""
        rows = tuple(
            (name, constructor_call(model), format_number(float(w)))
            for name, model, w in zip(self.names, self.models, self.weights, strict=True)
        )
        return Derivation("Vote", (Grid("members", ("name", "learner", "weight"), rows),))

    def check(self, schema: Schema) -> None:
        """What a file says can be members that learned from columns of this schema."""
        told = [(column.name, column.kind) for column in schema.columns]
        for one in self.models:
            if not one.__sklearn_is_fitted__():
                raise ValueError("a member of the vote is not fitted")
            seen = [(column.name, column.kind) for column in one.schema_.columns]
            unseen = {name for name, kind in seen if kind == UNKNOWN}  # which it counted nothing of
            if seen != [(name, UNKNOWN if name in unseen else kind) for name, kind in told]:
                raise ValueError("a member of the vote asks other columns than the schema's")
            if one.task != ("classifier" if self.classes else "regressor"):
                raise ValueError("a member of the vote answers with another kind of thing")
            if self.classes and not {*one.model_.classes} <= {*self.classes}:
                raise ValueError("a member of the vote knows other classes")
        if abs(self.weights.sum() - 1) > 1e-9:
            raise ValueError("the weights of the members are no shares")
