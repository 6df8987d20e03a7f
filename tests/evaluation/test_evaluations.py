"""Evaluations: predictions of every fold are those of a fit on the other rows, and are summed."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    balanced_accuracy_score,
    explained_variance_score,
    f1_score,
    matthews_corrcoef,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

import tallylearn as tl
from tallylearn import errors
from tallylearn.errors import FileError, InputError, OptionError
from tallylearn.statistics.confidence_intervals import wilson
from tests.printed_text import unwrapped

RNG = np.random.default_rng(3)
N = 240
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 90, N)),
        "colour": RNG.choice(["red", "green", "blue", None], N),
        "house": RNG.integers(0, 30, N).astype(str),
        "w": RNG.choice([0.0, 1.0, 3.0], N),
    }
)
SIGNAL = FRAME["size"] + (FRAME["colour"] == "red") + RNG.normal(size=N)
FRAME["y"] = np.where(SIGNAL > 0.3, "b", "a")
PLAIN = FRAME[["size", "age", "colour", "y"]]
LEARNERS = [
    tl.NaiveBayes(),
    tl.NaiveBayes(alpha=0.1, at_half="positive"),
    tl.LinearDiscriminantAnalysis(),
    tl.QuadraticDiscriminantAnalysis(reg_param=0.1),
    tl.DummyClassifier(),
]
SCHEMES = [
    tl.Folds.k(5),
    tl.Folds.k(3, repeats=2, stratified=False),
    tl.Folds.holdout(),
    tl.Folds.three(),
    tl.Folds.forward(4),
    tl.Folds.forward(3, order="age"),
    tl.Folds.bootstrap(4),
    tl.Folds.k(N, stratified=False),
    "loo",
    StratifiedKFold(4),
    ShuffleSplit(3, random_state=0),
]


def by_hand(learner: Any, frame: pd.DataFrame, splits: Any) -> list[tuple[list[int], list[str]]]:
    """Fit on every training part, and ask about its test part."""
    out = []
    for train, test in splits:
        fitted = type(learner)(**learner.get_params()).fit(frame.iloc[train], "y")
        out.append((test.tolist(), fitted.predict(frame.iloc[test].drop(columns="y")).tolist()))
    return out


@pytest.mark.parametrize("cv", SCHEMES, ids=str)
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_every_answer_is_that_of_a_fit_on_the_training_rows(learner: Any, cv: Any) -> None:
    frame = PLAIN.dropna(subset="age") if getattr(cv, "order", None) else PLAIN
    if getattr(cv, "number", 0) == N:
        frame, cv = PLAIN[:70], tl.Folds.k(70, stratified=False)
    elif cv == "loo":
        frame = PLAIN[70:140]
    found = tl.evaluate(learner, frame, "y", cv=cv, scores="accuracy").predictions
    splitter = tl.Folds.leave_one_out() if cv == "loo" else cv
    if cv == tl.Folds.three():  # to scikit-learn it shows the validation rows
        pairs: Any = [(s.train, s.test) for s in cv.splits(len(frame), frame["y"].to_numpy())]
    else:
        pairs = splitter.split(frame, frame["y"])
    expected = by_hand(learner, frame, pairs)
    rows = found["row"].tolist()
    at = 0
    for key in sorted(set(zip(found["repeat"].tolist(), found["fold"].tolist(), strict=True))):
        here = [i for i in range(len(rows)) if (found["repeat"][i], found["fold"][i]) == key]
        test, said = expected[at]
        predictions = {rows[i]: found["said"][i] for i in here}
        assert [predictions[row] for row in test] == said
        at += 1
    assert at == len(expected)


@pytest.mark.parametrize("k", [3, 10])
def test_scores_are_those_of_cross_val_score(k: int) -> None:
    X, y = RNG.normal(size=(150, 4)), RNG.integers(0, 2, 150)
    folds = tl.Folds.k(k)
    for ours, theirs in ((tl.NaiveBayes(), GaussianNB()), (GaussianNB(), GaussianNB())):
        found = tl.evaluate(ours, X, y, cv=folds, positive=1)
        for name, scoring in (("accuracy", "accuracy"), ("roc_auc", "roc_auc"), ("f1", "f1")):
            expected = cross_val_score(theirs, X, y, cv=folds, scoring=scoring)
            np.testing.assert_allclose(found[name].by_fold, expected, rtol=1e-9)
            assert found[name].mean_of_folds == pytest.approx(expected.mean())
            if name == "f1":  # a ratio: its value is that of all rows together
                assert found[name].value == found[name].pooled
            else:
                assert found[name].value == pytest.approx(expected.mean())
        losses = cross_val_score(theirs, X, y, cv=folds, scoring="neg_log_loss")
        np.testing.assert_allclose(found["log_loss"].by_fold, -losses, rtol=1e-7)


def test_pooled_scores_are_those_of_all_answers_together() -> None:
    found = tl.evaluate(tl.NaiveBayes(), PLAIN, "y")
    told = found.predictions
    assert found["accuracy"].pooled == np.mean(told["truth"] == told["said"])
    assert found["roc_auc"].pooled == pytest.approx(roc_auc_score(told["truth"], told["P(b)"]))
    assert found.confusion.sum() == N


def test_the_headline_is_the_mean_of_folds_and_the_pooled_wilson_interval() -> None:
    rows = pd.DataFrame({"x": range(7), "y": list("aabbbab")})
    part = [0, 0, 0, 1, 1, 2, 2]  # folds of 3, 2 and 2 rows

    class Wrong:
        """Right but on row 1 (of the first fold) and row 4 (of the second)."""

        _estimator_type = "classifier"

        def fit(self, X: Any, y: Any) -> Any:
            self.classes_ = np.array(["a", "b"])
            return self

        def predict(self, X: Any) -> Any:
            return np.array(["aabbbab"[i] if i not in (1, 4) else "ba"[i == 4] for i in X["x"]])

    pairs = [
        (np.flatnonzero(np.array(part) != f), np.flatnonzero(np.array(part) == f)) for f in range(3)
    ]
    error = tl.evaluate(Wrong(), rows, "y", cv=pairs, scores="error")["error"]
    assert error.value == pytest.approx(float(Fraction(5, 18)))  # golden eval.kfold_mean_vs_pooled
    assert error.pooled == pytest.approx(float(Fraction(2, 7)))
    assert error.interval is not None
    assert error.interval.method == "Wilson"


def test_files_are_evaluated_as_tables_in_memory_are(tmp_path: Any, monkeypatch: Any) -> None:
    path = tmp_path / "rows.csv"
    FRAME.round(6).to_csv(path, index=False)  # pandas 2 reads 17 digits with an error
    ignore = ["house", "w"]
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    memory = tl.table(pd.read_csv(path), target="y", ignore=ignore)
    for cv in (10, "holdout", "forward"):
        streamed, held = (
            tl.evaluate(tl.NaiveBayes(), source, cv=cv)
            for source in (tl.table(path, target="y", ignore=ignore), memory)
        )
        assert streamed["accuracy"].by_fold == held["accuracy"].by_fold
        assert streamed["roc_auc"].pooled == held["roc_auc"].pooled
        assert streamed.whole == held.whole
    with pytest.raises(InputError, match="not kept"):
        _ = streamed.predictions


@pytest.mark.parametrize("small", [0, 1 << 26])
def test_groups_and_weights_of_files_are_those_of_memory(
    tmp_path: Any, monkeypatch: Any, small: int
) -> None:
    monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", small)
    path = tmp_path / "rows.csv"
    FRAME.round(6).to_csv(path, index=False)  # pandas 2 reads 17 digits with an error
    read = pd.read_csv(path, dtype={"house": str})
    one, two = (
        tl.evaluate(tl.NaiveBayes(), tl.table(source, target="y", weight="w", groups="house"), cv=4)
        for source in (path, read)
    )
    assert one.whole == two.whole
    houses = FRAME["house"].to_numpy()
    told = two.predictions
    assert sorted(told["row"].tolist()) == np.flatnonzero(FRAME["w"] > 0).tolist()
    for house in set(houses[told["row"]]):
        assert len(set(told["fold"][houses[told["row"]] == house].tolist())) == 1


@pytest.mark.parametrize("kind", ["frame", "declared", "array", "file", "far file", "outside"])
def test_a_column_of_groups_is_not_learned_from(tmp_path: Any, monkeypatch: Any, kind: str) -> None:
    frame = FRAME[["size", "house", "y"]].round(6)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    if kind == "far file":
        monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", 0)
    learner = GaussianNB() if kind == "outside" else tl.NaiveBayes()
    table: Any = tl.table(tmp_path / "rows.csv", target="y") if "file" in kind else frame
    given: Any = (tl.table(frame), "y") if kind == "declared" else (table, "y")
    given = (frame[["size", "house"]], frame["y"]) if kind == "array" else given
    found = tl.evaluate(learner, *given, cv=4, groups="house")
    without = tl.evaluate(learner, frame[["size"]], frame["y"], cv=4, groups=frame["house"])
    assert found.whole == without.whole
    with pytest.raises(errors.ColumnError, match="groups: the table has no column 'home'"):
        tl.evaluate(learner, *given, cv=4, groups="home")


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("cv", [tl.Folds.bootstrap(12), "loo"], ids=["bootstrap", "loo"])
def test_groups_are_dealt_out_alike_from_every_source(tmp_path: Any, cv: Any, words: bool) -> None:
    house = np.repeat([10, 9, 100, 2, 31, 7, 1, 11], 6)
    frame = FRAME[["size", "y"]].round(6)[: len(house)].assign(house=house)
    frame["house"] = "h" + frame["house"].astype(str) if words else frame["house"]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    sources = frame, tl.table(frame), str(tmp_path / "rows.csv"), str(tmp_path / "rows.parquet")
    here, *others = (tl.evaluate(tl.NaiveBayes(), s, "y", cv=cv, groups="house") for s in sources)
    given = tl.evaluate(tl.NaiveBayes(), frame[["size"]], frame["y"], cv=cv, groups=frame["house"])
    for other in (*others, given):
        assert other["accuracy"].by_fold == here["accuracy"].by_fold


def test_groups_may_be_told_one_by_one() -> None:
    found = tl.evaluate(tl.NaiveBayes(), FRAME[["size", "house", "y"]], "y", groups="house",
                        by="house")  # fmt: skip
    assert len(found.by_group("accuracy")) == FRAME["house"].nunique()


def test_rows_of_weight_zero_are_as_if_they_were_not_there() -> None:
    frame = FRAME[["size", "colour", "y", "w"]]
    weighed = tl.evaluate(tl.NaiveBayes(), frame, "y", sample_weight="w")
    without = tl.evaluate(tl.NaiveBayes(), frame[frame["w"] > 0], "y", sample_weight="w")
    assert weighed.whole == without.whole


def test_scores_by_a_column_add_up_to_the_whole() -> None:
    found = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", by="colour")
    groups = found.by_group("accuracy")
    assert {*groups} == {"red", "green", "blue", None}
    told = found.predictions
    colours = PLAIN["colour"].fillna("missing").to_numpy()[told["row"]]
    for colour, estimate in groups.items():
        here = colours == (colour or "missing")
        assert estimate.value == np.mean(told["truth"][here] == told["said"][here])
        assert estimate.interval is not None
        assert estimate.value in estimate.interval
    assert sum(found.groups.values(), start=found.whole - found.whole) == found.whole


@pytest.mark.parametrize("frame", [PLAIN, pl.from_pandas(PLAIN), PLAIN.to_dict("records")],
                         ids=["pandas", "polars", "rows"])  # fmt: skip
def test_any_table_gives_the_same(frame: Any) -> None:
    found = tl.evaluate(tl.NaiveBayes(), frame, "y")
    assert found.whole == tl.evaluate(tl.NaiveBayes(), PLAIN, "y").whole


def test_repeats_do_not_make_rows_more_than_they_are() -> None:
    once, often = (
        tl.evaluate(tl.NaiveBayes(), PLAIN, "y", cv=tl.Folds.k(5, repeats=r)) for r in (1, 20)
    )
    widths = [e["accuracy"].interval.high - e["accuracy"].interval.low for e in (once, often)]
    assert 0.9 * widths[0] < widths[1] < widths[0]  # a mean of 20 is a little surer than one


def test_an_estimator_without_probabilities_has_the_scores_of_its_answers() -> None:
    X, y = RNG.normal(size=(80, 3)), RNG.integers(0, 2, 80)
    found = tl.evaluate(LinearSVC(), X, y, cv=4)
    assert {"roc_auc", "log_loss", "brier"} & {*found.scores} == {"roc_auc"}
    with pytest.raises(OptionError, match="needs probabilities"):
        tl.evaluate(LinearSVC(), X, y, cv=4, scores="log_loss")


def test_vector_targets_are_judged_by_their_distance() -> None:
    X = RNG.normal(size=(90, 3))
    Y = X @ RNG.normal(size=(3, 2)) + RNG.normal(size=(90, 2))
    found = tl.evaluate(LinearRegression(), X, Y, cv=KFold(3))
    away = np.empty(90)
    for train, test in KFold(3).split(X):
        said = LinearRegression().fit(X[train], Y[train]).predict(X[test])
        away[test] = np.sqrt(((Y[test] - said) ** 2).sum(axis=1))
    assert found["euclidean"].pooled == pytest.approx(away.mean())
    assert found["euclidean"].baseline > found["euclidean"].value


class Fragile:
    """Fails where row 0 is learned from."""

    _estimator_type = "classifier"

    def fit(self, X: Any, y: Any) -> Any:
        if 0 in X[:, 0]:
            raise RuntimeError("row 0 is bad")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def test_a_fold_that_fails_is_named_and_the_others_are_kept_where_that_is_asked() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(InputError, match=r"evaluate: Fragile failed on fold 1: .*row 0 is bad"):
        tl.evaluate(Fragile(), X, y, cv=KFold(4))
    found = tl.evaluate(Fragile(), X, y, cv=KFold(4), on_error="keep")
    assert [failure.fold for failure in found.failures] == [1, 2, 3]
    assert "Failed on 3 folds" in str(found)
    assert len(found["accuracy"].by_fold) == 1
    with pytest.raises(InputError, match="failed on every fold"):
        tl.evaluate(Fragile(), X[:2], y[:2], cv=[([0], [1])], on_error="keep")


def test_the_result_is_the_same_in_every_form(tmp_path: Any) -> None:
    found = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", by="colour")
    data = json.loads(found.to_json())
    accuracy = data["records"][0]
    assert accuracy["value"] == found["accuracy"].value
    assert (accuracy["low"], accuracy["high"]) == tuple(found["accuracy"].interval)
    frame = found.to_frame()
    assert frame["score"].tolist() == list(found.scores)
    assert found.headline in str(found)
    for plot in found.plots().values():
        ElementTree.fromstring(plot.svg)
        assert plot.svg in found.to_html()
    for ending in ("html", "json", "md", "txt"):
        found.save(tmp_path / f"found.{ending}")
    assert "<svg" in (tmp_path / "found.html").read_text()
    with pytest.raises(FileError, match=r"\.html"):
        found.save(tmp_path / "found.pdf")


def test_a_threshold_is_chosen_by_cost() -> None:
    found = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", positive="b")
    cheap, dear = found.threshold((1, 10)), found.threshold((10, 1))
    assert cheap.value < dear.value
    told = found.predictions
    said = told["P(b)"] >= cheap.value
    wrong = said & (told["truth"] == "a")
    missed = ~said & (told["truth"] == "b")
    assert cheap.cost == wrong.sum() + 10 * missed.sum()


@pytest.mark.parametrize("scores", ["accuracy", ["accuracy", "brier"]])
@pytest.mark.parametrize("strategy", ["stratified", "uniform"])
def test_answers_that_are_drawn_are_those_of_predict(strategy: str, scores: Any) -> None:
    learner = tl.DummyClassifier(strategy=strategy, random_state=4)
    found = tl.evaluate(learner, PLAIN, "y", cv=tl.Folds.holdout(), scores=scores)
    ((train, test),) = tl.Folds.holdout().split(PLAIN, PLAIN["y"])
    fitted = tl.DummyClassifier(strategy=strategy, random_state=4).fit(PLAIN.iloc[train], "y")
    assert found.predictions["said"].tolist() == fitted.predict(PLAIN.iloc[test]).tolist()
    assert fitted.score(PLAIN.iloc[test], "y") == found["accuracy"].pooled


def test_threads_change_nothing() -> None:
    with tl.engine(threads=1):
        one = tl.evaluate(tl.LinearDiscriminantAnalysis(), PLAIN, "y")
    assert tl.evaluate(tl.LinearDiscriminantAnalysis(), PLAIN, "y").whole == one.whole


def test_a_pipeline_of_scikit_learn_is_evaluated_with_its_frame() -> None:
    frame = FRAME[["size", "w", "y"]]
    found = tl.evaluate(LogisticRegression(), frame, "y", cv=tl.Folds.k(4))
    X, y = frame.drop(columns="y"), frame["y"]
    expected = cross_val_score(LogisticRegression(), X, y, cv=tl.Folds.k(4))
    assert found["accuracy"].by_fold == tuple(expected)


def test_a_long_learner_is_named_in_one_short_line() -> None:
    steps = [
        make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["colour"])),
        LogisticRegression(C=0.5, max_iter=1000),
    ]
    data = PLAIN.dropna()
    for found in (
        tl.evaluate(make_pipeline(*steps), data, "y", cv=2),
        tl.evaluate(tl.NaiveBayes(), data, "y", cv=StratifiedShuffleSplit(2, test_size=0.5)),
        tl.compare([make_pipeline(*steps), tl.NaiveBayes()], data, "y", cv=2),
        tl.tune(make_pipeline(*steps), {"logisticregression__C": [0.5]}, data, "y", cv=2),
        tl.learning_curve(make_pipeline(*steps), data, "y", cv=2),
    ):
        assert "\\n" not in str(found)
        assert max(map(len, found.report().title.splitlines())) < 160
    found = tl.evaluate(make_pipeline(*steps), data, "y", cv=2)
    assert found.learner.startswith("Pipeline(")
    assert "LogisticRegression(C=0.5" in found.learner


@pytest.mark.parametrize("factor", [1 / N, 64.0])
def test_the_unit_of_the_weights_moves_no_interval(factor: float) -> None:
    weight = np.random.default_rng(5).random(N)
    plain, scaled = (
        tl.evaluate(GaussianNB(), FRAME[["size"]], FRAME["y"], cv=4, sample_weight=weight * unit)
        for unit in (1.0, factor)
    )
    for score in plain.scores:
        assert plain[score].interval is not None
        assert scaled[score].interval is not None
        np.testing.assert_allclose([*scaled[score].interval], [*plain[score].interval], 1e-6)


def test_an_area_is_as_sure_as_the_rows_that_the_weights_are_worth() -> None:
    X, y = FRAME[["size"]], FRAME["y"]
    once = tl.evaluate(GaussianNB(), X, y, cv="holdout")["roc_auc"]
    assert once.interval.method == "DeLong, logit"
    twice = tl.evaluate(GaussianNB(), X, y, cv="holdout", sample_weight=[2.0] * N)
    np.testing.assert_allclose([*twice["roc_auc"].interval], [*once.interval], 1e-6)


def test_weights_that_sum_to_one_are_worth_as_many_rows_when_rows_are_tested_again() -> None:
    weight, cv = np.full(N, 1 / N), tl.Folds.k(4, repeats=3)
    once = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", cv=cv)
    other = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", cv=cv, sample_weight=weight * 16)
    for score in ("log_loss", "accuracy"):
        assert other[score].interval.method == once[score].interval.method
        wide = [high - low for low, high in (other[score].interval, once[score].interval)]
        assert wide[0] == pytest.approx(wide[1], rel=0.05)  # other weights, smoothed otherwise


def test_weights_that_are_fractions_are_written_short() -> None:
    weight = np.random.default_rng(5).random(N)
    found = tl.evaluate(tl.NaiveBayes(), PLAIN, "y", cv=4, sample_weight=weight)
    assert not re.search(r"\d\.\d{4}", str(found))


def test_no_mistake_on_a_dozen_rows_is_not_certainty() -> None:
    found = tl.evaluate(tl.NaiveBayes(), {"x": list("ab") * 6, "y": [0, 1] * 6}, "y", cv=3)
    assert found["accuracy"].interval.low < 0.8
    for name in ("f1", "balanced_accuracy"):
        assert found[name].value == 1
        assert found[name].interval.low < 0.8
        assert found[name].interval.high == 1
    assert found["accuracy"].over_folds is None


@pytest.mark.parametrize("polars", [False, True])
def test_a_weight_that_is_a_column_is_no_feature_of_other_libraries_estimators(
    polars: bool,
) -> None:
    seen: list[list[str]] = []

    class Watched(GaussianNB):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            seen.append(list(X.columns))
            assert sample_weight is not None
            return super().fit(X, y, sample_weight)

    frame = FRAME[["size", "w", "y"]]
    table = pl.from_pandas(frame) if polars else frame
    tl.evaluate(Watched(), table, "y", sample_weight="w", cv=2, scores="error")
    assert seen == [["size"], ["size"]]


def few_frauds() -> tuple[np.ndarray, np.ndarray]:
    y = np.where(np.arange(400) % 57 == 0, "fraud", "ok")  # 8 of 400
    return np.random.default_rng(3).normal(size=(400, 2)), y


def test_scores_of_one_class_are_of_the_rarer_and_say_so() -> None:
    X, y = few_frauds()
    found = tl.evaluate(tl.DummyClassifier(), X, y, cv=5)
    assert found.positive == "fraud"
    assert found["recall"].value == 0.0  # none of the frauds is found
    assert np.isnan(found["precision"].value)
    assert found["precision"].reason == "class 'fraud' was never predicted"
    assert "recall (fraud)" in str(found)
    assert "Positive class: 'fraud', 8 of 400 rows." in unwrapped(found)
    assert "the class of precision, recall, f1" in unwrapped(found)
    assert {r["class"] for r in found.records() if r["score"] in ("recall", "roc_auc")} == {"fraud"}
    assert {r["class"] for r in found.records() if r["score"] == "accuracy"} == {None}
    other = tl.evaluate(tl.DummyClassifier(), X, y, cv=5, positive="ok")
    assert other["recall"].value == 1.0
    assert "recall (ok)" in str(other)


def test_rows_that_are_tested_again_are_counted_as_tests() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(["no", "yes"], [40, 20])
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=tl.Folds.k(3, repeats=2), scoring="recall")
    assert "Positive class: 'yes', 40 of 120 tests. It is the class of recall." in unwrapped(found)
    assert "counts are tests, not rows" in unwrapped(found)


def test_of_two_classes_with_as_many_rows_the_last_is_meant() -> None:
    X = np.arange(40.0)[:, None]
    assert tl.evaluate(tl.NaiveBayes(), X, ["a", "b"] * 20, cv=4).positive == "b"


@pytest.mark.parametrize("given", [np.int64(1), 1.0, True])
def test_a_positive_class_is_shown_under_its_own_name(given: Any) -> None:
    X = np.arange(40.0).reshape(-1, 1)
    y = (np.arange(40) % 4 == 0).astype(int)
    said = str(tl.evaluate(tl.NaiveBayes(), X, y, cv=2, positive=given))
    assert said == str(tl.evaluate(tl.NaiveBayes(), X, y, cv=2, positive=1))
    assert "Positive class: 1, 10 of 40 rows" in said


def test_every_verb_speaks_of_the_rarer_class() -> None:
    X, y = few_frauds()
    learners = {"none": tl.DummyClassifier(), "bayes": tl.NaiveBayes()}
    compared = tl.compare(learners, X, y, cv=5, score="recall")
    assert "recall (fraud)" in compared.verdict
    assert compared["none"]["recall"].value == 0.0
    tuned = tl.tune(tl.DummyClassifier(), {"strategy": ["prior"]}, X, y, cv=5, score="recall")
    assert str(tuned.score).startswith("recall (fraud) 0.000")
    curve = tl.learning_curve(tl.DummyClassifier(), X, y, sizes=[0.5, 1], cv=5, score="recall")
    assert set(curve.points[0].test) == {0.0}
    assert "recall (fraud)" in str(curve)


def test_an_interval_stands_beside_its_own_number() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 1))
    y = X[:, 0] + rng.normal(size=60) * 2
    found = tl.evaluate(tl.LMS(), X, y, cv=20, scores=["r2", "rmse", "mae", "mse"])
    r2 = found["r2"]
    assert r2.mean_of_folds < r2.pooled - 0.2  # three rows a fold: their r2 is no r2
    assert r2.value == r2.pooled
    for estimate in found:
        assert estimate.value in estimate.interval, estimate.name
    uneven = [np.arange(0, 5), np.arange(5, 60)]
    splits = [(np.setdiff1d(np.arange(60), test), test) for test in uneven]
    found = tl.evaluate(tl.NaiveBayes(), X, y > 0, cv=splits, scores=["accuracy", "log_loss"])
    for estimate in found:
        assert estimate.value in estimate.interval, estimate.name


def test_no_interval_leaves_the_bounds_of_its_score() -> None:
    rng = np.random.default_rng(2)
    for seed in range(20):
        X, y = rng.normal(size=(40, 2)), np.arange(40) % 4 == 0
        X[y] += 3
        found = tl.evaluate(tl.NaiveBayes(), X, y, cv=tl.Folds.k(5, seed=seed))
        for estimate in found:
            for interval in (estimate.interval, estimate.over_folds):
                if interval is not None:
                    assert 0 <= interval.low <= interval.high, estimate.name
                    assert interval.high <= 1 or estimate.name in ("log_loss", "brier")


def test_without_a_mean_of_folds_the_number_of_all_rows_stands_beside_its_interval() -> None:
    X, y = few_frauds()
    X[y == "fraud"] += 1.5
    cv = tl.Folds.k(20, stratified=False)
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=cv, scores=["precision", "roc_auc"])
    precision, area = found["precision"], found["roc_auc"]
    assert np.isnan(precision.mean_of_folds)
    assert precision.value == precision.pooled
    assert precision.pooled in precision.interval
    assert np.isnan(area.value)
    assert str(area).startswith(f"roc_auc (fraud) over all rows {area.pooled:.3f}")


def test_ratios_over_folds_are_those_of_all_out_of_fold_predictions() -> None:
    """scikit-learn's score of cross_val_predict, and not the mean of biased folds."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    y = X.sum(axis=1) + rng.normal(size=60)
    cv = tl.Folds.k(10, stratified=False)
    found = tl.evaluate(tl.LinearRegression(), X, y, cv=cv, scoring=["r2", "explained_variance"])
    said = cross_val_predict(LinearRegression(), X, y, cv=cv)
    assert found["r2"].value == pytest.approx(r2_score(y, said), rel=1e-9)
    assert found["explained_variance"].value == pytest.approx(
        explained_variance_score(y, said), rel=1e-9
    )
    named = {"balanced_accuracy": balanced_accuracy_score, "mcc": matthews_corrcoef,
             "f1": f1_score, "recall": recall_score, "precision": precision_score}  # fmt: skip
    classes = (y > 0.5).astype(int)
    scored = tl.evaluate(tl.NaiveBayes(), X, classes, cv=cv, positive=1, scoring=[*named])
    said = cross_val_predict(GaussianNB(), X, classes, cv=cv)
    for name, score in named.items():
        assert scored[name].value == pytest.approx(score(classes, said), rel=1e-9), name
        assert scored[name].value in scored[name].interval
    assert "recall and precision are computed from all out-of-fold predictions" in unwrapped(scored)
    mean = scored["balanced_accuracy"].mean_of_folds  # as the report says how to get it
    assert mean == pytest.approx(np.mean(scored["balanced_accuracy"].by_fold))


def test_the_baseline_of_a_ratio_is_of_all_rows_too() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(40, 1)), rng.normal(size=40)
    found = tl.evaluate(tl.LinearRegression(), X, y, cv=10, scoring="r2")["r2"]
    dummy = tl.evaluate(tl.DummyRegressor(), X, y, cv=10, scoring="r2")["r2"]
    assert found.baseline == pytest.approx(dummy.pooled)


def test_a_class_that_is_never_found_leaves_its_balanced_accuracy_uncertain() -> None:
    """Where no positive is found, the recall of 0 of 5 is no certainty."""

    class Says:
        _estimator_type = "classifier"
        classes_ = np.array([0, 1])

        def fit(self, X: Any, y: Any) -> Says:
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0].astype(int)

    y = (np.arange(50) % 10 == 0).astype(int)
    X = (np.arange(50) % 15 == 1).astype(float)[:, None]  # four, none of them positive
    found = tl.evaluate(Says(), X, y, cv=None, scoring="balanced_accuracy")
    score = found["balanced_accuracy"]
    assert score.value == pytest.approx(41 / 45 / 2)
    assert score.interval.high > score.value + wilson(0, 5).high / 4


def test_numbers_are_drawn_against_the_truth_with_what_is_left() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 2))
    y = X[:, 0] * 3 + rng.normal(size=80)
    found = tl.evaluate(tl.LMS(), X, y, cv=4)
    drawn, told = found.plots(), found.predictions
    assert [*drawn] == ["answers", "residuals", "deciles", "folds"]
    points = {*zip(drawn["answers"].data["x"], drawn["answers"].data["y"], strict=True)}
    assert points <= {*zip(told["truth"].tolist(), told["said"].tolist(), strict=True)}
    left = {*zip(drawn["residuals"].data["x"], drawn["residuals"].data["y"], strict=True)}
    assert left <= {
        *zip(told["said"].tolist(), (told["truth"] - told["said"]).tolist(), strict=True)
    }
    assert sum(drawn["residuals"].data["rows"]) == 80


@pytest.mark.parametrize("size", [1e100, 1e160, 1e304])
@pytest.mark.parametrize("score", ["mae", "mse", "rmse", "r2", "explained_variance"])
def test_numbers_beyond_squaring_are_scored_or_refused_in_our_words(
    size: float, score: str
) -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80) * size
    if size > 1e150 and score not in ("mae", "explained_variance"):
        with pytest.raises(InputError, match="too large for a double"):
            tl.evaluate(tl.DummyRegressor(), X, y, cv=4, scores=[score])
        return
    found = tl.evaluate(tl.DummyRegressor(), X, y, cv=4, scores=[score])
    assert found.plots() is not None
    assert np.isfinite(found[score].value) or found[score].reason in unwrapped(found)
    assert size > 1e150 or np.isfinite(found[score].value)


# a model that has learned


def test_a_fitted_model_is_asked_about_rows_as_it_is() -> None:
    X, y = load_iris(return_X_y=True)
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    for learner in (tl.NaiveBayes(), tl.ID3(), GaussianNB()):
        model = learner.fit(X[train], y[train])
        found = tl.evaluate(model, X[test], y[test], cv=None)
        beside = tl.evaluate(learner, X, y, cv=[(train, test)])
        for score in found:
            assert score.value == beside[score.name].value
        assert found["accuracy"].value == (model.predict(X[test]) == y[test]).mean()
        assert (found.cv, found.n) == ("as fitted", 75)
        majority = np.bincount(y[test]).max() / 75
        assert found["accuracy"].baseline == majority
        assert found["accuracy"].interval.about.endswith("for this fitted model")
        assert "are optimistic" in found.remarks[-1]
    numbers = tl.DecisionTreeRegressor(max_depth=2).fit(X[train, 1:], X[train, 0])
    found = tl.evaluate(numbers, X[test, 1:], X[test, 0], cv=None)
    assert found["r2"].value == pytest.approx(numbers.score(X[test, 1:], X[test, 0]))


def test_a_fitted_model_reads_the_rows_as_it_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame({"zip": ["01", "2", "1", "2"] * 5, "y": ["a", "b", "a", "b"] * 5})
    model = tl.NaiveBayes().fit(frame, "y")
    later = pd.DataFrame({"more": range(6), "zip": ["1", "2", "1", "2", "1", "3"],
                          "y": ["a", "b", "c", None, "a", "b"]})  # fmt: skip
    found = tl.evaluate(model, later, "y", cv=None)
    assert found.classes == ("a", "b", "c")
    assert found.predictions["row"].tolist() == [0, 1, 2, 4, 5]
    assert found.remarks[0] == "1 of 6 rows (16.7 %) has no y and was left out."
    later.to_csv(tmp_path / "later.csv", index=False)
    for small in (1 << 26, 0):
        monkeypatch.setattr("tallylearn.sources.memory.joined_blocks.MAX_SMALL_FILE_BYTES", small)
        again = tl.evaluate(model, tmp_path / "later.csv", "y", cv=None)
        assert (again.confusion == found.confusion).all()
    two = tl.evaluate(model, later[:2], "y", cv=None, scores=["accuracy", "log_loss"])
    assert two.n == 2
    one = tl.evaluate(model, later[:1], "y", cv=None, scores=["accuracy"])
    assert (one.classes, one["accuracy"].value) == (("a", "b"), 1)
    with pytest.raises(errors.TargetError, match="classes are like 'a', but the target has 1"):
        tl.evaluate(model, later.assign(y=[1, 2] * 3), "y", cv=None)
    with pytest.raises(errors.NotFitted):
        tl.evaluate(tl.NaiveBayes(), later, "y", cv=None)
    few = tl.QuadraticDiscriminantAnalysis().partial_fit([[1.0]], [0], classes=[0, 1])
    with pytest.raises(InputError, match="too few rows"):
        tl.evaluate(few, [[1.0], [2.0]], [0, 1], cv=None)
    with pytest.raises(errors.ColumnError, match="has no column 'zip'"):
        tl.evaluate(model, later[["more", "y"]], "y", cv=None)


@pytest.mark.parametrize("cv", [5, "loo"])
def test_a_ranking_by_group_stands_beside_one_that_ranks_nothing(cv: Any) -> None:
    draw = np.random.default_rng(4)
    rows = {"a": draw.normal(size=90), "s": draw.choice(["f", "m"], 90)}
    y = draw.choice(["p", "q", "r"], 90, p=[0.5, 0.3, 0.2])
    names = ["roc_auc", "average_precision", "roc_auc_ovr", "average_precision_ovr"]
    found = tl.evaluate(tl.NaiveBayes(), rows, y, by="s", scoring=names, positive="q", cv=cv)
    for value in ("f", "m"):
        own = y[rows["s"] == value]
        expected = (0.5, np.mean(own == "q"), 0.5, 1 / 3)
        told = [found.by_group(name)[value].baseline for name in names]
        assert told == pytest.approx(expected)
    assert found["roc_auc"].baseline == pytest.approx(0.5)
