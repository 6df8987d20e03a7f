"""A report shows what evaluate, predict and describe give, and no row that it was not asked for."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import OptionError
from tallylearn.inspection.model_report.model_report import ModelReport
from tallylearn.inspection.model_report.what_if import what_if
from tallylearn.statistics.confidence_intervals import wilson
from tests.tables import mixed_table

VOID = {"br", "hr", "img", "input", "meta", "link"}
LEARNERS = [
    tl.NaiveBayes(),
    tl.LogisticRegression(),
    tl.DecisionTreeClassifier(max_depth=3),
    tl.RandomForestClassifier(5, random_state=0),
    tl.HistGradientBoostingClassifier(max_iter=5),
    tl.ExplainableBoostingClassifier(outer_bags=2, max_rounds=5),
    tl.KNeighborsClassifier(3),
    tl.LinearDiscriminantAnalysis(),
    tl.Perceptron(),
    tl.DummyClassifier(),
    tl.Pipeline([("scale", tl.StandardScaler()), ("last", tl.LogisticRegression())]),
]


class BalancedTags(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag


def check_page(page: str) -> None:
    parser = BalancedTags()
    parser.feed(page)
    assert parser.open == []
    addresses = re.findall(r"(?:src|href)=\"(?!#)([^\"]*)\"", page)
    assert addresses == []  # nothing is loaded from elsewhere


@pytest.fixture
def loans() -> Any:
    return tl.example("loans")


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_classifier_has_a_page(learner: Any, loans: Any) -> None:
    found = tl.report(learner, loans, cv=3)
    assert found.headline == tl.evaluate(learner, loans, cv=3).headline
    page = found.to_html()
    check_page(page)
    again = ModelReport(json.loads(found.to_json()))
    assert again.to_html() == page
    assert str(again) == str(found)


def test_a_regressor_has_a_page_with_a_value_and_without_a_threshold() -> None:
    table = mixed_table()[["length", "width", "colour", "price"]]
    found = tl.report(tl.Ridge(), table, "price", cv=3)
    check_page(found.to_html())
    assert found.to_dict()["threshold"] is None
    errors = [row["loss"] for row in found.to_dict()["mistakes"]]
    predictions = tl.evaluate(tl.Ridge(), table, "price", cv=3).predictions
    every = np.sort(np.abs(predictions["truth"] - predictions["said"]))[::-1]
    assert errors == every[: len(errors)].tolist()


def test_a_fitted_model_is_scored_on_new_rows_as_it_is(loans: Any) -> None:
    model = tl.LogisticRegression().fit(loans[:400])
    new = loans[400:]
    found = tl.report(model, new, cv=None)
    share = np.mean(model.predict(new) == tl.evaluate(model, new, cv=None).predictions["truth"])
    assert found.to_dict()["evaluation"]["records"][0]["value"] == pytest.approx(share, abs=1e-15)
    assert found.to_dict()["provenance"]["digest"]
    assert (
        tl.report(model, new, cv=3).to_dict()["provenance"]["digest"]
        == (found.to_dict()["provenance"]["digest"])
    )


def test_no_value_of_a_row_is_shown_unless_asked(loans: Any) -> None:
    model = tl.DecisionTreeClassifier(max_depth=2)
    hidden, shown = (
        tl.report(model, loans, cv=3, include_rows=asked).to_dict() for asked in (False, True)
    )
    assert not any("values" in row for row in hidden["mistakes"])
    frame = pd.DataFrame({"a": [1.5, 2.5] * 10, "b": ["u", "v"] * 10, "y": ["n", "p"] * 10})
    frame.loc[3, "y"] = "n"
    (worst, *_) = tl.report(tl.LogisticRegression(), frame, "y", cv=2, include_rows=True).to_dict()[
        "mistakes"
    ]
    assert worst["row"] == 3
    assert worst["values"] == {"a": 2.5, "b": "v"}
    assert shown["mistakes"][0]["values"]["amount"] > 0


def test_groups_have_rates_with_intervals(loans: Any) -> None:
    found = tl.report(tl.NaiveBayes(), loans, cv=3, by="purpose", positive="yes").to_dict()
    predictions = tl.evaluate(tl.NaiveBayes(), loans, cv=3, positive="yes").predictions
    table = pd.DataFrame(predictions).sort_values("row")
    purpose = next(loans.blocks()).codes["purpose"]
    table["purpose"] = np.array(purpose.values)[purpose.codes]
    for row in found["groups"]["rows"]:
        mine = table[table["purpose"] == row["group"]]
        true = mine[mine["truth"] == "yes"]
        called = int((true["said"] == "yes").sum())
        rate = row["true_positive_rate"]
        assert row["rows"] == len(mine)
        assert rate["value"] == pytest.approx(called / len(true), abs=1e-15)
        low, high = wilson(called, len(true), 0.95)
        assert (rate["low"], rate["high"]) == (low, high)


def test_the_threshold_has_the_rates_of_the_roc_curve(loans: Any) -> None:
    found = tl.report(tl.NaiveBayes(), loans, cv=3, positive="yes").to_dict()["threshold"]
    predictions = tl.evaluate(tl.NaiveBayes(), loans, cv=3, positive="yes").predictions
    true = predictions["truth"] == "yes"
    assert (found["positives"], found["negatives"]) == (true.sum(), (~true).sum())
    for at, tpr, fpr in zip(found["thresholds"], found["tpr"], found["fpr"], strict=True):
        called = predictions["P(yes)"] >= (np.inf if at is None else at)
        assert tpr == pytest.approx(np.mean(called[true]), abs=1e-12)
        assert fpr == pytest.approx(np.mean(called[~true]), abs=1e-12)


def test_the_form_offers_the_categories_that_the_model_knows(loans: Any) -> None:
    model = tl.NaiveBayes().fit(loans)
    found = what_if(model, tl.describe(loans).to_dict())
    inputs = {one["name"]: one for one in found["inputs"]}
    assert set(inputs["purpose"]["choices"]) == {"business", "car", "education", "home", "other"}
    assert inputs["purpose"]["value"] == "car"
    assert inputs["late_payments"]["value"] == 0
    assert "loan_id" not in inputs


def test_a_model_too_large_for_a_page_says_so(loans: Any) -> None:
    model = tl.RandomForestClassifier(200, random_state=0).fit(loans)
    found = what_if(model, tl.describe(loans).to_dict())
    assert set(found) == {"reason"}
    assert "too large for a page" in found["reason"]


def test_neighbours_enter_a_page_only_when_rows_may(loans: Any) -> None:
    described = tl.describe(loans).to_dict()
    for learner in (tl.KNeighborsClassifier(3), tl.NearestCentroid("gower", exemplar="medoid")):
        model = learner.fit(loans)
        assert "training rows" in what_if(model, described)["reason"]
        assert "program" in what_if(model, described, include_rows=True)
    assert "program" in what_if(tl.NearestCentroid("gower").fit(loans), described)


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    name, value = "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>'
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        name: rng.normal(size=60),
        "__proto__": np.where(rng.random(60) < 0.5, value, "plain"),
        "y": np.where(rng.random(60) < 0.5, value, "no"),
    })  # fmt: skip
    found = tl.report(tl.LogisticRegression(), frame, "y", cv=2, include_rows=True)
    page = found.to_html()
    check_page(page)
    assert "<img" not in page
    assert "alert(1)</script>" not in page
    found.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_what_cannot_be_scored_is_refused(loans: Any) -> None:
    for model, cv, says in (
        (tl.StandardScaler(), 3, "no classifier or regressor"),
        ("tree", 3, "no classifier or regressor"),
        (tl.NaiveBayes(), None, "Fit the model, or pass cv=10"),
    ):
        with pytest.raises(OptionError, match=says):
            tl.report(model, loans, cv=cv)
