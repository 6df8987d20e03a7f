"""Every row of the catalogue that the library holds, one test each, through public names only.

``python -m tests.test_catalogue`` writes docs/catalogue.md from these functions: what is tested is
what is shown.
"""

from __future__ import annotations

import ast
import csv
import dis
import inspect
import io
import json
import math
import pprint
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stdout
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallylearn as tl
from tallylearn import errors
from tallylearn.checkers.commands import program
from tallylearn.cli import main

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
        shares = {name: fraction(value) for name, value in expected["conditionals"].items()}
        wanted |= {"Credit_Rating" if name == "Credit" else name: p for name, p in shares.items()}
        if factors != wanted or line.product != fraction(expected["joint"]):
            return False
        if not math.isclose(line.share, fraction(expected["posterior"]), abs_tol=1e-12):
            return False
    return True


def example_rows(name: str) -> list[dict[str, str]]:
    """An example table as ``tally example`` prints it, row by row."""
    printed = CliRunner().invoke(main, ["example", name], catch_exceptions=False).stdout
    return [*csv.DictReader(io.StringIO(printed))]


def turning(x: Any, y: Any, t: float) -> bool:
    """Whether the class changes at a threshold: the rows next to it are not all of one class."""
    below, above = x[x < t].max(), x[x > t].min()
    return len({*y[(x == below) | (x == above)].tolist()}) > 1


YOUNG = {"Age": "Young", "Income": "Medium", "Student": "Yes", "Credit_Rating": "Fair"}
COOL = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
HOT = {"Outlook": "Overcast", "Temperature": "Hot", "Humidity": "High", "Wind": "Strong"}


class Given:
    """An estimator that answers as it is told, row by row: columns are the answer's own."""

    _estimator_type = "classifier"

    def fit(self, X: Any, y: Any) -> Any:
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
    # P(f(x) != h(x)), summed over the rows by hand: a loaded die, and every h of {1..6} -> {T, F}
    loaded = [Fraction(p, 16) for p in (1, 2, 3, 4, 5, 1)]
    known = tl.Population([*range(1, 7)], loaded, target=lambda x: x % 2 == 0)
    for bits in range(64):
        wrong = [face for face in range(1, 7) if bool(bits >> face - 1 & 1) != (face % 2 == 0)]
        found = known.error({face: bool(bits >> face - 1 & 1) for face in range(1, 7)})
        assert found == sum(loaded[face - 1] for face in wrong)
    noisy = tl.Population({"u": "1/4", "v": "3/4"}, target=lambda x: {"+": "9/10", "-": "1/10"})
    show(f"noise: {noisy.error(lambda x: '+' if x == 'u' else '-')}")  # 1/4 · 1/10 + 3/4 · 9/10
    assert noisy.error(lambda x: "+" if x == "u" else "-") == Fraction(28, 40)
    for weights, message in (
        (dict.fromkeys(range(1, 6), "1/6"), "sum to 5/6, not to 1"),
        ({1: "3/2", 2: "-1/2"}, "row 1 has the probability '3/2'"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            tl.Population(weights, target=lambda x: x % 2 == 0)
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
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (60, 1))
    y = np.sin(X[:, 0]) + rng.normal(0, 0.5, 60)
    folds, ks = tl.Folds.three(Fraction(1, 5), Fraction(1, 5)), [1, 3, 9, 20]
    (split,) = folds.splits(60, y)
    parts = (split.train, split.validation, split.test)
    assert sorted(np.concatenate(parts)) == list(range(60))  # disjoint, and all rows
    assert [len(part) for part in parts] == [36, 12, 12]

    def nearest(k: int, rows: Any, at: Any) -> Any:
        """The mean target of the k nearest of some rows, by hand."""
        order = [sorted(rows, key=lambda r: abs(X[r, 0] - X[i, 0]))[:k] for i in at]
        return np.array([y[near].mean() for near in order])

    def error(k: int, learned: Any, tested: Any) -> float:
        return float(np.abs(y[tested] - nearest(k, learned, tested)).mean())

    found = tl.tune(tl.KNeighborsRegressor(), {"n_neighbors": ks}, X, y, cv=folds)
    show(found)
    validation = [error(k, split.train, split.validation) for k in ks]
    assert [c.estimate.value for c in found.candidates] == pytest.approx(validation)
    best = ks[int(np.argmin(validation))]
    assert found.best == {"n_neighbors": best}
    both = np.concatenate(parts[:2])
    assert found.score.value == pytest.approx(error(best, both, split.test))
    assert "used once" in found.to_markdown()
    # another target in the test rows changes the final score, and no choice; in the validation
    # rows it changes the choice
    for part, same in ((split.test, True), (split.validation, False)):
        other = y.copy()
        other[part] = -y[part]
        again = tl.tune(tl.KNeighborsRegressor(), {"n_neighbors": ks}, X, other, cv=folds)
        show(f"{again.best}, error on the test rows {again.score.value:.3f}")
        assert (again.best == found.best) == same
        assert again.score.value != found.score.value


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


@row("I1", "004", "Mean, median, variance by N - 1 and by N, standard deviation, range")
def i1(show: Show) -> None:
    wanted, x = GOLDEN["stats.basic"], GOLDEN_INPUTS["stats.basic"]["x"]
    found = tl.describe({"x": x})["x"]
    names = ("mean", "median", "variance", "variance_n", "sd", "range")
    show({name: found[name] for name in names})
    assert found["mean"] == decimal(wanted["mean"])
    assert found["median"] == decimal(wanted["median"])
    assert found["variance"] == float(fraction(wanted["variance_N-1"]))
    assert found["variance_n"] == float(fraction(wanted["variance_N"]))
    assert found["sd"] == math.sqrt(38 / 3)
    assert found["range"] == wanted["range"]
    # is it unbiased? its mean over all samples of three, with replacement, against the population
    samples = [tl.describe({"x": [a, b, c]})["x"] for a in x for b in x for c in x]
    population = {**found, "variance": found["variance_n"], "sd": math.sqrt(found["variance_n"])}
    for name in names:
        mean = np.mean([sample[name] for sample in samples])
        show(f"{name}: {mean:.4f} over all samples, {population[name]:.4f} in the population")
        unbiased = name in ("mean", "variance")
        assert (abs(mean - population[name]) < 1e-12) == unbiased


@row("I2", "004", "Covariance by N - 1 and by N, Pearson's r")
def i2(show: Show) -> None:
    x, y = [1, 2, 4, 9], [2, 1, 5, 8]
    found = tl.describe({"x": x, "y": y})
    show(found.covariance.round(4).tolist())
    show(found.covariance_n.round(4).tolist())
    show(found.pearson.round(4).tolist())
    show(found.spearman.round(4).tolist())
    products = sum((Fraction(a) - 4) * (Fraction(b) - 4) for a, b in zip(x, y, strict=True))
    assert np.isclose(found.covariance[0, 1], float(products / 3), rtol=1e-14)
    assert np.isclose(found.covariance_n[0, 1], float(products / 4), rtol=1e-14)
    assert np.isclose(found.pearson[0, 1], float(products) / math.sqrt(38 * 30), rtol=1e-14)
    assert np.isclose(found.spearman[0, 1], 0.8, rtol=1e-14)  # 1 - 6 (1 + 1) / (4 · 15)


@row("I3", "004", "Sampling: simple, stratified, bootstrap; whether a part represents the whole")
def i3(show: Show) -> None:
    table = pd.DataFrame({"x": range(90), "kind": ["+"] * 60 + ["-"] * 30})
    for found in (tl.sample(table, 30), tl.sample(table, 30, by="kind"),
                  tl.sample(table, bootstrap=True)):  # fmt: skip
        show(found)
        assert found.representative
    assert tl.sample(table, 30, by="kind").table.kind.tolist().count("+") == 20
    y = ["+"] * 60 + ["-"] * 30
    dealt = tl.Folds.representative(y, tl.Folds.holdout().parts(90, y)[0])
    first = tl.Folds.representative(y, np.arange(90) >= 60)
    show(dealt)
    show(first)
    assert dealt.p_value == 1
    assert first.p_value < 0.001


@row("B10", "003", "Confidence interval for the error, and the table of z")
def b10(show: Show) -> None:
    from scipy.stats import binomtest

    from tallylearn.statistics.confidence_intervals import (
        clopper_pearson,
        wilson,
        z_interval,
        z_table,
    )

    table = z_table()
    show("  ".join(f"{level:.0%} {z:.2f}" for level, z in table.items()))
    assert np.allclose([*table.values()], GOLDEN["eval.z_table"], rtol=1e-14)
    show(f"12 of 40 wrong: {z_interval(12 / 40, 40)}")
    assert np.allclose([*z_interval(12 / 40, 40)], GOLDEN["eval.ci"]["interval"], rtol=1e-14)
    show(f"0 of 40 wrong: {z_interval(0, 40)}, by Wilson {wilson(0, 40)}, "
         f"by Clopper and Pearson {clopper_pearson(0, 40)}")  # fmt: skip
    low, high = z_interval(0, 40)
    assert high - low == GOLDEN["eval.ci"]["wald_width_at_error_0"]
    rows = answered(TP=14, FN=6, FP=6, TN=15)
    found = tl.evaluate(Given(), rows, "y", cv=[([0], range(1, 41))], scoring="error")
    show(f"12 of 40 wrong: {found['error']} by {found['error'].interval.method}")
    theirs = binomtest(12, 40).proportion_ci(method="wilson")
    assert found["error"].value == 12 / 40
    assert np.allclose([*found["error"].interval], [theirs.low, theirs.high], rtol=1e-12)


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
    from sklearn.metrics import roc_auc_score, roc_curve

    found = tl.evaluate(tl.NaiveBayes(), tl.example("computer"), cv="loo", scoring="roc_auc")
    wrong, right, _ = found.roc()
    for point in zip(wrong.tolist(), right.tolist(), strict=True):
        show(f"false positives {point[0]:.3f}, true positives {point[1]:.3f}")
    show(f"area {found['roc_auc'].pooled:.4f}")
    told = found.predictions
    truth, said = told["truth"] == found.positive, told[f"P({found.positive})"]
    theirs = roc_curve(truth, said, drop_intermediate=False)
    assert np.allclose([wrong, right], theirs[:2], rtol=1e-14)
    assert math.isclose(found["roc_auc"].pooled, roc_auc_score(truth, said))


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


GAMES = {"state": ["b0", "b1", "b2"], "action": ["11-15", "23-19", "8-11"], "reward": [0, 0, 1]}
DRAWN = [{"n": n, "sign": sign} for n, sign in GOLDEN_INPUTS["concept.version_space"]["D"]]
NUMBERS = {
    "h1": lambda n: n % 2 == 1,
    "h2": lambda n: n <= 5,
    "h3": lambda n: n == 1 or (n > 1 and all(n % k for k in range(2, n))),
    "h4": {1, 3, 5},
}


@row("A1", "000 003", "Task, performance, experience")
def a1(show: Show) -> None:
    checkers = tl.problem(GAMES, task="play checkers", performance="the share of games won")
    show(checkers)
    assert (checkers.task, checkers.performance) == ("play checkers", "the share of games won")
    assert checkers.experience == "3 rows of trajectories: state, action, reward"
    tennis = tl.problem(tl.example("tennis"))
    show(tennis)
    assert tennis.performance == "accuracy; baseline 0.643 (always predicts Yes)"


@row("A2", "000 002 003 004", "Types of problems")
def a2(show: Show) -> None:
    day, size = tl.example("tennis-day"), [[0.5, 1.0], [1.5, 2.0], [2.5, 3.5]]
    for table, target, kind, name in (
        (day, None, "supervised", "concept learning"),
        (tl.example("organs"), None, "supervised", "regression"),
        (size, ["a", "b", "c"], "supervised", "classification"),
        (size, None, "unsupervised", "groups or density"),
        (GAMES, None, "reinforcement", "a policy"),
    ):
        found = tl.problem(table, target)
        show(f"{found.kind}: {found.name}; X {found.inputs}; Y {found.outputs or 'none'}")
        assert (found.kind, found.name) == (kind, name)
    bayes = tl.problem(day, learner=tl.NaiveBayes().fit(day))
    show(f"hyper-parameter alpha = {bayes.hyper_parameters['alpha']}; {bayes.parameters}")
    assert "parametric" in bayes.parameters


@row("A7", "000 003", "Search of a hypothesis space for the best performance")
def a7(show: Show) -> None:
    noisy = [*DRAWN, {"n": 7, "sign": "-"}, {"n": 9, "sign": "-"}]
    space = tl.VersionSpace.of(NUMBERS).fit(noisy, "sign")
    show({name: round(score, 3) for name, score in space.scores().items()})
    show(f"best: {space.best()}")
    assert space.scores() == {"h1": 6 / 8, "h2": 1, "h3": 7 / 8, "h4": 1}
    assert space.best() == ("h2", "h4")


@row("A8", "000 003", "Consistency of a hypothesis")
def a8(show: Show) -> None:
    space = tl.VersionSpace.of(NUMBERS).fit(DRAWN, "sign")
    for name in NUMBERS:
        show(f"{name} is consistent: {space.consistent(name)}")
        assert space.consistent(name)
    show(f"n < 6.5 is wrong about the rows {space.mistakes(lambda n: n < 6.5)}")
    assert not space.consistent(lambda n: n < 6.5)


@row("A9", "000 003", "Version space")
def a9(show: Show) -> None:
    space = tl.VersionSpace.of(NUMBERS).fit(DRAWN, "sign")
    show(space.explain({"n": 11}))
    assert [*space.members] == GOLDEN["concept.version_space"]["version_space"]
    tennis = tl.VersionSpace.conjunctions().fit(tl.example("tennis"))
    show(tennis)  # no conjunction explains the days of the notes
    assert tennis.count == 0


@row("A10", "000", "Power set, majority vote, undefined on a tie")
def a10(show: Show) -> None:
    exact = GOLDEN["concept.version_space"]
    theta = tl.VersionSpace.of(NUMBERS).fit(DRAWN, "sign").predict({"n": 11}, by=[*NUMBERS])
    show(f"theta(11) = {theta[0]}")
    assert theta[0] == exact["theta(11)"]
    vote = tl.VersionSpace.powerset(NUMBERS).fit(DRAWN, "sign").votes({"n": 11})[0]
    show(vote.because)
    found = {"+": vote.yes, "-": vote.no, "undefined": vote.undefined}
    assert found == exact["all_15_nonempty_subsets_at_11"]


CROSS = [  # + around a -, as in the figure
    {"x": x, "y": y, "sign": sign}
    for x, y, sign in ((1, 3, "+"), (3, 5, "+"), (5, 3, "+"), (3, 1, "+"), (3, 3, "-"), (8, 8, "-"))
]


@row("A11", "000", "Rectangles")
def a11(show: Show) -> None:
    space = tl.VersionSpace.rectangles().fit([*CROSS[:4], CROSS[5]], "sign")
    show(space)
    assert str(space.find_s()) == "[1, 5] × [1, 5]"
    assert space.predict([{"x": 2, "y": 2}, {"x": 9, "y": 9}]).tolist() == ["+", "-"]
    none = tl.VersionSpace.rectangles().fit(CROSS, "sign")
    show(none)
    assert none.specific == none.general == ()


@row("A12", "000", "Finite unions of rectangles over-fit")
def a12(show: Show) -> None:
    space = tl.VersionSpace.unions().fit(CROSS, "sign")
    show(f"cover: {space.cover()}")
    assert space.consistent(space.cover())
    assert space.predict({"x": 2, "y": 2}).tolist() == ["undecided"]
    rng = np.random.default_rng(0)
    points = pd.DataFrame(rng.random((1200, 2)), columns=["x", "y"])
    sign = np.where(((points > 0.2) & (points < 0.8)).all(axis=1), "+", "-")
    seen, fresh = points.assign(sign=sign)[:200], points[200:]
    for learner in (tl.VersionSpace.rectangles(), tl.VersionSpace.unions()):
        learner.fit(seen, "sign")
        errors = np.mean(learner.predict(fresh, by=learner.find_s()) != sign[200:])
        show(f"{learner!r}: no error on the sample, {errors:.3f} on fresh points")
        assert learner.consistent(learner.find_s())
        assert (errors > 0.3) == ("unions" in repr(learner))


@row("A13", "000", "Perfect and noisy data")
def a13(show: Show) -> None:
    assert tl.VersionSpace.of(NUMBERS).fit(DRAWN, "sign").contradictions == ()
    noisy = tl.VersionSpace.of(NUMBERS).fit([*DRAWN, {"n": 3, "sign": "-"}], "sign")
    show(noisy)
    assert noisy.contradictions == ((1, 6),)
    assert noisy.count == 0


def played(*command: str, games: str = "") -> dict[str, Any]:
    """What ``python -m tallylearn.checkers`` prints, and the files that it leaves."""
    with TemporaryDirectory() as folder, chdir(folder):
        if games:
            Path("games.jsonl").write_text(games)
        done = CliRunner().invoke(program, command, catch_exceptions=False)
        assert done.exit_code == 0
        found: dict[str, Any] = {"text": done.stdout}
        if Path("games.jsonl").exists():
            found["games.jsonl"] = Path("games.jsonl").read_text()
        return found | {"v.tally": tl.load("v.tally")}


@row("A3", "000 003", "Linear evaluation function")
def a3(show: Show) -> None:
    weights = (0.5, 1.0, -1.0, 2.0, -2.0, -0.5, 0.25)  # w0 to w6, of f0 = 1 to f6
    board = {"black": 9, "red": 11, "black kings": 2, "red kings": 1, "threatened": 3, "threats": 2}
    value = sum(w * f for w, f in zip(weights, (1, *board.values()), strict=True))
    model = tl.LMS(1e-9, start=weights).fit([board], [value])  # no error, and so no step
    why = model.explain(board)[0]
    show(why)
    assert [model.intercept_, *model.coef_] == [*weights]
    assert model.predict(board)[0] == value == -0.5
    assert [term.amount for term in why.lines[0].terms] == [0.5, 9.0, -11.0, 4.0, -2.0, -1.5, 0.5]


@row("A4", "000 003 004", "LMS weight update")
def a4(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.gd_scalings"], GOLDEN["linreg.gd_scalings"]
    x, y, c = [[value] for value in given["x"]], given["y"], given["alpha"]
    steps = {
        "error": "000 LMS sample 1: +c*f*err",
        "twice": "004 SGD sample 1: +2*alpha*err*x",
        "sum": "002 half-sum loss: +alpha*X^T r",
        "mean": "004 batch: +alpha*(2/m) X^T r",
    }
    for scaling, line in steps.items():
        model = tl.LMS(c, scaling=scaling, steps=1, start=given["theta"]).fit(x, y)
        show(f"{scaling}: w0 = {model.intercept_:.4g}, w1 = {model.coef_[0]:.4g}")
        assert np.allclose([model.intercept_, *model.coef_], golden[line], rtol=1e-15)
    show(tl.LMS(c).fit(x, y).show_work())
    # small random weights, samples picked at random, k steps: each step is the update of a sample
    drawn = tl.LMS(0.1, start="random", order="random", steps=40, random_state=1).fit(x, y)
    first = tl.LMS(1e-12, start="random", steps=1, random_state=1).fit(x, y)
    w = np.array([first.intercept_, *first.coef_])
    assert 0 < np.abs(w).min() <= np.abs(w).max() <= 0.01
    assert len(drawn.trace_) == drawn.n_steps_ == 40
    picked = []
    for after in drawn.trace_[:, 1:]:
        b = [1, *x[0]], [1, *x[1]], [1, *x[2]]
        moves = [w + 0.1 * np.array(f) * (v - w @ f) for f, v in zip(b, y, strict=True)]
        right = [k for k in range(3) if np.allclose(after, moves[k], rtol=0, atol=1e-9)]
        assert len(right) == 1
        picked.append(right[0])
        w = after
    show(f"samples picked: {picked}")
    assert {*picked} == {0, 1, 2}
    assert picked != [k % 3 for k in range(40)]


@row("A5", "000", "Self-play game learner")
def a5(show: Show) -> None:
    said = played("learn", "--games", "20", "--every", "20", "--save", "v.tally")
    before, after = (
        [float(x.rstrip("%")) for x in line.split() if x.endswith("%")]
        for line in said["text"].splitlines()[1:3]
    )  # the share of points against the random player, and its interval
    show(f"points against the random player: {before[0]:.0f} %, after 20 games {after[0]:.0f} %")
    assert before[1] < 50 < before[2]  # weights of zero are the random player
    assert after[1] > 90  # performance system, critic, generaliser: twenty times round
    model = said["v.tally"]
    assert model.coef_[0] > 0 > model.coef_[1]  # own pieces are good, the other's are not


@row("A6", "000", "Board target V and ChooseMove")
def a6(show: Show) -> None:
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

    def over(board: str) -> str:
        """Who has three in a line."""
        full = ({board[i] for i in line} for line in lines)
        return "".join(side for cells in full for side in "xo" if cells == {side})[:1]

    @cache
    def target(board: str, turn: str) -> int:
        """V for X: 1 won, -1 lost, 0 drawn, else V of the best board that can be reached."""
        if winner := over(board):
            return 1 if winner == "x" else -1
        reached = [target(b, "o" if turn == "x" else "x") for b in after(board, turn)]
        return (max if turn == "x" else min)(reached, default=0)

    def after(board: str, turn: str) -> list[str]:
        return [board[:i] + turn + board[i + 1 :] for i, cell in enumerate(board) if cell == "."]

    def features(board: str) -> list[int]:
        """Lines with three, two and one of X and none of O; and the other way round."""
        rows = [[board[i] for i in line] for line in lines]
        pairs = [("x", "o"), ("o", "x")]
        return [
            sum(r.count(a) == n and b not in r for r in rows) for a, b in pairs for n in (3, 2, 1)
        ]

    assert (target("xxx.oo...", "o"), target("ooo.xx.x.", "x"), target("xoxxoxoxo", "x")) == (
        1,
        -1,
        0,
    )
    assert target("xx..o...o", "x") == 1  # X wins at once
    assert target("xo..x....", "o") == 1  # and O cannot stop both lines
    seen, left = {}, [("x...o....", "x")]  # all that can follow two moves
    for board, turn in left:
        if board not in seen:
            seen[board] = target(board, turn)
            other = "o" if turn == "x" else "x"
            left += [(b, other) for b in after(board, turn)] if not over(board) else []
    x, y = [features(board) for board in seen], [*seen.values()]
    model = tl.LMS(0.01, steps=10 * len(x)).fit(x, y)
    board = "xx..o...o"
    successors = after(board, "x")
    values = model.predict([features(b) for b in successors])
    for successor, value in zip(successors, values, strict=True):
        show(f"{successor}  V̂ = {value:+.2f}  V = {target(successor, 'o'):+d}")
    chosen = successors[int(np.argmax(values))]  # ChooseMove
    show(f"chosen: {chosen}")
    assert chosen == "xxx.o...o"
    assert target(chosen, "o") == 1


@row("B17", "000 004", "Majority-class baseline")
def b17(show: Show) -> None:
    from sklearn.dummy import DummyClassifier

    X, y = np.zeros((10, 1)), ["+"] * 9 + ["-"]
    accuracy = tl.DummyClassifier().fit(X, y).score(X, y)
    show(accuracy)
    assert accuracy == float(fraction(GOLDEN["eval.majority_baseline"]))
    assert accuracy == DummyClassifier().fit(X, y).score(X, y)
    found = tl.evaluate(tl.CART(), X, y, cv=2, scoring="accuracy")
    show(found.headline)  # the baseline stands beside every score
    assert found["accuracy"].baseline == accuracy


@row("C23", "000 003", "A tree as a disjunction of conjunctions")
def c23(show: Show) -> None:
    rules = tl.ID3().fit(tl.example("tennis")).rules()
    show(rules)
    show(f"PlayTennis = Yes  ⇔  {rules.formula('Yes')}")
    assert rules.formula("Yes") == (
        "(Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ "
        "(Outlook = Sunny ∧ Humidity = Normal)"
    )
    numbers = tl.CART(max_depth=3).fit([[1.0], [2], [3], [4], [5], [6]], [*"nnyyyn"]).rules()
    show(numbers.simplified())
    assert numbers.formula("y") == "(2.5 < x0 <= 5.5)"
    program: dict[str, Any] = {}
    exec(rules.to_python(), program)
    assert [program["predict"](COOL), program["predict"](HOT)] == ["No", "Yes"]


@row("C24", "000", "Explanation of one prediction: the rule that fired")
def c24(show: Show) -> None:
    tree = tl.ID3().fit(tl.example("tennis"))
    show(tree.fired(COOL))
    show(tree.explain(COOL))
    (rule,) = tree.fired(COOL)
    assert [str(condition) for condition in rule.conditions] == [
        "Outlook = Sunny", "Humidity = High",
    ]  # fmt: skip
    assert rule.answer == tree.predict(COOL)[0] == "No"
    assert (rule.support, rule.n) == (3, 3)


@row("C25", "000 002 004", "A tree, drawn: answers on the edges")
def c25(show: Show) -> None:
    tree = tl.ID3().fit(tl.example("restaurant"))
    show(tree)
    nodes = tree.plot().data["nodes"]
    assert [node["edge"] for node in nodes if node["parent"] == 0] == ["Full", "None", "Some"]
    for node in nodes:
        assert f">{node['split'] or node['answer']}" in tree.plot().svg
    show(tl.ID3().fit(tl.example("tennis")).to_dot())


@row("C26", "000", "One noisy example more: T and T'")
def c26(show: Show) -> None:
    names = ("Outlook", "Temperature", "Humidity", "Wind")
    block = tl.example("tennis").block
    D = pd.DataFrame({name: block.codes[name].items() for name in names})
    D["PlayTennis"] = tl.example("tennis").target.to_pylist()
    noisy = D.copy()
    noisy.loc[14] = ["Sunny", "Hot", "Normal", "Strong", "No"]
    T, T_noisy = (tl.ID3(keep_rows=True).fit(rows, "PlayTennis") for rows in (D, noisy))
    days = pd.MultiIndex.from_product([sorted({*D[name]}) for name in names], names=names)
    S = days.to_frame(index=False)  # every day there can be, as T would have it without the noise
    S["PlayTennis"] = T.predict(S)
    found = tl.diff(T, T_noisy, on={"D": (D, "PlayTennis"), "D'": (noisy, "PlayTennis"),
                                    "S": (S, "PlayTennis")})  # fmt: skip
    show(found)
    exact = GOLDEN["tree.id3.tennis_plus_noise"]
    gains = {one.column: one.gain for one in T_noisy.gains()}
    assert gains == pytest.approx(exact["gains_root"], abs=1e-12)
    assert [fork.path for fork in found.forks] == ["Outlook = Sunny"]
    assert exact["tree"]["children"]["Sunny"]["split"] == "Temperature"
    assert found.forks[0].second.startswith("splits on Temperature")
    assert [found[name].scores for name in ("D", "D'")] == [(1, 1), (14 / 15, 1)]
    assert found["S"].scores == pytest.approx((1, 32 / 36))


@row("C27", "004", "Regression tree, multi-way, weighted average variance")
def c27(show: Show) -> None:
    tree = tl.DecisionTreeRegressor(category_split="multiway", keep_rows=True)
    tree.fit(tl.example("organs"))
    show(tree)
    for name in ("Model", "Condition", "Leslie"):
        golden = GOLDEN[f"regtree.{name.lower()}"]["weighted_average_mse"]
        show(f"{name}: {tree.gains()[name].after:.1f}")
        assert math.isclose(tree.gains()[name].after, fraction(golden), rel_tol=1e-12)
    means = GOLDEN["regtree.model"]["means"]
    told = {b.values[0]: tree.tree_.prediction_of(b.node) for b in tree.tree_.branches(0)}
    assert told == pytest.approx({name: decimal(mean) for name, mean in means.items()}, rel=1e-15)
    for branch in tree.tree_.branches(0):  # the second level
        if branch.values[0] in ("A100", "T202"):
            second = GOLDEN[f"regtree.second_level.{branch.values[0]}"]
            gains = tree.gains(node=branch.node)
            for name in ("Condition", "Leslie"):
                golden = second[name]["weighted_average_mse"]
                show(f"{branch.values[0]}, {name}: {gains[name].after:.1f}")
                assert math.isclose(gains[name].after, fraction(golden), rel_tol=1e-12)
            assert tree.tree_.node(branch.node).column == second["best"]
            below = tree.tree_.branches(branch.node)
            told = {b.values[0]: tree.tree_.prediction_of(b.node) for b in below}
            means = second[second["best"]]["means"]
            assert told == pytest.approx({name: decimal(mean) for name, mean in means.items()})


@row("C29", "004", "Model tree: a linear model, or any, at each leaf")
def c29(show: Show) -> None:
    X = [[float(x)] for x in range(20)]
    y = [2.0 * x if x < 10 else 50.0 - x for x in range(20)]
    tree = tl.M5(smooth=None).fit(X, y)
    show(tree)
    assert [(f.intercept, f.terms) for f in tree.formulas()] == [
        (pytest.approx(0, abs=1e-12), (("x0", pytest.approx(2)),)),
        (pytest.approx(50), (("x0", pytest.approx(-1)),)),
    ]
    show(tl.M5().fit(X, y).explain([[3.0]]))
    medians = tl.M5(smooth=None, learner=tl.DummyRegressor(strategy="median")).fit(X, y)
    show(medians)
    assert medians.predict([[3.0], [13.0]]).tolist() == [9.0, 35.5]


@row("C30", "004", "SDR: sd(T) - sum |Ti| / |T| sd(Ti)")
def c30(show: Show) -> None:
    tree = tl.DecisionTreeRegressor(criterion="sdr", category_split="multiway", keep_rows=True)
    gains = tree.fit(tl.example("organs")).gains()
    show(gains)
    for name in ("Model", "Condition", "Leslie"):
        golden = GOLDEN[f"regtree.{name.lower()}"]["SDR_population_sd"]
        assert math.isclose(gains[name].gain, golden, rel_tol=1e-12)
    cells = example_rows("organs")
    rows = [[str(value) for value in row] for row in GOLDEN["data.organ_9"]["rows"]]
    assert [[*row.values()] for row in cells] == rows

    def grow(i: int, rows: list[Any], left: list[str]) -> None:
        """At every node, the attribute with the largest reduction is asked for."""
        prices = np.array([float(row["Price"]) for row in rows])
        node = tree.tree_.node(i)
        if len(rows) == 1:
            assert node.test == "leaf"
            return
        scores = {}
        for name in left:
            parts = [np.array([float(r["Price"]) for r in rows if r[name] == value])
                     for value in {r[name] for r in rows}]  # fmt: skip
            scores[name] = prices.std() - sum(len(p) / len(rows) * p.std() for p in parts)
        assert {one.column: one.gain for one in tree.gains(node=i)} == pytest.approx(scores)
        assert scores[node.column] == pytest.approx(max(scores.values()))
        for branch in node.branches:
            inside = [row for row in rows if row[node.column] == branch.values[0]]
            grow(branch.node, inside, [name for name in left if name != node.column])

    grow(0, cells, ["Model", "Condition", "Leslie"])


def rolls(seed: int) -> pd.DataFrame:
    """A fair die is thrown 60 times: neither its colour nor its weight tells what comes up."""
    rng = np.random.default_rng(seed)
    colour, grams = rng.choice(["blue", "green", "red"], 60), rng.integers(90, 111, 60)
    return pd.DataFrame({"colour": colour, "grams": grams, "six": rng.integers(1, 7, 60) == 6})


@row("C12", "000 003 004", "Pre-pruning by statistical significance")
def c12(show: Show) -> None:
    tree = tl.ID3(significance=0.05).fit(tl.example("tennis"))
    show(tree)
    root = GOLDEN["tree.tennis.chi2"]["tests"]["root|Outlook"]
    assert root["p_value"] > 0.05
    assert tree.get_n_leaves() == 1
    assert tl.ID3(significance=0.2).fit(tl.example("tennis")).get_n_leaves() == 5


@row("C13", "002", "Chi-square post-pruning, bottom-up")
def c13(show: Show) -> None:
    tree = tl.ID3(keep_rows=True).fit(tl.example("restaurant"))
    pruned = tree.prune("chi2", level=0.05)
    show(pruned.prunings())
    show(pruned)
    tests = GOLDEN["tree.restaurant.chi2"]["tests"]
    for removal, key in zip(
        pruned.prunings(), ["Thai|Fri", "Full,Hun=Yes|Type", "Full|Hun"], strict=True
    ):
        assert math.isclose(removal.numbers["chi2"], tests[key]["chi2"])
        assert removal.numbers["df"] == tests[key]["df"]
        assert math.isclose(removal.numbers["p"], tests[key]["p_value"])
    assert pruned.tree_.node(0).column == "Pat"
    assert pruned.get_depth() == 1
    assert len(tl.ID3(keep_rows=True, pruning="chi2").fit(tl.example("tennis")).prunings()) == 0


@row("C14", "000", "Reduced-error pruning, greedy best node first (Algorithm 6)")
def c14(show: Show) -> None:
    tree = tl.ID3(keep_rows=True).fit(rolls(1), "six")
    pruned = tree.prune("reduced_error_greedy", rolls(2), "six")
    show(f"{len(tree.tree_)} nodes, {tree.score(rolls(2), 'six'):.3f} of other rolls")
    show(pruned.prunings())
    show(f"{len(pruned.tree_)} node, {pruned.score(rolls(2), 'six'):.3f}")
    assert len(pruned.tree_) == 1  # "the correct tree structure is one node that predicts no"
    assert pruned.score(rolls(2), "six") > tree.score(rolls(2), "six")
    grown, ends, six = tree.tree_, tree.apply(rolls(2)).tolist(), rolls(2)["six"].tolist()

    def right(cut: set[int]) -> int:
        """Rows that are answered right where these nodes are leaves."""
        at = [next((i for i in grown.above(end) if i in cut), end) for end in ends]
        return sum(grown.prediction_of(i) == truth for i, truth in zip(at, six, strict=True))

    cut: set[int] = set()
    for removal in pruned.prunings():  # of all nodes that are left, the one that helps most
        left = [i for i in range(len(grown)) if grown.children(i) and not cut & {*grown.above(i)}]
        tried = {i: right(cut | {i}) for i in left}
        assert tried[removal.node] == max(tried.values()) >= right(cut)
        cut.add(removal.node)
    assert 0 in cut


@row("C15", "003 004", 'Reduced-error pruning, "no worse", bottom-up')
def c15(show: Show) -> None:
    pruned = tl.ID3(keep_rows=True).fit(rolls(1), "six").prune("reduced_error", rolls(2), "six")
    show(pruned.prunings())
    show(pruned)
    for removal in pruned.prunings():  # a leaf of the most common training class is no worse
        assert removal.numbers["errors as leaf"] <= removal.numbers["errors in branches"]
    held = tl.ID3(pruning="reduced_error", validation=1 / 3, random_state=1)
    assert held.fit(rolls(1), "six").tree_.n[0] == 40  # a third was kept out of the tree


@row("C16", "004", "Loss-minimising post-pruning")
def c16(show: Show) -> None:
    loss = [[0, 1], [3, 0]]  # to miss a six costs three
    tree = tl.ID3(keep_rows=True, loss=loss).fit(rolls(1), "six")  # grown by gain
    pruned = tree.prune("loss", rolls(2), "six")
    show(pruned.prunings())

    def lost(learner: tl.DecisionTreeClassifier) -> int:
        six, said = rolls(2)["six"].to_numpy(), learner.predict(rolls(2))
        return int((~six & said).sum() + 3 * (six & ~said).sum())

    show(f"loss {lost(tree)} before, {lost(pruned)} after")
    assert lost(pruned) < lost(tree)
    plain = tl.ID3().fit(rolls(1), "six")
    assert str(plain.gains(0, rolls(1), "six")) == str(tree.gains())  # the loss asks nothing
    six = rolls(2)["six"].to_numpy()
    price = np.where(six, 3, 1)  # lambda of a wrong answer
    grown = tree.tree_
    paths = [grown.above(end) for end in tree.apply(rolls(2)).tolist()]

    def loses(i: int, rows: Any) -> int:
        return int(price[rows][six[rows] != grown.prediction_of(i)].sum())

    def least(i: int, rows: Any) -> tuple[int, int]:
        """The least loss of all prunings below a node, and the fewest nodes that have it."""
        kids, deep = grown.children(i), len(grown.above(i))
        if not kids:
            return loses(i, rows), 1
        to = np.array([paths[r][deep] if len(paths[r]) > deep else i for r in rows], dtype=int)
        below = [least(k, rows[to == k]) for k in kids]
        stay = loses(i, rows[to == i]) + sum(loss for loss, _ in below)
        return min((loses(i, rows), 1), (stay, 1 + sum(n for _, n in below)))

    assert (lost(pruned), len(pruned.tree_)) == least(0, np.arange(len(six)))
    assert len(tree.prune("loss").tree_) < len(tree.tree_)  # by its own rows, each class once more


@row("C17", "004", "Minimum-expected-loss label at a leaf")
def c17(show: Show) -> None:
    fish = ["salmon"] * 12 + ["sea bass"] * 35  # of 70 cm: P(salmon) = 12/47
    tree = tl.ID3(loss=[[0, 4], [1, 0]]).fit([["70 cm"]] * 47, fish)
    plain = tl.ID3().fit([["70 cm"]] * 47, fish)
    show([str(learner.predict([["70 cm"]])[0]) for learner in (plain, tree)])
    risks = tree.tree_.counts[0] @ tree.tree_.loss / 47
    for risk, call in zip(risks, ("call_salmon", "call_sea_bass"), strict=True):
        assert math.isclose(risk, decimal(GOLDEN["bayes.fish.expected_loss"][f"R({call})"]))
    assert tree.predict([["70 cm"]])[0] == "salmon"
    assert plain.predict([["70 cm"]])[0] == "sea bass"


@row("C34", "000", "Tree on a validation set: accuracy vs size")
def c34(show: Show) -> None:
    curve = tl.ID3().fit(rolls(1), "six").pruning_curve(rolls(2), "six", how="cost_complexity")
    show(curve)
    assert list(curve.training) == sorted(curve.training, reverse=True)
    assert curve.validation[-1] > curve.validation[0]  # smaller, and better on other rolls
    assert curve.best == 1
    assert curve.plot().svg.startswith("<svg")


@row("D1", "000 001", "Discrete probability space (Ω, A, P)")
def d1(show: Show) -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    show(dice)
    odd = dice.event(lambda w: w % 2, name="odd")
    show(f"P(odd) = {dice.P(odd)}")
    show(dice.is_sigma_algebra([{1, 2, 3, 4, 5, 6}, [], odd, ~odd]))
    show(dice.is_sigma_algebra([{1, 2, 3, 4, 5, 6}, [], odd]))
    assert dice.P(odd) == fraction(GOLDEN["prob.dice"]["P(odd)"])
    assert dice.is_sigma_algebra([{*dice}, [], odd, ~odd]).value is True
    assert dice.is_sigma_algebra([{*dice}, [], odd]).value is False
    minutes = {25: "0.04", 60: "0.84", 1440: "0.999"}  # leave so early: in time with probability
    shares = [tl.ProbabilitySpace({"in time": p, "late": 1 - Fraction(p)}).P("in time")
              for p in minutes.values()]  # fmt: skip
    assert [float(p) for p in shares] == GOLDEN["prob.airport"]


@row("D2", "001", "Axioms and corollaries")
def d2(show: Show) -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    odd, low = dice.event(lambda w: w % 2, name="odd"), dice.event({1, 2, 3}, name="low")
    show(dice.axioms(odd, low))
    rest = dice.variable(lambda w: w % 3, name="R")
    show(dice.variable_rules(rest, odd))
    third, half = Fraction(1, 3), Fraction(1, 2)
    assert (dice.P(odd), dice.P(low), dice.P(odd & low), dice.P(odd | low)) == (
        half,
        half,
        third,
        half + half - third,
    )
    assert (dice.P(~odd), dice.P(odd - low), dice.P({*dice}), dice.P([])) == (
        1 - half,
        half - third,
        1,
        0,
    )
    assert {tuple(row[1:]) for row in dice.axioms(odd, low).work.steps[1].rows} == {
        ("1", "1", "yes"),
        ("0", "0", "yes"),
        ("2/3", "2/3", "yes"),
        ("1/2", "1/2", "yes"),
    }
    parts = [rest == value for value in (0, 1, 2)]  # one of its values comes, and only one
    assert [dice.P(part) for part in parts] == [third] * 3
    assert dice.P(parts[0] & parts[1]) == dice.P(parts[0] & parts[2]) == 0
    assert dice.P(parts[0] | parts[1]) == 2 * third
    assert (
        dice.P(odd, parts[0] | parts[1]) == dice.P(odd, parts[0]) + dice.P(odd, parts[1]) == third
    )
    assert sum(dice.P(part, given=odd) for part in parts) == 1
    assert dice.axioms(odd, low).value is dice.variable_rules(rest, odd).value is True


@row("D3", "000 001", "Random variable, induced distribution, expectation")
def d3(show: Show) -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    gamble = dice.variable(lambda w: 30 if w in {1, 2} else -20, name="X")
    show(gamble)
    golden = GOLDEN["prob.dice"]
    assert dice.P(gamble == 30) == fraction(golden["P(win)"])
    assert gamble.expectation() == fraction(golden["E[X]"])
    assert gamble.variance() == fraction(golden["Var[X]"])


@row("D4", "000", "Propositions and connectives as events")
def d4(show: Show) -> None:
    days = {
        (True, True): "3/10",
        (True, False): "1/10",
        (False, True): "2/10",
        (False, False): "4/10",
    }
    space = tl.ProbabilitySpace(days, names=["rain", "wind"])
    rain, wind = space.propositions()
    for phi in (~rain, rain & wind, ~rain | wind):
        show(f"P({phi}) = {space.P(phi)}")
    assert space.P(~rain | wind) == Fraction(9, 10)
    assert str(~rain | wind) == "¬rain ∨ wind"


@row("D5", "000 001", "Joint, marginal, conditional")
def d5(show: Show) -> None:
    joint = tl.ProbabilitySpace.from_table(tl.example("tennis"), ["Outlook", "PlayTennis"])
    show(joint)
    show(joint.marginal("PlayTennis"))
    show(joint.given({"Outlook": "Sunny"}))
    assert joint.P({"PlayTennis": "Yes"}, given={"Outlook": "Sunny"}) == Fraction(2, 5)
    with pytest.raises(ValueError, match=r"not defined: P\(∅\) = 0"):
        joint.P({"PlayTennis": "Yes"}, given=[])


@row("D6", "000 001", "Product rule, chain rule")
def d6(show: Show) -> None:
    days = tl.ProbabilitySpace.from_table(tl.example("tennis"))
    sunny, strong, no = (
        days["Outlook"] == "Sunny", days["Wind"] == "Strong", days["PlayTennis"] == "No",
    )  # fmt: skip
    show(days.product_rule(sunny, no))
    show(days.chain_rule(sunny, strong, no))
    assert (
        days.chain_rule(sunny, strong, no).value == days.P(sunny & strong & no) == Fraction(1, 14)
    )


@row("D7", "000", "Total probability")
def d7(show: Show) -> None:
    days = tl.ProbabilitySpace.from_table(tl.example("tennis"))
    answer = days.total_probability(days["PlayTennis"] == "Yes", days["Outlook"])
    show(answer)
    assert answer.value == Fraction(9, 14)


@row("D8", "000 001 003", "Independence and conditional independence")
def d8(show: Show) -> None:
    dice = tl.ProbabilitySpace.uniform(range(1, 7))
    odd, low = dice.event(lambda w: w % 2, name="odd"), dice.event({1, 2}, name="low")
    show(dice.independent(odd, low))
    show(dice.independent(odd, {1, 2, 3}))
    assert dice.independent(odd, low).value is True
    assert dice.independent(odd, {1, 2, 3}).value is False
    days = tl.ProbabilitySpace.from_table(tl.example("tennis"), ["Outlook", "Wind", "PlayTennis"])
    naive = days.factored(tl.ProbabilitySpace.naive_bayes("PlayTennis", ["Outlook", "Wind"]))
    for space in (days, naive):
        answer = space.independent(space["Outlook"], space["Wind"], given=space["PlayTennis"])
        show(answer.show_work().steps[-1])
        assert answer.value is (space is naive)


@row("D9", "000 001 003 004", "Bayes theorem")
def d9(show: Show) -> None:
    days = tl.ProbabilitySpace.from_table(tl.example("tennis"))
    answer = days.bayes(days["PlayTennis"] == "Yes", given={"Outlook": "Sunny"})
    show(answer)
    assert answer.value == Fraction(2, 5)


@row("D10", "000", "Inference by enumeration")
def d10(show: Show) -> None:
    space = tl.ProbabilitySpace({True: "1/2", False: "1/2"}, "x1")
    space *= tl.ProbabilitySpace({True: "1/3", False: "2/3"}, "x2")
    space *= tl.ProbabilitySpace({True: "1/4", False: "3/4"}, "x3")
    x1, x2, x3 = space.propositions()
    answer = space.enumerate((x1 | x2) & ~x3)
    show(answer)
    assert answer.value == (1 - Fraction(1, 2) * Fraction(2, 3)) * Fraction(3, 4)
    worlds = [(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False)]
    shares = [Fraction(k, 36) for k in range(1, 9)]  # a joint distribution that is no product
    joint = tl.ProbabilitySpace(dict(zip(worlds, shares, strict=True)), names=["a", "b", "c"])
    a, b, c = joint.propositions()
    formulas = [
        (~a, lambda a, b, c: not a),
        (a & b, lambda a, b, c: a and b),
        (a | b, lambda a, b, c: a or b),
        (~(a | b) | c, lambda a, b, c: not (a or b) or c),
        ((a & ~b) | (~a & b), lambda a, b, c: a != b),
        (a & ~a, lambda a, b, c: False),
    ]
    for phi, holds in formulas:  # the models of phi, and the sum of their probabilities
        models = {str(w): p for w, p in zip(worlds, shares, strict=True) if holds(*w)}
        found = joint.enumerate(phi)
        show(f"P({phi}) = {found.value}")
        assert found.value == sum(models.values())
        grids = [step for step in found.show_work().steps if hasattr(step, "rows")]
        listed = {cell[0]: Fraction(cell[1]) for grid in grids for cell in grid.rows}
        assert listed == models


@row("D11", "002", "Naive Bayes as a Bayes net; table sizes")
def d11(show: Show) -> None:
    net = tl.ProbabilitySpace.naive_bayes("Y", [f"F{i}" for i in range(1, 11)])
    sizes = net.table_sizes()
    show(sizes)
    show(net.separated("F1", "F2", given="Y"))
    show(net.separated("F1", "F2"))
    more = net.with_edge("F1", "F2")
    show(more.separated("F1", "F2", given="Y"))
    golden = GOLDEN["nb.table_size"]
    assert sizes.scores == {
        "joint": golden["joint"],
        "network": golden["nb_entries"],
        "free": golden["nb_free_parameters"],
    }
    for n in (1, 3, 25):
        few = tl.ProbabilitySpace.naive_bayes("Y", [f"F{i}" for i in range(n)]).table_sizes()
        assert (few.scores["joint"], few.scores["network"]) == (2 ** (n + 1), 4 * n + 2)
    assert more.table_sizes() == 42 + 4  # F2 now has a row for every case of two parents
    assert net.separated("F1", "F2", given="Y").value is True
    assert net.separated("F1", "F2").value is more.separated("F1", "F2", given="Y").value is False
    alarm = tl.ProbabilitySpace.network({"Alarm": ["Burglary", "Earthquake"], "JohnCalls": "Alarm"})
    show(alarm.separated("Burglary", "Earthquake", given="JohnCalls"))
    assert alarm.separated("Burglary", "Earthquake").value is True  # a collider is closed,
    for known in ("Alarm", "JohnCalls"):  # until it is known, or something that follows from it
        assert alarm.separated("Burglary", "Earthquake", given=known).value is False
    assert alarm.separated("Burglary", "JohnCalls", given="Alarm").value is True


CANDY = GOLDEN_INPUTS["bayes.candy.prior"]
BAG_PRIOR = {f"h{i}": str(p) for i, p in enumerate(CANDY["prior"], start=1)}
LIME = {f"h{i}": Fraction(str(p)) for i, p in enumerate(CANDY["P(lime|h)"], start=1)}
CHERRY = {bag: 1 - share for bag, share in LIME.items()}


@row("E1", "000 001 003 004", "Posterior over hypotheses")
def e1(show: Show) -> None:
    bags = tl.Hypotheses(BAG_PRIOR, likelihood={"lime": LIME, "cherry": CHERRY})
    after = bags.observe("lime", "lime")
    show(after.show_work())
    assert [*after.posterior().values()] == [fraction(p) for p in GOLDEN["bayes.candy.D2"]]
    assert sum(after.posterior().values()) == 1


TENNIS12 = GOLDEN["bayes.ml_vs_map.tennis12"]


@row("E2", "000 001 003 004", "h_MAP by brute force, and a tie that rounding must not break")
def e2(show: Show) -> None:
    days = tl.ProbabilitySpace.from_table(tl.example("tennis")[:12])
    play = days["PlayTennis"]
    hypotheses = tl.Hypotheses(
        {"Yes": days.P(play == "Yes"), "No": days.P(play == "No")},  # h1 and h2 of the notes
        likelihood=lambda event, h: days.P(event, given=play == h),
    )
    after = hypotheses.observe(days.event({"Outlook": "Sunny", "Wind": "Strong"}))
    show(after.show_work())
    assert after.joint.numbers() == {
        "Yes": fraction(TENNIS12["P(D|h1)P(h1)"]), "No": fraction(TENNIS12["P(D|h2)P(h2)"]),
    }  # fmt: skip
    assert after.map() == "Yes"  # the notes' rule: h1 if P(h1 | D) >= P(h2 | D)
    assert after.ties() == {"MAP": ("Yes", "No")}


@row("E3", "000 001 003 004", "h_ML")
def e3(show: Show) -> None:
    days = tl.ProbabilitySpace.from_table(tl.example("tennis")[:12])
    play = days["PlayTennis"]
    equal = tl.Hypotheses(["Yes", "No"], likelihood=lambda event, h: days.P(event, given=play == h))
    after = equal.observe(days.event({"Outlook": "Sunny", "Wind": "Strong"}))
    show(after)
    golden = [fraction(TENNIS12[f"P(D|{h})"]) for h in ("h1", "h2")]
    assert [*after.likelihoods().values()] == golden
    assert after.ml() == after.map() == "No"  # with equal priors, 1/|H|, both are the same


@row("E4", "000 003 004", "Bayes optimal classifier")
def e4(show: Show) -> None:
    voters = {"h1": lambda x: "+", "h2": lambda x: "-", "h3": lambda x: "-"}
    hypotheses = tl.Hypotheses.classifiers(voters, {"h1": "0.4", "h2": "0.3", "h3": "0.3"})
    answer = hypotheses.classify("x")
    show(answer)
    golden = GOLDEN["bayes.boc"]
    assert answer.scores == {v: fraction(golden[v]) for v in "+-"}
    assert (answer.value, hypotheses.map()) == (golden["v_OB"], golden["h_MAP"])
    assert voters[hypotheses.map()]("x") == golden["prediction_of_h_MAP"] != answer
    tennis = tl.example("tennis")
    models = {f"k = {k}": tl.NaiveBayes(alpha=k).fit(tennis) for k in (0, 1, 100)}
    after = tl.Hypotheses.classifiers(models).observe((HOT, "Yes"))
    found = after.classify(COOL)
    show(found)
    says = {
        h: dict(zip(m.classes_, m.predict_proba(COOL)[0], strict=True)) for h, m in models.items()
    }
    saw = {
        h: dict(zip(m.classes_, m.predict_proba(HOT)[0], strict=True))["Yes"]
        for h, m in models.items()
    }
    votes = {v: sum(says[h][v] * saw[h] for h in models) / sum(saw.values()) for v in ("No", "Yes")}
    assert found.scores == pytest.approx(votes, rel=1e-12)
    assert found == max(votes, key=votes.__getitem__)


@row("E5", "000", "Sequential update and prediction: the bags of candy")
def e5(show: Show) -> None:
    bags = tl.Hypotheses(BAG_PRIOR, likelihood={"lime": LIME, "cherry": CHERRY})
    show(f"P(lime) = {bags.predict('lime')}")
    assert bags.predict("lime") == fraction(GOLDEN["bayes.candy.prior"])
    after = bags
    for n in (1, 2, 3):
        after = after.observe("lime")
        assert [*after.posterior().values()] == [fraction(p) for p in GOLDEN[f"bayes.candy.D{n}"]]
    show(after.show_work())
    golden = GOLDEN["bayes.candy.predictive"]
    assert after.predict("lime") == fraction(golden["P(lime|D3)"])
    assert (after.map(), LIME[after.map()]) == (golden["h_MAP"], fraction(golden["P(lime|h_MAP)"]))
    merged = bags.observe("lime") + bags.observe("lime", "lime")  # two observers, one tally
    assert merged.posterior() == after.posterior()


@row("E6", "000", "The posterior as the evidence comes in")
def e6(show: Show) -> None:
    bags = tl.Hypotheses(BAG_PRIOR, likelihood={"lime": LIME, "cherry": CHERRY})
    plot = bags.observe(*["lime"] * 10).plot()  # plot.save("figure-3.1.svg")
    for bag, line in plot.data["series"].items():
        show(f"{bag}: {' '.join(f'{p:.2f}' for p in line['y'])}")
    assert plot.data["series"]["h5"]["y"][3] == decimal(GOLDEN["bayes.candy.D3"][4])
    assert len(plot.data["series"]["h1"]["y"]) == 11


@row("E7", "000 002", "Bernoulli maximum likelihood, and the root that is a minimum")
def e7(show: Show) -> None:
    balls = tl.Hypotheses.bernoulli("red", "blue").observe("red", "red", "blue")
    show(balls)
    golden = GOLDEN["bayes.mle.balls"]
    assert balls.ml() == fraction(golden["theta"])
    assert balls.likelihood(balls.ml()) == fraction(golden["L(theta)"])
    assert balls.stationary() == {golden["other_root"]: "minimum", balls.ml(): "maximum"}
    coin = tl.Hypotheses.bernoulli("head", "tail").observe(*["head"] * 7, *["tail"] * 3)
    candy = tl.Hypotheses.bernoulli("cherry", "lime").observe(*["cherry"] * 3, "lime")
    assert coin.ml() == fraction(GOLDEN["bayes.mle.coin"])
    assert candy.ml() == fraction(GOLDEN["bayes.mle.candy"])
    for k in (0, 1, 100, math.inf):
        assert balls.laplace(k) == fraction(GOLDEN["bayes.laplace.balls"][str(k)])


@row("E8", "000 002 003", "A log-likelihood, maximised")
def e8(show: Show) -> None:
    waiting = tl.Hypotheses.family(lambda t, rate: math.log(rate) - rate * t, low=0.01, high=10)
    after = waiting.observe(1.0, 2.0, 3.0)  # minutes between buses, exponential
    show(after)
    assert after.ml() == pytest.approx(1 / 2, abs=1e-6)  # one over the mean


@row("E9", "002", "Laplace estimate, strength k")
def e9(show: Show) -> None:
    balls, golden = GOLDEN_INPUTS["bayes.laplace.balls"]["sample"], GOLDEN["bayes.laplace.balls"]
    rows = [{"ball": ball, "urn": "one"} for ball in balls]
    rows += [{"ball": ball, "urn": "two"} for ball in ("blue", "green")]
    family = tl.Hypotheses.bernoulli("red", "blue").observe(*balls)
    for k in (0, 1, 100, math.inf):
        name = f"{k}"
        show(f"k = {name}: P(red) = {family.laplace(k)}")
        assert family.laplace(k) == fraction(golden[name])
        model = tl.NaiveBayes(alpha=k).fit(rows, "urn")  # three colours, two urns
        for line in model.explain({"ball": "red"})[0].lines:
            term, (count, n) = line.terms[1], {"one": (2, 3), "two": (0, 2)}[line.outcome]
            show(f"P(red | {line.outcome}) = {term.above}/{term.below}")
            limit = Fraction(1, 3) if k == math.inf else Fraction(count + k, n + 3 * k)
            assert term.above / term.below == limit


@row("E10", "000 001", "m-estimate")
def e10(show: Show) -> None:
    evidence = tl.NaiveBayes(m=1).fit(tl.example("computer")).explain(YOUNG)
    show(evidence)
    assert agrees(evidence[0], GOLDEN["nb.buy.m_estimate1"])


FISH = {
    "length > 100 cm": {"salmon": "0.5", "sea bass": "0.3"},
    "50 cm < length < 100 cm": {"salmon": "0.4", "sea bass": "0.5"},
    "length < 50 cm": {"salmon": "0.1", "sea bass": "0.2"},
}
FISH_PRIOR = {"salmon": "0.3", "sea bass": "0.7"}


@row("E11", "004", "Bayes error")
def e11(show: Show) -> None:
    error = tl.Hypotheses(FISH_PRIOR, likelihood=FISH).bayes_error()
    show(error)
    assert error.value == fraction(GOLDEN["bayes.fish.bayes_error"]["bayes_error"])


@row("E12", "004", "Minimum expected loss")
def e12(show: Show) -> None:
    fish = tl.Hypotheses(FISH_PRIOR, likelihood=FISH).observe("50 cm < length < 100 cm")
    answer = fish.decide(GOLDEN_INPUTS["bayes.fish.expected_loss"]["lambda"])
    show(answer)
    golden = GOLDEN["bayes.fish.expected_loss"]
    assert answer.value == golden["decision"]
    assert answer.scores == {a: fraction(golden[f"R({a})"]) for a in answer.scores}


@row("E13", "004", "Maximum likelihood under Gaussian noise is least squares")
def e13(show: Show) -> None:
    points = [(1, 1), (2, 3), (3, 5)]
    lines = {"y = x": lambda x: x, "y = 2x": lambda x: 2 * x, "y = 2x - 1": lambda x: 2 * x - 1}
    after = tl.Hypotheses.functions(lines, sigma=1).observe(*points)
    show(after.show_work())
    squares = {name: sum((y - h(x)) ** 2 for x, y in points) for name, h in lines.items()}
    assert after.ml() == min(squares, key=squares.__getitem__)
    slopes = tl.Hypotheses.family(
        lambda d, t: -math.log(math.sqrt(2 * math.pi)) - (d[1] - t * d[0]) ** 2 / 2, -10, 10
    )
    best = slopes.observe(*points).ml()
    show(f"y = θx: θ = {best:.4f} is the likeliest, and Σ x y / Σ x² = {22 / 14:.4f}")
    assert best == pytest.approx(22 / 14, abs=1e-6)
    line = tl.LinearRegression(fit_intercept=False).fit([[x] for x, _ in points], [1, 3, 5])
    assert line.coef_[0] == pytest.approx(22 / 14, rel=1e-14)


@row("E14", "004", "Decision from class conditionals in a table")
def e14(show: Show) -> None:
    fish = tl.Hypotheses(FISH_PRIOR, likelihood=FISH)
    after = fish.observe("50 cm < length < 100 cm")  # the fish of 70 cm
    show(after.show_work())
    golden = GOLDEN["bayes.fish.70cm"]
    assert after.joint.numbers() == {c: fraction(golden[c]) for c in FISH_PRIOR}
    assert after.evidence() == fraction(golden["P(x)"])
    assert [*after.posterior().values()] == [
        fraction(golden["post_salmon"]), fraction(golden["post_sea_bass"]),
    ]  # fmt: skip
    decisions = {fish.observe(length).map() for length in FISH}
    assert decisions == {"sea bass"}  # golden: for every length


@row("F1", "000 001 002 003 004", "Categorical naive Bayes, maximum likelihood")
def f1(show: Show) -> None:
    for name, query, golden in (
        ("computer", YOUNG, "nb.buy.mle"),
        ("tennis", COOL, "nb.tennis.mle"),
    ):
        evidence = tl.NaiveBayes(alpha=0).fit(tl.example(name)).explain(query)
        show(evidence)
        assert agrees(evidence[0], GOLDEN[golden])
    rows = [[*row.values()] for row in example_rows("computer")]
    assert rows == GOLDEN["data.buy_computer_14"]["rows"]


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
        "Credit_Rating": {"Fair": 0.5, "Excellent": 0.5},
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
    golden = GOLDEN["nb.text.three_variants"]
    for text_model, table in (("multinomial", "P(w|c)"), ("bernoulli", "bernoulli_P(w|c)")):
        found = tl.NaiveBayes(text_model=text_model).fit(DOCUMENTS, SIGNS)
        for word in "abc":  # the bag counts a word, the presence vector has it or not
            for line in found.explain([word])[0].lines:
                term = next(t for t in line.terms if word in (t.value, t.column))
                assert term.above / term.below == fraction(golden[table][line.outcome][word])
    assert model.predict_proba(["z"])[0].tolist() == pytest.approx([2 / 3, 1 / 3])
    both = model.explain(["a b z"])[0], model.explain(["a b"])[0]  # z is in no document
    assert [line.product for line in both[0].lines] == [line.product for line in both[1].lines]
    assert (
        model.explain(["a a b"])[0].lines[0].product == model.explain(["b a a"])[0].lines[0].product
    )
    assert model.n_parameters_ == 1 + 2 * (3 - 1)


@row("F11", "000", "Gaussian naive Bayes")
def f11(show: Show) -> None:
    X, y = [[1.0], [3.0], [10.0], [14.0]], ["a", "a", "b", "b"]
    model = tl.NaiveBayes(var_smoothing=0).fit(X, y)
    show(model.show_work())
    given = GOLDEN_INPUTS["gnb.variance"]["values"]
    golden = tl.NaiveBayes(var_smoothing=0).fit([[x] for x in given] + X[2:], y)
    assert golden.var_[0, 0] == decimal(GOLDEN["gnb.variance"])  # (1/N) sum, not the sum
    assert (model.theta_.tolist(), model.var_.tolist()) == ([[2.0], [12.0]], [[1.0], [4.0]])

    def density(x: float, mean: float, variance: float) -> float:
        return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    joint = [0.5 * density(4, 2, 1), 0.5 * density(4, 12, 4)]
    assert np.exp(model.predict_joint_log_proba([[4]])[0]) == pytest.approx(joint)
    assert model.predict_proba([[4]])[0] == pytest.approx(np.array(joint) / sum(joint))


@row("F12", "000", "Categories and numbers in one model")
def f12(show: Show) -> None:
    rows = [
        {"size": 1.0, "colour": "red", "kind": "a"},
        {"size": 2.0, "colour": "red", "kind": "a"},
        {"size": 5.0, "colour": "red", "kind": "b"},
        {"size": 7.0, "colour": "blue", "kind": "b"},
    ]
    model = tl.NaiveBayes(var_smoothing=0).fit(rows, "kind")
    evidence = model.explain({"size": 4.0, "colour": "blue"})
    show(evidence)

    def density(x: float, mean: float, variance: float) -> float:
        return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)

    joint = {"a": 2 / 4 * 1 / 4 * density(4, 1.5, 0.25), "b": 2 / 4 * 2 / 4 * density(4, 6, 1)}
    for line in evidence[0].lines:
        assert {term.column for term in line.terms} == {"", "size", "colour"}
        assert math.exp(line.total) == pytest.approx(joint[line.outcome])
        assert line.share == pytest.approx(joint[line.outcome] / sum(joint.values()))
    assert evidence[0].chosen == "b" == max(joint, key=joint.__getitem__)


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
    golden = GOLDEN["classify.threshold_at_half"]["rule"]
    assert "002: >0.5 -> 1 else 0" in golden
    assert "004: >=0.5 -> 1" in golden


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
    groups = {"a": [1, 3], "b": [5, 7, 9], "c": [0, -4]}
    X, y = [[x] for xs in groups.values() for x in xs], [c for c, xs in groups.items() for _ in xs]
    model = tl.LinearDiscriminantAnalysis().fit(X, y)
    show(model.explain([[4]]))
    shared = sum(np.var(xs) * len(xs) for xs in groups.values()) / len(X)  # N_k/N S_k, summed
    a = {
        c: math.log(len(xs) / len(X))
        - (4 - np.mean(xs)) ** 2 / (2 * shared)
        - math.log(2 * math.pi * shared) / 2
        for c, xs in groups.items()
    }  # ln(p_k N(x; mu_k, Sigma))
    softmax = np.exp([*a.values()]) / np.exp([*a.values()]).sum()
    assert model.predict_joint_log_proba([[4]])[0] == pytest.approx([*a.values()])
    assert model.predict_proba([[4]])[0] == pytest.approx(softmax)
    assert model.predict([[4]])[0] == max(a, key=a.__getitem__)


@row("F16", "000", "QDA: a covariance for every class")
def f16(show: Show) -> None:
    model = tl.QuadraticDiscriminantAnalysis(store_covariance=True)
    model.fit(ONE + TWO, ["c1"] * 2 + ["c2"] * 3)
    show(model.explain([[4]]))
    golden = GOLDEN["lda.two_class_1d"]
    assert [s.item() for s in model.covariance_] == pytest.approx(
        [decimal(golden["S1"]), decimal(golden["S2"])]
    )
    # in three columns: P(c | x) by the densities with each class's own covariance
    rng = np.random.default_rng(0)
    scales = {"a": np.diag([1.0, 2, 3]), "b": np.array([[2.0, 1, 0], [0, 1, 0], [0, 1, 1]])}
    X = np.vstack([rng.normal(size=(40, 3)) @ scales[c] + i for i, c in enumerate("ab")])
    y = np.array(["a"] * 30 + ["b"] * 50)
    model = tl.QuadraticDiscriminantAnalysis().fit(X, y)
    fresh = rng.normal(0.5, 2, (50, 3))
    joint = []
    for c in "ab":
        rows = X[y == c]
        mean, S = rows.mean(axis=0), np.cov(rows.T, ddof=0)  # divided by N_k
        d = fresh - mean
        power = -0.5 * (d @ np.linalg.inv(S) * d).sum(axis=1)
        density = np.exp(power) / np.sqrt((2 * math.pi) ** 3 * np.linalg.det(S))
        joint.append(len(rows) / 80 * density)
    posterior = np.array(joint).T / np.sum(joint, axis=0)[:, None]
    assert model.predict_proba(fresh) == pytest.approx(posterior, abs=1e-10)
    says = [str(c) for c in np.array(["a", "b"])[posterior.argmax(axis=1)]]
    show(f"{says.count('a')} of 50 new rows are a's")
    assert model.predict(fresh).tolist() == says
    assert {*says} == {"a", "b"}
    shared = tl.LinearDiscriminantAnalysis().fit(X, y).predict(fresh)
    assert shared.tolist() != says  # a shared covariance decides otherwise


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
    tennis = tl.example("tennis")
    model = tl.NaiveBayes(alpha=0).fit(tennis)
    value = model.log_likelihood(tennis)
    show(round(value, 4))
    days = tl.ProbabilitySpace.from_table(tennis)
    naive = days.factored(tl.ProbabilitySpace.naive_bayes("PlayTennis", [*COOL]))
    each_day = {w: p * len(tennis) for w, p in days.weights.items()}
    by_hand = sum(
        n * math.log(naive.P(dict(zip(days.names, w, strict=True)))) for w, n in each_day.items()
    )
    assert value == pytest.approx(by_hand, rel=1e-12)
    smoothed = tl.NaiveBayes(alpha=1).fit(tennis)
    assert value > smoothed.log_likelihood(tennis)  # alpha 0 is the maximum
    X, y = ONE + TWO, ["c1"] * 2 + ["c2"] * 3
    one = tl.LinearDiscriminantAnalysis().fit(X, y).log_likelihood(X, y)
    each = tl.QuadraticDiscriminantAnalysis().fit(X, y).log_likelihood(X, y)
    show(f"LDA {one:.4f}, QDA {each:.4f}")

    def expected(first: float, second: float) -> float:
        """The sum of ln p_k N(x; mu_k, variance): the squares of a group sum to N_k S_k."""
        golden = GOLDEN["lda.two_class_1d"]
        found = 0.0
        for n, p, s, v in ((2, 0.4, golden["S1"], first), (3, 0.6, golden["S2"], second)):
            found += n * (math.log(p) - math.log(2 * math.pi * v) / 2) - n * decimal(s) / (2 * v)
        return found

    shared = decimal(GOLDEN["lda.two_class_1d"]["Sigma"])
    assert one == pytest.approx(expected(shared, shared))
    assert each == pytest.approx(expected(1, 8 / 3))
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


@row("G1", "002 004", "Least squares by the normal equations")
def g1(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.ols_toy"], GOLDEN["linreg.ols_toy"]
    X = np.array([[1, value] for value in given["x"]])  # with a column of ones
    model = tl.LinearRegression(exact=True, fit_intercept=False).fit(X, given["y"])
    show(model.show_work())
    wanted = [decimal(golden["theta0"]), decimal(golden["theta1=cov/var"])]
    assert model.coef_.tolist() == wanted
    free = tl.LinearRegression(exact=True).fit(X[:, 1:], given["y"])
    assert [free.intercept_, *free.coef_] == wanted
    squares = ((np.array(given["y"]) - free.predict(X[:, 1:])) ** 2).sum()
    assert squares == pytest.approx(decimal(golden["SSE"]), abs=1e-15)


@row("G2", "004", "Univariate regression: cov / var")
def g2(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.ols_toy"], GOLDEN["linreg.ols_toy"]
    table = pd.DataFrame({"x": given["x"], "y": given["y"]})
    model = tl.LinearRegression().fit(table, "y")
    show(model.show_work())
    slope = np.cov(table["x"], table["y"], ddof=0)[0, 1] / table["x"].var(ddof=0)
    assert slope == pytest.approx(decimal(golden["theta1=cov/var"]), rel=1e-14)
    assert model.coef_[0] == pytest.approx(slope, rel=1e-14)
    assert model.intercept_ == pytest.approx(table["y"].mean() - slope * table["x"].mean())
    show(model.explain({"x": 4}))


@row("G3", "002", "Gradient descent on half the sum of squared errors")
def g3(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.gd_scalings"], GOLDEN["linreg.gd_scalings"]
    x = [[value] for value in given["x"]]
    once = tl.LMS(given["alpha"], scaling="sum", steps=1, start=given["theta"]).fit(x, given["y"])
    show(once.show_work())
    first = golden["002 half-sum loss: +alpha*X^T r"]
    assert np.allclose([once.intercept_, *once.coef_], first, rtol=1e-15)
    design, y = np.column_stack([np.ones(3), given["x"]]), np.array(given["y"], dtype=float)

    def loss(w: Any) -> float:
        return float(((y - design @ w) ** 2).sum() / 2)

    w, path = np.zeros(2), []
    for _ in range(200):  # w_i -= alpha dLoss/dw_i, the derivative taken as a difference quotient
        slope = [(loss(w + e) - loss(w - e)) / 2e-4 for e in 1e-4 * np.eye(2)]
        w = w - given["alpha"] * np.array(slope)
        path.append(w)
    model = tl.LMS(given["alpha"], scaling="sum", steps=200).fit(x, given["y"])
    assert model.trace_[:, 1:] == pytest.approx(np.array(path), abs=1e-8)
    far = tl.LMS(given["alpha"], scaling="sum", steps=5000).fit(x, given["y"])
    show(f"after {far.n_steps_} steps: w0 = {far.intercept_:.6f}, w1 = {far.coef_[0]:.6f}")
    least = np.linalg.lstsq(design, y, rcond=None)[0]
    assert [far.intercept_, *far.coef_] == pytest.approx(least, abs=1e-12)
    assert np.diff(model.trace_[:, 0]).max() < 0  # the loss falls in every step
    with pytest.raises(errors.InputError, match="diverged"):
        tl.LMS(1.0, scaling="sum", steps=500).fit(x, given["y"])  # steps that are too long


@row("G4", "004", "Batch gradient descent, 2/m")
def g4(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.gd_scalings"], GOLDEN["linreg.gd_scalings"]
    table = pd.DataFrame({"x": given["x"], "y": given["y"]})
    once = tl.LMS(given["alpha"], scaling="mean", steps=1, start=given["theta"]).fit(table, "y")
    show(once.show_work())
    first = golden["004 batch: +alpha*(2/m) X^T r"]
    assert np.allclose([once.intercept_, *once.coef_], first, rtol=1e-15)
    memory = tl.LMS(given["alpha"], scaling="mean", steps=200).fit(table, "y")
    with tempfile.TemporaryDirectory() as folder:  # the rows of a file are read in every step
        table.to_csv(f"{folder}/rows.csv", index=False)
        files = tl.LMS(given["alpha"], scaling="mean", steps=200).fit(f"{folder}/rows.csv", "y")
    show(f"w0 = {files.intercept_:.6f}, w1 = {files.coef_[0]:.6f}, from memory and from a file")
    assert [files.intercept_, *files.coef_] == [memory.intercept_, *memory.coef_]


@row("G5", "004", "Stochastic gradient descent, rows in order")
def g5(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.gd_scalings"], GOLDEN["linreg.gd_scalings"]
    x, y, alpha = [[value] for value in given["x"]], given["y"], given["alpha"]
    once = tl.LMS(alpha, scaling="twice", steps=1, start=given["theta"]).fit(x, y)
    first = golden["004 SGD sample 1: +2*alpha*err*x"]
    assert np.allclose([once.intercept_, *once.coef_], first, rtol=1e-15)
    model, w = tl.LMS(0.05, scaling="twice").fit(x, y), np.zeros(2)
    for (value,), truth in zip(x, y, strict=True):
        w += 2 * 0.05 * (truth - w @ [1, value]) * np.array([1, value])
    show(model.show_work())
    assert np.allclose([model.intercept_, *model.coef_], w, rtol=1e-12)
    late = [tl.LMS(0.05, scaling="twice", steps=3000 + k).fit(x, y).coef_[0] for k in range(3)]
    show(f"the slope goes round: {', '.join(f'{slope:.3f}' for slope in late)}")
    assert max(late) - min(late) > 0.05  # it may not converge


@row("G6", "002", "Check: gradient descent finds the closed form")
def g6(show: Show) -> None:
    golden, given = GOLDEN["linreg.ols_toy"], GOLDEN_INPUTS["linreg.ols_toy"]
    x = [[value] for value in given["x"]]
    model = tl.LMS(0.1, scaling="mean", steps=3000).fit(x, given["y"])
    exact = [golden["theta0"]["decimal"], golden["theta1=cov/var"]["decimal"]]
    show(f"gradient descent: {model.intercept_:.9f}, {model.coef_[0]:.9f}")
    show(f"closed form:      {exact[0]:.9f}, {exact[1]:.9f}")
    assert np.allclose([model.intercept_, *model.coef_], exact, rtol=1e-9)


SIX = (  # columns, and a target that two of them make but for a little
    np.array([[1, 5, 0, 2], [2, 3, 1, 7], [3, 8, 0, 1], [4, 1, 0, 8], [5, 9, 1, 2], [6, 2, 1, 8],
              [7, 6, 0, 3], [8, 4, 1, 5]], dtype=float),
    np.array([2.1, 6.9, 6.2, 7.8, 13.1, 14.9, 14.2, 18.8]),
)  # fmt: skip


@row("G7", "000 004", "Polynomial regression, its degree chosen on folds")
def g7(show: Show) -> None:
    x = np.linspace(-2, 2, 60)
    y = x**3 - 2 * x + np.sin(97 * x)  # a cubic, and noise that is the same everywhere
    found = tl.tune(tl.LinearRegression(), {"degree": [1, 2, 3, 4, 5, 6]}, x[:, None], y, cv=5)
    for candidate in found.candidates:
        show(f"degree {candidate.options['degree']}: error {candidate.estimate.value:.3f}")
    assert found.best == {"degree": 3}
    exact = tl.LinearRegression(degree=3, exact=True).fit(
        [[0], [1], [2], [3], [4]], [1, 0, 5, 22, 57]
    )
    show([*exact.columns_])
    assert [exact.intercept_, *exact.coef_] == [1, -2, 0, 1]  # 1 - 2x + x³


@row("G8", "004", "Ridge in closed form, the intercept penalised or not")
def g8(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.ridge_variants"], GOLDEN["linreg.ridge_variants"]
    x, y = [[value] for value in given["x"]], given["y"]
    free = tl.Ridge(given["lambda"], exact=True).fit(x, y)
    show(free.show_work())
    wanted = golden["sum_i>=1_only (intercept free)"]
    assert [free.intercept_, *free.coef_] == [decimal(value) for value in wanted]
    paid = tl.Ridge(given["lambda"], penalize_intercept=True).fit(x, y)
    show(f"with w0 penalised: {paid.intercept_:.6g}, {paid.coef_[0]:.6g}")
    wanted = [decimal(value) for value in golden["closed_form_with_I_incl_intercept"]]
    assert [paid.intercept_, *paid.coef_] == pytest.approx(wanted, rel=1e-14)


@row("G9", "004", "The lasso: weights pay for their size, and many are 0")
def g9(show: Show) -> None:
    x, y = SIX
    path = tl.Lasso(tol=1e-12).fit(x, y).path([3.0, 1.0, 0.3, 0.1, 0.0])
    show(path)
    many = [sum(w != 0 for w in one["weights"].values()) for one in path.records()]
    assert many == sorted(many)  # cheaper weights, more of them
    assert many[0] < many[-1] == 4
    one = tl.Lasso(1.0).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])
    assert one.coef_ == pytest.approx([0.0])  # cov 1 is not above the penalty
    one = tl.Lasso(0.5).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])
    assert one.coef_ == pytest.approx([(1 - 0.5) / (2 / 3)])  # soft threshold: (cov - λ) / var

    for alpha in (3.0, 1.0, 0.3, 0.1):  # least of Σ e² / 2m + λ Σ |w|: the sign of every slope
        model = tl.Lasso(alpha, tol=1e-12).fit(x, y)
        rest = y - model.predict(x)
        slope = x.T @ rest / len(y)
        assert rest.sum() == pytest.approx(0, abs=1e-9)
        zero = model.coef_ == 0
        assert slope[~zero] == pytest.approx(alpha * np.sign(model.coef_[~zero]), abs=1e-8)
        assert (np.abs(slope[zero]) <= alpha + 1e-12).all()
        assert (tl.Ridge(alpha).fit(x, y).coef_ != 0).all()  # squares set no weight to 0


@row("G10", "004", "Subset selection over the lattice of columns")
def g10(show: Show) -> None:
    x, y = SIX
    model = tl.SubsetSelection(criterion="aic").fit(x, y)
    show(model.path())
    every = {}
    for bits in range(1 << 4):  # the whole lattice
        some = [j for j in range(4) if bits >> j & 1]
        design = np.column_stack([np.ones(len(y)), x[:, some]])
        rest = float(((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum())
        every[tuple(f"x{j}" for j in some)] = len(y) * math.log(rest) + 2 * len(some)
    assert model.subset_ == min(every, key=every.__getitem__)
    for method in ("forward", "backward"):
        steps = tl.SubsetSelection(method, criterion="aic").fit(x, y)
        show(f"{method}: {', '.join(steps.subset_)}")
        assert steps.subset_ == model.subset_


@row("G11", "004", "Dimensionality reduction: principal components")
def g11(show: Show) -> None:
    x, _ = SIX
    model = tl.PCA(2).fit(x)
    show(model.scree())
    show(model.explain(x[:1]))
    values = np.linalg.eigvalsh(np.cov(x.T))[::-1]
    assert model.explained_variance_ == pytest.approx(values[:2])
    assert model.explained_variance_ratio_ == pytest.approx(values[:2] / values.sum())
    assert np.cov(model.transform(x).T) == pytest.approx(np.diag(values[:2]), abs=1e-12)


@row("G12", "004", "The value of the Gaussian likelihood, and σ²")
def g12(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.ols_toy"], GOLDEN["linreg.ols_toy"]
    x = [[value] for value in given["x"]]
    sizes = tl.LinearRegression().fit(x, given["y"]).summary().sizes
    m, squares = 3, decimal(golden["SSE"])
    variance = squares / m  # the likeliest; σ² of the summary divides by m - 2
    likely = m * math.log(1 / math.sqrt(2 * math.pi * variance)) - squares / (2 * variance)
    show(f"log-likelihood {sizes['log-likelihood']:.6f}, σ² {sizes['σ²']:.6f}")
    assert sizes["log-likelihood"] == pytest.approx(likely, abs=1e-12)
    assert sizes["σ²"] == pytest.approx(squares / (m - 2), rel=1e-12)
    assert sizes["AIC"] == pytest.approx(2 * 2 - 2 * likely)


@row("G13", "004", "Are the assumptions of a regression borne out?")
def g13(show: Show) -> None:
    x = np.linspace(0, 4, 200)[:, None]
    noise = np.random.default_rng(0).normal(size=200)
    tables = {
        "as assumed": 1 + 2 * x[:, 0] + noise,
        "not linear": x[:, 0] ** 2 + noise / 4,
        "unequal variance": 1 + 2 * x[:, 0] + noise * x[:, 0],
        "not independent": 1 + 2 * x[:, 0] + np.cumsum(noise) / 4,
        "not normal": 1 + 2 * x[:, 0] + np.exp(noise),
    }
    doubted = {}
    for name, y in tables.items():
        checks = tl.LinearRegression().fit(x, y).diagnose(x, y).checks
        doubted[name] = [check.assumption for check in checks if check.verdict != "ok"]
        show(f"{name}: in doubt {doubted[name]}")
    assert doubted["as assumed"] == []
    assert "linear" in doubted["not linear"]
    assert "equal variance" in doubted["unequal variance"]
    assert "independent" in doubted["not independent"]
    assert "normal" in doubted["not normal"]


@row("G14", "004", "Shifts, centred columns, and what one outlier does")
def g14(show: Show) -> None:
    x, y = np.array([[1.0], [2.0], [3.0], [4.0], [10.0]]), np.array([1.0, 2.5, 2.0, 4.0, 9.0])
    line, moved = (tl.LinearRegression(exact=True).fit(x + by, y) for by in (0, 100))
    show(f"x: w0 = {line.intercept_:.4f}, w1 = {line.coef_[0]:.4f}")
    show(f"x + 100: w0 = {moved.intercept_:.4f}, w1 = {moved.coef_[0]:.4f}")
    assert moved.coef_[0] == line.coef_[0]
    assert moved.intercept_ == pytest.approx(line.intercept_ - 100 * line.coef_[0])
    centred = tl.LinearRegression(exact=True).fit(x - x.mean(), y)
    assert centred.intercept_ == pytest.approx(y.mean(), rel=1e-15)
    leverage = line.diagnose(x, y).leverage
    for row in range(5):
        high = y + 7.0 * (np.arange(5) == row)
        step = tl.LinearRegression(exact=True).fit(x, high).predict(x) - line.predict(x)
        show(f"row {row} up by 7: the line {step[row]:.2f} up there, leverage {leverage[row]:.2f}")
        assert step[row] == pytest.approx(7.0 * leverage[row], rel=1e-12)
    show(repr(line.diagnose(x, y).plots()["leverage"]))


@row("G15", "002", "Logistic regression with squared loss")
def g15(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["logreg.gradients_at_zero"], GOLDEN["logreg.gradients_at_zero"]
    x, y = [[given["x"]], [0]], [given["y"], 0]  # the second row, of x = 0, moves no weight
    steps = tl.LogisticRegression(
        C=math.inf,
        solver="gradient",
        loss="squared",
        learning_rate=1.0,
        max_iter=1,
        fit_intercept=False,
    ).fit(x, y)
    show(steps.show_work())
    assert steps.coef_[0, 0] == -decimal(golden["L2 (002): -(y-h)h(1-h)x"])


@row("G16", "004", "Logistic regression with cross-entropy")
def g16(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["logreg.gradients_at_zero"], GOLDEN["logreg.gradients_at_zero"]
    x, y = [[given["x"]], [0]], [given["y"], 0]
    once = tl.LogisticRegression(
        C=math.inf, solver="gradient", learning_rate=2.0, max_iter=1, fit_intercept=False
    ).fit(x, y)  # a rate of m = 2, for J is a mean
    assert once.coef_[0, 0] == -decimal(golden["cross-entropy (004): -(y-h)x"])
    hours, passed = [[-5], [-3], [-1], [1], [3], [4]], ["no", "no", "yes", "no", "yes", "yes"]
    steps = tl.LogisticRegression(
        C=math.inf, solver="gradient", learning_rate=0.3, max_iter=2000, tol=1e-12
    )
    steps.fit(hours, passed)
    newton = tl.LogisticRegression(C=math.inf).fit(hours, passed)
    show(f"2,000 steps: w0 = {steps.intercept_[0]:.5f}, w1 = {steps.coef_[0, 0]:.5f}")
    show(f"Newton:      w0 = {newton.intercept_[0]:.5f}, w1 = {newton.coef_[0, 0]:.5f}")
    assert steps.coef_[0, 0] == pytest.approx(newton.coef_[0, 0], rel=1e-6)
    assert np.diff(steps.trace_[:200, 0]).max() < 0  # every step makes the loss smaller


@row("G17", "004", "Weights of a logistic regression are log-odds")
def g17(show: Show) -> None:
    hours, passed = [[1], [2], [3], [4], [5], [6]], ["no", "no", "yes", "no", "yes", "yes"]
    model = tl.LogisticRegression(C=math.inf).fit(hours, passed)
    show(model.summary())
    p = model.predict_proba(hours)[:, 1]
    odds = p / (1 - p)
    assert np.log(odds) == pytest.approx(
        model.intercept_[0] + np.array(hours)[:, 0] * model.coef_[0, 0]
    )
    assert odds[1:] / odds[:-1] == pytest.approx([math.exp(model.coef_[0, 0])] * 5)


@row("G18", "002 003", "Activation geometry: norms, cosines, borders, separable or not")
def g18(show: Show) -> None:
    given = GOLDEN_INPUTS["perceptron.binary.pass1"]["samples"]
    X, y = [[a, b] for a, b, _ in given], [label for *_, label in given]
    model = tl.Perceptron(intercept_init=-1, shuffle=False).fit(X, y)
    found = model.geometry(X, y)
    show(found)
    w = np.array([*model.intercept_, *model.coef_[0]])
    for record, row in zip(found.records(), X, strict=True):
        f = np.array([1, *row])
        assert record["score"] == w @ f
        assert w @ f == pytest.approx(np.linalg.norm(w) * np.linalg.norm(f) * record["cosine"])
    show(repr(found.plot()))
    xor = tl.Perceptron(max_iter=5).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    found = xor.geometry([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    said = found.to_markdown().splitlines()[-1]
    show(said)
    assert "no straight border" in said.lower()


@row("G19", "000 002 004", "The bias feature: a column of ones is the constant")
def g19(show: Show) -> None:
    x, y = np.array([[1.0], [2.0], [4.0], [5.0]]), [1.0, 3.0, 4.0, 8.0]
    ones = np.column_stack([np.ones(4), x])  # x~ = (1, x)
    for learner in (tl.LinearRegression(exact=True), tl.LMS(0.01, steps=40)):
        beside = type(learner)(**{**learner.get_params(), "fit_intercept": False}).fit(ones, y)
        model = learner.fit(x, y)
        show(f"{type(learner).__name__}: {model.intercept_:.6f}, {model.coef_[0]:.6f}")
        assert beside.coef_ == pytest.approx([model.intercept_, *model.coef_], rel=1e-12)


@row("G20", "002", "The binary perceptron, in order, until a clean pass")
def g20(show: Show) -> None:
    given = GOLDEN_INPUTS["perceptron.binary.pass1"]
    X, y = [[a, b] for a, b, _ in given["samples"]], [label for *_, label in given["samples"]]
    once = tl.Perceptron(coef_init=given["w_init"], shuffle=False, max_iter=1).fit(X, y)
    wanted = GOLDEN["perceptron.binary.pass1"]["final_after_pass_1"]
    assert [*once.intercept_, *once.coef_[0]] == wanted
    model = tl.Perceptron(coef_init=given["w_init"], shuffle=False).fit(X, y)
    golden = GOLDEN["perceptron.binary.converged"]
    show(f"{model.n_iter_} passes, {model.n_updates_} corrections: "
         f"{[*map(int, model.intercept_), *map(int, model.coef_[0])]}")  # fmt: skip
    assert [*model.intercept_, *model.coef_[0]] == golden["weights"]
    assert model.n_iter_ == golden["passes_including_clean_one"]
    assert model.n_updates_ == golden["updates"]
    given, golden = GOLDEN_INPUTS["perceptron.update_example"], GOLDEN["perceptron.update_example"]
    step = tl.Perceptron(coef_init=given["w"], shuffle=False, max_iter=1, fit_intercept=False)
    step.fit([given["f"], [0, 0, 0]], [given["y"], 1])  # a row of zeros scores 0: positive
    assert step.coef_[0].tolist() == golden["w_new"]
    assert step.coef_[0] @ given["f"] == golden["activation_new"]


@row("G21", "002", "The multi-class perceptron")
def g21(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["perceptron.multiclass"], GOLDEN["perceptron.multiclass"]
    model = tl.Perceptron(coef_init=given["W"], shuffle=False, fit_intercept=False)
    model.partial_fit([given["f"]], [given["true"]], classes=[0, 1, 2])
    show(model.steps())
    assert (np.array(given["W"]) @ given["f"]).tolist() == golden["scores"]
    assert model.coef_.tolist() == [given["W"][0], golden["w1"], golden["w2"]]
    assert (model.coef_ @ given["f"]).tolist() == golden["scores_after"]


@row("G22", "002", "The step table of the perceptron")
def g22(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["perceptron.binary.pass1"], GOLDEN["perceptron.binary.pass1"]
    X, y = [[a, b] for a, b, _ in given["samples"]], [label for *_, label in given["samples"]]
    steps = tl.Perceptron(coef_init=given["w_init"], shuffle=False, max_iter=1).fit(X, y).steps()
    show(steps)
    for record, wanted in zip(steps.records(), golden["steps"], strict=True):
        assert record["weights"] == [wanted["weights"]]
        assert record["scores"] == [wanted["score"]]
        assert record["correct"] == wanted["correct"]


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


@row("H1", "004", "1-NN")
def h1(show: Show) -> None:
    model = tl.KNeighborsClassifier(1).fit([[1.0], [2.0], [2.5]], ["a", "b", "b"])
    show(model.explain([[0.0]]))
    assert model.predict([[0.0], [2.4]]).tolist() == ["a", "b"]


@row("H2", "004", "k-NN classification, vote; k = m is the majority class")
def h2(show: Show) -> None:
    X, y = [[1.0], [2.0], [2.5]], ["a", "b", "b"]
    model = tl.KNeighborsClassifier(3).fit(X, y)
    show(model.explain([[0.0]]))
    assert model.predict([[0.0]])[0] == GOLDEN["knn.weighted"]["unweighted"]
    majority = tl.DummyClassifier().fit(X, y)
    assert model.predict([[-9.0], [9.0]]).tolist() == majority.predict([[-9.0], [9.0]]).tolist()


@row("H3", "004", "k-NN regression, mean")
def h3(show: Show) -> None:
    model = tl.KNeighborsRegressor(2).fit([[1.0], [2.0], [9.0]], [10.0, 20.0, 90.0])
    show(model.explain([[0.0]]))
    assert model.predict([[0.0]]).tolist() == [15.0]


@row("H4", "004", "Distance weights 1/d²; an exact match decides alone")
def h4(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["knn.weighted"], GOLDEN["knn.weighted"]
    X, y = [[x] for x, _ in given["points"]], [label for _, label in given["points"]]
    model = tl.KNeighborsClassifier(given["k"], weights="inverse_square").fit(X, y)
    found = model.explain([[given["query"]]])
    show(found)
    totals = {line.outcome: line.total for line in found[0].lines}
    assert totals == pytest.approx(golden["votes_1_over_d2"])
    assert model.predict([[given["query"]]])[0] == golden["weighted"]
    assert model.predict_proba([[1.0]]).tolist() == [[1.0, 0.0]]


@row("H5", "004", "Minkowski, Euclid, Manhattan, Chebyshev")
def h5(show: Show) -> None:
    told = {}
    for metric in ("euclidean", "manhattan", "chebyshev", "minkowski"):
        model = tl.KNeighborsRegressor(1, metric=metric, p=3).fit([[0.0, 0.0]], [1.0])
        told[metric] = float(model.kneighbors([[3.0, 4.0]])[0][0, 0])
    show(told)
    assert list(told.values()) == pytest.approx([5.0, 7.0, 4.0, 91 ** (1 / 3)])


@row("H6", "004", "Min-max normalisation")
def h6(show: Show) -> None:
    x = np.array(GOLDEN_INPUTS["scale.minmax_z"]["x"], dtype=float)[:, None]
    found = tl.MinMaxScaler().fit_transform(x).ravel().tolist()
    show(found)
    assert found == [decimal(share) for share in GOLDEN["scale.minmax_z"]["minmax"]]


@row("H7", "004", "z-score, by both sigmas")
def h7(show: Show) -> None:
    x = np.array(GOLDEN_INPUTS["scale.minmax_z"]["x"], dtype=float)[:, None]
    for ddof, name in ((0, "z_population_sd"), (1, "z_sample_sd")):
        found = tl.StandardScaler(ddof=ddof).fit_transform(x).ravel().tolist()
        show([round(z, 4) for z in found])
        assert found == pytest.approx(GOLDEN["scale.minmax_z"][name], rel=1e-14, abs=1e-15)


@row("H11", "004", "k against bias and variance")
def h11(show: Show) -> None:
    line = tl.Population(
        dict.fromkeys(range(5), "1/5"), target=lambda x: {2 * x - 2: "1/2", 2 * x + 2: "1/2"}
    )
    learners = [tl.KNeighborsRegressor(k) for k in (1, 5, 20)]
    found = tl.bias_variance(learners, line, n=20, draws=60)
    show(found)
    bias2, variance = (
        [float(p.bias2) for p in found.parts],
        [float(p.variance) for p in found.parts],
    )
    assert bias2[0] < bias2[2]
    assert variance[0] > variance[1] > variance[2]


@row("I5", "003 004", "Missing: mean, median or mode")
def i5(show: Show) -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 9.0, None], "c": ["u", "v", "u", None]})
    for how, value in (("mean", 4.0), ("median", 2.0), ("most_frequent", 1.0)):
        found = tl.SimpleImputer(strategy=how).fit_transform(table)
        show(f"{how}: {found.x[3]:g}, {found.c[3]}")
        assert (found.x[3], found.c[3]) == (value, "u")


@row("I6", "004", "Missing: a category of its own")
def i6(show: Show) -> None:
    table = pd.DataFrame({"c": ["u", None, "v"]})
    found = tl.SimpleImputer(category_strategy="own").fit_transform(table)
    show(found.c.tolist())
    assert found.c.tolist() == ["u", "missing", "v"]


@row("I9", "002", "Labels to integers, feature extraction")
def i9(show: Show) -> None:
    table = pd.DataFrame({"play": ["no", "yes", "yes"], "sky": ["sun", "rain", "sun"]})
    codes, ones = tl.OrdinalEncoder().fit_transform(table), tl.OneHotEncoder().fit_transform(table)
    show(codes)
    show(ones)
    assert codes.play.tolist() == [0.0, 1.0, 1.0]
    assert ones["sky_sun"].tolist() == [1.0, 0.0, 1.0]


@row("H8", "004", "Nearest centroid")
def h8(show: Show) -> None:
    X, y = [[-3], [-2], [2], [3], [0.5], [1.0]], ["a", "a", "a", "a", "b", "b"]
    model = tl.NearestCentroid().fit(X, y)
    show(model.explain([[2.5]]))
    golden = GOLDEN["centroid.multi"]["one_centroid"]
    assert model.centroids_.ravel().tolist() == [golden[c]["decimal"] for c in "ab"]
    assert model.predict([[2.5]])[0] == golden["prediction"]


@row("H9", "004", "Several centroids per class, one for every mode")
def h9(show: Show) -> None:
    X, y = [[-3], [-2], [2], [3], [0.5], [1.0]], ["a", "a", "a", "a", "b", "b"]
    model = tl.NearestCentroid(centroids_per_class=2).fit(X, y)
    show(model.show_work())
    show(model.explain([[2.5]]))
    golden = GOLDEN["centroid.multi"]["two_centroids_for_a"]
    points = model.model_.exemplars.points[model.model_.exemplars.labels == 0]
    assert sorted(points.ravel().tolist()) == [part["decimal"] for part in golden["a"]]
    assert model.predict([[2.5]])[0] == golden["prediction"]


@row("H10", "004", "Exemplars: arithmetic mean, geometric mean, geometric median, medoid")
def h10(show: Show) -> None:
    from scipy.optimize import minimize

    rows = np.array([[1.0, 3], [2, 1], [4, 9], [32, 2], [8, 5], [6, 40]])
    X, y = np.vstack([rows, 2 * rows + 100]), ["a"] * 6 + ["b"] * 6

    def distances(point: Any) -> float:
        return float(np.linalg.norm(rows - point, axis=1).sum())

    def squares(point: Any) -> float:
        return float(((rows - point) ** 2).sum())

    def ratios(point: Any) -> float:
        """The squares of the logarithms of the ratios to a point."""
        return float((np.log(rows / np.exp(point)) ** 2).sum())

    middle = rows.mean(axis=0)
    tight = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000}}
    wanted = {  # each is the point of the least total distance, of its own kind
        "mean": minimize(squares, middle, **tight).x,
        "geometric_mean": np.exp(minimize(ratios, np.log(middle), **tight).x),
        "geometric_median": minimize(distances, middle, **tight).x,
        "medoid": min(rows, key=distances),
    }
    for kind, point in wanted.items():
        found = tl.NearestCentroid(exemplar=kind, centroids_per_class=1).fit(X, y)
        at = found.centroids_ if kind == "mean" else found.model_.exemplars.points
        show(f"{kind}: {at[0].round(3)}")
        assert at[0] == pytest.approx(point, rel=1e-5)
        if kind != "mean":
            assert found.model_.exemplars.labels.tolist() == [0, 1]
        scores = [np.linalg.norm(at - row, axis=1).argmin() for row in X]
        assert found.predict(X).tolist() == ["ab"[i] for i in scores]
    assert len({tuple(point.round(3)) for point in wanted.values()}) == 4
    square = np.array([[0.0, 0], [4, 0], [4, 3], [0, 3], [2, 1.5]])
    centre = tl.NearestCentroid(exemplar="geometric_median").fit(square, ["a"] * 5)
    show(f"geometric median of a square and its middle: {centre.model_.exemplars.points.tolist()}")
    assert centre.model_.exemplars.points[0] == pytest.approx([2, 1.5])


@row("J1", "000 002 003 004", "Clustering")
def j1(show: Show) -> None:
    table = pd.DataFrame({"size": [1.0, 2.0, 9.0, 10.0], "price": [10.0, 12.0, 90.0, 88.0]})
    model = tl.KMeans(2).fit(table)
    show(model.show_work())
    show(model.explain({"size": 8.0, "price": 80.0}))
    near = model.labels_[0]
    assert model.labels_.tolist() == [near, near, 1 - near, 1 - near]
    assert model.cluster_centers_[near].tolist() == [1.5, 11.0]
    assert model.inertia_ == pytest.approx(0.5 + 0.5 + 2 + 2)


@row("I4", "004", "Missing: delete rows")
def i4(show: Show) -> None:
    table = tl.table([{"x": 1.0, "c": "u"}, {"x": None, "c": "v"}, {"x": 3.0, "c": None}],
                     gaps="drop")  # fmt: skip
    show(table)
    show(table.notes[0])
    assert (len(table), table.notes) == (1, ("2 of 3 rows had missing values and were dropped",))


@row("I7", "004", "Missing: predict it")
def i7(show: Show) -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "z": [2.0, 4.0, None, 8.0]})
    model = tl.SimpleImputer(learners=tl.LinearRegression()).fit(table)
    found = model.transform(table)
    show(found)
    show(model.show_work())
    assert found.z[2] == pytest.approx(6.0, rel=1e-12)


@row("I8", "000 004", "Algorithms that accept missing values")
def i8(show: Show) -> None:
    rows = [
        {"x": 1.0, "c": "u"},
        {"x": None, "c": "u"},
        {"x": 4.0, "c": None},
        {"x": 5.0, "c": "v"},
        {"x": 2.0, "c": "u"},
        {"x": 6.0, "c": "v"},
    ]
    y = ["a", "a", "b", "b", "a", "b"]
    fresh = [{"x": None, "c": "v"}, {"x": 1.2, "c": None}, {"x": None, "c": None}]
    bayes = tl.NaiveBayes(var_smoothing=0).fit(rows, y)

    def density(x: float, known: list[float]) -> float:
        return math.exp(-((x - np.mean(known)) ** 2) / (2 * np.var(known))) / math.sqrt(
            2 * math.pi * np.var(known)
        )

    # naive Bayes: the factor is skipped, and what is counted is what is known
    joint = np.array([
        [3 / 6 * 1 / 5, 3 / 6 * 3 / 4],  # P(v | a) = (0 + 1) / (3 + 2); b: (2 + 1) / (2 + 2)
        [3 / 6 * density(1.2, [1, 2]), 3 / 6 * density(1.2, [4, 5, 6])],
        [3 / 6, 3 / 6],
    ])  # fmt: skip
    show(f"naive Bayes: {bayes.predict_proba(fresh).round(4).tolist()}")
    assert bayes.predict_proba(fresh) == pytest.approx(joint / joint.sum(axis=1)[:, None])
    # k-NN: Gower's distance is the mean over the columns that both rows have; x has range 5
    near = tl.KNeighborsClassifier(1, metric="gower").fit(rows, y)

    def gower(one: dict[str, Any], other: dict[str, Any]) -> float:
        parts = [] if None in (one["x"], other["x"]) else [abs(one["x"] - other["x"]) / 5]
        parts += [] if None in (one["c"], other["c"]) else [float(one["c"] != other["c"])]
        return float(np.mean(parts)) if parts else math.inf

    for row in fresh[:2]:
        by_hand = min(gower(row, other) for other in rows)
        found = float(near.kneighbors([row])[0][0, 0])
        show(f"1-NN: {row} is {found:.2f} away from the nearest row, {near.predict([row])[0]}")
        assert found == pytest.approx(by_hand)
    assert near.predict(fresh[:2]).tolist() == ["b", "a"]
    # centroids: means of what is known, and distances in the columns that a row has
    centroid = tl.NearestCentroid().fit([[1.0, None], [2.0, 1.0], [8.0, 9.0]], ["a", "a", "b"])
    assert centroid.centroids_.tolist() == [[1.5, 1.0], [8.0, 9.0]]
    show(f"centroids: {centroid.predict([[None, 8.0], [2.0, None]]).tolist()}")
    assert centroid.predict([[None, 8.0], [2.0, None]]).tolist() == ["b", "a"]
    # C4.5: gain × the known share; a missing value goes down both branches, by their weights
    known = [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}, {"x": 9.0}, {"x": None}]
    tree = tl.C45(pruning=None, min_samples_leaf=1).fit(known, ["a", "a", "a", "b", "b"])
    p = tree.predict_proba([{"x": None}])[0]
    show(f"C4.5: P(a | x missing) = {p[0]:.4f}")
    # left: 3 a's and 3/4 of the last row; right: 1 b and 1/4 of it; shares 3/4 and 1/4
    assert p == pytest.approx([3 / 5, 2 / 5])
    for learner in (tl.CART(), tl.ID3(), tl.RandomForestClassifier(5, random_state=0)):
        said = learner.fit(rows, y).predict(fresh).tolist()
        show(f"{type(learner).__name__}: {said}")
        assert {*said} <= {"a", "b"}
        assert learner.predict(rows[:1]).tolist() == ["a"]


@row("J3", "001", "Ensemble learning: several learners answer together")
def j3(show: Show) -> None:
    members = [tl.C45(), tl.NaiveBayes(), tl.RandomForestClassifier(25)]
    vote = tl.VotingClassifier(members).fit(tl.example("tennis"))
    row = {"Outlook": "Rain", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    show(vote.explain(row))
    said = [member.predict(row)[0] for member in vote.estimators_]
    assert vote.predict(row)[0] == max(sorted({*said}), key=said.count)


@row("J2", "000 002 003", "Reinforcement learning data set: trajectories (s0, a1, r1, s1, ...)")
def j2(show: Show) -> None:
    first = played("learn", "--games", "3", "--record", "games.jsonl", "--save", "v.tally")
    games = [json.loads(line) for line in first["games.jsonl"].splitlines()]
    for item in games[0][:7]:
        show(item)

    def squares(state: str) -> tuple[str, dict[str, set[int]]]:
        """Whose turn it is, and the squares of both sides, kings included."""
        turn, red, black = state.split(":")
        sides = [{int(s.lstrip("K")) for s in side[1:].split(",") if s} for side in (red, black)]
        return turn, {red[0]: sides[0], black[0]: sides[1]}

    for game in games:
        states, actions, rewards = game[0::3], game[1::3], game[2::3]
        assert len(states) == len(actions) + 1 == len(rewards) + 1
        for before, action, after in zip(states, actions, states[1:], strict=False):
            path = [int(square) for square in re.split("[-x]", action)]
            (turn, old), (other, new) = squares(before), squares(after)
            assert other != turn  # the sides take turns
            assert new[turn] == old[turn] - {path[0]} | {path[-1]}  # the action leads to s'
            taken = len(path) - 1 if "x" in action else 0
            assert new[other] < old[other] if taken else new[other] == old[other]
            assert len(old[other]) - len(new[other]) == taken
        assert {*rewards[:-1]} == {0}
        assert rewards[-1] in (1, 0, -1)
        last = squares(states[-1])
        lost = [side for side in "BR" if not last[1][side]]
        assert not lost or rewards[-1] == (1 if lost == ["R"] else -1)  # without pieces: lost
    # The policy, ChooseMove by V̂, learns the same from the data set as it did from playing.
    again = played("learn", "--games", "0", "--study", "games.jsonl", "--save", "v.tally",
                   games=first["games.jsonl"])  # fmt: skip
    assert again["v.tally"].coef_.tolist() == first["v.tally"].coef_.tolist() != [0.0] * 6
    found = tl.problem({"state": games[0][0:-1:3], "action": games[0][1::3],
                        "reward": games[0][2::3]})  # fmt: skip
    show(found)
    assert (found.kind, found.name) == ("reinforcement", "a policy")


def grown(tree: Any, i: int = 0) -> Any:
    """A tree as nested dicts, without its empty branches."""
    node = tree.node(i)
    if node.test == "leaf":
        return node.answer
    return {node.column: {b.values[0]: grown(tree, b.node) for b in node.branches}}


def plain(golden: dict[str, Any]) -> Any:
    """A golden tree in the same form."""
    if "leaf" in golden:
        return golden["leaf"]
    kids = {key: kid for key, kid in golden["children"].items() if "why" not in kid}
    return {golden["split"]: {key: plain(kid) for key, kid in kids.items()}}


@row("C1", "000 002 003 004", "ID3: information gain, one branch a value")
def c1(show: Show) -> None:
    tree = tl.ID3().fit(tl.example("tennis"))
    show(tree)
    assert grown(tree.tree_) == plain(GOLDEN["tree.id3.tennis"]["tree"])
    other = tl.ID3().fit(tl.example("restaurant"))
    assert grown(other.tree_) == plain(GOLDEN["tree.restaurant.tree"]["tree"])
    days, guests = GOLDEN["data.play_tennis_14"]["rows"], GOLDEN["data.restaurant_12"]["rows"]
    assert [[*row.values()] for row in example_rows("tennis-day")] == days
    assert [[*row.values()] for row in example_rows("restaurant")] == guests
    dry = [f"x{i}" for i, row in enumerate(example_rows("restaurant"), 1) if row["Rain"] == "No"]
    show(f"Rain = No: {', '.join(dry)}")
    assert dry == GOLDEN["tree.restaurant.rain_no"]


@row("C2", "000 002 003", "Where growing stops")
def c2(show: Show) -> None:
    pure = tl.ID3().fit(pd.DataFrame({"a": ["x", "y"], "c": ["Yes", "Yes"]}), "c")
    out_of_columns = tl.ID3().fit(pd.DataFrame({"a": list("xxx"), "c": ["No", "Yes", "Yes"]}), "c")
    tied = tl.ID3().fit(pd.DataFrame({"a": ["x", "x"], "c": ["Yes", "No"]}), "c")
    for tree in (pure, out_of_columns, tied):
        show(tree)
        assert len(tree.tree_) == 1
    found = [tree.tree_.prediction_of(0) for tree in (pure, out_of_columns, tied)]
    assert found == ["Yes", "Yes", "No"]
    frame = pd.DataFrame({"a": ["x", "x"], "c": ["Yes", "No"]})  # random (000), arbitrary (002)
    drawn = [tl.ID3(tie="random", random_state=s).fit(frame, "c").predict(frame) for s in range(9)]
    none = tl.ID3(tie="undefined").fit(frame, "c").predict(frame)
    show(f"random: {sorted({*map(str, np.concatenate(drawn))})}, undefined: {none.tolist()}")
    assert {*np.concatenate(drawn)} == {"Yes", "No"}
    assert none.tolist() == ["undefined", "undefined"]


@row("C3", "002 003", "An empty branch answers as its parent")
def c3(show: Show) -> None:
    tree = tl.ID3().fit(tl.example("restaurant"))
    node = next(tree.tree_.node(i) for i in range(len(tree.tree_)) if tree.tree_.absent(i))
    show(f"{node.column}: no row is {node.absent[0]}, and {node.counts} say {node.answer}")
    assert (node.column, node.absent, node.counts) == ("Type", ("French",), (2, 2))


@row("C4", "000 002 003 004", "Entropy, in bits")
def c4(show: Show) -> None:
    def entropy(*counts: int) -> float:
        y = [f"class {k}" for k, count in enumerate(counts) for _ in range(count)]
        return tl.ID3().fit(pd.DataFrame({"x": ["same"] * len(y)}), y).tree_.impurity[0]

    show(f"[9+, 5-]: {entropy(9, 5):.4f}, [1, 1, 1, 1]: {entropy(1, 1, 1, 1)}")
    assert entropy(9, 5) == pytest.approx(GOLDEN["tree.entropy.tennis"], abs=1e-12)
    assert entropy(6, 2) == pytest.approx(GOLDEN["tree.entropy.weak"], abs=1e-12)
    assert entropy(3, 3) == pytest.approx(GOLDEN["tree.entropy.strong"], abs=1e-12)
    assert entropy(29, 35) == pytest.approx(GOLDEN["tree.entropy.29_35"], abs=1e-12)
    assert [entropy(1, 0), entropy(1, 1)] == GOLDEN["tree.entropy.coin"]


@row("C5", "000 002 003 004", "Information gain, column by column and node by node")
def c5(show: Show) -> None:
    gains = tl.ID3(keep_rows=True).fit(tl.example("tennis")).gains()
    show(gains)
    for name in ("Outlook", "Temperature", "Humidity", "Wind"):
        golden = GOLDEN[f"tree.gain.{name.lower()}"]  # 0.247: the notes print 0.245
        assert gains[name].gain == pytest.approx(golden, abs=1e-12)
    for name in ("A1", "A2"):  # the notes print 0.1643 for A2: 0.1214
        sides = [GOLDEN_INPUTS[f"tree.gain.{name}"][side] for side in ("true", "false")]
        rows = [(s, k) for s, side in enumerate(sides) for k in (0, 1) for _ in range(side[k])]
        frame = pd.DataFrame(rows, columns=["A", "y"]).astype({"A": str})
        found = tl.ID3(keep_rows=True).fit(frame, "y").gains()["A"].gain
        assert found == pytest.approx(GOLDEN[f"tree.gain.{name}"]["gain"], abs=1e-12)
    four, reduced = GOLDEN_INPUTS["tree.reduced_tennis"], GOLDEN["tree.reduced_tennis"]
    frame = pd.DataFrame(four["rows"], columns=four["columns"])
    gains = tl.ID3(keep_rows=True).fit(frame, "PlayTennis").gains()
    show(gains)
    for name in ("Outlook", "Temperature"):
        assert gains[name].gain == reduced[f"gain_{name}"]
        assert gains[name].after == reduced[f"entropy_after_{name}"]


@row("C6", "003 004", "Gain ratio")
def c6(show: Show) -> None:
    tree = tl.DecisionTreeClassifier(
        criterion="gain_ratio", category_split="multiway", keep_rows=True
    )
    gains = tree.fit(tl.example("tennis")).gains()
    show(gains)
    for name in ("Outlook", "Temperature", "Humidity", "Wind"):
        golden = GOLDEN[f"tree.gainratio.{name.lower()}"]
        assert gains[name].information == pytest.approx(golden["split_information"], abs=1e-12)
        assert gains[name].ratio == pytest.approx(golden["gain_ratio"], abs=1e-12)


@row("C7", "003 004", "Gain² / cost")
def c7(show: Show) -> None:
    gains = tl.ID3(keep_rows=True, costs={"Outlook": 150}).fit(tl.example("tennis")).gains()
    show(gains)
    assert gains["Outlook"].score == pytest.approx(GOLDEN["tree.cost.tan_schlimmer"], abs=1e-15)


@row("C8", "003", "(2^gain - 1) / (cost + 1)^w")
def c8(show: Show) -> None:
    for w, golden in GOLDEN["tree.cost.nunez"].items():  # the notes print 2Gain - 1
        tree = tl.ID3(
            costs={"Outlook": 23}, cost_rule="(2^gain-1)/(cost+1)^w", cost_exponent=float(w),
            keep_rows=True,
        ).fit(tl.example("tennis"))  # fmt: skip
        show(f"w = {w}: {tree.gains()['Outlook'].score:.6f}")
        assert tree.gains()["Outlook"].score == pytest.approx(golden, abs=1e-15)


@row("C9", "000", "Criteria")
def c9(show: Show) -> None:
    table = tl.example("tennis")
    cells = example_rows("tennis")
    names, yes = list(cells[0])[:-1], [row["PlayTennis"] == "Yes" for row in cells]

    def impurity(name: str, p: float) -> float:
        if name == "gini":
            return 2 * p * (1 - p)
        return sum(-q * math.log2(q) for q in (p, 1 - p) if q)

    for criterion in ("entropy", "gini", "gain_ratio"):  # of every attribute, by hand
        gains = tl.ID3(keep_rows=True, criterion=criterion).fit(table).gains()
        show(gains)
        scores = {}
        for name in names:
            parts = [[y for row, y in zip(cells, yes, strict=True) if row[name] == value]
                     for value in sorted({row[name] for row in cells})]  # fmt: skip
            left = sum(len(y) / 14 * impurity(criterion, sum(y) / len(y)) for y in parts)
            split = -sum(len(y) / 14 * math.log2(len(y) / 14) for y in parts)
            gain = impurity(criterion, 9 / 14) - left
            scores[name] = gain / split if criterion == "gain_ratio" else gain
            assert gains[name].gain == pytest.approx(gain)
            found = gains[name].ratio if criterion == "gain_ratio" else gains[name].score
            assert found == pytest.approx(scores[name])
        if criterion == "gain_ratio":  # of those whose gain is at least the mean, as in C4.5
            mean = np.mean([gains[name].gain for name in names])
            scores = {name: s for name, s in scores.items() if gains[name].gain >= mean}
        assert max(gains, key=lambda one: one.score).column == max(scores, key=scores.__getitem__)
    x, y = np.arange(9.0), np.array([14.0, 15, 22, 28, 2, 5, 24, 28, 8])

    def left(criterion: str, y: Any) -> float:
        """What is left in a part, as a sum over its rows."""
        if criterion == "absolute_error":
            return float(np.abs(y - np.median(y)).sum())
        if criterion == "poisson":
            return float((y * np.log(y / y.mean())).sum())
        return float(len(y) * (y.std() if criterion == "sdr" else y.var()))

    chosen = {}
    for criterion in ("squared_error", "sdr", "absolute_error", "poisson"):
        tree = tl.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(x[:, None], y)
        costs = [left(criterion, y[: k + 1]) + left(criterion, y[k + 1 :]) for k in range(8)]
        chosen[criterion] = float(tree.tree_.threshold[0])
        assert chosen[criterion] == int(np.argmin(costs)) + 0.5
    show(chosen)
    assert len({*chosen.values()}) == 4  # no two criteria agree


@row("C10", "000 004", "Thresholds for numbers")
def c10(show: Show) -> None:
    frame = pd.DataFrame({"Temperature": [40.0, 48, 60, 72, 80, 90], "Play": list("nnyyyn")})
    tree = tl.DecisionTreeClassifier(keep_rows=True, criterion="entropy").fit(frame, "Play")
    show(tree)
    show(tree.gains())
    assert tree.tree_.threshold[0] == 54

    def entropy(y: Any) -> float:
        shares = np.unique(y, return_counts=True)[1] / len(y)
        return float(-(shares * np.log2(shares)).sum())

    rng = np.random.default_rng(0)
    for size in (6, 20, 60):  # every middle of two neighbouring values, n - 1 at most
        x, y = rng.integers(0, size, size).astype(float), rng.choice(list("abc"), size)
        values = np.unique(x)
        middles = (values[1:] + values[:-1]) / 2
        gains = [
            entropy(y) - sum((x <= t).mean() * entropy(y[x <= t]) if side else
                             (x > t).mean() * entropy(y[x > t]) for side in (0, 1))
            for t in middles
        ]  # fmt: skip
        tree = tl.DecisionTreeClassifier(keep_rows=True, criterion="entropy").fit(x[:, None], y)
        assert [one.gain for one in tree.gains()] == pytest.approx(gains, abs=1e-12)
        assert [one.test for one in tree.gains()] == [f"<= {t:g}" for t in middles]
        assert tree.tree_.threshold[0] == middles[int(np.argmax(np.round(gains, 12)))]
        turns = [t for t in middles if turning(x, y, t)]
        show(f"{size} rows: {len(middles)} thresholds, {len(turns)} where the class changes")
        assert len(middles) <= size - 1
        assert tree.tree_.threshold[0] in turns


@row("C11", "000", "Equality and threshold tests in one tree")
def c11(show: Show) -> None:
    frame = pd.DataFrame(
        {
            "Outlook": ["Sunny", "Sunny", "Rain", "Rain", "Overcast"],
            "Humidity": [85.0, 70.0, 80.0, 95.0, 86.0],
            "Play": ["No", "Yes", "Yes", "No", "Yes"],
        }
    )
    tree = tl.ID3().fit(frame, "Play")
    show(tree)
    assert {*tree.tree_.column[tree.tree_.column >= 0]} == {0, 1}
    assert tree.score(frame, "Play") == 1


@row("C18", "000", "Missing: the most common value at the node")
def c18(show: Show) -> None:
    inputs = GOLDEN_INPUTS["tree.missing.table"]
    frame = pd.DataFrame(inputs["rows"], columns=inputs["columns"])
    gains = tl.ID3(keep_rows=True, missing="node").fit(frame, "PlayTennis").gains()
    show(gains)
    fill = GOLDEN["tree.missing.table"]["rule_node_most_common"]["D3.Outlook"]
    filled = tl.ID3(keep_rows=True).fit(frame.fillna({"Outlook": fill}), "PlayTennis").gains()
    assert gains["Outlook"].gain == filled["Outlook"].gain
    # at the node, not of the table: most have a, but those where w is n have b
    rows = [*["pax"] * 5, *["pbx"] * 2, *["nby"] * 3, "nax", "n-y"]
    deep = pd.DataFrame([[None if v == "-" else v for v in r] for r in rows], columns=[*"wcy"])
    tree = tl.ID3(missing="node").fit(deep, "y")
    show(tree)
    assert str(tree) == str(tl.ID3().fit(deep.fillna({"c": "b"}), "y"))
    assert str(tree) != str(tl.ID3(missing="global").fit(deep, "y"))
    assert tree.predict({"w": "n", "c": None}).tolist() == ["y"]  # and so at predict


@row("C19", "000", "Missing: the most common value of the same class")
def c19(show: Show) -> None:
    inputs = GOLDEN_INPUTS["tree.missing.table"]
    frame = pd.DataFrame(inputs["rows"], columns=inputs["columns"])
    gains = tl.ID3(keep_rows=True, missing="class").fit(frame, "PlayTennis").gains()
    show(gains)
    fill = GOLDEN["tree.missing.table"]["rule_same_class_most_common"]["D3.Outlook"]
    filled = tl.ID3(keep_rows=True).fit(frame.fillna({"Outlook": fill}), "PlayTennis").gains()
    assert gains["Outlook"].gain == filled["Outlook"].gain == 1
    # the class is not known at predict: there the gap is what is most common at the node
    rows = ["ap", "ap", "ap", "ap", "bq", "bq", "-q"]
    gap = pd.DataFrame([[None if v == "-" else v for v in r] for r in rows], columns=["c", "y"])
    tree = tl.ID3(missing="class").fit(gap, "y")
    show(tree)
    assert tree.tree_.counts.tolist() == [[4, 3], [4, 0], [0, 3]]  # b, as the other q
    assert tree.predict({"c": None}).tolist() == ["p"]


@row("C20", "003", "Missing: the most common value of the table")
def c20(show: Show) -> None:
    frame = pd.DataFrame({"c": ["a", "a", None, "b"], "y": list("ppqq")})
    tree = tl.ID3(missing="global").fit(frame, "y")
    show(tree)
    same = tl.ID3().fit(frame.fillna({"c": "a"}), "y")
    assert str(tree) == str(same)
    assert tree.predict({"c": None}).tolist() == ["p"]


@row("C21", "002", "A category never seen gets the plurality of its node")
def c21(show: Show) -> None:
    frame = pd.DataFrame({"c": list("aabbb"), "y": list("ppqqq")})
    tree = tl.ID3().fit(frame, "y")
    show(tree.predict({"c": "zebra"}))
    assert tree.predict({"c": "zebra"}).tolist() == ["q"]


@row("C22", "000 003", "Random forest: random rows and columns, the vote of the trees")
def c22(show: Show) -> None:
    table = tl.example("tennis")
    forest = tl.RandomForestClassifier(25, vote="majority").fit(table)
    row = {"Outlook": "Sunny", "Temperature": "Cool", "Humidity": "High", "Wind": "Strong"}
    show(forest.explain(row))
    show(forest.oob)
    votes = [forest.model_.node_values[end + root].argmax() for end, root in
             zip(forest.apply(row)[0], forest.model_.roots, strict=True)]  # fmt: skip
    assert forest.predict_proba(row)[0].tolist() == [votes.count(0) / 25, votes.count(1) / 25]
    assert forest.predict(row).tolist() == ["No"]


@row("C28", "004", "Limits: rows, depth, leaves")
def c28(show: Show) -> None:
    from sklearn.tree import DecisionTreeRegressor

    table = tl.example("organs")
    whole = tl.DecisionTreeRegressor(category_split="multiway").fit(table)
    show(f"no limit: {len(whole.tree_)} nodes, {whole.get_n_leaves()} leaves")
    assert (len(whole.tree_), whole.get_n_leaves()) == (14, 9)
    for limit in ({"min_samples_split": 4}, {"max_depth": 1}, {"max_leaf_nodes": 5}):
        tree = tl.DecisionTreeRegressor(category_split="multiway", **limit).fit(table)
        show(f"{limit}: {len(tree.tree_)} nodes, {tree.get_n_leaves()} leaves")
        assert (len(tree.tree_), tree.get_n_leaves()) == (6, 5)
    rng = np.random.default_rng(0)
    X = rng.permutation(200).reshape(100, 2).astype(float)
    y = X[:, 0] + 30 * np.sin(X[:, 1]) + rng.normal(0, 1, 100)
    sizes = []
    for limit in ({}, {"max_depth": 3}, {"min_samples_split": 20}, {"min_samples_leaf": 7},
                  {"max_leaf_nodes": 9}):  # fmt: skip
        tree = tl.DecisionTreeRegressor(**limit).fit(X, y)
        theirs = DecisionTreeRegressor(random_state=0, **limit).fit(X, y)
        sizes.append(tree.get_n_leaves())
        show(f"{limit}: depth {tree.get_depth()}, {tree.get_n_leaves()} leaves")
        assert (tree.get_depth(), tree.get_n_leaves()) == (
            theirs.get_depth(), theirs.get_n_leaves(),
        )  # fmt: skip
        assert tree.predict(X) == pytest.approx(theirs.predict(X))
    assert max(sizes[1:]) < sizes[0] == 100


@row("C31", "000 004", "The table of gains")
def c31(show: Show) -> None:
    tree = tl.ID3(keep_rows=True).fit(tl.example("restaurant"))
    show(tree.gains())
    show(tree.gains(node=1))
    found = {candidate.column: candidate.gain for candidate in tree.gains()}
    assert found == pytest.approx(GOLDEN["tree.restaurant.gains"], abs=1e-12)


@row("C32", "000 003 004", "The guard against identifiers: gain favours Day, which says nothing")
def c32(show: Show) -> None:
    table = tl.example("tennis-day", keep=["Day"])
    tree = tl.ID3(keep_rows=True).fit(table)
    show(tree.gains())
    golden = GOLDEN["tree.gainratio.day"]
    assert tree.gains()["Day"].gain == pytest.approx(golden["gain"], abs=1e-12)
    assert tree.gains()["Day"].ratio == pytest.approx(golden["gain_ratio"], abs=1e-12)
    assert max(tree.gains(), key=lambda one: one.gain).column == "Day"  # so that it needs a guard
    guard = tl.ID3().fit(tl.example("tennis-day"))
    show(repr(guard))
    assert guard.schema_.identifiers == ("Day",)
    assert str(guard) == str(tl.ID3().fit(tl.example("tennis")))
    said = [text for text in tl.problem(tl.example("tennis-day")).cautions if "Day" in text]
    show(said[0])
    assert "all of its 14 values are different" in said[0]
    with TemporaryDirectory() as folder:
        tally = partial(CliRunner().invoke, main, catch_exceptions=False)
        data, model = f"{folder}/day.csv", f"{folder}/day.tally"
        Path(data).write_text(tally(["example", "tennis-day"]).stdout)
        done = tally(["learn", data, "--target", "PlayTennis", "--model", "id3", "-o", model])
        guarded = tl.load(model)
    show(guarded)
    assert "left out Day: all of its 14 values are different" in done.stderr
    assert str(guarded) == str(tl.ID3().fit(tl.example("tennis")))
    assert "Day" not in str(tl.C45().fit(table))  # and branches of one row are none to C4.5


@row("C33", "000 002", "Ties: reported, and broken by a rule")
def c33(show: Show) -> None:
    tree = tl.ID3().fit(tl.example("restaurant"))
    for tie in tree.ties():
        show(f"{tie.path}: {', '.join(name for name, _ in tie.candidates)}; asked: {tie.chosen}")
    trace = GOLDEN["tree.restaurant.tree"]["trace"]
    tied = [step["tied_best"] for step in trace if len(step["tied_best"]) > 1]
    assert [[name for name, _ in tie.candidates] for tie in tree.ties()] == tied
    random = [tl.ID3(tie="random", random_state=s).fit(tl.example("restaurant")) for s in range(9)]
    assert len({*map(str, random)}) > 1
    french = {"Pat": "Full", "Hun": "Yes", "Type": "French"}  # no such row: 2 waited, 2 did not
    row = {column.name: "No" for column in tree.schema_.columns} | french
    first, none = tree.predict(row), tl.ID3(tie="undefined").fit(tl.example("restaurant"))
    show(f"{row['Type']}: {first.tolist()}, undefined: {none.predict(row).tolist()}")
    assert none.predict(row).tolist() == ["undefined"]
    assert str(none) == str(tree)  # questions are asked as ever


@row("K1", "000 002 004", "Entropy of counts, of a probability, of a distribution; bits per symbol")
def k1(show: Show) -> None:
    for values in ([9, 5], 0.25, {"a": 0.5, "b": 0.25, "c": 0.125, "d": 0.125}, [*"aabbbbcd"]):
        show(tl.entropy(values))
    for counts in ([9, 5], [6, 2], [3, 3], [29, 35], [4, 0], [1, 2, 3, 4]):
        shares = [n / sum(counts) for n in counts if n]
        assert tl.entropy(counts) == pytest.approx(-sum(p * math.log2(p) for p in shares))
        labels = [str(k) for k, n in enumerate(counts) for _ in range(n)]
        assert float(tl.entropy(labels)) == float(tl.entropy(counts))
    for q in (0.0, 0.25, 0.5, 1.0):  # B(q)
        parts = [-p * math.log2(p) for p in (q, 1 - q) if p]
        assert tl.entropy(q) == pytest.approx(sum(parts))
    # a code with as many bits as -log2 p: no code needs fewer bits a symbol, on average
    chances = {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 8), "d": Fraction(1, 8)}
    code = {"a": "0", "b": "10", "c": "110", "d": "111"}
    mean = sum(p * len(code[symbol]) for symbol, p in chances.items())
    show(f"{mean} bits a symbol with the code {code}")
    assert tl.entropy(chances) == float(mean) == 1.75
    assert float(tl.entropy([9, 5])) == pytest.approx(GOLDEN["tree.entropy.tennis"], abs=1e-15)


@row("K2", "000 003 004", "Information gain of one attribute, written out")
def k2(show: Show) -> None:
    gain = tl.information_gain(tl.example("tennis"), "Wind", "PlayTennis")
    show(gain)
    assert gain == pytest.approx(GOLDEN["tree.gain.wind"], abs=1e-15)
    printed = str(gain).splitlines()[-1]  # the numbers of the last line give its result
    numbers = [float(n) for n in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", printed)]
    whole, *parts, result = numbers
    left = sum(k / n * h for k, n, h in zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    assert result == pytest.approx(whole - left, abs=2e-4)
    assert parts[0::3] == [8, 6]
    cells = example_rows("tennis")

    def entropy(rows: Any) -> float:
        shares = [sum(r["PlayTennis"] == c for r in rows) / len(rows) for c in ("No", "Yes")]
        return -sum(p * math.log2(p) for p in shares if p)

    for name in ("Outlook", "Temperature", "Humidity", "Wind"):
        parts = [[r for r in cells if r[name] == value] for value in {r[name] for r in cells}]
        wanted = entropy(cells) - sum(len(part) / 14 * entropy(part) for part in parts)
        found = tl.information_gain(tl.example("tennis"), name)
        show(f"Gain(S, {name}) = {found:.4f}")
        assert found == pytest.approx(wanted)


@row("K9", "004", "Covariance and correlation with their working; eigenvalues of PCA")
def k9(show: Show) -> None:
    x, y = [1, 2, 4, 9], [2, 1, 5, 8]
    show(tl.covariance(x, y))
    show(tl.correlation(x, y))
    products = sum((Fraction(a) - 4) * (Fraction(b) - 4) for a, b in zip(x, y, strict=True))
    assert tl.covariance(x, y) == pytest.approx(float(products / 3))
    assert "(n - 1)" in str(tl.covariance(x, y))  # the divisor is said
    assert tl.covariance(x, y, ddof=0) == pytest.approx(float(products / 4))
    assert "/ n " in str(tl.covariance(x, y, ddof=0))
    assert tl.correlation(x, y) == pytest.approx(float(products) / math.sqrt(38 * 30))
    matrix = [[float(tl.covariance(a, b)) for b in (x, y)] for a in (x, y)]
    trace, determinant = (
        matrix[0][0] + matrix[1][1],
        matrix[0][0] * matrix[1][1] - matrix[0][1] ** 2,
    )
    root = math.sqrt(trace**2 / 4 - determinant)  # of the characteristic polynomial
    model = tl.PCA().fit(np.column_stack([x, y]).astype(float))
    show(model.show_work())
    assert model.explained_variance_ == pytest.approx([trace / 2 + root, trace / 2 - root])
    for value, direction in zip(model.explained_variance_, model.components_, strict=True):
        assert np.array(matrix) @ direction == pytest.approx(value * direction)


@row("K11", "000 004", "Scores of given answers")
def k11(show: Show) -> None:
    rows = answered(TP=8, FN=2, FP=4, TN=6)
    truth, said = rows["y"], rows["said"]
    show(tl.confusion_matrix(truth, said))
    found = {
        "precision": tl.precision_score(truth, said, positive="+"),
        "recall": tl.recall_score(truth, said, positive="+"),
        "F1": tl.f1_score(truth, said, positive="+"),
        "accuracy": tl.accuracy_score(truth, said),
    }
    for name, score in found.items():
        show(score)
        assert score == pytest.approx(float(fraction(GOLDEN["eval.prf"][name])))
    counts = {(t, s): int(((truth == t) & (said == s)).sum()) for t in "+-" for s in "+-"}
    matrix = tl.confusion_matrix(truth, said, labels=["+", "-"])
    assert counts == {("+", "+"): 8, ("+", "-"): 2, ("-", "+"): 4, ("-", "-"): 6}
    assert [int(n) for n in np.ravel(matrix)] == [*counts.values()]
    scores, labels = [0.9, 0.8, 0.8, 0.4, 0.3, 0.1], [*"++-+--"]
    curve = tl.roc_curve(labels, scores, positive="+")
    show(curve)
    area = 0.0  # the share of pairs of a + and a - in order; a tie counts one half
    for p, one in zip(scores, labels, strict=True):
        for q, other in zip(scores, labels, strict=True):
            area += ((p > q) + (p == q) / 2) * (one == "+" and other == "-") / 9
    assert float(curve.area) == pytest.approx(area)


def bernoulli(side: str, h: str) -> Fraction:
    """P(side | the coin shows heads with probability h)."""
    return Fraction(h) if side == "h" else 1 - Fraction(h)


@row("K3", "002 004", "Gradient descent until convergence: least squares and logistic")
def k3(show: Show) -> None:
    given, golden = GOLDEN_INPUTS["linreg.ols_toy"], GOLDEN["linreg.ols_toy"]
    x, y = np.array(given["x"], dtype=float), np.array(given["y"], dtype=float)
    design = np.column_stack([np.ones(len(x)), x])
    exact = [decimal(golden["theta0"]), decimal(golden["theta1=cov/var"])]
    for scaling, factor in (("sum", 1.0), ("mean", 2 / len(x))):
        w, n_steps = np.zeros(2), 0  # until no part of the gradient is above 1e-6
        while np.abs(slope := factor * design.T @ (y - design @ w)).max() > 1e-6:
            w, n_steps = w + 0.05 * slope, n_steps + 1
        model = tl.LMS(0.05, scaling=scaling).fit(x[:, None], y)
        show(f"{scaling}: {model.n_steps_} steps to {model.intercept_:.6f}, {model.coef_[0]:.6f}")
        assert model.converged_
        assert model.n_steps_ == n_steps
        assert [model.intercept_, *model.coef_] == pytest.approx(w)
        assert [model.intercept_, *model.coef_] == pytest.approx(exact, abs=1e-5)
    show(f"closed form: {exact[0]:.6f}, {exact[1]:.6f}")
    hours, passed = [[-5], [-3], [-1], [1], [3], [4]], ["no", "no", "yes", "no", "yes", "yes"]
    options = {"C": math.inf, "solver": "gradient", "learning_rate": 0.3, "tol": 1e-6}
    model = tl.LogisticRegression(**options, max_iter=5000).fit(hours, passed)
    design, truth = np.array([[1, *row] for row in hours]), np.array(passed) == "yes"
    w, n_steps = np.zeros(2), 0
    while np.abs(slope := design.T @ (truth - 1 / (1 + np.exp(-design @ w))) / 6).max() > 1e-6:
        w, n_steps = w + 0.3 * slope, n_steps + 1
    newton = tl.LogisticRegression(C=math.inf).fit(hours, passed)
    show(f"logistic: {n_steps} steps to {w.round(5).tolist()}; Newton's method: "
         f"{newton.intercept_[0]:.5f}, {newton.coef_[0, 0]:.5f}")  # fmt: skip
    assert (model.converged_, [*model.n_iter_]) == (True, [n_steps])
    assert [*model.intercept_, *model.coef_[0]] == pytest.approx(w)
    assert [*model.intercept_, *model.coef_[0]] == pytest.approx(
        [*newton.intercept_, *newton.coef_[0]], abs=1e-4
    )
    # steps that are too short do not arrive, and steps that are too long lead away
    with pytest.warns(UserWarning, match=r"before it\s+converged") as said:
        tl.LMS(1e-6, scaling="mean").fit(x[:, None], y)
    show(said[0].message)
    for learner in (tl.LMS(1.0, scaling="sum"), tl.LMS(1.0, scaling="mean")):
        with pytest.raises(errors.InputError, match="diverged") as caught:
            learner.fit(x[:, None], y)
    show(caught.value)
    short = tl.LogisticRegression(**options, max_iter=20).fit(hours, passed)
    assert not short.converged_
    assert "did not converge in 20 iterations" in str(short.show_work())
    with pytest.raises(errors.InputError, match="diverged with learning_rate=1000"):
        tl.LogisticRegression(**{**options, "learning_rate": 1e3}, max_iter=50).fit(hours, passed)


@row("K4", "003", "LMS with the absolute error")
def k4(show: Show) -> None:
    from scipy.optimize import linprog

    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (31, 2))
    v_train = 0.5 + x @ [2.0, -1.0] + rng.normal(0, 0.1, 31)
    v_train[0] += 100
    steps = tl.LMS(0.1, scaling="absolute", steps=5).fit(x, v_train)
    show(steps.show_work())
    w = np.zeros(3)  # error = |V_train - V|: its derivative by w_i is -x_i or x_i
    for b in range(5):
        f = np.array([1, *x[b]])
        w = w + 0.1 * np.sign(v_train[b] - w @ f) * f
    assert [steps.intercept_, *steps.coef_] == pytest.approx(w)
    # w* = argmin Σ |V_train - V|, as a linear program: e >= ±(V_train - V)
    design = np.column_stack([np.ones(31), x])
    A = np.block([[-design, -np.eye(31)], [design, -np.eye(31)]])
    bounds = [(None, None)] * 3 + [(0, None)] * 31
    best = linprog([0] * 3 + [1] * 31, A, [*-v_train, *v_train], bounds=bounds)
    far = tl.LMS(0.0002, scaling="absolute", steps=300_000).fit(x, v_train)
    show(f"descent: {[round(float(v), 3) for v in (far.intercept_, *far.coef_)]}")
    show(f"argmin:  {best.x[:3].round(3).tolist()}")
    error = np.abs(v_train - far.predict(x)).sum()
    assert best.fun <= error <= best.fun * 1.001
    squared = tl.LinearRegression().fit(x, v_train)  # one wrong value of 100 moves these far
    show(f"least squares: {[round(float(v), 3) for v in (squared.intercept_, *squared.coef_)]}")
    assert np.abs(v_train - squared.predict(x)).sum() > 1.5 * best.fun


@row("K5", "004", "Candidate thresholds only where the class changes, and no other is better")
def k5(show: Show) -> None:
    frame = pd.DataFrame({"Temperature": [40.0, 48, 60, 72, 80, 90], "Play": list("nnyyyn")})
    gain = tl.information_gain(frame, "Temperature", "Play")
    show(gain)
    grid = next(step for step in gain.show_work().steps if hasattr(step, "rows"))
    assert [cells[0] for cells in grid.rows] == ["54", "85"]
    rng = np.random.default_rng(0)
    for size in (10, 30, 80):
        table = {"x": rng.integers(0, size, size).astype(float), "y": rng.choice([*"abc"], size)}
        values = np.unique(table["x"])
        middles = (values[1:] + values[:-1]) / 2
        turns = [t for t in middles if turning(table["x"], table["y"], t)]
        every = {t: float(tl.information_gain(table, "x", "y", threshold=t)) for t in middles}
        found = tl.information_gain(table, "x", "y")
        grid = next(step for step in found.show_work().steps if hasattr(step, "rows"))
        assert [float(cells[0]) for cells in grid.rows] == turns
        show(f"{size} rows: the best of {len(turns)} candidates is the best of {len(middles)}")
        assert found == pytest.approx(max(every.values()))
        assert max(every, key=every.__getitem__) in turns


@row("K13", "000 001", "Brute-force MAP from P(D | h), and the tie rule")
def k13(show: Show) -> None:
    days = tl.Hypotheses.from_table(tl.example("tennis")[:12], "PlayTennis")
    after = days.observe({"Outlook": "Sunny", "Wind": "Strong"})
    show(after.show_work())
    cells = example_rows("tennis")[:12]
    likelihood, prior = {}, {}
    for h in ("Yes", "No"):
        some = [row for row in cells if row["PlayTennis"] == h]
        both = [row for row in some if row["Outlook"] == "Sunny" and row["Wind"] == "Strong"]
        likelihood[h], prior[h] = Fraction(len(both), len(some)), Fraction(len(some), 12)
    assert after.likelihoods() == likelihood
    assert [likelihood["Yes"], likelihood["No"]] == [
        fraction(GOLDEN["bayes.ml_vs_map.tennis12"][f"P(D|{h})"]) for h in ("h1", "h2")
    ]
    joint = {h: likelihood[h] * prior[h] for h in prior}
    assert joint["Yes"] == joint["No"]  # a tie: h1 of the notes, if P(h1 | D) >= P(h2 | D)
    assert after.ties() == {"MAP": ("No", "Yes")}
    assert after.map() == "No"  # without a rule: the first in sorted order
    named = tl.Hypotheses.from_table(tl.example("tennis")[:12], order=["Yes", "No"])  # h1, h2
    seen = named.observe({"Outlook": "Sunny", "Wind": "Strong"})
    show(f"h_MAP with h1 = Yes, h2 = No: {seen.map()}; h_ML: {seen.ml()}")
    assert seen.map() == "Yes"
    assert seen.posterior() == after.posterior()
    assert after.ml() == "No" == max(likelihood, key=likelihood.__getitem__)
    # P(D | h) alone, by a function: equal priors 1/|H|, and all h are tried
    coins = tl.Hypotheses([f"{k}/10" for k in range(11)], likelihood=bernoulli)
    tossed = coins.observe(*"hhth")
    by_hand = {f"{k}/10": Fraction(k, 10) ** 3 * Fraction(10 - k, 10) for k in range(11)}
    show(f"h_MAP of 11 coins after h h t h: {tossed.map()}")
    assert tossed.map() == max(by_hand, key=by_hand.__getitem__) == tossed.ml()
    assert tossed.likelihoods() == by_hand
    assert tossed.posterior() == {h: p / sum(by_hand.values()) for h, p in by_hand.items()}


@row("K7", "000 002 003", "A policy learner: Q-learning on a small world, its table")
def k7(show: Show) -> None:
    moves = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    grid = ["...+", ".#.-", "...."]  # a wall, and two final states

    def to(r: int, c: int, move: tuple[int, int]) -> tuple[int, int]:
        """The square that a move leads to; against a wall or the edge, the square itself."""
        a, b = r + move[0], c + move[1]
        return (a, b) if 0 <= a < 3 and 0 <= b < 4 and grid[a][b] != "#" else (r, c)

    reward = {"+": 1.0, "-": -1.0, ".": -0.04}
    world = {
        (r, c): {m: (to(r, c, d), reward[grid[to(r, c, d)[0]][to(r, c, d)[1]]])
                 for m, d in moves.items()}
        for r in range(3) for c in range(4) if grid[r][c] == "."
    }  # fmt: skip
    found = tl.q_learning(world, exploration=0.5, episodes=2000, seed=1)
    show(found)
    q = {s: dict.fromkeys(moves, 0.0) for s in world}  # Bellman's equation, by value iteration
    for _ in range(200):
        q = {s: {a: r + 0.9 * max(q[t].values() if t in q else [0.0])
                 for a, (t, r) in world[s].items()} for s in world}  # fmt: skip
    for s in world:
        assert found.values[s] == pytest.approx(q[s], abs=1e-3)
        assert q[s][found.policy[s]] == pytest.approx(max(q[s].values()))
    again = tl.q_learning(world, exploration=0.5, episodes=2000, seed=1)
    assert again.values == found.values  # seeded
    once = tl.q_learning({"s": {"a": ("end", 8)}}, learning_rate=0.25, episodes=3)
    assert once.values["s"]["a"] == 8 * (1 - 0.75**3)  # Q moves a quarter of the way each time


@row("K8", "000", "Density: what is normal")
def k8(show: Show) -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (60, 2)), rng.normal(6, 2, (90, 2))])
    y = ["a"] * 60 + ["b"] * 90
    fresh = np.array([[0.0, 0.0], [6.0, 6.0], [3.0, -9.0], [20.0, 20.0]])

    def normal(x: Any, mean: Any, S: Any) -> Any:
        d = x - mean
        power = -0.5 * (d @ np.linalg.inv(S) * d).sum(axis=1)
        return np.exp(power) / np.sqrt((2 * math.pi) ** 2 * np.linalg.det(S))

    groups = [X[:60], X[60:]]
    S = [np.cov(rows.T, ddof=0) for rows in groups]
    shared = (60 * S[0] + 90 * S[1]) / 150
    covariances = {
        tl.NaiveBayes(var_smoothing=0): [np.diag(np.diag(s)) for s in S],
        tl.LinearDiscriminantAnalysis(): [shared, shared],
        tl.QuadraticDiscriminantAnalysis(): S,
    }
    for learner, each in covariances.items():
        model = learner.fit(X, y)
        P = sum(len(rows) / 150 * normal(fresh, rows.mean(axis=0), s)
                for rows, s in zip(groups, each, strict=True))  # fmt: skip
        assert model.score_samples(fresh) == pytest.approx(np.log(P))
        threshold = np.quantile(model.score_samples(X), 0.02)  # 2 % of the training rows are below
        usual = model.score_samples(fresh) >= threshold
        show(f"{type(learner).__name__}: log P(x) {model.score_samples(fresh).round(1).tolist()}, "
             f"normal from {threshold:.1f} on: {usual.tolist()}")  # fmt: skip
        assert usual.tolist() == [True, True, False, False]
        assert (model.score_samples(X) < threshold).sum() == 3
    days = tl.NaiveBayes(alpha=0).fit(tl.example("tennis"))
    cells = example_rows("tennis")
    total = Fraction(0)  # P(x) = Σ P(c) Π P(x_i | c), counted
    for c in ("No", "Yes"):
        some = [row for row in cells if row["PlayTennis"] == c]
        shares = [Fraction(sum(r[n] == v for r in some), len(some)) for n, v in COOL.items()]
        total += Fraction(len(some), 14) * math.prod(shares)
    show(f"P(sunny, cool, high, strong) = {total} = {np.exp(days.score_samples(COOL))[0]:.4f}")
    assert np.exp(days.score_samples(COOL))[0] == pytest.approx(float(total))


@row("K12", "000", "criteria(Att) as a function; the other tree of Figure 2.3")
def k12(show: Show) -> None:
    four = GOLDEN_INPUTS["tree.reduced_tennis"]
    frame = pd.DataFrame(four["rows"], columns=four["columns"])

    def gain(counts: Any) -> float:
        """Information gain; a row of counts for each value."""

        def entropy(n: Any) -> float:
            return -sum(k / sum(n) * math.log2(k / sum(n)) for k in n if k)

        return entropy(counts.sum(axis=0)) - sum(
            n.sum() / counts.sum() * entropy(n) for n in counts
        )

    def left(counts: Any) -> float:
        """What is left to be asked: the entropy after the split."""
        return 1 - gain(counts)

    best = {}
    for criterion in (gain, left):
        scores = tl.attribute_scores(frame, criterion, "PlayTennis")
        show(scores)
        best[criterion.__name__] = max(scores, key=lambda name: scores[name])
    golden = GOLDEN["tree.reduced_tennis"]
    for name in ("Outlook", "Temperature"):
        scores = [tl.attribute_scores(frame, c, "PlayTennis")[name] for c in (gain, left)]
        assert scores == [golden[f"gain_{name}"], golden[f"entropy_after_{name}"]]
    assert best == {"gain": "Outlook", "left": "Temperature"}
    small = tl.ID3().fit(frame, "PlayTennis")  # Outlook first: the tree asks once
    sides = [frame[frame["Temperature"] == value] for value in ("Cold", "Hot")]
    other = [tl.ID3().fit(side, "PlayTennis") for side in sides]  # Temperature first
    show(small)
    for value, tree in zip(("Cold", "Hot"), other, strict=True):
        show(f"Temperature = {value}:\n{tree}")
    assert small.get_n_leaves() == 2
    assert sum(tree.get_n_leaves() for tree in other) == 4
    tennis = tl.attribute_scores(tl.example("tennis"), gain)
    for name in ("Outlook", "Temperature", "Humidity", "Wind"):
        assert tennis[name] == pytest.approx(GOLDEN[f"tree.gain.{name.lower()}"])


@row("K14", "004", "The lasso with the notes' lambda: Σ e² + λ Σ |θ|")
def k14(show: Show) -> None:
    from scipy.optimize import minimize

    x, y = SIX
    for lam in (30.0, 1.0):
        model = tl.Lasso(lam / (2 * len(y)), tol=1e-12).fit(x, y)  # alpha = λ / 2m

        def loss(w: Any, lam: float = lam) -> float:
            """The objective; a weight is the difference of two numbers from 0 on."""
            beta = w[1:5] - w[5:]
            return float(((y - w[0] - x @ beta) ** 2).sum() + lam * w[1:].sum())

        least = min(
            (minimize(loss, np.r_[y.mean(), np.full(8, s)], bounds=[(None, None)] + [(0, None)] * 8,
                      options={"maxfun": 100_000, "maxiter": 10_000, "ftol": 1e-15, "gtol": 1e-10})
             for s in (0.0, 0.1, 1.0)), key=lambda found: found.fun,
        )  # fmt: skip
        rest = y - model.predict(x)
        ours = float((rest**2).sum() + lam * np.abs(model.coef_).sum())
        show(f"λ = {lam:g}: {model.coef_.round(4).tolist()}, Σ e² + λ Σ |θ| = {ours:.4f}")
        assert ours == pytest.approx(least.fun, rel=1e-5)
        slope = 2 * x.T @ rest  # of Σ e²: λ times the sign of every weight that is not 0
        zero = model.coef_ == 0
        assert slope[~zero] == pytest.approx(lam * np.sign(model.coef_[~zero]), abs=1e-6)
        assert (np.abs(slope[zero]) <= lam + 1e-9).all()


@row("K6", "000", "True error under a continuous distribution")
def k6(show: Show) -> None:
    from scipy.stats import expon, norm, uniform

    # f and h are thresholds: they differ between the two, so error = F(h) - F(f)
    for known in (uniform(0, 1), norm(0.4, 0.2), expon(scale=0.5)):
        found = tl.true_error(lambda x: x > 0.5, lambda x: x > 0.3, known)
        assert found == pytest.approx(known.cdf(0.5) - known.cdf(0.3), abs=1e-12)
    show(tl.true_error(lambda x: x > 0.5, lambda x: x > 0.3, uniform(0, 1)))
    # an interval as the concept, and a hypothesis that is too narrow: two regions
    circle = tl.true_error(lambda x: x * x < 1, lambda x: abs(x) < 2, norm(0, 1))
    show(circle)
    assert circle == pytest.approx(2 * (norm.cdf(2) - norm.cdf(1)), abs=1e-12)
    # a density of one's own, p(x) = 2 x on [0, 1]: P(0.3 < x <= 0.5) = 0.25 - 0.09
    own = tl.true_error(lambda x: x > 0.5, lambda x: x > 0.3, lambda x: 2 * x, low=0, high=1)
    assert own == pytest.approx(0.16, abs=1e-9)
    with pytest.raises(errors.InputError, match=r"integrates to 0\.5 .*, not to 1") as caught:
        tl.true_error(lambda x: x > 0.5, lambda x: x > 0.3, lambda x: x, low=0, high=1)
    show(caught.value)
    # the error on a sample estimates it
    model = tl.DecisionTreeClassifier().fit({"x": [0.1, 0.2, 0.6, 0.7], "y": [*"nnyy"]}, "y")
    exact = tl.true_error(model, lambda x: "y" if x > 0.3 else "n", uniform(0, 1))
    x = np.random.default_rng(0).uniform(0, 1, 20_000)
    sample_error = np.mean(model.predict(x[:, None]) != np.where(x > 0.3, "y", "n"))
    show(f"a tree: true error {exact.value:.4f}, on 20,000 rows {sample_error:.4f}")
    assert exact == pytest.approx(0.1, abs=1e-9)  # its threshold is 0.4
    assert sample_error == pytest.approx(exact.value, abs=4 * math.sqrt(0.1 * 0.9 / 20_000))
    dice = tl.true_error(lambda x: x > 3, lambda x: x % 2 == 0, dict.fromkeys(range(1, 7), "1/6"))
    assert dice.value == Fraction(1, 3)


@row("K10", "004", "Which estimators are biased, by formula and by simulation")
def k10(show: Show) -> None:
    x = GOLDEN_INPUTS["stats.basic"]["x"]
    found = tl.estimator_bias(x, 3)
    show(found)
    samples = [np.array([a, b, c], dtype=float) for a in x for b in x for c in x]
    every = {
        "mean": [(np.mean, 0)], "median": [(np.median, 0)], "range": [(np.ptp, 0)],
        "variance": [(partial(np.var, ddof=1), np.var(x))], "variance_n": [(np.var, 0)],
        "sd": [(partial(np.std, ddof=1), np.std(x))], "sd_n": [(np.std, 0)],
    }  # fmt: skip
    for name, [(estimate, population)] in every.items():
        values = [float(estimate(sample)) for sample in samples]
        truth = float(population or estimate(np.array(x, dtype=float)))
        one = found[name]
        assert float(one.expected) == pytest.approx(np.mean(values))
        assert float(one.parameter) == pytest.approx(truth)
        assert float(one.variance) == pytest.approx(np.var(values))
        assert one.unbiased == (name in ("mean", "variance"))
    # the formulas: E[variance_n] = (n - 1)/n σ², Var[mean] = σ²/n
    sigma2 = fraction(GOLDEN["stats.basic"]["variance_N"])
    assert found["variance"].expected == sigma2
    assert found["variance_n"].expected == Fraction(2, 3) * sigma2
    assert found["mean"].variance == sigma2 / 3
    many = tl.estimator_bias(range(100), 12, draws=20_000)  # too many samples to count them all
    for name in found:
        show(f"{name}: bias {float(many[name].bias):.3f} ± {many[name].standard_error:.3f}, "
             f"unbiased: {many[name].unbiased}")  # fmt: skip
    assert {name for name in found if many[name].unbiased} == {"mean", "median", "variance"}
    assert not found["median"].unbiased  # of a symmetric population only it is unbiased
    # the error on a test set is such an estimator: unbiased for an h that is independent of it
    coin = tl.estimator_bias({0: "7/10", 1: "3/10"}, 5, ["mean"])["mean"]
    assert (coin.bias, coin.variance) == (0, Fraction(3, 10) * Fraction(7, 10) / 5)


@row("K15", "000 004", "Short experiments with what the notes say in words")
def k15(show: Show) -> None:
    rng = np.random.default_rng(0)
    # the residuals of least squares sum to 0, if there is an intercept
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, -2.0, 0.5] + 3 + rng.normal(size=50)
    sums = [
        float((y - tl.LinearRegression(fit_intercept=with_one).fit(X, y).predict(X)).sum())
        for with_one in (True, False)
    ]
    show(f"sum of the residuals: {abs(sums[0]):.9f}; without an intercept {sums[1]:.2f}")
    assert abs(sums[0]) < 1e-9 < abs(sums[1])
    # a model tree stops where its nodes have few rows or hardly any deviation
    line = {"x": np.arange(60.0), "y": np.r_[np.arange(30.0), 30 - np.arange(30.0)]}
    sizes = [tl.M5(min_samples_split=n, prune=False).fit(line, "y").get_n_leaves()
             for n in (4, 10, 30)]  # fmt: skip
    shallow = tl.M5(max_depth=1, prune=False).fit(line, "y").get_n_leaves()
    show(
        f"leaves of model trees with nodes of 4, 10, 30 rows and more: {sizes}; depth 1: {shallow}"
    )
    assert sizes[0] > sizes[1] > sizes[2] > 1
    assert shallow == 2
    # ID3 can represent every function of its attributes: all 256 of three bits are fitted
    bits = [{"a": str(i >> 2 & 1), "b": str(i >> 1 & 1), "c": str(i & 1)} for i in range(8)]
    for truth in range(256):
        classes = [str(truth >> i & 1) for i in range(8)]
        tree = tl.ID3().fit([{**row, "y": c} for row, c in zip(bits, classes, strict=True)], "y")
        assert tree.predict(bits).tolist() == classes
    show("ID3 fits all 256 Boolean functions of three attributes")
    # but it is greedy: of y = (b = c) it tests d first, which y does not depend on
    rows = [dict(zip("bcdy", cells, strict=True)) for cells in ("000t", "010f", "100f", "111t")]
    greedy = tl.ID3().fit(rows, "y")
    gains = {name: round(greedy.gains(0)[name].score, 3) for name in "bcd"}
    show(f"ID3 on y = (b = c): gains {gains}")
    assert max(gains, key=gains.__getitem__) == "d"
    assert gains["b"] == gains["c"] == 0
    # naive Bayes is right although its posterior is wrong: a column that comes twice
    both = [[a, a] for a in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)]
    side = ["n", "n", "y", "n", "y", "y"]
    once = tl.NaiveBayes().fit([row[:1] for row in both], side)
    twice = tl.NaiveBayes().fit(both, side)
    proba = [
        float(once.predict_proba([[5.0]])[0, 1]),
        float(twice.predict_proba([[5.0, 5.0]])[0, 1]),
    ]
    show(f"naive Bayes: P(y) {proba[0]:.3f} with the column once, {proba[1]:.3f} with it twice")
    assert twice.predict(both).tolist() == once.predict([row[:1] for row in both]).tolist()
    assert proba[1] > proba[0] + 0.02
    # a forest overfits less than a tree
    X = rng.uniform(-1, 1, (1200, 6))
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(0, 0.5, 1200) > 0, "a", "b")
    learners = (tl.DecisionTreeClassifier(), tl.RandomForestClassifier(50, random_state=0))
    gaps = []
    for learner in learners:
        learner.fit(X[:200], y[:200])
        accuracy = [float(np.mean(learner.predict(X[s]) == y[s]))
                    for s in (slice(200), slice(200, None))]  # fmt: skip
        gaps.append(accuracy)
        show(f"{type(learner).__name__}: accuracy {accuracy[0]:.3f} on the training rows, "
             f"{accuracy[1]:.3f} on others")  # fmt: skip
    assert gaps[1][1] > gaps[0][1] + 0.02
    # a larger sample is less often unrepresentative: shares of a class that are off by 0.1
    off = {n: float(np.mean(np.abs(rng.binomial(n, 0.3, 20_000) / n - 0.3) > 0.1))
           for n in (10, 40, 160)}  # fmt: skip
    show(f"shares of samples that are off by more than 0.1: {off}")
    assert off[10] > off[40] > off[160]


@row("K16", "000 001 002 003 004", "The notes' figures")
def k16(show: Show) -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (30, 2)), rng.normal(3, 1, (30, 2))])
    y = np.array(["a"] * 30 + ["b"] * 30)
    days = tl.ProbabilitySpace.from_table(tl.example("tennis"))
    line = {"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 2.0, 4.0, 4.0]}
    one = {"x": X[:, 0], "y": y}
    classifiers = {
        "naive Bayes": tl.NaiveBayes(), "LDA": tl.LinearDiscriminantAnalysis(),
        "QDA": tl.QuadraticDiscriminantAnalysis(), "logistic": tl.LogisticRegression(),
        "perceptron": tl.Perceptron(), "5-NN": tl.KNeighborsClassifier(5),
        "centroids": tl.NearestCentroid(), "tree": tl.DecisionTreeClassifier(),
        "forest": tl.RandomForestClassifier(10, random_state=0),
    }  # fmt: skip
    concept = {"Sky": ["Sunny", "Sunny", "Rainy"], "Wind": ["Strong", "Weak", "Strong"],
               "y": ["yes", "yes", "no"]}  # fmt: skip
    gaussian = tl.NaiveBayes().fit(one, "y")
    figures = {
        "version space": tl.VersionSpace.conjunctions().fit(concept, "y").plot(),
        "sigmoid": tl.plot_sigmoid([-2, 0, 2]),
        "densities": tl.plot_class_densities(gaussian, one, show="density"),
        "posterior": tl.plot_class_densities(gaussian, one, show="posterior"),
        "fitted line": tl.plot_regression(tl.LinearRegression().fit(line, "y"), line),
        "polynomial": tl.plot_regression(tl.LinearRegression(degree=2).fit(line, "y"), line),
        "descent path": tl.plot_descent(tl.LMS(0.02, scaling="sum").fit(line, "y"), line),
        "folds": tl.plot_folds(tl.Folds.k(5), 14, tl.example("tennis").target),
        "three parts": tl.plot_folds(tl.Folds.three(), 30),
        "areas": tl.plot_event_areas(days, days["PlayTennis"] == "Yes", "Outlook"),
        "tree": tl.ID3().fit(tl.example("tennis"), "PlayTennis").plot(),
    }  # fmt: skip
    for name, learner in classifiers.items():
        figures[f"regions, {name}"] = tl.plot_decision_regions(learner.fit(X, y), X, y)
    for name, plot in figures.items():
        show(f"{name}: {plot.title}")
        assert plot.svg.startswith("<svg")
        assert plot.data
    # what they show is what the calculation gives
    shares = figures["areas"].data["parts"]
    assert sum(part["P(event, part)"] for part in shares) == pytest.approx(9 / 14)
    tested = [row for split in figures["folds"].data["splits"] for row in split["test"]]
    assert sorted(tested) == [*range(14)]
    assert figures["sigmoid"].data["points"][1] == [0.0, 0.5]
    for name in classifiers:
        wrong = figures[f"regions, {name}"].data["misclassified"]
        assert wrong == int((classifiers[name].predict(X) != y).sum())


CHAPTERS = {
    "A": "The problem of learning, and concepts",
    "B": "Evaluation",
    "C": "Trees and forests",
    "D": "Probability",
    "E": "Bayesian reasoning over hypotheses",
    "F": "Naive Bayes and Gaussian classes",
    "G": "Linear models",
    "H": "Neighbours, distances, centroids",
    "I": "Describing and preparing a table",
    "J": "Clusters, rewards, several learners",
    "K": "Found at the second reading",
}


def head() -> str:
    """What the page is, how its code is read, and its chapters, each linked by its first entry."""
    lines = [f"- [{letter}. {title}](#{letter.lower()}1)" for letter, title in CHAPTERS.items()]
    return (
        "# Catalogue\n\nWhat the notes teach and the library holds. Each entry is a test of "
        "`tests/test_catalogue.py`, followed by what it prints. Each entry runs as it is printed: "
        "paste it into a notebook or a file. It starts with its imports and its data; `GOLDEN` has "
        "the numbers of the notes, recomputed. Some entries need pandas, scikit-learn or "
        "pytest.\n\n" + "\n".join(lines)
    )


def definitions() -> dict[str, ast.stmt]:
    """What this module defines at its top level, by name."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(Path(__file__).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {one.asname or one.name: node for one in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            places = [place for target in targets for place in ast.walk(target)]
            found |= {place.id: node for place in places if isinstance(place, ast.Name)}
    return found


DEFINITIONS = definitions()


def free_names(node: ast.AST) -> set[str]:
    """The names of this module that a definition needs, those of its annotations included."""
    code = compile(ast.unparse(node), "definition", "exec", dont_inherit=True)
    found = set()
    parts = [code]
    for part in parts:
        parts += [const for const in part.co_consts if hasattr(const, "co_names")]
        found |= {
            one.argval
            for one in dis.get_instructions(part)
            if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")
        }
    return found & {*DEFINITIONS}


def needed_names(node: ast.AST) -> set[str]:
    """The names of this module that a definition needs, directly or through others."""
    found: set[str] = set()
    left = free_names(node)
    while left:
        found |= left
        needs = [free_names(DEFINITIONS[name]) for name in left if name not in NUMBERS_OF_NOTES]
        left = set().union(*needs) - found
    return found


NUMBERS_OF_NOTES = ("GOLDEN", "GOLDEN_INPUTS")  # an entry shows those that it uses


def golden_ids(nodes: Sequence[ast.AST], table: str) -> set[str]:
    """The entries of golden.json that some definitions look up in one of the two tables."""
    parts = [part for node in nodes for part in ast.walk(node)]
    found: set[str] = set()
    for part in parts:
        if not (isinstance(part, ast.Subscript) and ast.unparse(part.value) == table):
            continue
        if isinstance(part.slice, ast.Constant):
            found.add(part.slice.value)
        elif isinstance(part.slice, ast.JoinedStr):
            texts = [p.value if isinstance(p, ast.Constant) else None for p in part.slice.values]
            pattern = "".join(r"[^.]+" if text is None else re.escape(text) for text in texts)
            found |= {name for name in GOLDEN if re.fullmatch(pattern, name)}
        else:  # a variable: its values stand near
            texts = [one.value for one in parts if isinstance(one, ast.Constant)]
            found |= {*GOLDEN} & {text for text in texts if isinstance(text, str)}
    return found


def import_lines(names: set[str]) -> list[str]:
    """The imports that a set of names needs, in the order of this module."""
    nodes = {id(DEFINITIONS[name]): DEFINITIONS[name] for name in names}.values()
    lines = []
    for node in sorted(nodes, key=lambda one: one.lineno):
        if isinstance(node, ast.Import | ast.ImportFrom):
            some = [one for one in node.names if (one.asname or one.name) in names]
            whole = isinstance(node, ast.Import)
            one = ast.Import(some) if whole else ast.ImportFrom(node.module, some, 0)
            lines.append(ast.unparse(one))
    return lines


def numbers_of_notes(table: str, nodes: Sequence[ast.AST]) -> str:
    """The entries of golden.json that some definitions look up, as a dict."""
    values = {"GOLDEN": GOLDEN, "GOLDEN_INPUTS": GOLDEN_INPUTS}[table]
    lines = []
    for key in values:
        if key in golden_ids(nodes, table):
            start = f'    "{key}": '
            text = pprint.pformat(values[key], width=99 - len(start), sort_dicts=False)
            double = text.replace("'", '"')  # as everywhere on the page, where it means the same
            text = double if "'" in text and '"' not in text else text
            lines.append(start + text.replace("\n", "\n" + " " * len(start)) + ",\n")
    return f"{table} = {{\n{''.join(lines)}}}"


def snippet(name: str) -> str:
    """A row as a program that runs by itself: imports, numbers of the notes, data, and the code."""
    function = ROWS[name][2]
    node = DEFINITIONS[function.__name__]
    assert isinstance(node, ast.FunctionDef)
    body = ast.Module(node.body, [])
    names = needed_names(body)
    blocks = ["\n".join(import_lines(names))]
    own = sorted(
        {
            id(DEFINITIONS[n]): DEFINITIONS[n]
            for n in names - {*NUMBERS_OF_NOTES}
            if not isinstance(DEFINITIONS[n], ast.Import | ast.ImportFrom)
        }.values(),
        key=lambda one: one.lineno,
    )
    blocks += [
        numbers_of_notes(table, [body, *own]) for table in NUMBERS_OF_NOTES if table in names
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    blocks += ["\n".join(lines[first_line(one) - 1 : one.end_lineno]) for one in own]
    code = inspect.getsource(function).split("-> None:\n", 1)[1]
    blocks.append(re.sub(r"(?<![.\w])show\(", "print(", textwrap.dedent(code).strip()))
    return "\n\n".join(block for block in blocks if block)


def first_line(node: ast.stmt) -> int:
    """The line of a definition, or of its first decorator."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def run(code: str) -> str:
    """What a program prints, in a namespace of its own."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        program = compile(code, "docs/catalogue.md", "exec", dont_inherit=True)
        exec(program, {"__name__": "__main__"})
    return printed.getvalue()


def entry(name: str) -> str:
    """A row as Markdown: id, notes, program, output; its assertions are made on the way."""
    notes, title, _ = ROWS[name]
    code = snippet(name)
    return (
        f'<a id="{name.lower()}"></a>\n\n## {name} {title}\n\nNotes {", ".join(notes.split())}.\n\n'
        f"```python\n{code}\n```\n\n```text\n{run(code).rstrip()}\n```"
    )


def _order(name: str) -> tuple[str, int]:
    return name[0], int(name[1:])


def entries(text: str) -> dict[str, str]:
    """The entries of the page, each up to the next heading."""
    parts = re.split(r'\n\n(?=<a id="[a-z]\d+"></a>\n\n## )', text.removesuffix("\n"))
    return {"": parts[0]} | {part.split()[3]: part for part in parts[1:]}


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    """A row holds; the page shows it as it runs, in a namespace of its own, and what it prints."""
    there = entries(PAGE.read_text(encoding="utf-8"))
    assert entry(name) == there.get(name), "run: python -m tests.test_catalogue"


def test_every_golden_number_is_in_a_row() -> None:
    found: set[str] = set()
    for _, _, function in ROWS.values():
        node = DEFINITIONS[function.__name__]
        assert isinstance(node, ast.FunctionDef)
        names = needed_names(ast.Module(node.body, [])) - {*NUMBERS_OF_NOTES}
        nodes = [node, *(DEFINITIONS[name] for name in names)]
        found = found.union(*(golden_ids(nodes, table) for table in NUMBERS_OF_NOTES))
    assert sorted({*GOLDEN} - found) == []


def test_the_page_has_the_rows_and_nothing_else() -> None:
    there = entries(PAGE.read_text(encoding="utf-8"))
    assert [*there] == ["", *sorted(ROWS, key=_order)]
    assert there[""] == head()


if __name__ == "__main__":  # python -m tests.test_catalogue [ID ...]
    there = entries(PAGE.read_text(encoding="utf-8")) if sys.argv[1:] else {}
    kept = {*there} - {*sys.argv[1:]}
    rows = sorted(ROWS, key=_order)
    found = [head(), *(there[name] if name in kept else entry(name) for name in rows)]
    PAGE.write_text("\n\n".join(found) + "\n", encoding="utf-8")
