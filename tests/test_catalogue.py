"""Every row of the catalogue that the library holds, one test each, through public names only.

``python -m tests.test_catalogue`` writes docs/catalogue.md from these functions: what is tested is
what is shown.
"""

from __future__ import annotations

import inspect
import json
import math
import textwrap
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "catalogue.md"
ENTRIES = json.loads((ROOT / "tests" / "data" / "golden.json").read_text())
GOLDEN = {entry["id"]: entry["exact"] for entry in ENTRIES}
GOLDEN_INPUTS = {entry["id"]: entry.get("inputs") for entry in ENTRIES}
Show = Callable[[object], None]
Row = Callable[[Show], None]
ROWS: dict[str, tuple[str, str, Row]] = {}  # id -> notes, title, function


def row(name: str, notes: str, title: str) -> Callable[[Row], Row]:
    """Enter a function into the catalogue."""

    def enter(function: Row) -> Row:
        ROWS[name] = (notes, title, function)
        return function

    return enter


def fraction(entry: dict[str, Any]) -> Fraction:
    return Fraction(entry["fraction"])


def decimal(entry: Any) -> float:
    return float(entry["decimal"] if isinstance(entry, dict) else entry)


def agrees(evidence: Any, golden: dict[str, Any]) -> bool:
    """Prior, factors, product and posterior are the golden ones, as fractions."""
    for line in evidence.lines:
        expected = golden[line.outcome]
        factors = {term.column: term.above / term.below for term in line.terms}
        wanted = {"": fraction(expected["prior"])}
        wanted |= {name: fraction(value) for name, value in expected["conditionals"].items()}
        if factors != wanted or line.product != fraction(expected["joint"]):
            return False
        if not math.isclose(line.share, fraction(expected["posterior"]), abs_tol=1e-12):
            return False
    return True


YOUNG = {"Age": "Young", "Income": "Medium", "Student": "Yes", "Credit": "Fair"}
COOL = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
HOT = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}


class Given:
    """An estimator that answers as it is told, row by row: columns are the answer's own."""

    _estimator_type = "classifier"

    def fit(self, X: Any, y: Any) -> Given:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X["said"])


def answered(**cells: int) -> pd.DataFrame:
    """Rows with a truth and an answer, as many as each pair has: TP=8 is 8 times (+, +)."""
    pairs = {"TP": "++", "FN": "+-", "FP": "-+", "TN": "--"}
    rows = [pair for cell, n in cells.items() for pair in [pairs[cell]] * n]
    return pd.DataFrame({"said": [pair[1] for pair in rows], "y": [pair[0] for pair in rows]})


@row("B2", "000 003 004", "Sample error and accuracy")
def b2(show: Show) -> None:
    rows = answered(TP=8, FN=2, FP=4, TN=6)
    found = tl.evaluate(Given(), rows, "y", cv=2, scores=["error", "accuracy"])
    error, accuracy = found["error"].pooled, found["accuracy"].pooled
    show(f"{(rows.y != rows.said).sum()} of {len(rows)} wrong: error {error}, accuracy {accuracy}")
    assert error == 6 / 20
    assert accuracy == float(fraction(GOLDEN["eval.prf"]["accuracy"]))


@row("A14", "000 003 004", "Over- and under-fitting: h, and the h' that shows it")
def a14(show: Show) -> None:
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (200, 1))
    y = np.sin(X[:, 0]) + rng.normal(0, 0.5, 200)
    depths = [1, 2, 3, 5, 8, 12]
    curve = tl.validation_curve(DecisionTreeRegressor(random_state=0), "max_depth", depths, X, y)
    show(curve)
    train = {point.at: np.mean(point.train) for point in curve.points}
    test = {point.at: np.mean(point.test) for point in curve.points}
    for h in depths:  # the definition, with the error of h' that the notes' equation 1.33 drops
        witnesses = [w for w in depths if train[h] < train[w] and test[h] > test[w]]
        assert (h in curve.overfitting) == bool(witnesses)
        assert curve.overfitting.get(h) in [*witnesses, None]
    assert {8, 12} <= {*curve.overfitting}
    assert 1 in curve.underfitting


@row("B1", "000 003", "True error under a known distribution")
def b1(show: Show) -> None:
    dice = tl.Population(dict.fromkeys(range(1, 7), "1/6"), target=lambda x: x % 2 == 0)
    show(dice.error(lambda x: x > 3))
    assert dice.error(lambda x: x > 3) == Fraction(1, 3)
    with pytest.raises(ValueError, match="sum to 5/6, not to 1") as caught:
        tl.Population(dict.fromkeys(range(1, 6), "1/6"), target=lambda x: x % 2 == 0)
    show(caught.value)


@row("B3", "000 003", "Bias and variance of the sample error: h and S must be independent")
def b3(show: Show) -> None:
    target = {"u": {"+": "3/4", "-": "1/4"}, "v": {"+": "1/4", "-": "3/4"}}
    known = tl.Population({"u": "1/2", "v": "1/2"}, target=target)
    for n in (5, 20):
        found = known.estimates({"u": "+", "v": "-"}, n)
        show(f"h fixed, {n} rows: bias {found.bias}, variance {found.variance}")
        assert found.bias == 0
        assert found.variance == Fraction(1, 4) * Fraction(3, 4) / n
    learned = known.bias(tl.NaiveBayes(), 4)
    show(learned)
    assert learned.exact
    assert learned.bias < 0


@row("B18", "004", "Bias², variance and noise add up to the expected squared error")
def b18(show: Show) -> None:
    coin = tl.Population({"toss": 1}, target=lambda x: {0: "1/2", 10: "1/2"})
    found = tl.bias_variance(tl.DummyRegressor(), coin, n=5)
    show(found)
    assert (found.bias2, found.variance, found.noise) == (0, 5, 25)
    assert found.error == found.bias2 + found.variance + 25
    rng = np.random.default_rng(0)
    y = rng.normal(0, 5, 100)
    drawn = tl.bias_variance(tl.DummyRegressor(), np.zeros((100, 1)), y)
    show(drawn)
    assert math.isclose(drawn.error, drawn.bias2 + drawn.variance, rel_tol=1e-12)


@row("B19", "004", "A simple learner has high bias, a complex one high variance")
def b19(show: Show) -> None:
    from sklearn.tree import DecisionTreeRegressor

    chances = dict.fromkeys(range(4), "1/4")
    known = tl.Population(chances, target=lambda x: {x * x - 1: "1/2", x * x + 1: "1/2"})
    learners = [tl.DummyRegressor(), DecisionTreeRegressor(random_state=0)]
    found = tl.bias_variance(learners, known, n=3)
    show(found)
    simple, weak = found
    assert simple.bias2 > weak.bias2
    assert simple.variance < weak.variance
    assert "stronger inductive bias" in found.verdict


@row("B4", "000 004", "Hold-out: 2/3 to learn from, 1/3 to test on, alike in the classes")
def b4(show: Show) -> None:
    y = np.array(["+"] * 60 + ["-"] * 30)
    (split,) = tl.Folds.holdout(Fraction(1, 3)).splits(90, y)
    assert {*split.train} | {*split.test} == {*range(90)}
    assert not {*split.train} & {*split.test}
    for name, rows in (("T", split.train), ("S", split.test)):
        share = Fraction(int((y[rows] == "+").sum()), len(rows))
        show(f"{name}: {len(rows)} rows, {share} of them +")
        assert share == Fraction(2, 3)
    assert Fraction(len(split.train), 90) == Fraction(2, 3)


@row("B5", "002 004", "Train, validation, test: choose on the second, test once on the third")
def b5(show: Show) -> None:
    table = tl.example("computer")
    (split,) = tl.Folds.three(Fraction(3, 14), Fraction(4, 14)).splits(14, table.target)
    parts = (split.train, split.validation, split.test)
    assert sorted(np.concatenate(parts)) == list(range(14))

    def accuracy(alpha: float, rows: Any) -> float:
        part = table[rows]
        model = tl.NaiveBayes(alpha=alpha).fit(table[split.train])
        return float((model.predict(part) == np.asarray(part.target)).mean())

    scores = {alpha: accuracy(alpha, split.validation) for alpha in (0.1, 1, 10)}
    folds = tl.Folds.three(Fraction(3, 14), Fraction(4, 14))
    found = tl.tune(tl.NaiveBayes(), {"alpha": [0.1, 1, 10]}, table, cv=folds)
    show(f"{[len(part) for part in parts]} rows; on validation {scores}")
    show(found)
    assert [len(part) for part in parts] == [7, 3, 4]
    assert [c.estimate.value for c in found.candidates] == list(scores.values())
    assert found.best == {"alpha": max(scores, key=scores.__getitem__)}
    learned = table[np.sort(np.concatenate(parts[:2]))]
    assert found.model.tally_ == tl.NaiveBayes(**found.best).fit(learned).tally_
    assert math.isclose(found.score.value, found.model.score(table[split.test]))
    assert "The test rows were used once" in str(found)


@row("B8", "000", "Two learners on the same folds: the mean difference of their errors")
def b8(show: Show) -> None:
    table, folds = tl.example("computer"), tl.Folds.k(5)
    learners = {"a": tl.DummyClassifier(), "b": tl.NaiveBayes()}
    found = tl.compare(learners, table, cv=folds)
    pair = found.difference("a", "b")
    deltas = []
    for train, test in folds.split(table):
        truth = np.asarray(table[test].target)
        wrong = [
            Fraction(int((h.fit(table[train]).predict(table[test]) != truth).sum()), len(test))
            for h in (tl.DummyClassifier(), tl.NaiveBayes())
        ]
        deltas.append(wrong[0] - wrong[1])
    show(f"err(h_a) - err(h_b): {', '.join(map(str, deltas))}; mean {sum(deltas) / 5}")
    show(found.verdict)
    assert [Fraction(delta).limit_denominator(99) for delta in pair.deltas] == deltas
    assert math.isclose(pair.delta, sum(deltas) / 5)
    assert "No difference shown between" in found.verdict


@row("B6", "000 003 004", "k-fold cross-validation: the mean of the folds' errors")
def b6(show: Show) -> None:
    inputs = GOLDEN_INPUTS["eval.kfold_mean_vs_pooled"]
    rows, pairs, start = [], [], 0
    for size, mistakes in zip(inputs["fold_sizes"], inputs["fold_mistakes"], strict=True):
        rows += [{"said": "+-"[(i + (i < mistakes)) % 2], "y": "+-"[i % 2]} for i in range(size)]
        pairs.append((start, start + size))
        start += size
    every = np.arange(start)
    splits = [(np.r_[every[:a], every[b:]], every[a:b]) for a, b in pairs]
    error = tl.evaluate(Given(), pd.DataFrame(rows), "y", cv=splits, scores="error")["error"]
    show(f"folds {[str(Fraction(e).limit_denominator(9)) for e in error.by_fold]}")
    show(f"mean of the folds {error.value:.4f}, all rows together {error.pooled:.4f}")
    golden = GOLDEN["eval.kfold_mean_vs_pooled"]
    assert math.isclose(error.value, fraction(golden["mean_of_folds"]))
    assert math.isclose(error.pooled, fraction(golden["pooled"]))


@row("B7", "000 003", "k-fold cross-validation of a regressor: the mean absolute error of a fold")
def b7(show: Show) -> None:
    X, y = np.zeros((6, 1)), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    splits = [([2, 3, 4, 5], [0, 1]), ([0, 1, 4, 5], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    mae = tl.evaluate(tl.DummyRegressor(), X, y, cv=splits, scores="mae")["mae"]
    expected = [np.abs(y[test] - y[train].mean()).mean() for train, test in splits]
    show(f"MAE of the folds {mae.by_fold}, their mean {mae.value}")
    assert mae.by_fold == tuple(expected)


@row("B9", "004", "Leave-one-out: as many folds as rows")
def b9(show: Show) -> None:
    found = tl.evaluate(tl.NaiveBayes(), tl.example("tennis"), cv="loo")
    show(found.headline)
    assert found["accuracy"].pooled == 7 / 14
    splits = list(tl.Folds.leave_one_out().splits(5))
    for split in splits:
        show(f"{split.train} {split.test}")
    assert [*map(int, np.concatenate([split.test for split in splits]))] == [0, 1, 2, 3, 4]
    assert all(len(split.train) == 4 for split in splits)


@row("I3", "004", "Sampling: whether a part represents the whole")
def i3(show: Show) -> None:
    y = ["+"] * 60 + ["-"] * 30
    dealt = tl.Folds.representative(y, tl.Folds.holdout().parts(90, y)[0])
    first = tl.Folds.representative(y, np.arange(90) >= 60)
    show(dealt)
    show(first)
    assert dealt.p_value == 1
    assert first.p_value < 0.001


@row("B10", "003", "Confidence interval for the error, and the table of z")
def b10(show: Show) -> None:
    from tallylearn.intervals import clopper_pearson, wilson, z_interval, z_table

    table = z_table()
    show("  ".join(f"{level:.0%} {z:.2f}" for level, z in table.items()))
    assert np.allclose([*table.values()], GOLDEN["eval.z_table"], rtol=1e-14)
    show(f"12 of 40 wrong: {z_interval(12 / 40, 40)}")
    assert np.allclose([*z_interval(12 / 40, 40)], GOLDEN["eval.ci"]["interval"], rtol=1e-14)
    show(f"0 of 40 wrong: {z_interval(0, 40)}, by Wilson {wilson(0, 40)}, "
         f"by Clopper and Pearson {clopper_pearson(0, 40)}")  # fmt: skip
    low, high = z_interval(0, 40)
    assert high - low == GOLDEN["eval.ci"]["wald_width_at_error_0"]


@row("B11", "000 003 004", "Confusion matrix, of two and of several classes")
def b11(show: Show) -> None:
    found = tl.evaluate(Given(), answered(TP=8, FN=2, FP=4, TN=6), "y", cv=2)
    show(found.confusion.astype(int))
    assert found.confusion.tolist() == [[8, 2], [4, 6]]  # rows true, columns predicted: + and -
    said, true = list("aabbbccca"), list("aaabbcccb")
    several = tl.evaluate(Given(), pd.DataFrame({"said": said, "y": true}), "y", cv=2)
    show(several.confusion.astype(int))
    right = np.diag(several.confusion) / several.confusion.sum(axis=1)
    assert right.tolist() == [2 / 3, 2 / 3, 1.0]  # the accuracy of every class


@row("B12", "000 003 004", "Precision and recall")
def b12(show: Show) -> None:
    rows, names = answered(TP=8, FN=2, FP=4, TN=6), ["precision", "recall"]
    found = tl.evaluate(Given(), rows, "y", cv=2, scores=names, positive="+")
    for name in names:
        show(found[name])
        assert found[name].pooled == float(fraction(GOLDEN["eval.prf"][name]))


@row("B13", "003 004", "F1: the harmonic mean of precision and recall")
def b13(show: Show) -> None:
    rows = answered(TP=8, FN=2, FP=4, TN=6)
    found = tl.evaluate(Given(), rows, "y", cv=2, scores="f1", positive="+")
    show(f"F1 {found['f1'].pooled:.4f}")
    assert math.isclose(found["f1"].pooled, fraction(GOLDEN["eval.prf"]["F1"]))


@row("B14", "003", "ROC curve, and the area under it")
def b14(show: Show) -> None:
    found = tl.evaluate(tl.NaiveBayes(), tl.example("computer"), cv=tl.Folds.holdout())
    wrong, right, _ = found.roc()
    for point in zip(wrong.tolist(), right.tolist(), strict=True):
        show(f"false positives {point[0]:.3f}, true positives {point[1]:.3f}")
    area = np.trapezoid(right, wrong) if hasattr(np, "trapezoid") else np.trapz(right, wrong)
    assert math.isclose(found["roc_auc"].pooled, area)


@row("B15", "000 003 004", "Mean absolute error, mean squared error and its root")
def b15(show: Show) -> None:
    y = np.array([1.0, 2.0, 6.0])
    splits = [([0], [1, 2])]  # the mean of row 0 is 1, the errors are 1 and 5
    names = ["mae", "mse", "rmse"]
    found = tl.evaluate(tl.DummyRegressor(), np.zeros((3, 1)), y, cv=splits, scores=names)
    show({name: found[name].pooled for name in names})
    assert [found[name].pooled for name in names] == [3, 13, math.sqrt(13)]


@row("B16", "000", "Euclidean error of a vector")
def b16(show: Show) -> None:
    from sklearn.dummy import DummyRegressor

    y = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]])
    found = tl.evaluate(DummyRegressor(), np.zeros((3, 1)), y, cv=[([0], [1, 2])])
    show(f"|(3, 4)| = 5 and |(0, 2)| = 2: mean {found['euclidean'].pooled}")
    assert found["euclidean"].pooled == 3.5


@row("B17", "000 004", "Majority-class baseline")
def b17(show: Show) -> None:
    X, y = np.zeros((10, 1)), ["+"] * 9 + ["-"]
    accuracy = tl.DummyClassifier().fit(X, y).score(X, y)
    show(accuracy)
    assert accuracy == float(fraction(GOLDEN["eval.majority_baseline"]))


@row("E9", "002", "Laplace estimate, strength k")
def e9(show: Show) -> None:
    balls = [{"ball": ball, "urn": "one"} for ball in ("red", "red", "blue")]
    for k in (0, 1, 100):
        model = tl.NaiveBayes(alpha=k).fit(balls, "urn")
        term = model.explain({"ball": "red"})[0].lines[0].terms[1]
        show(f"k = {k}: {term.above}/{term.below}")
        assert term.above / term.below == fraction(GOLDEN["bayes.laplace.balls"][str(k)])


@row("E10", "000 001", "m-estimate")
def e10(show: Show) -> None:
    evidence = tl.NaiveBayes(m=1).fit(tl.example("computer")).explain(YOUNG)
    show(evidence)
    assert agrees(evidence[0], GOLDEN["nb.buy.m_estimate1"])


@row("F1", "000 001 002 003 004", "Categorical naive Bayes, maximum likelihood")
def f1(show: Show) -> None:
    for name, query, golden in (
        ("computer", YOUNG, "nb.buy.mle"),
        ("tennis", COOL, "nb.tennis.mle"),
    ):
        evidence = tl.NaiveBayes(alpha=0).fit(tl.example(name)).explain(query)
        show(evidence)
        assert agrees(evidence[0], GOLDEN[golden])


@row("F2", "002", "Laplace k in naive Bayes, and the zero-frequency problem")
def f2(show: Show) -> None:
    evidence = tl.NaiveBayes(alpha=1).fit(tl.example("computer")).explain(YOUNG)
    show(evidence)
    assert agrees(evidence[0], GOLDEN["nb.buy.laplace1"])
    for alpha, golden in ((0, "mle"), (1, "laplace1")):
        evidence = tl.NaiveBayes(alpha=alpha).fit(tl.example("tennis")).explain(HOT)
        show(evidence)
        assert agrees(evidence[0], GOLDEN["nb.tennis.zero_frequency"][golden])


@row("F3", "000 001 003", "m-estimate in naive Bayes, p for every value")
def f3(show: Show) -> None:
    ages = {"Young": 0.5, "Medium": 0.25, "Old": 0.25}
    others = {
        "Income": {"Low": 0.5, "Medium": 0.25, "High": 0.25},
        "Student": {"Yes": 0.5, "No": 0.5},
        "Credit": {"Fair": 0.5, "Excellent": 0.5},
    }
    model = tl.NaiveBayes(m=2, p={"Age": ages, **others}).fit(tl.example("computer"))
    term = model.explain(YOUNG)[0].lines[1].terms[1]
    show(f"P(Young | Yes) = (2 + 2·1/2) / (9 + 2) = {term.above}/{term.below}")
    assert term.above / term.below == Fraction(3, 11)


@row("F4", "001 003", "Scores in log space")
def f4(show: Show) -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("computer"))
    joint = model.predict_joint_log_proba(YOUNG)
    show(joint.round(4))
    assert np.allclose(joint, [[math.log(6 / 875), math.log(16 / 567)]], rtol=1e-14)
    many = pd.DataFrame(np.random.default_rng(0).choice(["a", "b"], (40, 2000))).add_prefix("c")
    long = tl.NaiveBayes().fit(many, [0, 1] * 20)
    assert np.isfinite(long.predict_joint_log_proba(many)).all()  # the product itself underflows


@row("F5", "000 002 004", "Posterior over the classes, normalised")
def f5(show: Show) -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("computer"))
    posterior = model.predict_proba(YOUNG)
    show(dict(zip(model.classes_.tolist(), posterior[0].round(4).tolist(), strict=True)))
    assert posterior[0, 1] == pytest.approx(float(Fraction(1000, 1243)), abs=1e-15)
    assert posterior.sum() == pytest.approx(1, abs=1e-15)


def text_agrees(evidence: Any, golden: dict[str, Any]) -> bool:
    """The products are the golden ones, as fractions."""
    return all(line.product == fraction(golden[line.outcome]) for line in evidence.lines)


LETTERS = GOLDEN_INPUTS["nb.text.three_variants"]
DOCUMENTS, SIGNS = zip(*LETTERS["docs"], strict=True)


@row("F6", "002", "Bernoulli naive Bayes: absent words count")
def f6(show: Show) -> None:
    model = tl.NaiveBayes(text_model="bernoulli").fit(DOCUMENTS, SIGNS)
    evidence = model.explain([LETTERS["query"]])
    show(evidence)
    golden = GOLDEN["nb.text.three_variants"]
    assert text_agrees(evidence[0], golden["bernoulli_joint"])
    assert evidence[0].chosen == golden["class"]["bernoulli"]


@row("F7", "000 001", "Multinomial naive Bayes: a factor for every token")
def f7(show: Show) -> None:
    model = tl.NaiveBayes(alpha=1).fit(DOCUMENTS, SIGNS)
    evidence = model.explain([LETTERS["query"]])
    show(evidence)
    golden = GOLDEN["nb.text.three_variants"]
    assert text_agrees(evidence[0], golden["multinomial_token_joint"])
    assert evidence[0].chosen == golden["class"]["token"]
    for line in evidence[0].lines:
        for term in line.terms[1:]:
            share = fraction(golden["P(w|c)"][line.outcome][term.value])
            assert term.above / term.below == share


@row("F8", "000", "Document likelihood with the multinomial coefficient")
def f8(show: Show) -> None:
    model = tl.NaiveBayes().fit(["a b", "c d"], ["+", "-"])
    ordered = model.predict_joint_log_proba(["a a b"]) - model.predict_joint_log_proba([""])
    likelihood = model.document_log_likelihood(["a a b"])
    orders = np.exp(likelihood - ordered)
    show(f"a a b: {orders[0, 0]:.0f} orders of the words, not |V|!/2! = 12 as printed")
    assert orders[0] == pytest.approx(GOLDEN["nb.text.multinomial_coefficient"]["correct"])


@row("F9", "001", "Naive Bayes over the set of known terms")
def f9(show: Show) -> None:
    model = tl.NaiveBayes(text_model="set").fit(DOCUMENTS, SIGNS)
    evidence = model.explain([LETTERS["query"]])
    show(evidence)
    golden = GOLDEN["nb.text.three_variants"]
    assert text_agrees(evidence[0], golden["set_of_terms_joint"])
    assert evidence[0].chosen == golden["class"]["set"]


@row("F10", "000 001 002", "Vocabulary and bag of words; a word never seen is passed over")
def f10(show: Show) -> None:
    model = tl.NaiveBayes().fit(DOCUMENTS, SIGNS)
    show(model.show_work())
    show(model.top_words(1))
    show(model.explain(["z"]))
    assert model.predict_proba(["z"])[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    golden = GOLDEN["nb.text.three_variants"]["P(w|c)"]
    assert {word for words in golden.values() for word in words} == {"a", "b", "c"}
    assert model.n_parameters_ == 1 + 2 * (3 - 1)


@row("F11", "000", "Gaussian naive Bayes")
def f11(show: Show) -> None:
    X, y = [[1.0], [3.0], [10.0], [14.0]], ["a", "a", "b", "b"]
    model = tl.NaiveBayes(var_smoothing=0).fit(X, y)
    show(model.show_work())
    table = model.show_work().to_dict()["steps"][2]["rows"]
    assert table == [["x0", "2 ± 1", "12 ± 2"]]
    assert GOLDEN["gnb.variance"]["decimal"] == 1.0  # of 1 and 3: (1/N) sum, not the sum


@row("F12", "000", "Categories and numbers in one model")
def f12(show: Show) -> None:
    rows = [
        {"size": 1.0, "colour": "red", "kind": "a"},
        {"size": 2.0, "colour": "red", "kind": "a"},
        {"size": 5.0, "colour": "red", "kind": "b"},
        {"size": 7.0, "colour": "blue", "kind": "b"},
    ]
    model = tl.NaiveBayes().fit(rows, "kind")
    evidence = model.explain({"size": 4.0, "colour": "blue"})
    show(evidence)
    assert evidence[0].chosen == "b"


@row("F13", "004", "Naive Bayes with missing values: the factor is skipped")
def f13(show: Show) -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    evidence = model.explain({**COOL, "Wind": None})
    show(evidence)
    assert [term.column for term in evidence[0].lines[0].terms] == [
        "", "Outlook", "Temperature", "Humidity",
    ]  # fmt: skip


@row("F17", "000 003", "The posterior of two classes is a sigmoid; one half is decided by a rule")
def f17(show: Show) -> None:
    rows = [{"x": "a", "y": 0}, {"x": "a", "y": 1}, {"x": "b", "y": 1}]
    model = tl.NaiveBayes().fit(rows, "y")
    odds = np.diff(model.predict_joint_log_proba({"x": "b"}))[0, 0]
    assert model.predict_proba({"x": "b"})[0, 1] == pytest.approx(1 / (1 + math.exp(-odds)))
    tie = [{"x": "a", "y": 0}, {"x": "a", "y": 1}]
    for rule in ("first", "positive"):  # notes 002, and notes 000 and 004
        answer = tl.NaiveBayes(at_half=rule).fit(tie, "y").predict({"x": "a"})[0]
        show(f"P = 0.5, at_half={rule!r}: class {answer}")
        assert answer == (rule == "positive")


ONE, TWO = [[1], [3]], [[5], [7], [9]]


@row("F14", "000 003", "LDA, two classes, closed form")
def f14(show: Show) -> None:
    model = tl.LinearDiscriminantAnalysis().fit(ONE + TWO, ["c1"] * 2 + ["c2"] * 3)
    show(model.show_work())
    show(model.explain([[4]]))
    golden = GOLDEN["lda.two_class_1d"]
    w, w0 = -model.coef_[0, 0], -model.intercept_[0]  # coef_ is for the second class
    assert w == pytest.approx(float(fraction(golden["w"])))
    assert w0 == pytest.approx(decimal(golden["w0"]), abs=1e-4)
    assert model.priors_[0] == pytest.approx(decimal(golden["p"]))
    assert model.means_.ravel() == pytest.approx([decimal(golden["mu1"]), decimal(golden["mu2"])])
    assert 1 / (1 + math.exp(-(w * 4 + w0))) == pytest.approx(model.predict_proba([[4]])[0, 0])
    assert model.predict_proba([[4]])[0, 0] == pytest.approx(0.699419, abs=1e-6)


@row("F15", "000", "LDA, K classes, softmax")
def f15(show: Show) -> None:
    X, y = [[1], [3], [5], [7], [9], [0], [-4]], ["a", "a", "b", "b", "b", "c", "c"]
    model = tl.LinearDiscriminantAnalysis().fit(X, y)
    show(model.explain([[4]]))
    joint = np.exp(model.predict_joint_log_proba([[4]])[0])  # p_k N(x; mu_k, Sigma)
    assert model.predict_proba([[4]])[0] == pytest.approx(joint / joint.sum())


@row("F16", "000", "QDA: a covariance for every class")
def f16(show: Show) -> None:
    model = tl.QuadraticDiscriminantAnalysis(store_covariance=True)
    model.fit(ONE + TWO, ["c1"] * 2 + ["c2"] * 3)
    show(model.explain([[4]]))
    golden = GOLDEN["lda.two_class_1d"]
    assert [s.item() for s in model.covariance_] == pytest.approx(
        [decimal(golden["S1"]), decimal(golden["S2"])]
    )


@row("F18", "000 002", "Number of parameters")
def f18(show: Show) -> None:
    rng = np.random.default_rng(0)
    gaussian = tl.NaiveBayes().fit(rng.normal(size=(30, 4)), [0, 1, 2] * 10)
    binary = tl.NaiveBayes().fit(rng.random((40, 10)) < 0.5, [0, 1] * 20)
    show(f"K = 3, d = 4, Gaussian: {gaussian.n_parameters_}")
    X, y = rng.normal(size=(30, 4)), [0, 1, 2] * 10
    lda = tl.LinearDiscriminantAnalysis().fit(X, y)
    qda = tl.QuadraticDiscriminantAnalysis().fit(X, y)
    show(f"K = 3, d = 4, LDA: {lda.n_parameters_}, QDA: {qda.n_parameters_}")
    assert lda.n_parameters_ == GOLDEN["lda.parameter_count"]["lda_shared_cov"]
    assert qda.n_parameters_ == GOLDEN["lda.parameter_count"]["qda"]
    show(f"K = 2, n = 10 truth values: {binary.n_parameters_}; {binary.show_work().steps[-1]}")
    assert gaussian.n_parameters_ == GOLDEN["lda.parameter_count"]["gaussian_nb"]
    assert binary.n_parameters_ == GOLDEN["nb.table_size"]["nb_free_parameters"]
    assert str(GOLDEN["nb.table_size"]["nb_entries"]) in str(binary.show_work().steps[-1])


@row("F19", "000", "Log-likelihood of the fitted generative model")
def f19(show: Show) -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    value = model.log_likelihood(tl.example("tennis"))
    show(round(value, 4))
    smoothed = tl.NaiveBayes(alpha=1).fit(tl.example("tennis"))
    assert value > smoothed.log_likelihood(tl.example("tennis"))  # alpha 0 is the maximum
    X, y = ONE + TWO, ["c1"] * 2 + ["c2"] * 3
    one = tl.LinearDiscriminantAnalysis().fit(X, y).log_likelihood(X, y)
    each = tl.QuadraticDiscriminantAnalysis().fit(X, y).log_likelihood(X, y)
    show(f"LDA {one:.4f}, QDA {each:.4f}")
    assert one < each  # more parameters fit the same rows more closely


@row("F20", "003", "New examples from P(x, c)")
def f20(show: Show) -> None:
    model = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    rows, classes = model.sample(10_000, random_state=0)
    show(rows[0])
    assert np.mean(classes == "Yes") == pytest.approx(9 / 14, abs=0.02)
    sunny = [r["Outlook"] == "Sunny" for r, c in zip(rows, classes, strict=True) if c == "No"]
    assert np.mean(sunny) == pytest.approx(3 / 5, abs=0.03)
    lda = tl.LinearDiscriminantAnalysis().fit(ONE + TWO, ["c1"] * 2 + ["c2"] * 3)
    rows, classes = lda.sample(10_000, random_state=0)
    x = np.array([r["x0"] for r in rows])
    one = x[classes == "c1"]
    show(f"LDA: mean of c1 {one.mean():.1f}, variance {one.var():.1f}")
    assert x[classes == "c2"].mean() == pytest.approx(7, abs=0.1)


@row("G23", "000 003 004", "Discriminative and generative learners")
def g23(show: Show) -> None:
    for learner in (
        tl.NaiveBayes(),
        tl.LinearDiscriminantAnalysis(),
        tl.QuadraticDiscriminantAnalysis(),
        tl.NearestCentroid(),
    ):
        draws = hasattr(learner, "sample")
        show(f"{type(learner).__name__}: {learner.family}, {'draws' if draws else 'no'} new rows")
        assert draws == (learner.family == "generative")


@row("H8", "004", "Nearest centroid")
def h8(show: Show) -> None:
    X, y = [[-3], [-2], [2], [3], [0.5], [1.0]], ["a", "a", "a", "a", "b", "b"]
    model = tl.NearestCentroid().fit(X, y)
    show(model.explain([[2.5]]))
    golden = GOLDEN["centroid.multi"]["one_centroid"]
    assert model.centroids_.ravel().tolist() == [golden[c]["decimal"] for c in "ab"]
    assert model.predict([[2.5]])[0] == golden["prediction"]


@row("I8", "000 004", "Algorithms that accept missing values")
def i8(show: Show) -> None:
    rows = [
        {"x": 1.0, "c": "u"},
        {"x": None, "c": "u"},
        {"x": 4.0, "c": None},
        {"x": 5.0, "c": "v"},
    ]
    bayes = tl.NaiveBayes().fit(rows, ["a", "a", "b", "b"])
    centroid = tl.NearestCentroid().fit([[1.0, None], [2.0, 1.0], [8.0, 9.0]], ["a", "a", "b"])
    show(bayes.predict([{"x": None, "c": "v"}, {"x": 1.2, "c": None}]).tolist())
    show(centroid.predict([[None, 8.0]]).tolist())
    assert bayes.predict([{"x": None, "c": "v"}]).tolist() == ["b"]
    assert centroid.predict([[None, 8.0]]).tolist() == ["b"]


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    ROWS[name][2](lambda value: None)


def page() -> str:
    """The catalogue as Markdown: id, notes, snippet, output."""
    parts = [
        "# Catalogue\n\nWhat the notes teach and the library holds: each entry is a test of "
        "`tests/test_catalogue.py`, with what it prints."
    ]
    for name, (notes, title, function) in sorted(ROWS.items(), key=lambda item: _order(item[0])):
        shown: list[str] = []
        function(lambda value, into=shown: into.append(str(value)))  # type: ignore[misc]
        source = inspect.getsource(function).split("-> None:\n", 1)[1]
        code = textwrap.dedent(source).strip()
        output = "\n".join(shown)
        parts.append(
            f"## {name} {title}\n\nNotes {', '.join(notes.split())}.\n\n"
            f"```python\n{code}\n```\n\n```text\n{output}\n```"
        )
    return "\n\n".join(parts) + "\n"


def _order(name: str) -> tuple[str, int]:
    return name[0], int(name[1:])


def test_the_page_shows_what_is_tested() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.test_catalogue"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
