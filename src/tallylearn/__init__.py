"""tallylearn: classical machine learning on tables, with the working shown."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

NAMES = {  # public name -> the module that holds it
    "C45": "models.trees.presets",
    "CART": "models.trees.presets",
    "CalibratedClassifierCV": "models.calibration.calibrated_classifier",
    "DecisionTreeClassifier": "models.trees.classifier",
    "DecisionTreeRegressor": "models.trees.regressor",
    "DummyClassifier": "models.baselines",
    "DummyRegressor": "models.baselines",
    "ElasticNet": "models.glm.linear.lasso",
    "ExplainableBoostingClassifier": "models.boosting.explainable_boosting",
    "ExplainableBoostingRegressor": "models.boosting.explainable_boosting",
    "ExtraTreesClassifier": "models.forests.extra_trees",
    "ExtraTreesRegressor": "models.forests.extra_trees",
    "Folds": "folds",
    "HistGradientBoostingClassifier": "models.boosting.hist_gradient_boosting",
    "HistGradientBoostingRegressor": "models.boosting.hist_gradient_boosting",
    "Hypotheses": "reasoning.belief.hypotheses",
    "ID3": "models.trees.presets",
    "KBinsDiscretizer": "preprocessing.discretizer",
    "KMeans": "models.clustering.kmeans",
    "KNeighborsClassifier": "models.neighbors.k_neighbours",
    "KNeighborsRegressor": "models.neighbors.k_neighbours",
    "LMS": "models.glm.lms",
    "Lasso": "models.glm.linear.lasso",
    "LinearDiscriminantAnalysis": "models.discriminants.linear",
    "LinearRegression": "models.glm.linear.linear_regression",
    "LogisticRegression": "models.glm.logistic_regression",
    "M5": "models.trees.presets",
    "MinMaxScaler": "preprocessing.scalers",
    "ModelTreeRegressor": "models.trees.model_trees.model_tree_regressor",
    "NaiveBayes": "models.naive_bayes.naive_bayes",
    "NearestCentroid": "models.nearest_centroids.nearest_centroid",
    "OneHotEncoder": "preprocessing.encoders",
    "OrdinalEncoder": "preprocessing.encoders",
    "PCA": "preprocessing.pca",
    "Perceptron": "models.glm.perceptron",
    "Pipeline": "preprocessing.pipeline",
    "PoissonRegressor": "models.glm.poisson_regression",
    "Population": "evaluation.theory.population",
    "ProbabilitySpace": "reasoning.probability.probability_space",
    "QuadraticDiscriminantAnalysis": "models.discriminants.quadratic",
    "RandomForestClassifier": "models.forests.forest_classifier",
    "RandomForestRegressor": "models.forests.forest_regressor",
    "Ridge": "models.glm.linear.ridge",
    "SimpleImputer": "preprocessing.imputer",
    "StandardScaler": "preprocessing.scalers",
    "SubsetSelection": "models.glm.linear.subset_selection",
    "TunedThresholdClassifierCV": "models.calibration.tuned_threshold",
    "VersionSpace": "reasoning.concepts.version_space",
    "VotingClassifier": "models.voting.voting",
    "VotingRegressor": "models.voting.voting",
    "accuracy_score": "calculations.scoring",
    "attribute_scores": "calculations.attribute_scores",
    "bayes_rule": "calculations.estimates",
    "bias_variance": "evaluation.theory.bias_variance_report",
    "check": "inspection.check",
    "classification_report": "calculations.scoring",
    "compare": "evaluation.compare.comparing",
    "confusion_matrix": "calculations.scoring",
    "correlation": "calculations.moments",
    "covariance": "calculations.moments",
    "describe": "inspection.description",
    "diff": "inspection.model_difference",
    "distance": "calculations.vectors",
    "engine": "engines",
    "entropy": "calculations.impurity",
    "error_interval": "calculations.estimates",
    "estimator_bias": "calculations.estimator_bias",
    "evaluate": "evaluation.evaluate.evaluating",
    "example": "sources.example_tables",
    "exercise": "exercises",
    "exercise_kinds": "exercises",
    "export": "exporters.export",
    "f1_score": "calculations.scoring",
    "gain_ratio": "calculations.impurity",
    "gini": "calculations.impurity",
    "information_gain": "calculations.impurity",
    "laplace_estimate": "calculations.estimates",
    "learn": "evaluation.learn.learning",
    "learning_curve": "evaluation.curves.learning_and_validation",
    "load": "modelfile",
    "m_estimate": "calculations.estimates",
    "mean_absolute_error": "calculations.scoring",
    "mean_squared_error": "calculations.scoring",
    "merge": "estimators.merging",
    "partial_dependence": "inspection.partial_dependence",
    "plot_class_densities": "inspection.plots.class_densities",
    "plot_decision_regions": "inspection.plots.decision_regions",
    "plot_descent": "inspection.plots.descent_path",
    "plot_event_areas": "inspection.plots.event_areas",
    "plot_folds": "inspection.plots.fold_scheme",
    "plot_regression": "inspection.plots.regression_fit",
    "plot_sigmoid": "inspection.plots.sigmoid_curve",
    "plot_voronoi": "inspection.plots.voronoi_cells",
    "precision_score": "calculations.scoring",
    "problem": "inspection.problem",
    "q_learning": "reasoning.q_learning",
    "recall_score": "calculations.scoring",
    "report": "inspection.model_report.model_report",
    "roc_curve": "calculations.scoring",
    "root_mean_squared_error": "calculations.scoring",
    "sample": "folds.sampling",
    "sample_size": "calculations.estimates",
    "sigmoid": "calculations.vectors",
    "softmax": "calculations.vectors",
    "standard_deviation_reduction": "calculations.impurity",
    "table": "sources",
    "true_error": "calculations.true_error",
    "tune": "evaluation.tune.tuning",
    "validation_curve": "evaluation.curves.learning_and_validation",
}

RENAMED = {  # old public name -> new one; the old ones work, with a warning, for one release
    "Discretizer": "KBinsDiscretizer",
    "Imputer": "SimpleImputer",
    "Indicator": "OneHotEncoder",
    "LabelCoder": "OrdinalEncoder",
}

__all__ = sorted(NAMES)


def __getattr__(name: str) -> Any:
    if name in RENAMED:
        from tallylearn.runtime.deprecation import warn_deprecated

        warn_deprecated(f"tl.{name}", f"tl.{RENAMED[name]}")
        current = RENAMED[name]
        return getattr(import_module(f"tallylearn.{NAMES[current]}"), current).from_deprecated
    if name not in NAMES:
        raise AttributeError(f"module 'tallylearn' has no attribute {name!r}")
    value = getattr(import_module(f"tallylearn.{NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
