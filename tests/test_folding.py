"""Folding: training tallies out of the parts' tallies, as if each had been fitted anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import tables
from tallylearn.doors.folding import others, up_to_each, without_each
from tallylearn.doors.intake import lesson
from tallylearn.errors import InputError

N = 200
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 90, N)),
        "colour": RNG.choice(["red", "green", "blue", None], N),
        "y": RNG.choice(["a", "b", "c"], N),
        "w": RNG.choice([0.0, 0.5, 1.0, 3.0], N),
    }
)
EXACT = [
    tl.NaiveBayes(),
    tl.NaiveBayes(numbers="bernoulli"),
    tl.DummyClassifier(),
    tl.LinearDiscriminantAnalysis(exact=True),
]


def alone(learner: Any, frame: pd.DataFrame, weight: str | None) -> Any:
    return type(learner)(**learner.get_params()).fit(frame, "y", sample_weight=weight).tally_


@pytest.mark.parametrize("k", [2, 7, 100])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("learner", EXACT, ids=repr)
def test_every_training_tally_is_the_one_of_a_fit(learner: Any, weight: str | None, k: int) -> None:
    frame = FRAME if weight else FRAME.drop(columns="w")
    part = RNG.integers(0, k, N)
    found = list(without_each(learner, lesson(frame, "y", weight, "test"), part, k))
    assert len(found) == k
    for f in range(0, k, 1 + k // 10):
        assert found[f] == alone(learner, frame[part != f], weight)


def test_blocks_that_are_cut_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, part = FRAME.drop(columns="w"), RNG.integers(0, 5, N)
    whole = list(without_each(EXACT[0], lesson(frame, "y", None, "test"), part, 5))
    monkeypatch.setattr(tables, "BLOCK", 17)
    assert list(without_each(EXACT[0], lesson(frame, "y", None, "test"), part, 5)) == whole


@pytest.mark.parametrize("k", [5, 90])
def test_a_scatter_of_floats_is_that_of_a_fit_up_to_rounding(k: int) -> None:
    learner = tl.LinearDiscriminantAnalysis()
    frame, part = FRAME.drop(columns="w"), RNG.integers(0, k, N)
    for f, found in enumerate(without_each(learner, lesson(frame, "y", None, "test"), part, k)):
        fitted = alone(learner, frame[part != f], None)["numbers"]
        assert found["numbers"].names == fitted.names
        np.testing.assert_allclose(found["numbers"].scatter, fitted.scatter, rtol=1e-10, atol=1e-10)


def test_rows_of_no_part_are_nowhere() -> None:
    frame, part = FRAME.drop(columns="w"), RNG.integers(-1, 3, N)
    for f, found in enumerate(without_each(EXACT[0], lesson(frame, "y", None, "test"), part, 3)):
        assert found == alone(EXACT[0], frame[(part != f) & (part >= 0)], None)


@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_regressors_are_folded_too(strategy: str) -> None:
    learner = tl.DummyRegressor(strategy=strategy)
    frame, part = FRAME[["age", "size"]], RNG.integers(0, 4, N)
    found = list(without_each(learner, lesson(frame, "size", None, "test"), part, 4))
    for f in range(4):
        fitted = tl.DummyRegressor(strategy=strategy).fit(frame[part != f], "size")
        assert found[f] == fitted.tally_


def test_forward_in_time_a_part_is_trained_on_all_before_it() -> None:
    frame, part = FRAME.drop(columns="w"), np.arange(N) * 4 // N
    found = list(up_to_each(EXACT[0], lesson(frame, "y", None, "test"), part, 4))
    assert found == [alone(EXACT[0], frame[part < f], None) for f in (1, 2, 3)]


def test_files_are_folded_in_one_pass_like_a_table_in_memory(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    FRAME.drop(columns="w").to_csv(path, index=False)
    part = RNG.integers(0, 5, N)
    read, memory = (lesson(x, "y", None, "test") for x in (path, pd.read_csv(path)))
    assert list(without_each(EXACT[0], read, part, 5)) == list(
        without_each(EXACT[0], memory, part, 5)
    )
    with pytest.raises(InputError, match="takes up to 64 folds, not 200"):
        list(without_each(EXACT[0], read, np.arange(N), N))


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_others_are_summed_from_the_left_and_the_right(k: int) -> None:
    assert list(others([2**i for i in range(k)])) == [2**k - 1 - 2**i for i in range(k)]
