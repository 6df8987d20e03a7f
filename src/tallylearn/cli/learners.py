"""Learners by the names that the command gives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

MODELS = {
    "bayes": "NaiveBayes",
    "lda": "LinearDiscriminantAnalysis",
    "qda": "QuadraticDiscriminantAnalysis",
    "centroid": "NearestCentroid",
    "majority": "DummyClassifier",
    "mean": "DummyRegressor",
}
WHAT = (
    "Naive Bayes, linear or quadratic discriminants, nearest centroid, the largest class, or "
    "the mean of a target of numbers."
)


def learner(model: str, settings: Mapping[str, Any]) -> Any:
    """A learner that has not learned yet."""
    import tallylearn

    kind = getattr(tallylearn, MODELS[model])
    for name in settings:
        if name not in kind.options():
            raise click.UsageError(
                f"the option {name} does not go with --model {model}, "
                f"whose options are {', '.join(kind.options())}."
            )
    return kind(**settings)


def several(models: Iterable[str]) -> dict[str, Any]:
    """Learners under their names, two or more, all for classes or all for numbers."""
    found = {}
    for model in models:
        if model not in MODELS:
            raise click.UsageError(f"--models {model}: the models are {', '.join(MODELS)}.")
        if model in found:
            raise click.UsageError(f"--models names {model} twice.")
        found[model] = learner(model, {})
    if len(found) < 2:
        raise click.UsageError("--models: name two or more, as in --models bayes,centroid.")
    return found
