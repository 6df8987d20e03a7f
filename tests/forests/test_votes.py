"""Votes: weights by name or by place, and members that can answer."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from sklearn.ensemble import VotingRegressor

import tallylearn as tl
from tallylearn.errors import KindError, OptionError
from tallylearn.models.voting.members import named

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
    name = [name for name, _ in named(vote.estimators)][2]
    vote.set_params(**{f"{name}__min_samples_leaf": 5}).fit(X, CLASSES)
    assert vote.named_estimators_[name].min_samples_leaf == 5
    assert vote.estimators_[1].min_samples_leaf != 5
    assert tl.VotingClassifier(5).get_params()["estimators"] == 5
