"""The learners that a table's model is chosen from, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tallylearn.errors import KindError, OptionError, items_of, short_repr
from tallylearn.estimators.estimator import Estimator
from tallylearn.evaluation.running.dataset import task_of
from tallylearn.models.baselines import DummyClassifier, DummyRegressor
from tallylearn.models.boosting.explainable_boosting import (
    ExplainableBoostingClassifier,
    ExplainableBoostingRegressor,
)
from tallylearn.models.boosting.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from tallylearn.models.discriminants.linear import LinearDiscriminantAnalysis
from tallylearn.models.forests.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from tallylearn.models.forests.forest_classifier import RandomForestClassifier
from tallylearn.models.forests.forest_regressor import RandomForestRegressor
from tallylearn.models.glm.linear.lasso import Lasso
from tallylearn.models.glm.linear.ridge import Ridge
from tallylearn.models.glm.logistic_regression import LogisticRegression
from tallylearn.models.naive_bayes.naive_bayes import NaiveBayes
from tallylearn.models.neighbors.k_neighbours import KNeighborsClassifier, KNeighborsRegressor
from tallylearn.models.trees.classifier import DecisionTreeClassifier
from tallylearn.models.trees.presets import C45, M5
from tallylearn.models.trees.regressor import DecisionTreeRegressor
from tallylearn.preprocessing.imputer import SimpleImputer
from tallylearn.preprocessing.pipeline import Pipeline
from tallylearn.tables import TEXT

BASELINE = "baseline"
VOTE = "soft vote"


@dataclass(frozen=True)
class Candidate:
    """A learner under a name."""

    name: str
    learner: Any
    takes_text: bool = False


def default_candidates(task: str, seed: int) -> list[Candidate]:
    """The usual learners of a task: the baseline, then the quick ones, then the slow ones."""
    if task == "classifier":
        return [
            Candidate(BASELINE, DummyClassifier(), takes_text=True),
            Candidate("naive Bayes", NaiveBayes(), takes_text=True),
            Candidate("linear discriminant", LinearDiscriminantAnalysis()),
            Candidate("logistic regression", LogisticRegression(), takes_text=True),
            Candidate("pruned tree", DecisionTreeClassifier(ccp_alpha="1se", random_state=seed)),
            Candidate("C4.5 tree", C45()),
            Candidate("random forest", RandomForestClassifier(random_state=seed)),
            Candidate("extra-trees", ExtraTreesClassifier(random_state=seed)),
            Candidate("boosted trees", HistGradientBoostingClassifier(random_state=seed)),
            Candidate("additive model", ExplainableBoostingClassifier(random_state=seed)),
            Candidate("nearest neighbours", _scaled(KNeighborsClassifier(scale="standard"))),
        ]
    return [
        Candidate(BASELINE, DummyRegressor(), takes_text=True),
        Candidate("ridge", Ridge(alpha="cv")),
        Candidate("lasso", Lasso(alpha="cv")),
        Candidate("pruned tree", DecisionTreeRegressor(ccp_alpha="1se", random_state=seed)),
        Candidate("M5 model tree", M5()),
        Candidate("random forest", RandomForestRegressor(random_state=seed)),
        Candidate("extra-trees", ExtraTreesRegressor(random_state=seed)),
        Candidate("boosted trees", HistGradientBoostingRegressor(random_state=seed)),
        Candidate("additive model", ExplainableBoostingRegressor(random_state=seed)),
        Candidate("nearest neighbours", _scaled(KNeighborsRegressor(scale="standard"))),
    ]


def _scaled(neighbours: Any) -> Pipeline:
    """Neighbours by distances of scaled columns, which need every number."""
    return Pipeline([SimpleImputer(), neighbours])


def added_candidates(given: Any, task: str, taken: set[str]) -> list[Candidate]:
    """The estimators that a caller adds, a list or a dict of name to estimator."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        named = dict(given)
    else:
        items = None if isinstance(given, str) or hasattr(given, "fit") else items_of(given)
        if items is None:
            raise KindError(
                f"candidates is {short_repr(given, 60)}. Pass a list of estimators, or a dict of "
                "names and estimators."
            )
        named = {type(one).__name__: one for one in items}
        if len(named) < len(items):
            raise OptionError(
                "candidates has two estimators of one class. Pass a dict of names and estimators."
            )
    for name, one in named.items():
        if not isinstance(name, str) or not name.strip() or name in taken | {VOTE}:
            raise OptionError(
                f"a candidate has the name {name!r}. Give every candidate a name of its own; "
                f"{', '.join(sorted(taken))} and {VOTE} are taken."
            )
        if (own := task_of(one)) != task:
            raise KindError(
                f"{name} is a {own}, and the target asks for a {task}. Leave it out, or set task=."
            )
    return [
        Candidate(name, one, not isinstance(one, Estimator) or TEXT in one.kinds)
        for name, one in named.items()
    ]
