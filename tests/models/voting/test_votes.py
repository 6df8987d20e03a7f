"""Votes: weights by name or by place, and members that can answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingRegressor

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.models.voting.members import member_names

X, NUMBERS, CLASSES = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], ["a", "a", "b"]
MEMBERS = [("a", tl.DummyRegressor()), ("b", tl.DecisionTreeRegressor())]


@pytest.mark.parametrize("kind", [dict, pd.Series])
def test_weights_with_names_go_by_the_names(kind: Any) -> None:
    named = tl.VotingRegressor(MEMBERS, weights=kind({"b": 9.0, "a": 1.0})).fit(X, NUMBERS)
    placed = tl.VotingRegressor(MEMBERS, weights=[1.0, 9.0]).fit(X, NUMBERS)
    assert named.predict(X).tolist() == placed.predict(X).tolist()
    with pytest.raises(OptionError, match="weights names 'b', 'c', and the members are 'a', 'b'"):
        tl.VotingRegressor(MEMBERS, weights=kind({"b": 9.0, "c": 1.0})).fit(X, NUMBERS)


@pytest.mark.parametrize("size", [5e-324, 1.0, 1e308])
def test_equal_weights_of_any_size_are_equal(size: float) -> None:
    vote = tl.VotingClassifier(
        [tl.NaiveBayes(), tl.C45()], voting="soft", weights=[size, size]
    ).fit(X, CLASSES)
    alike = tl.VotingClassifier([tl.NaiveBayes(), tl.C45()], voting="soft").fit(X, CLASSES)
    assert vote.predict_proba(X).tolist() == alike.predict_proba(X).tolist()


def test_a_weight_beyond_a_double_is_refused() -> None:
    with pytest.raises(OptionError, match="Pass finite numbers"):
        tl.VotingRegressor(MEMBERS, weights=[10**400, 1]).fit(X, NUMBERS)


@pytest.mark.parametrize(
    "member", [tl.KMeans(2), tl.StandardScaler(), tl.Pipeline([tl.StandardScaler()])], ids=repr
)
def test_what_answers_nothing_cannot_vote(member: Any) -> None:
    with pytest.raises(KindError, match="is not a classifier"):
        tl.VotingClassifier([member]).fit(X, CLASSES)
    with pytest.raises(KindError, match="is not a regressor"):
        tl.VotingRegressor([member]).fit(X, NUMBERS)


def test_a_vote_within_itself_is_refused() -> None:
    vote = tl.VotingClassifier([tl.NaiveBayes()])
    vote.estimators = [vote]
    with pytest.raises(OptionError, match="contains itself"):
        vote.fit(X, CLASSES)
    vote.estimators = [tl.Pipeline([tl.StandardScaler(), vote])]
    with pytest.raises(OptionError, match="contains itself"):
        vote.fit(X, CLASSES)


@pytest.mark.parametrize("names", [("",), ("a__b",), ("a", "a")])
def test_names_of_members_are_as_those_of_steps(names: Any) -> None:
    with pytest.raises(OptionError, match="unique, non-empty name without '__'"):
        tl.VotingRegressor([(name, tl.Ridge()) for name in names]).fit(X, NUMBERS)


def test_options_of_members_go_by_their_names() -> None:
    vote = tl.VotingRegressor([("a", tl.DummyRegressor()), ("b", tl.DecisionTreeRegressor())])
    theirs = VotingRegressor(vote.estimators).get_params()
    mine = vote.get_params()
    assert {*mine} == {*theirs} - {"n_jobs", "verbose"}
    assert mine["b__max_depth"] is None
    assert [*vote.get_params(deep=False)] == ["estimators", "weights"]
    vote.set_params(b__max_depth=1, a=tl.DecisionTreeRegressor(), a__max_depth=2, weights=[1, 3])
    depths = [one.max_depth for one in vote.fit(X, NUMBERS).estimators_]
    assert depths == [2, 1]
    assert vote.weights == [1, 3]
    for odd in ("c", "c__max_depth", "b__depth"):
        with pytest.raises(OptionError, match="Invalid parameter"):
            vote.set_params(**{odd: 1})


def test_options_of_members_without_names_go_by_what_they_are_called() -> None:
    vote = tl.VotingClassifier([tl.NaiveBayes(), tl.C45(), tl.C45()])
    name = [name for name, _ in member_names(vote.estimators)][2]
    vote.set_params(**{f"{name}__min_samples_leaf": 5}).fit(X, CLASSES)
    assert vote.named_estimators_[name].min_samples_leaf == 5
    assert vote.estimators_[1].min_samples_leaf != 5
    assert tl.VotingClassifier(5).get_params()["estimators"] == 5


@dataclass(repr=False)
class Says:
    """A learner of others that answers with what it is given."""

    answer: Any
    classes: Any = ("a", "b")

    def fit(self, X: Any, y: Any) -> Says:
        self.classes_ = np.array(self.classes)
        return self

    def predict(self, X: Any) -> Any:
        return self.answer

    predict_proba = predict

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"answer": self.answer, "classes": self.classes}

    def set_params(self, **params: Any) -> Says:
        vars(self).update(params)
        return self


BAD = {
    "all NaN": ("soft", np.full((3, 2), np.nan), "returned nan. It must return probabilities"),
    "seven columns": ("soft", np.full((3, 7), 1 / 7), r"an array of shape \(3, 7\)"),
    "fewer rows": ("soft", [[0.5, 0.5]], r"an array of shape \(1, 2\)"),
    "no shares": ("soft", [[2.0, -1.0]] * 3, "returned 2.0"),
    "no probabilities": ("soft", None, "returned None for 3 rows and 2 classes"),
    "words for probabilities": (
        "soft",
        [["x", "y"]] * 3,
        "is not from tallylearn and failed on these rows",
    ),
    "a class that nobody knows": ("hard", [99, 99, 99], "the class 99, and .* are 'a', 'b'"),
    "a gap": ("hard", ["a", None, "b"], "the class None, and"),
    "one answer": ("hard", ["a"], r"an array of shape \(1,\) for 3 rows"),
    "no answer": ("hard", None, "returned None for 3 rows"),
    "lists for classes": ("hard", [["a", "b"]] * 3, r"an array of shape \(3, 2\)"),
    "one number": ("mean", [1.0], r"an array of shape \(1,\) for 3 rows"),
    "no number": ("mean", None, "returned None for 3 rows"),
    "a gap among numbers": ("mean", [1.0, None, 2.0], "returned None"),
    "not a number": ("mean", [1.0, np.nan, 2.0], "returned nan. It must return finite numbers"),
    "words for numbers": ("mean", ["x"] * 3, "is not from tallylearn and failed on these rows"),
}


def vote_of(voting: str, member: Any) -> Any:
    """A vote with one of ours beside the member, fitted."""
    if voting == "mean":
        return tl.VotingRegressor([("good", tl.DummyRegressor()), ("odd", member)]).fit(X, NUMBERS)
    beside = [("good", tl.NaiveBayes()), ("odd", member)]
    return tl.VotingClassifier(beside, voting=voting).fit(X, CLASSES)


@pytest.mark.parametrize("case", BAD)
def test_answers_that_are_none_are_told_of_the_member_by_its_name(case: str) -> None:
    voting, answer, words = BAD[case]
    with pytest.raises(InputError, match=f"the member 'odd'.*{words}"):
        vote_of(voting, Says(answer)).predict(X)


def test_probabilities_of_classes_that_the_vote_has_not_are_refused() -> None:
    with pytest.raises(InputError, match="the member 'odd' predicted the class 0, and"):
        vote_of("soft", Says([[0.5, 0.5]] * 3, (0, 1))).predict(X)


def test_answers_in_one_column_and_rounded_probabilities_are_taken() -> None:
    assert vote_of("hard", Says([["a"], ["a"], ["a"]])).predict(X).tolist()[0] == "a"
    assert vote_of("mean", Says([[1.0], [2.0], [3.0]])).predict(X).shape == (3,)
    shares = np.array([[1 + 1e-7, -1e-7]] * 3, dtype=np.float32)
    assert vote_of("soft", Says(shares)).predict_proba(X).shape == (3, 2)
