"""Several targets: sums of one are never added to those of another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import MergeError

X = np.random.default_rng(0).normal(size=(30, 3))
Y = np.column_stack([X @ [1, 2, 3], X @ [-1, 0, 1]])
NAMED = pd.DataFrame(Y, columns=["p", "q"])
LEARNERS = [
    tl.LinearRegression(),
    tl.LinearRegression(exact=True),
    tl.LinearRegression(solver="qr"),
    tl.Ridge(),
    tl.Lasso(alpha=0.01),
    tl.ElasticNet(alpha=0.01),
]
OTHERS = [
    pytest.param(Y[:, 0], Y, "first 1, then 2", id="one more"),
    pytest.param(Y, Y[:, 0], "first 2, then 1", id="one fewer"),
    pytest.param(NAMED, NAMED[["q", "p"]], "first 'p', 'q', then 'q', 'p'", id="by name"),
]


def fitted(learner: Any, y: Any) -> Any:
    return type(learner)(**learner.get_params()).fit(X, y)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(("first", "then", "told"), OTHERS)
def test_other_targets_are_neither_merged_nor_learned_nor_forgotten(
    learner: Any, first: Any, then: Any, told: str
) -> None:
    model = fitted(learner, first)
    before = model.coef_.copy()
    with pytest.raises(MergeError, match=told):
        tl.merge(model, fitted(learner, then))
    with pytest.raises(MergeError, match=told):
        model.partial_fit(X, then)
    with pytest.raises(MergeError, match=told):
        model.forget(X[:5], then[:5])
    assert np.array_equal(model.coef_, before)


def test_the_same_targets_add_up_and_keep_their_names(tmp_path: Path) -> None:
    parts = [tl.LinearRegression().fit(X[i::2], NAMED[i::2]) for i in (0, 1)]
    parts[0].save(tmp_path / "one.tally")
    loaded = tl.load(tmp_path / "one.tally")
    merges = tl.merge(*parts), tl.merge(loaded, parts[1]), loaded.partial_fit(X[1::2], Y[1::2])
    for merged in merges:
        assert np.allclose(merged.coef_, tl.LinearRegression().fit(X, Y).coef_)
        assert merged.model_.targets == ("p", "q")


def test_a_file_remembers_how_many_targets_there_were_and_their_names(tmp_path: Path) -> None:
    for y, other in ((Y, Y[:, 0]), (NAMED, NAMED[["q", "p"]])):
        tl.Ridge().fit(X, y).save(tmp_path / "model.tally")
        with pytest.raises(MergeError, match="the targets differ"):
            tl.load(tmp_path / "model.tally").partial_fit(X, other)


def test_a_name_that_two_targets_share_names_neither(tmp_path: Path) -> None:
    model = tl.Ridge().fit(X, pd.DataFrame(Y, columns=["p", "p"]))
    model.save(tmp_path / "model.tally")
    assert tl.load(tmp_path / "model.tally").model_.targets == ()


def test_names_of_targets_outlast_rows_that_could_not_be_solved_yet() -> None:
    table = pd.concat([pd.DataFrame(X, columns=["a", "b", "c"]), NAMED], axis=1)
    model = tl.LinearRegression().partial_fit(table[:1], ["p", "q"])
    with pytest.raises(MergeError, match="first 'p', 'q', then 'q', 'p'"):
        model.partial_fit(table[1:], ["q", "p"])
    assert model.partial_fit(table[1:], ["p", "q"]).model_.targets == ("p", "q")


def test_a_list_of_one_name_is_that_target() -> None:
    table = pd.DataFrame({"a": X[:, 0], "p": Y[:, 0]})
    model = tl.LinearRegression(exact=True).fit(table, ["p"]).partial_fit(table, "p")
    assert model.partial_fit(table, ["p"]).forget(table, "p").target_name_ == "p"
