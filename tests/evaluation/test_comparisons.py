"""Comparisons agree with the notes' Algorithm 3, SciPy and scikit-learn, and say it plainly."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.metrics import fbeta_score, hamming_loss, make_scorer
from sklearn.model_selection import GroupShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError, TallyError
from tallylearn.evaluation.compare.comparison import Comparison
from tallylearn.evaluation.compare.ranking import Ranking
from tallylearn.evaluation.scores.tested_rows import TRAINING_ROWS
from tallylearn.statistics.confidence_intervals import mid_p, wilson
from tallylearn.statistics.multiple_comparisons import holm, tukey, tukey_level
from tallylearn.statistics.roc_area import delong_difference
from tallylearn.statistics.significance_tests import mcnemar
from tests.printed_text import unwrapped

Array = np.ndarray[Any, Any]
CANCER = load_breast_cancer(return_X_y=True)


class Reads:
    """Predictions with one of the columns, so that a test decides what is wrong."""

    _estimator_type = "classifier"
    seen: ClassVar[list[tuple[str, tuple[int, ...]]]] = []

    def __init__(self, column: int, fails_on: int | None = None) -> None:
        self.column = column
        self.fails_on = fails_on

    def __repr__(self) -> str:
        return f"Reads({self.column})"

    def fit(self, X: Array, y: Array) -> Reads:
        Reads.seen.append((repr(self), tuple(X[:, -1].astype(int).tolist())))
        if self.fails_on is not None and self.fails_on not in X[:, -1]:
            raise RuntimeError("this fold is not for me")
        return self

    def predict(self, X: Array) -> Array:
        return X[:, self.column].astype(int)


def answers(wrong: list[tuple[int, ...]], size: int = 4) -> tuple[Array, Array, Any]:
    """Columns that are wrong so often on every fold, the row's number last; truth, and folds."""
    k = len(wrong[0])
    y = np.tile([0, 1], k * size // 2)
    columns = []
    for counts in wrong:
        column = y.copy()
        for fold, times in enumerate(counts):
            column[fold * size : fold * size + times] ^= 1
        columns.append(column)
    rows = np.arange(k * size)
    parts = np.repeat(np.arange(k), size)
    folds = [(rows[parts != fold], rows[parts == fold]) for fold in range(k)]
    return np.column_stack([*columns, rows]).astype(float), y, folds


def compared(learners: Any, *args: Any, **options: Any) -> Comparison:
    found = tl.compare(learners, *args, **options)
    assert isinstance(found, Comparison)
    return found


def test_the_mean_difference_is_that_of_algorithm_3() -> None:
    X, y, folds = answers([(1, 2, 0), (0, 1, 1)])
    pair = compared({"a": Reads(0), "b": Reads(1)}, X, y, cv=folds).difference("a", "b")
    deltas = [Fraction(1, 4) - 0, Fraction(2, 4) - Fraction(1, 4), 0 - Fraction(1, 4)]
    assert [Fraction(delta) for delta in pair.deltas] == deltas
    assert Fraction(pair.delta).limit_denominator(1000) == Fraction(1, 12)
    assert pair.by_fold == tuple(-delta for delta in pair.deltas)
    assert (pair.only_a_wrong, pair.only_b_wrong) == (2, 1)  # they overlap on fold 1


def test_the_other_way_round_everything_is_turned() -> None:
    X, y, folds = answers([(1, 2, 0), (0, 1, 1)])
    found = compared({"a": Reads(0), "b": Reads(1)}, X, y, cv=folds)
    one, other = found.difference("a", "b"), found.difference("b", "a")
    assert other.delta == -one.delta
    assert other.by_fold == tuple(-x for x in one.by_fold)
    assert (other.only_a_wrong, other.only_b_wrong) == (one.only_b_wrong, one.only_a_wrong)
    assert (other.p, other.adjusted) == pytest.approx((one.p, one.adjusted))
    assert one.interval is not None
    assert other.interval is not None
    assert [*other.interval] == pytest.approx([-one.interval.high, -one.interval.low])


def test_the_t_test_is_nadeau_and_bengios_on_the_same_folds() -> None:
    X, y = CANCER
    folds = tl.Folds.k(10)
    found = compared([GaussianNB(), tl.LinearDiscriminantAnalysis()], X, y, cv=folds)
    names = "GaussianNB()", "LinearDiscriminantAnalysis()"
    pair, others = found.difference(*names), found.tests(*names)
    apart = []
    for train, test in folds.split(X, y):
        scores = [m.fit(X[train], y[train]).score(X[test], y[test])
                  for m in (GaussianNB(), LinearDiscriminantAnalysis())]  # fmt: skip
        apart.append(scores[0] - scores[1])
    t = np.mean(apart) / sqrt((1 / 10 + 1 / 9) * np.var(apart, ddof=1))
    assert pair.by_fold == pytest.approx(apart, abs=1e-12)
    assert others["corrected resampled t"].p == pytest.approx(2 * stats.t.sf(abs(t), 9))
    said = [cross_val_predict(m, X, y, cv=folds) != y
            for m in (GaussianNB(), LinearDiscriminantAnalysis())]  # fmt: skip
    b, c = int((said[0] & ~said[1]).sum()), int((said[1] & ~said[0]).sum())
    assert (pair.only_a_wrong, pair.only_b_wrong) == (b, c)
    assert others["McNemar, mid-p"].p == mcnemar(b, c).p
    assert others["sign test"].p == pytest.approx(stats.binomtest(b, b + c).pvalue)


def test_the_headline_is_the_paired_t_of_scipy_over_the_rows() -> None:
    X, y = CANCER
    folds = tl.Folds.k(10)
    learners = GaussianNB(), LinearDiscriminantAnalysis()
    found = compared([*learners], X, y, cv=folds, score="log_loss")
    pair = found.difference("GaussianNB()", "LinearDiscriminantAnalysis()")
    said = [cross_val_predict(m, X, y, cv=folds, method="predict_log_proba") for m in learners]
    losses = [-np.asarray(one)[np.arange(len(y)), y] for one in said]
    theirs = stats.ttest_rel(*losses)
    more = 1 + TRAINING_ROWS / len(y)  # for models that share their training rows
    assert pair.mean == pytest.approx(np.mean(pair.by_fold))
    p = 2 * stats.t.sf(abs(theirs.statistic) / sqrt(more), len(y) - 1)
    assert pair.p == pytest.approx(p, rel=0.05)  # folds of 56 and 57 rows weigh alike
    assert pair.test == "paired t over rows"


def test_areas_are_compared_row_by_row() -> None:
    X, y = CANCER
    found = compared([GaussianNB(), LinearDiscriminantAnalysis()], X, y, score="roc_auc",
                     positive=1, cv=10)  # fmt: skip
    pair = found.difference("GaussianNB()", "LinearDiscriminantAnalysis()")
    said = [cross_val_predict(m, X, y, cv=tl.Folds.k(10), method="predict_proba")[:, 1]
            for m in (GaussianNB(), LinearDiscriminantAnalysis())]  # fmt: skip
    expected = delong_difference(*said, y)
    names = "GaussianNB()", "LinearDiscriminantAnalysis()"
    assert found.tests(*names)["DeLong"].p == pytest.approx(expected.p)
    assert pair.p == pytest.approx(expected.p, rel=0.5)  # the mean of folds is another area


def test_all_learners_have_the_same_folds() -> None:
    X, y, _ = answers([(1, 2, 0), (0, 1, 1)], size=8)
    Reads.seen.clear()
    tl.compare([Reads(0), Reads(1)], X, y, cv=tl.Folds.k(4, repeats=2, seed=3))
    first, second = ([rows for name, rows in Reads.seen if name == who]
                     for who in ("Reads(0)", "Reads(1)"))  # fmt: skip
    assert first == second
    assert len(first) == 8


def test_the_order_of_the_learners_changes_nothing() -> None:
    X, y = CANCER
    learners = [tl.NaiveBayes(), GaussianNB(), tl.NearestCentroid(), tl.DummyClassifier()]
    one, other = (compared(some, X, y, cv=5) for some in (learners, learners[::-1]))
    assert one.to_json() == other.to_json()
    assert str(one) == str(other)


def test_learners_that_count_alike_come_out_as_if_alone() -> None:
    X, y = CANCER
    learners = {"a": tl.NaiveBayes(), "lda": tl.LinearDiscriminantAnalysis(),
                "b": tl.NaiveBayes(var_smoothing=0.01)}  # fmt: skip
    found = compared(learners, X, y, cv=tl.Folds.k(4, repeats=2))
    for name, learner in learners.items():
        alone = tl.evaluate(learner, X, y, cv=tl.Folds.k(4, repeats=2), scores="accuracy")
        assert found[name]["accuracy"].by_fold == alone["accuracy"].by_fold


def test_a_learner_does_not_differ_from_its_double() -> None:
    X, y = CANCER
    for cv in (5, "holdout", "loo"):
        found = compared([tl.NaiveBayes(), tl.NaiveBayes()], X[::3], y[::3], cv=cv)
        pair = found.difference("NaiveBayes() 1", "NaiveBayes() 2")
        assert (pair.mean, pair.p, pair.adjusted) == (0, 1, 1)
        assert pair.better is None
        assert found.verdict.startswith("No difference shown between NaiveBayes() 1 and Naive")


def test_a_clear_difference_is_found_and_said() -> None:
    X, y = CANCER
    found = compared([tl.DummyClassifier(), tl.NaiveBayes()], X, y)
    pair = found.difference("NaiveBayes()", "DummyClassifier()")
    assert pair.better == "NaiveBayes()"
    assert pair.delta < 0
    assert "NaiveBayes() is better than DummyClassifier(): accuracy higher by" in found.verdict
    assert "p < 0.001" in found.verdict


def test_of_numbers_the_lower_error_is_better() -> None:
    rng = np.random.default_rng(0)
    X, y = np.zeros((200, 1)), rng.exponential(size=200) ** 3
    found = compared({"mean": tl.DummyRegressor(), "median": tl.DummyRegressor(strategy="median")},
                     X, y)  # fmt: skip
    assert found.names == ("median", "mean")
    assert "median is better than mean: mae lower by" in found.verdict
    pair = found.difference("mean", "median")
    assert pair.deltas == pair.by_fold
    assert pair.delta > 0
    assert "McNemar, mid-p" not in found.tests("mean", "median")
    assert found.score == "mae"


def test_on_one_fold_the_rows_are_tested() -> None:
    X, y = CANCER
    names = "NaiveBayes()", "NearestCentroid()"
    found = compared([tl.NaiveBayes(), tl.NearestCentroid()], X, y, cv="holdout")
    pair, others = found.difference(*names), found.tests(*names)
    assert [*others] == ["McNemar, mid-p", "sign test"]
    assert others["McNemar, mid-p"].p == mcnemar(pair.only_a_wrong, pair.only_b_wrong).p
    assert pair.test == "paired t over rows"
    assert pair.p == pytest.approx(others["McNemar, mid-p"].p, abs=0.05)
    n = round(len(y) / 3)
    assert pair.interval is not None
    assert pair.mean == pytest.approx((pair.only_b_wrong - pair.only_a_wrong) / n)
    assert pair.mean in pair.interval


def test_equal_differences_on_two_folds_are_no_proof() -> None:
    X, y, folds = answers([(1, 1), (0, 0)])
    found = compared({"a": Reads(0), "b": Reads(1)}, X, y, cv=folds)
    pair = found.difference("a", "b")
    assert pair.by_fold == (-0.25, -0.25)
    assert pair.p > mcnemar(2, 0).p
    assert pair.better is None
    assert "corrected resampled t" not in found.tests("a", "b")


def test_rows_that_all_say_the_same_are_coins() -> None:
    X, y, folds = answers([(4, 4, 4), (0, 0, 0)])
    pair = compared({"a": Reads(0), "b": Reads(1)}, X, y, cv=folds).difference("a", "b")
    assert pair.test == "McNemar, mid-p"
    assert pair.p == mcnemar(12, 0).p
    assert pair.better == "b"
    assert pair.interval is not None
    assert pair.interval.high < 0
    alike = compared({"a": Reads(0), "b": Reads(0)}, X, y, cv=folds).difference("a", "b")
    assert (alike.p, alike.better) == (1.0, None)
    assert "no row differs" in alike.test
    assert alike.interval is not None  # none of 12 rows differs: of others some may
    assert [*alike.interval] == pytest.approx([-wilson(0, 12).high, wilson(0, 12).high])


def test_equal_answers_are_alike_as_far_as_the_rows_can_show() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    learners = {"a": tl.CART(max_depth=2), "b": tl.CART(max_depth=2)}
    for margin, said in ((0.02, "They are equivalent within 0.02."),
                         (0.001, "They are not shown to be equivalent within 0.001.")):  # fmt: skip
        found = compared(learners, X, y, alike=margin)
        assert found.verdict.endswith(f", p = 1. {said}")
        assert "Bayesian" not in str(found.details())  # folds that agree are no certainty
    brier = compared(learners, X, y, alike=0.02, score="brier").verdict
    assert brier.endswith("p = 1. Equivalence within 0.02 is not tested: no row differs.")


def test_a_small_difference_is_written_with_digits_that_tell() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    z = X @ [1, 2, 3] + 0.1 * rng.normal(size=200)
    found = compared({"a": tl.Ridge(alpha=0.01), "b": tl.Ridge(alpha=3)}, X, z, score="r2")
    low, high = found.difference("a", "b").interval or (0, 0)
    mean = found.difference("a", "b").mean
    assert 0 < low < mean < high < 0.001
    assert f"a is better than b: r2 higher by {mean:.4g} [{low:.4g}, {high:.4g}]" in unwrapped(
        found
    )
    assert f"  {-mean:.4g}  " in str(found)


def test_the_number_of_groups_tested_is_said() -> None:
    groups = np.arange(60) // 3
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    for size, said in ((4, "Tested are 4 of the 20 groups"), (1, "because only one group was")):
        folds = GroupShuffleSplit(1, test_size=size, random_state=0)
        found = compared([tl.NaiveBayes(), tl.CART()], X, y, cv=folds, groups=groups)
        assert said in str(found)
    assert "PairedTest are" not in str(compared([tl.NaiveBayes(), tl.CART()], X, y, groups=groups))


def test_what_is_added_for_one_test_a_row_is_said_and_the_remedy_works() -> None:
    X, y = CANCER
    learners = [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)]
    once = compared(learners, X[:90], y[:90], cv=5)
    assert "the variance over 90 tests is inflated by 10 in 90" in unwrapped(once)
    (remedy,) = re.findall(r" cv=(tl\.Folds\.k\(5, repeats=2\)) measures it", unwrapped(once))
    assert remedy
    twice = compared(learners, X[:90], y[:90], cv=tl.Folds.k(5, repeats=2))
    assert "raised by" not in str(twice)
    held = compared(learners, X[:90], y[:90], cv="holdout")
    assert "the variance over 30 tests is inflated by 10 in 30" in unwrapped(held)
    assert "repeats" not in str(held)


def test_other_tests_are_one_click_away_in_a_page() -> None:
    X, y = CANCER
    page = compared([GaussianNB(), tl.DummyClassifier()], X[:90], y[:90]).to_html()
    folded = page.partition("<details>")[2]
    assert "McNemar" in folded
    assert "sign test" in folded


@pytest.mark.parametrize("cv", ["holdout", "loo", tl.Folds.k(3, repeats=2), tl.Folds.bootstrap(6)])
def test_every_verdict_has_a_test_or_says_why_not(cv: Any) -> None:
    X, y = CANCER[0][:120, :4], CANCER[1][:120]
    learners = [tl.NaiveBayes(), tl.NaiveBayes(var_smoothing=0.3)]
    for name in ("error", "recall", "f1_macro", "roc_auc", "log_loss", "ece"):
        found = compared(learners, X, y, cv=cv, score=name, positive=1)
        (pair,) = found.pairs.values()
        assert np.isfinite(pair.p) or "; not tested, because " in found.verdict, found.verdict
        assert np.isfinite(pair.p) or np.isinf(pair.mean), name
    numbers = X[:, 0] + X[:, 1] ** 2 / 100
    for name in ("mae", "r2"):
        found = compared([LinearRegression(), tl.DummyRegressor()], X[:, :1], numbers, cv=cv,
                         score=name)  # fmt: skip
        assert found.pairs[0, 1].better is not None, name


def test_what_is_infinite_is_not_tested() -> None:
    X = np.array([["a"], ["b"]] * 20)
    y = np.where(np.arange(40) == 7, 1 - np.arange(40) % 2, np.arange(40) % 2)
    learners = {"sure": tl.NaiveBayes(alpha=0), "not": tl.NaiveBayes(alpha=1)}
    found = compared(learners, X, y, cv="loo", score="log_loss")
    assert "No difference shown" not in found.verdict
    assert "not tested, because the log_loss of sure is inf" in found.verdict


def test_a_fold_on_which_one_fails_is_left_out_of_the_pair() -> None:
    X, y, folds = answers([(1, 2, 0), (0, 1, 1)])
    learners = {"a": Reads(0), "b": Reads(1, fails_on=5)}
    found = compared(learners, X, y, cv=folds, on_error="keep")
    pair = found.difference("a", "b")
    assert pair.deltas == (0.25, -0.25)
    assert pair.left_out == 1
    assert "b failed on fold 1: RuntimeError: this fold is not for me" in str(found)
    with pytest.raises(InputError, match=r"compare: b: Reads failed on fold 1: RuntimeError"):
        tl.compare(learners, X, y, cv=folds)


def test_a_learner_that_always_fails_is_named_and_the_others_kept() -> None:
    frame = pd.DataFrame({"c": list("abab") * 10, "y": list("uvuv") * 10})
    learners = {"a": tl.NaiveBayes(), "b": tl.DummyClassifier(), "c": tl.NearestCentroid()}
    found = compared(learners, frame, "y", cv=4, on_error="keep")
    assert [*found.failed] == ["c"]
    assert "Left out: c: " in str(found)
    with pytest.raises(TallyError, match="compare: c: "):
        tl.compare(learners, frame, "y", cv=4)


def test_p_is_adjusted_over_all_pairs() -> None:
    assert holm([0.01, 0.04, 0.03, float("nan")])[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9, 0.02]) == pytest.approx([1, 1, 0.06])
    assert holm([]) == []
    X, y = CANCER
    found = compared([tl.NaiveBayes(), tl.NearestCentroid(), tl.LinearDiscriminantAnalysis()], X, y)
    for pair in found.pairs.values():
        theirs = stats.studentized_range.sf(sqrt(2) * stats.norm.isf(pair.p / 2), 3, np.inf)
        assert pair.adjusted == pytest.approx(theirs, rel=1e-6)
        assert pair.interval is not None
        assert pair.interval.level == pytest.approx(tukey_level(0.95, 3))
    assert "(Tukey-adjusted for 3 learners)" in found.verdict
    assert "adjusted for all 3 pairs (Tukey)" in unwrapped(found)


def test_repeats_count_a_row_once() -> None:
    X, y = CANCER
    learners = [tl.NaiveBayes(), tl.NearestCentroid()]
    names = "NaiveBayes()", "NearestCentroid()"
    first = compared(learners, X, y, cv=tl.Folds.k(5))
    again = compared(learners, X, y, cv=tl.Folds.k(5, repeats=4))
    once, often = first.difference(*names), again.difference(*names)
    drawn = compared(learners, X, y, cv=tl.Folds.bootstrap(20)).difference(*names)
    assert again.tests(*names)["McNemar, mid-p"] == first.tests(*names)["McNemar, mid-p"]
    assert often.interval.high - often.interval.low == pytest.approx(
        once.interval.high - once.interval.low, rel=0.2
    )
    assert len(often.by_fold) == 20
    assert drawn.only_a_wrong + drawn.only_b_wrong <= len(y)


def test_rows_of_weight_zero_are_not_there() -> None:
    X, y = CANCER
    weight = np.ones(len(y))
    weight[::4] = 0
    kept = weight > 0
    one = compared([tl.NaiveBayes(), GaussianNB(), tl.NearestCentroid()], X, y,
                   sample_weight=weight, cv=4, on_error="keep")  # fmt: skip
    other = compared([tl.NaiveBayes(), GaussianNB()], X[kept], y[kept], cv=4)
    assert one["NaiveBayes()"]["accuracy"].value == other["NaiveBayes()"]["accuracy"].value
    assert [*one.failed] == []


def test_a_file_is_compared_as_the_frame_is(tmp_path: Path) -> None:
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(["s", "t", "u"])[y])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    learners = [tl.NaiveBayes(), tl.LinearDiscriminantAnalysis()]
    one = compared(learners, tmp_path / "iris.csv", "kind", cv=5)
    other = compared(learners, frame, "kind", cv=5)
    names = "NaiveBayes()", "LinearDiscriminantAnalysis()"
    assert one.difference(*names) == other.difference(*names)
    assert "McNemar, mid-p" in one.tests(*names)


def test_every_form_holds_hostile_names() -> None:
    X, y, folds = answers([(1, 2, 0), (0, 1, 1)])
    bad = "<script>alert('x')</script>| a\n\x1b[31m*b*"
    found = compared({bad: Reads(0), "b": Reads(1)}, X, y, cv=folds)
    assert "<script>" not in found.to_html()
    assert "\x1b" not in str(found)
    data = json.loads(found.to_json())
    assert {row["learner"] for row in data["records"]} == {bad, "b", "majority"}
    assert len(found.to_frame()) == 3
    assert found.to_frame().baseline.tolist() == [False, False, True]
    assert "<svg" in found.to_html()


def test_equal_learners_are_numbered() -> None:
    X, y = CANCER
    found = compared([tl.NaiveBayes(), tl.NaiveBayes(), tl.DummyClassifier()], X, y, cv=3)
    assert {*found.names} == {"NaiveBayes() 1", "NaiveBayes() 2", "DummyClassifier()"}


@pytest.mark.parametrize(
    ("learners", "options", "error", "said"),
    [
        ([], {}, OptionError, "learners has no learner"),
        ([tl.NaiveBayes()], {}, OptionError, "Pass two or more, or use tl.evaluate"),
        (tl.NaiveBayes(), {}, KindError, "Pass a list of learners"),
        (["bayes", "lda"], {}, KindError, "neither a classifier nor a regressor"),
        ({1: tl.NaiveBayes(), 2: tl.NaiveBayes()}, {}, OptionError, "the name 1."),
        ({" ": tl.NaiveBayes(), "b": tl.NaiveBayes()}, {}, OptionError, "the name ' '"),
        ([tl.NaiveBayes(), tl.DummyRegressor()], {}, KindError, "DummyRegressor() is a regressor"),
        ([tl.NaiveBayes()] * 2, {"score": "mae"}, OptionError, "is for a regressor"),
        ([tl.NaiveBayes()] * 2, {"score": "accurcy"}, OptionError, "no score 'accurcy'"),
        ([tl.NaiveBayes()] * 2, {"score": ["f1", "accuracy"]}, OptionError, "Name one"),
        ([tl.NaiveBayes()] * 2, {"level": 95}, OptionError, "level is 95"),
        ([tl.NaiveBayes()] * 2, {"on_error": "skip"}, OptionError, "on_error is"),
        ([tl.NaiveBayes(), RidgeClassifier()], {"score": "log_loss"}, OptionError,
         "compare: RidgeClassifier(): the score 'log_loss' needs probabilities"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(
    learners: Any, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(error, match=r"^compare: ") as caught:
        tl.compare(learners, X[:100], y[:100], cv=4, **options)
    assert said in str(caught.value)


def test_a_score_without_a_number_is_refused_over_tables() -> None:
    with pytest.raises(InputError, match=r"log_loss of tree on table 'iris' is inf.*'brier'"):
        ranked(
            {"tree": DecisionTreeClassifier(random_state=0), "centroid": tl.NearestCentroid()},
            score="log_loss",
            cv=5,
        )


def test_the_charts_show_scores_and_differences() -> None:
    found = compared([tl.NaiveBayes(), tl.NearestCentroid(), tl.DummyClassifier()], *CANCER, cv=4)
    plots = found.plots()
    assert [line["name"] for line in plots["scores"].data["spreads"]] == [*found.names]
    apart = plots["differences"].data["spreads"]
    assert [line["name"] for line in apart] == [*found.names[1:]]
    for line in apart:
        pair = found.difference(line["name"], found.names[0])
        assert line["value"] == pytest.approx(pair.mean)
        assert line["dots"] == pytest.approx([*pair.by_fold])
        assert [line["low"], line["high"]] == pytest.approx(list(pair.interval))


def test_a_pair_is_named() -> None:
    found = compared([tl.NaiveBayes(), tl.NearestCentroid()], *CANCER, cv=3)
    with pytest.raises(OptionError, match=r"'bayes' is not .* Choose from 'NaiveBayes"):
        found.difference("bayes", "NearestCentroid()")
    with pytest.raises(OptionError, match=r"NaiveBayes\(\)\' is given twice"):
        found.difference("NaiveBayes()", "NaiveBayes()")


def frame_of(data: Any) -> pd.DataFrame:
    columns = {f"x{j}": data.data[:, j] for j in range(data.data.shape[1])}
    return pd.DataFrame(columns | {"y": data.target})


SETS = {
    "iris": (frame_of(load_iris()), "y"),
    "wine": (frame_of(load_wine()), "y"),
    "cancer": (frame_of(load_breast_cancer()), "y"),
    "iris, rounded": (frame_of(load_iris()).round(0), "y"),
}


def ranked(learners: Any, **options: Any) -> Ranking:
    found = tl.compare(learners, SETS, **options)
    assert isinstance(found, Ranking)
    return found


def test_over_tables_ranks_are_friedmans() -> None:
    tree = DecisionTreeClassifier(random_state=0)
    learners = {"bayes": tl.NaiveBayes(), "centroid": tl.NearestCentroid(), "tree": tree}
    found = ranked(learners, cv=5)
    scores = [[tl.evaluate(learner, *pair, cv=5)["accuracy"].value for learner in learners.values()]
              for pair in SETS.values()]  # fmt: skip
    order = [list(learners).index(name) for name in found.names]
    assert found.table.tolist() == np.array(scores)[:, order].tolist()
    table = found.table.round(12)  # means of folds tie up to rounding
    theirs = stats.friedmanchisquare(*table.T)
    assert found.friedman.chi_square == pytest.approx(theirs.statistic)
    expected = stats.rankdata(-table, axis=1).mean(axis=0)
    assert [*found.ranks.values()] == pytest.approx(expected.tolist())
    assert [*found.ranks.values()] == sorted(found.ranks.values())
    plot = found.plots()["ranks"]
    assert plot.data["critical"] == found.critical
    assert "mean rank" in str(found)
    assert len(found.records()) == 12


def test_over_tables_two_learners_have_signed_ranks() -> None:
    found = ranked({"bayes": tl.NaiveBayes(), "centroid": tl.NearestCentroid()}, score="brier",
                   cv=5)  # fmt: skip
    assert found.wilcoxon is not None
    theirs = stats.wilcoxon(found.table[:, 0] - found.table[:, 1])
    assert found.wilcoxon.p == pytest.approx(theirs.pvalue)
    assert found.verdict.startswith("No difference shown between ")
    assert found.plots() == {}


@pytest.mark.parametrize(
    ("score", "name"),
    [(hamming_loss, "hamming_loss"), ([hamming_loss], "hamming_loss"), ({"f1": hamming_loss}, "f1"),
     (make_scorer(fbeta_score, beta=2, average="macro"), "fbeta_score")],
    ids=["function", "list", "named as ours", "scorer"],
)  # fmt: skip
def test_over_tables_a_score_of_ones_own_is_told(score: Any, name: str) -> None:
    found = ranked([tl.NaiveBayes(), tl.NearestCentroid()], scoring=score, cv=3)
    assert f"ranked by {name}, and 1 is the best" in unwrapped(found)
    assert "is of one class" not in str(found)
    assert name in found.to_html()


def test_over_tables_a_score_of_one_class_says_which() -> None:
    tables = {name: (frame.assign(y=frame.y == 1), y) for name, (frame, y) in SETS.items()}
    found = tl.compare([tl.NaiveBayes(), tl.NearestCentroid()], tables, score="f1", cv=3)
    assert "Positive class of f1: True on iris, " in unwrapped(found)


def test_over_tables_a_difference_is_said() -> None:
    bayes = tl.NaiveBayes(var_smoothing_by="table")
    found = ranked({"lda": tl.LinearDiscriminantAnalysis(), "bayes": bayes,
                    "dummy": tl.DummyClassifier()}, cv=5)  # fmt: skip
    assert found.names[-1] == "dummy"
    assert "The learners differ over 4 tables" in found.verdict
    assert "It is better than dummy." in found.verdict


def test_doubles_do_not_differ_over_tables() -> None:
    for some in (2, 3):
        found = ranked([tl.NaiveBayes() for _ in range(some)], cv=3)
        assert "No difference shown" in found.verdict


def test_paths_are_tables_and_columns_of_two_rows_are_not_several(tmp_path: Path) -> None:
    for name, (frame, _) in SETS.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    paths = {name: (str(tmp_path / f"{name}.csv"), "y") for name in SETS}
    learners = [tl.NaiveBayes(), tl.NearestCentroid()]
    found = tl.compare(learners, paths, cv=3)
    assert found.verdict == ranked(learners, cv=3).verdict
    with pytest.raises(TallyError) as caught:
        tl.compare(learners, {"a": ("u", "v"), "b": ("s", "t")}, "b")
    assert "apply to one table" not in str(caught.value)


@pytest.mark.parametrize(
    "form", [lambda X: X, lambda X: X.to_numpy(), lambda X: X.to_numpy().tolist(),
             lambda X: X.to_dict("list")], ids=["frame", "array", "lists", "columns"],
)  # fmt: skip
def test_several_tables_may_be_columns_and_targets(form: Any) -> None:
    learners = [tl.NaiveBayes(), tl.NearestCentroid()]
    apart = {name: (form(frame.drop(columns=y)), frame[y]) for name, (frame, y) in SETS.items()}
    assert tl.compare(learners, apart, cv=3).verdict == ranked(learners, cv=3).verdict


def test_several_tables_are_refused_where_they_make_no_sense() -> None:
    pair = [tl.NaiveBayes(), tl.NearestCentroid()]
    with pytest.raises(OptionError, match="compare: there is only one table"):
        tl.compare(pair, {"iris": SETS["iris"]})
    with pytest.raises(OptionError, match="apply to one table"):
        tl.compare(pair, SETS, "y")
    with pytest.raises(TallyError, match="compare: "):
        tl.compare(pair, {**SETS, "other": (SETS["iris"][0], "no such column")})


def test_the_unit_of_the_weights_moves_no_test_of_areas() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    y = X.sum(axis=1) + rng.normal(size=150) > 0
    weight = rng.random(150)
    plain, scaled = (
        tl.compare(
            {"a": tl.NaiveBayes(), "b": tl.NaiveBayes(var_smoothing=5.0)}, X, y, cv="holdout",
            score="roc_auc", sample_weight=weight * unit,
        ).difference("a", "b")
        for unit in (1.0, 64.0)
    )  # fmt: skip
    assert plain.test == scaled.test == "paired t over rows"
    assert scaled.p == pytest.approx(plain.p, rel=1e-6)


def test_a_table_has_no_chance_of_zero_and_no_zero_below_zero() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    X = rng.normal(size=(n, 2))
    y = X.sum(axis=1) + rng.normal(size=n) > 0
    learners = [tl.NaiveBayes(), tl.NaiveBayes(var_smoothing=1e-3), tl.DummyClassifier()]
    text = str(tl.compare(learners, X, y))
    assert not re.search(r"-0\.0+\b", text)
    assert "< 0.001" in text
    assert "on 20,000 rows" in text


@pytest.mark.parametrize("cv", [5, "holdout", "loo"])
def test_verdict_and_interval_never_contradict_each_other(cv: object) -> None:
    rng = np.random.default_rng(11)
    shown = 0
    for _ in range(4 if cv == "loo" else 12):
        X, y = rng.normal(size=(90, 4)), np.arange(90) % 2
        X[:, 0] += y * rng.uniform(0, 2)
        learners = {str(at): Reads(at) for at in range(4)}
        found = compared(learners, (X > 0.5).astype(int), y, cv=cv)
        for pair in found.pairs.values():
            if pair.interval is None:
                assert pair.better is None
                continue
            assert (0 in pair.interval) == (pair.better is None), pair
            assert pair.interval.level >= pair.level
            assert -1 <= pair.interval.low <= pair.mean <= pair.interval.high <= 1
            shown += pair.better is not None
    assert shown > 1


@given(st.floats(1e-9, 1), st.integers(2, 12), st.floats(0.5, 0.999))
def test_levels_of_intervals_agree_with_tukeys_test(p: float, k: int, level: float) -> None:
    if abs(p - (1 - tukey_level(level, k))) > 1e-9:
        assert (p <= 1 - tukey_level(level, k)) == (tukey(p, k) <= 1 - level)


@given(st.integers(0, 60), st.integers(0, 60), st.floats(0.5, 0.999))
def test_mid_p_holds_one_half_where_mcnemar_does_not_reject(b: int, c: int, level: float) -> None:
    if b + c and abs(mcnemar(b, c).p - (1 - level)) > 1e-9:
        assert (0.5 in mid_p(b, b + c, level)) == (mcnemar(b, c).p > 1 - level)


@pytest.mark.parametrize("cv", [tl.Folds.k(5, repeats=2), tl.Folds.bootstrap(20), 10])
def test_the_ranks_of_one_positive_row_have_no_interval_and_no_test(cv: Any) -> None:
    X, y = np.arange(40.0)[:, None], np.where(np.arange(40) == 3, "b", "a")
    learners = {"tree": tl.DecisionTreeClassifier(), "bayes": tl.NaiveBayes()}
    for score in ("roc_auc", "average_precision"):
        found = tl.compare(learners, X, y, scoring=score, cv=cv)
        assert all(found[name][score].interval is None for name in found.names)
        pair = found.difference("tree", "bayes")
        assert np.isnan(pair.p)
        assert "not tested, because all tests of a class are of one row" in unwrapped(found)


def test_one_group_of_positive_rows_has_no_interval_of_its_ranks() -> None:
    group = np.repeat(np.arange(10), 4)
    X, y = np.arange(40.0)[:, None], np.where(group == 3, "b", "a")
    found = tl.evaluate(tl.NaiveBayes(), X, y, groups=group, cv=5, scoring="roc_auc")
    assert found["roc_auc"].interval is None


def test_a_comparison_prints_the_score_of_all_rows_where_a_fold_has_none() -> None:
    X, y = np.arange(40.0)[:, None], np.where(np.arange(40) % 19 == 3, "b", "a")
    learners = {"tree": tl.DecisionTreeClassifier(), "bayes": tl.NaiveBayes()}
    found = tl.compare(learners, X, y, scoring="roc_auc", cv=10)
    for name in found.names:
        estimate = found[name]["roc_auc"]
        assert np.isnan(estimate.value)
        assert re.search(rf"\n{name} +{estimate.pooled:.3f} ", str(found))
    assert "is computed from all rows together, because it has no value" in unwrapped(found)
