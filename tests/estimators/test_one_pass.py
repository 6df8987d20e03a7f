"""Learning in parts: streams, unknown columns, and rows drawn from a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import engines, errors, modelfile
from tallylearn.estimators.model import choice
from tallylearn.tables import Block, Schema
from tallylearn.tallies import Bundle


def test_one_thread_holds_one_block_at_a_time() -> None:
    handed = []

    def blocks() -> Iterator[Block]:
        for at in range(10):
            handed.append(at)
            yield Block(Schema(()), np.empty((1, 0)))

    for threads, ahead in ((1, 2), (2, 4)):
        handed.clear()
        with tl.engine(threads=threads):
            for done, _ in enumerate(
                engines.current_engine().map(len, engines.SinglePart(blocks()))
            ):
                assert len(handed) <= done + ahead


EMPTY = pd.DataFrame({"zip": ["1", "2", "1"], "e": [None] * 3, "y": ["a", "b", "b"]})
FULL = pd.DataFrame(
    {"zip": ["1", "2", "2"], "e": ["u", "v", "u"], "more": [1, 2, 3], "y": list("abb")}
)


def test_a_column_that_was_empty_is_learned_when_it_comes() -> None:
    model = tl.NaiveBayes().partial_fit(EMPTY, "y").partial_fit(FULL, "y")
    both = pd.concat([EMPTY, FULL.drop(columns="more")])
    assert model.tally_ == tl.NaiveBayes().fit(both, "y").tally_
    assert [column.kind for column in model.schema_.columns] == ["number", "category"]


def test_a_column_whose_values_are_forgotten_is_unknown_again() -> None:
    first = tl.NaiveBayes().partial_fit(EMPTY, "y")
    model = tl.NaiveBayes().partial_fit(EMPTY, "y").partial_fit(FULL, "y").forget(FULL, "y")
    assert modelfile.digests(model) == modelfile.digests(first)
    stranger = EMPTY[:1].assign(e="zzz")
    with pytest.raises(errors.ForgetError, match="not among the training rows"):
        first.forget(stranger, "y")


def test_an_empty_column_of_numbers_is_unknown_like_any_other(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "e": [np.nan] * 3, "y": list("aab")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    memory, file = tl.NaiveBayes().fit(frame, "y"), tl.NaiveBayes().fit(tmp_path / "t.csv", "y")
    assert modelfile.digests(memory) == modelfile.digests(file)
    later = frame.assign(e=[1.0, 2.0, 3.0])
    merged = tl.merge(memory, tl.NaiveBayes().fit(later, "y"))
    assert merged.tally_ == tl.NaiveBayes().fit(pd.concat([frame, later]), "y").tally_


@pytest.mark.parametrize("classes", [[0.0, 1.0, 2.0], np.array([2, 0, 1])])
def test_foretold_classes_may_be_floats_and_come_late(classes: Any) -> None:
    X, y = np.arange(8.0).reshape(4, 2), np.array([0.0, 0.0, 1.0, 1.0])
    model = tl.NaiveBayes().partial_fit(X[:3], y[:3], classes=classes)
    assert model.partial_fit(X[3:], y[3:]).classes_.tolist() == [0, 1, 2]


def test_a_saved_model_merges_with_its_original(tmp_path: Path) -> None:
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    for prior in ([0.2, 0.8], {np.int64(0): 0.2, np.int64(1): 0.8}, np.array([0.2, 0.8])):
        model = tl.NaiveBayes(class_prior=prior).fit(X, y)
        model.save(tmp_path / "m.tally")
        assert tl.merge(model, tl.load(tmp_path / "m.tally")).class_count_.sum() == 8
    assert "class_prior" in repr(tl.NaiveBayes(class_prior=pd.Series([0.2, 0.8])))


def wide(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 12))
    X[:, 10] += 100
    X[:, 11] += 20 * y
    return X, y


def test_centroids_and_means_are_in_the_order_of_the_table() -> None:
    X, y = wide()
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    assert np.allclose(tl.NearestCentroid().fit(X, y).centroids_, means)
    assert np.allclose(tl.NaiveBayes().fit(X, y).theta_, means)
    gap = X.copy()
    gap[:, 3] = np.nan
    found = tl.NearestCentroid().fit(gap, y).centroids_
    assert np.isnan(found[:, 3]).all()
    assert np.allclose(np.delete(found, 3, axis=1), np.delete(means, 3, axis=1))
    named = pd.DataFrame(X, columns=list("lkjihgfedcba"))
    assert np.allclose(tl.NearestCentroid().fit(named, y).centroids_, means)
    shown = tl.NearestCentroid().fit(named, y).explain(named[:1])[0].lines[0].terms
    assert [term.column for term in shown] == list("lkjihgfedcba")


@pytest.mark.parametrize("numbers", ["gaussian", "bernoulli"])
def test_rows_drawn_from_a_model_are_rows_for_it(numbers: str) -> None:
    X, y = wide()
    model = tl.NaiveBayes(numbers=numbers).fit(X - 30, y)
    rows, classes = model.sample(200, random_state=0)
    assert [*rows[0]] == [f"x{j}" for j in range(12)]
    if numbers == "gaussian":
        assert np.mean(model.predict(rows) == classes) > 0.95
    else:
        assert model.predict(rows).shape == classes.shape
    frame = pd.DataFrame(
        {"when": pd.date_range("2026-01-01", periods=6), "e": [None] * 6, "c": list("xyxyxy")}
    )
    dated = tl.NaiveBayes().fit(frame, list("aabbab"))
    drawn, _ = dated.sample(5, random_state=1)
    assert dated.predict(pd.DataFrame(drawn)).shape == (5,)


def test_ties_are_ties_of_the_posterior() -> None:
    close = tl.NaiveBayes(var_smoothing=0).fit(
        [[-1.0], [1.0], [-1 + 2e-5], [1 + 2e-5]], list("aabb")
    )
    far = [[3e5]]
    assert close.predict(far)[0] == close.classes_[close.predict_proba(far)[0].argmax()]
    scores = np.array([[0.0, -1e-10], [-1e-10, 0.0], [-1.0, 0.0]])
    assert choice(scores).tolist() == [0, 0, 1]
    assert choice(scores, "positive").tolist() == [1, 1, 1]


def test_explain_and_predict_agree_on_ties() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 30, (200, 2)) / 10, rng.integers(0, 3, 200)
    for learner in (tl.NearestCentroid(), tl.NaiveBayes(), tl.DummyClassifier()):
        model = learner.fit(X, y)
        rows = rng.integers(0, 30, (500, 2)) / 10
        assert [row.chosen for row in model.explain(rows)] == model.predict(rows).tolist()


def unlearned(model: Any, *rows: Any) -> None:
    before = modelfile.digests(model)
    with pytest.raises(errors.ForgetError, match="not among the training rows"):
        model.forget(*rows)
    assert modelfile.digests(model) == before


@pytest.mark.parametrize(
    "learner",
    [
        tl.NaiveBayes(),
        tl.NaiveBayes(numbers="bernoulli"),
        tl.NearestCentroid(),
        tl.LinearDiscriminantAnalysis(exact=True),
        tl.QuadraticDiscriminantAnalysis(exact=True, reg_param=0.1),
    ],
    ids=repr,
)
def test_a_gap_where_every_row_has_a_number_was_never_learned(learner: Any) -> None:
    model = learner.fit([[1.0], [2.0], [3.0], [5.0]], [*"uvuv"])
    unlearned(model, [[None], [None]], [*"uv"])
    unlearned(model, [[None]], ["u"])
    assert len(model.forget([[1.0]], ["u"]).classes_) == 2


def test_a_gap_where_every_row_has_a_category_was_never_learned() -> None:
    rows = [{"a": "x", "y": "u"}, {"a": "z", "y": "u"}, {"a": "x", "y": "v"}]
    unlearned(tl.NaiveBayes().fit(rows, "y"), [{"a": None, "y": "u"}], "y")
    with_gap = tl.NaiveBayes().fit([*rows, {"a": None, "y": "u"}], "y")
    with_gap.forget([{"a": None, "y": "u"}], "y")
    assert modelfile.digests(with_gap) == modelfile.digests(tl.NaiveBayes().fit(rows, "y"))


def test_another_document_was_never_learned() -> None:
    model = tl.NaiveBayes().fit(["a b c d", "b c d e", "a a b c", "x y z q"], [*"uvuv"])
    for text in ("", "a", "a a a b c", "a b"):
        unlearned(model, [text], ["u"])
    assert model.forget(["a b c d"], ["u"]).top_words(column="text")


def test_a_word_in_every_document_is_not_in_fewer_of_them() -> None:
    """Its tokens are still enough; its documents are more than the class has."""
    model = tl.NaiveBayes().fit(["a a a x", "a y", "b c"], [*"uuv"])
    unlearned(model, ["x"], ["u"])


def test_a_class_that_only_a_column_knows_is_impossible() -> None:
    model = tl.NaiveBayes().fit([[1.0], [2.0], [3.0], [4.0]], [*"uvuv"])
    less = Bundle({"target": model.tally_["target"], "numbers": model.tally_["numbers"]})
    target = less["target"].reindex(("u",))
    assert less.impossible() is None
    found = Bundle({"target": target, "numbers": less["numbers"]}).impossible()
    assert found == "numbers: a class is not among those of the target"


def test_tables_that_read_gaps_or_dates_differently_do_not_merge() -> None:
    frame = pd.DataFrame({"c": ["u", "v", "-"], "d": pd.date_range("2026-01-01", periods=3)})
    y = [*"aab"]
    plain = tl.NaiveBayes().fit(frame, y)
    for other in (tl.table(frame, missing=["-"]), tl.table(frame, dates={"d": ["month"]})):
        with pytest.raises(errors.MergeError):
            tl.merge(plain, tl.NaiveBayes().fit(other, y))
    with pytest.raises(errors.MergeError, match="missing values differently"):
        tl.merge(plain, tl.NaiveBayes().fit(tl.table(frame, missing=["-"]), y))
