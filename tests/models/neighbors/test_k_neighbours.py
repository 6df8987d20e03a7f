"""k nearest neighbours: the same as the slow way, and as scikit-learn where nothing is tied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.neighbors
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import tallylearn as tl
from tallylearn import errors
from tallylearn.models.neighbors import distances, matrix_search, query_batches, search_choice
from tallylearn.models.neighbors.gower_search import GowerSearch
from tallylearn.models.neighbors.kd_tree import KDTree
from tallylearn.models.neighbors.matrix_search import MatrixSearch
from tallylearn.tallies import Nearest
from tests.soak import pairs

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(400, 4)), RNG.integers(0, 3, 400)
Q = RNG.normal(size=(90, 4))
DAISY = json.loads((Path(__file__).parents[2] / "data" / "daisy.json").read_text())
METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine")


@pytest.mark.parametrize(
    ("metric", "algorithm", "weights"),
    pairs(METRICS, ["auto", "brute", "kd_tree"], ["uniform", "distance", np.exp]),
)
def test_numbers_are_those_of_scikit_learn(metric: str, algorithm: str, weights: Any) -> None:
    told = {"metric": metric, "p": 3, "weights": weights}
    ours = tl.KNeighborsClassifier(7, algorithm=algorithm, **told).fit(X, Y)
    theirs = KNeighborsClassifier(7, algorithm="brute", **told).fit(X, Y)
    for queries in (Q, None):
        for found, truth in zip(ours.kneighbors(queries), theirs.kneighbors(queries), strict=True):
            np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-12)
    assert np.array_equal(ours.predict(Q), theirs.predict(Q))
    for mode in ("connectivity", "distance"):
        graph = theirs.kneighbors_graph(Q, 3, mode).toarray()
        np.testing.assert_allclose(ours.kneighbors_graph(Q, 3, mode).toarray(), graph, rtol=1e-12)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_means_are_those_of_scikit_learn(weights: str) -> None:
    data, target = load_diabetes(return_X_y=True)
    ours = tl.KNeighborsRegressor(weights=weights).fit(data[:300], target[:300])
    theirs = KNeighborsRegressor(weights=weights).fit(data[:300], target[:300])
    assert ours.predict(data[300:]) == pytest.approx(theirs.predict(data[300:]), rel=1e-12)


def test_examples_are_scored_by_each_other() -> None:
    for learner, target in ((tl.KNeighborsClassifier, Y), (tl.KNeighborsRegressor, X[:, 0])):
        model = learner(ties="first").fit(X[:, 1:], target)
        name = getattr(sklearn.neighbors, learner.__name__)
        theirs = name(algorithm="brute").fit(X[:, 1:], target)
        assert model.score(None, target) == pytest.approx(theirs.score(None, target), rel=1e-12)
        with pytest.raises(errors.TargetError, match="all 400 training rows"):
            model.score(None, target[:9])
    none = tl.KNeighborsClassifier(weights=None).fit(X, Y)
    assert none.predict(Q).tolist() == tl.KNeighborsClassifier().fit(X, Y).predict(Q).tolist()


def test_a_row_of_zeros_has_no_direction() -> None:
    model = tl.KNeighborsClassifier(3, metric="cosine").fit([[0.0, 0], [1, 1], [2, 0]], list("abc"))
    distances, rows = model.kneighbors([[0.0, 0.0], [5.0, 5.0]])
    assert distances[0].tolist() == pytest.approx([1, 1, 1])
    assert rows[1].tolist() == [1, 2, 0]
    assert distances[1] == pytest.approx([0, 1 - 0.5**0.5, 1])
    near = np.array([[1.0, 1e-6], [1.0, 2e-6]])  # 1 - cos would be 5e-13, to three digits
    apart = tl.KNeighborsClassifier(1, metric="cosine").fit(near[:1], ["a"]).kneighbors(near[1:])[0]
    assert apart[0, 0] == pytest.approx(5e-13, rel=1e-9)


def test_leave_one_out_costs_one_search_and_is_leaving_one_out() -> None:
    data, target = load_iris(return_X_y=True)
    model = tl.KNeighborsClassifier(5, scale=None).fit(data, target)
    slow = [
        tl.KNeighborsClassifier(5).fit(np.delete(data, i, 0), np.delete(target, i))
        .predict_proba(data[i : i + 1])[0]
        for i in range(0, 150, 10)
    ]  # fmt: skip
    assert model.predict_proba(None)[::10] == pytest.approx(np.array(slow), rel=1e-12)
    assert (model.predict(None) == target).mean() == pytest.approx(0.966666, abs=0.01)
    mean = tl.KNeighborsRegressor(3).fit(data, target)
    others = np.delete(np.arange(150), 7)
    again = tl.KNeighborsRegressor(3).fit(data[others], target[others])
    assert mean.predict(None)[7] == pytest.approx(again.predict(data[7:8])[0])


def brute(points: Any, queries: Any, k: int) -> list[set[int]]:
    """The k nearest and all that are as far as the k-th: in whole numbers, so exactly."""
    apart = ((points[None] - queries[:, None]) ** 2).sum(axis=2)
    limit = np.sort(apart, axis=1)[:, k - 1 : k]
    return [{*np.flatnonzero(row).tolist()} for row in apart <= limit]


@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
def test_every_row_as_far_as_the_kth_votes(algorithm: str) -> None:
    points = RNG.integers(0, 5, (300, 3)).astype(float)
    queries = RNG.integers(0, 5, (60, 3)).astype(float)
    model = tl.KNeighborsClassifier(4, algorithm=algorithm).fit(points, Y[:300])
    explained = model.explain(queries)
    for row, truth in zip(explained, brute(points, queries, 4), strict=True):
        found = {int(term.column.split()[1]) for line in row.lines for term in line.terms}
        assert found == truth
    first = tl.KNeighborsClassifier(4, algorithm=algorithm, ties="first").fit(points, Y[:300])
    order = np.lexsort((np.arange(300), cdist(queries[:1], points)[0]))[:4]
    assert first.kneighbors(queries[:1])[1][0].tolist() == order.tolist()
    assert sum(len(line.terms) for line in first.explain(queries[:1])[0].lines) == 4


@pytest.mark.parametrize("offset", [0.0, 1e7])
@pytest.mark.parametrize("spread", [1e-200, 1.0, 1e150])
def test_a_sieve_lets_no_neighbour_fall_through(offset: float, spread: float) -> None:
    points = (RNG.normal(size=(700, 12)) + offset) * spread
    queries = (RNG.normal(size=(40, 12)) + offset) * spread
    found = MatrixSearch.of(points).nearest(queries, 6)
    apart = cdist(queries / spread, points / spread)
    truth = np.argsort(apart, axis=1, kind="stable")[:, :6]
    assert found.first(6).rows.reshape(40, 6).tolist() == truth.tolist()


def test_of_a_query_far_away_all_rows_are_level() -> None:
    points = RNG.normal(size=(300, 12))
    for far in (1e15, 1e30, 1e160):
        assert len(MatrixSearch.of(points).nearest(np.full((1, 12), far), 2).rows) == 300


def test_a_sieve_that_is_crowded_looks_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_search, "EXTRA_CANDIDATES", 0)
    points = np.zeros((500, 3))
    points[:, 0] = 1e-9 * np.arange(500)
    points[-1] = 1e9  # what singles can tell apart is set by the farthest row
    found = MatrixSearch.of(points).nearest(points[100:101] + 2e-10, 3).first(3)
    assert found.rows.tolist() == [100, 101, 99]


@pytest.mark.parametrize("metric", ["euclidean", "minkowski", "manhattan", "chebyshev"])
@pytest.mark.parametrize("algorithm", ["auto", "brute", "kd_tree"])
@pytest.mark.parametrize("many", [3, 300])
def test_rows_that_differ_by_next_to_nothing_differ(many: int, algorithm: str, metric: str) -> None:
    tiny = np.array([[1e-200, 3e-200], [1e-200, 4e-200], [1e-200, 1e-200]])
    points = np.vstack([tiny, RNG.normal(size=(many - 3, 2))]) if many > 3 else tiny
    options = {"algorithm": algorithm, "metric": metric, "p": 3, "weights": "inverse_square"}
    model = tl.KNeighborsClassifier(2, **options).fit(points, ["a", "b", "c", *"d" * (many - 3)])
    distances, rows = model.kneighbors(tiny[:1])
    assert rows.tolist() == [[0, 1]]
    assert distances[0, 0] == 0
    assert distances[0, 1] == pytest.approx(1e-200, rel=1e-12, abs=0)
    assert model.predict(tiny[:1]).tolist() == ["a"]


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_a_direction_has_no_length(size: float) -> None:
    near = tl.KNeighborsClassifier(3, metric="cosine").fit(X * size, Y).kneighbors(Q)
    truth = tl.KNeighborsClassifier(3, metric="cosine").fit(X, Y).kneighbors(Q)
    assert near[0] == pytest.approx(truth[0], rel=1e-12)
    assert near[1].tolist() == truth[1].tolist()


@pytest.mark.parametrize("metric", ["euclidean", "gower"])
def test_one_row_of_thousands_votes_as_all_of_them(metric: str) -> None:
    points = np.zeros((900, 11))  # so many are level that all are looked at
    points[-1] = 1
    model = tl.KNeighborsClassifier(1, metric=metric).fit(points, np.arange(900) % 2)
    assert model.predict_proba(points[:1])[0] == pytest.approx([450 / 899, 449 / 899])


@pytest.mark.parametrize("gaps", [False, True])
def test_gowers_sieve_lets_no_neighbour_fall_through(gaps: bool) -> None:
    numbers, codes = RNG.normal(size=(3000, 3)) * [1, 1e-9, 1e300], RNG.integers(0, 3, (3000, 2))
    asked, coded = np.array(numbers[:200]) * 3, codes[-200:]
    asked[:9, 0] = 1e9, *[-1e300] * 8  # beyond what single precision says anything of
    if gaps:
        numbers[RNG.random((3000, 3)) < 0.2] = np.nan
        codes[RNG.random((3000, 2)) < 0.2] = -1
    scale = np.nanmax(numbers, axis=0) - np.nanmin(numbers, axis=0)
    found = GowerSearch.of(numbers, codes, scale).nearest(asked, coded, 3)
    apart = distances.gower_distances((asked, numbers), scale, (coded, codes))
    limit = np.sort(apart, axis=1)[:, 2:3] * (1 + 1e-12)
    for i, level in enumerate(apart <= limit):
        assert sorted(found.rows[found.of_query(i)]) == np.flatnonzero(level).tolist()


def gower_distances(a: pd.Series, b: pd.Series, ranges: dict[str, float]) -> float:
    """One column after the other, as in J. C. Gower 1971."""
    parts = []
    for name in a.index:
        if pd.isna(a[name]) or pd.isna(b[name]):
            continue
        number = name in ranges
        parts.append(abs(a[name] - b[name]) / ranges[name] if number else float(a[name] != b[name]))
    return sum(parts) / len(parts) if parts else float("inf")


def test_a_mixed_table_goes_by_gowers_distance(mixed: pd.DataFrame) -> None:
    columns = ["length", "width", "colour", "shape"]
    frame = mixed[columns]
    model = tl.KNeighborsClassifier(4).fit(frame, mixed["kind"])
    assert model.effective_metric_ == "gower"
    ranges = {n: frame[n].max() - frame[n].min() for n in ("length", "width")}
    distances, rows = model.kneighbors(frame[:5])
    for i in range(5):
        slow = [gower_distances(frame.iloc[i], frame.iloc[j], ranges) for j in range(len(frame))]
        assert distances[i] == pytest.approx(np.sort(slow)[:4], rel=1e-12, abs=1e-15)
        assert [slow[j] for j in rows[i]] == pytest.approx(distances[i], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", DAISY["tables"])
def test_gower_is_that_of_daisy_in_r(name: str) -> None:
    table = DAISY["tables"][name]
    frame, truth = pd.DataFrame(table["columns"]), np.array(table["distances"])
    model = tl.KNeighborsClassifier(len(frame), metric="gower").fit(frame, [*map(str, frame.index)])
    distances, rows = model.kneighbors(frame)
    found = np.empty_like(truth)
    np.put_along_axis(found, rows, distances, axis=1)
    assert found == pytest.approx(truth, rel=1e-12, abs=1e-12)


def test_gower_is_that_of_an_example_worked_by_hand() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 5.0], "c": ["u", "v", "u"]})
    model = tl.KNeighborsClassifier(3).fit(frame, ["a", "b", "c"])
    distances, rows = model.kneighbors(frame)
    table = np.zeros((3, 3))
    np.put_along_axis(table, rows, distances, axis=1)
    assert table[0, 1] == pytest.approx((0.25 + 1) / 2)
    assert table[0, 2] == pytest.approx((1 + 0) / 2)
    assert table[1, 2] == pytest.approx((0.75 + 1) / 2)


@pytest.mark.parametrize(
    ("scale", "moved"),
    [
        ("minmax", lambda x: (x - X.min(0)) / (X.max(0) - X.min(0))),
        ("standard", lambda x: (x - X.mean(0)) / X.std(0)),
        ("standard_sample", lambda x: (x - X.mean(0)) / X.std(0, ddof=1)),
    ],
)
def test_scaling_inside_is_scaling_before(scale: str, moved: Any) -> None:
    inside = tl.KNeighborsClassifier(scale=scale).fit(X, Y).kneighbors(Q)
    before = tl.KNeighborsClassifier().fit(moved(X), Y).kneighbors(moved(Q))
    assert np.array_equal(inside[1], before[1])
    assert inside[0] == pytest.approx(before[0], rel=1e-12)


def test_an_exact_match_decides_alone() -> None:
    points, classes = [[0.0], [1e-9], [1e-9]], ["a", "b", "b"]
    for weights in ("distance", "inverse_square"):
        model = tl.KNeighborsClassifier(3, weights=weights).fit(points, classes)
        assert model.predict_proba([[0.0]]).tolist() == [[1.0, 0.0]]
        assert model.predict([[1e-10]])[0] == "a"
        assert np.isfinite(model.predict_proba([[1e-300]])).all()


def test_a_weight_of_two_is_the_row_twice() -> None:
    once = tl.KNeighborsClassifier(3).fit(
        [[0.0], [1.0], [9.0]], list("abb"), sample_weight=[2, 1, 1]
    )
    twice = tl.KNeighborsClassifier(3).fit([[0.0], [0.0], [1.0], [9.0]], list("aabb"))
    assert once.predict_proba([[0.5]]).tolist() == twice.predict_proba([[0.5]]).tolist()


def test_a_neighbour_is_named_by_the_number_of_its_row_in_the_table() -> None:
    frame = pd.DataFrame({"x": [0.0, 5.0, 1.0, 9.0], "y": [None, "a", "b", "b"]})
    model = tl.KNeighborsClassifier(1).fit(frame, "y")
    assert "row 2 at 1" in str(model.explain([{"x": 0.0}]))


def test_threads_and_blocks_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    points, queries = RNG.normal(size=(3000, 15)), RNG.normal(size=(700, 15))
    model = tl.KNeighborsClassifier(weights="distance").fit(points, points[:, 0] > 0)
    whole = model.predict_proba(queries).tobytes()
    for threads in (1, 3):
        with tl.engine(threads=threads):
            assert model.predict_proba(queries).tobytes() == whole


def test_a_model_is_saved_with_its_rows_but_not_with_a_function(tmp_path: Path) -> None:
    model = tl.KNeighborsClassifier(weights=np.exp).fit(X, Y)
    with pytest.raises(errors.OptionError, match="cannot be saved"):
        model.save(tmp_path / "m.tally")
    model = tl.KNeighborsClassifier(scale="minmax").fit(X, Y)
    model.save(tmp_path / "m.tally")
    assert np.array_equal(tl.load(tmp_path / "m.tally").kneighbors(Q)[0], model.kneighbors(Q)[0])


BAD: list[tuple[Any, Any, Any, str]] = [
    (tl.KNeighborsClassifier(9), X[:4], Y[:4], "n_neighbors=9, and the table has 4 rows"),
    (tl.KNeighborsClassifier(), X[:0], Y[:0], "no rows"),
    (tl.KNeighborsClassifier(0), X, Y, r"'n_neighbors' parameter of KN.* be an int .*1, inf"),
    (tl.KNeighborsClassifier(2.0), X, Y, r"'n_neighbors' parameter of KN.* be an int .*1, inf"),
    (tl.KNeighborsClassifier(metric="hamming"), X, Y, "metric"),
    (tl.KNeighborsClassifier(p=0.5), X, Y, "'p' parameter"),
    (tl.KNeighborsClassifier(weights="near"), X, Y, "weights"),
    (tl.KNeighborsClassifier(ties="some"), X, Y, "ties"),
    (tl.KNeighborsClassifier(metric="l2"), pd.DataFrame({"a": [1.0] * 5, "c": list("uvuvu")}),
     list("ababa"), r"column 'c' holds categories.*gower"),
    (tl.KNeighborsClassifier(2), [[1.0], [np.nan], [2.0]], list("aba"),
     r"column 'x0' is missing in row 1.*Imputer"),
    (tl.KNeighborsRegressor(2), [[1.0], [2.0]], [1.0, np.inf], "inf"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "rows", "target", "said"), BAD, ids=lambda v: str(v)[:30])
def test_what_cannot_be_learned_is_named(model: Any, rows: Any, target: Any, said: str) -> None:
    with pytest.raises(errors.TallyError, match=said):
        model.fit(rows, target)


def test_what_cannot_be_asked_is_named() -> None:
    model = tl.KNeighborsClassifier().fit(X, Y)
    with pytest.raises(errors.InputError, match=r"column 'x2' is missing in row 1.*Imputer"):
        model.predict([[1.0, 2, 3, 4], [1.0, 2, np.nan, 4]])
    with pytest.raises(errors.InputError, match="n_neighbors=401, and the table has 400 rows"):
        model.kneighbors(Q, 401)
    with pytest.raises(errors.InputError, match="has 399 others"):
        model.kneighbors(None, 400)
    with pytest.raises(errors.OptionError, match="mode is"):
        model.kneighbors_graph(Q, mode="weights")
    for odd, said in ((lambda d: -d, "returned -"), (lambda d: d * 0, "only zeros"),
                      (lambda d: d[0], "shape")):  # fmt: skip
        with pytest.raises(errors.InputError, match=said):
            tl.KNeighborsClassifier(weights=odd).fit(X, Y).predict(Q)
    mixed = pd.DataFrame({"a": [1.0, 2.0, 3.0], "c": ["u", "v", "u"]})
    some = tl.KNeighborsClassifier(1).fit(mixed, list("abc"))
    with pytest.raises(errors.InputError, match="row 1 has only missing"):
        some.predict(pd.DataFrame({"a": [1.0, None], "c": ["u", None]}))
    assert "was never seen" in str(some.explain(pd.DataFrame({"a": [1.0], "c": ["w"]})))


def test_a_value_that_was_never_seen_is_another_and_no_gap() -> None:
    frame = pd.DataFrame({"a": [0.0, 2.0, 4.0], "c": ["u", "v", "u"]})
    model = tl.KNeighborsClassifier(3).fit(frame, list("abc"))
    distances, rows = model.kneighbors(pd.DataFrame({"a": [0.0], "c": ["w"]}))
    assert rows.tolist() == [[0, 1, 2]]
    assert distances[0] == pytest.approx([0.5, 0.75, 1.0])
    only = tl.KNeighborsClassifier(2).fit(frame[["c"]], list("abc"))
    assert only.predict_proba(pd.DataFrame({"c": ["w"]}))[0] == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("how", ["auto", "files"])
def test_a_row_without_a_value_is_no_example(how: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,c,y\n1,u,a\n,,b\n3,v,a\n")
    model = tl.KNeighborsClassifier(1, examples=how)
    with pytest.raises(errors.InputError, match=r"row \d has only missing.*Drop the row"):
        model.fit(path, "y")
    apart = pd.DataFrame({"x": [1.0, None, 2.0], "c": [None, "u", "v"], "y": list("aba")})
    with pytest.raises(errors.InputError, match="row 0 has fewer than 2 neighbours"):
        tl.KNeighborsClassifier(2, metric="gower").fit(apart, "y").predict(None)


def test_fractions_of_a_row_are_no_neighbours() -> None:
    with pytest.raises(errors.InputError, match=r"weight of row 0 is 1.5.*Round"):
        tl.KNeighborsClassifier(1).fit(X[:3], Y[:3], sample_weight=[1.5, 2.0, 1.0])


@pytest.mark.parametrize("written", [False, True])
def test_rows_left_when_gaps_are_dropped_keep_their_numbers(written: bool, tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1.0, None, 3, 4, 5], "y": ["a", "a", None, "b", "b"]})
    frame.to_csv(path := tmp_path / "t.csv", index=False)
    table = tl.table(path if written else frame, target="y", gaps="drop")
    for learner in (tl.KNeighborsClassifier(1), tl.Pipeline([tl.KNeighborsClassifier(1)])):
        assert f"row {6 if written else 4} at 0: x 5" in str(learner.fit(table).explain({"x": 5.0}))


def test_metrics_of_ones_own_are_refused_by_name() -> None:
    functions: Any = max
    with pytest.raises(errors.OptionError, match=r"metric is a Python function.*'gower'"):
        tl.KNeighborsRegressor(1, metric=functions).fit([[1.0]], [1.0])
    params: Any = {"w": [1.0]}
    with pytest.raises(errors.OptionError, match=r"'metric_params' .* must be None.*'w'"):
        tl.KNeighborsRegressor(1, metric_params=params).fit([[1.0]], [1.0])
    tl.KNeighborsRegressor(1, metric_params=None).fit([[1.0]], [1.0])


@pytest.mark.parametrize("scaled", [False, True])
def test_dates_are_told_as_dates(scaled: bool) -> None:
    days = pd.date_range("2024-01-01", periods=8)
    frame = pd.DataFrame({"sold": days, "kind": list("aaaabbbb")})
    before = [tl.StandardScaler()] if scaled else []

    def explained(learner: Any, target: str | None = "kind") -> str:
        table = frame if target else frame[["sold"]]
        return str(tl.Pipeline([*before, learner]).fit(table, target).explain(frame[["sold"]][:1]))

    assert ": sold 2024-01-02" in explained(tl.KNeighborsClassifier(2))
    assert ": sold 2024-01-02 12:00" in explained(tl.NearestCentroid(exemplar="median"))
    assert ": sold 2024-01-0" in explained(tl.KMeans(2), None)
    work = tl.KNeighborsClassifier(2, scale="minmax").fit(frame, "kind").show_work()
    assert "sold    2024-01-01" in str(work)


@pytest.mark.parametrize("spread", [1.0, 1e-300, 1e300])
def test_the_order_in_which_a_tree_is_asked_changes_nothing(
    spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    points, queries = RNG.normal(size=(500, 3)) * spread, RNG.normal(size=(300, 3)) * spread
    queries[::7] = queries[0]
    tree = search_choice.SciPyKDTree(points, "manhattan", 1.0, 10)
    once = tree.nearest(queries, 4)
    monkeypatch.setattr(query_batches, "MIN_ORDERED_QUERIES", 1)
    assert sorted(query_batches.morton_order(queries).tolist()) == [*range(300)]
    assert tree.nearest(queries, 4) == once


@pytest.mark.parametrize("how", ["auto", "files"])
def test_neighbours_have_the_numbers_of_their_rows_in_the_table(how: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "t.csv", {"x": 5.0}
    path.write_text("x,w,y\n0,0,a\n1,2,\n2,1,a\n3,1,b\n4,1,a\n5,2,b\n")
    plain = tl.KNeighborsClassifier(1, examples=how).fit(tl.table(path, target="y", ignore="w"))
    assert plain.kneighbors(asked, return_distance=False).tolist() == [[5]]
    assert plain.kneighbors(None, 1)[1].ravel().tolist() == [2, 3, 2, 3, 4]
    assert plain.kneighbors_graph(asked).toarray().tolist() == [[0.0, 0.0, 0.0, 0.0, 1.0]]
    weighed = tl.KNeighborsClassifier(3, examples=how).fit(tl.table(path, target="y", weight="w"))
    assert weighed.kneighbors(asked)[1].tolist() == [[5, 5, 4]]
    assert weighed.kneighbors_graph(asked).shape == (1, 5)


def test_rows_left_out_of_memory_leave_the_numbers_of_neighbours() -> None:
    table = {"x": [0.0, 1, None, 3, 4, 5], "y": ["a", None, "a", "b", "a", "b"]}
    whole = tl.table(table, target="y", gaps="drop")
    assert tl.KNeighborsClassifier(1).fit(whole).kneighbors({"x": [5.0]})[1].tolist() == [[5]]
    left = tl.KNeighborsRegressor(1).fit(X, Y, sample_weight=np.arange(len(X)) >= 2)
    assert left.kneighbors(X[7:8])[1].tolist() == [[7]]


@pytest.mark.parametrize("how", ["auto", "files"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "gower"])
def test_no_rows_to_ask_about_are_said(how: str, metric: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n0,a\n1,b\n")
    for algorithm in ("brute", "auto"):
        model = tl.KNeighborsClassifier(1, metric=metric, algorithm=algorithm, examples=how)
        model.fit(str(path), "y")
        for ask in (model.predict, model.predict_proba, model.kneighbors, model.kneighbors_graph):
            with pytest.raises(
                errors.InputError, match=rf"KNeighborsClassifier.{ask.__name__}: the table has no r"
            ):
                ask(pd.DataFrame({"x": np.empty(0)}))


def test_a_gap_is_told_as_a_question_mark() -> None:
    table = {"x": [1.0, None], "z": [1.0, 2.0], "y": ["a", "b"]}
    model = tl.KNeighborsClassifier(2, metric="gower").fit(table, "y")
    assert "x ?, z 2" in str(model.explain({"x": [1.0], "z": [2.0]}))


def test_who_writes_over_his_table_changes_no_example() -> None:
    rows, numbers = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 2.0, 4.0])
    model = tl.KNeighborsRegressor(n_neighbors=1).fit(rows, numbers)
    rows *= -1
    numbers[:] = 0
    assert model.predict([[1.0], [4.0]]).tolist() == [1.0, 4.0]


@pytest.mark.parametrize("size", [1e-300, 1e-165, 1e-155, 1.0, 1e152, 1e160, 1e165])
@pytest.mark.parametrize(("weights", "far"), [("inverse_square", 0.2), ("distance", 1 / 3)])
def test_votes_are_shares_of_the_nearest_at_any_distance(
    weights: str, far: float, size: float
) -> None:
    rows = np.array([[1.0], [-2.0]]) * size
    model = tl.KNeighborsClassifier(2, weights=weights).fit(rows, ["b", "a"])
    assert model.predict_proba([[0.0]])[0] == pytest.approx([far, 1 - far], rel=1e-12)
    a, b = (line.terms[0].amount for line in model.explain([[0.0]])[0].lines)
    assert a / b == pytest.approx(far / (1 - far), rel=1e-12)
    mean = tl.KNeighborsRegressor(2, weights=weights).fit(rows, [0.0, 1.0])
    assert mean.predict([[0.0]])[0] == pytest.approx(far, rel=1e-12)


def test_a_spread_beyond_a_double_is_refused() -> None:
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]) * 1e155
    with pytest.raises(errors.InputError, match=r"overflows a double. Divide"):
        tl.KNeighborsClassifier(1, scale="standard").fit(rows, list("abc"))


NORMAL = np.random.default_rng(8).normal(size=(2100, 4))
FAR_APART = 10.0 ** np.random.default_rng(9).integers(-300, 300, (2100, 1))


@pytest.mark.parametrize("k", [1, 5, 40])
@pytest.mark.parametrize(
    "rows",
    [
        np.sinh(12 * NORMAL),
        1e8 + 1e-6 * NORMAL,
        NORMAL * FAR_APART,
        NORMAL * [1e-30, 1.0, 1e30, 1e60],
        NORMAL * 1e-310,
        np.rint(NORMAL),
        np.repeat(NORMAL[:300], 7, axis=0),
        NORMAL / np.sqrt((NORMAL**2).sum(axis=1))[:, None],
        np.concatenate([NORMAL[:2000] / 2**27 + 1, NORMAL[2000:]]),
    ],
)
def test_boxes_in_single_precision_find_what_a_look_at_all_rows_finds(
    rows: np.ndarray, k: int
) -> None:
    asked = np.concatenate([rows[::150], rows[::150] * 1.01, np.zeros((1, 4)), 1e9 * rows[:3]])
    found = KDTree.of(rows).nearest(asked, k)
    whose, every = np.indices((len(asked), len(rows))).reshape(2, -1)
    apart = distances.pair_distances(rows, every, asked, whose, "euclidean", 2.0)
    assert found == Nearest.of(whose, every, apart, len(asked), k)


@pytest.mark.parametrize("options", [
    {}, {"ties": "first"}, {"n_neighbors": 1}, {"weights": "inverse_square"}, {"n_neighbors": 59},
    {"metric": "manhattan"}, {"scale": "minmax"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("kind", [tl.KNeighborsClassifier, tl.KNeighborsRegressor])
def test_leaving_one_out_is_one_search_and_says_what_fits_without_it_say(
    kind: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (60, 2)).astype(float)  # many are level, and some are equal
    y = rng.choice([*"abc"], 60) if kind is tl.KNeighborsClassifier else rng.normal(size=60)
    y[5] = "d" if kind is tl.KNeighborsClassifier else 9.0  # a class that is gone without its row
    others = [np.delete(np.arange(60), i) for i in range(60)]
    fits = [kind(**options).fit(X[rows], y[rows]).predict(X[[i]])[0]
            for i, rows in enumerate(others)]  # fmt: skip
    times: list[int] = []
    train = kind.train
    monkeypatch.setattr(kind, "train", lambda *a: (times.append(1), train(*a))[1])
    found = tl.evaluate(kind(**options), X, y, cv="loo").predictions
    assert np.asarray(found["said"]).tolist() == fits
    assert len(times) <= 2 or "scale" in options  # a scale is that of the other rows


def test_rows_that_count_twice_are_left_out_one_by_one() -> None:
    X, y = [[0.0], [1.0], [1.1], [5.0]], ["a", "b", "a", "b"]
    learner = tl.KNeighborsClassifier(1)
    found = tl.evaluate(learner, X, y, sample_weight=[2, 1, 1, 1], cv="loo").predictions
    assert [*found["said"]] == ["b", "a", "b", "a"]  # not the first row by its own copy


def test_votes_that_rounding_tells_apart_are_level_for_rows_left_out_too() -> None:
    X = np.array([0.42, -0.42, 0.14, -0.14, 0.42, 0.0, -0.42])[:, None]
    y = np.array([*"bababca"])
    model = tl.KNeighborsClassifier(6, weights="distance")
    fit = clone(model).fit(np.delete(X, 2, 0), np.delete(y, 2)).predict(X[[2]])[0]
    assert fit == model.fit(X, y).predict(None)[2] == "a"
    assert tl.evaluate(model, X, y, cv="loo").predictions["said"][2] == fit
