"""The expression of a model, evaluated slowly, gives what predict and predict_proba give."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.expressions import (
    Argmax,
    ClassifierExpression,
    ModelExpression,
    columns_in,
    evaluate,
)
from tallylearn.tables import Block
from tests.learners import CASES, EVERYTHING, NUMBERS, Case
from tests.tables import mixed_table

CLOSE = 1e-12  # of probabilities, and of numbers relatively; more by the rounding of large scores
ROUNDING = 1e-14  # of a score, relatively: classes closer than this may be tied

MORE = (
    Case("bayes-positive", lambda: tl.NaiveBayes(at_half="positive"), NUMBERS, "heavy2"),
    Case("majority-frequent", lambda: tl.DummyClassifier(strategy="constant", constant="b"),
         NUMBERS, "kind"),
    Case("linear-drop", lambda: tl.LinearRegression(missing="mean"), EVERYTHING, "price"),
    Case("logistic-three", lambda: tl.LogisticRegression(at_half="positive"), EVERYTHING, "kind"),
    Case("perceptron-three", lambda: tl.Perceptron(max_iter=5), NUMBERS, "kind"),
)  # fmt: skip
LATER = ("centroid", "tree", "id3", "c45", "regression", "m5", "model", "forest", "extra", "vote",
         "knn", "pipeline")  # fmt: skip
EVERY = tuple(case for case in (*CASES, *MORE) if case.name.split("-")[0] not in LATER)


def asked(case: Case) -> pd.DataFrame:
    """Rows of the table, and some with missing values, unseen categories and far numbers."""
    table = mixed_table()
    rows = case.rows(table)[:40]
    odd = case.rows(table)[40:88].reset_index(drop=True)
    for at, name in enumerate(case.columns):
        column = odd[name].astype(object)
        column[at::6] = None
        if name in ("colour", "shape"):
            column[3::7] = "never seen"
        if name in NUMBERS:
            scale = 10.0 ** np.arange(len(column[4::7]))
            column[4::7] = odd[name].mean() + scale * odd[name].std()
            odd[name] = column.astype(float)
        elif name == "heavy":
            odd[name] = column.astype("boolean")
        else:
            odd[name] = column
    if case.name in REFUSE_MISSING:
        odd = odd.dropna(ignore_index=True)
        rows = rows.dropna(ignore_index=True)
        assert len(odd)
    return pd.concat([rows.astype({"heavy": "boolean"} if "heavy" in rows else {}), odd],
                     ignore_index=True)  # fmt: skip


REFUSE_MISSING = {"lms", "lms-mean", "knn-weighted", "perceptron"}


def expressed(model: Any) -> ModelExpression:
    return model.model_.expression(model.schema_)


def block_of(model: Any, rows: Any) -> Block:
    (block,) = model._blocks(rows)
    return block


def check_choice(expression: Any, block: Block, predicted: np.ndarray) -> None:
    """Equal classes, but where the two best scores differ by rounding alone."""
    found = evaluate(expression.choice, block)
    names = np.append(np.array(expression.classes, dtype=object), "undefined")[found]
    differ = names != predicted
    if isinstance(expression.choice, Argmax):
        differ &= ~tied(expression.choice, block)
    assert not differ.any(), np.flatnonzero(differ)


def tied(choice: Argmax, block: Block) -> np.ndarray:
    scores = np.sort(evaluate(choice.scores, block), axis=1)
    if scores.shape[1] < 2:
        return np.zeros(len(scores), dtype=bool)
    best = np.abs(scores[:, -1])
    return np.asarray(scores[:, -1] - scores[:, -2] <= 2e-9 + ROUNDING * best)


def slack(expression: ClassifierExpression, block: Block) -> np.ndarray:
    """(n, 1) by how much a probability may differ: more where its scores are large."""
    if not isinstance(expression.choice, Argmax):
        return np.full((len(block), 1), CLOSE)
    scores = evaluate(expression.choice.scores, block)
    size = np.abs(np.where(np.isfinite(scores), scores, 0.0)).max(axis=1, keepdims=True)
    return CLOSE + ROUNDING * size


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_an_expression_gives_what_the_model_predicts(case: Case) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    expression, rows = expressed(model), asked(case)
    block = block_of(model, rows)
    predicted = model.predict(rows)
    if isinstance(expression, ClassifierExpression):
        assert tuple(expression.classes) == tuple(model.classes_.tolist())
        check_choice(expression, block, predicted)
        if hasattr(model, "predict_proba"):
            found = evaluate(expression.probabilities, block)
            assert (np.abs(found - model.predict_proba(rows)) <= slack(expression, block)).all()
    else:
        (value,) = expression.values
        np.testing.assert_allclose(evaluate(value, block), predicted, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("case", EVERY, ids=lambda case: case.name)
def test_an_expression_is_plain_data_over_columns_of_the_table(case: Case) -> None:
    model = case.make().fit(case.table(mixed_table()), case.target)
    expression = expressed(model)
    data = json.loads(json.dumps(expression.to_dict(), allow_nan=False))
    assert data["node"] == type(expression).__name__
    assert columns_in(expression) <= {*case.columns}
    assert hash(expression) == hash(expressed(model))
    assert expression == expressed(model)
