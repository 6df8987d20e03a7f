"""Reasons in words: effects add up to the prediction, and are those of the model's own terms."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import KindError
from tallylearn.workings.reasons import LOG_ODDS, LOGARITHM, NUMBER, PROBABILITY, Reasons

CLASSIFIERS = {
    "tree": (tl.DecisionTreeClassifier(max_depth=4), PROBABILITY),
    "parts of rows": (tl.C45(), PROBABILITY),
    "forest": (tl.RandomForestClassifier(5, random_state=0), PROBABILITY),
    "extra trees": (tl.ExtraTreesClassifier(5, random_state=0), PROBABILITY),
    "boosting": (tl.HistGradientBoostingClassifier(max_iter=5), LOG_ODDS),
    "additive": (tl.ExplainableBoostingClassifier(outer_bags=2, max_rounds=40), LOG_ODDS),
    "logistic": (tl.LogisticRegression(), LOG_ODDS),
    "bayes": (tl.NaiveBayes(), LOG_ODDS),
    "bayes of counts": (tl.NaiveBayes(alpha=0), LOG_ODDS),
}
REGRESSORS = {
    "tree": (tl.DecisionTreeRegressor(max_depth=4), NUMBER),
    "forest": (tl.RandomForestRegressor(5, random_state=0), NUMBER),
    "boosting": (tl.HistGradientBoostingRegressor(max_iter=5), NUMBER),
    "poisson boosting": (tl.HistGradientBoostingRegressor("poisson", max_iter=5), LOGARITHM),
    "additive": (tl.ExplainableBoostingRegressor(outer_bags=2, max_rounds=40), NUMBER),
    "linear": (tl.LinearRegression(), NUMBER),
    "ridge": (tl.Ridge(), NUMBER),
    "poisson": (tl.PoissonRegressor(), LOGARITHM),
}


def loans(n: int = 160) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    table = pd.DataFrame({
        "ratio": rng.normal(0.4, 0.1, n).round(3),
        "kind": rng.choice(["home", "car", "boat"], n),
        "age": rng.integers(20, 70, n).astype(float),
    })  # fmt: skip
    score = 9 * (table.ratio - 0.4) + (table.kind == "boat") + rng.normal(size=n) / 3
    table.loc[::11, "age"] = np.nan
    return table.assign(score=score)


def explained(learner: Any, classes: int = 2) -> tuple[Any, pd.DataFrame, list[Reasons]]:
    table = loans()
    X = table.drop(columns="score")
    y: Any = np.exp(table.score)
    if learner.task == "classifier":
        names = np.array(["no", "perhaps", "yes"] if classes == 3 else ["no", "yes"])
        y = names[np.digitize(table.score, [0.3, 0.9][: classes - 1])]
    model = learner.fit(X.assign(deny=y), "deny")
    rows = X[:8]
    return model, rows, [one.reasons() for one in model.explain(rows)]


def check_steps(found: Reasons) -> None:
    """The steps follow each other from the start to the end, in the order of effects."""
    level = found.start
    for one in found:
        assert one.before == pytest.approx(level, abs=1e-12)
        assert math.copysign(1, one.effect) == math.copysign(1, one.after - one.before)
        level = one.after
    assert level == pytest.approx(found.end, abs=1e-12)
    assert found.target == "deny"


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_effects_lead_to_the_probability_of_the_predicted_class(name: str, classes: int) -> None:
    learner, scale = CLASSIFIERS[name]
    model, rows, every = explained(learner, classes)
    shares = model.predict_proba(rows)
    for found, said, share in zip(every, model.predict(rows), shares, strict=True):
        assert (found.outcome, found.scale) == (said, scale)
        assert found.end == pytest.approx(share[list(model.classes_).index(said)], abs=1e-9)
        check_steps(found)
        sizes = [abs(one.effect) for one in found]
        if scale == PROBABILITY or classes == 2:
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", REGRESSORS)
def test_effects_lead_to_the_prediction(name: str) -> None:
    learner, scale = REGRESSORS[name]
    model, rows, every = explained(learner)
    for found, said in zip(every, model.predict(rows), strict=True):
        assert (found.outcome, found.scale) == (None, scale)
        assert found.end == pytest.approx(said)
        check_steps(found)


def test_the_effects_of_an_additive_model_are_its_terms() -> None:
    model, rows, every = explained(REGRESSORS["additive"][0])
    evidence = model.explain(rows)
    for row, found in zip(evidence, every, strict=True):
        terms = {t.column: t.amount for t in row.lines[0].terms if t.column}
        assert {one.column: one.effect for one in found} == pytest.approx(terms)
        assert found.start == pytest.approx(model.intercept_)
    assert any("×" in one.column for found in every for one in found)


@pytest.mark.parametrize("name", ["tree", "forest"])
def test_the_effects_of_trees_are_their_shapley_values(name: str) -> None:
    model, rows, every = explained(CLASSIFIERS[name][0])
    values = model.shap_values(rows)
    for at, found in enumerate(every):
        c = list(model.classes_).index(found.outcome)
        for one in found:
            exact = values[at, [*rows.columns].index(one.column), c]
            assert one.effect == pytest.approx(exact, rel=1e-12)


def test_the_effects_of_a_line_are_coefficients_times_distances_from_the_mean() -> None:
    table = pd.DataFrame({"a": [1.0, 2, 3, 6], "b": [3.0, 1, 4, 1], "y": [2.0, 3, 5, 7]})
    model = tl.LinearRegression().fit(table, "y")
    found = model.explain({"a": 5, "b": 4}).reasons()
    a, b = model.coef_
    effects = {one.column: one.effect for one in found}
    assert effects == pytest.approx({"a": a * (5 - 3), "b": b * (4 - 2.25)})
    assert found.start == pytest.approx(table.y.mean())


def test_the_effects_of_naive_bayes_are_ratios_of_probabilities() -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    found = model.explain(row).reasons()
    effects = {one.column: one.effect for one in found}
    assert effects == pytest.approx({
        "Outlook": math.log((3 / 5) / (2 / 9)), "Temperature": math.log((1 / 5) / (3 / 9)),
        "Humidity": math.log((4 / 5) / (3 / 9)), "Wind": math.log((3 / 5) / (3 / 9)),
    })  # fmt: skip
    assert found.start == pytest.approx(5 / 14)


def test_a_factor_of_zero_leaves_no_probability() -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    row = {"Outlook": "Overcast", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    found = model.explain(row).reasons()
    assert (found[0].column, found[0].effect, found[0].after) == ("Outlook", math.inf, 1.0)
    assert json.loads(found.to_json())["reasons"][0]["effect"] == "inf"


def test_reasons_are_printed_first_and_are_plain_data() -> None:
    model, rows, every = explained(CLASSIFIERS["logistic"][0])
    explanation = model.explain(rows[:1])
    text = str(every[0])
    assert str(explanation).startswith(text + "\n\n")
    assert explanation.to_html().index("tally-reasons") < explanation.to_html().index("<table")
    assert explanation.to_markdown().startswith(every[0].to_markdown())
    data = json.loads(json.dumps(explanation.to_dict()))["rows"][0]["reasons"]
    assert str(Reasons.report_of(data)) == text
    first = every[0][0]
    assert f"- {first.label} " in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_pipeline_tells_values_as_the_table_has_them() -> None:
    table = loans().drop(columns=["kind"]).fillna(40.0)
    model = tl.Pipeline([("scale", tl.StandardScaler()), ("fit", tl.LinearRegression())])
    found = model.fit(table, "score").explain({"ratio": 0.55, "age": 33}).reasons()
    assert {one.column: one.value for one in found} == {"ratio": "0.55", "age": "33"}
    plain = tl.LinearRegression().fit(table, "score").explain({"ratio": 0.55, "age": 33})
    assert [one.effect for one in found] == pytest.approx([o.effect for o in plain.reasons()])


def test_many_columns_are_told_together_after_the_largest() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 12))
    model = tl.LinearRegression().fit(X, X @ np.arange(1.0, 13.0))
    found = model.explain(X[:1]).reasons()
    lines = str(found).splitlines()
    assert len(found) == 12
    assert lines[-1].startswith("- the other 5 columns ")
    assert lines[-1].endswith(f" to {found.end:.4g}")


def test_probabilities_that_would_leave_0_to_1_are_told_as_percentage_points() -> None:
    tennis = tl.example("tennis")
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    found = tl.ID3().fit(tennis).explain(row).reasons()
    assert max(one.after for one in found) > 1
    assert "- Outlook = Sunny raised it by 44.3 percentage points" in str(found).splitlines()


def test_models_that_are_no_sums_have_no_reasons() -> None:
    model = tl.KNeighborsClassifier(1).fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(KindError, match=r"^Evidence\.reasons: .* no sum over the columns"):
        model.explain([[1.0]]).reasons()
