"""Bad input to any linear learner: what cannot be learned from is said, with its place."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallylearn as tl
from tallylearn import errors
from tests.printed_text import unwrapped

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = X @ [1, 2, 3] + RNG.normal(size=30)
KIND = np.where(Y + 3 * RNG.normal(size=30) > 0, "a", "b")
FREE = float("inf")

REGRESSORS: dict[str, Any] = {
    "linear": tl.LinearRegression,
    "linear-qr": lambda **o: tl.LinearRegression(solver="qr", **o),
    "linear-exact": lambda **o: tl.LinearRegression(exact=True, **o),
    "ridge": tl.Ridge,
    "ridge-cv": lambda **o: tl.Ridge("cv", **o),
    "lasso": tl.Lasso,
    "elastic-net": tl.ElasticNet,
    "subset": tl.SubsetSelection,
    "subset-forward": lambda **o: tl.SubsetSelection("forward", **o),
}
CLASSIFIERS: dict[str, Any] = {
    "logistic": tl.LogisticRegression,
    "logistic-free": lambda **o: tl.LogisticRegression(C=FREE, **o),
    "logistic-lasso": lambda **o: tl.LogisticRegression(l1_ratio=1.0, **o),
    "perceptron": tl.Perceptron,
}
LMS: dict[str, Any] = {"lms": lambda **o: tl.LMS(1e-3, **o)}
every_regressor = pytest.mark.parametrize("name", [*REGRESSORS, *LMS])
every_line = pytest.mark.parametrize("name", REGRESSORS)
every_classifier = pytest.mark.parametrize("name", CLASSIFIERS)
every = pytest.mark.parametrize("name", [*REGRESSORS, *LMS, *CLASSIFIERS])


def made(name: str, **options: Any) -> Any:
    return (REGRESSORS | CLASSIFIERS | LMS)[name](**options)


def answer(name: str) -> Any:
    return KIND if name in CLASSIFIERS else Y


@every_line
def test_more_columns_than_rows_leave_weights_that_are_said_not_to_be_alone(name: str) -> None:
    x, y = RNG.normal(size=(5, 12)), RNG.normal(size=5)
    model = made(name).fit(x, y)
    assert np.isfinite(model.coef_).all()
    if name.startswith("linear"):
        assert model.rank_ == 4
        assert "is a linear combination of" in str(model.summary())
        assert "coefficients of these columns are not unique" in unwrapped(model.show_work())
        np.testing.assert_allclose(model.predict(x), y, atol=1e-6)


def test_more_columns_than_rows_are_refused_where_no_odds_are_the_likeliest() -> None:
    with pytest.raises(errors.ColumnError, match=r"are collinear.*take a penalty"):
        made("logistic-free").fit(RNG.normal(size=(5, 12)), list("ababa"))


@every
def test_collinear_and_constant_columns_are_named_or_do_no_harm(name: str) -> None:
    x = np.column_stack([X, X[:, 0] + X[:, 1], np.full(30, 7.0)])
    if name == "logistic-free":
        with pytest.raises(errors.ColumnError, match=r"'x0', 'x1', 'x3', 'x4' are collinear"):
            made(name).fit(x, KIND)
        return
    model = made(name).fit(x, answer(name))
    assert np.isfinite(model.coef_).all()
    if name.startswith("linear"):
        said = str(model.summary())
        assert (
            "x3 is a linear combination of 'x0', 'x1'" in said
            or "x0 is a linear combination of 'x1', 'x3'" in said
        )
        assert "x4 is constant" in said
    if name.startswith(("lasso", "subset", "ridge", "linear")):
        assert abs(model.coef_[4]) < 1e-9


@every_regressor
def test_targets_that_are_missing_infinite_or_text_are_refused_with_their_row(name: str) -> None:
    for value, said in ((np.nan, "is missing in row 3"), (np.inf, "is inf in row 3")):
        y = Y.copy()
        y[3] = value
        with pytest.raises(errors.TargetError, match=said):
            made(name).fit(X, y)
    with pytest.raises(errors.TargetError, match="has text"):
        made(name).fit(X, KIND)
    empty = pd.DataFrame({"x": X[:, 0], "t": np.nan})
    with pytest.raises(errors.TargetError, match="missing in all 30 rows"):
        made(name).fit(empty, "t")


@every_classifier
def test_one_class_and_measures_are_refused(name: str) -> None:
    with pytest.raises(errors.TargetError, match=r"the target has .*class,? 'a'"):
        made(name).fit(X, ["a"] * 30)
    with pytest.raises(errors.TargetError, match="not a class"):
        made(name).fit(X, Y)


@every_classifier
def test_separated_classes_are_said(name: str) -> None:
    apart = [[1.0], [2.0], [3.0], [4.0]], list("aabb")
    if name == "logistic-free":
        with pytest.raises(errors.InputError, match="column 'x0' separates the classes perfectly"):
            made(name).fit(*apart)
        return
    model = made(name).fit(*apart)
    assert np.isfinite(model.coef_).all()
    if name == "logistic":
        assert "The classes are separated" in str(model.show_work())
    if name == "perceptron":
        assert model.separated_


@every
def test_infinities_are_refused_with_their_row(name: str) -> None:
    x = X.copy()
    x[4, 1] = -np.inf
    with pytest.raises(errors.ColumnError, match=r"column 'x1' (has|is) -inf in row 4"):
        made(name).fit(x, answer(name))
    model = made(name).fit(X, answer(name))
    with pytest.raises(errors.ColumnError, match=r"column 'x1' (has|is) -inf in row 4"):
        model.predict(x)


@pytest.mark.parametrize("name", [*(n for n in REGRESSORS if n != "linear-exact"), "logistic",
                                  "logistic-free", "logistic-lasso"])  # fmt: skip
@pytest.mark.parametrize("size", [1e160, 1e200, 1e300])
def test_numbers_whose_products_are_no_doubles_are_refused(name: str, size: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(errors.ColumnError, match=r"overflow a double\. Divide them"):
            made(name).fit(X * size, answer(name))


@pytest.mark.parametrize(
    "alpha", [-1, float("nan"), FREE, "x", None, True, pytest.param(10**5000, id="huge")]
)
@pytest.mark.parametrize("kind", [tl.Ridge, tl.Lasso, tl.ElasticNet])
def test_penalties_that_cannot_be_are_refused(kind: Any, alpha: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"'alpha' parameter.*\[0"):
        kind(alpha=alpha).fit(X, Y)
    if alpha != FREE:  # which is no penalty there
        with pytest.raises(errors.OptionError, match="'C' parameter"):
            tl.LogisticRegression(C=alpha).fit(X, KIND)


@every_line
@pytest.mark.parametrize("degree", [0, -1, 31, pytest.param(10**5000, id="huge"), 2.5, "2", True])
def test_degrees_that_cannot_be_are_refused(name: str, degree: Any) -> None:
    with pytest.raises(errors.OptionError, match=r"'degree' parameter.*\[1, 30\]"):
        made(name, degree=degree).fit(X, Y)


@pytest.mark.parametrize("name", ["linear", "linear-qr", "ridge", "lasso", "subset"])
def test_a_power_that_is_no_double_is_refused_with_its_degree(name: str) -> None:
    x = X * 1e12
    x[0, 0] = 1e15
    with pytest.raises(
        errors.ColumnError, match=r"column 'x0' to the power of 21 .* row 0.*degree"
    ):
        made(name, degree=30).fit(x, Y)


@pytest.mark.parametrize(
    "learner",
    [
        tl.LMS(10.0),
        tl.LMS(10.0, scaling="twice"),
        tl.LMS(10.0, scaling="sum", steps=50),
        tl.LMS(10.0, scaling="mean", steps=50),
        tl.LogisticRegression(C=FREE, solver="gradient", learning_rate=1e6, max_iter=50),
    ],
    ids=lambda one: one.constructor_call(),
)
def test_a_rate_that_diverges_is_named_with_its_step(learner: Any) -> None:
    said = r"learning_rate=.*(after \d+ steps? the|at step \d+, and) .*Use a smaller learning_rate"
    with pytest.raises(errors.InputError, match=said):
        learner.fit(X * 10, answer("logistic") if hasattr(learner, "C") else Y)


@pytest.mark.parametrize("many", [0, -1, 2.5, "a", True])
def test_no_passes_are_refused(many: Any) -> None:
    for learner in (tl.Lasso, tl.ElasticNet, tl.LogisticRegression, tl.Perceptron):
        y = KIND if hasattr(learner, "predict_proba") else Y
        with pytest.raises(errors.OptionError, match="'max_iter' parameter"):
            learner(max_iter=many).fit(X, y)
    with pytest.raises(errors.OptionError, match="'steps' parameter"):
        tl.LMS(0.1, steps=many).fit(X, Y)
    with pytest.raises(errors.OptionError, match="'folds' parameter"):
        tl.Ridge("cv", folds=many).fit(X, Y)


@every_line
def test_text_is_refused_with_the_remedy(name: str) -> None:
    note = [f"a long text about thing number {i}, and some more words" for i in range(30)]
    with pytest.raises(errors.ColumnError, match=r"column 'note' holds text.*ignore="):
        made(name).fit(pd.DataFrame({"x": X[:, 0], "note": note, "t": Y}), "t")


@pytest.mark.parametrize("name", [name for name in REGRESSORS if name != "linear-exact"])
def test_numbers_whose_squares_vanish_are_refused_and_not_called_constant(name: str) -> None:
    with pytest.raises(errors.ColumnError, match="numbers in 'x1' are so small"):
        made(name).fit(X * [1, 1e-170, 1] + [0, 1e-170, 0], Y)
    with pytest.raises(errors.ColumnError, match="numbers in the target are so small"):
        made(name).fit(X, (Y - 50) * 1e-170)


def test_exact_sums_hold_what_squares_in_doubles_lose() -> None:
    far = tl.LinearRegression(exact=True).fit(X * 2.0**-600, Y)
    near = tl.LinearRegression(exact=True).fit(X, Y)
    assert (far.coef_ == near.coef_ * 2.0**600).all()
    for robust in (None, "HC3"):
        small, usual = (
            model.summary(x, Y, robust=robust)
            for model, x in ((far, X * 2.0**-600), (near, X))
        )  # fmt: skip
        np.testing.assert_allclose(small.error[1:], usual.error[1:] * 2.0**600, rtol=1e-9)
    with pytest.raises(errors.ColumnError, match="numbers in the target are so small"):
        tl.LinearRegression(exact=True).fit(X, (Y - Y.mean()) * 1e-200)


@every_line
def test_a_target_beyond_doubles_is_called_the_target(name: str) -> None:
    with pytest.raises(errors.ColumnError, match=r"numbers in .*the target are so large"):
        made(name).fit(X, Y * 1e300)


@every_regressor
@pytest.mark.parametrize("rows", [X, X.tolist()], ids=["array", "lists"])
def test_words_beside_rows_without_names_are_a_target_of_text(name: str, rows: Any) -> None:
    with pytest.raises(errors.TargetError, match="the target has text"):
        made(name).fit(rows, KIND.tolist())


@pytest.mark.parametrize("exact", [False, True])
def test_powers_beyond_doubles_are_refused_whether_exact_or_not(exact: bool) -> None:
    with pytest.raises(errors.ColumnError, match="to the power of 16 is too large for a double"):
        tl.LinearRegression(degree=16, exact=exact).fit(1e20 * (2 + np.abs(X[:, :1])), Y)


@pytest.mark.parametrize("loss", ["cross-entropy", "squared"])
def test_a_step_beyond_doubles_is_called_too_long(loss: str) -> None:
    model = tl.LogisticRegression(solver="gradient", loss=loss, learning_rate=1e308)
    with pytest.raises(errors.InputError, match=r"at step 1,.* to infinity"):
        model.fit(100 * X, KIND)


@pytest.mark.parametrize("apart", [1e-5, 1e-8, 0.0])
def test_products_alone_refuse_columns_that_they_cannot_tell_apart(apart: float) -> None:
    x = np.column_stack([X[:, 0], X[:, 0] + apart * X[:, 1]])
    with pytest.raises(errors.InputError, match=r"nearly collinear \(condition.*solver='auto'"):
        tl.LinearRegression(solver="cholesky").fit(x, Y)
    assert tl.LinearRegression().fit(x, Y).rank_ == (2 if apart else 1)
    assert tl.LinearRegression(solver="cholesky").fit(np.c_[x[:, 0], 0 * Y], Y).rank_ == 1


def test_columns_that_follow_from_each_other_have_no_condition() -> None:
    model = tl.LinearRegression().fit(np.column_stack([X[:, 0], X[:, 0], 2 * X[:, 0]]), Y)
    assert model.condition_ == float("inf")
    assert model.summary().sizes["condition"] is None


@every_line
def test_the_condition_of_columns_that_follow_is_told_alike(name: str) -> None:
    twice, near = np.c_[X[:, :2], X[:, 0]], np.c_[X[:, :2], X[:, 0] + 1e-3 * X[:, 2]]
    for x in (twice, np.c_[X[:, :2], X[:, 0] - X[:, 1]]):
        model = made(name).fit(x, Y)
        assert model.condition_ == float("inf")
        assert model.summary().sizes["condition"] is None
        assert "Cond. no. inf" in str(model.summary())
    assert made(name).fit(near, Y).condition_ == pytest.approx(
        made("linear").fit(near, Y).condition_, rel=1e-3
    )


@every
def test_rows_that_are_asked_about_without_a_target_are_told_to_name_it(name: str) -> None:
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=answer(name))
    model = made(name).fit(frame, "y")
    calls = [model.score, *(getattr(model, n) for n in ("summary", "diagnose") if n in dir(model))]
    calls += [model.forget] if name == "linear-exact" else []
    for call in calls if name in ("linear", "linear-exact") else calls[:1]:
        with pytest.raises(errors.TargetError, match="no target was passed"):
            call(frame)
    assert len(model.predict(frame)) == 30


def test_the_word_among_numbers_of_a_target_is_blamed() -> None:
    words = {"x": "4,x", "about 7": "4,about 7"}
    for word, line in words.items():
        rows = io.StringIO(f"a,y\n1,2\n2,3.5\n3,$4\n{line}\n5,6\n")
        with pytest.raises(errors.TargetError, match=rf"has text \('{word}' in row 5\)"):
            tl.LinearRegression().fit(rows, "y")
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "y": ["2", "3", "4", "x"]})
    with pytest.raises(errors.TargetError, match=r"has text \('x' in row 3\)"):
        tl.LinearRegression().fit(frame, "y")
    with pytest.raises(errors.TargetError, match=r"has text \('2' in row 0\)"):  # as they are
        tl.LinearRegression().fit([[1], [2], [3]], ["2", "3", "x"])


@pytest.mark.parametrize(
    ("values", "wanted", "column"),
    [
        ([True, False, True, False], True, "kind=False"),
        ([True, False, True, False], np.bool_(False), "kind=True"),
        ([20095, 10115, 20095, 10115], 20095, "kind=10115"),
        ([20095, 10115, 20095, 10115], np.int64(10115), "kind=20095"),
        ([1.5, 2.0, 1.5, 2.0], 2.0, "kind=1.5"),
        ([1.5, 2.0, 1.5, 2.0], np.float64(1.5), "kind=2"),
    ],
)
def test_a_reference_is_taken_as_the_value_that_it_is(
    values: list[Any], wanted: Any, column: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"kind": values, "y": [1.0, 2.0, 4.0, 3.0]})
    table = tl.table(frame, target="y", categories=["kind"])
    model = tl.LinearRegression(reference={"kind": wanted}).fit(table)
    assert model.columns_ == (column,)
    model.save(tmp_path / "m.tally")
    assert tl.load(tmp_path / "m.tally").columns_ == (column,)
    with pytest.raises(errors.OptionError, match=r"reference=.*'kind': None.*Pass one"):
        tl.LinearRegression(reference={"kind": None}).fit(table)


def test_names_of_weights_differ_whatever_the_columns_are_called() -> None:
    frame = pd.DataFrame(X, columns=["x", "x^2", "x missing"]).assign(y=Y, c=KIND)
    frame = frame.assign(**{"c=b": X[:, 0] ** 3})
    frame.loc[3, "x"] = None
    for learner in (tl.LinearRegression(degree=2), tl.Ridge(degree=2)):
        names = learner.fit(frame, "y").columns_
        assert len({*names}) == len(names)
        assert {"x^2", "(x)^2", "x missing", "(x) missing", "c=b", "(c)=b"} <= {*names}
    weights = tl.Ridge(degree=2).fit(frame, "y").path([1.0]).records()[0]["weights"]
    assert len(weights) == len(names)


@every
def test_a_target_that_is_one_number_is_told_how_columns_are_named(name: str) -> None:
    frame = pd.DataFrame(np.column_stack([X[:, :2], np.arange(30) % 2]))
    with pytest.raises(errors.TargetError, match=r"y=2 .*name of a column.*such as '2'"):
        made(name).fit(frame, 2)


@every
def test_a_table_without_columns_has_its_rows(name: str) -> None:
    with pytest.raises(errors.InputError, match=r"no columns .*shape=\(30, 0\)"):
        made(name).fit(np.empty((30, 0)), answer(name))


def test_leading_rows_have_their_whole_number_and_targets_their_place_in_any_type() -> None:
    x = np.arange(12400.0)
    y = x + np.where(x == 12345, 1e7, np.sin(x))
    both = x[:, None], np.column_stack([x, y])
    model = tl.LinearRegression().fit(*both)
    assert "\n12345  " in str(model.summary(*both, target=np.int64(1)))
    with pytest.raises(errors.OptionError, match=r"target=.*2 targets. Pass .* 0 to 1"):
        model.summary(target=np.float64(1))
