"""Likelihoods: what a learner can do that models P(x, c) itself, not only P(c | x)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import OptionError, TargetError, speaking, told
from tallylearn.estimators import Classifier, ScoringModel
from tallylearn.estimators.fit_input import lesson
from tallylearn.statistics.resampling import generator
from tallylearn.tables import Array, Block


class JointModel(ScoringModel):
    """A model of P(x, c)."""

    @abstractmethod
    def joint(self, block: Block) -> Array:
        """(n, k) log P(x, c) for every row and class."""

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """How many free parameters it has."""


class Generative(Classifier):
    """Gives rows a probability, and draws new ones."""

    family: ClassVar[str] = "generative"
    model_: JointModel

    def predict_joint_log_proba(self, X: Any) -> Array:
        """log P(x, c) for every class: prior times likelihood, not normalised."""
        return self._mapped(X, lambda block: self.model_.joint(block))

    def log_likelihood(self, X: Any, y: Any = None) -> float:
        """The logarithm of the probability, or density, of these rows with their classes."""
        self._check_fitted()
        total = 0.0
        with speaking(type(self).__name__):
            read = lesson(X, y, None, type(self).__name__, self.task, self.schema_)
            for block in read.blocks():
                at = block.target.among(self.model_.classes)
                if (at < 0).any():
                    odd = block.target.items()[int(np.argmax(at < 0))]
                    raise TargetError(f"the class {odd!r} was never learned.")
                total += float(self.model_.joint(block)[np.arange(len(block)), at].sum())
        return total

    def sample(
        self, n: int = 1, random_state: int | None = None
    ) -> tuple[list[dict[str, Any]], Array]:
        """n new rows, and their classes, drawn from the fitted P(x, c)."""
        self._check_fitted()
        if not isinstance(n, int) or isinstance(n, bool) or not 0 <= n < 1 << 48:
            raise OptionError(
                f"{type(self).__name__}: {told(n)} rows cannot be drawn. Give a whole number, 0 or "
                "more."
            )
        with speaking(type(self).__name__):
            rows, drawn = self._sampled(n, generator(type(self).__name__, random_state))
        return rows, self.classes_[drawn]

    @property
    def n_parameters_(self) -> int:
        """The number of free parameters."""
        self._check_fitted()
        return self.model_.n_parameters

    @abstractmethod
    def _sampled(self, n: int, rng: np.random.Generator) -> tuple[list[dict[str, Any]], Array]:
        """n rows of the table, and the places of their classes."""
