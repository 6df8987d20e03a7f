"""Naive Bayes: estimates by hand, values and columns that a class never showed, drawn rows."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import tallylearn as tl
from tallylearn import errors
from tallylearn.estimators.fit_input import read_fit_input
from tests.conftest import DATA
from tests.printed_text import unwrapped

FRAME = pd.DataFrame({
    "sky": ["sun", "sun", "rain", "rain", "fog", None],
    "wind": ["low", "low", "low", "high", "high", "high"],
    "y": ["no", "no", "yes", "yes", "yes", "yes"],
})  # fmt: skip


def odds(model: Any, **row: Any) -> float:
    """P(yes | row) / P(no | row)."""
    no, yes = model.predict_proba({"sky": None, "wind": None} | row)[0]
    return float(yes / no)


def test_the_m_estimate_shares_m_out_among_the_values() -> None:
    model = tl.NaiveBayes(m=6).fit(FRAME, "y")
    assert odds(model, sky="sun") == pytest.approx((4 / 6) / (2 / 6) * (2 / 9) / (4 / 8))
    assert odds(model, wind="high") == pytest.approx((4 / 6) / (2 / 6) * (6 / 10) / (3 / 8))
    given = {"sky": {"sun": 0.5, "rain": 0.25, "fog": 0.25}, "wind": {"low": 0.9, "high": 0.1}}
    model = tl.NaiveBayes(m=10, p=given).fit(FRAME, "y")
    assert odds(model, sky="fog") == pytest.approx(2 * (3.5 / 13) / (2.5 / 12))
    assert odds(model, wind="low") == pytest.approx(2 * (10 / 14) / (11 / 12))


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0},
        {"m": 2, "p": {"sky": dict.fromkeys(("sun", "rain", "fog"), 1 / 3),
                       "wind": {"low": 0.5, "high": 0.5}}},
    ],
)  # fmt: skip
def test_a_value_that_nothing_is_added_to_says_nothing_where_it_was_never_seen(
    options: dict[str, Any],
) -> None:
    model = tl.NaiveBayes(**options).fit(FRAME, "y")
    assert odds(model, sky="hail", wind="low") == odds(model, wind="low")
    assert odds(model, sky="hail") == 2.0


def test_a_value_never_seen_has_the_share_of_an_added_one() -> None:
    model = tl.NaiveBayes(alpha=2).fit(FRAME, "y")
    assert odds(model, sky="hail") == pytest.approx(2 * (2 / 9) / (2 / 8))


def test_a_class_that_never_shows_a_column_takes_the_shares_of_all_rows() -> None:
    frame = FRAME.assign(sky=[None, None, "rain", "rain", "fog", "rain"])
    model = tl.NaiveBayes(alpha=0).fit(frame, "y")
    assert odds(model, sky="rain") == pytest.approx(2.0)  # 3/4 in both classes
    assert odds(model, sky="fog") == pytest.approx(2.0)
    assert odds(tl.NaiveBayes().fit(frame, "y"), sky="rain") == pytest.approx(2 * (4 / 6) / (1 / 2))


def test_zero_is_not_above_zero() -> None:
    x = np.random.default_rng(2).integers(-1, 2, (200, 3)).astype(float)
    y = (x.sum(axis=1) > 0).astype(int)
    ours, theirs = tl.NaiveBayes(numbers="bernoulli").fit(x, y), BernoulliNB().fit(x, y)
    assert (x == 0).sum() > 100
    assert np.allclose(ours.predict_log_proba(x), theirs.predict_log_proba(x))


def test_words_that_are_there_or_not_share_m_in_two() -> None:
    documents, y = ["a b", "a", "b c", "c"], ["no", "no", "no", "yes"]
    model = tl.NaiveBayes(m=3, text_model="bernoulli").fit(documents, y)
    a, b, c = (np.array([(2 + 1.5) / 6, 1.5 / 4]), np.array([3.5 / 6, 1.5 / 4]),
               np.array([2.5 / 6, 2.5 / 4]))  # fmt: skip
    joint = np.array([3 / 4, 1 / 4]) * a * (1 - b) * (1 - c)
    assert np.allclose(model.predict_proba(["a"]), joint / joint.sum())
    assert model.n_parameters_ == 1 + 2 * 3  # their probabilities need not sum to 1
    assert tl.NaiveBayes().fit(documents, y).n_parameters_ == 1 + 2 * 2


def test_drawn_numbers_have_the_means_and_deviations_of_their_class() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    x = rng.normal(np.where(y, 5.0, -3.0), np.where(y, 0.25, 4.0))[:, None]
    model = tl.NaiveBayes(class_prior=[0.25, 0.75]).fit(x, y)
    rows, classes = model.sample(20_000, random_state=1)
    drawn = np.array([row["x0"] for row in rows])
    assert np.mean(classes) == pytest.approx(0.75, abs=0.02)
    for c in (0, 1):
        assert drawn[classes == c].mean() == pytest.approx(x[y == c].mean(), abs=0.2)
        assert drawn[classes == c].std() == pytest.approx(x[y == c].std(), rel=0.05)


def test_drawn_categories_have_the_shares_of_their_class() -> None:
    model = tl.NaiveBayes(alpha=1).fit(FRAME, "y")
    rows, classes = model.sample(20_000, random_state=1)
    sky = pd.Series([row["sky"] for row in rows])[np.asarray(classes) == "yes"]
    shares = sky.value_counts(normalize=True)
    assert shares["rain"] == pytest.approx(3 / 6, abs=0.02)
    assert shares["fog"] == pytest.approx(2 / 6, abs=0.02)


def test_the_terms_of_a_number_are_its_log_density() -> None:
    x, y = np.array([[1.0], [3.0], [10.0], [18.0]]), ["a", "a", "b", "b"]
    lines = tl.NaiveBayes(var_smoothing=0).fit(x, y).explain([[4.0]])[0].lines
    for line, mean, sd in zip(lines, (2.0, 14.0), (1.0, 4.0), strict=True):
        expected = -0.5 * ((4.0 - mean) / sd) ** 2 - log(sd) - 0.5 * log(2 * np.pi)
        assert line.terms[1].amount == pytest.approx(expected)


@pytest.mark.parametrize(
    ("prior", "said"),
    [
        ([0.5, 0.505], "sum to 1"),
        ([1.2, -0.2], "0 or more"),
        ({"no": 0.5, "yes": 0.5, "maybe": 0.0}, "names 'no', 'yes', 'maybe'"),
        ({"no": 1.0}, "names 'no'"),
        ([1.0], "1 values for 2 classes"),
    ],
)
def test_a_prior_gives_every_class_its_share_and_no_other(prior: Any, said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.NaiveBayes(class_prior=prior).fit(FRAME, "y")


def scales(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of three classes, the last two columns constant in one of them."""
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=n)
    x = rng.normal(size=(n, 4)) + 0.7 * y[:, None]
    x[y == 0, 2] = 1.0
    x[:, 3] = (y == 2) & (rng.random(n) < 0.3)
    return x, y


@pytest.mark.parametrize("cv", [10, "loo"])
def test_a_column_that_never_varies_is_passed_over(cv: Any) -> None:
    x, y = scales()
    wide = np.insert(x, 1, 7.0, axis=1)
    plain, model = tl.NaiveBayes().fit(x, y), tl.NaiveBayes().fit(wide, y)
    assert np.array_equal(model.predict_proba(wide), plain.predict_proba(x))
    assert np.array_equal(model.predict_joint_log_proba(wide), plain.predict_joint_log_proba(x))
    assert model.n_parameters_ == plain.n_parameters_
    assert "Column 'x1' is the same in every row and says nothing." in str(model.show_work())
    scores = ["accuracy", "log_loss"]
    found, without = (tl.evaluate(tl.NaiveBayes(), X, y, cv=cv, scores=scores) for X in (wide, x))
    assert [found[name].value for name in scores] == [without[name].value for name in scores]


def test_a_column_that_never_varies_is_refused_where_there_is_no_other() -> None:
    with pytest.raises(errors.ColumnError, match="'x0' is the same in every row"):
        tl.NaiveBayes().fit([[7.0], [7.0], [7.0]], ["a", "b", "b"])
    beside = pd.DataFrame({"x": [7.0, 7.0, 7.0], "c": ["u", "v", "v"]})
    assert tl.NaiveBayes().fit(beside, ["a", "b", "b"]).predict(beside).tolist() == ["a", "b", "b"]


def test_a_column_that_varies_once_more_rows_come_is_learned_then() -> None:
    model = tl.NaiveBayes().fit([[7.0, 1.0], [7.0, 2.0]], ["a", "b"])
    assert np.isnan(model.theta_[:, 0]).all()
    model.partial_fit([[8.0, 1.0], [9.0, 3.0]], ["a", "b"])
    assert model.theta_[:, 0].tolist() == [7.5, 8.0]


@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("factor", [2.0**20, 1e6, 1e-6])
def test_the_unit_of_a_column_changes_no_prediction(column: int, factor: float) -> None:
    x, y = scales()
    scaled = x.copy()
    scaled[:, column] *= factor
    one, two = (tl.NaiveBayes().fit(X, y).predict_proba(X) for X in (x, scaled))
    assert np.allclose(one, two, rtol=1e-9, atol=1e-12)
    assert np.array_equal(one.argmax(axis=1), two.argmax(axis=1))
    one, two = (
        tl.evaluate(tl.NaiveBayes(), X, y, cv="loo", scores=["accuracy"])["accuracy"].value
        for X in (x, scaled)
    )
    assert one == two


def test_a_class_without_a_spread_takes_that_of_all_rows() -> None:
    x, y = [[1.0], [1.0], [3.0], [7.0]], ["a", "a", "b", "b"]
    assert tl.NaiveBayes().fit(x, y).var_.ravel().tolist() == [np.var([1, 1, 3, 7]), 4.0]
    with pytest.raises(errors.ColumnError, match="constant in class 'a'"):
        tl.NaiveBayes(var_smoothing=0).fit(x, y)


def test_smoothing_by_table_is_scikit_learns() -> None:
    x, y = scales()
    x[:, 0] *= 1e6
    model, peer = tl.NaiveBayes(var_smoothing_by="table").fit(x, y), GaussianNB().fit(x, y)
    assert np.allclose(model.var_, peer.var_, rtol=1e-9)
    assert np.array_equal(model.predict(x), peer.predict(x))
    assert (tl.NaiveBayes().fit(x, y).predict(x) == y).mean() > (peer.predict(x) == y).mean() + 0.05


def test_a_file_from_before_smooths_on_as_it_did() -> None:
    model = tl.load(DATA / "models" / "bayes.tally")
    assert model.var_smoothing_by == "table"
    told = model.var_.copy()
    model.model_ = model.solve(model.tally_)
    assert np.array_equal(model.var_, told, equal_nan=True)


def noisy(n: int = 300, levels: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    """A column that tells the class, many levels of noise, a string a row, and families."""
    rng = np.random.default_rng(3)
    y = rng.choice(["no", "no", "yes"], n)
    family = rng.integers(n // 3, size=n)
    says = np.where(rng.random(n // 3) < 0.5, "no", "yes")[family]
    return pd.DataFrame({
        "sign": np.where(rng.random(n) < 0.75, y, "no"),
        "noise": [f"v{i}" for i in rng.integers(levels, size=n)],
        "name": [f"n{i}" for i in rng.permutation(n)],
        "family": [f"f{i}" for i in family],
    }), np.where(rng.random(n) < 0.9, says, y)  # fmt: skip


def test_many_values_that_tell_the_class_by_chance_are_passed_over() -> None:
    X, y = noisy()
    model, plain = tl.NaiveBayes().fit(X, y), tl.NaiveBayes().fit(X[["sign", "family"]], y)
    assert model.model_.chance == ("name", "noise")
    assert np.array_equal(model.predict_proba(X), plain.predict_proba(X[["sign", "family"]]))
    said = "Column 'noise' has many values, tells the class of left out rows no better than chance"
    assert said in unwrapped(model.show_work())
    assert tl.NaiveBayes(chance="keep").fit(X, y).model_.chance == ()


def test_what_is_passed_over_does_not_depend_on_parts_or_order() -> None:
    X, y = noisy()
    halves = [tl.NaiveBayes().fit(X[at::2], y[at::2]) for at in (0, 1)]
    back = tl.NaiveBayes().fit(X[::-1], y[::-1])
    for model in (tl.merge(*halves), back):
        assert np.array_equal(model.predict_proba(X), tl.NaiveBayes().fit(X, y).predict_proba(X))
    few = tl.NaiveBayes().fit(X[:49], y[:49])  # a table of fewer rows than 50 is taken as it is
    assert few.model_.chance == ()


def test_a_row_left_out_has_no_say_in_what_is_passed_over() -> None:
    X, y = noisy(90, 40)
    block = read_fit_input(X, y, None, "test", "classifier").whole()
    assert tl.NaiveBayes().leave_one_out(tl.NaiveBayes().fit(X, y).tally_, block) is not None
    found = tl.evaluate(tl.NaiveBayes(), X, y, cv="loo", scores=["accuracy"]).predictions
    for i in range(0, 90, 9):
        rest = np.arange(90) != i
        share = tl.NaiveBayes().fit(X[rest], y[rest]).predict_proba(X[i : i + 1])
        assert [found[f"P({c})"][i] for c in ("no", "yes")] == pytest.approx(share[0].tolist())


def test_a_file_from_before_passes_over_no_category() -> None:
    assert tl.load(DATA / "models" / "bayes.tally").chance == "keep"
