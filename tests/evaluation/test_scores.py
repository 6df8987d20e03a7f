"""Scores agree with scikit-learn's on random predictions, and say why where there is none."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isnan, sqrt
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from tallylearn.errors import InputError, OptionError, TargetError
from tallylearn.estimators.decision_threshold import threshold
from tallylearn.evaluation.scores.confusion_matrix import table
from tallylearn.evaluation.scores.losses import calibration
from tallylearn.evaluation.scores.predictions import Predictions, tally_by_group
from tallylearn.evaluation.scores.score import SCORES, measure, standard_error
from tallylearn.evaluation.scores.score_names import read_scores
from tallylearn.tables import Codes
from tallylearn.tallies import Bundle, Ranks
from tallylearn.tallies.weights import round_weights

Golden = dict[str, dict[str, Any]]
Array = np.ndarray[Any, Any]


def codes(values: tuple[Any, ...], at: Array) -> Codes:
    return Codes(values, np.asarray(at, dtype=np.int32))


def random_answers(k: int, weight: str, seed: int = 0, n: int = 400) -> Predictions:
    """Predictions with ties in the probabilities, none of them zero."""
    rng = np.random.default_rng(seed)
    proba = rng.integers(1, 6, size=(n, k)) / 1.0
    proba /= proba.sum(axis=1, keepdims=True)
    truth = (rng.random(n)[:, None] > proba.cumsum(axis=1)).sum(axis=1)
    weights = {
        "none": None,
        "whole": rng.integers(1, 9, size=n).astype(float),
        "fractions": round_weights(rng.random(n) + 0.01),
    }
    names = tuple("abcde"[:k])
    said = np.where(rng.random(n) < 0.3, rng.integers(0, k, n), proba.argmax(axis=1))
    return Predictions(codes(names, truth), codes(names, said), names, proba, weights[weight])


def named(predictions: Predictions) -> tuple[list[Any], list[Any], dict[str, Any]]:
    return (
        predictions.truth.items(),
        predictions.said.items(),
        {"sample_weight": predictions.weight},
    )


def scored(predictions: Predictions, name: str, positive: Any = None) -> float:
    return SCORES[name].value(predictions.tally([name], positive), positive)


every_weight = pytest.mark.parametrize("weight", ["none", "whole", "fractions"])


@every_weight
@pytest.mark.parametrize("k", [2, 3, 5])
def test_counted_scores_are_those_of_scikit_learn(k: int, weight: str) -> None:
    predictions = random_answers(k, weight)
    truth, said, weights = named(predictions)
    same = pytest.approx
    assert scored(predictions, "accuracy") == same(metrics.accuracy_score(truth, said, **weights))
    assert scored(predictions, "error") == same(metrics.zero_one_loss(truth, said, **weights))
    theirs = metrics.balanced_accuracy_score(truth, said, **weights)
    assert scored(predictions, "balanced_accuracy") == same(theirs)
    rates = {
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "f1": metrics.f1_score,
    }
    for name, theirs in rates.items():
        for average in ("macro", "micro", "weighted"):
            found = scored(predictions, f"{name}_{average}")
            assert found == same(theirs(truth, said, average=average, **weights)), average
        for positive in predictions.classes:
            each = theirs(truth, said, labels=[positive], average=None, **weights)[0]
            assert scored(predictions, name, positive) == same(each)


@every_weight
@pytest.mark.parametrize("k", [2, 3, 5])
def test_losses_of_probabilities_are_those_of_scikit_learn(k: int, weight: str) -> None:
    predictions = random_answers(k, weight)
    truth, _, weights = named(predictions)
    labels = list(predictions.classes)
    theirs = metrics.log_loss(truth, predictions.proba, labels=labels, **weights)
    assert scored(predictions, "log_loss") == pytest.approx(theirs, rel=1e-12)
    ones = np.eye(k)[predictions.truth.codes]
    apart = np.average(((predictions.proba - ones) ** 2).sum(axis=1), weights=predictions.weight)
    assert scored(predictions, "brier") == pytest.approx(apart / 2 if k == 2 else apart, rel=1e-12)
    if k == 2:
        second = predictions.proba[:, 1]
        theirs = metrics.brier_score_loss(truth, second, pos_label="b", **weights)
        assert scored(predictions, "brier") == pytest.approx(theirs, rel=1e-12)


@every_weight
@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_area_under_the_curve_is_scikit_learns_with_ties(k: int, weight: str) -> None:
    predictions = random_answers(k, weight)
    truth = np.array(predictions.truth.items())
    areas = [
        metrics.roc_auc_score(
            truth == value, predictions.proba[:, at], sample_weight=predictions.weight
        )
        for at, value in enumerate(predictions.classes)
    ]
    for value, area in zip(predictions.classes, areas, strict=True):
        assert scored(predictions, "roc_auc", value) == pytest.approx(area, rel=1e-12)
    assert scored(predictions, "roc_auc_ovr") == pytest.approx(np.mean(areas), rel=1e-12)
    if k == 2:
        assert scored(predictions, "roc_auc") == scored(predictions, "roc_auc", "b")


@every_weight
def test_the_roc_curve_is_scikit_learns(weight: str) -> None:
    predictions = random_answers(2, weight)
    ranks = predictions.tally(["roc_auc"])["ranks"]["b"]
    positive = np.array(predictions.truth.items()) == "b"
    theirs = metrics.roc_curve(
        positive, predictions.proba[:, 1], sample_weight=predictions.weight, drop_intermediate=False
    )
    for ours, other in zip(ranks.roc(), theirs, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12)


def test_the_area_is_exact_to_the_last_bit() -> None:
    rng = np.random.default_rng(1)
    scores, positive = rng.integers(0, 20, 300) / 20, rng.random(300) < 0.3
    pairs = [
        Fraction(int(p > n) * 2 + int(p == n), 2)
        for p in scores[positive]
        for n in scores[~positive]
    ]
    assert Ranks.of(scores, positive).auc == float(sum(pairs) / len(pairs))
    huge = np.full(300, 2.0**50)  # whose products pass 64 bits
    assert Ranks.of(scores, positive, huge).auc == float(sum(pairs) / len(pairs))


@every_weight
def test_calibration_is_the_mean_and_the_share_in_every_bin(weight: str) -> None:
    predictions = random_answers(2, weight)
    weights = np.ones(400) if predictions.weight is None else predictions.weight
    p, true = predictions.proba[:, 1], predictions.truth.codes == 1
    rows, said, share = calibration(predictions.tally(["ece"]))
    gap = 0.0
    for at in range(10):
        here = (p >= at / 10) & (p < (at + 1) / 10)
        assert rows[at] == pytest.approx(weights[here].sum())
        if here.any():
            mean = np.average(p[here], weights=weights[here])
            part = np.average(true[here], weights=weights[here])
            assert (said[at], share[at]) == pytest.approx((mean, part))
            gap += weights[here].sum() / weights.sum() * abs(mean - part)
        else:
            assert isnan(said[at])
            assert isnan(share[at])
    assert scored(predictions, "ece") == pytest.approx(gap)
    both = scored(predictions, "ece"), scored(predictions, "ece", "a")
    assert scored(predictions, "ece_ovr") == pytest.approx(np.mean(both))


@every_weight
@pytest.mark.parametrize("outputs", [None, 1, 3])
def test_regression_scores_are_those_of_scikit_learn(outputs: int | None, weight: str) -> None:
    rng = np.random.default_rng(2)
    shape = (300,) if outputs is None else (300, outputs)
    truth, noise = 1e6 + rng.normal(size=shape), rng.normal(size=shape)
    weights = {"none": None, "whole": rng.integers(1, 9, 300) / 1.0,
               "fractions": round_weights(rng.random(300) + 0.01)}[weight]  # fmt: skip
    predictions = Predictions(truth, truth + noise, weight=weights)
    theirs = {
        "mae": metrics.mean_absolute_error,
        "mse": metrics.mean_squared_error,
        "rmse": metrics.root_mean_squared_error,
        "r2": metrics.r2_score,
        "explained_variance": metrics.explained_variance_score,
    }
    for name, call in theirs.items():
        expected = call(truth, truth + noise, sample_weight=weights)
        assert scored(predictions, name) == pytest.approx(expected, rel=1e-9), name
    length = np.linalg.norm((predictions.truth - predictions.said).reshape(300, -1), axis=1)
    expected = np.average(length, weights=weights)
    assert scored(predictions, "euclidean") == pytest.approx(expected, rel=1e-12)


def test_scores_of_merged_parts_are_those_of_the_whole_to_the_bit() -> None:
    predictions = random_answers(3, "fractions")
    names = read_scores([s.name for s in SCORES.values() if s.task == "classifier"],
                   "classifier", 3, positive="b")  # fmt: skip
    whole = predictions.tally(names, "b")
    parts = sum((predictions[start : start + 70].tally(names, "b") for start in range(0, 400, 70)),
                Bundle())  # fmt: skip
    assert parts == whole
    for name in names:
        assert measure(parts, name, "b") == measure(whole, name, "b")


def test_the_published_precision_recall_and_f1(golden: Golden) -> None:
    entry = golden["eval.prf"]
    cells = entry["inputs"]
    truth = [1] * (cells["TP"] + cells["FN"]) + [0] * (cells["FP"] + cells["TN"])
    said = [1] * cells["TP"] + [0] * cells["FN"] + [1] * cells["FP"] + [0] * cells["TN"]
    bundle = Predictions(Codes.of(truth), Codes.of(said)).tally()
    for name, expected in entry["exact"].items():
        assert measure(bundle, name.lower()).value == float(Fraction(expected["fraction"])), name


def test_always_the_majority_is_right_as_often_as_it_occurs(golden: Golden) -> None:
    entry = golden["eval.majority_baseline"]
    positive = round(10 * entry["inputs"]["share_positive"])
    truth = Codes.of(["+"] * positive + ["-"] * (10 - positive))
    bundle = Predictions(truth, Codes.of(["+"] * 10)).tally()
    assert measure(bundle, "accuracy").value == entry["exact"]["decimal"]
    assert measure(bundle, "balanced_accuracy").value == 0.5


def test_the_mean_of_folds_is_not_the_pooled_error(golden: Golden) -> None:
    entry = golden["eval.kfold_mean_vs_pooled"]
    folds = [
        Predictions(
            Codes.of(["a"] * size), Codes.of(["b"] * wrong + ["a"] * (size - wrong))
        ).tally()
        for size, wrong in zip(*entry["inputs"].values(), strict=True)
    ]
    means = [measure(fold, "error").value for fold in folds]
    assert np.mean(means) == pytest.approx(entry["exact"]["mean_of_folds"]["decimal"], rel=1e-15)
    assert measure(sum(folds, Bundle()), "error").value == entry["exact"]["pooled"]["decimal"]
    assert measure(sum(folds, Bundle()), "error").share == (2, 7)


def test_a_class_that_is_never_predicted_has_no_precision_and_says_so() -> None:
    truth, said = Codes.of(["a", "b", "c", "a"]), Codes.of(["a", "b", "a", "a"])
    bundle = Predictions(truth, said).tally()
    for name in ("precision_macro", "precision_weighted"):
        found = measure(bundle, name)
        assert isnan(found.value)
        assert found.reason == "class 'c' was never predicted"
    assert measure(bundle, "recall_macro").value == pytest.approx(2 / 3)
    theirs = metrics.f1_score(truth.items(), said.items(), average="macro")
    assert measure(bundle, "f1_macro").value == pytest.approx(theirs)
    lines = {line.value: line for line in table(bundle)}
    assert isnan(lines["c"].precision.value)
    assert (lines["c"].recall.value, lines["c"].f1.value, lines["c"].support) == (0, 0, 1)
    assert [line.value for line in table(bundle, "c")] == ["c"]


def test_the_table_is_scikit_learns_report() -> None:
    predictions = random_answers(3, "whole")
    truth, said, weights = named(predictions)
    columns = metrics.precision_recall_fscore_support(truth, said, **weights)
    for at, line in enumerate(table(predictions.tally())):
        ours = line.precision.value, line.recall.value, line.f1.value, line.support
        assert ours == pytest.approx([column[at] for column in columns])


def test_a_fold_with_one_class_has_an_accuracy_but_no_area() -> None:
    proba = np.array([[0.7, 0.3], [0.4, 0.6]])
    truth, said = codes(("no", "yes"), [0, 0]), codes(("no", "yes"), [0, 1])
    names = ["accuracy", "precision", "recall", "roc_auc", "log_loss", "ece"]
    bundle = Predictions(truth, said, ("no", "yes"), proba).tally(names)
    assert measure(bundle, "accuracy").value == 0.5
    assert measure(bundle, "precision").value == 0
    assert measure(bundle, "recall").reason == "class 'yes' is not among the truth"
    assert isnan(measure(bundle, "roc_auc").value)
    assert "'yes'" in measure(bundle, "roc_auc").reason
    assert measure(bundle, "log_loss").value == pytest.approx(-(np.log(0.7) + np.log(0.4)) / 2)


def test_a_class_unknown_to_the_model_has_probability_zero() -> None:
    truth = Codes.of(["a", "b", "c"])
    proba = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    predictions = Predictions(truth, Codes.of(["a", "b", "a"]), ("a", "b"), proba)
    bundle = predictions.tally(["log_loss", "brier", "roc_auc_ovr"])
    found = measure(bundle, "log_loss")
    assert found.value == inf
    assert found.reason.startswith("the true class has probability 0 in 1 row; clipped as in")
    assert isnan(standard_error(bundle, "log_loss"))
    assert measure(bundle, "brier").value == pytest.approx((0.02 + 0.08 + 1.5) / 3)
    assert measure(bundle, "roc_auc_ovr").value == pytest.approx((1 + 1 + 0.5) / 3)
    one = predictions[:2].tally(["log_loss"])
    assert measure(one, "log_loss").value == pytest.approx(-(np.log(0.9) + np.log(0.8)) / 2)
    assert bundle - predictions[2:].tally(["log_loss", "brier", "roc_auc_ovr"]) == predictions[
        :2
    ].tally(["log_loss", "brier", "roc_auc_ovr"])


@pytest.mark.parametrize("name", [name for name, s in SCORES.items() if s.task == "classifier"])
def test_no_answers_have_no_score(name: str) -> None:
    nobody = codes(("a", "b"), [])
    bundle = Predictions(nobody, nobody, ("a", "b"), np.zeros((0, 2))).tally([name])
    found = measure(bundle, name)
    assert isnan(found.value)
    assert found.reason
    assert isnan(standard_error(bundle, name))


@pytest.mark.parametrize("name", [name for name, s in SCORES.items() if s.task == "regressor"])
@pytest.mark.parametrize("shape", [(0,), (0, 2)])
def test_no_numbers_have_no_score(name: str, shape: tuple[int, ...]) -> None:
    bundle = Predictions(np.zeros(shape), np.zeros(shape)).tally([name])
    assert isnan(measure(bundle, name).value)
    assert measure(bundle, name).reason == "there are no rows"


def test_a_constant_truth_has_no_variance_to_explain() -> None:
    bundle = Predictions([1.0, 1.0], [1.0, 2.0]).tally(["r2", "mse"])
    assert isnan(measure(bundle, "r2").value)
    assert "no variance" in measure(bundle, "r2").reason
    assert measure(bundle, "mse").value == 0.5


def test_standard_errors_are_those_of_a_mean() -> None:
    predictions = random_answers(2, "none")
    bundle = predictions.tally(["accuracy", "log_loss", "brier", "roc_auc", "f1"])
    losses = -np.log(predictions.proba[np.arange(400), predictions.truth.codes])
    assert standard_error(bundle, "log_loss") == pytest.approx(losses.std(ddof=1) / 20)
    squares = (predictions.proba[:, 1] - predictions.truth.codes) ** 2
    assert standard_error(bundle, "brier") == pytest.approx(squares.std(ddof=1) / 20)
    share = measure(bundle, "accuracy").value
    assert standard_error(bundle, "accuracy") == pytest.approx(sqrt(share * (1 - share) / 400))
    assert isnan(standard_error(bundle, "f1"))
    numbers = Predictions([1.0, 2.0, 4.0], [1.0, 1.0, 1.0]).tally(["mae"])
    assert standard_error(numbers, "mae") == pytest.approx(np.std([0, 1, 3], ddof=1) / sqrt(3))


def test_the_error_of_the_area_is_delongs() -> None:
    rng = np.random.default_rng(3)
    scores, positive = rng.integers(0, 9, 60) / 9, rng.random(60) < 0.4
    yes, no = scores[positive], scores[~positive]
    wins = (yes[:, None] > no) + 0.5 * (yes[:, None] == no)
    parts = wins.mean(axis=1).var(ddof=1) / len(yes) + wins.mean(axis=0).var(ddof=1) / len(no)
    assert Ranks.of(scores, positive).standard_error() == pytest.approx(sqrt(parts))


def test_groups_add_up_to_the_whole() -> None:
    predictions = random_answers(2, "whole")
    groups = codes(("s", "n", "unseen"), np.arange(400) % 3 % 2)
    names = ["accuracy", "log_loss", "roc_auc"]
    found = tally_by_group(predictions, groups, names)
    assert list(found) == ["n", "s"]
    assert tally_by_group(predictions, groups, "accuracy") == tally_by_group(
        predictions, groups, ["accuracy"]
    )
    assert found["n"] + found["s"] == predictions.tally(names)
    assert found["n"] == predictions[np.flatnonzero(groups.codes == 1)].tally(names)
    with pytest.raises(InputError, match="399 groups for 400 predictions"):
        tally_by_group(predictions, groups[:399], names)


def test_rows_without_a_group_stand_apart() -> None:
    predictions = Predictions(Codes.of(["a", "b", "a"]), Codes.of(["a", "a", "a"]))
    found = tally_by_group(predictions, Codes.of(["n", None, "n"]))
    shares = {group: measure(bundle, "accuracy").share for group, bundle in found.items()}
    assert shares == {"n": (2, 2), None: (0, 1)}


@pytest.mark.parametrize("costs", [(1, 1), (1, 5), (5, 1), (0.3, 0)])
def test_the_threshold_costs_least_of_all(costs: tuple[float, float]) -> None:
    rng = np.random.default_rng(4)
    scores, positive = rng.integers(0, 30, 200) / 30, rng.random(200) < 0.4
    found = threshold(Ranks.of(scores, positive), costs)
    slow = {}
    for at in [inf, *sorted(set(scores), reverse=True)]:
        said = scores >= at
        slow[at] = costs[0] * (said & ~positive).sum() + costs[1] * (~said & positive).sum()
    assert found.cost == pytest.approx(min(slow.values()))
    assert found.value == next(at for at in slow if slow[at] == min(slow.values()))
    assert dict(zip(found.thresholds, found.costs, strict=True)) == pytest.approx(slow)
    assert found.rows == 200


@pytest.mark.parametrize("costs", [(1,), (-1, 1), (1, inf), (float("nan"), 1)])
def test_impossible_costs_are_refused(costs: Any) -> None:
    with pytest.raises(OptionError, match="costs is"):
        threshold(Ranks.of(np.array([0.5]), np.array([True])), costs)


def test_a_threshold_of_nothing_is_refused() -> None:
    with pytest.raises(OptionError, match="no ranked rows"):
        threshold(Ranks.empty(), (1, 1))


@pytest.mark.parametrize(
    ("names", "task", "k", "proba", "words"),
    [
        ("acuracy", "classifier", 2, True, "no score 'acuracy'. Did you mean 'accuracy'"),
        ("mse", "classifier", 2, True, "is for a regressor, but this is a classifier"),
        ("f1", "classifier", 3, True, "there are 3: name it with positive="),
        ("log_loss", "classifier", 2, False, "needs probabilities"),
        (["accuracy", "roc_auc"], "classifier", 2, False, "'roc_auc' needs probabilities"),
    ],
)
def test_a_score_that_does_not_fit_is_refused(
    names: Any, task: str, k: int, proba: bool, words: str
) -> None:
    with pytest.raises(OptionError, match=words.replace("(", r"\(")):
        read_scores(names, task, k, ("probabilities", "ranking") if proba else ())


def test_scores_that_fit_are_taken_once_each() -> None:
    assert read_scores("mae", "regressor") == ("mae",)
    assert read_scores(["f1", "accuracy", "f1"], "classifier", 3, positive="a") == (
        "f1",
        "accuracy",
    )


@pytest.mark.parametrize(
    ("proba", "words"),
    [
        ([[0.5, 0.5], [1.2, -0.2]], "row 8 has the probability 1.2 for class 'a'"),
        ([[0.5, 0.5], [0.5, float("nan")]], "row 8 has the probability nan for class 'b'"),
        ([[0.5, 0.4], [0.5, 0.5]], "row 7 sum to 0.9"),
        ([[0.5], [0.5]], r"the shape \(2, 1\), but there are 2 classes"),
        ([[0.5, 0.5]], "2 true values and 1 probabilities"),
    ],
)
def test_probabilities_that_are_none_are_refused(proba: Any, words: str) -> None:
    truth = Codes.of(["a", "b"])
    with pytest.raises(InputError, match=words):
        Predictions(truth, truth, ("a", "b"), np.array(proba), start=7)


@pytest.mark.parametrize(
    ("truth", "said", "weight", "words"),
    [
        ([1.0, float("nan")], [1.0, 2.0], None, "'truth' has nan in row 1"),
        ([1.0, 2.0], [float("nan"), 2.0], None, "the prediction for row 0 is nan"),
        ([1.0, 2.0], [1.0, inf], None, "the prediction for row 1 is inf"),
        ([1.0, 2.0], [1.0], None, "2 true values and 1 predictions"),
        ([1.0, 2.0], [[1.0], [2.0]], None, r"shape \(2,\), and the predictions \(2, 1\)"),
        ([1.0, 2.0], [1.0, 2.0], [1.0, -1.0], "'weight' has -1.0 in row 1"),
        (Codes.of(["a", None]), Codes.of(["a", "a"]), None, "'truth' has None in row 1"),
        (Codes.of(["a", "b"]), Codes.of([None, "a"]), None, "prediction for row 0 is None"),
    ],
)
def test_answers_that_are_none_are_refused(truth: Any, said: Any, weight: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Predictions(truth, said, weight=weight)


def test_rows_of_weight_zero_are_no_rows() -> None:
    predictions = random_answers(2, "whole")
    weight = np.where(np.arange(400) < 300, predictions.weight, 0.0)
    names = ["accuracy", "log_loss", "brier", "roc_auc", "ece"]
    none = Predictions(
        predictions.truth, predictions.said, predictions.classes, predictions.proba, weight
    )
    assert none.tally(names) == predictions[:300].tally(names)
    assert isnan(scored(none[300:], "roc_auc"))
    assert isnan(scored(none[300:], "accuracy"))


def test_the_only_class_there_is_has_to_be_named() -> None:
    bundle = Predictions(Codes.of(["a", "a"]), Codes.of(["a", "a"])).tally()
    with pytest.raises(OptionError, match=r"the classes are 'a'. .*positive="):
        measure(bundle, "recall")
    with pytest.raises(OptionError, match=r"positive is 'z'.* Choose from 'a'"):
        measure(bundle, "recall", "z")
    assert measure(bundle, "recall", "a").value == 1


def test_text_and_numbers_are_not_the_same_classes() -> None:
    with pytest.raises(TargetError, match=r"values are like '0', but the predictions are like 0"):
        Predictions(Codes.of(["0", "1"]), Codes.of([0, 1]))


def test_an_error_beyond_every_double_is_named_where_it_matters() -> None:
    predictions = Predictions([0.0, 1e200], [0.0, -1e200])
    assert scored(predictions, "mae") == 1e200
    with pytest.raises(InputError, match=r"row 1: the true value is 1e\+200"):
        predictions.tally(["mse"])


def test_probabilities_that_rounding_pushed_out_are_taken_as_they_are() -> None:
    truth = Codes.of(["a", "b"])
    proba = np.array([[1 + 2e-16, -2e-16], [1 + 2e-16, -2e-16]])
    bundle = Predictions(truth, truth, ("a", "b"), proba).tally(["log_loss", "ece", "roc_auc"])
    assert measure(bundle, "log_loss").value == inf
    assert measure(bundle, "ece").value == pytest.approx(0.5)


def test_more_rows_than_a_block_are_summed_without_overflow() -> None:
    n = 150_000
    weight = np.full(n, 1023.0)
    assert scored(Predictions(np.full(n, 3.0), np.zeros(n), weight=weight), "mse") == 9


def test_a_threshold_is_written_in_a_line_and_needs_a_cost() -> None:
    ranks = Ranks.of(np.linspace(0, 1, 1000), np.arange(1000) % 2 == 0)
    assert len(repr(threshold(ranks, (1, 5)))) < 80
    with pytest.raises(OptionError, match="not both 0"):
        threshold(ranks, (0, 0))


def test_a_row_tested_four_times_spreads_as_one_row_does() -> None:
    """A unit of weight that stands for a quarter of a row: twice the spread, drawn or solved."""
    bundle = Predictions(Codes.of([*"ab"] * 60), Codes.of([*"abbb"] * 30)).tally()
    once, quarter = (standard_error(bundle, "accuracy", share=share) for share in (1.0, 0.25))
    assert quarter == pytest.approx(2 * once)


def test_balanced_accuracy_leaves_out_a_class_that_is_only_predicted() -> None:
    truth, said = [*"aab"], [*"acb"]
    found = measure(Predictions(Codes.of(truth), Codes.of(said)).tally(), "balanced_accuracy")
    assert found.value == (1 / 2 + 1) / 2
