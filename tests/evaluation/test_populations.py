"""Under a known distribution everything can be counted: by a slow oracle, in fractions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallylearn as tl
from tallylearn.errors import InputError, KindError, OptionError, TallyError
from tests.soak import SOAK

NOISY = {"u": {"+": "3/4", "-": "1/4"}, "v": {"+": "1/3", "-": "2/3"}, "w": "-"}
CHANCES = {"u": "1/2", "v": "1/3", "w": "1/6"}


def noisy() -> tl.Population:
    return tl.Population(CHANCES, target=NOISY)


def cells(population: tl.Population) -> list[tuple[Any, Any, Fraction]]:
    return [(population.rows[c.row], c.outcome, c.p) for c in population.cells]


def sequences(population: tl.Population, n: int) -> Any:
    """Every sequence of n rows with its probability: the slow way."""
    for drawn in product(cells(population), repeat=n):
        yield [(x, y) for x, y, _ in drawn], prod((p for _, _, p in drawn), start=Fraction(1))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(0, 2**12))
def test_the_true_error_is_the_probability_of_rows_where_h_errs(
    parts: list[int], bits: int
) -> None:
    whole = sum(parts)
    chances = {x: Fraction(part, whole) for x, part in enumerate(parts)}
    f, h = (lambda x: bool(bits >> x & 1)), (lambda x: bool(bits >> (x + 6) & 1))
    expected = sum((p for x, p in chances.items() if f(x) != h(x)), start=Fraction(0))
    population = tl.Population(chances, target=f)
    assert population.error(h) == expected
    assert population.error({x: h(x) for x in chances}) == expected
    assert population.error(f) == 0


def test_with_noise_even_the_best_hypothesis_errs() -> None:
    best = {"u": "+", "v": "-", "w": "-"}
    assert noisy().error(best) == Fraction(1, 2) * Fraction(1, 4) + Fraction(1, 3) * Fraction(1, 3)
    worst = {x: "-" if y == "+" else "+" for x, y in best.items()}
    assert noisy().error(worst) == 1 - noisy().error(best)


def test_a_fitted_model_is_asked_about_the_rows() -> None:
    population = tl.Population(
        [(0.0, 1.0), (1.0, 0.0), (5.0, 5.0)], ["1/2", "1/4", "1/4"], list("aab")
    )
    X, y = np.array([[0.0, 0.0], [9.0, 9.0]]), ["a", "b"]
    for learner in (tl.NearestCentroid(), DecisionTreeClassifier()):
        model = learner.fit(X, y)
        said = model.predict(np.array(population.rows))
        wrong = [p for p, a, b in zip(population.p, said, "aab", strict=True) if a != b]
        assert population.error(model) == sum(wrong, start=Fraction(0))


def test_rows_of_dicts_and_frames_are_matched_by_name() -> None:
    rows = [{"size": 1.0, "hue": "red"}, {"size": 2.0, "hue": "blue"}]
    made = [
        tl.Population(source, [0.25, 0.75], ["n", "y"])
        for source in (rows, pd.DataFrame(rows), pl.DataFrame(rows))
    ]
    model = tl.DummyClassifier().fit(pd.DataFrame(rows), ["n", "n"])
    assert [population.error(model) for population in made] == [0.75] * 3
    X, y = made[0].sample(40, seed=1)
    assert {(row["hue"], label) for row, label in zip(X, y, strict=True)} == {
        ("red", "n"), ("blue", "y"),
    }  # fmt: skip
    learned = tl.NaiveBayes().fit([{"hue": row["hue"]} for row in X], y)
    narrow = tl.Population([{"hue": "red"}, {"hue": "blue"}], [0.25, 0.75], ["n", "y"])
    assert narrow.error(learned) == 0


def test_a_sample_has_the_shares_of_the_population() -> None:
    X, y = noisy().sample(20_000, seed=3)
    for x, outcome, p in cells(noisy()):
        share = float(np.mean((X[:, 0] == x) & (y == outcome)))
        assert abs(share - float(p)) < 5 * (float(p * (1 - p)) / 20_000) ** 0.5
    again, _ = noisy().sample(20_000, seed=3)
    assert (again == X).all()
    other, _ = noisy().sample(20_000, seed=4)
    assert not (other == X).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_error_on_an_independent_sample_is_right_on_average(n: int) -> None:
    """Expectation, variance and distribution against all sequences of rows."""
    h = {"u": "+", "v": "+", "w": "-"}
    found = noisy().estimates(h, n)
    oracle: dict[Fraction, Fraction] = {}
    for drawn, p in sequences(noisy(), n):
        share = Fraction(sum(h[x] != y for x, y in drawn), n)
        oracle[share] = oracle.get(share, Fraction(0)) + p
    mean = sum((s * p for s, p in oracle.items()), start=Fraction(0))
    variance = sum(((s - mean) ** 2 * p for s, p in oracle.items()), start=Fraction(0))
    assert found.distribution == oracle
    assert (found.expectation, found.variance) == (mean, variance)
    assert found.error == noisy().error(h)
    assert found.bias == 0


def test_the_distribution_of_many_rows_does_not_overflow() -> None:
    floats = tl.Population({"a": 0.5, "b": 0.5}, target={"a": "+", "b": "-"})
    found = floats.estimates(lambda x: "+", 1100, draws=2)
    assert sum(found.distribution.values()) == pytest.approx(1, rel=1e-12)
    assert found.distribution[Fraction(1, 2)] == pytest.approx((np.pi * 550) ** -0.5, rel=1e-3)
    assert found.plots() == {}
    assert [*floats.estimates(lambda x: "+", 10).plots()] == ["distribution"]


def test_the_variance_falls_with_the_size_of_the_sample() -> None:
    h = {"u": "+", "v": "+", "w": "-"}
    variances = [noisy().estimates(h, n, draws=2).variance for n in (1, 2, 4, 8)]
    assert [variances[0] / v for v in variances] == [1, 2, 4, 8]


def test_simulation_agrees_with_what_is_exact() -> None:
    found = noisy().estimates({"u": "+", "v": "+", "w": "-"}, 25, draws=4000, seed=2)
    seen, exact = np.array(found.simulated), float(found.variance)
    assert abs(seen.mean() - float(found.error)) < 4 * (exact / 4000) ** 0.5
    assert seen.var(ddof=1) == pytest.approx(exact, rel=0.1)  # four standard errors: sqrt(2 / 4000)


@pytest.mark.parametrize("learner", [tl.DummyClassifier(), tl.NaiveBayes()])
@pytest.mark.parametrize("n", [1, 2, 3] if SOAK else [1, 2])
def test_the_bias_of_resubstitution_is_that_of_all_sequences(learner: Any, n: int) -> None:
    seen = true = Fraction(0)
    for drawn, p in sequences(noisy(), n):
        X, y = np.array([[x] for x, _ in drawn]), [y for _, y in drawn]
        model = type(learner)().fit(X, y)
        h = dict(zip("uvw", model.predict(np.array([["u"], ["v"], ["w"]])), strict=True))
        seen += p * Fraction(sum(h[x] != y for x, y in drawn), n)
        true += p * sum((q for x, y, q in cells(noisy()) if h[x] != y), start=Fraction(0))
    found = noisy().bias(learner, n)
    assert found.exact
    assert (found.expectation, found.error, found.bias) == (seen, true, seen - true)
    assert found.bias < 0
    assert found.interval is None


def test_one_row_always_speaks_for_what_it_taught() -> None:
    coin = tl.Population({"toss": 1}, target=lambda x: {"heads": "1/2", "tails": "1/2"})
    found = coin.bias(tl.DummyClassifier(), 1)
    assert (found.expectation, found.error, found.bias) == (0, Fraction(1, 2), Fraction(-1, 2))


def test_a_simulated_bias_has_an_interval_that_holds_the_exact_one() -> None:
    exact = noisy().bias(tl.DummyClassifier(), 4)
    whole = noisy().drawings(4)
    assert exact.exact
    assert sum(whole.weights) == 1
    big = tl.Population(
        {(x, k): Fraction(p) / 8 for x, p in CHANCES.items() for k in range(8)},
        target=lambda row: NOISY[row[0]],
    )  # the same outcomes for a learner that ignores the row, in too many cells to count
    found = big.bias(tl.DummyClassifier(), 4, draws=400 if SOAK else 150)
    assert not found.exact
    assert found.interval is not None
    assert float(exact.bias) in found.interval


def test_results_read_in_every_form() -> None:
    fixed = noisy().estimates({"u": "+", "v": "+", "w": "-"}, 8)
    learned = noisy().bias(tl.DummyClassifier(), 2)
    for found in (fixed, learned):
        assert json.loads(found.to_json())["records"][0]["bias"] == float(found.bias)
        assert found.to_frame()["error"][0] == float(found.error)
        assert "bias" in found.to_html()
    assert "<svg" in fixed.to_html()
    assert "all 15 samples" in str(learned)


@pytest.mark.parametrize(
    ("chances", "message"),
    [
        ({"a": "1/2", "b": "1/3"}, "sum to 5/6, not to 1"),
        ({"a": 0.5, "b": 0.6}, "sum to 1.1, not to 1"),
        ({"a": "3/2", "b": "-1/2"}, "row 'a' has the probability '3/2'"),
        ({"a": float("nan"), "b": 1}, "row 'a' has the probability nan"),
        ({"a": "half", "b": "1/2"}, "row 'a' has the probability 'half'"),
        ({"a": "1/0", "b": 1}, "row 'a' has the probability '1/0'"),
        ({"a": None, "b": 1}, "row 'a' has the probability None"),
        ({"a": True, "b": 0}, "row 'a' has the probability True"),
        ({"a": "0.333333333333", "b": "0.666666666666"}, "sum to 999999999999/1000000000000"),
        ({}, "0 rows and 0 probabilities"),
    ],
)
def test_a_distribution_sums_to_one(chances: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        tl.Population(chances, target=str)


def test_floats_may_miss_one_by_rounding_and_stay_floats() -> None:
    population = tl.Population(dict.fromkeys(range(10), 0.1), target=lambda x: x > 4)
    assert not population.exact
    assert population.error(lambda x: True) == pytest.approx(0.5, rel=1e-15)
    mixed = tl.Population({0: "1/2", 1: 0.5}, target=lambda x: x > 0)
    assert not mixed.exact


def test_a_row_of_probability_zero_is_never_drawn() -> None:
    population = tl.Population({"a": 1, "b": 0}, target={"a": "+", "b": "-"})
    assert population.error(lambda x: "+") == 0
    assert population.bias(tl.DummyClassifier(), 2).error == 0
    assert {*population.sample(50)[1]} == {"+"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tl.Population({"a": 1}, [1], target=str), "has probabilities already"),
        (lambda: tl.Population(["a", "b"], [1], target=str), "2 rows and 1 probabilities"),
        (lambda: tl.Population({"a": 1}), "target is None"),
        (lambda: tl.Population({"a": 1}, target=["x", "y"]), "one outcome per row"),
        (lambda: tl.Population({"a": 1}, target={"b": 1}), "has no value for the row 'a'"),
        (lambda: tl.Population({"a": 1}, target={"a": {"+": "1/2"}}), "row 'a': .*sum to 1/2"),
        (lambda: tl.Population({"a": "1/2", "b": "1/2"}, target=["x", 1]), "mixes types"),
        (lambda: noisy().error("+"), "function of a row"),
        (lambda: noisy().error({"u": "+"}), "h has no value for the row 'v'"),
        (lambda: noisy().sample(0), "n is 0"),
        (lambda: noisy().estimates(NOISY, 1.5), "n is 1.5"),
        (lambda: noisy().bias(tl.DummyClassifier(), 0), "n is 0"),
        (lambda: noisy().bias(str, 2), "neither a classifier"),
        (lambda: noisy().bias(GaussianNB(), 2), "GaussianNB failed on the sample .*'u'"),
        (
            lambda: tl.Population({(1, 2): "1/2", 3: "1/2"}, target=str).sample(2),
            "different lengths",
        ),
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(TallyError, match=message) as caught:
        call()
    assert isinstance(caught.value, InputError | OptionError | KindError)
