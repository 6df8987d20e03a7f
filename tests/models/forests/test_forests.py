"""What a forest answers: votes, rows out of bag, importances, proximity, and bad input."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.utils.estimator_checks import estimator_checks_generator

import tallylearn as tl
from tallylearn import engines, errors
from tallylearn.folds.hashing import splitmix64
from tallylearn.models.forests import forest_grower as nurseries
from tallylearn.models.forests import forest_learner as learners
from tallylearn.models.forests.bootstrap import BootstrapSamples
from tallylearn.statistics import confidence_intervals

IRIS, KINDS = load_iris(return_X_y=True)
X, Y = load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def iris() -> Any:
    return tl.RandomForestClassifier(40).fit(IRIS, KINDS)


@pytest.fixture(scope="module")
def diabetes() -> Any:
    return tl.RandomForestRegressor(30).fit(X, Y)


def by_hand(forest: Any, rows: Any, tree: int) -> Any:
    """What one tree tells of rows."""
    model = forest.model_
    return model.node_values[forest.apply(rows)[:, tree] + model.roots[tree]]


def test_probabilities_are_the_mean_of_the_trees_and_a_majority_is_of_votes(iris: Any) -> None:
    told = np.array([by_hand(iris, IRIS, t) for t in range(40)])
    assert iris.predict_proba(IRIS) == pytest.approx(told.mean(axis=0), abs=1e-12)
    majority = tl.RandomForestClassifier(40, vote="majority").fit(IRIS, KINDS)
    votes = np.eye(3)[told.argmax(axis=2)].mean(axis=0)
    assert majority.predict_proba(IRIS) == pytest.approx(votes, abs=1e-12)
    assert majority.predict(IRIS).tolist() == votes.argmax(axis=1).tolist()


def test_a_row_out_of_bag_is_answered_by_the_trees_that_have_not_seen_it(iris: Any) -> None:
    bags = BootstrapSamples(np.zeros(150, np.int32), 1.0, 0)
    sums, voters = np.zeros((150, 3)), np.zeros(150)
    for t in range(40):
        rows = bags.find_out_of_bag_rows(t)
        sums[rows] += by_hand(iris, IRIS, t)[rows]
        voters[rows] += 1
    shares = sums / voters[:, None]
    assert iris.oob.answers == pytest.approx(shares, abs=1e-12)
    right = int((shares.argmax(axis=1) == KINDS).sum())
    assert iris.oob.value == right / 150
    assert iris.oob.interval == confidence_intervals.wilson(right, 150)
    assert iris.oob.rows == 150
    assert iris.oob.seen == 0
    assert str(iris.oob).startswith(f"accuracy {right / 150:.3f} [")
    assert iris.out_of_bag(IRIS, KINDS) == iris.oob


def test_a_regression_is_scored_out_of_bag_by_r2_with_an_interval(diabetes: Any) -> None:
    found = diabetes.oob
    said = found.answers[:, 0]
    assert found.value == pytest.approx(1 - ((Y - said) ** 2).sum() / ((Y - Y.mean()) ** 2).sum())
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high
    assert 0.3 < found.value < 0.6
    scored = tl.RandomForestRegressor(30, oob_score=True).fit(X, Y)
    assert scored.oob_score_ == found.value
    assert scored.oob_prediction_.tolist() == said.tolist()


def test_few_trees_leave_rows_that_all_of_them_have_seen() -> None:
    found = tl.RandomForestClassifier(2).fit(IRIS, KINDS).oob
    assert found.seen > 0
    assert found.rows + found.seen == 150
    assert np.isnan(found.answers).all(axis=1).sum() == found.seen
    assert "more were seen by all trees" in str(found)


@pytest.mark.parametrize(
    ("learner", "X", "y", "score"),
    [
        (tl.RandomForestClassifier(40, keep_rows=False), IRIS, KINDS, "accuracy"),
        (tl.RandomForestRegressor(30), X, Y, "r2"),
    ],
)
def test_an_evaluation_out_of_bag_is_the_forests_own(
    learner: Any, X: Any, y: Any, score: str
) -> None:
    found = tl.evaluate(learner, X, y, cv="oob", scores=[score])
    again = type(learner)(learner.n_estimators).fit(X, y)
    assert found[score].value == pytest.approx(again.oob.value)
    assert found.cv == "out of bag"


def test_an_evaluation_out_of_bag_asks_a_forest_of_bags() -> None:
    with pytest.raises(errors.OptionError, match="NaiveBayes is not a forest"):
        tl.evaluate(tl.NaiveBayes(), IRIS, KINDS, cv="oob")
    with pytest.raises(errors.OptionError, match="with bootstrap=False every tree"):
        tl.evaluate(tl.RandomForestClassifier(bootstrap=False), IRIS, KINDS, cv="oob")


def test_importances_without_rows_out_of_bag_are_shares_alone() -> None:
    found = tl.RandomForestClassifier(5, bootstrap=False).fit(IRIS, KINDS).importances()
    assert all(one.loss is None for one in found)
    assert "share of the gain" in str(found)
    assert "lost" not in str(found)


def test_importances_are_drawn_with_their_intervals() -> None:
    forest = tl.RandomForestClassifier(20, random_state=0).fit(IRIS, KINDS)
    found = forest.importances()
    plot = found.plot("By gain")
    assert plot.title == "By gain"
    assert plot.data["importances"] == {one.column: one.share for one in found}
    assert "prefers-color-scheme:dark" in plot.svg
    assert plot.svg.count("<rect") == 1 + len(found)
    losses = found.plot(by="loss").data
    assert [*losses["importances"].values()] == sorted((o.loss for o in found), reverse=True)
    for one in found:
        assert losses["intervals"][one.column] == [one.loss_interval.low, one.loss_interval.high]
    forest.kept_rows_ = None
    with pytest.raises(errors.OptionError, match=r"forest\.importances\(X, y\); or use by='share'"):
        forest.importances().plot(by="loss")
    assert forest.importances(IRIS, KINDS).plot(by="loss").data == losses
    with pytest.raises(errors.OptionError, match="by is 'gain'"):
        found.plot(by="gain")
    single = tl.RandomForestClassifier(1).fit(IRIS, KINDS).importances().plot()
    assert "interval" not in single.svg


def test_importances_find_the_columns_that_matter_and_noise_loses_nothing() -> None:
    rng = np.random.default_rng(0)
    table = np.column_stack([rng.normal(size=(300, 3)), rng.integers(0, 3, 300)])
    y = table[:, 0] + table[:, 3] > 1
    forest = tl.RandomForestClassifier(60).fit(table, y)
    found = forest.importances()
    assert {one.column for one in [*found][:2]} == {"x0", "x3"}
    assert sum(one.share for one in found) == pytest.approx(1)
    for name in ("x0", "x3"):
        one = found[name]
        assert one.loss_interval.low > 0.1
        assert one.share_interval.low < one.share < one.share_interval.high
    assert abs(found["x1"].loss) < 0.05
    assert forest.feature_importances_ == pytest.approx([found[f"x{j}"].share for j in range(4)])
    with pytest.raises(errors.ColumnError, match="not from 'x9'"):
        found["x9"]


def test_losses_are_those_of_every_tree_on_the_rows_that_it_has_not_seen() -> None:
    table = X[:, [2, 8]]
    forest = tl.RandomForestRegressor(6).fit(table, Y)
    bags, rises = BootstrapSamples(np.zeros(len(Y), np.int32), 1.0, 0), []
    for t in range(6):
        rows = bags.find_out_of_bag_rows(t)
        mixed = table[rows]
        order = np.argsort(splitmix64(t, rows + len(Y)))
        mixed[:, 1] = mixed[order, 1]
        errors_of = [
            ((by_hand(forest, some, t)[:, 0] - Y[rows]) ** 2).mean()
            for some in (mixed, table[rows])
        ]
        rises.append((errors_of[0] - errors_of[1]) / Y.var())
    found = forest.importances()["x1"]
    assert found.loss == pytest.approx(np.mean(rises))
    assert found.loss_interval == confidence_intervals.mean_interval(rises)


def test_proximity_is_the_share_of_trees_with_one_leaf_for_both(iris: Any) -> None:
    near = iris.proximity(IRIS[::10])
    ends = iris.apply(IRIS[::10])
    assert near[0, 7] == (ends[0] == ends[7]).mean()
    assert np.array_equal(near, near.T)
    assert (np.diag(near) == 1).all()
    assert near[0, 1] > near[0, 14]


def test_an_explanation_says_the_votes_and_the_ways_of_those_that_agree(iris: Any) -> None:
    found = iris.explain(IRIS[:1])[0]
    assert found.how == "votes"
    assert found.chosen == 0
    assert found.notes[0] == "votes of 40 trees: 0 40"
    assert "of the 40 trees for 0 split by x" in found.notes[1]
    labels = [row[0] for row in found.working[0].rows]
    assert labels[0] == "mean of the roots"
    assert labels[1].startswith("x")
    columns = {term.column for term in found.lines[0].terms}
    assert {"", "x2", "x3"} <= columns


def test_warm_start_adds_the_trees_that_a_larger_forest_has() -> None:
    forest = tl.RandomForestClassifier(5, warm_start=True).fit(IRIS, KINDS)
    forest.set_params(n_estimators=9).fit(IRIS, KINDS)
    at_once = tl.RandomForestClassifier(9).fit(IRIS, KINDS).model_
    for name in ("roots", "steps", "threshold", "leads", "node_values", "gained"):
        assert np.array_equal(getattr(forest.model_, name), getattr(at_once, name))
    with pytest.raises(errors.OptionError, match="must be larger or equal"):
        forest.set_params(n_estimators=3).fit(IRIS, KINDS)
    with pytest.raises(errors.InputError, match="adds trees to a forest of the same table"):
        forest.set_params(n_estimators=12).fit(IRIS[:100], KINDS[:100])


def test_dates_are_explained_as_dates() -> None:
    days = pd.date_range("2020-10-01", "2020-10-31").to_series(index=range(31))
    table = pd.DataFrame({"when": days})
    for learner in (tl.RandomForestRegressor(5), tl.RandomForestClassifier(5)):
        for model in (learner, tl.Pipeline([tl.StandardScaler(), learner])):
            said = str(model.fit(table, np.arange(31) > 15).explain(table[:1]))
            assert "when = 2020-10-01" in said


@pytest.mark.parametrize("change", ["order", "target", "weight", "category", "option", "file"])
def test_warm_start_adds_no_trees_of_other_rows_or_options(change: str, tmp_path: Path) -> None:
    table = pd.DataFrame(IRIS, columns=[*"abcd"]).assign(e=np.where(IRIS[:, 0] > 6, "x", "y"))
    kinds, weight = KINDS.copy(), np.ones(len(IRIS))
    forest = tl.RandomForestClassifier(3, warm_start=True, class_weight={0: 1, 1: 2, 2: 3})
    forest.fit(table, kinds, weight)
    forest.set_params(n_estimators=4, n_jobs=1, keep_rows=False).fit(table.copy(), kinds, weight)
    if change == "order":
        table = table[::-1]
        kinds = kinds[::-1]
    elif change == "target":
        kinds[[0, 149]] = kinds[[149, 0]]
    elif change == "weight":
        weight[0] = 2
    elif change == "category":
        table = table.assign(e=np.where(table["e"] == "x", "y", "x"))
    elif change == "option":
        forest.class_weight[0] = 9
    else:
        forest.save(tmp_path / "f.tally")
        forest = tl.load(tmp_path / "f.tally")
    with pytest.raises(errors.InputError, match="adds trees to a forest of the same table"):
        forest.set_params(n_estimators=5).fit(table, kinds, weight)


@pytest.mark.parametrize("kind", ["rows", "columns", "frame"])
def test_who_writes_over_his_table_changes_nothing_that_a_forest_tells(kind: str) -> None:
    rows, numbers = np.array(X, order="F" if kind == "columns" else "C"), Y.copy()
    names = [f"x{j}" for j in range(X.shape[1])]
    given = pd.DataFrame(rows, columns=names, copy=False) if kind == "frame" else rows
    forest = tl.RandomForestRegressor(5).fit(given, numbers)
    rows *= -1
    numbers[:] = 0
    untouched = tl.RandomForestRegressor(5).fit(X, Y)
    assert forest.oob == untouched.oob
    assert forest.importances() == untouched.importances()


def test_a_file_holds_the_forest_and_not_its_rows(iris: Any, tmp_path: Path) -> None:
    iris.save(tmp_path / "f.tally")
    again = tl.load(tmp_path / "f.tally")
    assert again.predict_proba(IRIS).tolist() == iris.predict_proba(IRIS).tolist()
    assert again.out_of_bag(IRIS, KINDS) == iris.oob
    with pytest.raises(errors.InputError, match="Pass them again: out_of_bag"):
        _ = again.oob
    assert again.importances()["x2"].loss is None
    assert again.importances(IRIS, KINDS) == iris.importances()
    assert pickle.loads(pickle.dumps(iris)).kept_rows_ is None


def test_a_forest_takes_less_room_than_scikit_learns(tmp_path: Path) -> None:
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(1500, 8)), rng.integers(0, 2, 1500)
    tl.RandomForestClassifier(10).fit(table, y).save(tmp_path / "f.tally")
    theirs = pickle.dumps(RandomForestClassifier(10).fit(table, y))
    assert (tmp_path / "f.tally").stat().st_size < len(theirs)


def test_costs_and_losses_move_the_answer() -> None:
    cheap = tl.RandomForestClassifier(20, loss=[[0, 50, 50], [0, 0, 1], [0, 1, 0]])
    assert (cheap.fit(IRIS, KINDS).predict(IRIS) == 0).sum() > 50
    dear = tl.RandomForestClassifier(20, max_features=None, costs={"x2": 1e6, "x3": 1e6})
    assert dear.fit(IRIS, KINDS).feature_importances_[2:].sum() < 0.2


def test_classes_weigh_alike_in_every_bag_that_is_balanced() -> None:
    y, weight = KINDS[:60], np.linspace(0.5, 2, 60)
    for options in ({}, {"sample_weight": weight}):
        options: dict[str, Any]
        whole, each = (
            tl.RandomForestClassifier(30, class_weight=how, max_depth=0).fit(
                IRIS[:60], y, **options
            )
            for how in ("balanced", "balanced_subsample")
        )
        assert whole.model_.node_values[:, 0].std() > 0.05
        if not options:
            assert each.model_.node_values[:, 0] == pytest.approx(0.5, abs=1e-9)
        assert each.model_.node_values[:, 0].std() < whole.model_.node_values[:, 0].std()
    rare = np.array(["a"] * 30 + ["b"])  # which many bags lack
    forest = tl.RandomForestClassifier(9, class_weight="balanced_subsample", max_depth=0)
    found = {*forest.fit(np.arange(31.0)[:, None], rare).model_.node_values[:, 1].round(9).tolist()}
    assert found == {0.0, 0.5}


def test_medians_are_for_single_trees() -> None:
    with pytest.raises(errors.OptionError, match=r"keep only sums\. Use .*DecisionTreeRegressor"):
        tl.RandomForestRegressor(criterion="absolute_error").fit(IRIS, KINDS)


def test_a_class_that_no_bag_has_keeps_its_place() -> None:
    y = np.array(["a"] * 30 + ["b"])
    forest = tl.RandomForestClassifier(3).fit(np.arange(31.0)[:, None], y)
    assert forest.classes_.tolist() == ["a", "b"]
    assert forest.predict_proba([[0.0]]).shape == (1, 2)


@pytest.mark.parametrize("learner", [tl.RandomForestClassifier, tl.RandomForestRegressor])
def test_one_row_and_one_class_are_enough(learner: Any) -> None:
    assert learner(4).fit([[1.0]], [1]).predict([[3.0]]).tolist() == [1]
    assert learner(4).fit([[1.0], [2.0]], [1, 1]).predict([[3.0]]).tolist() == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"n_estimators": 0},
            r"'n_estimators' .* an int in the range \[1, 2147483647\]",
        ),
        ({"n_estimators": None}, r"'n_estimators' .* in the range .*\. Got None instead"),
        ({"n_estimators": True}, "'n_estimators'"),
        ({"splitter": "fast"}, "'splitter'"),
        ({"n_estimators": 2.5}, "'n_estimators'"),
        ({"max_features": 0}, "'max_features'"),
        ({"max_features": 1.5}, "'max_features'"),
        ({"max_features": "all"}, "'max_features'"),
        ({"oob_score": True, "bootstrap": False}, "Out of bag estimation only available"),
        ({"max_samples": 0.0}, "'max_samples'"),
        ({"max_samples": 1000}, "max_samples is 1000, and the table has 150 rows"),
        ({"max_samples": 0.5, "bootstrap": False}, "cannot be set if `bootstrap=False`"),
        ({"missing": "fractional"}, "not support. Use missing=.branch"),
        ({"missing": "drop"}, "'missing'"),
        ({"class_weight": "light"}, "'class_weight' .* 'balanced', 'balanced_subsample', a dict"),
        ({"ccp_alpha": "cv"}, "'ccp_alpha' .* a float .* Got 'cv'"),
        ({"n_jobs": 0}, "'n_jobs' .* an int"),
        ({"vote": "loud"}, "'vote'"),
        ({"criterion": "gain_ratio"}, "'criterion'"),
        ({"bins": 1}, "'bins'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(errors.OptionError, match=message):
        tl.RandomForestClassifier(**options).fit(IRIS, KINDS)


def test_more_trees_than_memory_takes_are_refused_before_they_grow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TALLY_MEMORY", "0.001")
    with pytest.raises(errors.SizeError, match="a forest of 2,000 trees would take"):
        tl.RandomForestClassifier(2000).fit(IRIS, KINDS)


def test_out_of_bag_without_bags_or_with_another_table_is_refused(iris: Any) -> None:
    whole = tl.RandomForestClassifier(3, bootstrap=False).fit(IRIS, KINDS)
    with pytest.raises(errors.InputError, match="no out-of-bag rows"):
        _ = whole.oob
    with pytest.raises(errors.InputError, match="grown from 150 rows, and this table has 149"):
        iris.out_of_bag(IRIS[1:], KINDS[1:])


def test_an_interrupted_fit_leaves_the_forest_that_was_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forest = tl.RandomForestClassifier(3).fit(IRIS, KINDS)
    before, calls = forest.predict_proba(IRIS), []
    grow = learners.ForestGrower.grow

    def interrupted(forest_grower: Any, numbers: range) -> Any:
        calls.append(numbers)
        if 4 in numbers:
            raise KeyboardInterrupt
        return grow(forest_grower, numbers)

    monkeypatch.setattr(nurseries, "MAX_BATCH_ROWS", 100)
    monkeypatch.setattr(learners.ForestGrower, "grow", interrupted)
    with pytest.raises(KeyboardInterrupt), tl.engine(threads=2):
        forest.set_params(n_estimators=500).fit(IRIS[:99], KINDS[:99])
    assert len(calls) < 250  # of 500: others grow while the thread that is interrupted waits
    assert forest.predict_proba(IRIS).tolist() == before.tolist()
    assert forest.oob.rows <= 150
    assert forest.model_.rows == 150


def test_an_explanation_shows_two_trees_that_disagree() -> None:
    forest = tl.RandomForestClassifier(10, random_state=0).fit(tl.example("tennis"))
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    (found,) = forest.explain(row)
    assert found.notes[0] == "votes of 10 trees: No 8, Yes 2"
    first, second = found.notes[-2:]
    assert first.startswith("tree 0: Outlook = Sunny and Humidity = High, so No (")
    assert second.startswith("tree 5: Wind = Weak, so Yes (")
    for note, vote in ((first, "No"), (second, "Yes")):
        tree = forest.estimators_[int(note.split(":")[0].removeprefix("tree "))]
        assert tree.predict(row).tolist() == [vote]
    *rows, total = found.working[0].rows
    for c in (1, 2):
        assert sum(float(r[c]) for r in rows) == pytest.approx(float(total[c]), abs=2e-4)
        assert float(total[c]) == pytest.approx(forest.predict_proba(row)[0, c - 1], abs=1e-4)


def test_a_forest_of_one_tree_or_one_row_speaks_of_one() -> None:
    alone = tl.RandomForestClassifier(1).fit(IRIS, KINDS)
    notes = alone.explain(IRIS[:1])[0].notes
    assert notes[0] == "votes of 1 tree: 0 1"
    assert notes[1].startswith("the tree splits by x")
    with pytest.raises(errors.InputError, match="The table has one row: add others"):
        _ = tl.RandomForestClassifier(3).fit(IRIS[:1], KINDS[:1]).oob


def test_a_bar_counts_the_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    @contextmanager
    def bar(total: int, what: str, shown: bool) -> Iterator[Any]:
        seen.append((total, what, shown))
        yield seen.append

    monkeypatch.setattr(learners, "progress_bar", bar)
    tl.RandomForestClassifier(3, verbose=1).fit(IRIS, KINDS)
    assert seen[0] == (3, "RandomForestClassifier: trees", True)
    assert sum(seen[1:]) == 3


def test_jobs_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    grow = learners.ForestGrower.grow
    monkeypatch.setattr(
        learners.ForestGrower,
        "grow",
        lambda forest_grower, numbers: (
            seen.append(engines.current_engine().n_threads),
            grow(forest_grower, numbers),
        )[1],
    )
    tl.RandomForestClassifier(2, n_jobs=3).fit(IRIS, KINDS)
    assert seen == [3, 3]


BY_PLACE = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}  # rows that are repeated have other places, and so other bags: as in scikit-learn's forests


@pytest.mark.filterwarnings("ignore")
def test_bags_pass_scikit_learns_checks_but_those_that_repeat_rows() -> None:
    checks = [*estimator_checks_generator(tl.RandomForestClassifier(3))]
    failed = set()
    for estimator, check in checks:
        try:
            check(estimator)
        except SkipTest:
            continue
        except AssertionError:
            failed.add(check.func.__name__)
    assert failed == BY_PLACE
    assert len(checks) > 40


def test_strings_dates_and_gaps_are_taken_as_they_are() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({
        "town": rng.choice(["Bonn", "Köln", None], 200),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 200), "D"),
        "size": np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200)),
    })  # fmt: skip
    frame["bought"] = np.where((frame["town"] == "Bonn") | (frame["size"] > 1), "yes", "no")
    forest = tl.RandomForestClassifier(20).fit(frame, "bought")
    assert forest.score(frame, "bought") > 0.97
    assert forest.oob.value > 0.9
    unseen = {"town": "Ulm", "day": None, "size": None}
    assert forest.predict(unseen)[0] in ("yes", "no")


def test_a_noisy_category_and_constants_cost_little() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(IRIS, columns=[*"abcd"])
    table["noise"] = [f"v{i}" for i in rng.integers(0, 70, 150)]
    table["same"] = 1.0
    plain = tl.RandomForestClassifier(60).fit(IRIS, KINDS).oob.value
    noisy = tl.RandomForestClassifier(60).fit(table, KINDS).oob.value
    assert noisy > plain - 0.03


def test_an_identifier_before_other_columns_moves_no_importance_to_them() -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({
        "id": [f"c{i:05d}" for i in range(200)], "a": rng.normal(size=200),
        "b": rng.normal(size=200), "c": rng.choice([*"xyz"], 200),
    })  # fmt: skip
    frame["y"] = np.where(frame["b"] > 0, "p", "q")
    model = tl.RandomForestClassifier(10, random_state=0).fit(frame, "y")
    bare = tl.RandomForestClassifier(10, random_state=0).fit(frame.drop(columns="id"), "y")
    assert model.score(frame, "y") == pytest.approx(bare.score(frame, "y"), abs=0.02)
    lost = {one.column: one.loss for one in model.importances()}
    assert lost["id"] == 0
    assert lost["b"] > 0.2 > abs(lost["a"])
    assert "b = " in str(model.explain(frame[:1]))
