"""Every learner, with a table that suits it: what the contract suite runs over, and its checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

import tallylearn as tl
from tallylearn.models.discriminants.gaussian_classes import Discriminant
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tests.soak import SOAK


@dataclass(frozen=True)
class Case:
    """A learner, its columns, its target, and what is promised: exact, float, plain or rounds.

    Rounds neither merge nor forget, and their sums are floats.
    """

    name: str
    make: Callable[[], Any]
    columns: tuple[str, ...]
    target: str
    tally: str = "exact"

    @property
    def portable(self) -> bool:
        """Whether the model has the same bits on every processor: no LAPACK, no sums of doubles."""
        kinds = (
            Discriminant
            | LinearEstimator
            | tl.ModelTreeRegressor
            | tl.LogisticRegression
            | tl.PoissonRegressor
            | tl.CalibratedClassifierCV
            | tl.ExplainableBoostingClassifier
            | tl.ExplainableBoostingRegressor
        )
        made = self.make()
        return not isinstance(made.last if isinstance(made, tl.Pipeline) else made, kinds)

    def table(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame[[*self.columns, self.target]]

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame[[*self.columns]]


EVERYTHING = ("length", "width", "colour", "shape", "heavy")
NUMBERS = ("length", "width")
TEXT = ("colour", "length", "note")

CASES = (
    Case("bayes", tl.NaiveBayes, EVERYTHING, "kind"),
    Case("bayes-mle", lambda: tl.NaiveBayes(alpha=0), EVERYTHING, "kind"),
    Case("bayes-m", lambda: tl.NaiveBayes(m=2), EVERYTHING, "kind"),
    Case("bayes-bernoulli", lambda: tl.NaiveBayes(numbers="bernoulli"), EVERYTHING, "kind"),
    Case("bayes-truth", lambda: tl.NaiveBayes(at_half="positive"), EVERYTHING, "heavy2"),
    Case("bayes-text", tl.NaiveBayes, TEXT, "kind"),
    Case("bayes-text-mle", lambda: tl.NaiveBayes(alpha=0), ("note",), "kind"),
    Case(
        "bayes-text-set",
        lambda: tl.NaiveBayes(m=2, text_model="set", stop_words=("and",), max_features=6),
        ("note",),
        "kind",
    ),
    Case(
        "bayes-text-bernoulli",
        lambda: tl.NaiveBayes(text_model="bernoulli", ngram_range=(1, 2), min_df=3, max_df=0.9),
        TEXT,
        "kind",
    ),
    Case("centroid", tl.NearestCentroid, NUMBERS, "kind"),
    Case(
        "centroid-shrunk",
        lambda: tl.NearestCentroid(shrink_threshold=0.3, priors="empirical"),
        NUMBERS,
        "kind",
    ),
    Case("lda", tl.LinearDiscriminantAnalysis, EVERYTHING, "kind", "float"),
    Case("lda-two", tl.LinearDiscriminantAnalysis, EVERYTHING, "heavy2", "float"),
    Case(
        "lda-eigen",
        lambda: tl.LinearDiscriminantAnalysis("eigen", shrinkage=0.1, exact=True),
        EVERYTHING,
        "kind",
    ),
    Case("lda-exact", lambda: tl.LinearDiscriminantAnalysis(exact=True), EVERYTHING, "kind"),
    Case(
        "qda",
        lambda: tl.QuadraticDiscriminantAnalysis(reg_param=0.01),
        NUMBERS,
        "kind",
        "float",
    ),
    Case(
        "qda-exact",
        lambda: tl.QuadraticDiscriminantAnalysis(reg_param=0.1, exact=True),
        EVERYTHING,
        "kind",
    ),
    Case("linear", tl.LinearRegression, EVERYTHING, "price", "float"),
    Case(
        "linear-qr", lambda: tl.LinearRegression(solver="qr", degree=2), NUMBERS, "price", "float"
    ),
    Case("linear-exact", lambda: tl.LinearRegression(exact=True), EVERYTHING, "price"),
    Case("ridge", lambda: tl.Ridge(0.5), EVERYTHING, "price", "float"),
    Case("ridge-exact", lambda: tl.Ridge(2.0, exact=True), EVERYTHING, "price"),
    Case("ridge-cv", lambda: tl.Ridge("cv", folds=3), EVERYTHING, "price", "float"),
    Case("lasso", lambda: tl.Lasso(0.1, tol=1e-12), EVERYTHING, "price", "float"),
    Case("elastic-net", lambda: tl.ElasticNet(0.1, tol=1e-12), EVERYTHING, "price", "float"),
    Case("subset", tl.SubsetSelection, EVERYTHING, "price", "float"),
    Case(
        "subset-exact",
        lambda: tl.SubsetSelection("forward", criterion="aic", exact=True),
        EVERYTHING,
        "price",
    ),
    Case(
        "subset-folds",
        lambda: tl.SubsetSelection("backward", criterion="folds", folds=3, unit="weight"),
        EVERYTHING,
        "price",
        "float",
    ),
    Case("poisson", lambda: tl.PoissonRegressor(alpha=0.1), EVERYTHING, "visits", "rounds"),
    Case("tree", tl.DecisionTreeClassifier, EVERYTHING, "kind", "plain"),
    Case(
        "tree-two", lambda: tl.DecisionTreeClassifier(missing="node"), EVERYTHING, "heavy2", "plain"
    ),
    Case("id3", lambda: tl.ID3(max_depth=3), EVERYTHING, "kind", "plain"),
    Case("c45", tl.C45, EVERYTHING, "kind", "plain"),
    Case("regression-tree", tl.DecisionTreeRegressor, EVERYTHING, "price", "plain"),
    Case(
        "regression-tree-sdr",
        lambda: tl.DecisionTreeRegressor(criterion="sdr", missing="global", max_depth=4),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case(
        "regression-tree-median",
        lambda: tl.DecisionTreeRegressor(criterion="absolute_error", max_depth=5),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case("m5", tl.M5, EVERYTHING, "price", "plain"),
    Case(
        "model-tree",
        lambda: tl.ModelTreeRegressor(smooth=None, prune=False, min_samples_leaf=5),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case("forest", lambda: tl.RandomForestClassifier(7), EVERYTHING, "kind", "plain"),
    Case(
        "forest-two",
        lambda: tl.RandomForestClassifier(
            7, vote="majority", missing="node", class_weight="balanced"
        ),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case("regression-forest", lambda: tl.RandomForestRegressor(7), EVERYTHING, "price", "plain"),
    Case("extra-trees", lambda: tl.ExtraTreesClassifier(7), EVERYTHING, "kind", "plain"),
    Case("extra-trees-mean", lambda: tl.ExtraTreesRegressor(7), EVERYTHING, "price", "plain"),
    Case(
        "boosting",
        lambda: tl.HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=4),
        EVERYTHING,
        "kind",
        "plain",
    ),
    Case(
        "boosting-two",
        lambda: tl.HistGradientBoostingClassifier(max_iter=5, max_leaf_nodes=4, max_bins=8),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case(
        "boosting-mean",
        lambda: tl.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case(
        "boosting-poisson",
        lambda: tl.HistGradientBoostingRegressor("poisson", max_iter=5),
        EVERYTHING,
        "visits",
        "plain",
    ),
    Case(
        "additive",
        lambda: tl.ExplainableBoostingClassifier(outer_bags=2, max_rounds=5),
        EVERYTHING,
        "kind",
        "plain",
    ),
    Case(
        "additive-two",
        lambda: tl.ExplainableBoostingClassifier(
            max_bins=8,
            interactions=[("width", "colour"), ("length", "shape")],
            outer_bags=3,
            max_rounds=20,
        ),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case(
        "additive-mean",
        lambda: tl.ExplainableBoostingRegressor(outer_bags=3, inner_bags=2, max_rounds=20),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case(
        "vote",
        lambda: tl.VotingClassifier(
            [("bayes", tl.NaiveBayes()), ("tree", tl.ID3(max_depth=3))], voting="soft"
        ),
        EVERYTHING,
        "kind",
        "plain",
    ),
    Case(
        "vote-mean",
        lambda: tl.VotingRegressor([tl.DummyRegressor(), tl.DecisionTreeRegressor(max_depth=3)]),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case(
        "calibrated",
        lambda: tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=3),
        (*EVERYTHING, "note"),
        "kind",
        "plain",
    ),
    Case(
        "calibrated-isotonic",
        lambda: tl.CalibratedClassifierCV(
            tl.DecisionTreeClassifier(max_depth=3), "isotonic", cv=2, ensemble=False
        ),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case(
        "tuned-threshold",
        lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs=(1, 4), cv=3),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case("knn", tl.KNeighborsClassifier, EVERYTHING, "kind", "plain"),
    Case(
        "knn-weighted",
        lambda: tl.KNeighborsClassifier(
            3, weights="inverse_square", scale="standard", ties="first"
        ),
        ("width",),
        "kind",
        "plain",
    ),
    Case("knn-mean", tl.KNeighborsRegressor, EVERYTHING, "price", "plain"),
    Case(
        "pipeline",
        lambda: tl.Pipeline(
            [tl.SimpleImputer(), tl.StandardScaler(), tl.OneHotEncoder(), tl.KNeighborsClassifier()]
        ),
        EVERYTHING,
        "kind",
        "plain",
    ),
    Case(
        "pipeline-mean",
        lambda: tl.Pipeline([tl.MinMaxScaler(), tl.KNeighborsRegressor()]),
        EVERYTHING,
        "price",
        "plain",
    ),
    Case(
        "pipeline-logistic",
        lambda: tl.Pipeline([("fill", tl.SimpleImputer()), ("model", tl.LogisticRegression())]),
        EVERYTHING,
        "heavy2",
        "rounds",
    ),
    Case("majority", tl.DummyClassifier, EVERYTHING, "kind"),
    Case("mean", tl.DummyRegressor, EVERYTHING, "price"),
    Case("median", lambda: tl.DummyRegressor(strategy="median"), EVERYTHING, "price"),
    Case("logistic", tl.LogisticRegression, EVERYTHING, "kind", "rounds"),
    Case("logistic-text", tl.LogisticRegression, TEXT, "kind", "rounds"),
    Case(
        "logistic-lasso",
        lambda: tl.LogisticRegression(l1_ratio=1.0, C=0.5),
        EVERYTHING,
        "heavy2",
        "rounds",
    ),
    Case("perceptron", tl.Perceptron, EVERYTHING, "kind", "plain"),
    Case(
        "perceptron-two",
        lambda: tl.Perceptron(averaged=True, shuffle=False, max_iter=9),
        EVERYTHING,
        "heavy2",
        "plain",
    ),
    Case("lms", lambda: tl.LMS(1e-14), ("width",), "price", "plain"),
    Case("lms-mean", lambda: tl.LMS(1e-14, scaling="mean", steps=9), ("width",), "price", "plain"),
)

# of learners that differ in options alone which neither rows nor sums see, one is enough to show
# what every road into them does; all are in the contract suite
ALIKE = (
    "bayes-mle", "bayes-m", "bayes-truth", "bayes-text-mle", "centroid-shrunk", "lda-two",
    "lda-eigen", "linear-qr", "ridge-cv", "elastic-net", "subset-exact", "subset-folds", "tree-two",
    "id3", "regression-tree-sdr", "model-tree", "forest-two", "extra-trees-mean", "boosting-two",
    "boosting-poisson", "knn-weighted",
    "median", "logistic-lasso", "perceptron-two", "lms-mean",
)  # fmt: skip
WAYS = CASES if SOAK else tuple(case for case in CASES if case.name not in ALIKE)

PREPARATIONS = (  # what turns tables, each with the options that say what it counts
    tl.StandardScaler(),
    tl.StandardScaler(ddof=1, with_mean=False),
    tl.MinMaxScaler((-1, 1), clip=True),
    tl.PCA(exact=True),
    tl.PCA(1, whiten=True, exact=True),
    tl.SimpleImputer(),
    tl.SimpleImputer(strategy="median", category_strategy="own"),
    tl.SimpleImputer(strategy="most_frequent"),
    tl.SimpleImputer(strategy="constant", add_indicator=True, keep_empty_features=True),
    tl.OneHotEncoder(),
    tl.OneHotEncoder(drop="first", handle_unknown="ignore", missing="ignore"),
    tl.OneHotEncoder(max_categories=2, handle_unknown="infrequent_if_exist", columns="all"),
    tl.OrdinalEncoder(),
    tl.OrdinalEncoder(min_frequency=0.3, columns="all"),
    tl.KBinsDiscretizer(),
    tl.KBinsDiscretizer(strategy="uniform", encode="ordinal"),
    tl.KBinsDiscretizer(3, strategy="kmeans", encode="ordinal"),
    tl.KBinsDiscretizer(strategy="mdl", encode="ordinal"),
)

ESTIMATORS = (  # what scikit-learn's checks run over
    tl.NaiveBayes(),
    tl.NaiveBayes(numbers="bernoulli"),
    tl.NearestCentroid(),
    tl.NearestCentroid(priors="empirical", shrink_threshold=0.1),
    tl.LinearDiscriminantAnalysis(),
    tl.LinearDiscriminantAnalysis("lsqr", shrinkage=0.1),
    tl.LinearDiscriminantAnalysis("eigen", shrinkage=0.1, exact=True),
    tl.QuadraticDiscriminantAnalysis(reg_param=0.1),
    tl.QuadraticDiscriminantAnalysis(reg_param=0.1, exact=True),
    tl.LinearRegression(),
    tl.LinearRegression(solver="qr", positive=True),
    tl.LinearRegression(exact=True),
    tl.Ridge(),
    tl.Ridge(solver="cholesky", missing="refuse"),
    tl.Lasso(0.1),
    tl.ElasticNet(0.1, positive=True),
    tl.PoissonRegressor(),
    tl.PoissonRegressor(alpha=0.01, solver="lbfgs", tol=1e-7, missing="refuse"),
    tl.SubsetSelection(max_size=3),  # a check has twice as many columns as rows: any fit well
    tl.DecisionTreeClassifier(),
    tl.DecisionTreeClassifier(criterion="gain_ratio", missing="fractional", bins=16),
    tl.DecisionTreeClassifier(splitter="random", max_features="sqrt"),
    tl.ID3(),
    tl.C45(),
    tl.DecisionTreeRegressor(),
    tl.DecisionTreeRegressor(criterion="sdr", max_leaf_nodes=5),
    tl.DecisionTreeRegressor(criterion="absolute_error"),
    tl.ModelTreeRegressor(),
    tl.M5(),
    tl.ModelTreeRegressor(prune=False, smooth=None, min_samples_leaf=1, min_share_leaf=0.0),
    tl.ModelTreeRegressor(prune=False, learner=tl.DummyRegressor(strategy="median")),
    tl.RandomForestClassifier(9, bootstrap=False, max_features=None),
    tl.RandomForestRegressor(9, bootstrap=False),
    tl.ExtraTreesClassifier(9),
    tl.ExtraTreesRegressor(9),
    tl.HistGradientBoostingClassifier(max_iter=10, min_samples_leaf=1),
    tl.HistGradientBoostingRegressor(max_iter=10, min_samples_leaf=1),
    tl.HistGradientBoostingRegressor("absolute_error", max_iter=20, min_samples_leaf=2),
    tl.ExplainableBoostingClassifier(
        interactions=0, validation_size=0, max_rounds=100, min_samples_leaf=1
    ),
    tl.ExplainableBoostingRegressor(
        interactions=0, validation_size=0, max_rounds=200, min_samples_leaf=1
    ),
    tl.VotingClassifier([tl.NaiveBayes(), tl.DecisionTreeClassifier()], voting="soft"),
    tl.VotingRegressor([tl.DecisionTreeRegressor(), tl.DummyRegressor()], weights=[3, 1]),
    tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=2),
    tl.TunedThresholdClassifierCV(tl.NaiveBayes(), cv=2),
    tl.KNeighborsClassifier(),
    tl.KNeighborsClassifier(3, weights="distance", scale="standard", algorithm="brute"),
    tl.KNeighborsRegressor(),
    tl.KNeighborsRegressor(metric="manhattan", ties="first", weights="inverse_square"),
    tl.Pipeline([tl.StandardScaler(), tl.KNeighborsClassifier()]),
    tl.Pipeline([("scale", tl.MinMaxScaler()), ("line", tl.Ridge())]),
    tl.KMeans(2),
    tl.KMeans(2, init="random", n_init=2, scale="standard"),
    tl.DummyClassifier(),
    tl.DummyClassifier(strategy="most_frequent"),
    tl.DummyRegressor(),
    tl.DummyRegressor(strategy="median"),
    tl.LogisticRegression(),
    tl.LogisticRegression(l1_ratio=0.5, class_weight="balanced"),
    tl.LogisticRegression(solver="lbfgs", tol=1e-10, max_iter=1000),
    tl.LogisticRegression(solver="newton-cg"),
    tl.Perceptron(),
    tl.Perceptron(averaged=True, max_iter=20, zero="mistake"),
    tl.LMS(5e-5),  # the checks have columns around 100, which run away from a rate above 1e-4
    tl.LMS(5e-5, order="random", steps=1000, start="random", random_state=0),
    tl.LMS(2e-5, scaling="mean", steps=20),
    tl.PCA(),
    *(one for one in PREPARATIONS if getattr(one, "labels", "code") == "code"),
)
