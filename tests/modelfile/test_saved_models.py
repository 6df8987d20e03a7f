"""What save writes, load takes; what load would refuse is not written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import FileError

X, NUMBERS, CLASSES = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], ["a", "a", "b"]
LEAVES = {"n_estimators": 3, "min_samples_leaf": 10}


def loaded(model: Any, path: Path) -> Any:
    model.save(path, tally=getattr(model, "tally_", None) is not None)
    return tl.load(path)


@pytest.mark.parametrize(
    ("model", "rows", "target"),
    [
        (tl.RandomForestClassifier(**LEAVES), X, CLASSES),
        (tl.RandomForestRegressor(**LEAVES), X, NUMBERS),
        (tl.RandomForestClassifier(3), [[1.0]] * 3, CLASSES),
        (tl.RandomForestClassifier(3), [[1.0]], ["a"]),
        (tl.RandomForestClassifier(3, max_depth=0), X, CLASSES),
        (tl.RandomForestClassifier(3, ccp_alpha=100.0), X, CLASSES),
        (tl.RandomForestClassifier(2), [[None]] * 3, CLASSES),
        (tl.RandomForestRegressor(2), [[None]] * 3, NUMBERS),
        (tl.VotingClassifier([tl.RandomForestClassifier(**LEAVES)]), X, CLASSES),
    ],
)
def test_a_forest_without_a_split_comes_back(
    model: Any, rows: Any, target: Any, tmp_path: Path
) -> None:
    model.fit(rows, target)
    again = loaded(model, tmp_path / "forest.tally")
    assert again.predict(rows).tolist() == model.predict(rows).tolist()
    if not isinstance(model, tl.VotingClassifier):
        assert again.feature_importances_.tolist() == [0.0]


def test_columns_with_different_numbers_of_cuts_come_back(tmp_path: Path) -> None:
    rows = [[0.0, 1.0], [0.0, 2.0], [0.0, 4.0]]
    model = tl.KBinsDiscretizer(encode="ordinal").fit(rows)
    again = loaded(model, tmp_path / "cuts.tally")
    assert again.transform(rows).tolist() == model.transform(rows).tolist()


@pytest.mark.parametrize("learner", [
    tl.LinearRegression(), tl.LinearRegression(solver="qr"), tl.LinearRegression(exact=True),
    tl.Ridge(), tl.Lasso(), tl.ElasticNet(), tl.SubsetSelection(), tl.VotingRegressor([tl.Ridge()]),
], ids=repr)  # fmt: skip
def test_a_column_that_only_weightless_rows_show_comes_back(learner: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2, 4, 8], "b": [None, None, None, 3.0]})
    model = learner.fit(frame, [1.0, 2, 3, 5], sample_weight=[1, 1, 1, 0])
    again = loaded(model, tmp_path / "weightless.tally")
    assert again.predict(frame).tolist() == model.predict(frame).tolist()


@pytest.mark.parametrize("kind", [tl.LinearDiscriminantAnalysis, tl.QuadraticDiscriminantAnalysis])
def test_the_squares_of_an_automatic_shrinkage_come_back(kind: Any, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(12, 2))
    model = kind(solver="eigen", shrinkage="auto").fit(rows, [*"abababababab"])
    again = loaded(model, tmp_path / "squares.tally")
    assert again.predict_proba(rows).tolist() == model.predict_proba(rows).tolist()
    assert again.partial_fit(rows, [*"aaabbbabbbaa"]).tally_ is not None


@pytest.mark.parametrize("kind", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_a_series_of_penalties_is_a_list(kind: Any, tmp_path: Path) -> None:
    model = kind(alphas=pd.Series([0.1, 1.0])).fit(X, NUMBERS)
    assert loaded(model, tmp_path / "alphas.tally").alphas.tolist() == [0.1, 1.0]


@pytest.mark.parametrize(
    "weights", [pd.Series([1.0, 3.0]), pd.Series({"b": 3.0, "a": 1.0}), np.array([1.0, 3.0])]
)
def test_the_weights_of_a_vote_come_back(weights: Any, tmp_path: Path) -> None:
    members = [("a", tl.DummyRegressor()), ("b", tl.DecisionTreeRegressor())]
    model = tl.VotingRegressor(members, weights=weights).fit(X, NUMBERS)
    again = loaded(model, tmp_path / "vote.tally")
    assert again.model_.weights.tolist() == [0.25, 0.75]
    assert again.fit(X, NUMBERS).predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (tl.Lasso(alpha=1e308), NUMBERS),
        (tl.KNeighborsClassifier(1, leaf_size=2**63), CLASSES),
        (tl.DummyClassifier(strategy="constant", constant="\ud800"), ["a", "a", "\ud800"]),
    ],
    ids=["endless", "beyond 63 bits", "half a letter"],
)
def test_what_would_not_load_is_not_written(model: Any, target: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.tally"
    path.write_bytes(b"the old one")
    model.fit(X, target)
    with pytest.raises(FileError, match="was not saved, because its file could not be loaded"):
        model.save(path, tally=False)
    assert path.read_bytes() == b"the old one"
    assert [*tmp_path.iterdir()] == [path]


def test_a_loaded_regression_knows_how_many_rows_it_learned_from(tmp_path: Path) -> None:
    for model in (
        tl.LogisticRegression(),
        tl.Pipeline([tl.SimpleImputer(), tl.LogisticRegression()]),
    ):
        model.fit(X, CLASSES)
        assert "learned from 3 rows" in repr(model)
        assert repr(loaded(model, tmp_path / "rows.tally")) == repr(model)


@pytest.mark.parametrize("option", [{"centroids_per_class": "cv"}, {"exemplar": "medoid"}])
def test_loaded_exemplars_know_how_many_rows_they_stand_for(option: Any, tmp_path: Path) -> None:
    model = tl.NearestCentroid(**option).fit(X, CLASSES)
    assert "learned from 3 rows" in repr(model)
    assert repr(loaded(model, tmp_path / "rows.tally")) == repr(model)


def test_clusters_of_more_rows_than_can_be_are_refused(tmp_path: Path) -> None:
    model = tl.KMeans(2).fit(X)
    model.model_ = replace(model.model_, sizes=np.full(2, 1e308))
    with pytest.raises(FileError, match="more rows than can be"):
        model.save(tmp_path / "large.tally")


def test_sums_of_values_that_are_none_are_refused(tmp_path: Path) -> None:
    model = tl.SubsetSelection().fit(X, NUMBERS)
    ((name, part),) = (one for one in model.tally_.parts.items() if one[0] != "target")
    odd = replace(part, values=tuple(value or "\0" for value in part.values))
    model.tally_ = replace(model.tally_, parts={**model.tally_.parts, name: odd})
    with pytest.raises(FileError, match="unknown term"):
        model.save(tmp_path / "odd.tally")


@pytest.mark.parametrize("learner", [
    tl.LogisticRegression, tl.DecisionTreeClassifier, tl.RandomForestClassifier,
])  # fmt: skip
def test_a_series_of_class_weights_is_a_dict(learner: Any, tmp_path: Path) -> None:
    weights = {"b": 5.0, "a": 1.0}
    model = learner(class_weight=pd.Series(weights)).fit(X, CLASSES)
    same = learner(class_weight=weights).fit(X, CLASSES)
    assert model.predict_proba(X).tolist() == same.predict_proba(X).tolist()
    assert loaded(model, tmp_path / "weights.tally").class_weight == weights


@pytest.mark.parametrize("kind", [tl.LinearRegression, tl.LogisticRegression])
def test_a_series_of_references_is_a_dict(kind: Any, tmp_path: Path) -> None:
    table = pd.DataFrame({"colour": ["red", "blue", "red", "blue"] * 4})
    y = [0, 1, 1, 1] * 4
    model = kind(reference=pd.Series({"colour": "red"})).fit(table, y)
    same = kind(reference={"colour": "red"}).fit(table, y)
    assert model.model_.design.names == same.model_.design.names
    assert loaded(model, tmp_path / "reference.tally").reference == {"colour": "red"}


def test_a_learner_that_load_does_not_know_is_not_saved(tmp_path: Path) -> None:
    class Crest(tl.Ridge):
        """Another name for it."""

    with pytest.raises(FileError, match="'Crest' is not a learner of tallylearn"):
        Crest().fit(X, NUMBERS).save(tmp_path / "crest.tally")
    assert not [*tmp_path.iterdir()]
