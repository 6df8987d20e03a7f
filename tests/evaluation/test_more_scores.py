"""Scores that rank, agree and err in shares are scikit-learn's, with ties, weights and nothing."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from math import inf, isnan
from typing import Any

import numpy as np
import pytest
from sklearn import metrics
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError
from tallylearn.evaluation.scores.predictions import Predictions
from tallylearn.evaluation.scores.score import SCORES, measure
from tallylearn.evaluation.scores.score_names import read_scores
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS
from tallylearn.statistics.roc_area import delong_difference
from tallylearn.tables import Codes
from tests.evaluation.test_scores import every_weight, named, random_answers, scored

Array = np.ndarray[Any, Any]
CLASSES = [2, 3, 5]


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-14)


@every_weight
@pytest.mark.parametrize("k", CLASSES)
def test_agreement_is_scikit_learns(k: int, weight: str) -> None:
    predictions = random_answers(k, weight, seed=k)
    truth, said, weights = named(predictions)
    assert scored(predictions, "mcc") == close(metrics.matthews_corrcoef(truth, said, **weights))
    for name, power in (
        ("kappa", None),
        ("kappa_linear", "linear"),
        ("kappa_quadratic", "quadratic"),
    ):
        expected = metrics.cohen_kappa_score(truth, said, weights=power, **weights)
        assert scored(predictions, name) == close(expected)


@every_weight
@pytest.mark.parametrize("k", CLASSES)
@pytest.mark.parametrize("beta", ["0.5", "2", "3.25", ".1"])
def test_every_f_is_scikit_learns(k: int, weight: str, beta: str) -> None:
    predictions = random_answers(k, weight, seed=k)
    truth, said, weights = named(predictions)
    for average in ("macro", "micro", "weighted"):
        expected = metrics.fbeta_score(truth, said, beta=float(beta), average=average, **weights)
        assert scored(predictions, f"f{beta}_{average}") == close(expected)
    each = metrics.fbeta_score(truth, said, beta=float(beta), average=None, **weights)
    for value, expected in zip(predictions.classes, each, strict=True):
        assert scored(predictions, f"f{beta}", value) == close(expected)


@every_weight
@pytest.mark.parametrize("k", CLASSES)
def test_average_precision_and_its_curve_are_scikit_learns_with_ties(k: int, weight: str) -> None:
    predictions = random_answers(k, weight, seed=k)
    truth = np.array(predictions.truth.items())
    areas = []
    for at, value in enumerate(predictions.classes):
        given = truth == value, predictions.proba[:, at]
        areas += [metrics.average_precision_score(*given, sample_weight=predictions.weight)]
        assert scored(predictions, "average_precision", value) == close(areas[-1])
        ranks = predictions.tally(["average_precision"], value)["ranks"][value]
        precision, recall, thresholds = metrics.precision_recall_curve(
            *given, sample_weight=predictions.weight
        )
        ours = ranks.precision_recall()
        np.testing.assert_allclose(ours[0][::-1], precision, rtol=1e-12)
        np.testing.assert_allclose(ours[1][::-1], recall, rtol=1e-12)
        assert ours[2][:0:-1].tolist() == thresholds.tolist()
    assert scored(predictions, "average_precision_ovr") == close(np.mean(areas))


@every_weight
def test_lift_is_the_share_of_positives_over_that_of_all_rows(weight: str) -> None:
    predictions = random_answers(2, weight)
    weights = np.ones(len(predictions)) if predictions.weight is None else predictions.weight
    positive = predictions.truth.codes == 1
    share, lift, thresholds = predictions.tally(["roc_auc"], "b")["ranks"]["b"].lift()
    for at, threshold in enumerate(thresholds):
        called = predictions.proba[:, 1] >= threshold
        assert share[at] == close(weights[called].sum() / weights.sum())
        among = np.average(positive[called], weights=weights[called])
        assert lift[at] == close(among / np.average(positive, weights=weights))
    assert (share[-1], lift[-1]) == (1, 1)


@every_weight
@pytest.mark.parametrize("k", [3, 5])
def test_the_truth_among_the_first_classes_is_scikit_learns_with_ties(k: int, weight: str) -> None:
    predictions = random_answers(k, weight, seed=k)
    truth, _, weights = named(predictions)
    for top in range(1, k):
        theirs = metrics.top_k_accuracy_score(truth, predictions.proba, k=top, **weights)
        assert scored(predictions, f"top_{top}_accuracy") == close(theirs)
    assert scored(predictions, f"top_{k}_accuracy") == 1
    assert measure(predictions.tally(["top_2_accuracy"]), "top_2_accuracy").share is not None


@every_weight
@pytest.mark.parametrize("outputs", [None, 3])
def test_errors_as_shares_and_by_quantile_are_scikit_learns(
    outputs: int | None, weight: str
) -> None:
    rng = np.random.default_rng(5)
    shape = (300,) if outputs is None else (300, outputs)
    truth, said = rng.normal(size=shape), rng.normal(size=shape).round(1)
    weights = {"none": None, "whole": rng.integers(1, 9, 300) / 1.0,
               "fractions": rng.integers(1, 99, 300) / 64}[weight]  # fmt: skip
    predictions = Predictions(truth, said, weight=weights)
    theirs = metrics.mean_absolute_percentage_error(truth, said, sample_weight=weights)
    assert scored(predictions, "mape") == close(theirs)
    for name, alpha in (("pinball", 0.5), ("pinball_0.9", 0.9), ("pinball_.25", 0.25)):
        theirs = metrics.mean_pinball_loss(truth, said, sample_weight=weights, alpha=alpha)
        assert scored(predictions, name) == close(theirs)


def test_a_truth_of_zero_has_no_relative_error_unless_it_was_met() -> None:
    met = Predictions([0.0, 2.0], [0.0, 1.0]).tally(["mape"])
    assert measure(met, "mape").value == 0.25
    missed = Predictions([0.0, 2.0, 5e-324], [1.0, 1.0, 1.0]).tally(["mape"])
    assert measure(missed, "mape").value == inf
    assert measure(missed, "mape").reason == ("the truth is 0, and the answer is not, in 2 rows")
    assert measure(met + missed, "mape").value == inf


def one_class(said: str) -> Predictions:
    codes = Codes.of([*"aaaa"])
    return Predictions(Codes(("a", "b"), codes.codes), Codes.of([*said]))


@pytest.mark.parametrize(
    ("said", "name", "reason"),
    [
        ("abab", "mcc", "one class alone is true"),
        ("aaaa", "mcc", "one class alone is true"),
        ("aaaa", "kappa", "truth and predictions are one class"),
        ("aaaa", "kappa_quadratic", "truth and predictions are one class"),
        ("aaaa", "f2", "class 'b' is neither true nor predicted"),
    ],
)
def test_what_is_nothing_by_nothing_has_a_reason(said: str, name: str, reason: str) -> None:
    found = measure(one_class(said).tally(), name, "b" if name == "f2" else None)
    assert isnan(found.value)
    assert found.reason.startswith(reason)


def test_a_class_without_rows_has_no_average_precision() -> None:
    proba = np.array([[0.7, 0.3], [0.4, 0.6]])
    predictions = Predictions(
        Codes(("a", "b"), np.zeros(2, np.int32)), Codes.of([*"ab"]), ("a", "b"), proba
    )
    found = measure(predictions.tally(["average_precision"], "b"), "average_precision", "b")
    assert isnan(found.value)
    assert found.reason == "class 'b' has no row"
    assert scored(predictions, "average_precision", "a") == 1


def test_huge_counts_keep_their_correlation() -> None:
    predictions = random_answers(3, "none")
    heavy = Predictions(predictions.truth, predictions.said, weight=np.full(400, 2.0**60))
    assert scored(heavy, "mcc") == close(scored(predictions, "mcc"))
    assert scored(heavy, "kappa_quadratic") == close(scored(predictions, "kappa_quadratic"))


# decisions instead of probabilities


@pytest.fixture(scope="module")
def rows() -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(240, 4))
    return X, (X[:, 0] + rng.normal(size=240) > 0.4).astype(int)


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_rows_are_ranked_by_the_decision_where_there_are_no_probabilities(
    rows: tuple[Array, Array], name: str
) -> None:
    folds = StratifiedKFold(5)
    found = tl.evaluate(LinearSVC(), *rows, cv=folds, scoring=name, positive=1)
    theirs = cross_val_score(LinearSVC(), *rows, cv=folds, scoring=name)
    assert found[name].by_fold == pytest.approx(theirs.tolist(), abs=1e-12)
    assert found[name].interval is not None
    assert len(found.roc()[0]) > 100


def test_several_classes_are_ranked_by_their_decisions(rows: tuple[Array, Array]) -> None:
    X, _ = rows
    y = np.digitize(X[:, 1] + X[:, 2] / 2, [-0.5, 0.6])
    names = ["roc_auc_ovr", "top_2_accuracy"]
    found = tl.evaluate(RidgeClassifier(), X, y, cv=StratifiedKFold(4), scoring=names)
    for at, (train, test) in enumerate(StratifiedKFold(4).split(X, y)):
        said = RidgeClassifier().fit(X[train], y[train]).decision_function(X[test])
        areas = [metrics.roc_auc_score(y[test] == c, said[:, c]) for c in range(3)]
        assert found["roc_auc_ovr"].by_fold[at] == close(np.mean(areas))
        top = metrics.top_k_accuracy_score(y[test], said, k=2)
        assert found["top_2_accuracy"].by_fold[at] == close(top)


def test_two_decisions_are_compared_row_by_row_as_delong_does(rows: tuple[Array, Array]) -> None:
    learners = {"svm": LinearSVC(), "ridge": RidgeClassifier(alpha=1e4)}
    found = tl.compare(learners, *rows, cv="holdout", scoring="roc_auc")
    pair = found.difference("svm", "ridge")
    assert pair.test == "paired t over rows"
    tested = tl.evaluate(LinearSVC(), *rows, cv="holdout").predictions["row"]
    X, y = rows
    rest = np.setdiff1d(np.arange(len(y)), tested)
    told = [one.fit(X[rest], y[rest]).decision_function(X[tested]) for one in learners.values()]
    theirs = delong_difference(*told, y[tested] == 1)
    assert pair.mean == pytest.approx(theirs.difference, abs=1e-12)
    more = np.sqrt(1 + TRAINING_ROWS / len(tested))  # for other training rows
    assert pair.error == pytest.approx(more * theirs.error, rel=0.03)  # n for n - 1 of a class


# scikit-learn's names


def cost_in_words(truth: Array, said: Array) -> float:
    return float(np.where(truth != said, 2, 0).mean())


PLAIN = ["accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "roc_auc", "f1_weighted",
         "average_precision", "neg_log_loss", "neg_brier_score", "jaccard", "roc_auc_ovo",
         "positive_likelihood_ratio"]  # fmt: skip


@pytest.mark.parametrize("name", PLAIN)
def test_scikit_learns_names_of_scores_of_classes_are_taken(
    rows: tuple[Array, Array], name: str
) -> None:
    folds, model = StratifiedKFold(5), LogisticRegression()
    theirs = cross_val_score(model, *rows, cv=folds, scoring=name)
    found = tl.evaluate(model, *rows, cv=folds, scoring=name, positive=1)
    ours = next(iter(found))
    sign = -1 if name.startswith("neg_") else 1
    assert ours.by_fold == pytest.approx((sign * theirs).tolist(), rel=1e-9)
    assert found[name] is ours
    assert ours.better == ("low" if sign < 0 else "high")
    assert ours.interval is not None


@pytest.mark.parametrize(
    "name",
    ["r2", "neg_mean_absolute_error", "neg_root_mean_squared_error", "neg_max_error",
     "neg_mean_absolute_percentage_error", "neg_median_absolute_error", "d2_absolute_error_score"],
)  # fmt: skip
def test_scikit_learns_names_of_scores_of_numbers_are_taken(name: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    y, folds = X @ [1, 2, 3] + rng.normal(size=120), KFold(4)
    theirs = cross_val_score(LinearRegression(), X, y, cv=folds, scoring=name)
    found = tl.evaluate(LinearRegression(), X, y, cv=folds, scoring=[name, "mae"])
    ours = next(iter(found))
    sign = -1 if name.startswith("neg_") else 1
    assert ours.by_fold == pytest.approx((sign * theirs).tolist(), rel=1e-9)
    assert found[name] is ours


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("roc_auc_ovo", 0, 1), ("jaccard", 0, 1), ("mutual_info_score", 0, inf),
     ("positive_likelihood_ratio", 0, inf), ("adjusted_rand_score", -1, 1),
     ("d2_log_loss_score", -inf, 1), (metrics.f1_score, 0, 1), (cost_in_words, -inf, inf)],
)  # fmt: skip
def test_intervals_of_scikit_learns_scores_stay_where_these_can_lie(
    rows: tuple[Array, Array], name: Any, least: float, most: float
) -> None:
    X, y = (part[:60] for part in rows)
    found = tl.evaluate(LogisticRegression(), X, y, scoring=name, cv=5)
    score = next(iter(found))
    assert SCORES[found.scores[0]].bounds == (least, most)
    for interval in (score.interval, score.over_folds):
        assert interval is not None
        assert least <= interval.low < interval.high <= most


def test_a_score_that_is_no_share_by_its_options_has_no_bounds(rows: tuple[Array, Array]) -> None:
    hits = make_scorer(metrics.accuracy_score, normalize=False)
    (score,) = tl.evaluate(LogisticRegression(), *rows, scoring=hits, cv=5)
    assert score.value > 1
    assert score.interval is not None
    assert score.interval.low < score.value < score.interval.high


def test_what_scikit_learn_negates_goes_by_the_name_in_the_report() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    both = [tl.evaluate(LinearRegression(), X, y, scoring=name, cv=3).scores
            for name in ("neg_max_error", "max_error")]  # fmt: skip
    assert both == [("max_error",)] * 2


def test_a_scorer_of_one_class_is_of_the_positive_one_where_classes_are_words(
    rows: tuple[Array, Array],
) -> None:
    X, y = rows[0], np.where(rows[1] == 1, "yes", "no")
    found = tl.evaluate(LogisticRegression(), X, y, scoring="jaccard", positive="yes", cv="holdout")
    told = found.predictions
    expected = metrics.jaccard_score(told["truth"], told["said"], pos_label="yes")
    assert found["jaccard"].value == close(expected)
    kept = make_scorer(metrics.jaccard_score, pos_label="no")
    other = tl.evaluate(LogisticRegression(), X, y, scoring=kept, positive="yes", cv="holdout")
    against = metrics.jaccard_score(told["truth"], told["said"], pos_label="no")
    assert next(iter(other)).value == close(against)


def test_every_verb_takes_scoring(rows: tuple[Array, Array]) -> None:
    X, y = rows
    given: dict[str, Any] = {"cv": 3, "scoring": "matthews_corrcoef"}
    learners = {"a": tl.NaiveBayes(), "b": tl.DummyClassifier()}
    assert tl.compare(learners, X, y, cv=3, scoring="neg_log_loss").score == "log_loss"
    assert tl.tune(tl.NaiveBayes(), {"alpha": [1, 2]}, X, y, **given).by == "mcc"
    assert tl.learning_curve(tl.NaiveBayes(), X, y, **given).score == "mcc"
    curve = tl.validation_curve(tl.NaiveBayes(), "alpha", [1, 2], X, y, **given)
    assert curve.score == "mcc"


def test_two_words_for_one_thing_are_refused(rows: tuple[Array, Array]) -> None:
    with pytest.raises(OptionError, match="scoring and scores are the same option"):
        tl.evaluate(tl.NaiveBayes(), *rows, scoring="f1", scores="f1")
    with pytest.raises(OptionError, match="scoring and score are the same option"):
        tl.tune(tl.NaiveBayes(), {"alpha": [1]}, *rows, scoring="f1", score="f1")


@pytest.mark.parametrize(
    "name", ["f0", "f-1", "top_0_accuracy", "pinball_0", "pinball_1.5", "f1e3"]
)
def test_a_number_that_makes_no_score_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match="there is no score"):
        read_scores(name, "regressor" if name.startswith("pin") else "classifier", 2)


# functions and scorers


def cost(truth: Array, said: Array) -> float:
    return float(np.where(truth > said, 5, truth < said).mean())


def weighted_loss(truth: Array, said: Array, sample_weight: Array | None = None) -> float:
    return float(np.average(truth != said, weights=sample_weight))


def test_a_function_is_a_score_with_its_interval_and_its_baseline(
    rows: tuple[Array, Array],
) -> None:
    X, y = rows
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=5, scoring=["accuracy", cost])
    told = found.predictions
    assert found.scores == ("accuracy", "cost")
    assert found["cost"].pooled == cost(told["truth"], told["said"])
    by_fold = [cost(told["truth"][here], told["said"][here])
               for here in (told["fold"] == fold for fold in range(5))]  # fmt: skip
    assert found["cost"].by_fold == pytest.approx(by_fold)
    assert found["cost"].interval is not None
    assert found["cost"].baseline == pytest.approx(5 * y.mean(), abs=0.1)
    assert found["cost"].better == "high"
    again = json.loads(found.to_json())
    assert str(found.report_of(again)) == str(found)
    assert pickle.loads(pickle.dumps(found))["cost"].value == found["cost"].value


@pytest.mark.parametrize("cv", ["holdout", "loo"])
def test_where_there_is_one_fold_bins_of_rows_are_left_out(
    cv: str, rows: tuple[Array, Array]
) -> None:
    found = tl.evaluate(tl.NaiveBayes(), *rows, cv=cv, scoring=cost)
    interval = found["cost"].interval
    assert interval is not None
    assert interval.method == "jackknife"
    told = found.predictions
    each = np.where(told["truth"] > told["said"], 5.0, told["truth"] < told["said"])
    error = np.std(each) / np.sqrt(len(each))
    assert (interval.high - interval.low) / 2 == pytest.approx(1.96 * error, rel=0.25)
    assert interval.low < found["cost"].value < interval.high


def test_a_function_that_takes_weights_is_given_them(rows: tuple[Array, Array]) -> None:
    X, y = rows
    weight = np.arange(1, 241) / 8
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=4, scoring=[weighted_loss, "error"],
                        sample_weight=weight)  # fmt: skip
    assert found["weighted_loss"].by_fold == pytest.approx(found["error"].by_fold)
    assert found["weighted_loss"].better == "low"
    with pytest.raises(
        OptionError, match=r"cost takes no sample_weight, but the rows have weights"
    ):
        _ = tl.evaluate(tl.NaiveBayes(), X, y, cv=4, scoring=cost, sample_weight=weight)["cost"]


def test_two_functions_of_one_name_are_told_apart_by_names(rows: tuple[Array, Array]) -> None:
    one, two = (lambda t, s: (t == s).mean()), (lambda t, s: (t != s).mean())
    found = tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring={"right": one, "wrong": two})
    assert found["right"].value == pytest.approx(1 - found["wrong"].value)
    with pytest.raises(OptionError, match="two scores have the name '<lambda>'"):
        tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring=[one, two])
    first = tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring=one)
    second = tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring=two)
    values = first["<lambda>"].value, second["<lambda>"].value
    assert values == pytest.approx((found["right"].value, found["wrong"].value))


SCORERS: list[tuple[Callable[[], Any], int]] = [
    (lambda: make_scorer(metrics.fbeta_score, beta=2), 1),
    (lambda: make_scorer(metrics.zero_one_loss, greater_is_better=False), -1),
    (lambda: make_scorer(metrics.log_loss, response_method="predict_proba",
                         greater_is_better=False), -1),
    (lambda: make_scorer(metrics.roc_auc_score,
                         response_method=("decision_function", "predict_proba")), 1),
    (lambda: metrics.get_scorer("f1_macro"), 1),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sign"), SCORERS)
def test_a_scorer_of_scikit_learn_is_taken(
    make: Callable[[], Any], sign: int, rows: tuple[Array, Array]
) -> None:
    folds, scorer = StratifiedKFold(5), make()
    theirs = cross_val_score(LogisticRegression(), *rows, cv=folds, scoring=scorer)
    found = tl.evaluate(LogisticRegression(), *rows, cv=folds, scoring=scorer)
    (ours,) = found
    assert ours.by_fold == pytest.approx((sign * theirs).tolist(), rel=1e-9)
    assert ours.better == ("low" if sign < 0 else "high")
    assert ours.name == scorer._score_func.__name__


def test_a_scorer_with_weights_is_given_them(rows: tuple[Array, Array]) -> None:
    X, y = rows
    scorer, weight = make_scorer(metrics.f1_score), np.arange(1, 241) / 8
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv=4, scoring={"own": scorer, "f1": "f1"},
                        sample_weight=weight, positive=1)  # fmt: skip
    assert found["own"].by_fold == pytest.approx(found["f1"].by_fold)


def test_learners_are_compared_tuned_and_drawn_by_a_function(rows: tuple[Array, Array]) -> None:
    X, y = rows
    learners = {"bayes": tl.NaiveBayes(), "none": tl.DummyClassifier()}
    by = make_scorer(cost, greater_is_better=False)
    found = tl.compare(learners, X, y, cv=5, scoring=by)
    assert found.names[0] == "bayes"
    assert "bayes is better than none: cost lower by" in found.verdict
    tuned = tl.tune(tl.NaiveBayes(), {"var_smoothing": [1e-9, 1.0]}, X, y, cv=4, scoring=by)
    values = [c.estimate.value for c in tuned.candidates if c.estimate is not None]
    assert tuned.score.value == min(values)
    curve = tl.learning_curve(tl.NaiveBayes(), X, y, sizes=[0.5, 1.0], cv=4, scoring=by)
    assert "cost" in str(curve)


def test_a_fold_in_which_a_function_has_no_value_says_why() -> None:
    def picky(truth: Array, said: Array) -> float:
        if len(set(truth.tolist())) < 2:
            raise ValueError("only one class\nis here")
        return float((truth == said).mean())

    y = np.array([0] * 30 + [1] * 10)
    splits = [(np.arange(20, 40), np.arange(10)), (np.arange(10), np.arange(20, 40))]
    found = tl.evaluate(tl.DummyClassifier(), np.zeros((40, 1)), y, cv=splits, scoring=picky)
    assert isnan(found["picky"].by_fold[0])
    assert found["picky"].by_fold[1] == 0.5


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda t, s: t == s, KindError, r"returned array[\s\S]*one number"),
        (lambda t, s: "good", KindError, "returned 'good'.* one number"),
        (lambda t, s: t / 0 + missing, InputError, "failed: NameError"),  # type: ignore[name-defined] # noqa: F821
        (lambda model, X, y: 1.0, OptionError, "not a function of .y_true, y_pred."),
        (tl.NaiveBayes(), OptionError, "scoring is NaiveBayes.* Pass the name of a score"),
        ({"f1": "recall"}, OptionError, "'f1' is given as the name of the score 'recall'"),
    ],
)
def test_a_function_that_is_no_score_is_refused(
    function: Any, error: type[Exception], words: str, rows: tuple[Array, Array]
) -> None:
    with pytest.raises(error, match=rf"^evaluate: [\s\S]*{words}"):  # before a report is read
        tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring=function)


def test_a_function_that_fails_on_a_fold_is_refused_before_a_report_is_read(
    rows: tuple[Array, Array],
) -> None:
    n = len(rows[1])

    def of_all(truth: Array, said: Array) -> float:
        return 1.0 if len(truth) == n else missing  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(InputError, match=r"^evaluate: the score 'of_all' failed: NameError"):
        tl.evaluate(tl.NaiveBayes(), *rows, cv=3, scoring=of_all)


def test_a_function_that_fails_on_a_group_is_refused_before_a_report_is_read() -> None:
    frame = {"x": [0.0, 1.0, 2.0, 3.0] * 10, "g": ["a", "b"] * 20, "y": ["u", "v", "v", "u"] * 10}

    def of_many(truth: Array, said: Array) -> float:
        return 1.0 if len(truth) == 40 else missing  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(InputError, match=r"^evaluate: the score 'of_many' failed: NameError"):
        tl.evaluate(tl.NaiveBayes(), frame, "y", cv="loo", by="g", scoring=of_many)


def test_all_listed_scores_have_an_interval_over_folds(rows: tuple[Array, Array]) -> None:
    names = [name for name, score in SCORES.items() if score.task == "classifier"]
    found = tl.evaluate(tl.NaiveBayes(), *rows, cv=5, scoring=names)
    for estimate in found:
        interval = estimate.interval
        assert interval is not None, estimate.name
        least, most = SCORES[estimate.name].bounds
        assert least <= interval.low <= estimate.value <= interval.high <= most, estimate.name


def test_many_classes_without_a_score_are_named_in_part() -> None:
    truth = Codes.of([f"c{i:02d}" for i in range(40)])
    said = Codes(truth.values, np.zeros(40, dtype=np.int32))
    reason = measure(Predictions(truth, said).tally(["precision_macro"]), "precision_macro").reason
    assert reason.startswith("class 'c01' was never predicted; class 'c02' was never predicted; ")
    assert reason.endswith("class 'c06' was never predicted; and 33 more")
