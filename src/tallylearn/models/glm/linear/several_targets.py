"""Several targets: one table of columns is solved for each of them, from the same sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tallylearn.estimators.call_style import Manner
from tallylearn.estimators.missing_targets import Unanswered
from tallylearn.estimators.one_pass import OnePass
from tallylearn.sources.class_labels import Aim


class SeveralTargets(OnePass):
    """Learners that keep the sums of every target by its place, and remember their names."""

    _targets: tuple[str, ...] = ()  # the names of several, "" where they have none

    def _aim(self, X: Any, y: Any) -> Aim:
        return aim_of(X, y)

    def _manner(self) -> Manner:
        return replace(super()._manner(), targets=self._targets)

    def _remember(self, manner: Manner, unanswered: Unanswered) -> None:
        super()._remember(manner, unanswered)
        self._targets = manner.targets

    def _derive(self) -> None:
        super()._derive()
        if self.model_ is None or len(self.model_.coef) == 1:
            return
        if any(self._targets):
            self.model_ = replace(self.model_, targets=self._targets)
        else:  # of a file
            self._targets = self.model_.targets or ("",) * len(self.model_.coef)


def aim_of(X: Any, y: Any) -> Aim:
    """One number a row, or several, as the target or its names say."""
    if y is None:
        declared = getattr(getattr(X, "declared", None), "targets", ())
        return ("regressor",) if len(declared) > 1 else "regressor"
    shape = getattr(y, "shape", ())
    if isinstance(y, list | tuple) and len(y):
        inner = y[0]
        if isinstance(inner, str) and not _has_names(X):
            return "regressor"
        several = isinstance(inner, list | tuple | np.ndarray)
        shape = (2, 2) if isinstance(inner, str) else (len(y), len(inner) if several else 1)
    wide = isinstance(shape, tuple) and len(shape) == 2 and shape[1] > 1
    return ("regressor",) if wide else "regressor"


def _has_names(X: Any) -> bool:
    """Whether words can name columns of a table; those beside plain rows are its target."""
    plain = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple | np.ndarray)
    return not plain and not isinstance(X, np.ndarray)
