"""Which options of logistic regression go together, and which values they take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tallylearn.errors import OptionError, told
from tallylearn.estimators.option_values import by_label
from tallylearn.models.glm.gradient_descent import given_numbers


def check_class_weight(given: Any) -> None:
    """None, "balanced", or weights above 0 by class."""
    if given is None or (isinstance(given, str) and given == "balanced"):
        return
    given = by_label(given)
    fine = isinstance(given, Mapping) and all(
        isinstance(w, int | float | np.number) and not isinstance(w, bool) and 0 < w < np.inf
        for w in given.values()
    )
    if not fine:
        raise OptionError(
            "class_weight is None, 'balanced', or a weight above 0 for classes by name, such as "
            f"{{'yes': 2}}, not {told(given)}."
        )


def check_search(learner: Any) -> None:
    """How weights are searched for: by what, from where, and for how long."""
    first = np.zeros(1) if learner.initial is None else given_numbers(learner.initial)
    if not first.size or not np.isfinite(first).all():
        raise OptionError(f"initial should be finite numbers. It is {told(learner.initial)}.")
    solver = learner.solver if isinstance(learner.solver, str) else ""
    if solver == "liblinear":
        raise OptionError(
            "solver='liblinear' penalises the constant, and leads to other weights. Leave solver "
            "out."
        )
    if learner.loss == "squared" and solver != "gradient":
        raise OptionError("loss='squared' goes with solver='gradient'.")
    if learner.initial is not None and solver != "gradient":
        raise OptionError(
            "initial goes with solver='gradient': other searches come to the same weights from "
            "anywhere. Leave it out, or take that solver."
        )
    most = learner.max_iter
    if not isinstance(most, int | np.integer) or isinstance(most, bool) or most < 1:
        raise OptionError(
            "The 'max_iter' parameter of LogisticRegression must be an int of 1 or more. Got "
            f"{told(most)} instead."
        )
