"""Calibrated classifiers and tuned thresholds, beside scikit-learn's on the same folds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import calibration, model_selection
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.calibration.calibration_maps import IsotonicMap, SigmoidMap
from tests.soak import SOAK

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
TWO = (X[:, 0] + RNG.normal(size=240) > 0.4).astype(int)
THREE = TWO + (X[:, 1] > 0.5)
X[:, 2] = X[:, 0] + 0.1 * RNG.normal(size=240)  # naive Bayes counts it twice, and is too certain
WEIGHT = RNG.uniform(0.2, 3, 240)
NEW = RNG.normal(size=(100, 3))
CV = StratifiedKFold(4)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighed"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(("method", "tolerance"), [("sigmoid", 1e-6), ("isotonic", 0)])
def test_calibration_is_that_of_scikit_learn(
    method: str, tolerance: float, y: Any, ensemble: bool, weight: Any
) -> None:
    made = [
        kind(GaussianNB(), method=method, cv=CV, ensemble=ensemble).fit(X, y, sample_weight=weight)
        for kind in (tl.CalibratedClassifierCV, calibration.CalibratedClassifierCV)
    ]
    ours, theirs = (one.predict_proba(NEW) for one in made)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)
    assert (made[0].predict(NEW) == made[1].predict(NEW)).all()


def test_our_classifiers_are_calibrated_as_those_of_scikit_learn() -> None:
    class Alike(GaussianNB):
        """Our naive Bayes, as an estimator of scikit-learn."""

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            self.inside = tl.NaiveBayes().fit(X, y)
            self.classes_, self.n_features_in_ = np.unique(y), X.shape[1]
            return self

        def predict_proba(self, X: Any) -> Any:
            return self.inside.predict_proba(X)

    for y in (TWO, THREE):
        ours = tl.CalibratedClassifierCV(tl.NaiveBayes(), "isotonic", cv=CV).fit(X, y)
        theirs = calibration.CalibratedClassifierCV(Alike(), method="isotonic", cv=CV).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=1e-12)


def log_loss(model: Any, x: Any, y: Any) -> float:
    shares = model.predict_proba(x)[np.arange(len(y)), y]
    return float(-np.log(np.clip(shares, 1e-12, 1)).mean())


def test_calibration_mends_probabilities_that_are_too_certain() -> None:
    x = np.repeat(X[:, :1], 8, axis=1)  # one column, counted eight times
    plain = tl.NaiveBayes().fit(x[:160], TWO[:160])
    for method in ("sigmoid", "isotonic"):
        mended = tl.CalibratedClassifierCV(tl.NaiveBayes(), method).fit(x[:160], TWO[:160])
        assert log_loss(mended, x[160:], TWO[160:]) < 0.8 * log_loss(plain, x[160:], TWO[160:])


@pytest.mark.parametrize("p", [[0.5] * 8, [0.0, 1.0] * 4, [1e-300, 1e-320, 1.0, 0.3] * 2])
def test_maps_of_extreme_probabilities_are_probabilities_that_increase(p: list[float]) -> None:
    positive = np.array([True, False, True, True, False, False, False, True])
    for kind in (SigmoidMap, IsotonicMap):
        for truth in (positive, np.zeros(8, bool), np.ones(8, bool)):
            found = kind.fit(np.array(p), truth, np.ones(8))
            found.check()
            assert ((grid := found.apply(np.linspace(0, 1, 11))) >= 0).all()
            assert (grid <= 1).all()
            assert kind is SigmoidMap or (np.diff(grid) >= 0).all()


@pytest.mark.parametrize("seed", range(600 if SOAK else 24))
def test_maps_of_random_rows_are_no_worse_than_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    p = (rng.random(n), np.round(rng.random(n), 1), rng.beta(0.1, 0.1, n), np.full(n, 0.3),
         rng.integers(0, 2, n).astype(float), rng.random(n) * 1e-6)[seed % 6]  # fmt: skip
    y = rng.random(n) < np.where(p < 1e-5, 0.3, p)
    weight = (np.ones(n), rng.uniform(0.1, 3, n), 10.0 ** rng.integers(-3, 4, n))[seed // 6 % 3]
    grid = np.linspace(0, 1, 101)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y.astype(float), weight)
    np.testing.assert_allclose(IsotonicMap.fit(p, y, weight).apply(grid), theirs.predict(grid),
                               atol=1e-12)  # fmt: skip
    platt = calibration._SigmoidCalibration().fit(p, y.astype(float), weight)
    zeros, ones = weight[~y].sum(), weight[y].sum()
    target = np.where(y, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    losses = [
        -weight @ (target * np.log(share) + (1 - target) * np.log1p(-share))
        for share in (SigmoidMap.fit(p, y, weight).apply(p), platt.predict(p))
    ]
    assert losses[0] <= losses[1] * (1 + 1e-9)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["alike", "weighed"])
@pytest.mark.parametrize(
    "scoring", ["balanced_accuracy", "accuracy", "f1", "precision", "recall", "matthews_corrcoef"]
)
def test_thresholds_are_those_of_scikit_learn(scoring: str, weight: Any) -> None:
    import sklearn

    theirs = model_selection.TunedThresholdClassifierCV(
        GaussianNB(), scoring=scoring, cv=CV, store_cv_results=True
    )
    ours = tl.TunedThresholdClassifierCV(GaussianNB(), scoring=scoring, cv=CV)
    if weight is None:
        theirs.fit(X, TWO)
    else:
        with sklearn.config_context(enable_metadata_routing=True):
            scorer = sklearn.metrics.get_scorer(scoring).set_score_request(sample_weight=True)
            estimator = GaussianNB().set_fit_request(sample_weight=True)
            theirs.set_params(scoring=scorer, estimator=estimator)
            theirs.fit(X, TWO, sample_weight=weight)
    ours.fit(X, TWO, sample_weight=weight)
    assert ours.best_threshold_ == pytest.approx(theirs.best_threshold_, abs=1e-12)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)
    for name, values in theirs.cv_results_.items():
        np.testing.assert_allclose(ours.cv_results_[name], values, atol=1e-12)
    assert (ours.predict(NEW) == theirs.predict(NEW)).all()


def test_costs_choose_the_threshold_of_the_least_cost() -> None:
    table = np.array([[1.0, 3.0], [10.0, -2.0]])  # rows are true classes

    def gain(truth: Any, predicted: Any) -> float:
        return float(-(confusion_matrix(truth, predicted, labels=[0, 1]) * table).mean())

    theirs = model_selection.TunedThresholdClassifierCV(GaussianNB(), scoring=make_scorer(gain),
                                                        cv=CV).fit(X, TWO)  # fmt: skip
    ours = tl.TunedThresholdClassifierCV(GaussianNB(), costs=table, cv=CV).fit(X, TWO)
    assert ours.best_threshold_ == pytest.approx(theirs.best_threshold_, abs=1e-12)
    by_call = tl.TunedThresholdClassifierCV(GaussianNB(), scoring=gain, cv=CV).fit(X, TWO)
    assert by_call.best_threshold_ == ours.best_threshold_
    dear, cheap = (
        tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs=costs).fit(X, TWO)
        for costs in ((1, 20), (20, 1))
    )
    assert dear.best_threshold_ < 0.3 < 0.7 < cheap.best_threshold_
    assert dear.predict(NEW).sum() > cheap.predict(NEW).sum()
    swapped = tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs=(20, 1), positive=0).fit(X, TWO)
    assert swapped.predict(NEW).sum() > cheap.predict(NEW).sum()


def test_thresholds_of_a_list_are_the_candidates() -> None:
    given = [0.2, 0.4, 0.6]
    model = tl.TunedThresholdClassifierCV(tl.NaiveBayes(), thresholds=given).fit(X, TWO)
    assert model.best_threshold_ in given
    assert model.cv_results_["thresholds"].tolist() == given


FRAME = pd.DataFrame({
    "length": np.where(RNG.random(240) < 0.1, np.nan, X[:, 0]),
    "colour": np.where(RNG.random(240) < 0.1, None, RNG.choice(["red", "green", "blue"], 240)),
    "who": [f"p{i // 6}" for i in range(240)],
    "bought": np.where(TWO > 0, "yes", "no"),
})  # fmt: skip
BASES = [
    tl.NaiveBayes(), tl.C45(), tl.RandomForestClassifier(5), tl.LogisticRegression(),
    tl.HistGradientBoostingClassifier(max_iter=5),
    tl.Pipeline([tl.SimpleImputer(), tl.OneHotEncoder(), tl.KNeighborsClassifier()]),
]  # fmt: skip


@pytest.mark.parametrize("base", BASES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("kind", [tl.CalibratedClassifierCV, tl.TunedThresholdClassifierCV])
def test_any_classifier_and_a_table_with_strings_and_missing_values_will_do(
    kind: Any, base: Any, tmp_path: Path
) -> None:
    table = FRAME.drop(columns="who")
    model = kind(base, cv=3).fit(table, "bought")
    shares, said = model.predict_proba(table), model.predict(table)
    assert (shares.sum(axis=1)).tolist() == pytest.approx([1] * 240)
    model.save(tmp_path / "model.tally")
    again = tl.load(tmp_path / "model.tally")
    assert (again.predict_proba(table) == shares).all()
    assert (again.predict(table) == said).all()
    assert [one.chosen for one in model.explain(table[:9])] == said[:9].tolist()
    assert tl.evaluate(kind(base, cv=3), table, "bought", cv=2)["accuracy"].value > 0.5
    by_hand = model.predict(table, threshold=0.9, positive="yes")
    assert (by_hand == np.where(shares[:, 1] >= 0.9, "yes", "no")).all()
    assert str(model.show_work())


@pytest.mark.parametrize("kind", [tl.CalibratedClassifierCV, tl.TunedThresholdClassifierCV])
def test_an_exported_program_decides_as_the_model_does(kind: Any) -> None:
    options = {"method": "isotonic"} if kind is tl.CalibratedClassifierCV else {"costs": (1, 3)}
    table = FRAME.drop(columns="who")[:40]
    model = kind(tl.NaiveBayes(), cv=3, **options).fit(table, "bought")
    program: dict[str, Any] = {}
    exec(tl.export(model, "python"), program)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    found = [program["predict"](row) for row in rows]
    assert [one["class"] for one in found] == model.predict(table).tolist()
    shares = [one["probabilities"] for one in found]
    np.testing.assert_allclose(shares, model.predict_proba(table), atol=1e-9)


def test_rows_of_a_group_stay_in_one_fold() -> None:
    declared = tl.table(FRAME, target="bought", groups="who")
    model = tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=4)
    seen: list[Any] = []
    splits = type(model)._splits

    def watched(self: Any, passes: Any, block: Any) -> Any:
        found = splits(self, passes, block)
        seen.append((block.group.codes, found))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(model), "_splits", watched)
        model.fit(declared)
    ((groups, found),) = seen
    assert len(found) == 4
    assert not any({*groups[one.train]} & {*groups[one.test]} for one in found)


def test_given_splits_are_of_the_rows_of_the_table_with_those_of_weight_zero() -> None:
    weight = np.ones(240)
    weight[::7] = 0
    kept = weight > 0
    pairs = [*CV.split(X, TWO)]
    at = np.cumsum(kept) - 1
    inner = [tuple(at[part[kept[part]]] for part in pair) for pair in pairs]
    found = [
        tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=pairs).fit(X, TWO, weight),
        tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=inner).fit(X[kept], TWO[kept]),
    ]
    assert (found[0].predict_proba(NEW) == found[1].predict_proba(NEW)).all()


def test_options_of_the_classifier_can_be_set_and_tuned() -> None:
    model = tl.CalibratedClassifierCV(tl.KNeighborsClassifier(3), cv=3)
    assert model.get_params()["estimator__n_neighbors"] == 3
    model.set_params(estimator__n_neighbors=9, method="isotonic")
    assert (model.estimator.n_neighbors, model.method) == (9, "isotonic")
    with pytest.raises(errors.OptionError, match="nothing"):
        model.set_params(estimator__nothing=1)
    found = tl.tune(model, {"estimator__n_neighbors": [1, 15]}, X, TWO, cv=3)
    assert found.best["estimator__n_neighbors"] == 15


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: tl.CalibratedClassifierCV(tl.Ridge()), errors.KindError, "predicts no classes"),
        (lambda: tl.CalibratedClassifierCV(tl.NaiveBayes), errors.KindError, "can fit"),
        (lambda: tl.CalibratedClassifierCV(tl.NaiveBayes(), "platt"), errors.OptionError, "method"),
        (lambda: tl.CalibratedClassifierCV(tl.NaiveBayes(), ensemble="no"), errors.OptionError,
         "ensemble"),
        (lambda: tl.CalibratedClassifierCV(tl.NaiveBayes(), cv=1), errors.OptionError, "2"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), scoring="roc_auc"),
         errors.OptionError, "scoring is 'roc_auc'.*balanced_accuracy"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), thresholds=1), errors.OptionError,
         "thresholds is 1"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), thresholds=[0.5, 0.2]),
         errors.OptionError, "increasing"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), thresholds=np.array(0.5)),
         errors.OptionError, "thresholds is"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), thresholds=[[0.1], [0.2, 0.3]]),
         errors.OptionError, "thresholds is"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs=(1, -1)),
         errors.OptionError, "costs is"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), costs="dear"), errors.OptionError,
         "2 x 2"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), scoring="f1", costs=(1, 2)),
         errors.OptionError, "Pass only one"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), scoring=lambda y, p: "good"),
         errors.OptionError, "should return a number"),
        (lambda: tl.TunedThresholdClassifierCV(tl.DummyClassifier()), errors.InputError,
         "same probability"),
        (lambda: tl.TunedThresholdClassifierCV(tl.NaiveBayes(), positive=7), errors.OptionError,
         "positive is 7"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(make: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make().fit(X, TWO)


def test_one_class_and_a_class_of_one_row_are_refused_and_named() -> None:
    for kind in (tl.CalibratedClassifierCV, tl.TunedThresholdClassifierCV):
        with pytest.raises(errors.InputError, match=r"1 class, 5, in all rows"):
            kind(tl.NaiveBayes()).fit(X, np.full(240, 5))
    with pytest.raises(errors.OptionError, match=r"has 3: 0, 1, 2\. Join classes"):
        tl.TunedThresholdClassifierCV(tl.NaiveBayes()).fit(X, THREE)
    lone = np.zeros(240, dtype=int)
    lone[3] = 1
    with pytest.raises(errors.InputError, match="all have the class 0"):
        tl.CalibratedClassifierCV(tl.NaiveBayes()).fit(X, lone)


def test_an_estimator_of_others_cannot_be_written_as_an_expression(tmp_path: Path) -> None:
    model = tl.CalibratedClassifierCV(GaussianNB(), cv=3).fit(X, TWO)
    with pytest.raises(errors.KindError, match="has no expression"):
        model.model_.expression(model.schema_)
    with pytest.raises(errors.TallyError):
        model.save(tmp_path / "model.tally")


def test_a_map_of_a_file_that_does_not_increase_is_refused() -> None:
    with pytest.raises(ValueError, match="does not increase"):
        IsotonicMap(np.array([0.5, 0.1]), np.zeros(2)).check()
    with pytest.raises(ValueError, match="exceeds 1"):
        IsotonicMap(np.array([0.5]), np.array([1.5])).check()
