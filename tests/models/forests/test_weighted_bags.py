"""Rows with weights are drawn in proportion to them, as scikit-learn's forests draw theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import ensemble
from sklearn.metrics import balanced_accuracy_score

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.forests.bootstrap import BootstrapSamples, poisson


def rare(n: int, seed: int) -> tuple[Any, Any]:
    """About seven in a hundred rows are of the second class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    return X, (X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=n) > 3).astype(int)


X, Y = rare(3000, 1)


@pytest.mark.parametrize("how", ["balanced", {0: 1.0, 1: 5.0}])
def test_class_weights_draw_the_rows_of_a_bag(how: Any) -> None:
    forest = tl.RandomForestClassifier(10, class_weight=how).fit(X, Y)
    theirs = ensemble.RandomForestClassifier(10, class_weight=how, random_state=0).fit(X, Y)
    shares = [Y[np.concatenate(made.estimators_samples_)].mean() for made in (forest, theirs)]
    assert shares[0] == pytest.approx(shares[1], abs=5 * 0.5 / np.sqrt(10 * 3000))
    assert forest.model_.node_values[forest.model_.roots, 1].mean() == pytest.approx(
        shares[0], abs=0.01
    )
    sizes = [len(rows) for rows in forest.estimators_samples_]
    assert np.mean(sizes) == pytest.approx(3000, abs=5 * np.sqrt(3000 / 10))


@pytest.mark.parametrize("leaf", [1, 8])
@pytest.mark.parametrize("how", ["balanced", "balanced_subsample", {0: 1, 1: 10}])
def test_a_forest_with_class_weights_is_as_good_as_scikit_learns(how: Any, leaf: int) -> None:
    others, truth = rare(6000, 2)
    scores = [
        [
            balanced_accuracy_score(
                truth,
                make(25, class_weight=how, min_samples_leaf=leaf, random_state=seed)
                .fit(X, Y)
                .predict(others),
            )
            for seed in range(4)
        ]
        for make in (tl.RandomForestClassifier, ensemble.RandomForestClassifier)
    ]
    error = np.sqrt(np.var(scores[0], ddof=1) / 4 + np.var(scores[1], ddof=1) / 4)
    assert abs(np.mean(scores[0]) - np.mean(scores[1])) < max(5 * error, 0.01)


@pytest.mark.parametrize("how", ["balanced", "balanced_subsample"])
def test_a_row_that_is_drawn_often_is_one_row_of_a_leaf(how: str) -> None:
    forest = tl.RandomForestClassifier(4, class_weight=how, min_samples_leaf=6).fit(X, Y)
    ends = forest.apply(X)
    for tree, rows in enumerate(forest.estimators_samples_):
        _, held = np.unique(ends[np.unique(rows), tree], return_counts=True)
        assert held.min() >= 6


def test_sample_weights_draw_rows_in_proportion() -> None:
    weight = np.where(np.arange(3000) % 3 == 0, 2.0, 0.5)  # as many as there are rows
    for make, y in ((tl.RandomForestClassifier, Y), (tl.RandomForestRegressor, X[:, 0])):
        forest = make(8).fit(X, y, sample_weight=weight)
        times = np.bincount(np.concatenate(forest.estimators_samples_), minlength=3000)
        heavy, light = times[weight == 2].sum(), times[weight == 0.5].sum()
        assert heavy == pytest.approx(16_000, abs=5 * np.sqrt(16_000))
        assert light == pytest.approx(8_000, abs=5 * np.sqrt(8_000))


def test_max_samples_with_weights_is_a_share_of_their_sum_or_a_number_of_rows() -> None:
    def drawn(**options: Any) -> float:
        forest = tl.RandomForestClassifier(10, class_weight={0: 1, 1: 5}, **options).fit(X, Y)
        return float(np.mean([len(rows) for rows in forest.estimators_samples_]))

    total = float(np.where(Y == 1, 5, 1).sum())
    assert drawn(max_samples=0.5) == pytest.approx(total / 2, rel=0.05)
    assert drawn(max_samples=600) == pytest.approx(600, rel=0.1)
    assert drawn() == pytest.approx(3000, rel=0.05)


def test_frequencies_beyond_any_count_of_an_entry_are_drawn_too() -> None:
    table = {"a": [1.0, 2, 3, 4], "y": ["n", "p", "p", "n"], "w": [3000, 40, 1000, 960]}
    declared = tl.table(table, target="y", weight="w")
    forest = tl.RandomForestClassifier(20, max_depth=0).fit(declared)
    assert forest.model_.node_values[:, 0] == pytest.approx(0.792, abs=0.06)
    assert forest.model_.node_values[:, 0].std() > 0
    assert np.mean([len(rows) for rows in forest.estimators_samples_]) == pytest.approx(
        5000, rel=0.05
    )
    grown = tl.RandomForestClassifier(3).fit(declared)
    shares = [tree.predict_proba([[2.0]]) for tree in grown]
    assert np.mean(shares, axis=0) == pytest.approx(grown.predict_proba([[2.0]]))


def test_rows_out_of_bag_are_those_that_no_draw_took(tmp_path: Path) -> None:
    weight = np.linspace(0.2, 1.8, 3000)
    forest = tl.RandomForestClassifier(9, class_weight="balanced").fit(X, Y, sample_weight=weight)
    seen = np.zeros(3000, int)
    for rows in forest.estimators_samples_:
        seen[np.unique(rows)] += 1
    assert ((seen == 9) == np.isnan(forest.oob.answers[:, 0])).all()
    forest.save(tmp_path / "f.tally")
    again = tl.load(tmp_path / "f.tally")
    assert again.out_of_bag(X, Y, sample_weight=weight).value == forest.oob.value
    with pytest.raises(errors.InputError, match=r"Pass them again: fit\(table"):
        _ = again.estimators_samples_
    bare = [one.share for one in again.importances(X, Y, sample_weight=weight)]
    assert bare == [one.share for one in forest.importances()]


def test_rows_of_bags_go_by_their_numbers_in_the_table() -> None:
    weight = np.where(np.arange(60) < 20, 0.0, 1.0)
    for forest in (tl.RandomForestClassifier(5), tl.ExtraTreesClassifier(5)):
        forest.fit(X[:60], np.arange(60) % 2, sample_weight=weight)
        for rows in forest.estimators_samples_:
            assert rows.min() >= 20
            assert rows.max() <= 59


def test_weights_that_are_all_equal_are_none() -> None:
    plain = tl.RandomForestClassifier(5).fit(X, Y).predict_proba(X)
    ones = tl.RandomForestClassifier(5).fit(X, Y, sample_weight=np.ones(3000)).predict_proba(X)
    classes = tl.RandomForestClassifier(5, class_weight={0: 3, 1: 3}).fit(X, Y).predict_proba(X)
    assert (plain == ones).all()
    assert (plain == classes).all()


@pytest.mark.parametrize("mean", [0.02, 1.0, 7.3, 60.0, 500.0])
def test_rows_are_drawn_as_poisson_draws_them(mean: float) -> None:
    found = poisson(np.full(20_000, mean), 3)
    assert found.mean() == pytest.approx(mean, abs=5 * np.sqrt(mean / 20_000))
    assert found.var() == pytest.approx(mean, rel=5 * np.sqrt(2 / 20_000 + 1 / (20_000 * mean)))
    if mean < 10:
        counts = np.bincount(found, minlength=40)[:40]
        expected = 20_000 * stats.poisson.pmf(np.arange(40), mean)
        assert (np.abs(counts - expected) < 5 * np.sqrt(expected) + 3).all()


def test_bags_of_equal_weights_are_those_without_weights() -> None:
    labels = np.zeros(500, np.int32)
    plain, equal = (
        BootstrapSamples(labels, 1.0, 7),
        BootstrapSamples(labels, 1.0, 7, np.full(500, 0.25)),
    )
    assert (plain.entries(3) == equal.entries(3)).all()
    assert (plain.times(3) == np.bincount(plain.entries(3) & 0xFFFFFFFF,
            (plain.entries(3) >> 32) & 255, 500)).all()  # fmt: skip


def test_class_weights_whose_sums_are_beyond_doubles_are_refused() -> None:
    forest = tl.RandomForestClassifier(2, class_weight={0: 1.0, 1: 1e308})
    with pytest.raises(errors.InputError, match=r"the greatest weight is 1e\+308.*by the greatest"):
        forest.fit(X, Y)


@pytest.mark.parametrize("how", ["balanced", "balanced_subsample"])
@pytest.mark.parametrize("options", [{"max_samples": 0.3}, {}])
def test_shares_of_the_weight_are_shares_of_the_bag(how: str, options: dict[str, Any]) -> None:
    least: dict[str, Any] = {"min_weight_fraction_leaf": 0.1, "min_samples_leaf": 2}
    for limit in (least, {"min_impurity_decrease": 0.01, "min_samples_leaf": 2}):
        leaves = [
            [
                tree.get_n_leaves()
                for tree in make(30, class_weight=how, random_state=0, **options, **limit)
                .fit(X, Y)
                .estimators_
            ]
            for make in (tl.RandomForestClassifier, ensemble.RandomForestClassifier)
        ]
        error = np.sqrt((np.var(leaves[0]) + np.var(leaves[1])) / 30)
        assert abs(np.mean(leaves[0]) - np.mean(leaves[1])) < 5 * error
