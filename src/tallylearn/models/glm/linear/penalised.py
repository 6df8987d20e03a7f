"""Penalised learners: weights that pay for their size, and a penalty that folds can choose."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from tallylearn.errors import InputError, MergeError, OptionError, told
from tallylearn.models.design.filled_scatter import solving
from tallylearn.models.glm.linear.cross_validated_penalty import Folded
from tallylearn.models.glm.paths import CoefficientPath, CrossValidated
from tallylearn.models.glm.solvers.least_squares import LeastSquaresProblem, problem_from_scatter
from tallylearn.models.glm.sufficient_statistics import FoldMoments, fold_moments
from tallylearn.tables import Array


class Penalised(Folded):
    """Weights for a whole path of penalties, out of one tally; alpha="cv" chooses by folds."""

    listed: ClassVar[tuple[str, ...]] = ("alphas",)
    alpha: Any
    alphas: Any

    @abstractmethod
    def _path(self, normal: LeastSquaresProblem, penalty: Array) -> tuple[Array, Array]:
        """(m, t, p) the weights for every penalty, and (m,) how far they may be from the best."""

    @abstractmethod
    def _grid(self, normal: LeastSquaresProblem) -> Array:
        """(m,) penalties to try, the largest first."""

    @property
    def _by_folds(self) -> bool:
        return isinstance(self.alpha, str) and self.alpha == "cv"

    @property
    def _asked(self) -> str:
        return "alpha='cv'"

    def _chosen(self, sums: FoldMoments) -> CrossValidated | None:
        """How folds judge the penalties; None where alpha is given."""
        if not self._by_folds:
            return None
        parts = self._parts(sums)
        penalty = self._penalties(problem_from_scatter(parts.total(), bool(self.fit_intercept)))
        return self._judged(parts, penalty, lambda normal: self._path(normal, penalty)[0])

    def _penalties(self, normal: LeastSquaresProblem) -> Array:
        if self.alphas is None:
            return self._grid(normal)
        return self._given()

    def _given(self) -> Array:
        """The penalties of the option, the largest first."""
        return np.sort(np.asarray(self.alphas, dtype=np.float64))[::-1].copy()

    @property
    def alpha_(self) -> Any:
        """The penalty: the one given, or chosen."""
        self._check_fitted()
        choice = self.model_.choice
        return self.alpha if choice is None else self._picked(choice)

    @property
    def folds_(self) -> CrossValidated:
        """How the folds judged every penalty, with alpha="cv"."""
        self._check_fitted()
        if self.model_.choice is None:
            raise AttributeError("there is no 'folds_' without alpha='cv'")
        return self.model_.choice

    def path(self, alphas: Any = None) -> CoefficientPath:
        """The weights for every penalty of a grid, out of what was counted: no row is read."""
        self._check_fitted()
        with self._learning():
            if len(self.model_.coef) > 1:
                raise InputError("a path is of one target. Fit one by one.")
            choice = self.model_.choice if alphas is None else None
            given = self.alphas if alphas is None else alphas
            given = choice.penalty if choice is not None else given
            given = None if given is None else np.sort(self._checked_alphas(given))[::-1].copy()
            taken = self._tally_path if self.tally_ is not None else self._rows_path
            penalty, level, coef, gap = taken(given)
        order = self.model_.design.order(self.schema_)
        judged = (np.empty(0),) * 2 if choice is None else (choice.error, choice.deviation)
        chosen = float(np.min(self.alpha_))
        return CoefficientPath(self.columns_, penalty, level, coef[:, order], chosen, gap, *judged)

    def _tally_path(self, given: Array | None) -> tuple[Array, Array, Array, Array]:
        """Penalties (m,), intercepts (m,), weights (m, p) and gaps (m,) out of the tally."""
        with solving(lambda: self._counted(self.tally_)):
            tally = self._in_rows(self.tally_)
            sums = fold_moments(tally, self._spelled())
            normal = self._normal(tally, sums)
            penalty = self._grid(normal) if given is None else given
            coef, gap = self._path(normal, penalty)
        level = normal.mean[normal.p] - coef[:, 0] @ normal.mean[: normal.p]
        return penalty, level, coef[:, 0], gap

    def _rows_path(self, given: Array | None) -> tuple[Array, Array, Array, Array]:
        """The same where there is no tally."""
        raise MergeError(
            "this model has no tally, and no path: it was saved without one, or rare values were "
            "pooled to fit memory."
        )

    def _checked_alphas(self, given: Any) -> Array:
        try:
            found = np.asarray(given, dtype=np.float64)
        except Exception:  # whatever an object raises that is no number
            found = np.empty(0)
        if found.ndim != 1 or not len(found) or not (np.isfinite(found) & (found >= 0)).all():
            raise OptionError(f"alphas are penalties, 0 or more, in a list, not {told(given)}.")
        return found

    def _check_options(self) -> None:
        super()._check_options()
        if isinstance(self.alpha, str) and self.alpha != "cv":
            raise OptionError(
                f"The 'alpha' parameter of {type(self).__name__} must be a float in the range "
                f"[0, inf), or 'cv'. Got {told(self.alpha)} instead."
            )
        if self.alphas is not None:
            self._checked_alphas(self.alphas)
