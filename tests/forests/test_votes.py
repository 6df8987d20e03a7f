"""Votes: weights by name or by place, and members that can answer."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import tallylearn as tl
from tallylearn.errors import KindError, OptionError

X, NUMBERS, CLASSES = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0], ["a", "a", "b"]
MEMBERS = [("a", tl.DummyRegressor()), ("b", tl.DecisionTreeRegressor())]


@pytest.mark.parametrize("kind", [dict, pd.Series])
def test_weights_with_names_go_by_the_names(kind: Any) -> None:
    named = tl.VotingRegressor(MEMBERS, weights=kind({"b": 9.0, "a": 1.0})).fit(X, NUMBERS)
    placed = tl.VotingRegressor(MEMBERS, weights=[1.0, 9.0]).fit(X, NUMBERS)
    assert named.predict(X).tolist() == placed.predict(X).tolist()
    with pytest.raises(OptionError, match="weights are of 'b', 'c', and the members are 'a', 'b'"):
        tl.VotingRegressor(MEMBERS, weights=kind({"b": 9.0, "c": 1.0})).fit(X, NUMBERS)


@pytest.mark.parametrize("size", [5e-324, 1.0, 1e308])
def test_equal_weights_of_any_size_are_equal(size: float) -> None:
    vote = tl.VotingClassifier(
        [tl.NaiveBayes(), tl.C45()], voting="soft", weights=[size, size]
    ).fit(X, CLASSES)
    alike = tl.VotingClassifier([tl.NaiveBayes(), tl.C45()], voting="soft").fit(X, CLASSES)
    assert vote.predict_proba(X).tolist() == alike.predict_proba(X).tolist()


def test_a_weight_beyond_a_double_is_refused() -> None:
    with pytest.raises(OptionError, match="that a double holds"):
        tl.VotingRegressor(MEMBERS, weights=[10**400, 1]).fit(X, NUMBERS)


@pytest.mark.parametrize(
    "member", [tl.KMeans(2), tl.StandardScaler(), tl.Pipeline([tl.StandardScaler()])], ids=repr
)
def test_what_answers_nothing_cannot_vote(member: Any) -> None:
    with pytest.raises(KindError, match="is no classifier, and cannot vote"):
        tl.VotingClassifier([member]).fit(X, CLASSES)
    with pytest.raises(KindError, match="is no regressor, and cannot vote"):
        tl.VotingRegressor([member]).fit(X, NUMBERS)


def test_a_vote_within_itself_is_refused() -> None:
    vote = tl.VotingClassifier([tl.NaiveBayes()])
    vote.estimators = [vote]
    with pytest.raises(OptionError, match="itself among its members"):
        vote.fit(X, CLASSES)
    vote.estimators = [tl.Pipeline([tl.StandardScaler(), vote])]
    with pytest.raises(OptionError, match="itself among its members"):
        vote.fit(X, CLASSES)


@pytest.mark.parametrize("names", [("",), ("a__b",), ("a", "a")])
def test_names_of_members_are_as_those_of_steps(names: Any) -> None:
    with pytest.raises(OptionError, match="Names are unique, and have no '__'"):
        tl.VotingRegressor([(name, tl.Ridge()) for name in names]).fit(X, NUMBERS)
