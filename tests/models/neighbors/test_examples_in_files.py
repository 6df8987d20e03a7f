"""Examples that stay in files: the neighbours, answers and workings of examples in memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors
from tallylearn.sources.arrow import batches
from tallylearn.sources.files import parquet
from tallylearn.sources.files.csv import chunks
from tallylearn.tallies import Nearest

RNG = np.random.default_rng(3)
N = 3000
QUERIES = pd.DataFrame({"a": RNG.normal(size=40), "b": RNG.integers(0, 9, 40).astype(float)})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files of many blocks: numbers that are often level, a category, gaps, weights."""
    for module, name, rows in (
        (batches, "BLOCK", 256),
        (chunks, "BLOCK", 256),
        (parquet, "RUN", 900),
    ):
        monkeypatch.setattr(module, name, rows)
    frame = pd.DataFrame({
        "a": RNG.normal(size=N).round(1), "b": RNG.integers(0, 9, N).astype(float),
        "kind": RNG.choice(["u", "v", "w"], N), "times": RNG.integers(0, 3, N),
        "y": RNG.choice(["yes", "no"], N), "z": RNG.normal(size=N),
    })  # fmt: skip
    frame.loc[::50, "y"] = None
    frame[:1900].to_parquet(tmp_path / "0.parquet", row_group_size=300)
    frame[1900:].to_parquet(tmp_path / "1.parquet", row_group_size=300)
    frame.to_csv(tmp_path / "all.csv", index=False)
    return tmp_path


def pair(source: Any, target: str, **options: Any) -> list[Any]:
    """The same learner with its examples in memory, and in files."""
    learner = tl.KNeighborsRegressor if target == "z" else tl.KNeighborsClassifier
    return [learner(5, examples=how, **options).fit(source, target) for how in ("auto", "files")]


@pytest.mark.parametrize("name", ["[01].parquet", "all.csv"])
@pytest.mark.parametrize(
    "options",
    [{}, {"ties": "first"}, {"scale": "minmax", "weights": "distance"}, {"scale": "standard"},
     {"scale": "standard_sample", "metric": "manhattan"}, {"algorithm": "brute", "p": 3},
     {"metric": "cosine", "weights": "inverse_square"}, {"weights": np.exp}],
    ids=str,
)  # fmt: skip
def test_answers_are_those_of_rows_in_memory(
    folder: Path, name: str, options: dict[str, Any]
) -> None:
    table = tl.table(folder / name, target="y", ignore=["kind", "z"], weight="times")
    held, filed = (
        tl.KNeighborsClassifier(5, examples=how, **options).fit(table) for how in ("auto", "files")
    )
    for mine, theirs in zip(held.kneighbors(QUERIES), filed.kneighbors(QUERIES), strict=True):
        assert np.array_equal(mine, theirs)
    assert held.predict_proba(QUERIES).tobytes() == filed.predict_proba(QUERIES).tobytes()
    assert str(held.explain(QUERIES[:4])) == str(filed.explain(QUERIES[:4]))
    assert str(held) == str(filed).replace(", examples='files'", "").replace("examples='files'", "")
    assert held.unanswered_ == filed.unanswered_


@pytest.mark.parametrize("target", ["y", "z"])
def test_categories_and_dates_go_by_gowers_distance_there_too(folder: Path, target: str) -> None:
    table = tl.table(folder / "[01].parquet", target=target, ignore=["times", "yz"[target == "y"]])
    held, filed = pair(table, target)
    asked = QUERIES.assign(kind=["u", None, "other", "w"] * 10)
    assert filed.effective_metric_ == "gower"
    assert held.predict(asked).tolist() == filed.predict(asked).tolist()
    assert str(held.explain(asked[:3])) == str(filed.explain(asked[:3]))
    if target == "y":  # leave one out: all rows are asked
        assert held.predict(None).tolist() == filed.predict(None).tolist()
        assert np.array_equal(held.kneighbors(None)[1], filed.kneighbors(None)[1])


def test_threads_and_blocks_change_no_bit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tl.table(folder / "[01].parquet", target="y", ignore=["kind", "times", "z"])
    model = tl.KNeighborsClassifier(5, weights="distance", examples="files").fit(table)
    whole = model.predict_proba(QUERIES).tobytes()
    for threads, rows in ((1, 256), (3, 256), (2, 100)):
        monkeypatch.setattr(batches, "BLOCK", rows)
        with tl.engine(threads=threads):
            assert model.predict_proba(QUERIES).tobytes() == whole
    assert pickle.loads(pickle.dumps(model)).predict_proba(QUERIES).tobytes() == whole


def test_rows_beyond_the_budget_stay_where_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tl.table(folder / "[01].parquet", target="y", ignore=["kind", "times", "z"])
    plain = tl.KNeighborsClassifier().fit(table)
    monkeypatch.setenv("TALLY_MEMORY", "0.0001")
    model = tl.KNeighborsClassifier().fit(table)
    assert "rows stay in their files" in str(model.show_work())
    assert model.predict(QUERIES).tolist() == plain.predict(QUERIES).tolist()
    with pytest.raises(errors.OptionError, match=r"2,940 rows in Files.*TALLY_MEMORY"):
        model.save(folder / "m.tally")
    chain = tl.Pipeline([tl.StandardScaler(), tl.KNeighborsClassifier()]).fit(table)
    assert chain.predict(QUERIES).shape == (40,)


def test_what_cannot_stay_in_files_is_said(folder: Path) -> None:
    learner = tl.KNeighborsClassifier(5, examples="files")
    with pytest.raises(errors.OptionError, match="this table is in memory"):
        learner.fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(errors.OptionError, match="'examples'"):
        tl.KNeighborsClassifier(examples="disk").fit([[1.0]], ["a"])
    table = tl.table(folder / "0.parquet", target="y", ignore=["kind", "z"])
    with pytest.raises(errors.InputError, match="n_neighbors=1863, and the table has 1862 rows"):
        tl.KNeighborsClassifier(1863, examples="files").fit(table)
    model = learner.fit(table)
    pd.read_parquet(folder / "0.parquet")[:7].to_parquet(folder / "0.parquet")
    with pytest.raises(errors.FileError, match="changed"):
        model.predict(QUERIES.assign(times=1))
    gaps = pd.DataFrame({"a": [1.0, 2, None], "y": ["p", "q", "p"]})
    gaps.to_csv(folder / "missing_values.csv", index=False)
    with pytest.raises(errors.InputError, match=r"column 'a' is missing in row 2"):
        tl.KNeighborsClassifier(1, examples="files").fit(folder / "missing_values.csv", "y")


def test_the_nearest_add_up_for_the_same_queries_alone() -> None:
    one = Nearest.of(np.array([0]), np.array([4]), np.array([1.0]), 1, 2)
    two = Nearest.of(np.array([1]), np.array([5]), np.array([2.0]), 2, 2)
    with pytest.raises(ValueError, match="different queries"):
        one + two
    with pytest.raises(errors.ForgetError, match="Search again"):
        (one + one) - one
    with pytest.raises(errors.InputError, match="row 0 has fewer than 2 neighbours"):
        two.complete()


def test_rows_of_folds_members_and_dropped_gaps_are_said_to_be_in_memory(folder: Path) -> None:
    path, learner = folder / "all.csv", tl.KNeighborsClassifier(5, examples="files")
    table = tl.table(path, target="y", ignore=["kind", "times", "z"])
    said = r"ensembles and gaps='drop'.*leave examples= out"
    with pytest.raises(errors.OptionError, match=said):
        tl.evaluate(learner, table)
    with pytest.raises(errors.OptionError, match=said):
        tl.VotingClassifier([("near", learner), ("tree", tl.NaiveBayes())]).fit(table)
    with pytest.raises(errors.OptionError, match=said):
        learner.fit(tl.table(path, target="y", gaps="drop"))


def test_a_file_that_was_deleted_is_not_said_to_have_changed(folder: Path) -> None:
    path = folder / "all.csv"
    table = tl.table(path, target="y", ignore=["kind", "times", "z"])
    model = tl.KNeighborsClassifier(5, examples="files").fit(table)
    path.unlink()
    with pytest.raises(errors.FileError, match=r"all\.csv no longer exists"):
        model.predict(QUERIES)
