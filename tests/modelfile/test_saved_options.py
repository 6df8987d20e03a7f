"""Every learner is saved and read again, under every option, on every kind of table.

`make soak` saves every option on every table; `make test` saves it on the first table that the
option takes, from another one on for each, and the defaults on all.
"""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors, modelfile
from tests.soak import SOAK
from tests.tables import mixed_table

T = TypeVar("T")

LEARNERS = (
    tl.NaiveBayes, tl.NearestCentroid, tl.LinearDiscriminantAnalysis,
    tl.QuadraticDiscriminantAnalysis, tl.LinearRegression, tl.Ridge, tl.Lasso, tl.ElasticNet,
    tl.SubsetSelection, tl.DecisionTreeClassifier, tl.DecisionTreeRegressor, tl.ModelTreeRegressor,
    tl.RandomForestClassifier, tl.RandomForestRegressor, tl.KNeighborsClassifier,
    tl.KNeighborsRegressor, tl.KMeans, tl.DummyClassifier, tl.DummyRegressor,
    tl.LogisticRegression, tl.Perceptron, tl.LMS, tl.PCA, tl.StandardScaler, tl.MinMaxScaler,
    tl.SimpleImputer, tl.OneHotEncoder, tl.OrdinalEncoder, tl.KBinsDiscretizer, tl.VotingClassifier,
    tl.VotingRegressor, tl.Pipeline, tl.CalibratedClassifierCV, tl.TunedThresholdClassifierCV,
)  # fmt: skip
NEEDED: dict[str, dict[str, Any]] = {  # what a learner cannot do without, or would take long with
    "VotingClassifier": {"estimators": [tl.NaiveBayes(), tl.DummyClassifier()]},
    "VotingRegressor": {"estimators": [tl.DummyRegressor(), tl.DecisionTreeRegressor()]},
    "CalibratedClassifierCV": {"estimator": tl.NaiveBayes(), "cv": 2},
    "TunedThresholdClassifierCV": {"estimator": tl.NaiveBayes(), "cv": 2},
    "Pipeline": {"steps": [tl.SimpleImputer(), tl.NaiveBayes()]},
    "RandomForestClassifier": {"n_estimators": 3},
    "RandomForestRegressor": {"n_estimators": 3},
    "LMS": {"learning_rate": 1e-30},
    "DummyClassifier": {"random_state": 0},
    "KMeans": {"n_clusters": 2},
}
BESIDE = {  # an option that another one needs
    "alphas": {"alpha": "cv"},
    "rule": {"alpha": "cv", "criterion": "folds"},
    "folds": {"alpha": "cv", "criterion": "folds"},
    "shrinkage": {"solver": "eigen"},
    "category_smoothing": {"category_split": "target"},
    "costs": {"costs": {"length": 2.0}},
    "cost_rule": {"costs": {"length": 2.0}},
    "cost_exponent": {"costs": {"length": 2.0}, "cost_rule": "eg2"},
    "level": {"pruning": "chi2"},
    "confidence": {"pruning": "pessimistic"},
    "raising": {"pruning": "pessimistic"},
    "validation": {"pruning": "reduced_error"},
    "constant": {"strategy": "constant"},
    "quantile": {"strategy": "quantile"},
    "p": {"metric": "minkowski", "m": 2.0},
    "learning_rate": {"loss": "squared"},
    "unknown_value": {"handle_unknown": "use_encoded_value"},
    "fill_value": {"strategy": "constant"},
}
VALUES: dict[str, tuple[Any, ...]] = {
    "C": (0.1, np.inf), "alpha": (0.0, 0.3, "cv"), "alphas": ([0.1, 1.0],),
    "algorithm": ("brute", "kd_tree", "elkan"), "at_half": ("positive",), "averaged": (True,),
    "bins": (3, 16), "bootstrap": (False,), "category_strategy": ("own", "most_frequent"),
    "columns": ("category", "all"), "categories": ({"colour": ["blue", "green", "red"]},),
    "dtype": ("float32", np.float32), "encoded_missing_value": (-1.0,), "unknown_value": (-1.0,),
    "feature_name_combiner": ("equals",),
    "encode": ("ordinal", "interval", "onehot-dense"), "n_bins": (3, 16),
    "handle_unknown": ("ignore", "warn"), "min_frequency": (3, 0.2), "max_categories": (3,),
    "add_indicator": (True,), "keep_empty_features": (True,), "missing_values": ("red", 0.0),
    "fill_value": (7.0,), "quantile_method": ("linear", "hazen"), "sparse_output": (False,),
    "category_smoothing": (1.0,), "category_split": ("multiway", "target", "one_vs_rest"),
    "ccp_alpha": (0.01, "cv"), "centroids_per_class": (2, "cv"), "chance": ("keep", "use"),
    "class_prior": ([0.2, 0.3, 0.5],), "class_weight": ("balanced",), "clip": (True,),
    "confidence": (0.1,), "constant": ("a", 2.5), "cost_exponent": (0.5,),
    "cost_rule": ("gain/cost", "eg2"), "costs": ({"length": 2.0}, (1, 5)), "cp": (0.01,),
    "criterion": ("entropy", "gain_ratio", "absolute_error", "sdr", "poisson", "aic", "folds",
                  "variance", "adjusted_r2", "cp"),
    "cv": (3,), "ddof": (1,), "degree": (2, 3), "drop": ("first",), "eta0": (0.5,),
    "exact": (True,),
    "ensemble": (False,), "estimator": (tl.NaiveBayes(alpha=3),), "examples": ("memory",),
    "exemplar": ("mean", "median", "medoid", "geometric_median", "geometric_mean"),
    "feature_range": ((-1, 1),), "fit_intercept": (False,), "fit_prior": (False,), "folds": (3,),
    "init": ("random",), "coef_init": ("random",), "intercept_init": (0.5,),
    "l1_ratio": (0.2, 1.0),
    "learners": ({"length": tl.LinearRegression()},),
    "level": (0.2,), "loss": ("squared", [[0, 1, 2], [1, 0, 1], [3, 1, 0]]), "m": (2.0,),
    "max_depth": (2,), "max_df": (0.9,), "max_features": (2, "sqrt", 0.5, 6), "max_iter": (7,),
    "max_leaf_nodes": (4,), "max_samples": (0.5,), "max_size": (1,), "method": ("forward",
    "backward", "isotonic"), "metric": ("manhattan", "chebyshev", "minkowski", "cosine", "gower"),
    "min_deviation": (0.2,), "min_df": (2,), "min_impurity_decrease": (0.01,),
    "min_samples_category": (1, 3), "min_samples_leaf": (5,), "min_samples_split": (9,),
    "min_share_leaf": (0.1,), "min_weight_fraction_leaf": (0.05,),
    "missing": ("refuse", "drop", "mean", "node", "global", "fractional", "branch"),
    "n_clusters": (3,), "n_components": (1,), "n_estimators": (2,), "n_init": (2,),
    "n_iter_no_change": (3,),
    "n_neighbors": (3,), "ngram_range": ((1, 2),),
    "numbers": ("median", "mode", "bernoulli", "learned"), "oob_score": (True,),
    "order": ("random",), "p": (3,), "penalize_intercept": (True,), "positive": (True, "other"),
    "priors": ([0.2, 0.3, 0.5], "empirical"), "prune": (False,),
    "pruning": ("reduced_error", "pessimistic", "chi2", "rules", "cost_complexity"),
    "quantile": (0.3,), "raising": (False,), "random_state": (3,), "learning_rate": (0.01, 1e-31),
    "keep_rows": (True, False), "reference": ({"colour": "red"},), "reg_param": (0.2,),
    "rule": ("one_se",), "scale": ("minmax", "standard", "standard_sample"),
    "scoring": ("f1",), "thresholds": (7, [0.3, 0.5]),
    "scaling": ("twice", "sum", "mean"), "shrink_threshold": (0.3,),
    "shrinkage": (0.2, "auto"), "shuffle": (False,), "significance": (0.05,), "smooth": (None, 5.0),
    "solver": ("svd", "lsqr", "eigen", "qr", "cholesky", "lbfgs", "newton-cg", "newton", "gradient",
               "normal"),
    "splitter": ("random",), "start": ("random",), "steps": (5,), "stop_words": (("and",),),
    "store_covariance": (True,),
    "strategy": ("kmeans", "mdl", "constant", "most_frequent", "uniform", "stratified", "constant",
                 "median", "quantile"),
    "text_model": ("bernoulli", "set"), "tie": ("undefined", "random"), "ties": ("first",),
    "tol": (1e-3,), "unit": ("weight",), "validation": (0.3,),
    "var_smoothing": (1e-3,), "var_smoothing_by": ("table",), "variant": ("notes", "c45"),
    "vote": ("majority",), "voting": ("soft",), "weights": ("distance", "inverse_square", [1, 2]),
    "whiten": (True,), "with_mean": (False,), "with_std": (False,), "zero": ("mistake",),
}  # fmt: skip


@cache
def tables() -> dict[str, pd.DataFrame]:
    """One table of every kind, with a class, a number and a weight beside its columns."""
    whole = mixed_table()[:90].reset_index(drop=True)
    rng = np.random.default_rng(3)
    whole["w"] = rng.integers(1, 4, 90)
    whole["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 90), "D")
    whole["far"] = rng.normal(size=90) + 1e11
    whole["code"] = [f"k{rng.integers(0, 70)}" for _ in range(90)]
    whole["other"] = rng.normal(size=90)
    whole["flat"] = 3.0
    columns = {
        "numbers": ["width", "other"],
        "far": ["far", "day", "flat", "other"],
        "missing": ["length", "other"],
        "categories": ["colour", "heavy"],
        "mixed": ["length", "width", "colour", "shape"],
        "text": ["note", "colour", "other"],
        "rare": ["code", "other"],
    }
    return {name: whole[[*used, "kind", "price", "w"]] for name, used in columns.items()}


def options_of(kind: Any) -> Iterator[dict[str, Any]]:
    """The defaults, and every option at every value, the others at their defaults."""
    yield {}
    names = inspect.signature(kind).parameters
    for name in names:
        for value in VALUES.get(name, ()):
            beside = {key: other for key, other in BESIDE.get(name, {}).items() if key in names}
            yield {name: value}
            if beside:
                yield {**beside, name: value}
            if "exact" in names and name != "exact":
                yield {**beside, name: value, "exact": True}


def fitted(kind: Any, options: dict[str, Any], table: pd.DataFrame, weight: Any) -> Any:
    """The learner, fitted; None where it refuses the option, or the table with this option."""
    target = {"classifier": "kind", "regressor": "price"}.get(str(kind.task))
    if kind is tl.KBinsDiscretizer or kind is tl.Pipeline:
        target = "kind"
    rows = pd.concat([rows_of(table), table[target]], axis=1) if target else rows_of(table)
    if kind is tl.TunedThresholdClassifierCV:
        rows = rows.assign(kind=rows["kind"].where(rows["kind"] == rows["kind"][0], "other"))
    given = {} if weight is None else {"sample_weight": weight}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kind(**{**NEEDED.get(kind.__name__, {}), **options}).fit(rows, target, **given)
    except (errors.InputError, errors.OptionError, errors.KindError):
        return None


def rows_of(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns=["kind", "price", "w"])


def check_saved(model: Any, path: Path, table: pd.DataFrame) -> None:
    """What is read again is what was saved, and answers alike."""
    model.save(path, tally=model.tally_ is not None)
    again = tl.load(path)
    assert modelfile.digests(again) == modelfile.digests(model)
    rows = rows_of(table).dropna()
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            one, two = (pd.DataFrame(getattr(each, name)(rows)) for each in (model, again))
            assert one.equals(two), (name, model)


def in_turn(items: Sequence[T], number: int) -> list[T]:
    """The items, from the one whose turn it is on."""
    first = number % len(items)
    return [*items[first:], *items[:first]]


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of small files are not waited for."""
    monkeypatch.setattr("os.fsync", lambda file: None)


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_every_option_on_every_table_is_saved_and_read_again(kind: Any, tmp_path: Path) -> None:
    saved = 0
    for number, options in enumerate(options_of(kind)):
        # sums without rounding take their time: two tables have what all others have
        names = ("far", "mixed") if len(options) > 1 and "exact" in options else (*tables(),)
        for name in in_turn(names, number):
            table = tables()[name]
            model = fitted(kind, options, table, None)
            if model is not None:
                check_saved(model, tmp_path / "model.tally", table)
                saved += 1
                if number and not SOAK:
                    break
    assert saved >= 4


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_weighted_models_are_saved_and_read_again(kind: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    whole = [options for options in options_of(kind) if len(options) <= 1]
    exactly = [{"exact": True}, {"shrinkage": "auto", "solver": "eigen", "exact": True}]
    names = inspect.signature(kind).parameters
    weights = (tables()["far"]["w"].to_numpy(), rng.random(90) + 0.5)
    every = [*itertools.product(("far", "categories"), weights)]
    both = (*whole, *(each for each in exactly if {*each} <= {*names}))
    for number, options in enumerate(both):
        for name, weight in in_turn(every, number):
            table = tables()[name]
            if (model := fitted(kind, options, table, weight)) is not None:
                check_saved(model, tmp_path / "model.tally", table)
                if number and not SOAK:
                    break


@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.__name__)
def test_every_option_has_values_to_be_saved_with(kind: Any) -> None:
    silent = {"copy", "copy_X", "copy_x", "n_jobs", "verbose", "warm_start", "precompute",
              "selection", "leaf_size", "metric_params", "covariance_estimator", "monotonic_cst",
              "tokenizer", "estimators", "svd_solver", "iterated_power", "n_oversamples",
              "power_iteration_normalizer", "learner", "subsample"}  # fmt: skip
    assert not {*inspect.signature(kind).parameters} - {*VALUES} - silent
