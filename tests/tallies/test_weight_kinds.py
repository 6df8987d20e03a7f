"""Weights: frequencies count rows, importances compare them, sample weights are scikit-learn's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, VotingClassifier
from sklearn.tree import DecisionTreeClassifier

import tallylearn as tl
from tallylearn import errors, modelfile
from tests.cli.test_cli import failed, fine, folder
from tests.learners import WAYS, Case
from tests.models.trees.test_growing import agree, floats
from tests.printed_text import unwrapped

__all__ = ["folder"]

WEIGHTLESS = ("lms", "perceptron", "knn", "pipeline-mean")
TAKING = [case for case in WAYS if not case.name.startswith(WEIGHTLESS) if case.name != "pipeline"]
every_learner = pytest.mark.parametrize("case", TAKING, ids=lambda case: case.name)
exact_learners = pytest.mark.parametrize(
    "case", [case for case in TAKING if case.tally == "exact"], ids=lambda case: case.name
)


def weighed(case: Case, frame: pd.DataFrame, weight: Any, how: str = "importance") -> Any:
    """The table of a case, with a column of weights."""
    return tl.table(case.table(frame).assign(w=weight), target=case.target, **{how: "w"})


def said(case: Case, table: Any, frame: pd.DataFrame) -> np.ndarray:
    """What a learner of the case answers once it has learned a table: shares, or numbers."""
    model = case.make().fit(table)
    rows = case.rows(frame)
    return model.predict_proba(rows) if model.task == "classifier" else model.predict(rows)


def close(case: Case, a: np.ndarray, b: np.ndarray) -> bool:
    """Equal to 1e-12, numbers relative to the largest."""
    return bool(np.allclose(a, b, rtol=1e-12, atol=1e-12 * max(1.0, float(np.abs(b).max()))))


def whole(frame: pd.DataFrame) -> np.ndarray:
    return np.random.default_rng(2).integers(1, 9, len(frame)).astype(float)


def fractions(frame: pd.DataFrame) -> np.ndarray:
    return np.random.default_rng(3).random(len(frame)) + 0.001


@every_learner
def test_importances_times_a_power_of_two_are_the_same_importances(
    case: Case, mixed: pd.DataFrame
) -> None:
    weight = fractions(mixed)
    once, again = (said(case, weighed(case, mixed, weight * by), mixed) for by in (1.0, 2.0**-9))
    assert (
        close(case, once, again)
        if case.tally in ("float", "rounds")
        else np.array_equal(once, again)
    )


@every_learner
def test_importances_times_a_whole_number_are_the_same_importances(
    case: Case, mixed: pd.DataFrame
) -> None:
    weight = whole(mixed)
    once, again = (said(case, weighed(case, mixed, weight * by), mixed) for by in (1.0, 3.0))
    assert close(case, again, once)


@every_learner
def test_equal_importances_are_no_weights(case: Case, mixed: pd.DataFrame) -> None:
    table = case.table(mixed)
    without = said(case, tl.table(table, target=case.target), mixed)
    found = said(case, weighed(case, mixed, np.full(len(mixed), 3.0)), mixed)
    if case.tally in ("float", "rounds"):
        assert close(case, found, without)
    else:
        assert np.array_equal(found, without, equal_nan=True)


@pytest.mark.parametrize(
    "case",
    [case for case in TAKING  # bags and folds go by a row's place
     if not any(word in case.name for word in ("forest", "calibrated", "tuned"))],
    ids=lambda case: case.name,
)  # fmt: skip
def test_a_frequency_of_two_is_the_row_twice(case: Case, mixed: pd.DataFrame) -> None:
    twice = case.table(pd.concat([mixed, mixed], ignore_index=True))
    text = [name for name in case.columns if name == "note"]  # which repeats itself when doubled
    counted = tl.table(case.table(mixed).assign(w=2), target=case.target, weight="w", text=text)
    assert close(
        case, said(case, counted, mixed),
        said(case, tl.table(twice, target=case.target, text=text), mixed),
    )  # fmt: skip


@exact_learners
def test_importances_merge_and_are_forgotten(case: Case, mixed: pd.DataFrame) -> None:
    weight = fractions(mixed) * 40
    parts = [weighed(case, mixed[at], weight[at]) for at in (slice(0, 90), slice(90, None))]
    first, second = (case.make().fit(part) for part in parts)
    at_once = case.make().fit(weighed(case, mixed, weight))
    assert modelfile.digests(tl.merge(first, second)) == modelfile.digests(at_once)
    at_once.forget(parts[1])
    assert modelfile.digests(at_once) == modelfile.digests(first)


@exact_learners
def test_light_rows_learned_after_heavy_ones_are_as_learned_at_once(
    case: Case, mixed: pd.DataFrame
) -> None:
    weight = np.where(np.arange(len(mixed)) < 90, 3.0, fractions(mixed) / 2)
    parts = [
        weighed(case, mixed[at], weight[at], "weight") for at in (slice(0, 90), slice(90, None))
    ]
    model = case.make().partial_fit(parts[1]).partial_fit(parts[0])
    at_once = case.make().fit(weighed(case, mixed, weight, "weight"))
    assert modelfile.digests(model) == modelfile.digests(at_once)
    light = case.make().fit(parts[1])
    assert modelfile.digests(model.forget(parts[0])) == modelfile.digests(light)


@pytest.mark.parametrize("learner", [tl.NaiveBayes(), tl.LinearRegression(solver="qr")])
def test_light_rows_beside_rows_without_weights_are_as_learned_at_once(learner: Any) -> None:
    x, y, light = [[1.0], [2.0], [4.0], [3.0]], [0, 1, 1, 0], [0.25, 0.5, 0.25, 0.5]
    at_once = clone(learner).fit(x + x, y + y, sample_weight=light + [1.0] * 4)
    merged = tl.merge(clone(learner).fit(x, y, sample_weight=light), clone(learner).fit(x, y))
    added = clone(learner).fit(x, y).partial_fit(x, y, sample_weight=light)
    for model in (merged, added):
        assert repr(model) == repr(at_once)
        assert "learned from 8 rows, with sample weights, of" in repr(model)
        np.testing.assert_allclose(model.predict(x), at_once.predict(x))


def test_rows_that_count_and_rows_that_compare_do_not_merge() -> None:
    frame = pd.DataFrame({"x": [*"abab"], "y": [*"uuvv"], "w": [1.0, 2, 3, 4]})
    by, count = (tl.table(frame, target="y", **{how: "w"}) for how in ("importance", "weight"))
    with pytest.raises(errors.MergeError, match="no common scale"):
        tl.merge(tl.NaiveBayes().fit(by), tl.NaiveBayes().fit(count))
    with pytest.raises(errors.MergeError, match="no common scale"):
        tl.NaiveBayes().fit(by).forget(count[:1])


@exact_learners
def test_a_saved_model_keeps_what_its_importances_need(
    case: Case, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    weight = whole(mixed)
    model = case.make().fit(weighed(case, mixed, weight))
    model.save(tmp_path / "m.tally")
    back = tl.load(tmp_path / "m.tally")
    rest = case.make().fit(weighed(case, mixed[:200], weight[:200]))
    back.forget(weighed(case, mixed[200:], weight[200:]))
    assert modelfile.digests(back) == modelfile.digests(rest)


@every_learner
def test_importances_in_files_are_those_in_memory(
    case: Case, mixed: pd.DataFrame, tmp_path: Path
) -> None:
    table = case.table(mixed).assign(w=whole(mixed))
    table.to_parquet(tmp_path / "t.parquet")
    file = tl.table(tmp_path / "t.parquet", target=case.target, importance="w")
    assert np.array_equal(
        said(case, file, mixed), said(case, weighed(case, mixed, whole(mixed)), mixed),
        equal_nan=True,
    )  # fmt: skip


def test_every_fold_scales_its_own_rows(mixed: pd.DataFrame) -> None:
    frame = mixed[["colour", "shape", "kind"]].assign(w=whole(mixed) * 1e4)
    folds = [*np.array_split(np.arange(len(frame)), 3)]
    cv = [(np.setdiff1d(np.arange(len(frame)), test), test) for test in folds]
    table = tl.table(frame, target="kind", importance="w")
    found = tl.evaluate(tl.NaiveBayes(alpha=50), table, cv=cv, scores=["log_loss"])
    lost = []
    for train, test in cv:
        model = tl.NaiveBayes(alpha=50).fit(table[train])
        at = np.searchsorted(model.classes_, frame["kind"].to_numpy()[test].astype(str))
        share = model.predict_proba(frame.iloc[test])[np.arange(len(test)), at]
        lost.append(np.average(-np.log(share), weights=frame["w"].to_numpy()[test]))
    assert [*found["log_loss"].by_fold] == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("make", [tl.C45, tl.M5])
def test_gains_of_the_table_that_a_tree_grew_from_are_those_of_its_record(
    make: Any, mixed: pd.DataFrame
) -> None:
    frame = mixed[["length", "colour", "price"]].assign(w=fractions(mixed) / 300)
    if make is tl.C45:
        frame = frame.assign(price=np.where(frame["price"] > frame["price"].median(), "u", "v"))
    table = tl.table(frame, target="price", importance="w")
    tree = make(keep_rows=True).fit(table)
    assert str(tree.gains(0, table)) == str(tree.gains(0))


def generated(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y = make_classification(900, 8, n_informative=5, flip_y=0.05, random_state=seed)
    return X[:400], y[:400], X[400:], y[400:]


def test_boosted_c45_is_as_good_as_scikit_learns_boosted_trees() -> None:
    ours, theirs, most = [], [], []
    for seed in range(3):
        X, y, rows, truth = generated(seed)
        for base, scores in (
            (tl.C45(), ours),
            (DecisionTreeClassifier(min_samples_leaf=2), theirs),
        ):
            boosted = AdaBoostClassifier(base, n_estimators=15, random_state=0).fit(X, y)
            scores.append(boosted.score(rows, truth))
        most.append(max(truth.mean(), 1 - truth.mean()))
    assert np.min(np.array(ours) - most) > 0.2
    assert np.mean(ours) > np.mean(theirs) - 2 * np.sqrt(0.25 / (3 * 500))


@pytest.mark.parametrize("seed", range(3))
def test_boosted_stumps_are_scikit_learns(seed: int) -> None:
    X, y, rows, _ = generated(seed)
    said = [
        AdaBoostClassifier(make(max_depth=1, random_state=0), n_estimators=10, random_state=0)
        .fit(X, y).predict_proba(rows)
        for make in (tl.DecisionTreeClassifier, DecisionTreeClassifier)
    ]  # fmt: skip
    np.testing.assert_allclose(*said, rtol=1e-6)


@pytest.mark.parametrize("base", [tl.C45(), tl.NaiveBayes(), tl.LinearDiscriminantAnalysis()],
                         ids=lambda base: type(base).__name__)  # fmt: skip
def test_weights_that_sum_to_one_pass_through_scikit_learns_meta_estimators(base: Any) -> None:
    X, y, rows, truth = generated(0)
    share = np.full(len(X), 1 / len(X))
    for make in (
        lambda: BaggingClassifier(base, 5, random_state=0),
        lambda: CalibratedClassifierCV(base, cv=3),
        lambda: VotingClassifier([("a", base)]),
    ):
        scores = [
            make().fit(X, y, sample_weight=w).score(rows, truth) for w in (share, share * 400)
        ]
        assert scores[0] > 0.7
        assert scores[0] == pytest.approx(scores[1], abs=0.03)


def test_a_pinch_of_smoothing_stays_one_whatever_the_unit_of_importances() -> None:
    frame = pd.DataFrame({"x": [*"aabb"] * 5, "y": [*"uuvv"] * 5, "w": [1.0, 3.0, 2.0, 2.0] * 5})
    said = [
        tl.NaiveBayes().fit(tl.table(frame.assign(w=frame["w"] * by), target="y", importance="w"))
        .predict_proba({"x": ["a"]})[0, 0] for by in (1e-6, 1.0, 1e6)
    ]  # fmt: skip
    assert said == pytest.approx([11 / 12] * 3, rel=1e-8)  # 10 of 10 rows, and 1 for each value


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weight", ["balanced", {0: 5.0}, {0: 0.1, 1: 0.3, 2: 0.05}, {}])
def test_class_weights_are_scikit_learns(weight: Any, seed: int) -> None:
    X, y = make_classification(
        300, 5, n_informative=4, n_redundant=0, n_classes=3, weights=[0.7, 0.2, 0.1],
        random_state=seed,
    )  # fmt: skip
    given = np.random.default_rng(seed).integers(1, 4, 300) if seed % 2 else None
    ours, theirs = (
        make(class_weight=weight).fit(floats(X), y, sample_weight=given).tree_
        for make in (tl.DecisionTreeClassifier, DecisionTreeClassifier)
    )
    assert agree(ours, theirs) > 10


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ({0: -1}, "class_weight is -1 for the class 0"),
        ({0: float("nan")}, "class_weight is nan for the class 0"),
        ({0: "much"}, "class_weight is 'much' for the class 0"),
        ({0: 0, 1: 0}, "class_weight is 0 for every class"),
        ({"no": 2}, r"class_weight names 'no', and the target has .*are not in class_weight"),
    ],
)
def test_class_weights_that_are_none_are_named(weight: Any, words: str) -> None:
    with pytest.raises(errors.OptionError, match=words):
        tl.DecisionTreeClassifier(class_weight=weight).fit([[1], [2]], [0, 1])


@pytest.mark.parametrize("how", ["weight", "importance"])
@pytest.mark.parametrize(
    ("weight", "at", "words"),
    [
        ([1, -2.5, 1], 1, "'w' is -2.5 in row {}, which is negative"),
        ([1, 1, np.inf], 2, "'w' is inf in row {}, which is not finite"),
        ([1, np.nan, 1], 1, "'w' is nan in row {}, which is not finite"),
        ([0, 0, 0], 0, "every row has weight zero"),
    ],
)
@pytest.mark.parametrize("learner", [tl.NaiveBayes(), tl.C45()], ids=["tally", "plain"])
def test_weights_that_are_none_are_named_with_column_row_and_value(
    learner: Any, how: str, weight: list[float], at: int, words: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y": [*"uvu"], "w": weight})
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (frame, tmp_path / "t.parquet"):
        said = words if "every" in words else f"the {how} {words.format(at)}"
        with pytest.raises(errors.InputError, match=said):
            learner.fit(tl.table(source, target="y", **{how: "w"}))


def test_a_table_has_one_kind_of_weight() -> None:
    frame = {"x": [1.0, 2], "y": [*"uv"], "w": [1, 2]}
    with pytest.raises(errors.OptionError, match="weight='w' and importance='w' exclude"):
        tl.table(frame, target="y", weight="w", importance="w")
    with pytest.raises(errors.ColumnError, match="importance: the table has no column 'v'"):
        tl.table(frame, target="y", importance="v")


def test_an_evaluation_says_what_its_weights_mean() -> None:
    frame = pd.DataFrame({"x": [*"aabb"] * 5, "y": [*"uuvv"] * 5, "w": [1.0, 3.0] * 10})
    for how, words in (("weight", "frequencies"), ("importance", "of importance")):
        table = tl.table(frame, target="y", **{how: "w"})
        found = unwrapped(tl.evaluate(tl.NaiveBayes(), table, cv=4))
        assert f"The weights are {words} to the learner" in found
        assert "the 20 rows for 16 of equal weight (Kish)" in found
    assert "Kish" not in str(tl.evaluate(tl.NaiveBayes(), frame[["x", "y"]], "y", cv=4))


def test_a_schema_keeps_what_the_weights_are() -> None:
    frame = pd.DataFrame({"x": [1.5, 2, 3], "y": [*"uvu"], "w": [1, 2, 3]})
    found = tl.check(tl.table(frame, target="y", importance="w"))
    assert found.schema["importance"] == "w"
    table = tl.table(frame, schema=found.schema)
    assert table.declared.importance
    assert not tl.table(frame, schema=found.schema, weight="w").declared.importance


def test_the_command_takes_importances() -> None:
    Path("t.csv").write_text("x,y,w\na,u,0.5\nb,v,1.5\na,u,2\nb,v,4\na,v,1\n")
    learn = ("learn", "t.csv", "--target", "y", "--model", "bayes", "-o", "m.tally", "--force")
    assert "fitted to 5 rows" in fine(*learn, "--importance", "w")
    table = tl.table("t.csv", target="y", importance="w")
    assert modelfile.digests(tl.load("m.tally")) == modelfile.digests(tl.NaiveBayes().fit(table))
    Path("one.csv").write_text("x,y,w\na,u,0.5\n")
    assert "--importance" in failed("forget", "m.tally", "one.csv", "--weight", "w")
    fine("forget", "m.tally", "one.csv", "--importance", "w")
    rest = tl.NaiveBayes().fit(table.load()[1:])
    assert modelfile.digests(tl.load("m.tally")) == modelfile.digests(rest)
    for command in (("evaluate", "t.csv", "--target", "y", "--model", "bayes", "--cv", "2"),
                    ("evaluate", "m.tally", "t.csv")):  # fmt: skip
        assert "of importance" in fine(*command, "--importance", "w")
    assert failed(*learn, "--importance", "w", "--weight", "w").startswith(
        "--weight w and --importance w exclude each other."
    )


def test_a_logistic_model_says_that_its_rows_were_compared() -> None:
    table = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "y": [*"ababab"], "w": [2.0, 1, 1, 3, 1, 1]})
    says = "learned from 6 rows, by importance, of 1 column ('x')"
    for learner in (tl.LogisticRegression(), tl.NaiveBayes()):
        assert says in repr(learner.fit(tl.table(table, target="y", importance="w")))
    assert "importance" not in repr(tl.LogisticRegression().fit(table[["x"]], table["y"]))
    light = tl.LogisticRegression().fit(table[["x"]], table["y"], sample_weight=table["w"] / 8)
    assert ", with sample weights, of" in repr(light)
    assert "importance" not in repr(light.fit(table[["x"]], table["y"]))


def test_summaries_say_that_errors_are_of_so_many_rows() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    frame = pd.DataFrame({"x": x, "z": x + rng.normal(size=80), "w": rng.uniform(2, 9, 80)})
    frame["y"] = np.where(x + rng.normal(size=80) > 0, "a", "b")
    said = "importances: standard errors and tests use 80 rows"
    for learner, target, ignored in (
        (tl.LinearRegression(), "z", "y"), (tl.LogisticRegression(C=np.inf), "y", "z")
    ):  # fmt: skip
        for option, there in (("importance", True), ("weight", False)):
            table = tl.table(frame, target=target, ignore=[ignored], **{option: "w"})
            assert (said in str(learner.fit(table).summary())) is there
    penalised = tl.Ridge().fit(tl.table(frame, target="z", ignore=["y"], importance="w"))
    assert said not in str(penalised.summary())
