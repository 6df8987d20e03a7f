"""Samples: rows tested again are one row, a small probability is no zero, and a group is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB

import tallylearn as tl
from tallylearn.errors import TallyError
from tallylearn.evaluation.running import fold_plan
from tallylearn.evaluation.scores.tested_rows import RETEST_FACTOR
from tallylearn.statistics.confidence_intervals import Interval
from tests.printed_text import unwrapped

RNG = np.random.default_rng(12)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)


def width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


@pytest.mark.parametrize("score", ["roc_auc", "accuracy", "f1", "log_loss"])
def test_repeats_of_another_librarys_splitter_count_a_row_once(score: str) -> None:
    theirs = RepeatedStratifiedKFold(n_splits=4, n_repeats=12, random_state=0)
    ours = tl.Folds.k(4, repeats=12)
    one, other = (tl.evaluate(tl.NaiveBayes(), X, Y, cv=cv, scores=score) for cv in (theirs, ours))
    once = tl.evaluate(tl.NaiveBayes(), X, Y, cv=4, scores=score)
    assert width(one[score].interval) == pytest.approx(width(other[score].interval), rel=0.1)
    assert width(one[score].interval) > 0.85 * width(once[score].interval)


def test_rows_drawn_twice_are_one_row_that_was_learned_from() -> None:
    splits = [*tl.Folds.bootstrap(20).splits(1000)]
    assert fold_plan.tested_share(splits) == pytest.approx(np.exp(-1), abs=0.02)  # and not 0.27


@pytest.mark.parametrize("cv", [4, "loo", "holdout"])
@pytest.mark.parametrize("learner", [tl.NaiveBayes(), GaussianNB()], ids=repr)
def test_a_probability_too_small_for_a_double_is_no_zero(learner: Any, cv: Any) -> None:
    far = np.where(np.arange(60) % 2, 0.0, 400.0)[:, None] + RNG.normal(size=(60, 1))
    y = np.arange(60) % 2
    far[[8, 21, 30]] = 400.0 - far[[8, 21, 30]]
    learner = tl.NaiveBayes(var_smoothing=1e-9) if isinstance(learner, tl.NaiveBayes) else learner
    wide = np.repeat(far, 40, axis=1)
    found = tl.evaluate(learner, wide, y, cv=cv, scores=["log_loss", "brier"])
    told = found.predictions
    lost = told[f"P({1})"] == (1 - told["truth"])
    assert lost.any()
    assert np.isfinite(found["log_loss"].value), found["log_loss"].reason
    assert found["log_loss"].value > 100 * lost.mean()


def test_what_a_model_rules_out_stays_infinite() -> None:
    table = {"c": list("ab") * 20, "y": [*"uv"] * 19 + ["v", "u"]}
    found = tl.evaluate(tl.NaiveBayes(alpha=0), table, "y", cv="loo", scores="log_loss")
    assert found["log_loss"].value == np.inf


def test_a_dict_of_columns_has_as_many_rows_as_its_columns() -> None:
    columns = {"a": list(range(12)), "b": list(range(12))}
    for train, test in tl.Folds.k(3, stratified=False).split(columns):
        assert sorted([*train, *test]) == list(range(12))
    assert tl.Folds.leave_one_out().get_n_splits(columns) == 12


class Breaks:
    """Fails whatever it is given."""

    _estimator_type = "classifier"

    def __init__(self, times: int = 1) -> None:
        self.times = times

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"times": self.times}

    def set_params(self, **params: Any) -> Breaks:
        self.times = params["times"]
        return self

    def fit(self, X: Any, y: Any) -> Any:
        raise RuntimeError("no")

    def predict(self, X: Any) -> Any:
        return X


def test_no_verb_recommends_an_option_that_it_lacks() -> None:
    with pytest.raises(TallyError) as caught:
        tl.tune(Breaks(), {"times": [1, 2]}, X, Y)
    assert "on_error" not in str(caught.value)
    with pytest.raises(TallyError, match="on_error='keep'"):
        tl.evaluate(Breaks(), X, Y)


def test_a_baseline_stands_beside_every_candidate_and_every_group() -> None:
    found = tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9, 0.1]}, X, Y, cv=4)
    majority = tl.evaluate(tl.DummyClassifier(), X, Y, cv=4)["accuracy"].value
    assert [row["baseline"] for row in found.records()] == pytest.approx([majority] * 2)
    assert f"baseline {majority:.3f} (majority)" in unwrapped(found)
    side = np.where(np.arange(120) % 3 == 0, "l", "r")
    by = tl.evaluate(tl.NaiveBayes(), {"x": X[:, 0], "side": side, "y": Y}, "y", by="side")
    blind = tl.evaluate(tl.DummyClassifier(), {"x": X[:, 0], "side": side, "y": Y}, "y", by="side")
    for value, score in by.by_group("accuracy").items():
        assert score.baseline == pytest.approx(blind.by_group("accuracy")[value].value)


def test_a_baseline_without_a_number_is_not_called_nan() -> None:
    found = tl.evaluate(tl.NaiveBayes(), X, Y, scoring="mcc")  # the majority's is 0/0
    assert found["mcc"].baseline != found["mcc"].baseline
    assert found.headline == str(found["mcc"])
    tuned = tl.tune(tl.NaiveBayes(), {"alpha": [1, 2]}, X, Y, scoring="mcc", cv=3, nested=3)
    assert "nan" not in f"{found}{tuned}"


class Fickle:
    """Predictions rows by chance, another time with other training rows."""

    _estimator_type = "classifier"

    def __init__(self, salt: int = 0) -> None:
        self.salt = salt

    def fit(self, X: Any, y: Any) -> Fickle:
        self.classes_ = np.array([0, 1])
        self.seed_ = abs(hash((self.salt, X[:, 0].tobytes()))) % 2**32
        return self

    def predict(self, X: Any) -> Any:
        return np.random.default_rng(self.seed_).integers(0, 2, len(X))


def test_answers_that_change_with_the_training_rows_make_a_difference_less_sure() -> None:
    found = tl.compare({"a": Fickle(1), "b": Fickle(2)}, X, Y)
    (pair,) = found.pairs.values()
    said = [found[name].predictions for name in (pair.a, pair.b)]
    order = [np.argsort(one["row"], kind="stable") for one in said]
    wrong = [(one["truth"] != one["said"])[at] for one, at in zip(said, order, strict=True)]
    apart = (wrong[0].astype(float) - wrong[1]).reshape(120, 2)  # two tests of every row
    rows, retest_variance = apart.mean(1).var(ddof=1) / 120, apart.var(axis=1, ddof=1).mean() / 120
    assert pair.error == pytest.approx(np.sqrt(rows + RETEST_FACTOR * retest_variance), rel=1e-6)
    assert retest_variance > rows


@pytest.mark.parametrize("score", ["r2", "rmse", "explained_variance"])
def test_over_groups_the_interval_of_the_learner_holds_that_of_the_models(score: str) -> None:
    rng = np.random.default_rng(4)
    groups = np.arange(72) // 6
    for _ in range(5):
        columns, target = rng.normal(size=(72, 3)), rng.normal(size=72)
        found = tl.evaluate(
            tl.LinearRegression(), columns, target, scoring=score, cv=3, groups=groups
        )[score]
        assert found.interval is not None
        assert found.over_folds is not None
        assert found.over_folds.low <= found.interval.low + 1e-12
        assert found.over_folds.high >= found.interval.high - 1e-12


def test_the_remedy_for_two_scores_of_one_name_is_a_dictionary() -> None:
    def half(truth: Any, predicted: Any) -> float:
        return 0.5

    with pytest.raises(TallyError, match=r"scoring=\{'first': \.\.\., 'second': \.\.\.\}\.$"):
        tl.evaluate(tl.NaiveBayes(), X, Y, scoring=[half, half, lambda t, p: 1.0, lambda t, p: 2.0])
