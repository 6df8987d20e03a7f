"""Errors begin with the class and the method that the user called, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, TallyError, error_context

X, Y = [[1.0], [2.0], [3.0], [5.0]], ["no", "yes", "no", "yes"]
BAD = [[1.0], [float("inf")]]
EMPTY = np.empty((0, 1))


def test_fit_names_itself_before_the_column_and_the_remedy() -> None:
    with pytest.raises(InputError, match=r"^LogisticRegression\.fit: column 'x0' .*C=1"):
        tl.LogisticRegression(C=np.inf).fit([[1], [2], [3], [4]], ["no", "no", "yes", "yes"])


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "explain", "partial_fit", "forget"]
)
def test_every_method_names_itself(method: str) -> None:
    model = tl.NaiveBayes().fit(X, Y)
    arguments = (BAD, Y[:2]) if method in ("partial_fit", "forget") else (BAD,)
    with pytest.raises(TallyError, match=rf"^NaiveBayes\.{method}: column 'x0' has inf in row 1"):
        getattr(model, method)(*arguments)


def test_transform_and_save_name_themselves(tmp_path: Any) -> None:
    scaler = tl.StandardScaler().fit(X)
    with pytest.raises(TallyError, match=r"^StandardScaler\.transform: "):
        scaler.transform(EMPTY)
    with pytest.raises(TallyError, match=r"^StandardScaler\.save: tally is 3"):
        scaler.save(tmp_path / "m.tally", tally=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.predict(X),
        lambda model: model.explain(X),
        lambda model: model.score(X, Y),
        lambda model: model.save("m.tally"),
    ],
)
def test_a_model_that_is_not_fitted_says_what_was_called(call: Callable[[Any], Any]) -> None:
    with pytest.raises(tl.errors.NotFitted, match=r"^NaiveBayes\.\w+: there is no model yet"):
        call(tl.NaiveBayes())


def test_an_error_that_passes_two_contexts_of_a_class_gets_one_prefix() -> None:
    with pytest.raises(InputError) as found, error_context("PCA.score"), error_context("PCA.fit"):
        raise InputError("PCA: there are no rows.")
    assert str(found.value) == "PCA.score: there are no rows."
    with pytest.raises(InputError) as found, error_context("PCA"), error_context("PCA.fit"):
        raise InputError("there are no rows.")
    assert str(found.value) == "PCA.fit: there are no rows."


def test_rows_that_cannot_be_solved_yet_are_an_error_of_what_was_called() -> None:
    model = tl.NaiveBayes().partial_fit(pd.DataFrame({"x0": [1.0], "y": ["a"]}), "y")
    with pytest.raises(TallyError, match=r"^NaiveBayes\.predict: column 'x0'"):
        model.predict({"x0": [2.0]})
