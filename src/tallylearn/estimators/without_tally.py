"""Learners that keep no tally: what they learned can neither be merged nor forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

from tallylearn import modelfile
from tallylearn.errors import ForgetError
from tallylearn.estimators.call_style import Manner
from tallylearn.estimators.missing_targets import Unanswered
from tallylearn.estimators.model import Model
from tallylearn.estimators.options import fitted
from tallylearn.estimators.sklearn_shell import Estimator
from tallylearn.tables import Schema


class Untallied(Estimator):
    """Keeps its model alone."""

    stored: ClassVar[tuple[type, ...]] = ()  # what a model file of it may hold
    tally_: Any = fitted(initial=None)  # there is none

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Refused: no sum was kept, so nothing can be taken out of it."""
        self._check_fitted()
        raise ForgetError(
            f"{type(self).__name__}: the model keeps no tally, so no row can be taken out of it. "
            "Fit again without those rows."
        )

    def save(self, path: str | Path, tally: bool = True) -> None:
        """Write a model file; there is no tally to keep or to leave out."""
        with self._learning():
            self._check_fitted()
            modelfile.save(self, path, tally=False)

    def _learn(self, schema: Schema, model: Model, manner: Manner, unanswered: Unanswered) -> None:
        self.schema_, self.model_ = schema, model
        self._remember(manner, unanswered)
        self._derive()
