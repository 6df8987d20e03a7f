"""The option --model: the names of the models, and the learners they stand for."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tallylearn.cli import notices
from tallylearn.cli.shared_options import Command, add_options, option, split_row
from tallylearn.errors import did_you_mean

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
    "boosting": "HistGradientBoostingClassifier",
    "additive": "ExplainableBoostingClassifier",
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
CLUSTERS = {"kmeans": "KMeans"}  # without a target
BOTH = {  # a classifier and a regressor under one name
    "knn": {"classification": "KNeighborsClassifier", "regression": "KNeighborsRegressor"},
    "tree": {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"},
    "cart": {"classification": "DecisionTreeClassifier", "regression": "DecisionTreeRegressor"},
    "forest": {"classification": "RandomForestClassifier", "regression": "RandomForestRegressor"},
    "extra-trees": {"classification": "ExtraTreesClassifier", "regression": "ExtraTreesRegressor"},
    "boosting": {
        "classification": "HistGradientBoostingClassifier",
        "regression": "HistGradientBoostingRegressor",
    },
    "additive": {
        "classification": "ExplainableBoostingClassifier",
        "regression": "ExplainableBoostingRegressor",
    },
}
FITTING = "The model"  # the heading of options in --help
DEFAULT_MODEL = "tree"  # it takes every kind of column but text, and people can read it
DEFAULT_TEXT_MODEL = "bayes"  # for tables that have text columns only
MODEL_LIST = """\b
Models:
  for classes   bayes, lda, qda, logistic, perceptron, centroid, id3, c45,
                majority (baseline)
  for numbers   linear, ridge, lasso, elastic-net, subset, poisson, lms, m5,
                mean (baseline)
  for both      tree, cart, forest, extra-trees, boosting, additive, knn; the
                target decides, or --set task=classification,
                --set task=regression
"""
CLUSTER_LIST = "  no target     kmeans (clusters)\n"


def model_option(clusters: bool = False, several: bool = False) -> Callable[[Command], Command]:
    """The option --model: one name, or several with commas or given several times."""
    names = [*MODELS, *(CLUSTERS if clusters else ())]

    def parse(
        context: click.Context, option: click.Parameter, given: tuple[str, ...]
    ) -> str | list[str] | None:
        found = [name for text in given for name in split_row(text) if name]
        for name in found:
            _check_model(name, names, context.info_name or "")
        if several:
            return found
        if len(found) > 1:
            raise click.UsageError(
                f"--model names {len(found)} models, and {context.info_name} takes one. To compare "
                f"them: tally compare FILE --target COLUMN --model {','.join(found)}."
            )
        return found[0] if found else None

    what = (
        "Two or more models, separated by commas." if several
        else "The model, from the list below; without it, learners are compared." if clusters
        else f"The model, from the list below. Without it: {DEFAULT_MODEL}."
    )  # fmt: skip
    return option(
        "--model", "models" if several else "model", multiple=True, callback=parse,
        required=several, metavar="A,B" if several else "NAME", aliases=("--models",), help=what,
        heading="Options" if several else FITTING,
    )  # fmt: skip


def learner_options(clusters: bool = False) -> Callable[[Command], Command]:
    """The options that choose one learner and set its parameters."""

    def add(command: Command) -> Command:
        return add_options(command, (
            model_option(clusters),
            option("--alpha", heading=FITTING, type=float, metavar="X",
                   help="Smoothing of bayes, or penalty of ridge, lasso and elastic-net (1)."),
            option("--m", heading=FITTING, type=float, metavar="X",
                   help="m-estimate of bayes, instead of --alpha."),
            option("--set", "pairs", heading=FITTING, multiple=True, metavar="NAME=VALUE",
                   help="Any other parameter of the model, as in Python."),
        ))  # fmt: skip

    return add


def _check_model(name: str, names: list[str], verb: str) -> None:
    if name in names:
        return
    if name in CLUSTERS:
        raise click.UsageError(f"--model {name} has no target, and `tally {verb}` needs one.")
    hint = did_you_mean(name, names) or f" The models: {', '.join(names)}."
    raise click.UsageError(f"--model: there is no model {name!r}.{hint}")


@dataclass(frozen=True)
class ModelChoice:
    """A model by its name, with its parameters; for ``tree`` and such, the target decides."""

    model: str
    settings: Mapping[str, Any]
    default: bool = False  # --model was not given, so that the table may choose another

    @classmethod
    def of(cls, model: str | None, settings: Mapping[str, Any]) -> ModelChoice:
        """The model of --model, or the default."""
        return cls(model or DEFAULT_MODEL, settings, default=model is None)

    def __post_init__(self) -> None:
        both = BOTH.get(self.model, {})
        if self.settings.get("task", next(iter(both), None)) not in (*both, None):
            raise click.UsageError(
                f"--set task={self.settings['task']}: the task is {' or '.join(both)}."
            )
        if all(self._unknown_settings(kind) for kind in self.kinds):
            self._build(self.kinds[0])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The classes of learners that it may be."""
        both = BOTH.get(self.model, {})
        if not both or "task" in self.settings:
            return (both.get(self.settings.get("task", ""), (MODELS | CLUSTERS)[self.model]),)
        able = [kind for kind in both.values() if not self._unknown_settings(kind)]
        return tuple(able if len(able) == 1 else both.values())

    @property
    def task(self) -> str | None:
        """The learner's task, where that does not depend on the target."""
        return None if len(self.kinds) > 1 else self._build(self.kinds[0]).task

    def build_for(self, rows: SampledRows, target: str) -> Any:
        """The learner, not fitted: a regressor where the target is numeric."""
        if self.default and rows.target_classes is not None and (text := _text_columns(rows)):
            notices.note(
                f"--model {DEFAULT_TEXT_MODEL} is used, because --model {self.model} cannot use "
                f"text columns ({', '.join(text)})."
            )
            return ModelChoice(DEFAULT_TEXT_MODEL, self.settings)._build(MODELS[DEFAULT_TEXT_MODEL])
        if len(self.kinds) == 1:
            return self._build(self.kinds[0])
        kind = self.kinds[rows.target_classes is None]
        values = "numbers" if hasattr(rows.target, "dtype") else "values"
        why = f"--model {self.model} is {kind}: {target} has {rows.different:,} distinct {values}"
        if values == "numbers":
            other = "classification" if rows.target_classes is None else "regression"
            notices.note(f"{why}. For {other}: --set task={other}.")
        else:
            notices.detail(f"{why}.")
        return self._build(kind)

    def _build(self, kind: str) -> Any:
        import tallylearn

        if unknown := self._unknown_settings(kind):
            known = _known_options(kind, self.model)
            hint = did_you_mean(unknown[0], known) or f" It has {', '.join(known)}."
            raise click.UsageError(f"--model {self.model} has no option {unknown[0]!r}.{hint}")
        dropped = {"task"} if self.model in BOTH else set()
        given = {name: value for name, value in self.settings.items() if name not in dropped}
        return getattr(tallylearn, kind)(**given)

    def _unknown_settings(self, kind: str) -> list[str]:
        known = _known_options(kind, self.model)
        return [name for name in self.settings if name not in known]


def _text_columns(rows: SampledRows) -> list[str]:
    """The text columns of a table that has no other features."""
    from tallylearn.tables import IDENTIFIER, TEXT, UNKNOWN

    text = [column.name for column in rows.schema.of_kind(TEXT)]
    others = len(rows.schema.columns) - len(text) - len(rows.schema.of_kind(IDENTIFIER, UNKNOWN))
    return text if not others else []


def _known_options(kind: str, model: str) -> tuple[str, ...]:
    """The parameters of a learner, or of the function that builds one."""
    import tallylearn

    found = getattr(tallylearn, kind)
    known = found.options() if hasattr(found, "options") else _preset_options(found)
    return ("task", *known) if model in BOTH else known


def _preset_options(preset: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters of a preset: its own, and those of the learner that it returns."""
    own = [p.name for p in inspect.signature(preset).parameters.values() if p.kind != p.VAR_KEYWORD]
    return (*own, *type(preset()).options())


def check_target(model: str | None, target: str | None) -> None:
    """Refuse a target for a clustering."""
    if model in CLUSTERS and target is not None:
        raise click.UsageError(
            f"--model {model} finds clusters and has no target. Leave --target out. To leave that "
            f"column out of the clusters: --ignore {shlex.quote(target)}."
        )


def choose_models(models: Iterable[str]) -> dict[str, ModelChoice]:
    """Models under their names, two or more."""
    found: dict[str, ModelChoice] = {}
    for model in models:
        if model in found:
            raise click.UsageError(f"--model names {model} twice. Name each model once.")
        found[model] = ModelChoice(model, {})
    if len(found) < 2:
        raise click.UsageError("--model: name two or more. For example: --model bayes,tree.")
    return found
