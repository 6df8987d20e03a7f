"""Reports are functions of a plain dict: a file of it gives the same text, Markdown and HTML."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import classification_report, log_loss
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

import tallylearn as tl
from tallylearn.evaluation import result
from tallylearn.evaluation.result import Result
from tallylearn.statistics.confidence_intervals import corrected_t
from tests.printed_text import unwrapped

rng = np.random.default_rng(0)
N = 90
Y = np.where(rng.random(N) < 0.4, "b", "a")
X = rng.normal(size=(N, 3)) + (Y == "b")[:, None]
Z = 2 * X[:, 0] + rng.normal(size=N)
COLOURS = np.array(["red", "blue", None], dtype=object)[rng.integers(0, 3, N)]
FRAME = pd.DataFrame(X, columns=["p", "q", "r"]).assign(colour=COLOURS, y=Y)
TABLES = {f"t{i}": (FRAME.iloc[15 * i : 15 * i + 40].reset_index(drop=True), "y") for i in range(4)}
TENNIS = tl.example("tennis")
COIN = tl.Population({"toss": 1}, target=lambda x: {0: "1/2", 10: "1/2"})
CARDS = tl.Population(
    {(0,): "1/2", (1,): "1/2"}, target={(0,): {"a": "1/3", "b": "2/3"}, (1,): "a"}
)
TREES = [DecisionTreeRegressor(max_depth=1, random_state=0), DecisionTreeRegressor(random_state=0)]


class Fragile:
    """It fails on the row 0."""

    _estimator_type = "classifier"

    def __repr__(self) -> str:
        return "Fragile()"

    def fit(self, X: Any, y: Any) -> Fragile:
        if 0 in X[:, 0]:
            raise ValueError("row 0 is bad")
        self.one = y[0]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.one)


def fragile(call: Callable[..., Any], learner: Any) -> Any:
    return call(learner, np.arange(20.0)[:, None], np.arange(20) % 2, cv=KFold(4), on_error="keep")


LEARNERS_OF_TENNIS = {"plain": tl.NaiveBayes(), "smooth": tl.NaiveBayes(alpha=10)}
THREE = {"nb": tl.NaiveBayes(), "nb9": tl.NaiveBayes(alpha=9), "most": tl.DummyClassifier()}
FINDINGS: dict[str, Callable[[], Result]] = {
    "by group": lambda: tl.evaluate(tl.NaiveBayes(), FRAME, "y", by="colour"),
    "leave one out": lambda: tl.evaluate(tl.NaiveBayes(), TENNIS, cv="loo"),
    "no value": lambda: tl.evaluate(tl.NaiveBayes(), TENNIS, cv=tl.Folds.k(4, stratified=False)),
    "infinite": lambda: tl.evaluate(tl.NaiveBayes(alpha=0), TENNIS, cv=5),
    "whole classes": lambda: tl.evaluate(tl.NaiveBayes(), X, (Y == "b") * 1, positive=0),
    "truth values": lambda: tl.evaluate(tl.NaiveBayes(), X, Y == "b", cv=3),
    "many classes": lambda: tl.evaluate(tl.NaiveBayes(), X, np.arange(N) % 20, cv=3),
    "weights": lambda: tl.evaluate(tl.NaiveBayes(), X, Y, sample_weight=np.arange(N) / 7),
    "numbers": lambda: tl.evaluate(TREES[1], X, Z),
    "vectors": lambda: tl.evaluate(LinearRegression(), X, np.column_stack([Z, -Z])),
    "failed folds": lambda: fragile(tl.evaluate, Fragile()),
    "comparison": lambda: tl.compare([*THREE.values()], X, Y, cv=tl.Folds.k(4, repeats=2)),
    "rows apart": lambda: tl.compare(LEARNERS_OF_TENNIS, TENNIS, cv="loo"),
    "of a class": lambda: tl.compare(LEARNERS_OF_TENNIS, TENNIS, cv=4, score="recall"),
    "regressors": lambda: tl.compare(TREES, X, Z, cv=4),
    "failed pair": lambda: fragile(tl.compare, {"f": Fragile(), **THREE}),
    "ranks of three": lambda: tl.compare(THREE, TABLES, cv=4),
    "ranks of two": lambda: tl.compare(LEARNERS_OF_TENNIS, TABLES, cv=4, score="recall"),
    "tuning": lambda: tl.tune(tl.NaiveBayes(), {"alpha": [0.1, 1, 10]}, TENNIS, cv=4),
    "failed options": lambda: tl.tune(
        tl.NaiveBayes(), [{"alpha": [1], "fit_prior": [True, False]}, {"alpha": [-1]}], TENNIS,
        cv=4, score="log_loss",
    ),
    "nested": lambda: tl.tune(tl.NaiveBayes(), {"alpha": [0.1, 10]}, TENNIS, cv=2, nested=3),
    "three parts": lambda: tl.tune(
        tl.NaiveBayes(), {"var_smoothing": [1e-9, 1]}, X, Y, cv=tl.Folds.three()
    ),
    "learning curve": lambda: tl.learning_curve(tl.NaiveBayes(), X, Y),
    "validation curve": lambda: tl.validation_curve(TREES[1], "max_depth", [1, 3, None], X, Z),
    "curve without values": lambda: tl.validation_curve(
        tl.DummyClassifier(), "strategy", ["prior", "most_frequent"], X,
        np.where(np.arange(N) % 30, "no", "yes"), cv=3, score="precision",
    ),
    "fractions": lambda: tl.bias_variance(tl.DummyRegressor(), COIN, n=5),
    "bias and variance": lambda: tl.bias_variance(TREES, X, Z, draws=30),
    "probabilities": lambda: tl.bias_variance(tl.NaiveBayes(), X, Y, draws=30),
    "error on a sample": lambda: CARDS.estimates(lambda row: "a", n=10),
    "error on the rows learned from": lambda: CARDS.bias(tl.DummyClassifier(), n=3),
    "drawn samples": lambda: CARDS.bias(tl.DummyClassifier(), n=12, draws=30),
}  # fmt: skip


@pytest.mark.parametrize("name", FINDINGS)
def test_a_finding_is_read_from_a_file_as_it_was_found(name: str) -> None:
    found = FINDINGS[name]()
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data == found.to_dict()  # nothing that JSON turns into something else
    report = type(found).report_of(data)
    assert str(report) == str(found)
    assert report.to_markdown() == found.to_markdown()
    page = found.to_html()
    assert result.charts_html(type(found).report_of, data, type(found)._details) == page
    assert all(plot.svg in page for plot in found.plots().values())
    assert data["title"] == report.title


def test_every_finding_there_is_has_been_read() -> None:
    kinds = {type(make()) for make in FINDINGS.values()}
    assert kinds == {*Result.__subclasses__()}


def test_a_report_says_what_its_data_say() -> None:
    found = tl.evaluate(tl.NaiveBayes(), TENNIS, cv="loo")
    data = found.to_dict()
    data["records"][0]["value"] = 0.123
    data["confusion"] = [[0, 0, 77]]
    said = str(found.report_of(data))
    assert "0.123" in said
    assert "77" in said


def test_an_infinite_score_is_infinite_in_every_form() -> None:
    found = tl.evaluate(tl.NaiveBayes(alpha=0), TENNIS, cv=5, scores="log_loss")
    assert found["log_loss"].value == np.inf
    assert found.to_dict()["records"][0]["value"] == "inf"
    assert "log_loss inf" in str(found)
    proba = np.stack([found.predictions[f"P({name})"] for name in found.classes], axis=1)
    clipped = log_loss(found.predictions["truth"], proba, labels=[*found.classes])
    assert f"clipped as in scikit-learn, log_loss is {clipped:.4g}" in unwrapped(str(found))


def test_a_group_whose_rows_are_all_ruled_out_has_an_infinite_loss() -> None:
    table = {"x": ["p", "p", "q", "q"], "y": ["a", "a", "b", "b"]}
    model = tl.DecisionTreeClassifier().fit(table, "y")
    swapped = {"x": ["p", "q"], "y": ["b", "a"]}
    found = tl.evaluate(model, swapped, "y", cv=None, scores="log_loss")
    assert found["log_loss"].value == np.inf
    assert "log_loss is 36.04" in unwrapped(str(found))


def test_every_score_has_an_interval_of_these_models_and_one_of_the_learner() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    x = rng.normal(size=(200, 3)) + y[:, None]
    found = tl.evaluate(tl.NaiveBayes(), x, y, scoring=["accuracy", "recall", "f1"])
    table = str(found).split("\n\n")[2]
    lines = {line.split()[0]: line for line in table.splitlines()}
    for estimate in found:
        models, learner = estimate.interval, estimate.over_folds
        assert models is not None
        assert learner is not None
        assert "the models tested" in models.about
        assert "train" in learner.about
        assert f"{models}" in lines[estimate.name]
        assert f"{learner}" in lines[estimate.name]
        assert learner.low < models.low < models.high < learner.high
    assert found["accuracy"].over_folds == corrected_t(found["accuracy"].by_fold, 0.1)
    assert "95 % CI: the score on new rows like these, for the models tested." in unwrapped(found)
    assert "learner 95 % CI: for the mean score of models trained on other tables" in unwrapped(
        found
    )
    alone = str(tl.evaluate(tl.NaiveBayes(), x, y, cv="holdout", scoring="recall"))
    assert "learner 95 % CI" not in alone
    assert "the recall on new rows like these" in alone


@pytest.mark.parametrize(("unit", "said"), [(1e-7, "e-0"), (1.0, "."), (1e5, ","), (1e9, "e+0")])
def test_numbers_of_any_size_are_written_so_that_they_tell(unit: float, said: str) -> None:
    y = Z * unit
    found = tl.evaluate(LinearRegression(), X, y, cv=5)
    assert all(said in part for part in found.headline.replace("mae ", "").split()[:3])
    lines = [line for line in str(found).splitlines() if line.startswith(("mae", "5 folds"))]
    assert len(lines) == 3
    for line in lines:
        assert said in line
        assert "0.000" not in line
    assert "[0.000" not in str(tl.learning_curve(LinearRegression(), X, y, cv=5))
    assert "0.000" not in str(tl.tune(LinearRegression(), {"fit_intercept": [True]}, X, y, cv=5))


def test_a_report_says_that_intervals_hold_less_often_where_a_class_has_few_rows() -> None:
    rng = np.random.default_rng(0)
    found = tl.evaluate(tl.NaiveBayes(), rng.normal(size=(60, 2)), rng.integers(0, 2, 60))
    assert "less often with rare classes" in unwrapped(found)


@pytest.mark.parametrize("name", FINDINGS)
def test_a_printed_result_fits_80_columns_and_is_its_own_repr(name: str) -> None:
    found = FINDINGS[name]()
    assert repr(found) == str(found)
    long = [line for line in str(found).splitlines() if len(line) > 80]
    assert all(" " not in line.strip() for line in long), long


def test_the_classification_report_is_scikit_learns() -> None:
    found = tl.evaluate(tl.NaiveBayes(), X, Y, cv=3)
    said = found.predictions
    theirs = classification_report(said["truth"], said["said"], digits=3)
    (ours,) = (part for part in str(found).split("\n\n") if part.startswith("Classification"))
    lines = [line.split() for line in theirs.splitlines() if line]
    assert [line.split() for line in ours.splitlines()[1:]] == lines
