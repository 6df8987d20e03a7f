"""Folding: training tallies out of the parts' tallies, as if each had been fitted anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import tables
from tallylearn.errors import InputError
from tallylearn.estimators import Regressor
from tallylearn.estimators.fit_input import read_fit_input
from tallylearn.estimators.fold_tallies import (
    FoldedInput,
    growing_tallies,
    sum_others,
    training_tallies,
)
from tallylearn.tables import Block, Codes, Schema
from tallylearn.tallies import Bundle, Counts, Exact, Moments, Scatter
from tallylearn.tallies.rounding import quotient
from tests.soak import pairs

N = 200
RNG = np.random.default_rng(5)
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=N),
        "age": np.where(RNG.random(N) < 0.1, np.nan, RNG.integers(0, 90, N)),
        "colour": RNG.choice(["red", "green", "blue", None], N),
        "y": RNG.choice(["a", "b", "c"], N),
        "w": RNG.choice([0.0, 0.5, 1.0, 3.0], N),
    }
)
CLASSES = "classifier"
NUMBERS = "regressor"
EXACT = [
    tl.NaiveBayes(),
    tl.NaiveBayes(numbers="bernoulli"),
    tl.DummyClassifier(),
    tl.LinearDiscriminantAnalysis(exact=True),
]


def alone(learner: Any, frame: pd.DataFrame, weight: str | None) -> Any:
    return type(learner)(**learner.get_params()).fit(frame, "y", sample_weight=weight).tally_


@pytest.mark.parametrize(
    ("learner", "weight", "k"), pairs(EXACT, [None, "w"], [2, 7, 100]), ids=repr
)
def test_every_training_tally_is_the_one_of_a_fit(learner: Any, weight: str | None, k: int) -> None:
    frame = FRAME if weight else FRAME.drop(columns="w")
    part = RNG.integers(0, k, N)
    found = list(
        training_tallies(learner, read_fit_input(frame, "y", weight, "test", CLASSES), part, k)
    )
    assert len(found) == k
    for f in range(0, k, 1 + k // 10):
        assert found[f] == alone(learner, frame[part != f], weight)


def test_blocks_that_are_cut_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, part = FRAME.drop(columns="w"), RNG.integers(0, 5, N)
    whole = list(
        training_tallies(EXACT[0], read_fit_input(frame, "y", None, "test", CLASSES), part, 5)
    )
    monkeypatch.setattr(tables, "BLOCK", 17)
    assert (
        list(training_tallies(EXACT[0], read_fit_input(frame, "y", None, "test", CLASSES), part, 5))
        == whole
    )


@pytest.mark.parametrize("k", [5, 90])
def test_a_scatter_of_floats_is_that_of_a_fit_up_to_rounding(k: int) -> None:
    learner = tl.LinearDiscriminantAnalysis()
    frame, part = FRAME.drop(columns="w"), RNG.integers(0, k, N)
    for f, found in enumerate(
        training_tallies(learner, read_fit_input(frame, "y", None, "test", CLASSES), part, k)
    ):
        fitted = alone(learner, frame[part != f], None)["numbers"]
        assert found["numbers"].names == fitted.names
        np.testing.assert_allclose(found["numbers"].scatter, fitted.scatter, rtol=1e-10, atol=1e-10)


def test_rows_of_no_part_are_nowhere() -> None:
    frame, part = FRAME.drop(columns="w"), RNG.integers(-1, 3, N)
    for f, found in enumerate(
        training_tallies(EXACT[0], read_fit_input(frame, "y", None, "test", CLASSES), part, 3)
    ):
        assert found == alone(EXACT[0], frame[(part != f) & (part >= 0)], None)


@pytest.mark.parametrize("k", [4, 90])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("strategy", ["mean", "median"])
def test_regressors_are_folded_too(strategy: str, weight: str | None, k: int) -> None:
    learner = tl.DummyRegressor(strategy=strategy)
    frame, part = FRAME[["age", "size", "w"]], RNG.integers(-1, k, N)
    found = list(
        training_tallies(learner, read_fit_input(frame, "size", weight, "test", NUMBERS), part, k)
    )
    for f in range(0, k, 1 + k // 10):
        rest = frame[(part != f) & (part >= 0)]
        assert found[f] == learner.fit(rest, "size", sample_weight=weight).tally_


class Line(Regressor):
    """Least squares, as far as it counts: the scatter of the columns and the target."""

    def tally(self, block: Block) -> Bundle:
        self.calls = getattr(self, "calls", 0) + 1
        both, by = np.column_stack([block.numbers, block.target]), self.by(block)
        names = tuple((name, "") for name in (*block.schema.numbers, "target"))
        target = np.ascontiguousarray(block.target[:, None])
        return Bundle({"numbers": Scatter.of(both, by, names, block.weight),
                       "target": Moments.of(target, by, ("target",), block.weight)})  # fmt: skip

    def by(self, block: Block) -> Codes:
        return block.counting_keys()

    def solve(self, tally: Bundle) -> Any:
        raise NotImplementedError

    def _check_tally(self, tally: Bundle, schema: Schema) -> None: ...


@pytest.mark.parametrize("k", [5, 90])
def test_a_scatter_with_the_target_is_counted_for_all_folds_in_one_call(k: int) -> None:
    learner, frame, part = Line(), FRAME[["size", "age"]].fillna(7), RNG.integers(0, k, N)
    found = list(
        training_tallies(learner, read_fit_input(frame, "age", None, "test", NUMBERS), part, k)
    )
    assert learner.calls <= 1 + k // 5  # blocks of rows, not folds
    for f in range(k):
        rows = frame[part != f]
        apart = (rows[["size", "age"]] - rows[["size", "age"]].mean()).to_numpy()
        assert found[f]["target"].count.floats().sum() == len(rows)
        np.testing.assert_allclose(found[f]["numbers"].scatter[0], apart.T @ apart, rtol=1e-10)


def test_a_learner_that_tells_no_folds_apart_is_refused() -> None:
    class Blind(Line):
        def by(self, block: Block) -> Codes:
            return Codes(("all",), np.zeros(len(block), dtype=np.int32))

    class Counting(Line):
        def tally(self, block: Block) -> Bundle:
            return Bundle({"target": Counts.of(Line.by(Blind(), replace(block, part=None)))})

    for learner in (Blind(), Counting()):
        with pytest.raises(TypeError, match=r"counts by 'all'.*block\.counting_keys\(\)"):
            list(
                training_tallies(
                    learner,
                    read_fit_input(FRAME, "size", None, "test", NUMBERS),
                    np.arange(N) % 3,
                    3,
                )
            )


def test_forward_in_time_a_part_is_trained_on_all_before_it() -> None:
    frame, part = FRAME.drop(columns="w"), np.arange(N) * 4 // N
    found = list(
        growing_tallies(EXACT[0], read_fit_input(frame, "y", None, "test", CLASSES), part, 4)
    )
    assert found == [alone(EXACT[0], frame[part < f], None) for f in (1, 2, 3)]


def test_files_are_folded_in_one_pass_like_a_table_in_memory(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    frame = FRAME.drop(columns="w")
    frame.to_csv(path, index=False)
    part = RNG.integers(0, 5, N)
    read, memory = (read_fit_input(x, "y", None, "test", CLASSES) for x in (path, frame))
    assert list(training_tallies(EXACT[0], read, part, 5)) == list(
        training_tallies(EXACT[0], memory, part, 5)
    )
    with pytest.raises(InputError, match="64 folds, not 200"):
        list(training_tallies(EXACT[0], read, np.arange(N), N))


@pytest.mark.parametrize("k", [2, 3, 10])
def test_the_others_are_summed_from_the_left_and_the_right(k: int) -> None:
    assert list(sum_others([2**i for i in range(k)])) == [2**k - 1 - 2**i for i in range(k)]


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("options", [{}, {"fit_prior": False}, {"var_smoothing": 1e-3}], ids=str)
def test_left_out_rows_get_the_scores_of_a_fit_without_them(
    options: dict[str, Any], gaps: bool
) -> None:
    X, y = RNG.normal(size=(40, 3)) * [1, 1e4, 1e-4] + [0, 1e6, 0], RNG.integers(0, 3, 40)
    if gaps:
        X[RNG.random(X.shape) < 0.2] = np.nan
        X[y == 2, 1] = np.nan  # a class that never shows a column
    learner = tl.NaiveBayes(**options)
    block = read_fit_input(X, y, None, "test", CLASSES).whole()
    found = learner.leave_one_out(learner.fit(X, y).tally_, block)
    assert found is not None
    for i in range(40):
        keep = np.arange(40) != i
        fitted = tl.NaiveBayes(**options).fit(X[keep], y[keep])
        scores = fitted.predict_joint_log_proba(X[i : i + 1])[0]
        np.testing.assert_allclose(found[i], scores, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("block", "sizes"), [(90, [67, 67, 66]), (100, [100, 100]), (200, [200])])
def test_rows_in_memory_are_counted_in_pieces_of_one_size(
    block: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "BLOCK", block)  # the last was a remnant, and threads stood idle
    pieces = FoldedInput(read_fit_input(FRAME, "y", None, "test", CLASSES), np.arange(N))
    found = [piece for part in pieces.parts() for piece in part.blocks()]
    assert [len(piece) for piece in found] == sizes
    assert np.concatenate([piece.fold for piece in found]).tolist() == [*range(N)]


def test_a_class_of_one_row_is_left_to_a_fit() -> None:
    X, y = np.array([[1.0], [2.0], [4.0]]), [0, 0, 1]
    learner = tl.NaiveBayes()
    block = read_fit_input(X, y, None, "test", CLASSES).whole()
    assert learner.leave_one_out(learner.fit(X, y).tally_, block) is None


@pytest.mark.parametrize("limbs", [1, 3, 10, 30])
def test_many_quotients_are_rounded_as_each_alone(limbs: int) -> None:
    size = 600
    above = Exact.from_limbs(RNG.integers(-(2**31), 2**31, (size, limbs)), -limbs)
    above = above * Exact.of(RNG.integers(0, 3, size))
    below = Exact.from_limbs(RNG.integers(0, 2**31, (size, 2)) * RNG.integers(0, 2, (size, 1)), 0)
    numbers, power = above.to_integers()
    divisors, _ = below.to_integers()
    exact = [
        float(Fraction(int(a)) * Fraction(2) ** power / int(b or 1))
        for a, b in zip(numbers, divisors, strict=True)
    ]
    assert quotient(above, below).tolist() == exact


def test_quotients_half_way_between_two_doubles_go_to_the_even_one() -> None:
    odd = RNG.integers(2**52, 2**53, 600) * 2 + 1
    above = Exact.of(odd) * Exact.of(np.full(600, 7))
    found = quotient(above, Exact.of(np.full(600, 14)))
    assert found.tolist() == [float(Fraction(int(m), 2)) for m in odd]


def test_moments_of_many_are_those_of_each() -> None:
    x = RNG.normal(size=(50, 9)) * 10.0 ** RNG.integers(-8, 8, 9)
    by = Codes(tuple(range(40)), (np.arange(50) % 40).astype(np.int32))
    tally = Moments.of(x, by, tuple("abcdefghi"))
    for at, key in enumerate(tally.keys):
        rows = [Fraction(float(v)) for v in x[by.codes == key, 4]]
        mean = sum(rows) / len(rows)
        assert tally.mean[at, 4] == float(mean)
        assert tally.variance[at, 4] == float(sum((v - mean) ** 2 for v in rows) / len(rows))


OPTIONS: dict[str, dict[str, Any]] = {
    "Laplace": {},
    "maximum likelihood": {"alpha": 0},
    "m-estimate": {"m": 2.0},
    "set of words": {"text_model": "set", "stop_words": ["and"]},
    "signs": {"numbers": "bernoulli"},
    "given prior": {"class_prior": {"a": 0.2, "b": 0.3, "c": 0.5}},
    "no prior": {"fit_prior": False, "alpha": 0.1},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_leaving_a_row_out_is_fitting_without_it(
    options: dict[str, Any], mixed: pd.DataFrame
) -> None:
    rng = np.random.default_rng(5)
    frame = mixed[:60].copy()
    frame["code"] = [f"code {value}" for value in rng.integers(0, 47, 60)]  # most of them once
    frame["once"] = [None] * 59 + ["only here"]
    frame.loc[frame.index[3], "note"] = "a word that nobody else has: xyzzy xyzzy"
    frame["shade"] = pd.Categorical(rng.choice(["x", "y"], 60), categories=["w", "x", "y"])
    frame.loc[frame.index[7], "shade"] = "w"
    learner, names = tl.NaiveBayes(**options), frame.columns.drop("kind")
    found = tl.evaluate(learner, frame, "kind", cv="loo", scores=["accuracy"]).predictions
    tally = learner.fit(frame, "kind").tally_
    block = read_fit_input(frame, "kind", None, "test", CLASSES).whole()
    scores = learner.leave_one_out(tally, block)
    assert scores is not None
    for row in {3, 7, 59, *range(0, 60, 4)}:  # those of their own values, and others
        rest = frame.drop(index=frame.index[row])
        model = tl.NaiveBayes(**options).fit(rest, "kind")
        alone = frame.iloc[[row]][names]
        # of the shares one is nearly 1: what a word adds shows in the scores alone
        np.testing.assert_allclose(scores[row], model.model_.scores(block[[row]])[0], rtol=1e-9)
        shares = [found[f"P({c})"][row] for c in "abc"]
        np.testing.assert_allclose(shares, model.predict_proba(alone)[0], rtol=1e-9, atol=1e-12)
        assert found["said"][row] == model.predict(alone)[0]


@pytest.mark.parametrize(
    "options", [{"min_df": 2}, {"text_model": "bernoulli"}, {"max_df": 0.5}, {"alpha": np.inf}]
)
def test_words_that_a_row_may_take_away_are_fitted_anew(
    options: dict[str, Any], mixed: pd.DataFrame
) -> None:
    frame = mixed[["note", "kind"]][:40]
    found = tl.evaluate(tl.NaiveBayes(**options), frame, "kind", cv="loo", scores=["log_loss"])
    for row in (0, 17, 39):
        model = tl.NaiveBayes(**options).fit(frame.drop(index=frame.index[row]), "kind")
        expected = model.predict_proba(frame.iloc[[row]][["note"]])[0]
        shares = [found.predictions[f"P({c})"][row] for c in "abc"]
        np.testing.assert_allclose(shares, expected, rtol=1e-9, atol=1e-12)


def test_leaving_one_out_holds_numbers_of_any_size() -> None:
    rng = np.random.default_rng(8)
    X = rng.choice([-1.0, 1.0], (40, 2)) * 10.0 ** rng.uniform(-140, 140, (40, 2))
    y = np.array(["a", "b"] * 20)
    learner = tl.NaiveBayes(var_smoothing=0).fit(X, y)
    found = learner.leave_one_out(
        learner.tally_, read_fit_input(X, y, None, "test", CLASSES).whole()
    )
    assert found is not None
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        fitted = tl.NaiveBayes(var_smoothing=0).fit(X[rest], y[rest])
        block = read_fit_input(X[[row]], y[[row]], None, "test", CLASSES).whole()
        np.testing.assert_allclose(found[row], fitted.model_.scores(block)[0], rtol=1e-9)


def left_out_and_fitted(learner: Any, X: Any, y: Any) -> Iterator[tuple[Any, Any]]:
    """Row by row the scores without it: by subtraction, and by a fit on the others."""
    read = read_fit_input(X, y, None, "test", CLASSES).whole()
    found = learner.leave_one_out(learner.fit(X, y).tally_, read)
    for row in range(len(X)):
        rest = np.arange(len(X)) != row
        fitted = type(learner)(**learner.get_params()).fit(X[rest], y[rest])
        yield found[row], fitted.model_.scores(read[[row]])[0]


def test_the_smoothing_of_the_others_follows_the_column_that_is_widest_without_the_row() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)) * [1.0, 1.4], np.array(["a", "b"] * 15)
    X[4, 0] = 9.0  # with this row the first column varies more
    assert X[:, 0].var() > X[:, 1].var() > np.delete(X, 4, axis=0)[:, 0].var()
    for left, fitted in left_out_and_fitted(tl.NaiveBayes(var_smoothing=0.5), X, y):
        np.testing.assert_allclose(left, fitted, rtol=1e-9)


def test_a_declared_value_of_one_row_is_known_to_the_others() -> None:
    table = tl.table(pd.DataFrame({"c": [*"uvvwww"]}), categories={"c": ["u", "v", "w", "x"]})
    y = np.array([*"ababab"])
    for left, fitted in left_out_and_fitted(tl.NaiveBayes(), table, y):
        np.testing.assert_allclose(left, fitted, rtol=1e-9)


def test_a_class_that_shows_a_column_in_one_row_takes_all_rows_when_that_is_left_out() -> None:
    frame = pd.DataFrame({"c": [*"uvuu", None, None], "d": [*"ppqqpp"]})
    y = np.array([*"aaabbb"])
    for left, fitted in left_out_and_fitted(tl.NaiveBayes(alpha=0), frame, y):
        np.testing.assert_allclose(left, fitted, rtol=1e-9)


def test_a_class_that_shows_a_number_in_one_row_takes_all_rows_when_that_is_left_out() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 2)), np.array(["a", "b"] * 6)
    X[3::2, 1] = np.nan  # of class b the first row alone has the second number
    for left, fitted in left_out_and_fitted(tl.NaiveBayes(), X, y):
        np.testing.assert_allclose(left, fitted, rtol=1e-9)


def test_answers_that_are_the_numbers_themselves_outlive_the_next_fold() -> None:
    class First(tl.DummyRegressor):
        def predictions(self, block: Block) -> Any:
            return block.numbers[:, 0]

    X = np.arange(40.0).reshape(20, 2)
    with tl.engine(threads=1):
        found = tl.evaluate(First(), X, X[:, 0], cv=5, scoring="mae")
    assert found["mae"].value == 0
    assert found.predictions["said"].tolist() == X[found.predictions["row"], 0].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_column_that_chance_decides_on_is_judged_without_every_row_in_turn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, values = 60, np.array([f"v{i:02}" for i in range(26)])
    place = rng.integers(26, size=n)
    tells = rng.random(26) < 0.5
    y = np.where(tells[place] ^ (rng.random(n) < 0.38), "yes", "no")  # near to saying nothing
    table = {"place": np.where(rng.random(n) < 0.9, values[place], None), "x": rng.normal(size=n)}
    found = tl.evaluate(tl.NaiveBayes(), table, y, cv="loo").predictions
    silent = 0
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        fit = tl.NaiveBayes().fit({k: v[rest] for k, v in table.items()}, y[rest])
        silent += fit.model_.chance == ("place",)
        row = {k: v[[i]] for k, v in table.items()}
        assert found["P(yes)"][i] == pytest.approx(fit.predict_proba(row)[0, 1], rel=1e-9)
    assert seed != 1 or 0 < silent < n  # of some rows it depends on whether they are there


@pytest.mark.parametrize("by", ["table", "column"])
def test_leaving_one_out_passes_over_numbers_of_which_none_varies(by: str) -> None:
    table = {"c": [*"ppqqpq"] * 4, "x": np.ones(24)}
    y, learner = [*"aabbab"] * 4, tl.NaiveBayes(var_smoothing_by=by)
    alone = tl.evaluate(learner, {"c": table["c"]}, y, cv="loo").predictions
    found = tl.evaluate(learner, table, y, cv="loo").predictions
    assert [*found["P(a)"]] == pytest.approx([*alone["P(a)"]])
