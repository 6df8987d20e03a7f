"""Learners by the names that the command gives them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

MODELS = {
    "bayes": "NaiveBayes",
    "lda": "LinearDiscriminantAnalysis",
    "qda": "QuadraticDiscriminantAnalysis",
    "centroid": "NearestCentroid",
    "tree": "DecisionTreeClassifier",
    "id3": "ID3",
    "c45": "C45",
    "cart": "CART",
    "m5": "M5",
    "lms": "LMS",
    "majority": "DummyClassifier",
    "mean": "DummyRegressor",
}
WHAT = (
    "Naive Bayes, linear or quadratic discriminants, nearest centroid, decision trees, the largest "
    "class; of a target of numbers cart (--set task=regression), model trees (m5), least mean "
    "squares, or the mean."
)


def learner(model: str, settings: Mapping[str, Any]) -> Any:
    """A learner that has not learned yet."""
    import tallylearn

    kind = getattr(tallylearn, MODELS[model])
    known = kind.options() if hasattr(kind, "options") else _of_preset(kind)
    for name in settings:
        if name not in known:
            raise click.UsageError(
                f"the option {name} does not go with --model {model}, "
                f"whose options are {', '.join(known)}."
            )
    return kind(**settings)


def _of_preset(preset: Callable[..., Any]) -> tuple[str, ...]:
    """The options of a preset: its own, and those of the learner that it returns."""
    own = [p.name for p in inspect.signature(preset).parameters.values() if p.kind != p.VAR_KEYWORD]
    return (*own, *type(preset()).options())


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
