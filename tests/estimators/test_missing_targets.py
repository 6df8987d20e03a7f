"""Rows without a target: left out of everything that is learned and scored, and said."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallylearn as tl
from tallylearn import modelfile
from tallylearn.errors import ColumnError, InputError, MergeError, TargetError
from tallylearn.models.glm.linear.linear_estimator import LinearEstimator
from tests.learners import WAYS, Case
from tests.tables import mixed_table

GAPS = np.arange(240) % 7 == 3  # 34 rows


def csv(frame: pd.DataFrame, folder: Path) -> Any:
    frame.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def parquet(frame: pd.DataFrame, folder: Path) -> Any:
    pq.write_table(pa.Table.from_pandas(frame), folder / "t.parquet", row_group_size=50)
    return folder / "t.parquet"


SOURCES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pl.from_pandas(frame),
    "arrow": lambda frame, folder: pa.Table.from_pandas(frame, preserve_index=False),
    "table": lambda frame, folder: tl.table(frame),
    "csv": csv,
    "parquet": parquet,
}


def with_gaps(frame: pd.DataFrame, target: str) -> pd.DataFrame:
    """Some rows without a target; what they say otherwise is found in no other row."""
    found = frame.astype({target: object if frame[target].dtype == bool else frame[target].dtype})
    found.loc[GAPS, target] = np.nan if frame[target].dtype.kind == "f" else None
    for name, odd in {"colour": "mauve", "length": 1e9, "note": "never heard of it"}.items():
        if name in found:
            found.loc[GAPS, name] = odd
    return found


@pytest.mark.parametrize(
    ("case", "source"),
    [
        pytest.param(case, source, id=f"{case.name}-{source}")
        for case in WAYS
        for source in SOURCES
        if source in ("pandas", "csv") or case.name in ("bayes-text", "lda", "tree", "mean")
    ],
)
def test_learning_with_unanswered_rows_is_learning_without_them(
    case: Case, source: str, tmp_path: Path
) -> None:
    frame = with_gaps(case.table(mixed_table()), case.target)
    model = case.make().fit(SOURCES[source](frame, tmp_path), case.target)
    told = f"34 of 240 rows (14.2 %) have no {case.target} and were left out"
    assert repr(model).endswith(f"; {told}")
    rest = frame[~GAPS].astype({case.target: mixed_table()[case.target].dtype})
    fewer = case.make().fit(SOURCES[source](rest, tmp_path), case.target)
    assert "left out" not in repr(fewer)
    if case.name.startswith(("knn", "perceptron", "pipeline")):  # they keep the numbers of rows
        assert (model.predict(case.rows(rest)) == fewer.predict(case.rows(rest))).all()
    elif isinstance(model, LinearEstimator):
        said = [m.predict(case.rows(frame)) for m in (model, fewer)]
        np.testing.assert_allclose(*said, rtol=1e-8)
    elif case.tally == "rounds":
        shares = [
            m.predict_proba(case.rows(frame))
            if m.task == "classifier"
            else m.predict(case.rows(rest))  # the others are beyond what an exponential holds
            for m in (model, fewer)
        ]
        np.testing.assert_allclose(*shares, rtol=1e-10, atol=1e-12)
    elif case.tally == "float":  # its last digits depend on which value of a category comes first
        for at in ("mean", "scatter"):
            one, other = (getattr(m.tally_["numbers"], at) for m in (model, fewer))
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    else:
        assert modelfile.digests(model) == modelfile.digests(fewer)


@pytest.mark.parametrize("case", WAYS, ids=[case.name for case in WAYS])
def test_a_target_beside_the_table_has_no_gaps(case: Case) -> None:
    frame = with_gaps(case.table(mixed_table()), case.target)
    with pytest.raises(TargetError, match=r"the target is missing in row 3\..*contains NaN"):
        case.make().fit(frame[[*case.columns]], frame[case.target])


def test_a_table_without_any_target_is_an_error(tmp_path: Path) -> None:
    words = "the target 'y' is missing in all 3 rows.* Name another target"
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [None, None, None]})
    for learner in (tl.NaiveBayes(), tl.ID3(), tl.LMS(0.1, scaling="mean", steps=1)):
        for source in SOURCES.values():
            with pytest.raises(TargetError, match=words):
                learner.fit(source(frame, tmp_path), "y")
    for call in (tl.evaluate, tl.learning_curve):
        with pytest.raises(TargetError, match=words):
            call(tl.NaiveBayes(), frame, "y")
    with pytest.raises(TargetError, match=words):
        tl.NaiveBayes().fit([[1.0], [2.0]], ["a", "b"]).score(
            pd.DataFrame({"x0": [1.0, 2.0, 3.0], "y": [None] * 3}), "y"
        )


def test_the_words_for_nothing_are_labels_in_memory_and_gaps_in_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 5.0, 6.0], "y": ["NA", "NA", "EU", "EU"]})
    assert tl.NaiveBayes().fit(frame, "y").classes_.tolist() == ["EU", "NA"]
    read = tl.NaiveBayes().fit(csv(frame, tmp_path), "y")
    assert read.classes_.tolist() == ["EU"]
    assert (read.unanswered_.rows, read.unanswered_.of) == (2, 4)


def test_streams_of_many_blocks_and_files_leave_out_the_same_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 150_000
    gap = rng.random(n) < 0.3
    gap[:70_000] = True  # the first block of the first file has no target at all
    frame = pd.DataFrame({"x": rng.normal(size=n), "c": rng.choice(["u", "v"], n)})
    frame["y"] = np.where(gap, None, rng.choice(["a", "b"], n))
    (tmp_path / "gaps").mkdir()
    (tmp_path / "none").mkdir()
    for at, part in enumerate((frame[:80_000], frame[80_000:])):
        part.to_csv(tmp_path / "gaps" / f"{at}.csv", index=False)
        part[part["y"].notna()].to_csv(tmp_path / "none" / f"{at}.csv", index=False)
    found = []
    for threads in (1, 3):
        with tl.engine(threads=threads):
            found.append(tl.NaiveBayes().fit(str(tmp_path / "gaps" / "*.csv"), "y"))
    fewer = tl.NaiveBayes().fit(str(tmp_path / "none" / "*.csv"), "y")
    for model in found:
        assert modelfile.digests(model) == modelfile.digests(fewer)
        assert (model.unanswered_.rows, model.unanswered_.of) == (int(gap.sum()), n)


def test_rows_of_weight_zero_are_not_counted_among_the_unanswered() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": ["a", None, "b", None, "a"], "w": [1, 0, 1, 2, 0]}
    )
    model = tl.NaiveBayes().fit(frame, "y", sample_weight="w")
    assert (model.unanswered_.rows, model.unanswered_.of) == (1, 3)
    assert model.tally_ == tl.NaiveBayes().fit(frame.iloc[[0, 2]], "y", sample_weight="w").tally_


def test_more_rows_are_learned_and_forgotten_without_those_that_lack_a_target() -> None:
    frame = mixed_table()[["length", "colour", "kind"]]
    gaps = with_gaps(frame, "kind")
    model = tl.NaiveBayes().partial_fit(gaps[:100], "kind").partial_fit(gaps[100:], "kind")
    assert (model.unanswered_.rows, model.unanswered_.of) == (34, 240)
    whole = tl.NaiveBayes().fit(gaps, "kind")
    assert modelfile.digests(model) == modelfile.digests(whole)
    merged = tl.merge(*(tl.NaiveBayes().fit(part, "kind") for part in (gaps[:100], gaps[100:])))
    assert merged.unanswered_ == model.unanswered_
    less = whole.forget(gaps[100:], "kind")
    assert modelfile.digests(less) == modelfile.digests(tl.NaiveBayes().fit(gaps[:100], "kind"))
    assert (less.unanswered_.rows, less.unanswered_.of) == (20, 140)
    before = modelfile.digests(less)
    with pytest.raises(TargetError, match="missing in all 34 rows"):
        less.forget(gaps[GAPS], "kind")
    assert modelfile.digests(less) == before


def test_steps_a_row_at_a_time_leave_out_rows_too() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, np.nan, 3.0, np.nan]})
    model = tl.LMS(0.01).partial_fit(frame[:2], "y").partial_fit(frame[2:], "y")
    assert (model.unanswered_.rows, model.unanswered_.of) == (2, 4)
    fewer = tl.LMS(0.01).partial_fit(frame[:1], "y").partial_fit(frame[2:3], "y")
    assert modelfile.digests(model) == modelfile.digests(fewer)


def test_an_error_names_the_row_of_the_table_as_it_was_given() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, np.inf, 4.0], "y": ["a", None, "b", "a"]})
    for learner in (tl.NaiveBayes(), tl.NearestCentroid(), tl.LinearDiscriminantAnalysis()):
        with pytest.raises(ColumnError, match="'x' has inf in row 2"):
            learner.fit(frame, "y")
    measured = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0], "y": [1.0, np.nan, 2.0, 3.0]})
    with pytest.raises(ColumnError, match="'x' is missing in row 2"):
        tl.LMS(0.1).fit(measured, "y")
    with pytest.raises(TargetError, match=r"the target is 2\.5 in row 2, which is not a class"):
        tl.NaiveBayes().fit(pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, np.nan, 2.5]}), "y")
    weighed = pd.DataFrame({"x": [1.0, 2.0, np.inf], "y": ["a", "b", "a"]})
    with pytest.raises(ColumnError, match="'x' has inf in row 2"):
        tl.NaiveBayes().fit(weighed, "y", sample_weight=[1, 0, 1])
    examples = pd.DataFrame({"c": ["u", "v", None], "y": ["yes", None, "no"]})
    with pytest.raises(ColumnError, match="'c' has a missing value in row 2"):
        tl.VersionSpace.conjunctions().fit(examples, "y")


def test_a_tree_is_judged_by_the_rows_that_it_grew_from() -> None:
    frame = with_gaps(mixed_table()[["length", "colour", "kind"]], "kind")
    tree = tl.DecisionTreeClassifier(max_depth=3).fit(frame, "kind")
    grown = tl.DecisionTreeClassifier(max_depth=3).fit(frame[~GAPS], "kind")
    assert str(tree.gains(0, frame, "kind")) == str(grown.gains(0, frame[~GAPS], "kind"))
    assert tree.score(frame, "kind") == grown.score(frame[~GAPS], "kind")


def test_a_model_knows_the_name_of_its_target(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": ["a", "b", "a"], "z": ["u", "u", "v"]})
    for learner in (tl.NaiveBayes(), tl.ID3(), tl.LMS(0.01, scaling="mean", steps=1)):
        numbers = frame.assign(y=[1.0, 2.0, 3.0])[["x", "y"]]
        model = learner.fit(numbers, "y")
        assert model.target_name_ == "y"
        assert pickle.loads(pickle.dumps(model)).target_name_ == "y"
        assert learner.fit([[1.0], [2.0]], [1, 2]).target_name_ is None
    y, z = (tl.NaiveBayes().fit(frame[["x", name]], name) for name in "yz")
    beside = tl.NaiveBayes().fit(frame[["x"]], frame["y"])
    assert tl.merge(y, y).target_name_ == tl.merge(beside, y).target_name_ == "y"
    with pytest.raises(MergeError, match="one table has the target 'y' and the other 'z'"):
        tl.merge(y, z)
    with pytest.raises(MergeError, match="one table has the target 'y' and the other 'z'"):
        y.partial_fit(frame[["x", "z"]], "z")


# --- evaluation -------------------------------------------------------------------------------


def table() -> pd.DataFrame:
    return with_gaps(mixed_table()[["length", "width", "kind"]], "kind")


TOLD = "34 of 240 rows (14.2 %) have no kind and were left out."


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), tl.ID3(), tl.DummyClassifier()])
@pytest.mark.parametrize("streamed", [False, True])
def test_rows_without_a_target_are_not_scored(
    learner: Any, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table()
    found = tl.evaluate(learner, frame, "kind")
    fewer = tl.evaluate(learner, frame[~GAPS], "kind")
    assert json.dumps(found.records()) == json.dumps(fewer.records())
    assert (found.n, found.remarks, fewer.remarks) == (206, (TOLD,), ())
    assert TOLD in str(found)
    assert found.to_dict()["remarks"] == [TOLD]
    assert sorted(found.predictions["row"].tolist()) == np.flatnonzero(~GAPS).tolist()
    if streamed and not isinstance(learner, tl.DecisionTreeClassifier):
        monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    again = tl.evaluate(learner, csv(frame, tmp_path), "kind")
    assert (again.n, again.remarks) == (206, (TOLD,))
    np.testing.assert_array_equal([e.value for e in again], [e.value for e in found])


def test_an_estimator_of_another_library_sees_the_answered_rows() -> None:
    from sklearn.naive_bayes import GaussianNB

    frame = table().drop(columns="length")
    found = tl.evaluate(GaussianNB(), frame, "kind")
    fewer = tl.evaluate(GaussianNB(), frame[~GAPS], "kind")
    assert json.dumps(found.records()) == json.dumps(fewer.records())
    assert found.remarks == (TOLD,)


def test_every_report_says_what_was_left_out() -> None:
    frame, bayes = table(), tl.NaiveBayes()
    learners = [bayes, tl.DummyClassifier()]
    found = [
        tl.compare(learners, frame, "kind"),
        tl.compare(learners, {"one": (frame, "kind"), "two": (frame, "kind")}),
        tl.tune(bayes, {"alpha": [0.1, 1]}, frame, "kind"),
        tl.tune(bayes, {"alpha": [0.1, 1]}, frame, "kind", cv=tl.Folds.three()),
        tl.tune(bayes, {"alpha": [0.1, 1]}, frame, "kind", nested=3),
        tl.learning_curve(bayes, frame, "kind"),
        tl.validation_curve(bayes, "alpha", [0.1, 1], frame, "kind"),
        tl.bias_variance(bayes, frame, "kind", draws=40, positive="a"),
    ]
    for one in found:
        assert TOLD in str(one)
        assert type(one).report_of(one.to_dict()).to_markdown() == one.report().to_markdown()
    assert TOLD not in str(tl.compare(learners, frame[~GAPS], "kind"))
    old = tl.compare(learners, frame[~GAPS], "kind").to_dict()
    del old["remarks"]
    assert "same folds" in str(tl.compare(learners, frame, "kind").report_of(old))


def test_splits_that_are_given_number_the_rows_of_the_table() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 9.0, 2.0, 8.0, 1.5, 9.5], "y": ["a", None, "a", "b", "a", "b"]}
    )
    pairs = [([0, 1, 2, 3], [4, 5]), ([1, 3, 4, 5], [0, 2])]
    found = tl.evaluate(tl.NearestCentroid(), frame, "y", cv=pairs)
    assert found.predictions["row"].tolist() == [4, 5, 0, 2]
    assert found.predictions["truth"].tolist() == ["a", "b", "a", "a"]
    assert found["accuracy"].value == 1
    masks = [(np.arange(6) < 4, np.arange(6) >= 4)]
    assert tl.evaluate(tl.NearestCentroid(), frame, "y", cv=masks).predictions["row"].tolist() == [
        4, 5,
    ]  # fmt: skip
    with pytest.raises(InputError, match="split 0 has no row to test on"):
        tl.evaluate(tl.NearestCentroid(), frame, "y", cv=[([0, 3], [1])])
    weight = [1, 1, 1, 1, 0, 1]
    found = tl.evaluate(tl.NearestCentroid(), frame, "y", cv=pairs, sample_weight=weight)
    assert found.predictions["row"].tolist() == [5, 0, 2]


def test_a_group_is_missing_only_where_a_row_counts() -> None:
    frame = pd.DataFrame(
        {"x": [1.0, 9.0, 2.0, 8.0], "y": ["a", None, "a", "b"], "g": ["u", None, "v", "w"]}
    )
    for groups in ("g", frame["g"].tolist()):
        table = frame if isinstance(groups, str) else frame[["x", "y"]]
        assert tl.evaluate(tl.DummyClassifier(), table, "y", cv=3, groups=groups).n == 3


def test_a_problem_says_how_many_rows_have_no_target() -> None:
    found = tl.problem(table(), "kind")
    assert "kind is missing in 34 of 240 rows, which are left out" in str(found)
    assert found.experience == "240 rows, 206 of them with their kind"


@pytest.mark.parametrize(
    ("case", "cv"),
    [
        pytest.param(case, cv, id=f"{case.name}-{cv}")
        for case in WAYS
        for cv in (10, tl.Folds.k(10), tl.Folds.holdout(), tl.Folds.three())
        if case.target == "kind" and (cv == 10 or case.name in ("bayes", "lda", "tree"))
    ],
)
def test_a_class_of_one_row_is_evaluated(case: Case, cv: Any) -> None:
    frame = case.table(mixed_table()).copy()
    frame.loc[7, "kind"] = "d"
    found = tl.evaluate(case.make(), frame, "kind", cv=cv)
    assert "The class 'd' (1 row) has fewer rows than the" in found.remarks[0]
    assert np.isfinite(found["accuracy"].value)
    for score in found:
        assert np.isfinite(score.value) or score.reason
