"""`tl.learn`: the choice among candidates on shared folds, and its corrected score."""

import json

import numpy as np
import pytest

import tallylearn as tl
from tallylearn.errors import InputError, OptionError, TargetError
from tallylearn.evaluation.learn.learning import _seconds
from tallylearn.evaluation.learn.row_scores import ROW_SCORES
from tallylearn.evaluation.learn.selection import Selection


def _classes(n=80, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no")


@pytest.fixture(scope="module")
def found():
    return tl.learn(*_classes(), progress=False)


def test_a_separable_table_is_learned_and_the_report_fits_a_screen(found):
    assert found.found
    assert found.score > 0.8
    assert found.low < found.score < found.high
    lines = str(found).splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert repr(found) == str(found)


def test_the_models_predict_and_are_those_that_are_named(found):
    X, y = _classes(seed=1)
    assert found.model.score(X, y) > 0.8
    assert found.best_model.score(X, y) > 0.8
    assert {found.pick, found.best, found.simplest} <= {row.learner for row in found.rows}


def test_the_scores_of_the_leaderboard_are_those_of_evaluate(found):
    X, y = _classes()
    cv = tl.Folds.k(5, stratified=True)
    for name, learner in (("naive Bayes", tl.NaiveBayes()), ("C4.5 tree", tl.C45())):
        (row,) = (row for row in found.rows if row.learner == name)
        there = tl.evaluate(learner, X, y, cv=cv)["accuracy"].pooled
        assert row.value == pytest.approx(there, abs=1e-12)


def test_r2_is_that_of_all_out_of_fold_predictions():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    found = tl.learn(X, y, progress=False)
    (row,) = (row for row in found.rows if row.learner == "ridge")
    there = tl.evaluate(tl.Ridge(alpha="cv"), X, y, cv=tl.Folds.k(5))["r2"].pooled
    assert row.value == pytest.approx(there, abs=1e-12)


def test_the_same_seed_gives_the_same_report(found):
    again = tl.learn(*_classes(), progress=False)

    def timeless(report):
        page = report.to_dict()
        return page | {"rows": [row | {"fit_seconds": 0} for row in page["rows"]]}

    assert timeless(again) == timeless(found)


def test_a_null_table_gets_the_baseline():
    rng = np.random.default_rng(5)
    found = tl.learn(rng.normal(size=(60, 3)), rng.integers(0, 2, 60).astype(str), progress=False)
    assert not found.found
    assert found.pick == found.best == "baseline"
    assert "Nothing was found" in str(found)


def test_the_corrected_score_is_that_of_a_slow_bootstrap():
    rng = np.random.default_rng(2)
    losses = rng.integers(0, 2, size=(30, 4)).astype(float)
    chosen = Selection(losses, np.ones(30), simple=False)
    again, out, times = np.random.default_rng(0), np.zeros(30), np.zeros(30)
    for _ in range(1000):
        drawn = again.integers(0, 30, 30)
        at = min(range(4), key=lambda j: (sum(losses[i, j] for i in drawn), j))
        for i in set(range(30)) - {*drawn.tolist()}:
            out[i] += losses[i, at]
            times[i] += 1
    assert chosen.corrected[0] == pytest.approx(out / times)


def test_the_correction_lowers_the_score_of_a_choice_among_noise():
    losses = np.random.default_rng(1).integers(0, 2, size=(60, 12)).astype(float)
    chosen = Selection(losses, np.ones(60), simple=False)
    corrected = chosen.corrected[0].mean()
    assert chosen.ratios.min() < 0.45
    assert abs(corrected - 0.5) < abs(chosen.ratios.min() - 0.5)


def test_the_simplest_is_within_one_standard_error_of_the_best():
    losses = np.zeros((100, 4))
    losses[:50, 0] = 1  # the baseline
    losses[:30, 1] = 1  # too far
    losses[:10, 2] = 1
    losses[1:10, 3] = 1  # one row better
    chosen = Selection(losses, np.ones(100), simple=True)
    assert (chosen.best, chosen.simplest, chosen.pick) == (3, 2, 2)


def test_a_hopeless_candidate_is_stopped_and_one_that_fails_is_named():
    class Fails:
        _estimator_type = "classifier"

        def fit(self, X, y):
            raise ValueError("no luck")

        def predict(self, X):
            return X

        def get_params(self, deep=True):
            return {}

    class Wrong(Fails):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return np.where(np.asarray(X)[:, 0] > 0, "no", "yes")

    found = tl.learn(
        *_classes(200), candidates={"fails": Fails(), "wrong": Wrong()}, progress=False
    )
    assert "no luck" in found.failed["fails"]
    assert found.stopped["wrong"][0] == 2
    assert "fails failed" in str(found)


def test_json_and_pages_have_the_same_facts(found, tmp_path):
    page = json.loads(found.to_json())
    assert page["pick"] == found.pick
    assert [row["learner"] for row in page["rows"]] == [row.learner for row in found.rows]
    found.save(tmp_path / "report.html")
    assert found.pick in (tmp_path / "report.html").read_text()
    assert len(found.leaderboard.records()) == len(found.rows)


def test_text_columns_go_to_learners_that_take_them():
    words = ["good fine day", "bad wet night"]
    rows = [{"said": f"{words[i % 2]} w{i % 7}", "size": i % 5} for i in range(60)]
    found = tl.learn(rows, ["up" if i % 2 else "down" for i in range(60)], progress=False)
    scores = {row.learner: row.value for row in found.rows}
    assert scores["naive Bayes"] == 1.0
    assert "pruned tree" in {*scores, *found.stopped}


def test_groups_stay_together():
    X, y = _classes()
    found = tl.learn(X, y, groups=np.arange(80) // 2, progress=False)
    assert "40 groups" in " ".join(found.remarks)


@pytest.mark.parametrize(
    ("rows", "target", "options", "error", "words"),
    [
        (10, "two", {}, InputError, "10 rows"),
        (30, "one", {}, TargetError, "one class"),
        (30, "many", {}, TargetError, "30 classes"),
        (30, "two", {"budget": "soon"}, OptionError, "budget"),
        (30, "two", {"budget": 1e-9}, OptionError, "ended before"),
        (30, "two", {"prefer": "fast"}, OptionError, "prefer"),
        (30, "two", {"scoring": "f1"}, OptionError, "accuracy"),
        (30, "two", {"task": "both"}, OptionError, "task"),
    ],
)
def test_bad_input_says_what_to_do(rows, target, options, error, words):
    y = {"two": ["a", "b"] * 15, "one": ["a"] * 30, "many": [f"c{i}" for i in range(30)]}[target]
    X = np.random.default_rng(0).normal(size=(rows, 2))
    with pytest.raises(error, match=words):
        tl.learn(X, y[:rows], progress=False, **options)


def test_a_table_of_identifiers_is_refused():
    table = {"name": [f"person {i}x{i * 7}" for i in range(60)], "y": ["a", "b"] * 30}
    with pytest.raises(InputError, match="no column can be learned from"):
        tl.learn(table, "y", progress=False)


def test_numbers_that_look_like_classes_are_noted():
    X, _ = _classes()
    y = np.arange(80) % 3
    found = tl.learn(X, y, progress=False)
    assert found.task == "classifier"
    assert "task='regression'" in " ".join(found.remarks)
    assert tl.learn(X, y, task="regression", progress=False).task == "regressor"


def test_times_are_read():
    assert [_seconds(x) for x in (3, "30 s", "2 min", "1h", "2 minutes")] == [3, 30, 120, 3600, 120]


def test_every_row_score_is_that_of_evaluate():
    X, y = _classes(40)
    for name in (score.name for score in ROW_SCORES["classifier"]):
        found = tl.learn(X, y, scoring=name, progress=False)
        (row,) = (row for row in found.rows if row.learner == "naive Bayes")
        there = tl.evaluate(tl.NaiveBayes(), X, y, cv=tl.Folds.k(5, stratified=True), scoring=name)[
            name
        ].pooled
        assert row.value == pytest.approx(there, rel=1e-9)


def test_the_additive_model_is_a_candidate_and_its_pairs_make_it_less_readable():
    from tallylearn.evaluation.learn.model_size import model_size

    X, y = _classes(200)
    curves = tl.ExplainableBoostingClassifier(interactions=0, outer_bags=2).fit(X, y)
    pairs = tl.ExplainableBoostingClassifier(
        interactions=[(0, 1)], outer_bags=2, max_rounds=5, validation_size=0
    ).fit(X, y)
    p = len(curves.curves_)
    assert model_size(curves, 200).count <= 5 * p + 1
    assert model_size(pairs, 200).count == 5 * p + 20 + 1
    assert model_size(pairs, 200).text == f"{p + 1} terms"
    found = tl.learn(X, y, progress=False)
    assert "additive model" in {row["learner"] for row in found.leaderboard.to_dict()["rows"]}
