"""Exemplars: what stands for a class, one or several of them, by any distance."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_wine, make_moons
from sklearn.neighbors import NearestCentroid

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.nearest_centroids.exemplars import KINDS, exemplar, geometric_median
from tallylearn.models.nearest_centroids.mixed_space import Space
from tallylearn.models.neighbors.distances import METRICS

X, Y = load_wine(return_X_y=True)
MOONS = make_moons(300, noise=0.15, random_state=0)


def test_medians_by_manhattan_are_scikit_learns() -> None:
    ours, theirs = (
        kind(metric="manhattan").fit(X, Y) for kind in (tl.NearestCentroid, NearestCentroid)
    )
    assert ours.model_.exemplars.points == pytest.approx(theirs.centroids_, rel=1e-12)
    assert (ours.predict(X) == theirs.predict(X)).all()


def test_one_mean_by_another_road_answers_as_the_tally_does() -> None:
    plain, other = tl.NearestCentroid().fit(X, Y), tl.NearestCentroid(exemplar="median").fit(X, Y)
    assert plain.tally_ is not None
    assert other.tally_ is None
    same = np.array([np.median(X[c == Y], axis=0) for c in range(3)])
    assert other.model_.exemplars.points == pytest.approx(same)


def test_the_geometric_median_has_the_least_sum_of_distances() -> None:
    x = np.random.default_rng(0).normal(size=(40, 3)) ** 3
    found = geometric_median(x)

    def total(at: Any) -> float:
        return float(np.linalg.norm(x - at, axis=1).sum())

    assert total(found) <= minimize(total, x.mean(axis=0), method="Nelder-Mead").fun + 1e-6
    corner = np.array([[0.0, 0], [0, 0], [0, 0], [9, 1], [1, 9]])  # the median is a row itself
    assert geometric_median(corner) == pytest.approx([0, 0], abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_the_medoid_is_the_row_nearest_to_all_others(metric: str) -> None:
    x = np.random.default_rng(1).normal(size=(50, 2)) + 3
    space = Space(metric, 3.0, np.array([2.0, 5.0]), (), ())
    found = exemplar(x, space, "medoid")
    sums = [space.distances(row[None], x).sum() for row in x]
    assert found.tolist() == x[int(np.argmin(sums))].tolist()


def test_several_centroids_follow_the_modes_of_a_class() -> None:
    rows, y = MOONS
    one, three = (
        tl.NearestCentroid(centroids_per_class=m).fit(rows, y).score(rows, y) for m in (1, 3)
    )
    assert one < 0.85
    assert three > 0.95
    chosen = tl.NearestCentroid(centroids_per_class="cv").fit(rows, y)
    assert len(chosen.model_.exemplars.points) > 2
    assert chosen.score(rows, y) >= three - 0.02


def test_more_centroids_than_different_rows_of_a_class_are_an_error() -> None:
    rows, y = [[1.0], [2.0], [2.0], [9.0], [8.0], [7.0]], [*"aaabbb"]
    assert len(tl.NearestCentroid(centroids_per_class=2).fit(rows, y).centroids_) == 4
    with pytest.raises(
        errors.InputError, match="class 'a' has 2 distinct rows, fewer than centroids_per"
    ):
        tl.NearestCentroid(centroids_per_class=3).fit(rows, y)
    with pytest.raises(
        errors.InputError, match=r"'b' has 1 distinct row, .* Use 1 or fewer, or 'cv'"
    ):
        tl.NearestCentroid("gower", centroids_per_class=2).fit(rows[:4], y[:4])
    few = tl.NearestCentroid(centroids_per_class="cv").fit(rows[:4] * 9, y[:4] * 9)
    assert len(few.centroids_) <= 3  # no more than there are different rows


@pytest.mark.parametrize(
    ("kind", "metric"),
    [pair for pair in product(KINDS, METRICS) if pair != ("geometric_median", "gower")],
)
def test_every_kind_answers_explains_and_comes_back(kind: str, metric: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(X[:, :3] + 0.01, columns=list("abc")).assign(y=[f"w{c}" for c in Y])
    model = tl.NearestCentroid(metric, exemplar=kind, centroids_per_class=2).fit(frame, "y")
    model.save(tmp_path / "c.tally")
    again = tl.load(tmp_path / "c.tally")
    assert again.predict(frame).tolist() == model.predict(frame).tolist()
    assert again.predict_proba(frame).sum(axis=1) == pytest.approx(1)
    told = model.explain(frame[:5])
    for row, said in zip(told, model.predict(frame[:5]), strict=True):
        assert row.chosen == said == min(row.lines, key=lambda line: line.total).outcome
    assert kind.replace("_", " ") in str(model.show_work())


def test_folds_fit_exemplars_anew() -> None:
    rows, y = MOONS
    found = tl.evaluate(tl.NearestCentroid(centroids_per_class=3), rows, y, cv=5)
    assert found["accuracy"].pooled > 0.95
    tuned = tl.tune(tl.NearestCentroid(), {"centroids_per_class": [1, 3]}, rows, y, cv=3)
    assert tuned.best == {"centroids_per_class": 3}


@pytest.mark.parametrize(
    ("options", "rows", "said"),
    [
        ({"centroids_per_class": 0}, [[1.0], [2.0]], "centroids_per_class"),
        ({"centroids_per_class": "many"}, [[1.0], [2.0]], "'cv'"),
        ({"exemplar": "mode"}, [[1.0], [2.0]], "'exemplar'"),
        ({"metric": "hamming"}, [[1.0], [2.0]], "'metric'"),
        ({"metric": "minkowski", "p": 0.5}, [[1.0], [2.0]], "'p'"),
        ({"metric": "gower", "exemplar": "geometric_median"}, [[1.0], [2.0]], "'medoid'"),
        ({"metric": "gower"}, [[1.0], [np.nan]], "row 1 has only missing"),
        ({"metric": "gower"}, [[1.7e308], [-1.7e308]], "'x0' overflows a double"),
        ({"exemplar": "medoid", "priors": "empirical"}, [[1.0], [2.0]], "need one mean per class"),
        ({"exemplar": "medoid", "shrink_threshold": 0.1}, [[1.0], [2.0]], "need one mean"),
        ({"exemplar": "geometric_mean"}, [[1.0], [-2.0]], "'x0' is -2 in row 1"),
        ({"exemplar": "medoid"}, [[1.0], [np.nan]], "'x0' is missing in row 1"),
    ],
)
def test_what_cannot_stand_for_a_class_is_refused(options: Any, rows: Any, said: str) -> None:
    with pytest.raises(errors.TallyError, match=said):
        tl.NearestCentroid(**options).fit(rows, ["a", "b"])


def test_exemplars_keep_no_tally_to_add_to() -> None:
    model = tl.NearestCentroid(exemplar="medoid")
    with pytest.raises(errors.OptionError, match=r"all rows at once.*Call fit"):
        model.partial_fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(errors.MergeError):
        model.fit([[1.0], [2.0]], ["a", "b"]).forget([[1.0]], ["a"])


def test_minkowskis_distance_has_its_power() -> None:
    for p, name in ((1, "manhattan"), (2.0, "euclidean"), (np.inf, "chebyshev")):
        known = tl.NearestCentroid(name).fit(X, Y)
        assert tl.NearestCentroid("minkowski", p=p).fit(X, Y).predict(X).tolist() == (
            known.predict(X).tolist()
        )
    cubes = tl.NearestCentroid("minkowski", p=3).fit(X, Y)
    slow = [((np.abs(row - cubes.centroids_) ** 3).sum(axis=1)).argmin() for row in X]
    assert cubes.predict(X).tolist() == slow
    assert "p = 3" in str(cubes.show_work())


MIXED = pd.DataFrame({
    "size": [1.0, 2.0, 3.0, 11.0, None, 9.0], "kind": ["u", "u", "v", "w", "w", None],
    "y": list("aaabbb"),
})  # fmt: skip


def test_gower_takes_categories_and_leaves_gaps_out(tmp_path: Path) -> None:
    model = tl.NearestCentroid("gower").fit(MIXED, "y")
    assert model.centroids_.tolist() == [[2.0], [10.0]]
    row = {"size": 4.0, "kind": "w"}  # to a: (2/10 + 1)/2, to b: (6/10 + 0)/2
    told = model.explain(row)[0]
    assert [line.total for line in told.lines] == pytest.approx([0.6, 0.3])
    assert "size 2, kind u" in str(model.explain(row))
    assert model.predict({"size": None, "kind": "u"})[0] == "a"
    assert model.predict({"size": 9.0, "kind": None})[0] == "b"
    assert "was never seen" in str(model.explain({"size": 4.0, "kind": "other"}))
    assert "value that most rows have" in str(model.show_work())
    model.save(tmp_path / "g.tally")
    assert tl.load(tmp_path / "g.tally").predict(MIXED).tolist() == model.predict(MIXED).tolist()
    with pytest.raises(errors.InputError, match="row 0 has only missing"):
        model.predict({"size": None, "kind": None})
    with pytest.raises(errors.ColumnError, match="'kind' holds categories"):
        tl.NearestCentroid("manhattan").fit(MIXED, "y")
    for kind in ("median", "medoid", "geometric_mean"):
        other = tl.NearestCentroid("gower", exemplar=kind).fit(MIXED, "y")
        assert other.predict(MIXED).tolist() == list("aaabbb")
    two = tl.NearestCentroid("gower", centroids_per_class=2).fit(MIXED, "y")
    assert two.model_.exemplars.labels.tolist() == [0, 0, 1, 1]


def test_a_row_of_zeros_lies_across_all_directions() -> None:
    model = tl.NearestCentroid("cosine").fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    told = model.explain([[0.0, 0.0]])[0]
    assert [line.total for line in told.lines] == [1.0, 1.0]


def test_what_stands_for_a_class_is_among_its_centroids() -> None:
    ours, theirs = (
        kind(metric="manhattan").fit(X, Y) for kind in (tl.NearestCentroid, NearestCentroid)
    )
    assert ours.centroids_ == pytest.approx(theirs.centroids_, rel=1e-12)
    ours, theirs = (kind().fit(X, Y) for kind in (tl.NearestCentroid, NearestCentroid))
    assert ours.within_class_std_dev_ == pytest.approx(theirs.within_class_std_dev_, rel=1e-9)
    assert ours.class_prior_ == pytest.approx(theirs.class_prior_)


def test_a_metric_of_numbers_names_the_category_and_the_metric_that_takes_it() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "c": ["u", "v"], "y": ["a", "b"]})
    for learner in (tl.NearestCentroid(), tl.NearestCentroid("l1", centroids_per_class=2)):
        with pytest.raises(errors.ColumnError, match=r"column 'c' holds categories.*gower"):
            learner.fit(frame, "y")


def test_an_error_names_the_row_of_the_table_and_not_of_the_repeated_rows() -> None:
    learner = tl.NearestCentroid(exemplar="geometric_mean")
    with pytest.raises(errors.InputError, match="'x0' is -4 in row 2"):
        learner.fit([[1.0], [2.0], [-4.0]], ["a", "b", "b"], sample_weight=[3, 1, 1])
