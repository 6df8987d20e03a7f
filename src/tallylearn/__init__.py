"""tallylearn: classical machine learning on tables, with the working shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

NAMES = {  # public name -> the module that holds it
    "C45": "models.trees.presets",
    "CART": "models.trees.presets",
    "DecisionTreeClassifier": "models.trees.classifier",
    "DecisionTreeRegressor": "models.trees.regressor",
    "Discretizer": "prepare.discretizer",
    "DummyClassifier": "models.dummies",
    "DummyRegressor": "models.dummies",
    "ElasticNet": "models.linear.lasso",
    "ExtraTreesClassifier": "models.forests.extra_trees",
    "ExtraTreesRegressor": "models.forests.extra_trees",
    "Folds": "folds",
    "Hypotheses": "reasoning.belief.hypotheses",
    "ID3": "models.trees.presets",
    "Imputer": "prepare.imputer",
    "Indicator": "prepare.encoders",
    "KMeans": "models.clusters.kmeans",
    "KNeighborsClassifier": "models.neighbours.k_neighbours",
    "KNeighborsRegressor": "models.neighbours.k_neighbours",
    "LMS": "models.lms",
    "LabelCoder": "prepare.encoders",
    "Lasso": "models.linear.lasso",
    "LinearDiscriminantAnalysis": "models.discriminants.linear",
    "LinearRegression": "models.linear.regression",
    "M5": "models.trees.presets",
    "MinMaxScaler": "prepare.scalers",
    "ModelTreeRegressor": "models.trees.model_trees.model_tree_regressor",
    "NaiveBayes": "models.naive_bayes.naive_bayes",
    "NearestCentroid": "models.nearest_centroid",
    "LogisticRegression": "models.logistic.logistic_regression",
    "PCA": "prepare.pca",
    "Perceptron": "models.perceptron",
    "Pipeline": "prepare.pipeline",
    "Population": "evaluation.theory.population",
    "ProbabilitySpace": "reasoning.probability.probability_space",
    "QuadraticDiscriminantAnalysis": "models.discriminants.quadratic",
    "RandomForestClassifier": "models.forests.forest_classifier",
    "RandomForestRegressor": "models.forests.forest_regressor",
    "Ridge": "models.linear.ridge",
    "StandardScaler": "prepare.scalers",
    "SubsetSelection": "models.linear.subset_selection",
    "VersionSpace": "reasoning.concepts.version_space",
    "VotingClassifier": "models.voting.voting",
    "VotingRegressor": "models.voting.voting",
    "bias_variance": "evaluation.theory.bias_variance_report",
    "check": "checking",
    "compare": "evaluation.compare.comparing",
    "describe": "description",
    "diff": "models.trees.differences.difference",
    "engine": "engines",
    "evaluate": "evaluation.evaluate.evaluating",
    "example": "sources.shipped",
    "learning_curve": "evaluation.curves.learning_and_validation",
    "load": "modelfile",
    "merge": "doors.merging",
    "problem": "problems",
    "sample": "folds.sampling",
    "table": "sources",
    "tune": "evaluation.tune.tuning",
    "validation_curve": "evaluation.curves.learning_and_validation",
}

__all__ = sorted(NAMES)


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module 'tallylearn' has no attribute {name!r}")
    value = getattr(import_module(f"tallylearn.{NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
