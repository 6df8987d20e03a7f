"""k-means: the rounds of scikit-learn from the same start, in memory and on files."""

from __future__ import annotations

import copy
import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import silhouette_samples

import tallylearn as tl
from tallylearn import errors, modelfile, tables
from tallylearn.models.clustering import nearest_centres, row_sample
from tallylearn.models.clustering.lloyd import ClusterSums
from tallylearn.models.clustering.nearest_centres import (
    CodedPoints,
    NearestCentre,
    TrackedRows,
    grids_of,
)
from tests.kernels.test_oracle import uncompiled

BLOBS = make_blobs(900, 5, centers=7, random_state=1, cluster_std=3.0)[0] + 100


@pytest.mark.parametrize("tol", [0, 1e-4, 0.1])
@pytest.mark.parametrize("weighed", [False, True])
def test_from_the_same_start_the_centres_are_scikit_learns(tol: float, weighed: bool) -> None:
    start = BLOBS[:7]
    weight = np.arange(900) % 4 + 1.0 if weighed else None
    ours = tl.KMeans(7, init=start, tol=tol).fit(BLOBS, sample_weight=weight)
    theirs = KMeans(7, init=start, n_init=1, tol=tol).fit(BLOBS, sample_weight=weight)
    assert ours.cluster_centers_ == pytest.approx(theirs.cluster_centers_, rel=1e-12)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    assert (ours.labels_ == theirs.labels_).all()
    assert ours.n_iter_ == theirs.n_iter_
    assert ours.transform(BLOBS) == pytest.approx(theirs.transform(BLOBS), rel=1e-12, abs=1e-9)
    assert ours.score(BLOBS) == pytest.approx(theirs.score(BLOBS), rel=1e-12)


def test_a_centre_without_rows_goes_where_scikit_learn_sends_it() -> None:
    start = np.vstack([np.full((1, 5), 1e4), BLOBS[:4]])  # of several its order is NumPy's
    ours = tl.KMeans(5, init=start).fit(BLOBS)
    theirs = KMeans(5, init=start, n_init=1).fit(BLOBS)
    assert ours.cluster_centers_ == pytest.approx(theirs.cluster_centers_, rel=1e-12)
    assert len({*ours.labels_.tolist()}) == 5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([1e-100, 1e-3, 1.0, 1e6, 1e120]))
def test_the_inertia_never_rises_and_rows_go_to_the_nearest(seed: int, k: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, (60, 3)) * size + rng.normal(size=(60, 3)) * size * 1e-3
    model = tl.KMeans(k, random_state=seed % 1000).fit(x)
    trace = [*model.model_.trace, model.inertia_]
    assert all(b <= a * (1 + 1e-9) for a, b in itertools.pairwise(trace))
    apart = ((x[:, None] / size - model.cluster_centers_ / size) ** 2).sum(axis=2)
    assert apart[np.arange(60), model.labels_] == pytest.approx(apart.min(axis=1), rel=1e-9)


def followed(x: Any, weight: Any) -> TrackedRows:
    points = CodedPoints(x, np.zeros(x.shape[1]))
    return TrackedRows(points, weight, 1.0, grids_of(weight.sum(), weight @ x**2))


def summed(x: Any, weight: Any, labels: Any, k: int) -> Any:
    sums = np.zeros((k, x.shape[1] + 1))
    np.add.at(sums, labels, np.column_stack([x, np.ones(len(x))]) * weight[:, None])
    return sums


def test_what_single_precision_cannot_tell_is_told_in_double() -> None:
    rng = np.random.default_rng(0)
    x, weight = np.round(rng.normal(size=(3000, 4)), 1), rng.integers(1, 3, 3000).astype(float)
    centres = np.array([[0.1, 0, 0, 0], [0.1 + 1e-9, 0, 0, 0], [-0.1, 0.2, 0, 0], [9, 9, 9, 9]])
    apart = ((x[:, None] - centres) ** 2).sum(axis=2)
    labels = NearestCentre.labels(CodedPoints(x, np.zeros(4)), centres)[0]
    assert apart[np.arange(3000), labels] == pytest.approx(apart.min(axis=1), abs=1e-15)
    assert {*labels.tolist()} == {0, 1, 2}
    found = ClusterSums.of(followed(x, weight), centres)
    assert found.sums == pytest.approx(summed(x, weight, labels, 4), rel=1e-12, abs=1e-12)
    assert found.inertia(centres, float((weight @ x**2).sum())) == pytest.approx(
        float(weight @ apart.min(axis=1)), rel=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32), st.integers(1, 7), st.sampled_from([0.0, 1e-9, 1e-3, 0.05, 1.0, 30.0])
)
def test_rows_that_are_not_looked_at_again_are_where_they_would_go(
    seed: int, k: int, way: float
) -> None:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(5000, 3)), int(rng.integers(1, 9)))
    weight, centres = rng.random(5000), rng.normal(size=(k, 3))
    rows = followed(x, weight)
    for at in range(8):
        labels, sums = rows.follow(centres)
        assert (labels == NearestCentre.labels(CodedPoints(x, np.zeros(3)), centres)[0]).all()
        assert (sums == followed(x, weight).follow(centres)[1]).all()  # to the last bit
        assert sums.sum(axis=0) == pytest.approx(summed(x, weight, labels, k), abs=1e-10)
        centres = centres + rng.normal(size=(k, 3)) * way / (at + 1)


def test_rows_far_from_a_second_centre_are_not_looked_at_again() -> None:
    x = make_blobs(20_000, 3, centers=5, random_state=2)[0]
    centres = tl.KMeans(5).fit(x).cluster_centers_
    rows = followed(x, np.ones(len(x)))
    rows.follow(centres)
    rows.single[:] = np.nan  # such that a look would show
    assert (rows.until > 0.01).mean() > 0.99
    labels = rows.labels.copy()
    assert (rows.follow(centres + 1e-9)[0] == labels)[rows.until > 0.01].all()


def test_sums_are_the_same_bits_in_any_order_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    weight = np.random.default_rng(3).random(900)
    order = np.random.default_rng(4).permutation(900)
    whole = tl.KMeans(5, init=BLOBS[:5], tol=0).fit(BLOBS, sample_weight=weight)
    monkeypatch.setattr(tables, "BLOCK", 64)
    cut = tl.KMeans(5, init=BLOBS[:5], tol=0).fit(BLOBS[order], sample_weight=weight[order])
    assert (cut.cluster_centers_ == whole.cluster_centers_).all()
    assert (cut.labels_ == whole.labels_[order]).all()


@pytest.mark.parametrize("size", [1e-140, 1e-60, 1.0, 1e45, 1e140])
def test_rows_of_any_size_go_to_the_nearest(size: float) -> None:
    x = BLOBS * size
    model = tl.KMeans(5, init=x[:5], tol=0).fit(x)
    assert (model.labels_ == tl.KMeans(5, init=BLOBS[:5], tol=0).fit(BLOBS).labels_).all()
    assert (model.predict(x) == model.labels_).all()
    far = np.vstack([x[:50], np.full((1, 5), 1e300 * min(1.0, size))])
    assert (model.predict(far)[:50] == model.labels_[:50]).all()


def test_order_blocks_threads_and_files_lead_to_the_same_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame(BLOBS, columns=list("abcde"))
    whole = tl.KMeans(4, n_init=3).fit(frame)
    shuffled = tl.KMeans(4, n_init=3).fit(frame.sample(frac=1, random_state=1))
    frame.to_csv(tmp_path / "b.csv", index=False)
    monkeypatch.setattr(tables, "BLOCK", 100)
    cut = tl.KMeans(4, n_init=3).fit(frame)
    for other in (shuffled, cut, tl.KMeans(4, n_init=3).fit(tmp_path / "b.csv")):
        assert other.cluster_centers_ == pytest.approx(whole.cluster_centers_, rel=1e-9)
    with tl.engine(threads=3):
        assert modelfile.digests(tl.KMeans(4, n_init=3).fit(frame)) == modelfile.digests(cut)
    assert (whole.predict(tmp_path / "b.csv") == whole.labels_).all()


def test_a_table_larger_than_the_sample_starts_where_the_sample_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(row_sample, "MAX_SAMPLE_ROWS", 200)
    model = tl.KMeans(7).fit(BLOBS)
    assert model.inertia_ <= 1.05 * KMeans(7, n_init=5, random_state=0).fit(BLOBS).inertia_
    assert model.n_iter_ < tl.KMeans(7).set_params(init="random").fit(BLOBS).n_iter_ + 20
    assert (model.predict(BLOBS) == model.labels_).all()


def test_a_file_a_pickle_and_a_copy_answer_alike(tmp_path: Path) -> None:
    model = tl.KMeans(3, scale="standard", keep_rows=False).fit(BLOBS)
    model.save(tmp_path / "k.tally")
    loaded = tl.load(tmp_path / "k.tally")
    for again in (loaded, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert modelfile.digests(again) == modelfile.digests(model)
        assert (again.predict(BLOBS) == model.labels_).all()
        assert str(again.show_work()) == str(model.show_work())
    with pytest.raises(errors.InputError, match="predict"):
        _ = loaded.labels_


def test_silhouettes_are_scikit_learns() -> None:
    model = tl.KMeans(4).fit(BLOBS)
    truth = silhouette_samples(BLOBS, model.labels_)
    assert model.silhouettes(BLOBS) == pytest.approx(truth, abs=1e-12)
    assert model.silhouette(BLOBS) == pytest.approx(truth.mean(), abs=1e-12)
    alone = tl.KMeans(2, init=[[0.0], [9.0]]).fit([[0.0], [0.1], [9.0]])
    assert alone.silhouettes([[0.0], [0.1], [9.0]])[2] == 0
    with pytest.raises(errors.InputError, match="one cluster"):
        tl.KMeans(1).fit(BLOBS).silhouette(BLOBS)


def test_the_elbow_is_where_the_clusters_are_enough() -> None:
    data = tl.KMeans(n_init=3).elbow(load_iris().data, range(1, 6)).data["series"]["inertia"]
    assert data["x"] == [1, 2, 3, 4, 5]
    falls = -np.diff(data["y"])
    assert falls[0] > 5 * falls[1] > 5 * falls[2]
    assert data["y"][2] == pytest.approx(78.85144, abs=1e-4)  # of three clusters, the known best


def test_categories_lie_one_apart_and_centres_hold_their_shares() -> None:
    frame = pd.DataFrame({"size": [1.0, 2.0, 9.0, 10.0], "colour": ["red", "red", "blue", "red"]})
    model = tl.KMeans(2, scale="minmax").fit(frame)
    near = model.labels_[0]
    assert model.cluster_centers_[near].tolist() == [1.5, 0, 1]
    assert model.cluster_centers_[1 - near].tolist() == [9.5, 0.5, 0.5]
    one, two = ({"size": 1.0, "colour": colour} for colour in ("red", "blue"))
    alone = tl.KMeans(1, scale="minmax").fit(frame[:1]).transform([one, two])
    assert alone.ravel().tolist() == pytest.approx([0, np.sqrt(0.5)])  # blue was never seen
    said = model.explain(frame[:1])[0]
    assert said.chosen == near
    assert f"centre of {near}: size 1.5, colour red (100 %)" in said.notes
    assert [term.column for term in said.lines[0].terms] == ["size", "colour"]


def test_a_pipeline_ends_in_clusters_and_tells_their_centres_as_the_table_has_them() -> None:
    frame = pd.DataFrame({"size": [1.0, 2, None, 9, 10], "price": [10.0, 12, 11, 90, 88]})
    model = tl.Pipeline([tl.SimpleImputer(), tl.StandardScaler(), tl.KMeans(2, n_init=5)]).fit(
        frame
    )
    assert model.predict(frame).tolist() in ([0, 0, 0, 1, 1], [1, 1, 1, 0, 0])
    assert "size 9.5, price 89" in str(model.explain({"size": 9.4, "price": 89.0}))


@pytest.mark.parametrize(
    ("model", "rows", "said"),
    [
        (tl.KMeans(3), [[1.0], [1.0], [2.0]], "2 distinct rows.*n_clusters=3"),
        (tl.KMeans(4), [[1.0], [2.0], [3.0]], "should be >= n_clusters=4"),
        (tl.KMeans(1), [[1.0], [np.nan]], "'x0' is missing in row 1"),
        (tl.KMeans(1), [[1.0], [np.inf]], "'x0' has inf in row 1"),
        (
            tl.KMeans(0),
            [[1.0]],
            r"'n_clusters' parameter of KMeans must be an int .*1, inf.* Got 0",
        ),
        (tl.KMeans(1, n_init="many"), [[1.0]], "n_init"),
        (tl.KMeans(1, init="best"), [[1.0]], "'init'"),
        (tl.KMeans(1, init=[[1.0, 2.0]]), [[1.0]], "1 rows of 1 finite numbers"),
        (tl.KMeans(1, init=[[np.nan]]), [[1.0]], "finite"),
        (tl.KMeans(1, tol=-1), [[1.0]], "tol"),
        (tl.KMeans(1, random_state="x"), [[1.0]], "random_state"),
        (tl.KMeans(1), np.empty((0, 2)), "no rows"),
    ],
)
def test_what_cannot_be_clustered_is_refused_with_the_reason(
    model: Any, rows: Any, said: str
) -> None:
    with pytest.raises(errors.TallyError, match=said):
        model.fit(rows)


def test_gaps_get_a_remedy_that_k_means_has() -> None:
    with pytest.raises(errors.InputError, match="Imputer") as told:
        tl.KMeans(1).fit([[1.0], [np.nan]])
    assert "gower" not in str(told.value)


def test_one_cluster_has_no_silhouette_and_says_who_asked() -> None:
    with pytest.raises(
        errors.InputError, match=r"^KMeans.silhouettes: all rows are in one cluster"
    ):
        tl.KMeans(1).fit([[1.0], [2.0]]).silhouette([[1.0], [2.0]])


def test_rows_of_no_weight_get_a_cluster_and_move_none(tmp_path: Path) -> None:
    x, weight = [[1.0], [2.0], [9.0], [10.0], [8.0]], [1, 0, 1, 1, 0]
    model = tl.KMeans(2, init=[[1.0], [9.0]]).fit(x, sample_weight=weight)
    theirs = KMeans(2, init=[[1.0], [9.0]], n_init=1).fit(x, sample_weight=weight)
    assert model.labels_.tolist() == theirs.labels_.tolist() == [0, 0, 1, 1, 1]
    assert model.cluster_centers_.ravel().tolist() == [1, 9.5]
    pipeline = tl.Pipeline([tl.MinMaxScaler(), tl.KMeans(2, init=[[0.0], [1.0]])])
    assert pipeline.fit_predict(x, sample_weight=weight).tolist() == [0, 0, 1, 1, 1]
    pd.DataFrame({"x": np.ravel(x), "w": weight}).to_csv(tmp_path / "w.csv", index=False)
    found = tl.KMeans(2, init=[[1.0], [9.0]]).fit(tmp_path / "w.csv", sample_weight="w")
    assert found.labels_.tolist() == [0, 0, 1, 1, 1]


def test_kernels_say_the_same_as_the_python_files_that_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = np.round(BLOBS[:60, :3], 1)
    compiled = tl.KMeans(3, n_init=2).fit(x)
    uncompiled(monkeypatch, nearest_centres, row_sample)
    with np.errstate(over="ignore"):  # hashes
        again = tl.KMeans(3, n_init=2).fit(x)
    assert modelfile.digests(again) == modelfile.digests(compiled)
    assert (again.predict(x) == compiled.labels_).all()


def test_scores_are_weighed_and_rounds_told_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    weight, start = np.arange(900) % 3 + 0.5, BLOBS[:4]
    ours = tl.KMeans(4, init=start, verbose=1, copy_x=False).fit(BLOBS)
    theirs = KMeans(4, init=start, n_init=1).fit(BLOBS)
    assert ours.score(BLOBS, None, weight) == pytest.approx(theirs.score(BLOBS, None, weight))
    assert ours.score(BLOBS) == pytest.approx(-ours.inertia_)
    told = capsys.readouterr().out.splitlines()
    assert len(told) == ours.n_iter_
    assert told[0] == f"round 1: inertia {ours.model_.trace[0]:.6g}"
    pipeline = tl.Pipeline([tl.StandardScaler(), tl.KMeans(4)]).fit(BLOBS)
    turned = tl.StandardScaler().fit_transform(BLOBS)
    assert pipeline.score(BLOBS, None, weight) == pytest.approx(
        pipeline.last.score(turned, None, weight)
    )
    with pytest.raises(errors.OptionError, match="verbose"):
        tl.KMeans(2, verbose="loud").fit(BLOBS)
    with pytest.raises(errors.NotFitted):
        tl.KMeans(2).score(BLOBS)
    with pytest.raises(errors.InputError, match=r"sample_weight is -1\.0 in row 0"):
        ours.score(BLOBS, None, -np.ones(900))
    frame = pd.DataFrame(BLOBS, columns=list("abcde")).assign(kind="x")
    assert tl.KMeans(4, init=start).fit(frame, "kind").score(frame) == ours.score(BLOBS)


def test_a_row_at_a_centre_is_at_distance_nought() -> None:
    for options in ({}, {"scale": "standard"}, {"scale": "minmax"}):
        model = tl.KMeans(4, **options).fit(BLOBS * 3.7 + 1e3)  # type: ignore[arg-type]
        assert model.transform(model.cluster_centers_).diagonal().tolist() == [0.0] * 4


def test_a_function_of_the_rows_says_where_to_start() -> None:
    def first(rows: Any, k: int, random_state: Any) -> Any:
        assert random_state.rand() < 1
        return rows[np.lexsort(rows.T)[:k]]

    start = BLOBS[np.lexsort(BLOBS.T)[:4]]
    ours = tl.KMeans(4, init=first, n_init=2).fit(BLOBS)
    truth = tl.KMeans(4, init=start).fit(BLOBS)
    assert ours.cluster_centers_ == pytest.approx(truth.cluster_centers_, rel=1e-12)
    assert tl.KMeans(init=first).elbow(BLOBS, [1, 2]).data
    for odd, said in ((lambda *a, **b: start[:1], r"(?s)4 rows of 5.*number of clusters 4\.$"),
                      (start[:, :2], r"not match the number of features of the data 5\.$"),
                      (lambda x: x, "init failed on")):  # fmt: skip
        with pytest.raises(errors.OptionError, match=said):
            tl.KMeans(4, init=odd).fit(BLOBS)


@pytest.mark.parametrize(
    "learner",
    [
        tl.KMeans(2),
        tl.NearestCentroid(),
        tl.NearestCentroid("l1"),
        tl.NearestCentroid(exemplar="medoid"),
    ],
)
@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_rows_whose_squares_a_double_loses_are_refused(learner: Any, size: float) -> None:
    rows = np.array([[1.0], [2.0], [9.0], [10.0]])
    with pytest.raises(errors.InputError, match=r"double.*[Mm]ultiply|so large"):
        learner.fit(rows * size, None if isinstance(learner, tl.KMeans) else [0, 0, 1, 1])


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1e306])
def test_rows_are_judged_as_they_are_scaled(size: float) -> None:
    rows = np.array([[1.0, 3.0], [2.0, 1.0], [9.0, 2.0], [10.0, 3.0]])
    wide = rows * [size, 1.0]
    plain, found = (tl.KMeans(2, init=x[[0, 3]], scale="minmax").fit(x) for x in (rows, wide))
    assert found.labels_.tolist() == plain.labels_.tolist()
    assert found.inertia_ == pytest.approx(plain.inertia_, rel=1e-9)
    assert found.cluster_centers_ == pytest.approx(plain.cluster_centers_ * [size, 1.0], rel=1e-9)
    alone = tl.KMeans(2, scale="minmax", random_state=0).fit(rows[:, :1] * size)
    assert alone.labels_[0] == alone.labels_[1] != alone.labels_[2] == alone.labels_[3]


def test_a_column_wider_than_a_double_is_refused() -> None:
    with pytest.raises(errors.InputError, match=r"range of column '.*' overflows a double. Divide"):
        tl.KMeans(2, scale="minmax").fit([[-1.7e308], [0.0], [1.7e308]])


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200, 1e300])
def test_clusters_depend_on_the_ratios_of_weights_alone(scale: float) -> None:
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(200, 3)), rng.uniform(0.1, 2, size=200)
    plain = tl.KMeans(3).fit(X, sample_weight=weight)
    scaled = tl.KMeans(3).fit(X, sample_weight=weight * scale)
    assert (plain.labels_ == scaled.labels_).all()
    assert np.allclose(plain.cluster_centers_, scaled.cluster_centers_, rtol=1e-12)
    assert np.isclose(plain.inertia_, scaled.inertia_ / scale, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e306])
def test_weights_whose_sums_are_beyond_a_double_are_refused(scale: float) -> None:
    X = np.random.default_rng(1).normal(size=(200, 3)) * 10
    with pytest.raises(errors.InputError, match="by the maximum"):
        tl.KMeans(3).fit(X, sample_weight=np.full(200, scale))
    weight = np.full(200, scale)
    tl.KMeans(3).fit(X, sample_weight=weight / weight.max())
