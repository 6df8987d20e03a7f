"""Error = bias² + variance + noise: exactly where samples can be counted, and as an estimate."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tallylearn as tl
from tallylearn.errors import InputError, OptionError, TallyError
from tallylearn.folds import Folds
from tests.printed_text import unwrapped

LINE = {0: "1/2", 1: "1/4", 3: "1/4"}


def line() -> tl.Population:
    """y = 4x, give or take one."""
    return tl.Population(LINE, target=lambda x: {4 * x - 1: "1/2", 4 * x + 1: "1/2"})


def oracle(learner: Any, population: tl.Population, n: int, number: Any) -> tuple[Fraction, ...]:
    """Error, bias², variance and noise over all sequences of rows, row by row."""
    cells = [(population.rows[c.row], c.outcome, c.p) for c in population.cells]
    said: list[tuple[Fraction, dict[Any, Fraction]]] = []
    for drawn in product(cells, repeat=n):
        model = learner().fit(np.array([[x] for x, _, _ in drawn]), [y for _, y, _ in drawn])
        predictions = number(model, np.array([[x] for x in population.rows]))
        told = {x: Fraction(float(a)) for x, a in zip(population.rows, predictions, strict=True)}
        said.append((prod((p for _, _, p in drawn), start=Fraction(1)), told))
    parts = [Fraction(0)] * 4
    for x in population.rows:
        here = [(y, p) for at, y, p in cells if at == x]
        chance = sum(p for _, p in here)
        f = sum(y * p for y, p in here) / chance
        mean = sum(p * told[x] for p, told in said)
        parts[0] += sum(q * p * (y - told[x]) ** 2 for p, told in said for y, q in here)
        parts[1] += chance * (f - mean) ** 2
        parts[2] += chance * sum(p * (told[x] - mean) ** 2 for p, told in said)
        parts[3] += sum(p * (y - f) ** 2 for y, p in here)
    return tuple(parts)


@pytest.mark.parametrize("learner", [tl.DummyRegressor, DecisionTreeRegressor])
@pytest.mark.parametrize("n", [1, 2])
def test_the_parts_are_those_of_all_sequences_and_add_up_exactly(learner: Any, n: int) -> None:
    found = tl.bias_variance(learner(), line(), n=n)
    expected = oracle(learner, line(), n, lambda model, X: model.predict(X))
    assert (found.error, found.bias2, found.variance, found.noise) == expected
    assert all(isinstance(part, Fraction) for part in expected)
    assert found.error == found[0].total
    assert found.noise == 1


def test_a_classifier_goes_by_the_probability_of_the_positive_class() -> None:
    population = tl.Population({"u": "1/2", "v": "1/2"}, target={
        "u": {0: "1/4", 1: "3/4"}, "v": {0: "2/3", 1: "1/3"},
    })  # fmt: skip

    def positive(model: Any, X: Any) -> Any:
        return (
            model.predict_proba(X)[:, list(model.classes_).index(1)]
            if 1 in model.classes_
            else [0, 0]
        )

    for n in (1, 3):
        found = tl.bias_variance(tl.NaiveBayes(), population, n=n)
        parts = (found.error, found.bias2, found.variance, found.noise)
        assert parts == oracle(tl.NaiveBayes, population, n, positive)
    assert found.noise == Fraction(1, 2) * (Fraction(3, 16) + Fraction(2, 9))
    flipped = tl.bias_variance(tl.NaiveBayes(), population, n=3, positive=0)
    assert float(flipped.error) == pytest.approx(float(found.error), rel=1e-12)


@given(
    st.lists(st.integers(-8, 8), min_size=2, max_size=4, unique=True),
    st.lists(st.integers(1, 5), min_size=4, max_size=4),
    st.sampled_from([1, 2, 4]),
)
def test_the_mean_has_no_bias_and_variance_sigma_squared_over_n(
    values: list[int], parts: list[int], n: int
) -> None:
    """In powers of two the mean is not rounded, and the closed form holds as a fraction."""
    whole = sum(parts[: len(values)])
    chances = {y: Fraction(part, whole) for y, part in zip(values, parts, strict=False)}
    mean = sum(y * p for y, p in chances.items())
    sigma2 = sum(p * (y - mean) ** 2 for y, p in chances.items())
    population = tl.Population({"x": 1}, target={"x": chances})
    found = tl.bias_variance(tl.DummyRegressor(), population, n=n)
    assert found.bias2 == 0
    assert found.variance == sigma2 / n
    assert found.noise == sigma2
    assert found.error == sigma2 * (1 + Fraction(1, n))


def test_a_constant_answer_has_bias_alone() -> None:
    found = tl.bias_variance(tl.DummyRegressor(strategy="constant", constant=2.0), line(), n=2)
    assert found.variance == 0
    assert found.bias2 == sum(Fraction(p) * (4 * x - 2) ** 2 for x, p in LINE.items())
    assert "high bias" in found.verdict


def test_simulation_adds_up_and_comes_near_what_is_exact() -> None:
    fine = tl.Population({x: Fraction(1, 50) for x in range(50)}, target=lambda x: {
        x % 5 - 1: "1/2", x % 5 + 1: "1/2",
    })  # fmt: skip
    found = tl.bias_variance(tl.DummyRegressor(), fine, n=10, draws=500, seed=1)
    assert isinstance(found.error, float)
    assert found[0].total == pytest.approx(found.error, rel=1e-12)
    assert found.noise == pytest.approx(1, rel=1e-12)
    assert found.bias2 == pytest.approx(2, rel=0.01)  # the variance of 0 ... 4
    assert found.variance == pytest.approx(3 / 10, rel=4 * (2 / 500) ** 0.5)


def test_over_samples_drawn_the_parts_are_unbiased() -> None:
    """Two draws a time: taken over D, half of the variance would go to bias²."""
    fair = tl.Population({x: Fraction(1, 40) for x in range(40)}, target=lambda x: {
        -1: "1/2", 1: "1/2",
    })  # fmt: skip
    runs = [tl.bias_variance(tl.DummyRegressor(), fair, n=4, draws=2, seed=s) for s in range(100)]
    variance, bias2 = (np.array([getattr(r, name) for r in runs]) for name in ("variance", "bias2"))
    assert abs(variance.mean() - 1 / 4) < 4 * variance.std() / 10
    assert abs(bias2.mean()) < 4 * bias2.std() / 10


def bootstrapped(learner: Any, X: Any, y: Any, draws: int, seed: int) -> tuple[float, ...]:
    """Error, bias² + noise and variance, row by row."""
    told: dict[int, list[float]] = {}
    for split in Folds.bootstrap(draws, seed=seed).splits(len(y)):
        predictions = learner.fit(X[split.train], y[split.train]).predict(X[split.test])
        for row, said in zip(split.test, predictions, strict=True):
            told.setdefault(int(row), []).append(float(said))
    error = bias2 = variance = 0.0
    for row, said in told.items():
        spread = float(np.var(said, ddof=1))
        error += float(np.mean((y[row] - np.array(said)) ** 2)) / len(y)
        bias2 += ((y[row] - np.mean(said)) ** 2 - spread / len(said)) / len(y)
        variance += spread / len(y)
    return error, bias2, variance


@pytest.mark.parametrize("learner", [tl.DummyRegressor(), DecisionTreeRegressor(random_state=0)])
def test_from_a_table_the_rows_that_were_not_drawn_are_answered(learner: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + rng.normal(size=40)
    found = tl.bias_variance(learner, X, y, draws=60, seed=3)
    expected = bootstrapped(learner, X, y, 60, 3)
    assert np.allclose([found.error, found.bias2, found.variance], expected, rtol=1e-10)
    assert found.noise is None
    assert found[0].total == pytest.approx(found.error, rel=1e-12)
    assert "noise cannot be separated from bias" in unwrapped(found)


def test_classifiers_of_a_table_with_and_without_probabilities() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    ours, theirs, plain = tl.bias_variance(
        [tl.NaiveBayes(var_smoothing_by="table"), GaussianNB(), LinearSVC()], X, y, draws=40
    )
    assert ours.error == pytest.approx(theirs.error, rel=1e-9)
    assert ours.variance == pytest.approx(theirs.variance, rel=1e-9)
    hard = bootstrapped(Numbered(LinearSVC()), X, y == "yes", 40, 0)
    assert np.allclose([plain.error, plain.bias2, plain.variance], hard, rtol=1e-10)


class Numbered:
    """Predictions of a classifier as 0 and 1."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> Numbered:
        self.inner.fit(X, np.where(y, "yes", "no"))
        return self

    def predict(self, X: Any) -> Any:
        return self.inner.predict(X) == "yes"


def test_a_simple_learner_has_high_bias_and_a_complex_one_high_variance() -> None:
    curved = tl.Population(
        {Fraction(x, 5): Fraction(1, 11) for x in range(-5, 6)},
        target=lambda x: {x**2 * 4 - 1: "1/2", x**2 * 4 + 1: "1/2"},
    )
    learners = [
        tl.DummyRegressor(),
        make_pipeline(PolynomialFeatures(2), LinearRegression()),
        DecisionTreeRegressor(random_state=0),
    ]
    simple, right, wild = tl.bias_variance(learners, curved, n=30, draws=200)
    assert simple.bias2 > simple.variance
    assert wild.variance > wild.bias2
    assert simple.variance < right.variance < wild.variance
    assert right.error == min(part.error for part in (simple, right, wild))
    two = tl.bias_variance([learners[0], learners[2]], curved, n=30, draws=60)
    assert "DummyRegressor(): high bias" in two.verdict
    assert "DecisionTreeRegressor(random_state=0): high variance" in two.verdict
    assert "bias² falls by" in two.verdict
    assert "DummyRegressor() to" in two.verdict


def test_more_of_both_is_said_to_gain_nothing() -> None:
    level = tl.Population(dict.fromkeys(range(4), "1/4"), target=lambda x: {-1: "1/2", 1: "1/2"})
    learners = [tl.DummyRegressor(), DecisionTreeRegressor(random_state=0)]
    found = tl.bias_variance(learners, level, n=3)
    assert "neither less bias² nor less variance than DummyRegressor()" in found.verdict
    sure = tl.bias_variance(tl.DummyRegressor(), tl.Population({"x": 1}, target=[7]), n=3)
    assert sure.verdict == "DummyRegressor(): neither bias nor variance."


def test_a_decomposition_reads_in_every_form() -> None:
    found = tl.bias_variance([tl.DummyRegressor(), DecisionTreeRegressor()], line(), n=2)
    records = json.loads(found.to_json())["records"]
    assert [row["bias2"] for row in records] == [float(part.bias2) for part in found]
    assert found.to_frame()["noise"].tolist() == [1.0, 1.0]
    assert "<svg" in found.to_html()
    assert "all 21 samples" in str(found)
    with pytest.raises(OptionError, match=r"several learners: .*found\[0\]"):
        _ = found.variance


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tl.bias_variance(tl.DummyRegressor(), line()), "bias_variance: .* needs n"),
        (lambda: tl.bias_variance(tl.DummyRegressor(), line(), [1, 2], n=2), "leave y out"),
        (lambda: tl.bias_variance(tl.DummyRegressor(), line(), n=0), "n is 0"),
        (lambda: tl.bias_variance(tl.DummyRegressor(), line(), n=2, draws=1), "draws is 1"),
        (lambda: tl.bias_variance(tl.DummyRegressor(), [[1.0]] * 9, range(9), n=3), "Leave n out"),
        (
            lambda: tl.bias_variance(tl.DummyRegressor(), [[1.0]] * 9, range(9), draws=2),
            "Increase draws",
        ),
        (
            lambda: tl.bias_variance(LinearRegression(), [[1.0]] * 9, [[1, 2]] * 9),
            "one column",
        ),
        (lambda: tl.bias_variance([], line(), n=2), "only classifiers"),
        (
            lambda: tl.bias_variance([tl.DummyRegressor(), tl.NaiveBayes()], line(), n=2),
            "only classifiers",
        ),
        (lambda: tl.bias_variance(tl.DummyClassifier(), line(), n=2), "positive="),
        (lambda: tl.bias_variance(str, line(), n=2), "neither a classifier"),
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(TallyError, match=message):
        call()


def test_words_are_no_numbers() -> None:
    words = tl.Population({0: 1}, target=["yes"])
    with pytest.raises(InputError, match="'yes', but the learner predicts numbers"):
        tl.bias_variance(tl.DummyRegressor(), words, n=2)
    found = tl.bias_variance(DecisionTreeClassifier(), words, n=2, positive="yes")
    assert found.error == 0


def test_a_classifier_without_probabilities_is_said_to_be_taken_by_its_answers() -> None:
    draw = np.random.default_rng(0)
    X, y = draw.normal(size=(60, 2)), draw.choice(["p", "q"], 60)
    alone = tl.bias_variance(SVC(), X, y, draws=20)
    assert alone.loss == (
        "squared error of the predictions ('q' is 1, any other 0): there are no probabilities"
    )
    both = tl.bias_variance([SVC(), tl.NaiveBayes()], X, y, draws=20)
    assert both.loss == "squared error of the probability of 'q' (SVC(): predictions as 1 or 0)"
    told = tl.bias_variance(tl.NaiveBayes(), X, y, draws=20)
    assert told.loss == "squared error of the probability of 'q'"
