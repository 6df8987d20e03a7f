"""tl.export: what it refuses, and that its texts hold nothing that ends them early."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tallylearn as tl
from tallylearn.errors import KindError, NotFitted, OptionError
from tallylearn.exporters.javascript import javascript_source
from tallylearn.reporting.formatting import plain_data
from tests.exporters.comparison import HOSTILE, hostile_table
from tests.tables import mixed_table

PAIR = mixed_table()[["width", "kind"]]


def test_an_unknown_format_is_refused_with_the_list() -> None:
    with pytest.raises(OptionError, match=r"export: to is 'pmml'\. Use one of .*'javascript'"):
        tl.export(tl.NaiveBayes().fit(PAIR, "kind"), "pmml")


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (tl.NaiveBayes(), NotFitted, "NaiveBayes"),
        (object(), KindError, "object is not an estimator"),
        (tl.StandardScaler().fit(PAIR[["width"]]), KindError, "StandardScaler does not predict"),
        (tl.NaiveBayes(tokenizer=str.split).fit(mixed_table()[["note", "kind"]], "kind"),
         KindError, "tokenizer="),
    ],
    ids=["unfitted", "object", "transformer", "function"],
)  # fmt: skip
def test_what_has_no_decision_function_is_refused(model: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tl.export(model, "javascript")


@pytest.mark.parametrize("learner", HOSTILE[:2], ids=repr)
def test_javascript_can_be_embedded_in_a_page(learner: Any) -> None:
    model = learner.fit(hostile_table(), "class")
    text = javascript_source(model.model_.expression(model.schema_), model.schema_, name="scorer")
    assert "</script" not in text.lower()
    assert "<!--" not in text
    assert text.count("const scorer = ") == 1


def test_a_program_declares_each_table_once() -> None:
    model = tl.DecisionTreeClassifier(max_depth=3).fit(mixed_table()[["width", "kind"]], "kind")
    text = tl.export(model, "javascript")
    assert text.count("const TREE_") == 1
    assert text.count("walk(TREE_1") == 1
    assert "function softmax" not in text


def test_json_has_the_decision_function_and_its_columns() -> None:
    model = tl.NaiveBayes().fit(PAIR, "kind")
    found = json.loads(tl.export(model, "json"))
    assert found["columns"] == [{"name": "width", "kind": "number"}]
    expression = model.model_.expression(model.schema_)
    assert found["expression"] == plain_data(expression.to_dict())
    assert found["expression"]["node"] == "ClassifierExpression"


def test_rules_are_those_of_the_tree() -> None:
    model = tl.DecisionTreeClassifier(max_depth=3).fit(PAIR, "kind")
    assert tl.export(model, "rules") == f"{model.rules().text()}\n"
    with pytest.raises(KindError, match=r"NaiveBayes has no rules\. Export a decision tree"):
        tl.export(tl.NaiveBayes().fit(PAIR, "kind"), "rules")
