"""Weights of a fit: under which name an estimator of another library takes those of its rows."""

from __future__ import annotations

import inspect
import sys
from typing import Any

from tallylearn.errors import OptionError


def weight_name(learner: Any) -> str:
    """The argument of ``fit`` that weighs the rows.

    A pipeline hands it on to its last step, ``model__sample_weight``; the steps before it see the
    rows as they are, as they do in scikit-learn. Where its routing of metadata is on, the pipeline
    is given ``sample_weight`` and asks its steps.
    """
    found = _name_of(learner)
    if found is None:
        who = type(learner).__name__
        raise OptionError(
            f"{who}.fit takes no sample_weight. Leave out the weights, or use another estimator."
        )
    return found


def _name_of(learner: Any) -> str | None:
    if steps := getattr(learner, "steps", None):
        if _routes_metadata():
            return "sample_weight"
        last, model = steps[-1]
        inner = _name_of(model)
        return None if inner is None else f"{last}__{inner}"
    if not hasattr(learner, "fit"):  # the end of a pipeline may be the word "passthrough"
        return None
    taken = inspect.signature(learner.fit).parameters
    passed_on = any(p.kind is p.VAR_KEYWORD for p in taken.values())  # as by a grid search
    return "sample_weight" if passed_on or "sample_weight" in taken else None


def _routes_metadata() -> bool:
    theirs = sys.modules.get("sklearn")
    return theirs is not None and bool(theirs.get_config().get("enable_metadata_routing"))
