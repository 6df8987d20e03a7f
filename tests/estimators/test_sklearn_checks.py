"""scikit-learn's own checks on every estimator, and its machinery around them."""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # before scipy is imported, or a check is skipped

import pickle
import re
import warnings
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import tallylearn as tl
from tallylearn import errors
from tests.learners import ESTIMATORS
from tests.soak import SOAK

# what depends on the options; the rest is of the class, and looked at in its first instance
LEARNING = re.compile("weight|classif|regress|transformer|label|methods_|idempotent|fit2d|dtypes")


def checks() -> list[Any]:
    """All checks of one instance of every class, those of learning of the others."""
    found, seen = [], set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an estimator need not inherit from BaseEstimator
        for estimator in ESTIMATORS:
            first = SOAK or type(estimator) not in seen
            seen.add(type(estimator))
            found += [
                (one, check)
                for one, check in estimator_checks_generator(estimator)
                if (first or LEARNING.search(name_of(check)))
                if not (counts_rows(one) and "weight_equivalence" in name_of(check))
            ]
    return found


def counts_rows(estimator: Any) -> bool:
    """Whether a number of rows decides what is learned, so that weight 2 is not the row twice.

    Least rows of a leaf (C4.5, M5), degrees of freedom (ddof, the spread around centroids), as
    many components or columns as there are rows, and the length of a description. Encoders refuse
    a category that only rows of weight 0 had.
    """
    counting = tl.NearestCentroid | tl.SubsetSelection | tl.ModelTreeRegressor | tl.PCA
    counting |= tl.OneHotEncoder | tl.OrdinalEncoder
    return (
        isinstance(estimator, counting)
        or getattr(estimator, "variant", None) == "c45"
        or getattr(estimator, "ddof", 0) != 0
        or getattr(estimator, "strategy", None) == "mdl"
    )


def name_of(value: Any) -> str:
    return getattr(getattr(value, "func", None), "__name__", repr(value))


@pytest.mark.parametrize(("estimator", "check"), checks(), ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_pass(estimator: Any, check: Any) -> None:
    try:
        check(estimator)
    except SkipTest as skipped:  # a check that skips itself has not been passed
        pytest.fail(f"skipped: {skipped}")


X, Y = load_iris(return_X_y=True)


def test_a_pipeline_and_a_grid_search_take_it() -> None:
    search = GridSearchCV(
        make_pipeline(StandardScaler(), tl.NaiveBayes()),
        {"naivebayes__var_smoothing": [1e-9, 1e-2, 1.0]},
        cv=3,
    ).fit(X, Y)
    assert search.best_score_ > 0.9
    assert search.predict(X).shape == Y.shape


def test_cross_validation_takes_a_declared_table() -> None:
    frame = load_iris(as_frame=True).frame.sample(frac=1, random_state=0)
    table = tl.table(frame, target="target")
    assert cross_val_score(tl.NaiveBayes(), table, cv=3).mean() > 0.8
    assert cross_val_score(tl.NaiveBayes(), tl.table(X), Y, cv=3).mean() > 0.9


def test_weights_are_routed_when_asked_for() -> None:
    weight = np.ones(len(Y))
    weight[Y == 2] = 0
    with sklearn.config_context(enable_metadata_routing=True):
        model = tl.NaiveBayes().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"alpha": [1.0]}, cv=3)
        search.fit(X, Y, sample_weight=weight)
        assert clone(model)._metadata_request.fit.requests == {"sample_weight": True}
    assert search.best_estimator_.classes_.tolist() == [0, 1]


def test_a_clone_has_the_parameters_and_no_model() -> None:
    model = tl.NaiveBayes(alpha=0.5, class_prior=[0.2, 0.3, 0.5]).fit(X, Y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert isinstance(pickle.loads(pickle.dumps(model)).predict(X), np.ndarray)


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        (tl.NaiveBayes, "class_prior"),
        (tl.LinearDiscriminantAnalysis, "priors"),
        (tl.QuadraticDiscriminantAnalysis, "priors"),
        (tl.NearestCentroid, "priors"),
    ],
)
def test_a_prior_given_as_a_series_goes_by_its_labels(learner: Any, option: str) -> None:
    given = {2: 0.5, 1: 0.3, 0: 0.2}
    by_name = learner(**{option: given}).fit(X, Y).predict_proba(X)
    by_label = learner(**{option: pd.Series(given)}).fit(X, Y).predict_proba(X)
    assert np.array_equal(by_label, by_name)
    with pytest.raises(errors.OptionError, match="names 'a', 'b', 'c'"):
        learner(**{option: pd.Series([0.2, 0.3, 0.5], index=list("abc"))}).fit(X, Y)


@pytest.mark.parametrize(
    ("learner", "option"),
    [
        (tl.NaiveBayes, "class_prior"),
        (tl.LinearDiscriminantAnalysis, "priors"),
        (tl.QuadraticDiscriminantAnalysis, "priors"),
        (tl.NearestCentroid, "priors"),
    ],
)
def test_a_prior_given_as_a_series_is_saved_by_its_labels(
    learner: Any, option: str, tmp_path: Path
) -> None:
    given = {2: 0.5, 1: 0.3, 0: 0.2}
    model = learner(**{option: pd.Series(given)}).fit(X, Y)
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert again.get_params()[option] == given
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "make",
    [
        lambda **p: tl.NaiveBayes(class_prior=p.get("prior"), fit_prior=bool(p)),
        lambda **p: tl.NaiveBayes(class_prior=p.get("prior"), numbers="bernoulli"),
        lambda **p: tl.LinearDiscriminantAnalysis(priors=p.get("prior")),
        lambda **p: tl.LinearDiscriminantAnalysis("lsqr", priors=p.get("prior")),
        lambda **p: tl.QuadraticDiscriminantAnalysis(priors=p.get("prior"), reg_param=0.1),
    ],
)
def test_a_class_without_rows_is_never_answered_whatever_its_prior(make: Any) -> None:
    frame = pd.DataFrame(X[:100], columns=list("abcd")).assign(y=np.where(Y[:100] == 0, "p", "r"))
    table = tl.table(frame, target="y", classes=["p", "q", "r"])
    for prior, left in ((None, None), ([0.2, 0.7, 0.1], [2 / 3, 1 / 3])):
        found = make(**({} if prior is None else {"prior": prior})).fit(table)
        plain = make(**({} if prior is None else {"prior": left})).fit(frame, "y")
        assert not found.predict_proba(frame)[:, 1].any()
        assert found.predict_proba(frame)[:, [0, 2]] == pytest.approx(plain.predict_proba(frame))
        assert found.predict(frame).tolist() == plain.predict(frame).tolist()
        assert found.explain(frame[:1])[0].chosen == plain.explain(frame[:1])[0].chosen
    with pytest.raises(
        errors.OptionError, match="gives probability 0 to every class that has rows"
    ):
        make(prior=[0.0, 1.0, 0.0]).fit(table)


def test_an_estimator_shows_itself_in_a_notebook() -> None:
    assert "alpha=0.5" in tl.NaiveBayes(alpha=0.5)._repr_html_()
    assert "NaiveBayes" in make_pipeline(tl.NaiveBayes())._repr_html_()


def test_gaussian_naive_bayes_agrees_with_scikit_learn() -> None:
    ours, theirs = tl.NaiveBayes(var_smoothing_by="table").fit(X, Y), GaussianNB().fit(X, Y)
    assert np.allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    # with weights its smoothing is a share of the unweighted variance, ours of the weighted one
    weight = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    ours = tl.NaiveBayes(var_smoothing=0).fit(X, Y, sample_weight=weight)
    theirs = GaussianNB(var_smoothing=0).fit(X, Y, sample_weight=weight)
    assert np.allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9)
    assert np.allclose(
        tl.NaiveBayes().fit(X, Y).predict_joint_log_proba(X),
        GaussianNB().fit(X, Y).predict_joint_log_proba(X),
    )


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1.0, 3.0])
def test_categorical_naive_bayes_agrees_with_scikit_learn(alpha: float) -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (300, 5))
    y = (codes[:, 0] + codes[:, 1] + rng.integers(0, 3, 300)) % 3
    frame = pd.DataFrame(codes, columns=list("abcde")).map("v{}".format)
    ours = tl.NaiveBayes(alpha=alpha).fit(frame, y)
    theirs = CategoricalNB(alpha=alpha).fit(codes, y)
    assert np.allclose(ours.predict_log_proba(frame), theirs.predict_log_proba(codes))


def test_bernoulli_naive_bayes_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(200, 6))
    y = (x[:, 0] + rng.normal(size=200) > 0).astype(int)
    ours = tl.NaiveBayes(numbers="bernoulli").fit(x, y)
    assert np.allclose(ours.predict_log_proba(x), BernoulliNB().fit(x, y).predict_log_proba(x))
    truths = tl.NaiveBayes().fit(x > 0, y)
    assert np.allclose(truths.predict_log_proba(x > 0), ours.predict_log_proba(x))


@pytest.mark.parametrize("kwargs", [{}, {"priors": "empirical"}, {"shrink_threshold": 0.4}])
def test_nearest_centroid_agrees_with_scikit_learn(kwargs: dict[str, Any]) -> None:
    y = np.where(np.arange(150) % 5 == 0, 0, Y)
    ours, theirs = tl.NearestCentroid(**kwargs).fit(X, y), NearestCentroid(**kwargs).fit(X, y)
    assert np.allclose(ours.centroids_, theirs.centroids_)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert np.allclose(ours.decision_function(X), theirs.decision_function(X))


def test_scores_weigh_rows_as_scikit_learns_do() -> None:
    weight = np.random.default_rng(4).uniform(0, 3, len(Y))
    model = tl.NaiveBayes().fit(X[:, :1], Y)
    expected = metrics.accuracy_score(Y, model.predict(X[:, :1]), sample_weight=weight)
    assert model.score(X[:, :1], Y, weight) == pytest.approx(expected)
    regressor = tl.DecisionTreeRegressor(max_depth=2).fit(X[:, :1], X[:, 2])
    expected = metrics.r2_score(X[:, 2], regressor.predict(X[:, :1]), sample_weight=weight)
    assert regressor.score(X[:, :1], X[:, 2], weight) == pytest.approx(expected)
    constant = tl.DummyRegressor().fit(X, np.full(len(X), 7.0))
    assert constant.score(X, np.full(len(X), 7.0)) == 1.0
    assert constant.score(X, np.full(len(X), 8.0)) == 0.0


def test_our_errors_are_scikit_learns_classes_where_it_is_loaded() -> None:
    with pytest.raises(NotFittedError) as caught:
        tl.NaiveBayes().predict(X)
    assert isinstance(caught.value, errors.NotFitted)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_repr_of_a_fitted_learner_says_what_it_learned_from(
    estimator: Any, named: bool
) -> None:
    numbers = np.random.default_rng(0).normal(size=(60, 2))
    X = pd.DataFrame(numbers, columns=["a", "b"]) if named else numbers
    asks = estimator.task == "classifier" or getattr(estimator, "strategy", None) == "mdl"
    y = np.where(numbers[:, 0] > 0, "u", "v") if asks else np.abs(numbers[:, 1])  # counts too
    before = repr(estimator)
    fitted = clone(estimator).fit(X, y)
    columns = "60 rows of 2 columns" + (" ('a', 'b')" if named else "")
    classes = ", classes 'u', 'v'" if estimator.task == "classifier" else ""
    assert repr(fitted) == f"{before} learned from {columns}{classes}"
    assert repr(clone(fitted)) == fitted.constructor_call() == before
    assert columns.replace("'", "&#x27;") in fitted._repr_html_()


def test_the_repr_counts_what_was_merged_and_forgotten_and_cuts_long_lists() -> None:
    table = tl.example("tennis")
    some, rest = tl.NaiveBayes().fit(table[:9]), tl.NaiveBayes().fit(table[9:])
    assert "from 14 rows of 4 columns" in repr(tl.merge(some, rest))
    assert "from 5 rows" in repr(tl.merge(some, rest).forget(table[:9]))
    wide = pd.DataFrame(np.arange(40.0).reshape(4, 10), columns=[f"c{j}" for j in range(10)])
    said = repr(tl.DecisionTreeClassifier().fit(wide, list("abcd")))
    assert said.endswith(
        "('c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 4 more), classes 'a', 'b', 'c', 'd'"
    )
    weight = np.full(14, 1.45)
    for size in (1, 0.5):
        assert "learned from 14 rows, with sample weights, of 4 columns" in repr(
            tl.NaiveBayes().fit(table, None, weight * size)
        )
    assert "learned from 14 rows of 4" in repr(tl.C45().fit(table, None, weight))
    again = tl.evaluate(some, table, cv=2)
    assert "NaiveBayes() learned" not in again.to_json()


@pytest.mark.parametrize("options", [{}, {"shrink_threshold": 3.0}, {"priors": "empirical"}])
def test_a_class_without_rows_has_no_centroid(options: dict[str, Any]) -> None:
    frame = pd.DataFrame(X[:100], columns=list("abcd")).assign(y=np.where(Y[:100] == 0, "p", "r"))
    declared = tl.NearestCentroid(**options).fit(
        tl.table(frame, target="y", classes=["p", "q", "r"])
    )
    plain = tl.NearestCentroid(**options).fit(frame, "y")
    assert np.array_equal(declared.centroids_[[0, 2]], plain.centroids_)
    rows = pd.concat([frame, frame.drop(columns="y").mean().to_frame().T])
    assert np.allclose(declared.predict_proba(rows)[:, [0, 2]], plain.predict_proba(rows))
    assert declared.predict(rows).tolist() == plain.predict(rows).tolist()
    assert not declared.predict_proba(rows)[:, 1].any()
    assert declared.explain(rows)[-1].chosen == plain.explain(rows)[-1].chosen
