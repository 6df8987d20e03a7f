"""Extremely randomized trees draw their cuts evenly, and answer as well as scikit-learn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn import datasets, ensemble
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_score

import tallylearn as tl
from tallylearn.errors import OptionError

RNG = np.random.default_rng(5)
SKEWED = np.sort(RNG.lognormal(size=(300, 1)), axis=0)


def roots(forest: Any) -> Any:
    """The thresholds of all roots."""
    return forest.model_.threshold[forest.model_.roots]


def test_a_cut_is_drawn_evenly_between_the_least_and_the_greatest_value() -> None:
    forest = tl.ExtraTreesRegressor(600, max_depth=1).fit(SKEWED, SKEWED[:, 0])
    low, high = SKEWED[0, 0], SKEWED[-1, 0]
    assert stats.kstest((roots(forest) - low) / (high - low), "uniform").pvalue > 0.01
    best = tl.RandomForestRegressor(200, max_depth=1).fit(SKEWED, SKEWED[:, 0])
    assert stats.kstest((roots(best) - low) / (high - low), "uniform").pvalue < 1e-9


def test_a_cut_below_the_root_is_drawn_between_the_values_of_its_node() -> None:
    forest = tl.ExtraTreesRegressor(500, max_depth=2).fit(SKEWED, SKEWED[:, 0]).model_
    shares = []
    for root in forest.roots:
        left = forest.steps[root, 1:3].min()  # the child of the smaller values is written first
        inside = SKEWED[forest.threshold[root] >= SKEWED]
        if len(np.unique(inside)) > 1:
            shares.append((forest.threshold[left] - inside[0]) / (inside[-1] - inside[0]))
    assert len(shares) > 400
    assert stats.kstest(shares, "uniform").pvalue > 0.01


def test_every_way_to_part_three_categories_is_drawn_as_often() -> None:
    frame = pd.DataFrame({"c": [*"pqr"], "y": [1.0, 2.0, 4.0]})
    forest = tl.ExtraTreesRegressor(450, max_depth=1).fit(frame, "y")
    ends = forest.apply(frame[["c"]])
    alone = [int((ends == np.roll(ends, 1, axis=0)).argmax(axis=0)[t]) for t in range(450)]
    assert stats.chisquare(np.bincount(alone, minlength=3)).pvalue > 0.01


def test_columns_and_nodes_draw_for_themselves() -> None:
    X = np.repeat(SKEWED, 2, axis=1)
    forest = tl.ExtraTreesRegressor(400, max_depth=1, max_features=1).fit(X, SKEWED[:, 0]).model_
    column = forest.steps[forest.roots, 0]
    first, second = (forest.threshold[forest.roots][column == c] for c in np.unique(column))
    assert min(len(first), len(second)) > 150
    assert not {*first.tolist()} & {*second.tolist()}


@pytest.mark.parametrize("bins", [None, 6])
@pytest.mark.parametrize("missing", ["branch", "node"])
def test_a_leaf_tells_of_the_rows_that_end_there(bins: int | None, missing: str) -> None:
    frame = pd.DataFrame({"a": RNG.normal(size=200), "b": RNG.choice([*"uvwx"], 200)})
    frame["y"] = frame["a"] ** 2 + (frame["b"] > "v") + RNG.normal(size=200)
    frame.loc[RNG.random(200) < 0.2, "a"] = None
    forest = tl.ExtraTreesRegressor(5, bins=bins, max_depth=4, missing=missing).fit(frame, "y")
    ends = forest.apply(frame[["a", "b"]])
    for t, root in enumerate(forest.model_.roots):
        for end in np.unique(ends[:, t]):
            mean = frame["y"][ends[:, t] == end].mean()
            assert forest.model_.node_values[root + end, 0] == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("make", [tl.ExtraTreesClassifier, tl.ExtraTreesRegressor])
def test_rows_that_weigh_alike_draw_the_cuts_of_rows_that_are_counted(make: Any) -> None:
    X, y = datasets.load_iris(return_X_y=True)
    counted, weighed = make(20).fit(X, y), make(20).fit(X, y, sample_weight=np.full(150, 2.0))
    assert counted.model_.threshold.tolist() == weighed.model_.threshold.tolist()
    assert counted.model_.node_values.tolist() == weighed.model_.node_values.tolist()


def test_all_rows_are_seen_and_learned_by_heart() -> None:
    X, y = datasets.load_iris(return_X_y=True)
    forest = tl.ExtraTreesClassifier().fit(X, y)
    assert forest.score(X, y) == 1.0
    with pytest.raises(OptionError, match="bootstrap=False draws none"):
        tl.ExtraTreesClassifier(oob_score=True).fit(X, y)
    assert tl.ExtraTreesClassifier(bootstrap=True).fit(X, y).oob.value > 0.9


@pytest.mark.parametrize(
    ("load", "ours", "theirs"),
    [
        (datasets.load_breast_cancer, tl.ExtraTreesClassifier, ensemble.ExtraTreesClassifier),
        (datasets.load_wine, tl.ExtraTreesClassifier, ensemble.ExtraTreesClassifier),
        (datasets.load_diabetes, tl.ExtraTreesRegressor, ensemble.ExtraTreesRegressor),
    ],
)
def test_they_answer_as_well_as_scikit_learns(load: Any, ours: Any, theirs: Any) -> None:
    X, y = load(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=0)
    found, known = (
        [cross_val_score(one(50, random_state=s), X, y, cv=folds).mean() for s in range(4)]
        for one in (ours, theirs)
    )
    spread = np.hypot(np.std(found, ddof=1), np.std(known, ddof=1)) / 2
    assert abs(np.mean(found) - np.mean(known)) < max(4 * spread, 0.005)


@pytest.mark.parametrize("made", [tl.ExtraTreesClassifier, tl.ExtraTreesRegressor])
def test_they_are_classes_whose_errors_bear_their_name(made: Any, tmp_path: Path) -> None:
    assert isinstance(made, type)
    X, y = datasets.load_iris(return_X_y=True)
    with pytest.raises(OptionError, match=f"^{made.__name__}.fit: .*{made.__name__} must be"):
        made(0).fit(X, y)
    forest = clone(made(3, max_depth=2)).fit(X, y)
    assert type(forest) is made
    assert repr(forest).startswith(f"{made.__name__}(n_estimators=3, max_depth=2)")
    assert not forest.bootstrap
    forest.save(tmp_path / "f.tally")
    again = tl.load(tmp_path / "f.tally")
    assert type(again) is made
    assert (again.predict(X) == forest.predict(X)).all()


def test_missing_values_follow_the_rule_of_the_other_forests() -> None:
    pairs = [
        (tl.ExtraTreesClassifier, tl.RandomForestClassifier),
        (tl.ExtraTreesRegressor, tl.RandomForestRegressor),
    ]
    for extra, plain in pairs:
        assert extra().missing == plain().missing


def test_missing_values_cost_no_more_than_in_scikit_learn() -> None:
    ours, theirs = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(2000, 8))
        y = x[:, 0] + x[:, 1] ** 2 + (x[:, 2] > 0) * x[:, 3]
        y = (y > np.median(y)).astype(int)
        x[rng.random(x.shape) < 0.3] = np.nan
        train, test = slice(0, 1000), slice(1000, 2000)
        for kind, scores in ((tl, ours), (ensemble, theirs)):
            forest = kind.ExtraTreesClassifier(50, random_state=seed).fit(x[train], y[train])
            scores.append(forest.score(x[test], y[test]))
    lost = np.subtract(theirs, ours)
    assert lost.mean() < 3 * stats.sem(lost)
