"""A model: what was learned, and what it says of a row, whatever learned it.

Models are frozen dataclasses. One of classes has ``scores(block)``, or decides in its own way, as a
tree does; one of numbers has ``answers(block)``. Both give their evidence and their derivation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from tallylearn.errors import KindError
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    ModelExpression,
    Softmax,
    TieRule,
    Vector,
)
from tallylearn.expressions.nodes import FIRST, LAST
from tallylearn.kernels import evidence_sums
from tallylearn.tables import Array, Block, Schema
from tallylearn.workings import Derivation, Evidence
from tallylearn.workings.reasons import Contributions

TIED = 1e-9  # log scores closer than this are tied: odds of one to one, to nine digits
ROUNDING_TOLERANCE = 1e-14  # and scores that differ by rounding only, relative to the best
FAR = 1e5  # times ROUNDING_TOLERANCE: from there on rounding reaches nine digits of a probability


class Solved(ABC):
    """What was learned, whatever it is for: how it came about, and whether a file may hold it."""

    @abstractmethod
    def derivation(self, schema: Schema) -> Derivation:
        """How the model came out of its rows, step by step."""

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """What a file says can have been learned from columns of this schema, or a ValueError."""

    @property
    def category_values(self) -> Mapping[str, tuple[str, ...]]:
        """The values of categories that say something, by column."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: the fields, and nothing that was worked out from them since."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


class Model(Solved):
    """What every fitted model answers."""

    @abstractmethod
    def evidence(self, block: Block) -> list[Evidence]:
        """For every row the summands of its answer."""

    def contributions(self, block: Block, found: list[Evidence]) -> list[Contributions] | None:
        """For every row what each column adds to the prediction; None if that is no sum over them.

        ``found`` is the evidence of the rows.
        """
        return None

    def split_thresholds(self) -> Mapping[str, Array] | None:
        """The values of every column of numbers at which predictions may change.

        None if they may change at any value, as in a sum of coefficients times values.
        """
        return None

    def expression(self, schema: Schema) -> ModelExpression:
        """The decision function as an expression of the columns of this schema.

        ``tallylearn.expressions.evaluate`` computes it slowly; ``predict`` has kernels of its own,
        and the contract suite compares the two.
        """
        raise KindError(f"{type(self).__name__} cannot be written as an expression.")


class ClassificationModel(Model):
    """Decides for a class, and gives every class a share."""

    if TYPE_CHECKING:  # a dataclass would take a property here for the default of a field

        @property
        def classes(self) -> tuple[Any, ...]:
            """(k,) sorted."""

    @abstractmethod
    def predict_classes(self, block: Block) -> Array:
        """(n,) the place of the class that each row gets; -1 where a tie is to have none."""

    @abstractmethod
    def shares(self, block: Block) -> Array:
        """(n, k) the probability of every class."""

    def log_shares(self, block: Block) -> Array:
        """(n, k) their logarithms."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.shares(block)))

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        """The predicted classes and the probabilities of all classes, where both are needed."""
        return self.predict_classes(block), self.shares(block)


class ScoringModel(ClassificationModel):
    """Scores every class; the best is chosen, and shares go as the exponentials of the scores."""

    @abstractmethod
    def scores(self, block: Block) -> Array:
        """(n, k) what speaks for every class."""

    def choose(self, scores: Array) -> Array:
        """(n,) the place of the best class; of tied ones the first."""
        return choice(scores)

    def predict_classes(self, block: Block) -> Array:
        return self.choose(self.scores(block))

    def shares(self, block: Block) -> Array:
        return np.asarray(np.exp(self.log_shares(block)))

    def log_shares(self, block: Block) -> Array:
        return log_shares(self.scores(block))

    def classes_and_probabilities(self, block: Block) -> tuple[Array, Array]:
        scores = self.scores(block)
        return self.choose(scores), np.exp(log_shares(scores))


class JointModel(ScoringModel):
    """A model of P(x, c)."""

    @abstractmethod
    def joint(self, block: Block) -> Array:
        """(n, k) log P(x, c) for every row and class."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """How many free parameters it has."""


class RegressionModel(Model):
    """Answers with a number."""

    @abstractmethod
    def predictions(self, block: Block) -> Array:
        """(n,) what each row is answered."""


def tie_rule(at_half: str = "first", tied: float = TIED) -> TieRule:
    """The ties of ``choice``, for expressions."""
    return TieRule(tied, ROUNDING_TOLERANCE, choose=LAST if at_half == "positive" else FIRST)


def build_score_expression(
    classes: tuple[Any, ...], scores: Vector, at_half: str = "first"
) -> ClassifierExpression:
    """The best score is chosen, and probabilities are the softmax of the scores."""
    return ClassifierExpression(classes, Argmax(scores, tie_rule(at_half)), Softmax(scores))


def log_shares(scores: Array) -> Array:
    """Scores as the logarithms of shares that sum to one; what is tied has equal shares."""
    by_class = np.ascontiguousarray(scores.T)  # few classes: runs of rows are summed faster
    best = by_class.max(axis=0)
    if len(far := np.flatnonzero(np.abs(best) > FAR)):  # elsewhere nine digits are equal anyway
        tied = by_class[:, far] >= best[far] - TIED - ROUNDING_TOLERANCE * np.abs(best[far])
        by_class[:, far] = np.where(tied, best[far], by_class[:, far])
    with np.errstate(over="ignore"):  # a class that is 1e308 behind has no share
        by_class -= best
    by_class -= np.log(np.exp(by_class).sum(axis=0))
    return np.ascontiguousarray(by_class.T)


def choice(scores: Array, at_half: str = "first", tied: float = TIED) -> Array:
    """The best class of every row; of tied ones the first, or the last with "positive"."""
    out = np.zeros(len(scores), dtype=np.int64)
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    evidence_sums.choose(scores, tied, ROUNDING_TOLERANCE, at_half == "positive", out)
    return out
