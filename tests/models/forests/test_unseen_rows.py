"""Forests are compared and tuned by the rows that their trees have not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import tallylearn as tl
from tallylearn import errors

IRIS, KINDS = load_iris(return_X_y=True)
X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize(
    ("learner", "X", "y", "score"),
    [
        (tl.RandomForestClassifier(12), IRIS, KINDS, "accuracy"),
        (tl.RandomForestRegressor(12), X, Y, "r2"),
    ],
)
def test_candidates_have_the_score_that_their_forest_has(
    learner: Any, X: Any, y: Any, score: str
) -> None:
    found = tl.tune(learner, {"max_depth": [1, 3]}, X, y, cv="oob", scoring=score)
    alone = [type(learner)(12, max_depth=depth).fit(X, y).oob.value for depth in (1, 3)]
    assert [c.estimate.value for c in found.candidates if c.estimate] == pytest.approx(alone)
    assert found.cv == "out of bag"
    assert (
        found.score.baseline == tl.evaluate(learner, X, y, cv="oob", scores=score)[score].baseline
    )
    assert found.model.oob.value == max(alone)


def test_forests_are_compared_on_their_unseen_rows() -> None:
    forests = {
        "low": tl.RandomForestClassifier(12, max_depth=1),
        "high": tl.RandomForestClassifier(12),
    }
    found = tl.compare(forests, IRIS, KINDS, cv="oob")
    for paper in found.results:
        assert paper.found["accuracy"].value == forests[paper.name].fit(IRIS, KINDS).oob.value
    assert "high is better than low" in str(found.verdict)


def test_a_nested_search_asks_the_bags_of_its_training_rows() -> None:
    rare = np.r_[KINDS, [3, 3, 3]]  # a class that some training rows lack
    table = np.r_[IRIS, IRIS[:3] + 9]
    found = tl.tune(
        tl.RandomForestClassifier(8), {"max_depth": [1, 3]}, table, rare, cv="oob",
        nested=tl.Folds.k(3, stratified=False),
    )  # fmt: skip
    assert found.honest is not None
    assert found.honest["accuracy"].value > 0.8
    assert len(found.chosen) == 3


def test_what_has_no_bags_is_refused() -> None:
    forest = tl.RandomForestClassifier(5)
    with pytest.raises(errors.OptionError, match=r"compare: cv=.oob.* NaiveBayes is not a forest"):
        tl.compare([forest, tl.NaiveBayes()], IRIS, KINDS, cv="oob")
    with pytest.raises(errors.OptionError, match=r"tune: cv=.oob.* NaiveBayes is not a forest"):
        tl.tune(tl.NaiveBayes(), {"alpha": [1]}, IRIS, KINDS, cv="oob")
    with pytest.raises(errors.OptionError, match="cv is 'oob'"):
        tl.learning_curve(forest, IRIS, KINDS, cv="oob")
    found = tl.tune(forest, {"bootstrap": [True, False]}, IRIS, KINDS, cv="oob")
    assert "no out-of-bag rows" in found.candidates[1].failure


def test_groups_are_refused_as_bags_part_them() -> None:
    forest, groups = tl.RandomForestClassifier(5), np.arange(150) // 3
    for asked in (
        tl.evaluate,
        tl.compare,
        lambda f, *given, **more: tl.tune(f, {}, *given, **more),
    ):
        learners = [forest, tl.RandomForestClassifier(6)] if asked is tl.compare else forest
        with pytest.raises(errors.OptionError, match=r"samples rows, not groups.*cv=10"):
            asked(learners, IRIS, KINDS, groups=groups, cv="oob")


def test_a_name_that_is_none_lists_what_a_forest_can_be_asked() -> None:
    forest = tl.RandomForestClassifier(5)
    with pytest.raises(errors.OptionError, match=r"evaluate: cv is 'OOB'.*'forward'.*'oob'"):
        tl.evaluate(forest, IRIS, KINDS, cv="OOB")
    with pytest.raises(errors.OptionError, match=r"tune: cv is 'OOB'.*'forward'.*'oob'"):
        tl.tune(forest, {}, IRIS, KINDS, cv="OOB")
    with pytest.raises(errors.OptionError, match=r"cv is 'OOB'.*'forward', or"):
        tl.evaluate(tl.NaiveBayes(), IRIS, KINDS, cv="OOB")
