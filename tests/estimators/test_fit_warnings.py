"""A fitted model tells what to look at in its table, and keeps no row for it."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import NotFitted

N = 200


def rows(n: int = N) -> pd.DataFrame:
    """Two classes, a number of the row with gaps, a constant, and a copy of the class."""
    rng = np.random.default_rng(5)
    y = np.where(rng.random(n) < 0.5, "a", "b")
    table = {"x": rng.normal(size=n), "row_no": np.arange(n) * 2, "one": "x"}
    return pd.DataFrame(table | {"copy": np.where(y == "a", "u", "v"), "y": y})


SAID = (
    "one has the same value in all 200 rows",
    "copy gives y away: one to one, on all 200 rows",
    "row_no counts up with the rows, from 0 to 398, and is used as a feature: if it is a row "
    "number, "
    "leave it out with tl.table(..., ignore=['row_no'])",
)


@pytest.mark.parametrize(
    "learner",
    [tl.DecisionTreeClassifier(max_depth=2), tl.NaiveBayes(), tl.LogisticRegression(),
     tl.RandomForestClassifier(2), tl.KNeighborsClassifier(), tl.DummyClassifier()],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_a_fit_by_name_tells_what_problem_and_evaluate_tell(learner: tl.NaiveBayes) -> None:
    table = rows()
    model = learner.fit(table, "y")
    assert model.cautions_ == SAID
    assert model.cautions_ == tl.problem(table, "y", learner=learner).cautions
    assert model.cautions_ == tl.evaluate(tl.DummyClassifier(), table, "y", cv=2).cautions


def test_regressors_tell_them_too_and_what_does_not_suit_them() -> None:
    table = rows().assign(twice=lambda t: 2 * t["x"] + 1)
    for learner in (tl.LinearRegression(), tl.Lasso(), tl.DecisionTreeRegressor(max_depth=2)):
        said = "x gives twice away: a straight line, on all 200 rows"
        assert said in learner.fit(table, "twice").cautions_
    said = (
        "NaiveBayes answers with classes, and row_no has 200 different numbers: each is a class of "
        "its own. A regressor takes them as measures"
    )
    assert tl.NaiveBayes().fit(table, "row_no").cautions_[0] == said


def test_files_are_looked_at_when_somebody_asks_and_rows_that_pass_by_before_they_go(
    tmp_path: Path,
) -> None:
    path, text = tmp_path / "rows.csv", rows().to_csv(index=False)
    path.write_text(text)
    model = tl.NaiveBayes().fit(path, "y")
    path.unlink()
    with pytest.raises(tl.errors.FileError, match=r"rows\.csv"):
        _ = model.cautions_
    path.write_text(text)
    assert model.cautions_ == SAID
    path.unlink()
    assert model.cautions_ == SAID  # they were told before
    assert tl.NaiveBayes().fit(io.StringIO(text), "y").cautions_ == SAID


def test_a_sample_of_a_long_table_is_put_aside_that_later_changes_do_not_reach() -> None:
    table = tl.table(rows(20_000), target="y")
    model = tl.NaiveBayes().fit(table)
    table.block.numbers[:] = 0
    assert model.cautions_[:2] == (
        "one has the same value in a sample of 8,192 rows",
        "copy gives y away: one to one, on a sample of 8,192 rows",
    )


def test_rows_of_weight_zero_are_not_looked_at() -> None:
    table = rows().assign(w=1)
    table.loc[:99, ["w", "one"]] = [0, "other"]
    said = tl.NaiveBayes().fit(table, "y", sample_weight="w").cautions_
    assert "one has the same value in all 100 rows" in said


def test_no_row_gets_into_a_pickle_a_copy_or_a_file_and_other_rows_leave_none(
    tmp_path: Path,
) -> None:
    table = rows()
    model = tl.NaiveBayes().fit(table, "y")
    assert set(vars(model)) == set(vars(tl.NaiveBayes().fit(table[["x"]], table["y"])))
    model.save(tmp_path / "m.tally")
    loaded = tl.load(tmp_path / "m.tally")
    more = tl.NaiveBayes().fit(table, "y").partial_fit(table, "y")
    less = tl.NaiveBayes().fit(table, "y").forget(table[:9], "y")
    others = [pickle.loads(pickle.dumps(model)), copy.deepcopy(model), loaded, more, less]
    for other in [*others, tl.merge(model, model)]:
        with pytest.raises(NotFitted, match=r"tl\.problem\(table, 'target', learner=model\)"):
            _ = other.cautions_
        assert not hasattr(other, "cautions_")


@pytest.mark.parametrize(
    "learner",
    [tl.DecisionTreeClassifier(max_depth=2), tl.NaiveBayes(), tl.LogisticRegression(),
     tl.RandomForestClassifier(2), tl.KNeighborsClassifier(), tl.DummyClassifier()],
    ids=lambda learner: type(learner).__name__,
)  # fmt: skip
def test_a_fit_to_arrays_tells_them_too_and_that_identifiers_are_learned(
    learner: tl.NaiveBayes,
) -> None:
    table = rows()
    X, y = table[["x", "row_no", "one", "copy"]], table["y"]
    keyed = X.assign(who=[f"k{at}" for at in range(N)])
    used = "who identifies the rows, and is used as a feature: all of its 200 values are different"
    for given in (y, y.to_numpy(), y.tolist()):
        assert learner.fit(X, given).cautions_ == SAID
    assert tl.problem(keyed, y, learner=learner).cautions == (used, *SAID)
    assert learner.fit(X[["x"]], y).cautions_ == ()
    assert learner.fit(X[["x"]].to_numpy(), (y == "a").astype(int)).cautions_ == ()


def test_of_a_fit_to_arrays_some_rows_are_put_aside() -> None:
    table = rows(20_000).assign(w=1)
    model = tl.LinearRegression().fit(table[["x"]], 2 * table["x"] + 1)
    assert model.cautions_ == ("x gives y away: a straight line, on a sample of 1,024 rows",)
    table.loc[:9_999, "w"] = 0
    model = tl.NaiveBayes().fit(table[["x", "copy"]], table["y"], sample_weight=table["w"])
    assert model.cautions_ == ("copy gives y away: one to one, on a sample of 1,024 rows",)


def test_no_pickle_and_no_copy_has_the_sample() -> None:
    model = tl.NaiveBayes().fit(rows(), "y")
    sample = model.notes_.sample
    assert sample.read is not None
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.notes_.sample.read is None
        with pytest.raises(NotFitted, match=r"tl\.problem"):
            _ = again.cautions_
    assert model.cautions_
    assert sample.read is None  # the rows go once they were looked at


def test_a_column_of_many_values_keeps_those_of_the_sample_alone() -> None:
    n = 20_000
    table = rows(n).assign(who=[f"k{at}" for at in range(n)])
    model = tl.NaiveBayes().fit(tl.table(table, target="y", keep=["who"]))
    kept = model.notes_.sample.read.args[0]  # type: ignore[union-attr]
    assert len(kept.block.codes["who"].values) == len(kept) == 8192
    assert kept.block.codes["who"].items()[-1] == f"k{n - 1}"
