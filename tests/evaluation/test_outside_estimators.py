"""Estimators of other libraries: sparse columns, weights through pipelines, folds at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = np.where(X[:, 0] + RNG.normal(size=120) > 0, "yes", "no")
WEIGHT = RNG.integers(1, 9, 120) / 4
FOLDS = StratifiedKFold(4)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_a_sparse_matrix_is_evaluated_as_it_is(make: Any) -> None:
    few = np.where(np.abs(X) > 0.7, X, 0.0)
    found = tl.evaluate(LogisticRegression(), make(few), Y, cv=FOLDS)
    theirs = cross_val_score(LogisticRegression(), sp.csr_matrix(few), Y, cv=FOLDS)
    assert found["accuracy"].by_fold == pytest.approx(theirs.tolist())
    assert found["accuracy"].baseline == pytest.approx((Y == "yes").mean(), abs=0.05)
    assert found.cautions == ()


class Sparing(LogisticRegression):
    """Learns from the first columns of a matrix that must not be filled up."""

    def fit(self, X: Any, y: Any) -> Any:
        assert sp.issparse(X)
        return super().fit(X[:, :4], y)

    def predict(self, X: Any) -> Any:
        assert sp.issparse(X)
        return super().predict(X[:, :4])


def test_the_rows_of_a_sparse_matrix_are_never_filled_up() -> None:
    wide = sp.csr_matrix((X.ravel(), (np.repeat(np.arange(120), 4), np.tile(range(4), 120))),
                         shape=(120, 1 << 40))  # fmt: skip
    found = tl.compare({"a": Sparing(), "b": Sparing(C=1e-4)}, wide, Y, cv=FOLDS)
    theirs = cross_val_score(LogisticRegression(), X, Y, cv=FOLDS)
    assert found["a"]["accuracy"].by_fold == pytest.approx(theirs.tolist())


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), tl.CART()])
def test_our_learners_say_how_a_sparse_matrix_is_read(learner: Any) -> None:
    with pytest.raises(KindError, match=r"takes no sparse matrix. Pass tl.table\(X\)"):
        tl.evaluate(learner, sp.csr_matrix(X), Y, cv=4)


def weighted_by_hand(named: str, make: Any) -> list[float]:
    values = []
    for train, test in FOLDS.split(X, Y):
        model = make().fit(X[train], Y[train], **{named: WEIGHT[train]})
        right = model.predict(X[test]) == Y[test]
        values.append(float(np.average(right, weights=WEIGHT[test])))
    return values


@pytest.mark.parametrize(
    ("named", "make"),
    [
        ("sample_weight", LogisticRegression),
        ("model__sample_weight",
         lambda: Pipeline([("scale", StandardScaler()), ("model", LogisticRegression(C=0.01))])),
        ("pipeline__logisticregression__sample_weight",
         lambda: make_pipeline(StandardScaler(), make_pipeline(LogisticRegression(C=0.01)))),
        ("sample_weight", lambda: GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=2)),
    ],
)  # fmt: skip
def test_weights_reach_the_model_at_the_end_of_a_pipeline(named: str, make: Any) -> None:
    found = tl.evaluate(make(), X, Y, cv=FOLDS, sample_weight=WEIGHT, scoring="accuracy")
    assert found["accuracy"].by_fold == pytest.approx(weighted_by_hand(named, make))


@pytest.mark.parametrize("last", [KNeighborsClassifier(), "passthrough"])
def test_a_pipeline_whose_end_takes_no_weights_is_refused(last: Any) -> None:
    model = Pipeline([("scale", StandardScaler()), ("model", last)])
    model._estimator_type = "classifier"
    with pytest.raises((OptionError, KindError), match=r"takes no sample_weight|neither a class"):
        tl.evaluate(model, X, Y, cv=FOLDS, sample_weight=WEIGHT)


class Fragile(LogisticRegression):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if X[0, 0] > 0.5:
            raise RuntimeError("too large")
        return super().fit(X, y)


@pytest.mark.parametrize("learner", [LogisticRegression(), tl.CART(max_depth=3)])
def test_folds_at_a_time_give_the_same_answers(learner: Any) -> None:
    alone = tl.evaluate(learner, X, Y, cv=4)
    both = tl.evaluate(learner, X, Y, cv=4, n_jobs=2)
    assert alone.to_dict() == both.to_dict()


@pytest.mark.parametrize("learner", [LogisticRegression(), tl.CART(max_depth=3)])
def test_every_verb_fits_folds_at_a_time_to_the_same_end(learner: Any) -> None:
    option = "C" if isinstance(learner, LogisticRegression) else "min_samples_leaf"
    verbs: list[Callable[..., Any]] = [
        lambda **more: tl.compare([learner, tl.DummyClassifier()], X, Y, cv=4, **more),
        lambda **more: tl.tune(learner, {option: [1, 2]}, X, Y, cv=4, **more),
        lambda **more: tl.learning_curve(learner, X, Y, sizes=(0.5, 1.0), cv=4, **more),
        lambda **more: tl.validation_curve(learner, option, [1, 2], X, Y, cv=4, **more),
        lambda **more: tl.bias_variance(learner, X, Y, draws=20, **more),
    ]
    for verb in verbs:
        assert verb(n_jobs=2).to_dict() == verb().to_dict()
        with pytest.raises(OptionError, match="n_jobs is 0"):
            verb(n_jobs=0)


def test_a_fold_that_fails_in_a_worker_is_named() -> None:
    order = np.argsort(X[:, 0])
    splits = [(order[:90], order[90:]), (order[:9:-1], order[:10])]
    found = tl.evaluate(Fragile(), X, Y, cv=splits, n_jobs=2, on_error="keep")
    assert [failure.reason for failure in found.failures] == ["RuntimeError: too large"]
    with pytest.raises(InputError, match="Fragile failed on fold 1: RuntimeError: too large"):
        tl.evaluate(Fragile(), X, Y, cv=splits, n_jobs=2)


@pytest.mark.parametrize("wrong", [0, 1.5, "2", True])
def test_a_number_of_jobs_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="n_jobs is"):
        tl.evaluate(LogisticRegression(), X, Y, cv=4, n_jobs=wrong)


def test_a_notebook_shows_a_bar_under_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def display(thing: str, display_id: bool) -> Any:
        shown.append(thing)
        return SimpleNamespace(update=shown.append)

    inside, shell = ModuleType("IPython.display"), ModuleType("IPython")
    inside.HTML, inside.display = str, display  # type: ignore[attr-defined]
    shell.get_ipython = lambda: SimpleNamespace(kernel=1)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", inside)
    tl.evaluate(LogisticRegression(), X, Y, cv=4)
    assert len(shown) == 6
    assert shown[4] == '<progress value="4" max="4"></progress> LogisticRegression 4/4'
    assert shown[-1] == ""
    tl.learning_curve(LogisticRegression(), X, Y, sizes=(0.5, 1.0), cv=4)
    assert shown[-2] == '<progress value="8" max="8"></progress> LogisticRegression 8/8'
    tl.validation_curve(LogisticRegression(), "C", [1, 2, 3], X, Y, cv=4)
    assert shown[-2] == '<progress value="12" max="12"></progress> LogisticRegression 12/12'
    tl.bias_variance(LogisticRegression(), X, Y, draws=20)
    assert shown[-2] == '<progress value="20" max="20"></progress> LogisticRegression 20/20'
    shown.clear()
    tl.evaluate(tl.NaiveBayes(), X, Y, cv=4)  # one pass: nothing to wait for
    tl.evaluate(LogisticRegression(), X, Y, cv=4, progress=False)
    assert shown == []
