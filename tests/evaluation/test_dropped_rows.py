"""Learners that drop rows with gaps are scored on the others, and it is said how many those are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import ColumnError, InputError

RNG = np.random.default_rng(5)
N = 80
FRAME = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"]).assign(c=[*"uvwx"] * (N // 4))
FRAME["y"] = 2 * FRAME["a"] - FRAME["b"] + RNG.normal(size=N)
FRAME["k"] = np.where(FRAME["y"] > 0, "yes", "no")
FRAME.loc[[3, 40], "a"] = None
FRAME.loc[[7, 40], "c"] = None
WHOLE = FRAME.dropna()
NUMBERS, CLASSES = FRAME.drop(columns="k"), FRAME.drop(columns="y")
SAID = "3 of 80 rows (3.8 %) have missing values and were dropped."
LINE = tl.LinearRegression(missing="drop")


@pytest.mark.parametrize(
    "learner",
    [
        LINE,
        tl.Ridge(missing="drop"),
        tl.Lasso(0.01, missing="drop"),
        tl.SubsetSelection(missing="drop"),
        tl.Pipeline([tl.StandardScaler(), LINE]),
        tl.VotingRegressor([LINE, tl.DecisionTreeRegressor()]),
        tl.LogisticRegression(missing="drop"),
        tl.Perceptron(missing="drop"),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("cv", [5, "loo", "holdout", "bootstrap", tl.Folds.three()], ids=str)
def test_the_scores_are_those_of_the_rows_that_are_left(learner: Any, cv: Any) -> None:
    kind = "y" if tl.evaluate(tl.DummyRegressor(), NUMBERS, "y").task == learner.task else "k"
    table = NUMBERS if kind == "y" else CLASSES
    found, same = (tl.evaluate(learner, rows, kind, cv=cv) for rows in (table, table.dropna()))
    assert found.n == same.n == N - 3
    assert str(found.headline) == str(same.headline)
    assert SAID in found.remarks
    assert SAID in str(found)
    assert not any("gaps" in text for text in same.remarks)


def test_a_table_apart_from_its_target_a_file_and_several_targets_alike(tmp_path: Path) -> None:
    NUMBERS.to_csv(tmp_path / "t.csv", index=False)
    X, y = NUMBERS.drop(columns="y"), NUMBERS["y"]
    for given in ((X, y), (tmp_path / "t.csv", "y"), (tl.table(NUMBERS), "y")):
        assert SAID in tl.evaluate(LINE, *given, cv=4).remarks
    found = tl.evaluate(LINE, X[["a", "b"]], np.column_stack([y, -y]), cv=4)
    assert found.n == N - 2
    assert "2 of 80 rows (2.5 %) have missing values and were dropped." in found.remarks


def test_a_file_that_is_not_small_is_read_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    NUMBERS.to_csv(tmp_path / "t.csv", index=False)
    found = tl.evaluate(LINE, tmp_path / "t.csv", "y", cv=tl.Folds.forward(3, order="b"), by="c")
    assert found.n == N - 3
    assert SAID in found.remarks


def test_all_that_is_compared_answers_the_same_rows() -> None:
    learners = {"line": LINE, "tree": tl.DecisionTreeRegressor(), "filled": tl.LinearRegression()}
    found, same = (tl.compare(learners, rows, "y") for rows in (NUMBERS, NUMBERS.dropna()))
    assert str(found.verdict) == str(same.verdict)
    assert SAID in found.remarks
    assert found.n == N - 3


def test_options_and_sizes_are_tried_on_the_same_rows() -> None:
    tuned = tl.tune(tl.Ridge(missing="drop"), {"alpha": [0.1, 10]}, NUMBERS, "y", nested=3)
    assert SAID in tuned.remarks
    assert SAID[:-1] in repr(tuned.model)
    either = tl.tune(tl.Ridge(1e-9), {"missing": ["mean", "drop"]}, NUMBERS, "y")
    assert SAID in either.remarks
    filled, dropped = (candidate.estimate.value for candidate in either.candidates)
    assert filled == pytest.approx(dropped, rel=1e-9)
    assert SAID in tl.learning_curve(LINE, NUMBERS, "y", cv=3).remarks
    curve = tl.validation_curve(tl.Ridge(), "missing", ["mean", "drop"], NUMBERS, "y", cv=3)
    assert SAID in curve.remarks
    assert tl.bias_variance(LINE, NUMBERS, "y", draws=20).remarks == (SAID,)


def test_a_tuned_model_that_fills_gaps_learns_from_all_rows() -> None:
    rough = NUMBERS.assign(y=np.where(NUMBERS["a"].isna(), 30.0, 0))
    found = tl.tune(tl.LinearRegression(), {"missing": ["indicator", "drop"]}, rough, "y")
    assert found.best == {"missing": "indicator"}
    assert found.model.model_.rows == N


def test_a_fitted_model_is_asked_about_rows_without_gaps() -> None:
    model = tl.LinearRegression(missing="drop").fit(NUMBERS, "y")
    found = tl.evaluate(model, NUMBERS, "y", cv=None)
    assert found.n == N - 3
    assert SAID in found.remarks
    with pytest.raises(ColumnError, match=r"column 'a' is missing in row 3, .*gaps='drop'"):
        model.predict(NUMBERS)


def test_rows_groups_weights_and_splits_keep_the_numbers_of_the_table() -> None:
    groups, weight = np.arange(N) // 4, 1.0 + np.arange(N) % 3
    grouped = tl.evaluate(LINE, NUMBERS, "y", groups=groups, sample_weight=weight, cv=4)
    kept = WHOLE.index.to_numpy()
    same = tl.evaluate(
        LINE, NUMBERS.dropna(), "y", groups=groups[kept], sample_weight=weight[kept], cv=4
    )
    assert str(grouped.headline) == str(same.headline)
    halves = [(np.arange(40), np.arange(40, 80)), (np.arange(40, 80), np.arange(40))]
    assert tl.evaluate(LINE, NUMBERS, "y", cv=halves).n == N - 3


def test_a_class_of_which_every_row_is_dropped_is_no_class() -> None:
    rare = CLASSES.assign(k=np.where(CLASSES["a"].isna(), "rare", CLASSES["k"]))
    found = tl.evaluate(tl.LogisticRegression(missing="drop"), rare, "k", cv=4)
    assert found.classes == ("no", "yes")


def test_rows_are_kept_where_a_step_before_fills_them() -> None:
    filled = tl.Pipeline([tl.SimpleImputer(), LINE])
    assert tl.evaluate(filled, NUMBERS, "y", cv=4).n == N
    assert tl.evaluate(tl.LinearRegression(), NUMBERS, "y", cv=4).n == N


def test_rows_that_all_have_gaps_are_an_error() -> None:
    with pytest.raises(InputError, match=r"all 80 rows have missing values, so missing='drop'"):
        tl.evaluate(LINE, NUMBERS.assign(a=None, b=np.nan, c=[None, "u"] * 40).assign(
            a=np.where(np.arange(N) % 2, np.nan, 1.0)), "y")  # fmt: skip


@pytest.mark.parametrize("kind", ["memory", "csv"])
def test_rows_that_a_table_drops_are_said_too(kind: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, None, 3, 4, 5, 6, 7, 8, 9, 10], "y": list("ababababab")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows: Any = frame if kind == "memory" else tmp_path / "t.csv"
    found = tl.evaluate(tl.NaiveBayes(), tl.table(rows, gaps="drop"), "y", cv=3)
    assert "1 of 10 rows (10.0 %) has missing values and was dropped." in found.remarks
    whole = tl.evaluate(tl.NaiveBayes(), tl.table(frame.dropna(), gaps="drop"), "y", cv=3)
    assert not any("dropped" in one for one in whole.remarks)
