"""Votes of several learners, ours and scikit-learn's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier, VotingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import tallylearn as tl
from tallylearn import errors
from tallylearn.modelfile import _page
from tallylearn.modelfile.file_bytes import to_bytes

X, Y = load_iris(return_X_y=True)
D, N = load_diabetes(return_X_y=True)
OURS = [tl.NaiveBayes(), tl.DecisionTreeClassifier(max_depth=2), tl.NearestCentroid()]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize("weights", [None, [1, 2, 5]])
def test_the_same_members_vote_as_in_scikit_learn(voting: str, weights: Any) -> None:
    members = [("nb", GaussianNB()), ("knn", KNeighborsClassifier()), ("tree", OURS[1])]
    mine = tl.VotingClassifier(members, voting=voting, weights=weights).fit(X, Y)
    theirs = VotingClassifier(members, voting=voting, weights=weights).fit(X, Y)
    assert mine.predict(X).tolist() == theirs.predict(X).tolist()
    if voting == "soft":
        assert mine.predict_proba(X) == pytest.approx(theirs.predict_proba(X))
    assert [*mine.named_estimators_] == ["nb", "knn", "tree"]


def test_numbers_are_the_weighted_mean() -> None:
    members = [("a", LinearRegression()), ("b", KNeighborsRegressor())]
    mine = tl.VotingRegressor(members, weights=[1, 3]).fit(D, N)
    theirs = VotingRegressor(members, weights=[1, 3]).fit(D, N)
    assert mine.predict(D) == pytest.approx(theirs.predict(D))
    row = mine.explain(D[:1])[0]
    assert row.lines[0].total == pytest.approx(mine.predict(D[:1])[0])
    assert [term.column for term in row.lines[0].terms] == ["a", "b"]


def test_the_share_of_a_class_is_that_of_its_votes() -> None:
    vote = tl.VotingClassifier(OURS).fit(X, Y)
    said = np.array([type(one)(**one.get_params()).fit(X, Y).predict(X) for one in OURS])
    counted = np.array([(said == c).mean(axis=0) for c in range(3)]).T
    assert vote.predict_proba(X) == pytest.approx(counted)
    found = vote.explain(X[:2])[0]
    assert [line.share for line in found.lines] == pytest.approx(counted[0])


def tied(tie: str) -> Any:
    """Two members of different opinions: the first class or the last, whatever the row is."""
    members = [tl.DummyClassifier(strategy="constant", constant=c) for c in ("b", "a")]
    return tl.VotingClassifier(members, tie=tie).fit([[1.0], [2.0]], ["a", "b"])


def test_of_tied_classes_the_first_is_answered_or_none() -> None:
    assert tied("first").predict([[1.0]]).tolist() == ["a"]
    assert tied("undefined").predict([[1.0]]).tolist() == ["undefined"]
    assert tied("undefined").explain([[1.0]])[0].chosen == "undefined"


def test_thirds_that_add_up_in_another_order_are_tied() -> None:
    members = [
        *[tl.DummyClassifier(strategy="constant", constant=c) for c in "bab"],
        *[tl.DummyClassifier(strategy="constant", constant=c) for c in "aab"],
    ]
    vote = tl.VotingClassifier(members, weights=[0.1, 0.2, 0.3, 0.3, 0.1, 0.2], tie="undefined")
    assert vote.fit([[1.0], [2.0]], ["a", "b"]).predict([[1.0]]).tolist() == ["undefined"]


def test_learners_of_ours_take_the_table_as_it_is() -> None:
    table = tl.example("tennis")
    vote = tl.VotingClassifier([tl.C45(), tl.NaiveBayes(), tl.RandomForestClassifier(9)])
    vote.fit(table)
    assert vote.score(table) > 0.8
    assert tl.evaluate(vote, table, cv=5)["accuracy"].value > 0.3


def test_learners_of_others_get_a_frame_with_names() -> None:
    frame = load_iris(as_frame=True).frame.rename(columns={"target": "kind"})
    vote = tl.VotingClassifier([LogisticRegression(max_iter=500), tl.NaiveBayes()], voting="soft")
    vote.fit(frame, "kind")
    assert vote.estimators_[0].feature_names_in_.tolist() == [*frame.columns[:4]]
    assert vote.score(frame, "kind") > 0.9


def test_a_member_without_probabilities_has_no_share_in_a_soft_vote() -> None:
    members = [("nb", tl.NaiveBayes()), ("line", Perceptron())]
    with pytest.raises(errors.OptionError, match="the member 'line' is Perceptron"):
        tl.VotingClassifier(members, voting="soft").fit(X, Y)
    assert tl.VotingClassifier(members).fit(X, Y).score(X, Y) > 0.5


def test_a_member_may_know_probabilities_from_its_fit_on() -> None:
    stack = StackingClassifier([("nb", GaussianNB())])
    assert not hasattr(stack, "predict_proba")
    vote = tl.VotingClassifier([stack], voting="soft").fit(X, Y)
    assert vote.predict_proba(X) == pytest.approx(clone(stack).fit(X, Y).predict_proba(X))


def test_weights_of_rows_reach_every_member() -> None:
    weight = np.where(Y == 2, 1e-6, 1.0)
    vote = tl.VotingClassifier([GaussianNB(), tl.NaiveBayes()], voting="soft")
    assert (vote.fit(X, Y, weight).predict(X) == 2).sum() < 50
    with pytest.raises(errors.OptionError, match="takes no sample_weight"):
        tl.VotingClassifier([KNeighborsClassifier()]).fit(X, Y, weight)


def test_a_vote_is_a_copy_of_its_members_and_clones() -> None:
    member = tl.NaiveBayes()
    vote = clone(tl.VotingClassifier([member, member])).fit(X, Y)
    assert not member.__sklearn_is_fitted__()
    assert [*vote.named_estimators_] == ["NaiveBayes 1", "NaiveBayes 2"]


def test_a_vote_is_saved_with_its_members_and_no_rows_of_theirs(tmp_path: Path) -> None:
    inner = tl.VotingClassifier([tl.DummyClassifier(), tl.NaiveBayes()])
    members = [("forest", tl.RandomForestClassifier(5)), ("bayes", tl.NaiveBayes()), ("two", inner)]
    vote = tl.VotingClassifier(members, voting="soft", weights=[1, 2, 0.5]).fit(X, Y)
    vote.save(tmp_path / "v.tally")
    again = tl.load(tmp_path / "v.tally")
    assert again.constructor_call() == vote.constructor_call()
    assert again.predict_proba(X).tolist() == vote.predict_proba(X).tolist()
    assert str(again.explain(X[:1])) == str(vote.explain(X[:1]))
    assert vote.named_estimators_["bayes"].tally_ is not None
    assert again.named_estimators_["bayes"].tally_ is None
    assert not again.estimators[1][1].__sklearn_is_fitted__()
    assert again.fit(X, Y).predict(X).tolist() == vote.predict(X).tolist()


def test_members_that_are_not_ours_are_in_no_file(tmp_path: Path) -> None:
    vote = tl.VotingClassifier([tl.NaiveBayes(), GaussianNB()]).fit(X, Y)
    words = r"VotingClassifier.save: estimators.1 is GaussianNB\(\), which cannot be saved"
    with pytest.raises(errors.OptionError, match=words):
        vote.save(tmp_path / "v.tally")
    assert not (tmp_path / "v.tally").exists()


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda: tl.NaiveBayes().fit(X[:, :1], Y), "asks other columns"),
        (lambda: tl.DecisionTreeRegressor().fit(X, np.arange(len(X)) * 1.0), "another kind"),
        (lambda: tl.NaiveBayes().fit(X, ["other"] * len(X)), "knows other classes"),
        (lambda: tl.NaiveBayes(), "is not fitted"),
        (lambda: tl.StandardScaler().fit(X), "another kind"),
    ],
)
def test_a_file_whose_members_do_not_fit_their_vote_is_refused(
    other: Any, words: str, tmp_path: Path
) -> None:
    vote = tl.VotingClassifier([tl.NaiveBayes(), tl.NaiveBayes()]).fit(X, Y)
    models = (vote.model_.models[0], other())
    vote.model_ = replace(vote.model_, models=models)
    with pytest.raises(errors.FileError, match=words):  # save opens a file as load does
        vote.save(tmp_path / "v.tally")
    (tmp_path / "v.tally").write_bytes(to_bytes(*_page(vote, False)))
    with pytest.raises(errors.FileError, match=words):
        tl.load(tmp_path / "v.tally")


def test_votes_within_votes_are_saved_as_deep_as_they_can_be_loaded(tmp_path: Path) -> None:
    deep: Any = ("in", tl.RandomForestClassifier(2, costs={"x0": 2.0}))
    for _ in range(2):
        deep = ("out", tl.VotingClassifier([deep]))
    vote = deep[1].fit(X, Y)
    vote.save(tmp_path / "v.tally")
    assert tl.load(tmp_path / "v.tally").predict(X).tolist() == vote.predict(X).tolist()
    with pytest.raises(errors.OptionError, match="more than 2 deep"):
        tl.VotingClassifier([deep]).fit(X, Y).save(tmp_path / "w.tally")


@pytest.mark.parametrize(
    ("estimators", "options", "message"),
    [
        ([], {}, "non-empty list"),
        ("nb", {}, "non-empty list"),
        ([tl.NaiveBayes], {}, "not an estimator"),
        ([3], {}, "not an estimator"),
        (OURS, {"weights": [1, 2]}, "pass 3 weights, one per member"),
        (OURS, {"weights": [1, -2, 0]}, "Pass finite numbers, 0 or more"),
        (OURS, {"weights": [0, 0, 0]}, "all weights are 0"),
        (OURS, {"voting": "loud"}, "'voting'"),
        (OURS, {"tie": "coin"}, "'tie'"),
    ],
)
def test_what_cannot_vote_is_refused(estimators: Any, options: Any, message: str) -> None:
    with pytest.raises(errors.TallyError, match=message):
        tl.VotingClassifier(estimators, **options).fit(X, Y)


def test_categories_go_to_learners_of_others_as_they_are() -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = pd.DataFrame({"town": ["Bonn", "Köln"] * 10, "y": ["u", "v"] * 10})
    piped = make_pipeline(OneHotEncoder(), LogisticRegression())
    vote = tl.VotingClassifier([piped, tl.NaiveBayes()], voting="soft").fit(frame, "y")
    assert vote.predict({"town": "Köln"}).tolist() == ["v"]


def test_members_of_others_get_neither_identifiers_nor_columns_without_values() -> None:
    frame = pd.DataFrame({"id": [f"c{i:04}" for i in range(40)], "x": np.arange(40.0) % 7})
    frame["empty"], frame["y"] = None, np.where(frame.x > 3, "high", "low")
    vote = tl.VotingClassifier([LogisticRegression(), tl.C45()]).fit(frame, "y")
    assert vote.estimators_[0].feature_names_in_.tolist() == ["x"]
    assert (vote.predict(frame) == frame.y).all()


def test_a_member_that_is_none_can_be_put_back_by_its_name() -> None:
    vote = tl.VotingClassifier([("a", tl.NaiveBayes()), ("b", tl.C45())])
    vote.set_params(a=1)
    assert vote.set_params(a=tl.NaiveBayes(alpha=2)).get_params()["a__alpha"] == 2


def test_what_a_learner_of_others_cannot_take_is_said_of_it() -> None:
    words = r"'LogisticRegression' is not from tallylearn and failed .*\(ValueError: could"
    with pytest.raises(errors.InputError, match=words):
        tl.VotingClassifier([tl.C45(), LogisticRegression()]).fit(tl.example("tennis"))
    gap = np.full((1, X.shape[1]), np.nan)
    for voting in ("hard", "soft"):
        vote = tl.VotingClassifier([tl.C45(), GaussianNB()], voting=voting).fit(X, Y)
        with pytest.raises(
            errors.InputError, match=r"'GaussianNB' is not from tallylearn.* contains NaN"
        ):
            vote.predict(gap)
    mean = tl.VotingRegressor([tl.CART(task="regression"), LinearRegression()]).fit(D, N)
    with pytest.raises(
        errors.InputError, match=r"'LinearRegression' is not from tallylearn.* contains NaN"
    ):
        mean.predict(np.full((1, D.shape[1]), np.nan))
