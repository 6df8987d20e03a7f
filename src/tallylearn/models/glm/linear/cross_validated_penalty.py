"""Folds of one pass: rows are dealt by what they hold, counted apart, and judge what to choose."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, OptionError, told
from tallylearn.models.design.matrix import Design
from tallylearn.models.design.rare_categories import Rare
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tallylearn.models.glm.linear.linear_model import LinearModel
from tallylearn.models.glm.paths import CrossValidated, cross_validate
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, problem_from_scatter
from tallylearn.models.glm.sufficient_statistics import FoldMoments
from tallylearn.tables import Array

MAX_FOLDS = 1000  # most


CoefficientsOf = Callable[
    [LeastSquaresProblem], Array
]  # (m, t, p) weights for every candidate, of some folds' rows


class Folded(LinearEstimator):
    """Counts folds apart where they are to choose, and chooses by them."""

    shaping: ClassVar[tuple[str, ...]] = (*LinearEstimator.shaping, "folds")
    stored: ClassVar[tuple[type, ...]] = (LinearModel, Design, Rare, CrossValidated)
    folds: Any
    rule: str

    @property
    @abstractmethod
    def _by_folds(self) -> bool:
        """Whether folds choose."""

    @property
    @abstractmethod
    def _asked(self) -> str:
        """The option that asks for folds, as a user writes it."""

    def shape(self) -> tuple[tuple[str, Any], ...]:
        """Folds are counted apart only where they choose."""
        return (*super().shape()[:-1], ("folds", self._folds()))

    def _folds(self) -> int:
        return int(self.folds) if self._by_folds else 1

    def _parts(self, sums: FoldMoments) -> FoldMoments:
        """The folds that have rows, two at least."""
        if np.count_nonzero(sums.rows) < 2:
            raise InputError(
                f"{self._asked} needs rows in two folds at least, and all are alike. Give a number."
            )
        there = sums.rows > 0
        parts = (sums.rows, sums.mean, sums.scatter, sums.low)
        return FoldMoments(sums.design, *(part[there] for part in parts))

    def _judged(
        self, parts: FoldMoments, penalty: Array, weighed: CoefficientsOf
    ) -> CrossValidated:
        """The errors of every candidate on the folds that it was not learned from."""
        centred, folds = bool(self.fit_intercept), range(len(parts.rows))
        paths = [weighed(problem_from_scatter(parts.without(fold), centred)) for fold in folds]
        return cross_validate(paths, parts, penalty, centred)

    def _picked(self, choice: CrossValidated) -> float:
        return choice.sparest if self.rule == "1se" else choice.best

    def _check_options(self) -> None:
        super()._check_options()
        self._check_whole("folds", 2, MAX_FOLDS)
        self._one_of("rule", ("best", "1se"))

    def _check_whole(self, option: str, least: int, most: int) -> None:
        given = getattr(self, option)
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if not whole or not least <= given <= most:
            raise OptionError(
                f"The {option!r} parameter of {type(self).__name__} must be an int in the range "
                f"[{least}, {most}]. Got {told(given)} instead."
            )
