"""Least mean squares: the scalings of the notes, rows as they come, and weights that run away."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, SGDRegressor

import tallylearn as tl
from tallylearn import errors, modelfile, tables
from tallylearn.models.glm import lms_model
from tallylearn.models.glm.lms import survey_lengths
from tallylearn.sources.files import compression

DATA = Path(__file__).parents[2] / "data"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = 2 + X @ [1.0, -2.0, 0.5] + RNG.normal(0, 0.1, 200)
EIGHTHS = st.integers(-16, 16).map(lambda k: k / 8)  # few enough bits to stay exact for three steps


def weights(model: Any) -> list[float]:
    return [model.intercept_, *model.coef_]


def test_the_same_rate_means_four_steps(golden: dict[str, Any]) -> None:
    given, expected = (golden["linreg.gd_scalings"][part] for part in ("inputs", "exact"))
    x = [[value] for value in given["x"]]
    for scaling, line in (
        ("error", "000 LMS sample 1: +c*f*err"),
        ("twice", "004 SGD sample 1: +2*alpha*err*x"),
        ("sum", "002 half-sum loss: +alpha*X^T r"),
        ("mean", "004 batch: +alpha*(2/m) X^T r"),
    ):
        model = tl.LMS(given["alpha"], scaling=scaling, steps=1, start=given["theta"])
        assert weights(model.fit(x, given["y"])) == pytest.approx(expected[line], rel=1e-15)


@given(rows=st.lists(st.tuples(EIGHTHS, EIGHTHS, EIGHTHS), min_size=1, max_size=3))
def test_the_rule_in_fractions(rows: list[tuple[float, float, float]]) -> None:
    w, c = [Fraction(0)] * 3, Fraction(1, 64)
    for *x, y in rows:
        seen = [Fraction(1), *map(Fraction, x)]
        error = Fraction(y) - sum(a * b for a, b in zip(w, seen, strict=True))
        w = [a + c * b * error for a, b in zip(w, seen, strict=True)]
    model = tl.LMS(1 / 64).fit([row[:2] for row in rows], [row[2] for row in rows])
    assert weights(model) == pytest.approx([float(value) for value in w], rel=1e-14, abs=1e-16)


def test_it_walks_as_scikit_learns_stochastic_gradient_does() -> None:
    theirs = SGDRegressor(
        penalty=None, learning_rate="constant", eta0=0.01, shuffle=False, max_iter=3, tol=None
    ).fit(X, Y)
    ours = tl.LMS(0.01, steps=600).fit(X, Y)
    assert weights(ours) == pytest.approx([*theirs.intercept_, *theirs.coef_], rel=1e-12)
    assert ours.n_steps_ == 600


def test_batches_come_to_least_squares() -> None:
    exact = LinearRegression().fit(X, Y)
    for scaling, rate in (("mean", 0.1), ("sum", 0.001)):
        model = tl.LMS(rate, scaling=scaling, steps=500).fit(X, Y)
        assert weights(model) == pytest.approx([exact.intercept_, *exact.coef_], abs=1e-9)
    plain = tl.LMS(0.1, scaling="mean", steps=500, fit_intercept=False).fit(X, Y)
    assert plain.intercept_ == 0
    assert plain.coef_ == pytest.approx(LinearRegression(fit_intercept=False).fit(X, Y).coef_)


@pytest.mark.parametrize("scaling", ["sum", "mean"])
def test_batches_have_the_same_bits_from_files_in_any_order_and_on_any_threads(
    scaling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pd.DataFrame(X * [1e-3, 1, 1e3], columns=["b", "a", "c"]).assign(y=Y)
    frame[:130].to_csv(tmp_path / "1.csv", index=False)
    frame[130:].to_csv(tmp_path / "2.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=70)
    rows = [frame, frame[::-1], frame.sample(frac=1, random_state=1)]

    def descended(source: Any) -> Any:
        return tl.LMS(1e-9, scaling=scaling, steps=6, start=[0, 1, 2, 3]).fit(source, "y")

    found = {modelfile.digests(descended(frame))}
    monkeypatch.setattr(tables, "BLOCK", 17)
    for source in (*rows, tmp_path / "*.csv", tmp_path / "t.parquet"):
        for threads in (1, 3):
            with tl.engine(threads=threads):
                found.add(modelfile.digests(descended(source)))
    assert len(found) == 1


def test_the_trace_of_batches_is_that_of_the_formula() -> None:
    design, w = np.column_stack([np.ones(200), X]), np.zeros(4)
    model = tl.LMS(0.05, scaling="mean", steps=8).fit(X, Y)
    assert model.trace_.shape == (8, 5)
    for loss, *after in model.trace_:
        error = Y - design @ w
        w = w + 0.05 * 2 / 200 * design.T @ error
        assert loss == pytest.approx(np.mean(error**2), rel=1e-13)
        assert after == pytest.approx(w, rel=1e-13)


@pytest.mark.parametrize("scaling", ["error", "twice"])
def test_the_trace_of_rows_has_the_error_before_and_the_weights_after(scaling: str) -> None:
    design, w = np.column_stack([np.ones(200), X]), np.zeros(4)
    model = tl.LMS(0.05, scaling=scaling)
    for rows in (slice(0, 7), slice(7, 200)):
        model.partial_fit(X[rows], Y[rows])
    assert model.trace_.shape == (200, 5)
    for x, y, (loss, *after) in zip(design, Y, model.trace_, strict=True):
        error = y - x @ w
        w = w + {"error": 1, "twice": 2}[scaling] * 0.05 * x * error
        assert loss == pytest.approx(error**2, rel=1e-9)
        assert after == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize(("scaling", "kept"), [("error", 5), ("mean", 8)])
def test_a_trace_ends_aloud(scaling: str, kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lms_model, "ROOM", 40)
    model = tl.LMS(0.05, scaling=scaling, steps=9).fit(X, Y)
    assert model.trace_.shape == (kept, 5)
    said = str(model.show_work())
    assert f"trace_ has the first {kept} of 9 steps." in said
    assert "\n5  " in said
    assert "\n6  " not in said


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("scaling", ["sum", "mean"])
@pytest.mark.parametrize("far", [0.0, 100.0])
def test_rounding_after_arrival_is_no_overshooting(scaling: str, noise: float, far: float) -> None:
    x = X[:20, :1]
    y = far + 3 * x[:, 0] + noise * Y[:20]
    model = tl.LMS(0.02 if scaling == "sum" else 0.2, scaling=scaling, steps=1500).fit(x, y)
    best = LinearRegression().fit(x, y)
    assert weights(model) == pytest.approx([best.intercept_, *best.coef_], rel=1e-9)
    assert model.overshot_ == 0
    assert "the rate is too large" not in str(model.show_work())
    start = [best.intercept_, *best.coef_]
    assert tl.LMS(0.01, scaling=scaling, steps=200, start=start).fit(x, y).overshot_ == 0


def test_errors_that_are_nothing_but_rounding_cannot_grow() -> None:
    draw = np.random.default_rng(38)
    p = int(draw.integers(1, 6))
    x = draw.normal(size=(20, p)) + draw.choice([0, 1, 3])
    y = x @ draw.normal(size=p) + draw.normal() * 1e3
    design = np.column_stack([np.ones(20), x])
    rate = 1.9 / np.linalg.eigvalsh(design.T @ design).max()
    model = tl.LMS(rate, scaling="sum", steps=700).fit(x, y)
    assert np.diff(model.trace_[:, 0]).max() > 0
    assert model.overshot_ == 0


def test_steps_that_are_too_long_are_counted_though_they_are_little_so() -> None:
    x, y = [[1.0], [2], [3]], [1.0, 2, 4]
    assert tl.LMS(0.05, scaling="sum", steps=2000).fit(x, y).overshot_ == 0
    with pytest.raises(errors.InputError, match="2 of 2 steps increased the error"):
        tl.LMS(0.125, scaling="sum", steps=2, start=[0.1, 1.0]).fit(x, y)


SIZES = st.floats(-1e9, 1e9) | st.floats(-1e-180, 1e-180)


def exact_length(column: Any) -> Fraction:
    """The length of a vector, whose squares may be below all doubles."""
    most = Fraction(float(np.abs(column).max(initial=0.0)))
    return most * Fraction(math.sqrt(sum((Fraction(v) / (most or 1)) ** 2 for v in column)))


@given(rows=st.lists(st.tuples(SIZES, SIZES), min_size=1, max_size=9), cut=st.integers(0, 9))
def test_sums_on_grids_are_exact_in_any_order(rows: list[tuple[float, float]], cut: int) -> None:
    x, y = (np.array(column) for column in zip(*rows, strict=True))
    learner = tl.LMS(scaling="sum", steps=1)
    schema = tables.Schema((tables.Column("x", tables.NUMBER),))
    block, calls = tables.Block(schema, x[:, None], target=y), list[Any]()

    def total(call: Any) -> Any:
        calls.append(call)
        return call(block)

    learner._descend(total, learner._make_first_weights(("x",)), survey_lengths(block), steps=0)
    (call,) = calls
    whole, parts = call(block), call(block[cut:]) + call(block[:cut])
    assert whole.sums.tobytes() == parts.sums.tobytes()
    lengths = [exact_length(column) for column in (x * 0 + 1, x, y)]
    products = np.array([y, y * x, y * y])
    for found, column, length in zip(
        [*whole.slope, whole.squares], products.tolist(), lengths, strict=True
    ):
        exact, most = sum(map(Fraction, column)), length * lengths[2]
        lost = abs(exact) / 2**53 + most / 2**80 + Fraction(1, 2**1070)
        assert abs(Fraction(found) - exact) <= lost


def test_batches_parse_a_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def opens(path: Path, *more: Any) -> Any:
        seen.append(Path(path).name)
        return open(path, *more)

    monkeypatch.setattr(compression, "open", opens, raising=False)
    pd.DataFrame(X, columns=[*"abc"]).assign(y=Y).to_csv(tmp_path / "t.csv", index=False)
    tl.LMS(0.01, scaling="mean", steps=30).fit(tmp_path / "t.csv", "y")
    assert seen == ["t.csv", "t.csv"]  # to sniff, and to read


def test_more_rows_are_one_step_of_a_batch() -> None:
    parts = tl.LMS(0.01, scaling="mean", steps=7).partial_fit(X[:90], Y[:90])
    assert parts.n_steps_ == 1
    first = tl.LMS(0.01, scaling="mean", steps=1).fit(X[:90], Y[:90])
    assert weights(parts) == weights(first)
    parts.partial_fit(X[90:], Y[90:])
    second = tl.LMS(0.01, scaling="mean", steps=1, start=weights(first)).fit(X[90:], Y[90:])
    assert weights(parts) == weights(second)
    assert (parts.n_steps_, parts.model_.rows) == (2, 200)
    assert parts.model_.trace[1].tolist() == second.model_.trace[0].tolist()


def test_rows_as_they_come_are_the_table_in_its_order() -> None:
    whole, parts = tl.LMS(0.05).fit(X, Y), tl.LMS(0.05)
    for start, stop in ((0, 2), (2, 3), (3, 120), (120, 200)):
        parts.partial_fit(X[start:stop], Y[start:stop])
    assert modelfile.digests(whole) == modelfile.digests(parts)
    backwards = tl.LMS(0.05).fit(X[::-1], Y[::-1])
    assert weights(backwards) != weights(whole)


def test_drawn_rows_and_weights_follow_the_seed() -> None:
    def drawn(seed: int) -> list[float]:
        model = tl.LMS(0.02, order="random", steps=500, start="random", random_state=seed)
        return weights(model.fit(X, Y))

    assert drawn(1) == drawn(1) != drawn(2)
    assert drawn(1) == pytest.approx([2, 1, -2, 0.5], abs=0.1)


def test_every_part_of_a_stream_draws_other_rows() -> None:
    x, y = X[:20], Y[:20]
    twice = tl.LMS(0.02, order="random", random_state=1).partial_fit(x, y)
    first = weights(twice)
    twice.partial_fit(x, y)
    same = tl.LMS(0.02, order="random", random_state=1, start=first).partial_fit(x, y)
    assert weights(twice) != weights(same)  # the draws of the first part, once more


@pytest.mark.parametrize("scaling", ["error", "twice", "sum", "mean"])
def test_without_an_intercept_there_is_none_whatever_the_start(scaling: str) -> None:
    model = tl.LMS(0.001, scaling=scaling, steps=1, start=[7.0, 1.0, 1.0, 1.0], fit_intercept=False)
    assert model.fit(X, Y).intercept_ == 0.0


def test_small_random_weights_are_small_and_seeded() -> None:
    x, y = [[0.0, 0.0]], [0.0]
    first = tl.LMS(1e-9, start="random", random_state=5).fit(x, y).coef_
    assert np.array_equal(first, tl.LMS(1e-9, start="random", random_state=5).fit(x, y).coef_)
    assert (np.abs(first) <= 0.01).all()
    assert first.all()


def test_the_work_shows_the_first_steps() -> None:
    work = tl.LMS(0.1).fit(pd.DataFrame({"x": [1, 2, 3], "y": [1, 2, 4]}), "y").show_work()
    text = str(work)
    assert "w_i ← w_i + c · x_i · (y − ŷ),  c = 0.1" in text
    assert ["2", "2", "2", "0.3", "1.7", "0.27", "0.44"] in [
        line.split() for line in text.split("\n")
    ]
    batch = str(tl.LMS(0.1, scaling="mean", steps=7).fit(X, Y).show_work())
    assert "2/m" in batch
    assert "mean squared error" in batch


@pytest.mark.parametrize("scaling", ["error", "mean"])
def test_of_many_columns_the_first_are_shown_and_the_others_counted(scaling: str) -> None:
    x, steps = np.eye(8)[[7, 0, 3]], 1 if scaling == "mean" else None
    work = tl.LMS(0.25, scaling=scaling, steps=steps).fit(x, [8.0, 1.0, 3.0]).show_work()
    assert "Weights of 3 more columns are left out; show_work(full=True)" in str(work)
    lines = [line.replace("|", " ").split() for line in work.to_markdown().split("\n")]
    head = next(line for line in lines if "w(x0)" in line)
    assert head[-6:] == ["w0", *(f"w(x{j})" for j in range(5))]
    rows = [line[-6:] for line in lines if line[:1] == ["1"]]
    first = {"error": ["2", "0", "0", "0", "0", "0"], "mean": ["2", "0.1667", "0", "0", "0.5", "0"]}
    assert first[scaling] in rows


def test_the_terms_add_up_to_the_prediction() -> None:
    model = tl.LMS(0.05).fit(X, Y)
    [row] = model.explain(X[:1])
    amounts = [term.amount for term in row.lines[0].terms]
    assert amounts == [model.intercept_, *(model.coef_ * X[0])]
    assert sum(amounts) == pytest.approx(model.predict(X[:1])[0], rel=1e-15)


@pytest.mark.parametrize("scaling", ["error", "twice", "sum", "mean"])
@pytest.mark.parametrize("rate", [3.0, 1e300])
def test_weights_that_run_away_are_an_error(scaling: str, rate: float) -> None:
    model = tl.LMS(0.001).fit(X, Y)
    before = modelfile.digests(model)
    model.set_params(learning_rate=rate, scaling=scaling, steps=300)
    with pytest.raises(
        errors.InputError, match=r"diverged.*smaller learning_rate, or put tl\.StandardScaler"
    ):
        model.fit(X, Y)
    model.set_params(learning_rate=0.001, scaling="error", steps=None)
    assert modelfile.digests(model) == before


@pytest.mark.parametrize("scaling", ["sum", "mean"])
def test_numbers_beyond_a_double_are_an_error_of_batches(scaling: str) -> None:
    for number, start in ((1e200, "zeros"), (1e150, "zeros"), (1.0, [0, 1e200])):
        for learn in ("fit", "partial_fit"):
            model = tl.LMS(scaling=scaling, start=start)
            with pytest.raises(
                errors.InputError, match=r"^LMS\.(partial_)?fit: .*overflow a double"
            ):
                getattr(model, learn)([[number], [1.0]], [number, 2.0])


def test_numbers_beyond_a_double_are_an_error() -> None:
    with pytest.raises(errors.InputError, match="overflow a double"):
        tl.LMS(start=[0, 1e200]).fit([[1e200], [1.0]], [1.0, 2.0])
    with pytest.raises(errors.InputError, match="diverged"):
        tl.LMS().fit([[1e200], [1.0]], [1.0, 2.0])


def test_steps_that_overshoot_are_counted_and_named() -> None:
    x, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0]
    assert tl.LMS(0.1, steps=30).fit(x, y).overshot_ == 0
    model = tl.LMS(0.21, steps=30).fit(x, y)  # 0.21 · (1 + 9) is above 2
    assert model.overshot_ == 10
    assert "10 of 30 steps increased the error" in str(model.show_work())


def test_steps_that_lead_uphill_are_an_error_in_fit_and_counted_in_a_stream() -> None:
    x, y = [[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0]
    with pytest.raises(
        errors.InputError, match=r"40 of 60 steps.*rose from 7 to .*smaller learning_rate"
    ):
        tl.LMS(0.5, steps=60).fit(x, y)
    with pytest.raises(errors.InputError, match=r"3 of 3 steps.*rose from 7 to"):
        tl.LMS(0.5, scaling="mean", steps=3).fit(x, y)
    stream = tl.LMS(0.5).partial_fit(x, y)
    assert stream.overshot_ == 2
    assert stream.partial_fit(x, y).overshot_ == 4


def test_an_error_that_grows_without_a_step_too_long_is_none() -> None:
    model = tl.LMS(0.5).fit([[0.0], [0.0]], [1.0, -1.0])  # each row pulls the weights its own way
    assert model.intercept_ == -0.25  # from a mean squared error of 1 to one of 1.0625
    assert model.overshot_ == 0


def test_a_step_that_changes_nothing_is_not_too_long() -> None:
    model = tl.LMS(0.5, scaling="mean", steps=4).fit([[0.0], [0.0]], [3.0, 3.0])
    assert model.intercept_ == 3.0  # in one step
    assert model.overshot_ == 0


def test_a_missing_number_is_named() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [1.0, None, 2.0], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(errors.ColumnError, match=r"LMS.fit: column 'b' is missing in row 1"):
        tl.LMS().fit(frame, "y")
    with pytest.raises(errors.ColumnError, match="'b' has only missing values"):
        tl.LMS().fit(frame.assign(b=None), "y")
    model = tl.LMS().fit(frame.fillna(0), "y")
    with pytest.raises(errors.ColumnError, match=r"column 'b' is missing in row 1"):
        model.predict(frame)
    with pytest.raises(errors.ColumnError, match=r"column 'a' is inf in row 2"):
        model.predict(frame.fillna(0).replace(3.0, np.inf))
    with pytest.raises(errors.ColumnError, match="'c' holds categories, and LMS takes numbers"):
        tl.LMS().fit(frame.assign(b=0, c="red"), "y")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"learning_rate": 0}, "'learning_rate'"),
        ({"learning_rate": float("nan")}, "'learning_rate'"),
        ({"learning_rate": "fast"}, "'learning_rate'"),
        ({"scaling": "half"}, "'error', 'twice', 'sum', 'mean'"),
        ({"order": "backwards"}, "'order'"),
        ({"start": "ones"}, "'start'"),
        ({"start": [0.0, 1.0]}, "4 finite numbers"),
        ({"start": [0, 0, 0, np.inf]}, "4 finite numbers"),
        ({"start": ["a", "b"]}, "4 finite numbers"),
        ({"start": None}, "4 finite numbers"),
        ({"steps": 0}, "'steps'"),
        ({"steps": 2.5}, "'steps'"),
        ({"steps": True}, "'steps'"),
        ({"random_state": -1}, "'random_state'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.OptionError, match=said):
        tl.LMS(**options).fit(X, Y)


def test_more_rows_cannot_come_under_another_scaling() -> None:
    model = tl.LMS().partial_fit(X, Y).set_params(scaling="mean")
    with pytest.raises(errors.OptionError, match="scaling was 'error'"):
        model.partial_fit(X, Y)
    model.set_params(scaling="error", learning_rate=0.001).partial_fit(X, Y)
    assert "c = 0.001" in str(model.show_work())


def test_weights_of_rows_have_no_place() -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y, w=1.0)
    with pytest.raises(errors.InputError, match="row weights"):
        tl.LMS().fit(tl.table(frame, target="y", weight="w"))
    with pytest.raises(TypeError, match="sample_weight"):
        tl.LMS().fit(X, Y, sample_weight=np.ones(200))


def test_it_neither_merges_nor_forgets() -> None:
    model = tl.LMS().fit(X, Y)
    with pytest.raises(errors.MergeError, match="LMS has no tally"):
        tl.merge(model, model)
    with pytest.raises(errors.ForgetError, match=r"LMS\.forget: this model keeps no tally"):
        model.forget(X, Y)


def test_it_goes_on_after_loading(tmp_path: Path) -> None:
    model = tl.LMS(0.02, start=(0.5, 0, 0, 1)).fit(X[:90], Y[:90])
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally").partial_fit(X[90:], Y[90:])
    assert weights(again) == weights(tl.LMS(0.02, start=(0.5, 0, 0, 1)).fit(X, Y))


def test_a_file_keeps_how_many_rows_were_learned(tmp_path: Path) -> None:
    model = tl.LMS(0.01, steps=7).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])
    model.save(tmp_path / "m.tally")
    again = tl.load(tmp_path / "m.tally")
    assert repr(again) == repr(model) == "LMS(steps=7) learned from 3 rows of 1 column"
    assert "from 5 rows of 1 column" in repr(again.partial_fit([[1.0], [2.0]], [1.0, 2.0]))
    old = tl.load(DATA / "models" / "lms.tally")
    assert repr(old).endswith("learned from 1 column ('width')")  # it does not say
    more = old.partial_fit(pd.DataFrame({"width": [1.0]}), [1.0])
    assert repr(more).endswith("learned from 1 column ('width')")


def test_text_is_refused_with_a_remedy_that_leads_on() -> None:
    rows = {"t": ["a b c d e", "e f g h i"], "x": [1.0, 2.0], "y": [1.0, 2.0]}
    with pytest.raises(errors.ColumnError, match=r"To go on, leave it out with .*ignore=\['t'\]"):
        tl.LMS().fit(rows, "y")
    assert tl.LMS().fit(tl.table(rows, target="y", ignore=["t"])).coef_.shape == (1,)
    with pytest.raises(errors.ColumnError, match=r"declare categories=\['t'\], or leave it out"):
        tl.LinearRegression().fit(rows, "y")


@pytest.mark.parametrize("scaling", ["sum", "mean"])
@pytest.mark.parametrize("scale", [1.0, 1e6])
def test_batch_descent_without_steps_converges_to_the_closed_form(
    scaling: str, scale: float
) -> None:
    model = tl.LMS(0.2 if scaling == "mean" else 0.002, scaling=scaling).fit(X, scale * Y)
    best = LinearRegression().fit(X, scale * Y)
    assert model.converged_
    assert 10 < model.n_steps_ < 5000
    assert f"converged in {model.n_steps_:,} steps" in str(model.show_work())
    assert weights(model) == pytest.approx([best.intercept_, *best.coef_], rel=1e-5, abs=1e-5)
    rest = scale * Y - model.predict(X)
    design = np.column_stack([np.ones(len(X)), X])
    factor = 2 / len(X) if scaling == "mean" else 1.0
    rounding = 2.0**-40 * scale * len(X) if scale > 1 else 0.0
    assert np.abs(factor * design.T @ rest).max() <= 1e-6 + rounding
    before = tl.LMS(model.learning_rate, scaling=scaling, steps=model.n_steps_ - 1)
    rest = scale * Y - before.fit(X, scale * Y).predict(X)
    assert np.abs(factor * design.T @ rest).max() > 1e-6  # it stops in the first step that can


def test_fewer_steps_for_a_larger_tolerance() -> None:
    many, few = (tl.LMS(0.1, scaling="mean", tol=tol).fit(X, Y) for tol in (1e-8, 1e-2))
    assert few.n_steps_ < many.n_steps_
    assert few.converged_


@pytest.mark.parametrize("scaling", ["sum", "mean"])
def test_descent_that_stops_before_it_converges_warns(scaling: str) -> None:
    learner = tl.LMS(1e-7, scaling=scaling)
    with pytest.warns(UserWarning, match=r"after 10,000 steps, before it converged.*tol=1e-06"):
        learner.fit(X, Y)
    assert (learner.n_steps_, learner.converged_) == (10_000, False)
    assert tl.LMS(1e-4, scaling=scaling, steps=1000).fit(X, Y).n_steps_ == 1000
    assert tl.LMS(1e-4, scaling=scaling, steps=1).fit(X, Y).n_steps_ == 1
    tl.LMS(1e-4, scaling=scaling).partial_fit(X, Y)


def test_the_absolute_error_takes_steps_of_one_length() -> None:
    model = tl.LMS(0.01, scaling="absolute", steps=600).fit(X, Y)
    w = np.zeros(X.shape[1] + 1)
    for step in range(600):
        x = np.array([1.0, *X[step % len(X)]])
        w = w + 0.01 * np.sign(Y[step % len(X)] - w @ x) * x
    assert weights(model) == pytest.approx(w, rel=1e-12, abs=1e-12)
    assert "sign(y − ŷ)" in str(model.show_work())
    exact = tl.LMS(1.0, scaling="absolute", steps=5, start=[1.0, 2.0]).fit([[1.0]], [3.0])
    assert weights(exact) == [1.0, 2.0]  # no error, and no step


def test_the_absolute_error_resists_an_outlier() -> None:
    x, y = X[:40, :1], 1 + 2 * X[:40, 0]
    y[0] += 1000
    model = tl.LMS(0.001, scaling="absolute", steps=200_000).fit(x, y)
    assert weights(model) == pytest.approx([1, 2], abs=0.02)
    assert tl.LinearRegression().fit(x, y).intercept_ > 10
