"""Learners by the names that the command gives them."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import output_files

if TYPE_CHECKING:
    from tallylearn.screening.table_sample import SampledRows

MODELS = {
    "bayes": "NaiveBayes",
    "lda": "LinearDiscriminantAnalysis",
    "qda": "QuadraticDiscriminantAnalysis",
    "centroid": "NearestCentroid",
    "knn": "KNeighborsClassifier",
    "tree": "DecisionTreeClassifier",
    "id3": "ID3",
    "c45": "C45",
    "cart": "CART",
    "m5": "M5",
    "forest": "RandomForestClassifier",
    "extra-trees": "ExtraTreesClassifier",
    "linear": "LinearRegression",
    "ridge": "Ridge",
    "lasso": "Lasso",
    "elastic-net": "ElasticNet",
    "subset": "SubsetSelection",
    "logistic": "LogisticRegression",
    "poisson": "PoissonRegressor",
    "perceptron": "Perceptron",
    "lms": "LMS",
    "majority": "DummyClassifier",
    "mean": "DummyRegressor",
}
CLUSTERS = {"kmeans": "KMeans"}  # of rows without a target
BOTH = {  # of classes and of numbers, under one name
    "knn": {"classification": "KNeighborsClassifier", "regression": "KNeighborsRegressor"},
    "tree": {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"},
    "cart": {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"},
    "forest": {"classification": "RandomForestClassifier", "regression": "RandomForestRegressor"},
    "extra-trees": {"classification": "ExtraTreesClassifier", "regression": "ExtraTreesRegressor"},
}
USUAL = "tree"  # where no model is named: it takes every kind of column but text, and is read
OF_TEXT = "bayes"  # where none is named, and the table has text alone
WHAT = (
    "Naive Bayes, linear or quadratic discriminants, logistic regression, the perceptron, nearest "
    "centroid, nearest neighbours (knn), decision trees, random forests, extremely randomized "
    "trees, the largest class; of a target of numbers knn, tree, cart, forest and extra-trees, "
    "model trees (m5), least squares (linear, ridge, lasso, elastic-net, subset), least mean "
    "squares, Poisson regression of counts (poisson), or the mean. knn, tree, cart, forest and "
    "extra-trees look at the target, unless --set task= says classification or regression."
)
ALSO = " Without a target: clusters (kmeans)."


@dataclass(frozen=True)
class Asked:
    """A model by its name, with options; of a name for two the target's values choose one."""

    model: str
    settings: Mapping[str, Any]
    default: bool = False  # whether nobody named it, so that the table may choose another

    @classmethod
    def named(cls, model: str | None, settings: Mapping[str, Any]) -> Asked:
        """The model of --model, or the usual one."""
        return cls(model or USUAL, settings, default=model is None)

    def __post_init__(self) -> None:
        both = BOTH.get(self.model, {})
        if self.settings.get("task", next(iter(both), None)) not in (*both, None):
            raise click.UsageError(f"--set task={self.settings['task']}: say {' or '.join(both)}.")
        if all(self._odd(kind) for kind in self.kinds):
            self._made(self.kinds[0])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The learners that it may be."""
        both = BOTH.get(self.model, {})
        if not both or "task" in self.settings:
            return (both.get(self.settings.get("task", ""), (MODELS | CLUSTERS)[self.model]),)
        able = [kind for kind in both.values() if not self._odd(kind)]
        return tuple(able if len(able) == 1 else both.values())

    @property
    def task(self) -> str | None:
        """What it answers with, where that does not depend on the target."""
        return None if len(self.kinds) > 1 else self._made(self.kinds[0]).task

    def suited(self, rows: SampledRows, target: str) -> Any:
        """A learner that has not learned yet: for measures where the target looks like some."""
        if self.default and rows.named is not None and (text := _only_text(rows)):
            output_files.note(
                f"--model {OF_TEXT} is chosen, for --model {self.model} does not learn from text "
                f"({', '.join(text)})."
            )
            return Asked(OF_TEXT, self.settings)._made(MODELS[OF_TEXT])
        if len(self.kinds) == 1:
            return self._made(self.kinds[0])
        kind = self.kinds[rows.named is None]
        one = f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
        told = f"--model {self.model} is {one}, for {target} has {rows.different:,} different "
        if hasattr(rows.target, "dtype"):
            other = "classification" if rows.named is None else "regression"
            output_files.note(f"{told}numbers; --set task={other} learns the other kind.")
        else:
            output_files.note(f"{told}values.")
        return self._made(kind)

    def _made(self, kind: str) -> Any:
        import tallylearn

        if odd := self._odd(kind):
            raise click.UsageError(
                f"the option {odd[0]} does not go with --model {self.model}, "
                f"whose options are {', '.join(_known(kind, self.model))}."
            )
        dropped = {"task"} if self.model in BOTH else set()
        given = {name: value for name, value in self.settings.items() if name not in dropped}
        return getattr(tallylearn, kind)(**given)

    def _odd(self, kind: str) -> list[str]:
        known = _known(kind, self.model)
        return [name for name in self.settings if name not in known]


def _only_text(rows: SampledRows) -> list[str]:
    """The text columns of a table that has no others to learn from."""
    from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN

    text = [column.name for column in rows.schema.of_kind(TEXT)]
    others = len(rows.schema.columns) - len(text) - len(rows.schema.of_kind(IDENTIFIER, UNKNOWN))
    return text if not others else []


def _known(kind: str, model: str) -> tuple[str, ...]:
    """The options of a learner, or of the function that makes one."""
    import tallylearn

    found = getattr(tallylearn, kind)
    known = found.options() if hasattr(found, "options") else _of_preset(found)
    return ("task", *known) if model in BOTH else known


def _of_preset(preset: Callable[..., Any]) -> tuple[str, ...]:
    """The options of a preset: its own, and those of the learner that it returns."""
    own = [p.name for p in inspect.signature(preset).parameters.values() if p.kind != p.VAR_KEYWORD]
    return (*own, *type(preset()).options())


def check_target(model: str | None, target: str | None) -> None:
    """Clusters have none."""
    if model in CLUSTERS and target is not None:
        raise click.UsageError(
            f"--model {model} finds clusters, which have no target. Leave it out; "
            f"--ignore {shlex.quote(target)} keeps that column out of the clusters."
        )


def several(models: Iterable[str]) -> dict[str, Asked]:
    """Models under their names, two or more."""
    found: dict[str, Asked] = {}
    for model in models:
        if model not in MODELS:
            raise click.UsageError(f"--models {model}: the models are {', '.join(MODELS)}.")
        if model in found:
            raise click.UsageError(f"--models names {model} twice.")
        found[model] = Asked(model, {})
    if len(found) < 2:
        raise click.UsageError("--models: name two or more, as in --models bayes,centroid.")
    return found
